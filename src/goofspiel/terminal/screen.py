"""Draw a game: what there is to see, as lines of text that fit a terminal; nothing is printed here."""

from collections.abc import Sequence
from textwrap import wrap
from typing import NamedTuple, TypeVar

from rich.text import Text

from goofspiel.cards import counted
from goofspiel.matches.session import Session
from goofspiel.render.rules import variations
from goofspiel.rules import Objective
from goofspiel.tablebase.answer import Answer
from goofspiel.terminal.dialogue import HIGHEST_NAMED, Dialogue, key_of, label, quit_key
from goofspiel.terminal.words import GONE, deck_cells, how_to_play, longest_outcome, outcome, scored, welcome

T = TypeVar("T")

ZERO = 5e-4  # a smaller cost is none: it would be printed as 0.00
MINE, THEIRS, PRIZE, FAINT, GOOD, BAD, STRONG = "cyan", "magenta", "yellow", "dim", "green", "red", "bold"


class Grid(NamedTuple):
    """Columns: for what a row is called, and for a card, which is always in the same place."""

    names: int
    slot: int

    def strips(self, things: Sequence[T], width: int) -> list[Sequence[T]]:
        """In rows of equal length that fit."""
        most = max(1, (width - self.names) // self.slot)
        length = -(-len(things) // max(1, -(-len(things) // most)))
        return [things[at : at + length] for at in range(0, len(things), max(1, length))]

    def name(self, name: str, style: str) -> Text:
        """The beginning of a row; where there is no room, the suit stands for the whole."""
        return Text().append(f" {name}"[: self.names - 1].ljust(self.names), style)

    def row(self, name: str, cells: Sequence[tuple[str, str]], style: str = FAINT) -> Text:
        """A row of texts, each with its style."""
        line = self.name(name, style)
        for text, cell_style in cells:
            line.append(f"{text:^{self.slot}}", cell_style)
        return line

    def plain(self, name: str, cards: Sequence[int], there: Sequence[int], style: str) -> list[Text]:
        """A row of cards; those that are not there leave a mark."""
        return [self.row(name, [(label(card), style) if card in there else (GONE, FAINT) for card in cards], style)]

    def boxes(self, name: str, cards: Sequence[int], there: Sequence[int], style: str) -> list[Text]:
        """A row of cards drawn as such."""
        inside = self.slot - 2
        top, middle, bottom = self.name("", style), self.name(name, style), self.name("", style)
        for card in cards:
            top.append(f"╭{'─' * inside}╮" if card in there else " " * self.slot, style)
            bottom.append(f"╰{'─' * inside}╯" if card in there else " " * self.slot, style)
            if card in there:
                middle.append("│", style).append(f"{label(card):^{inside}}", f"{STRONG} {style}").append("│", style)
            else:
                middle.append(f"{GONE:^{self.slot}}", FAINT)
        return [top, middle, bottom]


GRIDS = (Grid(10, 5), Grid(10, 4), Grid(3, 4))  # the most generous first


class Layout(NamedTuple):
    """What there is room for."""

    their_boxes: bool
    my_boxes: bool
    airy: bool  # empty lines between the parts
    rounds: bool  # all rounds, not only the last


LAYOUTS = (  # the most generous first
    Layout(their_boxes=True, my_boxes=True, airy=True, rounds=True),
    Layout(their_boxes=False, my_boxes=True, airy=True, rounds=True),
    Layout(their_boxes=False, my_boxes=True, airy=False, rounds=True),
    Layout(their_boxes=False, my_boxes=False, airy=False, rounds=True),
    Layout(their_boxes=False, my_boxes=False, airy=False, rounds=False),
)

# The longest of its kind: room is kept for it, so that nothing moves when it appears.
_LONGEST_HINT = (
    "An optimal mix, and what each card costs in points. If both play on perfectly, you end 10.25 points behind on "
    "average."
)


def screen(game: Dialogue, width: int, height: int) -> list[Text]:
    """The game on a terminal of this size: no line longer, no more lines; the last ones matter most."""
    if game.helping:
        lines = help_lines(game, width)[:height]
    else:
        grid = grid_for(game.cards, width)
        for layout in LAYOUTS:
            lines = _board(game, width, grid, layout)
            if len(lines) <= height:
                break
        lines = lines[-height:]
    for line in lines:
        line.truncate(width)
    return lines


def grid_for(cards: int, width: int) -> Grid:
    """The widest that has all cards in one row; else the narrowest."""
    return next((grid for grid in GRIDS if grid.names + grid.slot * cards <= width), GRIDS[-1])


def _board(game: Dialogue, width: int, grid: Grid, layout: Layout) -> list[Text]:
    """All parts from top to bottom, each as high as it can become."""
    session = game.session
    kept = 4 * len(grid.strips(range(session.cards), width)) if layout.rounds else 0
    rounds = _padded(history(session, width) if layout.rounds else [], kept)
    rounds = [*rounds, *last_round(session, width)] if session.played else _wrapped(welcome(session.rules), width)
    hint = _wrapped(hint_words(game.hint) if game.hint else "", width)
    trouble = game.reply or (f"The game could not be saved: {game.unsaved}." if game.unsaved else "")
    parts = [
        [_title(session)],
        _padded(rounds, kept + len(_wrapped(longest_outcome(session.rules), width))),
        _prize(session, grid, boxed=layout.my_boxes),
        [*_table(game, width, grid, layout), *_padded(hint, len(_wrapped(_LONGEST_HINT, width)))],
        [*_padded(_wrapped(trouble, width, BAD), 1), *_keys(game, width)],
    ]
    lines: list[Text] = []
    for part in parts:
        lines += [Text(), *part] if lines and layout.airy else part
    return lines


def _title(session: Session) -> Text:
    game = [
        counted(session.cards, "card"),
        str(session.objective),
        *variations(session.rules),
        f"against {session.theirs}",
    ]
    facts = "".join(f" · {fact}" for fact in game)
    return Text.assemble((" Goofspiel", STRONG), facts, overflow="ellipsis", no_wrap=True)


def history(session: Session, width: int) -> list[Text]:
    """The rounds that were played, side by side: upcard, both bids, what they brought."""
    grid = grid_for(session.cards, width)
    lines = []
    for some in grid.strips(scored(session.record), width):
        rounds = [found.round for found in some]
        lines.append(grid.row("♦ prize", [(label(played.upcard), PRIZE) for played in rounds], PRIZE))
        lines.append(grid.row("♠ you", [(label(played.mine), MINE) for played in rounds], MINE))
        lines.append(grid.row("♥ they", [(label(played.theirs), THEIRS) for played in rounds], THEIRS))
        lines.append(grid.row("", [_gain(found.gain) for found in some]))
    return lines


def last_round(session: Session, width: int) -> list[Text]:
    """The last round in words."""
    last = scored(session.record)[-1]
    return _wrapped(outcome(last), width, f"{STRONG} {_gain(last.gain)[1]}")


def _gain(gain: int) -> tuple[str, str]:
    """What a round brought me, and its colour."""
    if not gain:
        return "=", "default"
    return (f"+{gain}", GOOD) if gain > 0 else (f"−{-gain}", BAD)


def _prize(session: Session, grid: Grid, *, boxed: bool) -> list[Text]:
    mine, theirs = session.points
    upcard, pot, count = session.rounds[-1].upcard, session.position.pot, session.rules.rounds
    score = Text.assemble("you ", (str(mine), f"{STRONG} {MINE}"), " : ", (str(theirs), f"{STRONG} {THEIRS}"), " they")
    if not boxed:
        card = grid.row("♦ prize", [(label(upcard), f"{STRONG} {PRIZE}")], PRIZE)
        waiting = f" pot {pot}," if session.rules.has_pots else ""
        return [Text.assemble(card, (waiting, PRIZE), f" round {len(session.rounds)}/{count}, ", score)]
    beside = (Text(f"round {len(session.rounds)} of {count}"), score, Text(_pot_words(session, pot), PRIZE))
    boxes = grid.boxes("♦ prize", [upcard], [upcard], PRIZE)
    return [Text.assemble(line, "   ", right) for line, right in zip(boxes, beside, strict=True)]


def _pot_words(session: Session, pot: int) -> str:
    """What is in the pot, where there may be one."""
    if not session.rules.has_pots:
        return ""
    return f"and {pot} in the pot: {session.rounds[-1].upcard + pot} to win" if pot else "the pot is empty"


def _deck(session: Session, width: int, grid: Grid) -> list[Text]:
    """The prizes that are left, in rows that stay as many."""
    name, cells = deck_cells(session.position, session.rules)
    kept = len(grid.strips(session.rules.prizes, width))
    rows = [
        grid.row(f"♦ {name}", [(cell, FAINT if cell == GONE or "(" in cell else PRIZE) for cell in some], PRIZE)
        for some in grid.strips(cells, width)
    ]
    return _padded(rows, kept)


def _table(game: Dialogue, width: int, grid: Grid, layout: Layout) -> list[Text]:
    """Deck and hands; below each of my cards, what a hint says of it."""
    position, rules = game.session.position, game.session.rules
    like_hands = rules.order is None and rules.prizes == tuple(range(1, game.cards + 1))  # one below the other
    lines: list[Text] = [] if like_hands else _deck(game.session, width, grid)
    for cards in grid.strips(range(1, game.cards + 1), width):
        their_row = grid.boxes if layout.their_boxes else grid.plain
        my_row = grid.boxes if layout.my_boxes else grid.plain
        lines += grid.plain("♦ deck", cards, position.deck, PRIZE) if like_hands else []
        lines += their_row("♥ they", cards, position.their_cards, THEIRS)
        lines += my_row("♠ you", cards, position.my_cards, MINE)
        lines += _hint_rows(game.hint, cards, grid) if game.hint else [Text(), Text()]
    return lines


def _hint_rows(answer: Answer[float], cards: Sequence[int], grid: Grid) -> list[Text]:
    mix, costs = [], []
    for card in cards:
        share, lost = answer.mine.get(card), answer.regret.get(card)
        if share is None or lost is None:
            mix.append(("", ""))
            costs.append(("", ""))
        else:
            mix.append((in_mix(answer, card), f"{STRONG} {GOOD}" if share > ZERO else FAINT))
            costs.append((cost(lost, answer.objective, width=grid.slot - 1), BAD if lost > ZERO else GOOD))
    return [grid.row("% mix", mix, GOOD), grid.row("− cost", costs, BAD)]


def in_mix(answer: Answer[float], card: int) -> str:
    """How often a mix bids a card; `=` when the card is interchangeable with a lower one, which stands for both."""
    if any(card in group[1:] for group in answer.interchangeable):
        return "="
    return percent(answer.mine[card]) if answer.mine[card] > ZERO else GONE


def percent(share: float) -> str:
    """A probability in few characters."""
    return "<1%" if 0 < share <= 0.005 else f"{share:.0%}"


def cost(lost: float, objective: Objective, *, width: int = 4) -> str:
    """What a card loses, in points or in P(win) − P(loss), as exactly as there is room for."""
    if lost <= ZERO:
        return "0"
    most = objective.decimals
    texts = (f"{lost:.{digits}f}" for digits in range(most, 0, -1))
    shortened = (short for text in texts for short in (text, text.removeprefix("0")))
    return next((text for text in shortened if len(text) <= width), f"{lost:.0f}")


def hint_words(answer: Answer[float]) -> str:
    """What a hint says in words. Spaces within a formula do not break a line."""
    if not answer.rules.has_leads:
        ahead = round(abs(answer.value), 2)
        end = f"{ahead:g} points {'ahead' if answer.value > 0 else 'behind'}" if ahead else "level"
        return (
            f"An optimal mix, and what each card costs in points. If both play on perfectly, you end {end} on average."
        )
    value = f"P(win) − P(loss) is {round(answer.value, 3) + 0.0:+.3f}".replace(" ", "\N{NO-BREAK SPACE}")
    return f"An optimal mix, and what each card costs. If both play on perfectly, {value}."


def _keys(game: Dialogue, width: int) -> list[Text]:
    """The keys that do something now, in one line if there is room for all cards."""
    held = game.session.position.my_cards
    bids = _wrapped(f"Bid: {_named_keys(held)}", width, f"{STRONG} {MINE}")
    wishes = ["h hint", *(["u undo"] if game.may_undo else []), "? help", f"{quit_key(game.cards)} quit"]
    rest = _wrapped("  ".join(wishes), width, FAINT)
    place = width - len(rest[0])
    if len(f" Bid: {_named_keys(range(1, game.cards + 1))} ") > place:
        return bids + rest
    bids[0].pad_right(min(place, 10 + 5 * game.cards) - len(bids[0]))
    return [bids[0].append_text(rest[0])]


def _named_keys(cards: Sequence[int]) -> str:
    """The keys that bid these cards; of those that are not on the card, what they stand for."""
    return " ".join(key_of(card) + (f"={card}" if card > HIGHEST_NAMED else "") for card in cards)


def help_lines(game: Dialogue, width: int) -> list[Text]:
    """The keys and the rules."""
    cards = game.cards
    wanted = "more points than they have" if game.session.rules.has_leads else "as many points as you can"
    beyond = "; L, M, N are 14, 15, 16" if cards > HIGHEST_NAMED else ""
    wishes = {
        f"A … {key_of(cards)}": f"bid a card; 1 is A{', 0 is T' if cards > 9 else ''}{beyond}; capitals or not",
        "h": "hint: how often to bid each card, and what each costs on average against a perfect opponent; "
        "= is as good as the card before it",
        "u": "take the last round back; the opponent draws its bid anew" if game.may_undo else "",
        quit_key(cards): "quit: the game is saved, and goes on with goofspiel play --resume",
        "?": "this page; any key goes back to the game",
    }
    rules = (
        f"You and your opponent hold the cards A to {label(cards)}; A counts 1. {how_to_play(game.session.rules)} "
        f"The aim: {wanted}.",
        "Your opponent has chosen its bid when the prize appears, and does not know yours.",
    )
    lines = [Text(" How to play", STRONG), Text()]
    for key, meaning in wishes.items():
        said = _wrapped(meaning, width - 7)
        lines += [Text(f" {key if not at else '':6}").append_text(line) for at, line in enumerate(said)]
    for paragraph in rules:
        lines += [Text(), *_wrapped(paragraph, width)]
    return lines


def _padded(lines: list[Text], height: int) -> list[Text]:
    return lines + [Text() for _ in range(height - len(lines))]


def _wrapped(text: str, width: int, style: str = "") -> list[Text]:
    """A text in lines that fit, a space before each."""
    return [Text(f" {line}", style) for line in wrap(text, max(width - 2, 8), break_on_hyphens=False)]
