"""Reviews of games for people and programs: text, json."""

from collections.abc import Iterable
from textwrap import wrap
from typing import Any

from goofspiel.cards import card_name, prize_name
from goofspiel.records.reviews import Review, ReviewedRound
from goofspiel.render.numbers import by_name, counted
from goofspiel.render.rules import variations
from goofspiel.rules import Rules

MIX_WIDTH = 28  # characters of a mix in the table
WIDTH = 95  # of the table, and of the sentences below it
SEVERAL = 5  # cards of a mix that a sentence names
TOGETHER = "\N{NO-BREAK SPACE}"  # no line ends between a card and its probability
NEVER = 1e-9  # a card of no more probability than this is not shown
ROUNDING = 5e-6  # less than this is shown as 0: stored values are rounded


def review_json(review: Review) -> dict[str, Any]:
    """One object, cards in notation. In an open round both bids and the probability are null."""
    worst = review.worst
    return {
        "record": str(review.record),
        "rules": str(Rules.of(review.record.rules, objective=review.objective)),
        "cards": review.record.cards,
        "objective": str(review.objective),
        "tags": dict(review.record.tags),
        "rounds": [_round_json(reviewed) for reviewed in review.rounds],
        "draw_luck": review.draw_luck,
        "cost": review.cost,
        "their_cost": review.their_cost,
        "bid_luck": review.bid_luck,
        "value": review.value,
        "result": review.result,
        "worst": worst.number if worst else None,
    }


def _round_json(reviewed: ReviewedRound) -> dict[str, Any]:
    played = reviewed.round
    return {
        "round": reviewed.number,
        "position": str(reviewed.position),
        "upcard": prize_name(played.upcard),
        "pot": reviewed.position.pot,
        "mine": None if played.is_open else card_name(played.mine),
        "theirs": None if played.is_open else card_name(played.theirs),
        "value_before": reviewed.value_before,
        "draw_luck": reviewed.draw_luck,
        "value": reviewed.value,
        "cost": reviewed.cost,
        "their_cost": reviewed.their_cost,
        "bid_luck": reviewed.bid_luck,
        "value_after": reviewed.value_after,
        "mix": by_name(reviewed.mix),
        "their_mix": by_name(reviewed.their_mix),
        "probability": reviewed.probability,
        "regret": by_name(reviewed.answer.regret),
        "best": [card_name(card) for card in reviewed.best],
        "gap": reviewed.answer.gap,
    }


def review_text(review: Review) -> str:
    """For a reader: a row a round, then what it comes to in words."""
    if not review.rounds:
        return f"{title(review)}\n\nNo prize has been turned up yet."
    indent = " " * (23 + MIX_WIDTH)
    lines = [
        title(review),
        "",
        f"{indent} luck of  cost of  cost of  luck of expected",
        f"round prize  you they  {'an optimal mix, in %':{MIX_WIDTH}}the draw your bid   theirs the bids   result",
    ]
    lines += [_row(reviewed, _digits(review)) for reviewed in review.rounds]
    moves = (review.draw_luck, -review.cost, review.their_cost, review.bid_luck)
    lines.append(f"{'total':{len(indent)}}{_numbers(moves, review.value, _digits(review))}")
    return "\n".join([*lines, "", *_in_words(review)])


def title(review: Review) -> str:
    """Which game it is, and who played it if the record says so."""
    tags = review.record.tags
    names = [f"{who}: {tags[tag]}" for who, tag in (("you", "mine"), ("they", "theirs")) if tag in tags]
    game = [counted(review.record.cards, "card"), f"objective {review.objective}", *variations(review.record.rules)]
    return "; ".join([", ".join(game), *names])


def outcome(review: Review) -> str:
    """How the game ended, or what is to be expected."""
    if not review.record.is_over:
        return f"Not over yet: {signed(review.value, review)} {review.objective.unit} expected."
    lead = review.record.position.lead
    if not lead:
        return "The game was a draw."
    return f"You {'won' if lead > 0 else 'lost'} by {counted(abs(lead), 'point')}."


def skill_and_luck(review: Review) -> tuple[str, str]:
    """What the costs come to, and what luck does: a sentence each."""
    digits = _digits(review)
    cost, their_cost = _amount(review.cost, digits), _amount(review.their_cost, digits)
    skill = _signed(review.their_cost - review.cost, digits)
    luck = _signed(review.draw_luck + review.bid_luck, digits)
    draw, bids = _signed(review.draw_luck, digits), _signed(review.bid_luck, digits)
    parts = f"the draw brought you {draw}, the way the bids met {bids}"
    if review.record.rules.order is not None:
        parts = "the way the bids met; there was no draw, for the order of the prizes was known"
    return f"Skill {skill}: your bids cost {cost}, theirs cost {their_cost}.", f"Luck {luck}: {parts}."


