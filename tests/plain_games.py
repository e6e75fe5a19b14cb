"""Games of all kinds of rules, slow and obvious: hands and decks are tuples, chances are fractions."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from goofspiel.players.players import FunctionPlayer
from goofspiel.position import Position
from goofspiel.rules import Rules

KINDS = (
    *("1 carry", "2 win", "2 carry", "2 carry rounds=1", "3 carry", "3 win carry", "4", "4 win", "4 carry"),
    *("4 win carry", "4 order=descending", "4 win carry order=3,1,4,2", "4 carry order=ascending"),
    *("4 prizes=1,1,2,5", "4 win prizes=2,2,2,9", "4 carry prizes=1,1,3,100", "4 prizes=20,30,40,999"),
    *("4 rounds=2", "4 rounds=1", "4 win carry rounds=3", "4 win rounds=2 order=descending"),
    *("3 prizes=1,2,2,5,8 rounds=2", "3 win carry prizes=1,2,2,5,8,8 rounds=2"),
    *("3 win carry prizes=2,2,5,7,9 order=2,7,2,9,5 rounds=2", "4 win carry prizes=1,1,1,1"),
)


class Table(NamedTuple):
    """What lies on the table, seen by one player; the deck as it comes, or ascending."""

    mine: tuple[int, ...]
    theirs: tuple[int, ...]
    deck: tuple[int, ...]
    upcard: int = 0
    lead: int = 0
    pot: int = 0

    def swap(self) -> "Table":
        return self._replace(mine=self.theirs, theirs=self.mine, lead=-self.lead)

    @property
    def position(self) -> Position:
        """The same for those who know nothing of tables."""
        cards = sum(1 << card - 1 for card in self.mine), sum(1 << card - 1 for card in self.theirs)
        empty = Position.from_masks(*cards, 0, check=False)
        fields = {"deck": self.deck, "upcard": self.upcard, "lead": self.lead, "pot": self.pot}
        for name, value in fields.items():
            object.__setattr__(empty, name, value)
        return empty


Choice = Callable[[Table], dict[int, Fraction]]


def seen(position: Position) -> Table:
    """A position as a table."""
    return Table(position.my_cards, position.their_cards, position.deck, position.upcard, position.lead, position.pot)


def start(rules: Rules) -> Table:
    hand = tuple(range(1, rules.cards + 1))
    return Table(hand, hand, rules.order or rules.prizes)


def is_over(rules: Rules, table: Table) -> bool:
    return len(rules.prizes) - len(table.deck) == rules.rounds and not table.upcard


def upcards(rules: Rules, table: Table) -> Iterator[Table]:
    """What the next prize may be; equal ones come as often as they are there."""
    for index, prize in enumerate(table.deck[:1] if rules.order else table.deck):
        yield table._replace(deck=table.deck[:index] + table.deck[index + 1 :], upcard=prize)


def played(rules: Rules, table: Table, mine: int, theirs: int) -> Table:
    """After both bids: the higher one takes the upcard and what waits; what is tied waits, or is nobody's."""
    prize = table.upcard + table.pot
    sign = (mine > theirs) - (mine < theirs)
    pot = prize if rules.ties == "carry" and not sign else 0
    hands = [tuple(c for c in hand if c != bid) for hand, bid in ((table.mine, mine), (table.theirs, theirs))]
    return Table(hands[0], hands[1], table.deck, 0, table.lead + sign * prize, pot)


def occurring(rules: Rules) -> set[Table]:
    """All tables that a game can come to."""
    found: set[Table] = set()
    new = {start(rules)}
    while new:
        found |= new
        after: set[Table] = set()
        for table in new:
            if table.upcard:
                after |= {played(rules, table, mine, theirs) for mine in table.mine for theirs in table.theirs}
            elif not is_over(rules, table):
                after |= set(upcards(rules, table))
        new = after - found
    return found


def final(rules: Rules, lead: int) -> Fraction:
    return Fraction((lead > 0) - (lead < 0) if rules.objective == "win" else lead)


def against(choose: Choice, rules: Rules, mine: Choice | None = None) -> Callable[[Table], Fraction]:
    """What a table is worth against a player: with best bids, or with those of another player."""

    @cache
    def value(table: Table) -> Fraction:
        if is_over(rules, table):
            return final(rules, table.lead)
        if not table.upcard:
            values = [value(after) for after in upcards(rules, table)]
            return sum(values, Fraction(0)) / len(values)
        earned = earnings(table)
        return (
            max(earned.values()) if mine is None else sum((p * earned[b] for b, p in mine(table).items()), Fraction(0))
        )

    def earnings(table: Table) -> dict[int, Fraction]:
        theirs = choose(table.swap()).items()
        return {
            bid: sum((p * value(played(rules, table, bid, card)) for card, p in theirs if p), Fraction(0))
            for bid in table.mine
        }

    return value


def uniform(table: Table) -> dict[int, Fraction]:
    return dict.fromkeys(table.mine, Fraction(1, len(table.mine)))


def matching(rules: Rules, step: int = 0) -> Choice:
    """Bids the card of the prize's rank: of equal prizes, the higher one is the one that comes first."""

    def choose(table: Table) -> dict[int, Fraction]:
        rank = sum(prize < table.upcard for prize in rules.prizes) + table.deck.count(table.upcard) + 1
        wanted = -(-rank * rules.cards // len(rules.prizes)) + step
        return {min((card for card in table.mine if card >= wanted), default=table.mine[0]): Fraction(1)}

    return choose


def odd(table: Table) -> dict[int, Fraction]:
    """A mix that depends on everything, the order of the deck too."""
    mark = sum((place + 2) * prize for place, prize in enumerate(table.deck)) + 3 * table.upcard
    mark += 5 * table.lead + 7 * table.pot + sum(table.theirs)
    weights = [(mark * card + card * card) % 5 % 3 for card in table.mine]
    weights[mark % len(weights)] += 1
    return {card: Fraction(weight, sum(weights)) for card, weight in zip(table.mine, weights, strict=True)}


def odd_without_lead(table: Table) -> dict[int, Fraction]:
    return odd(table._replace(lead=0))


def as_player(choose: Choice, name: str, *, uses_lead: bool = True) -> FunctionPlayer:
    def bids(position: Position) -> dict[int, float]:
        return {card: float(p) for card, p in choose(seen(position)).items()}

    return FunctionPlayer(bids, name, uses_lead)
