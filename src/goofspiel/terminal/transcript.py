"""A game in plain text: for pipes, and for the end of every game."""

from pathlib import Path
from shlex import quote
from textwrap import wrap
from typing import Any

from goofspiel.cards import counted
from goofspiel.errors import GoofspielError
from goofspiel.matches.session import Session
from goofspiel.position import Position
from goofspiel.records.record import Round
from goofspiel.records.reviews import Review, review
from goofspiel.render.reviews import WIDTH as REVIEW_WIDTH
from goofspiel.render.reviews import parts, prize_label, review_text
from goofspiel.render.rules import variations
from goofspiel.rules import Rules
from goofspiel.tablebase.answer import Answer
from goofspiel.terminal.dialogue import Dialogue, label
from goofspiel.terminal.screen import cost, help_lines, hint_words, in_mix, percent
from goofspiel.terminal.words import GONE, deck_cells, outcome, scored

WIDTH = 100  # of running text


def opening(game: Dialogue) -> str:
    """What is played."""
    session = game.session
    words = [counted(session.cards, "card"), session.objective.goal, *variations(session.rules)]
    return f"Goofspiel, {', '.join(words)}, against {session.theirs}. ? for help."


def question(game: Dialogue) -> str:
    """The beginning of a round: what is known, and perhaps a hint."""
    session = game.session
    mine, theirs = session.points
    where = f"\nRound {len(session.rounds)} of {session.rules.rounds}, {mine} : {theirs}. "
    return where + question_at(session.position, session.rules) + (f"\n{_hint(game.hint)}" if game.hint else "")


def question_at(position: Position, rules: Rules | None = None) -> str:
    """A prize, and who can bid what for it."""
    left, prizes = deck_cells(position, rules) if rules else ("deck", [*map(label, position.deck)])
    hands = {"you": map(label, position.my_cards), "they": map(label, position.their_cards)}
    rows = hands | {left: (prize for prize in prizes if prize != GONE)}
    held = [f"  {name:4}  {' '.join(cards) or 'nothing'}" for name, cards in rows.items()]
    stake = f", and {position.pot} in the pot: {position.upcard + position.pot} to win" if position.pot else ""
    return "\n".join([f"The prize is {label(position.upcard)}{stake}.", *held])


def answer_to(game: Dialogue, before: tuple[Round, ...]) -> str:
    """What a line led to, after the rounds that were played before."""
    unsaved = [f"The game could not be saved: {game.unsaved}."] if game.unsaved else []
    if game.helping:
        game.helping = False
        return "\n".join(line.plain.rstrip() for line in help_lines(game, WIDTH))
    if game.reply or game.leaving:
        return "\n".join([game.reply, *unsaved]).strip()
    if game.session.rounds != before:
        taken_back = len(game.session.played) < len([played for played in before if not played.is_open])
        last = "The last round is taken back." if taken_back else outcome(scored(game.session.record)[-1])
        return "\n".join([last, *unsaved])
    return _hint(game.hint) if game.hint else ""


def _hint(answer: Answer[float]) -> str:
    rows = [
        f"  {label(card):>2}  {in_mix(answer, card):>4}  costs {cost(answer.regret[card], answer.objective, width=6)}"
        for card in answer.mine
    ]
    return "\n".join([hint_words(answer), *rows])


def result(session: Session) -> str:
    """How the game ended, in words."""
    mine, theirs = session.points
    nobody = sum(played.upcard for played in session.played) - mine - theirs
    rest = f" Nobody won the other {nobody}." if nobody else ""
    left = sorted(session.position.deck)
    rest += f" Not turned up: {' '.join(map(label, left))}." if left else ""
    if mine == theirs:
        return f"A draw, {mine} : {theirs}.{rest}"
    return f"{'You win' if mine > theirs else 'You lose'}, {mine} : {theirs}.{rest}"


def ending(game: Dialogue, path: Path, width: int | None = None) -> str:
    """After a game: the result, the review as far as there is room for it, where the record is."""
    told = [result(game.session)]
    try:
        found = review(game.session.record, game.tablebase(), theirs=game.session.opponent)
        told.append(review_text(found) if width is None or width >= REVIEW_WIDTH else _short_review(found, width))
    except GoofspielError as error:
        told.append(f"No review: {error}")
    if game.unsaved:
        told.append(f"The game could not be saved: {game.unsaved}. Its record:\n{game.session.record.to_file()}")
    else:
        told.append(f"The game is kept. Its review:\n  goofspiel review {quote(str(path))}")
    return "\n\n".join(told)


def _short_review(found: Review, width: int) -> str:
    """What each bid cost, and what it comes to, in few columns."""
    lines = ["round prize  you they  in the mix   cost"]
    for reviewed in found.rounds:
        prize, mine, theirs = prize_label(reviewed), *map(label, reviewed.round[1:])
        share, lost = percent(reviewed.probability or 0.0), cost(reviewed.cost, found.objective, width=6)
        lines.append(f"{reviewed.number:>5} {prize:>5} {mine:>4} {theirs:>4}  {share:>10} {lost:>6}")
    said = f"In the mix: how often a perfect player bids your card. Cost: in {found.objective.unit}."
    for sentence in (said, *parts(found)):
        lines += wrap(sentence, width - 1)
    return "\n".join(lines)


def game_json(game: Dialogue, path: Path) -> dict[str, Any]:
    """A game, over or not."""
    session = game.session
    mine, theirs = session.points
    won = {1: "win", 0: "draw", -1: "loss"}[(mine > theirs) - (mine < theirs)]
    return {
        "rules": str(session.rules),
        "cards": session.cards,
        "objective": str(session.objective),
        "opponent": session.theirs,
        "seed": session.seed,
        "record": str(session.record),
        "over": session.is_over,
        "points": {"mine": mine, "theirs": theirs},
        "result": won if session.is_over else None,
        "hints": list(session.hints),
        "undone": session.undone,
        "file": None if game.unsaved else str(path),
    }