def _in_words(review: Review) -> list[str]:
    lines = [outcome(review), *skill_and_luck(review)]
    if worst := review.worst:
        lines.append(_sentence(worst, review))
    elif not review.rounds[0].round.is_open:
        lines.append("None of your bids cost anything.")
    if (last := review.rounds[-1]).round.is_open:
        lines.append(f"Round {last.number} is open: for {_stake(last)} an optimal mix bids {', '.join(_words(last))}.")
    return [wrapped.replace(TOGETHER, " ") for line in lines for wrapped in wrap(line, WIDTH)]


def _sentence(reviewed: ReviewedRound, review: Review) -> str:
    played = reviewed.round
    cost = _amount(reviewed.cost, _digits(review))
    unit = f"of {review.objective.unit}" if review.rules.has_leads else review.objective.unit
    return (
        f"Your worst bid was in round {reviewed.number}: you bid {card_name(played.mine)} "
        f"for {_stake(reviewed)}; an optimal mix bids {', '.join(_words(reviewed))}; "
        f"that cost {cost} {unit}."
    )


def _stake(reviewed: ReviewedRound) -> str:
    """What a round was about, in words."""
    pot = reviewed.position.pot
    return f"the {prize_name(reviewed.round.upcard)}" + (f" and a pot of {pot}" if pot else "")


def prize_label(reviewed: ReviewedRound) -> str:
    """What a round was about, in few characters: the prize, and the pot if there is one."""
    pot = reviewed.position.pot
    return prize_name(reviewed.round.upcard).strip("[]" if pot else "") + (f"+{pot}" if pot else "")


def _row(reviewed: ReviewedRound, digits: int) -> str:
    played = reviewed.round
    mine, theirs = ("?", "?") if played.is_open else (card_name(played.mine), card_name(played.theirs))
    head = f"{reviewed.number:>5} {prize_label(reviewed):>5} {mine:>4} {theirs:>4}  {_cell(reviewed):{MIX_WIDTH}}"
    moves = (reviewed.draw_luck, -reviewed.cost, reviewed.their_cost, reviewed.bid_luck)
    return head + _numbers(moves, reviewed.value_after, digits)


def _numbers(moves: Iterable[float], value: float, digits: int) -> str:
    return " ".join(f"{_signed(number, digits):>8}" for number in (*moves, value))


def _cell(reviewed: ReviewedRound) -> str:
    """As much of the mix as the table has room for."""
    for most in range(SEVERAL + 1, 0, -1):
        cell = ", ".join(_words(reviewed, most=most, unit="", others="…")).replace(TOGETHER, " ")
        if len(cell) < MIX_WIDTH:
            break
    return cell


def _words(
    reviewed: ReviewedRound, *, most: int = SEVERAL, unit: str = f"{TOGETHER}%", others: str = "and others"
) -> list[str]:
    """The likeliest cards of my mix, most likely first, with the one that I bid among them; whether there are more."""
    mix, bid = reviewed.mix, reviewed.round.mine
    support = sorted((card for card in mix if mix[card] > NEVER), key=lambda card: -mix[card])
    shown = support[:most]
    if bid in support[most:]:
        shown[-1] = bid
    words = [f"{card_name(card)}{TOGETHER}{_percent(mix[card])}{unit}" for card in shown]
    return words if len(support) <= most else [*words, others]


def _percent(probability: float) -> str:
    if probability < 0.005:
        return "<1"
    return ">99" if 0.995 <= probability < 1 - NEVER else f"{100 * probability:.0f}"


def _digits(review: Review) -> int:
    return review.objective.decimals


def signed(number: float, review: Review) -> str:
    """A value of a review, as its text writes it."""
    return _signed(number, _digits(review))


def _signed(number: float, digits: int) -> str:
    """With a sign; what is only rounding is 0."""
    if abs(number) < ROUNDING:
        return "0"
    text = f"{number:+.{digits}f}"
    return text if float(text) else text[1:]


def _amount(number: float, digits: int) -> str:
    """A cost: a small one is not 0."""
    text = f"{number:.{digits}f}"
    return text if float(text) else f"{number:.1g}" if number else "nothing"
