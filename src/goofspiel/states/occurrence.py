"""Which positions a game can come to: who can have won how many rounds, and by how much."""

from collections import Counter
from functools import lru_cache
from itertools import product
from typing import TypeAlias

from goofspiel.cards import cards_of
from goofspiel.notation import LARGEST_LEAD
from goofspiel.position import Position
from goofspiel.rules import Rules

Pairs: TypeAlias = tuple[tuple[int, int], ...]  # (my bid, their bid)
_Cards: TypeAlias = tuple[int, ...]
Counts: TypeAlias = tuple[int, int]  # rounds that I won, rounds that they won

EVEN = 2 * LARGEST_LEAD  # the bit of a lead of 0 in a set of leads: none that is asked for is below 0


def occurs(position: Position, rules: Rules) -> bool:
    """Whether a game comes to the position: its cards, its lead and its pot."""
    everything = (1 << rules.cards) - 1
    if (position.mine | position.theirs) & ~everything:
        return False
    played = everything ^ position.mine, everything ^ position.theirs
    if rules.has_pots:
        gone = _gone(rules.prizes, position.prizes)
        order = rules.order[: rules.cards - position.level] if rules.order else None
        return gone is not None and _occurs_with_pots(position, gone, order, tuple(pairings(*played)))
    before = _leads_before(rules.prizes, position.prizes)
    if before is None:
        return False
    total, stride, leads = before
    lead = position.lead
    return -total <= lead <= total and leads >> (total + lead) * stride & _counts_of_played(*played) != 0


def _gone(prizes: tuple[int, ...], left: tuple[int, ...]) -> tuple[int, ...] | None:
    """The prizes that are gone, ascending; None when some that are left never were."""
    gone = Counter(prizes)
    gone.subtract(left)
    return None if min(gone.values(), default=0) < 0 else tuple(sorted(gone.elements()))


@lru_cache(maxsize=1 << 14)
def _leads_before(prizes: tuple[int, ...], left: tuple[int, ...]) -> tuple[int, int, int] | None:
    """By how much one can lead once so many of the prizes that are gone are won and lost; None as in `_gone`.

    With n prizes that are worth t: t, (n + 1)², and a set: bit (t + lead) · (n + 1)² + wins · (n + 1) + losses.
    """
    gone = _gone(prizes, left)
    if gone is None:
        return None
    side, total = len(gone) + 1, sum(gone)
    stride = side**2
    found = 1 << total * stride
    for prize in gone:
        won, lost = prize * stride + side, prize * stride - 1
        found |= found << won | found >> lost
    return total, stride, found


def pattern_of(mine: int, theirs: int) -> tuple[int, int]:
    """What only comparisons tell of two hands: `matchups.patterns_of` for one pair."""
    my_pattern = their_pattern = 0
    place = 1
    for card in cards_of(mine | theirs):
        bit = 1 << card - 1
        if mine & bit:
            my_pattern |= place
        if theirs & bit:
            their_pattern |= place
        place <<= 1
    return my_pattern, their_pattern


@lru_cache(maxsize=1 << 14)
def _counts_of_played(mine: int, theirs: int) -> int:
    return _counts_of(*pattern_of(mine, theirs))


@lru_cache(maxsize=1 << 13)
def _counts_of(mine: int, theirs: int) -> int:
    """How many rounds can be won and lost with these cards: bit wins · (n + 1) + losses, of n cards in a hand.

    Cards are taken in ascending order, as in `pairings`: how many of mine wait for a higher one tells how many of
    theirs do, so the states are sets of counts, by the number of mine that wait.
    """
    side = mine.bit_count() + 1
    ahead = 0  # mine that were taken, less theirs: so many more of mine wait
    kept = {0: 1}
    for card in cards_of(mine | theirs):
        i_have, they_have = mine >> card - 1 & 1, theirs >> card - 1 & 1
        before, kept = kept, {}
        for waiting, counts in before.items():
            their_waiting = waiting - ahead
            for win, loss in product(range(i_have + 1), range(they_have + 1)):
                if win <= their_waiting and loss <= waiting:
                    after = waiting + i_have - win - loss
                    kept[after] = kept.get(after, 0) | counts << win * side + loss
            if i_have and they_have:  # they tie
                kept[waiting] = kept.get(waiting, 0) | counts
        ahead += i_have - they_have
    return kept[0]


def _occurs_with_pots(
    position: Position, prizes: tuple[int, ...], order: tuple[int, ...] | None, pairs: tuple[Counts, ...]
) -> bool:
    """The same where tied prizes wait for a winner, in a known order or in any."""
    wanted = position.lead, position.pot
    if order is not None:
        reached = {(0, 0, 0, 0)}  # wins, losses, lead, pot
        for prize in order:
            reached = {
                after
                for wins, losses, lead, pot in reached
                for after in (
                    (wins + 1, losses, lead + prize + pot, 0),
                    (wins, losses + 1, lead - prize - pot, 0),
                    (wins, losses, lead, pot + prize),
                )
            }
        return any((*counts, *wanted) in reached for counts in pairs)
    # Who wins a round wins what waits, too: (prizes of mine, of theirs, in the pot, what is in it) → leads.
    shared: dict[tuple[int, int, int, int], int] = {(0, 0, 0, 0): 1 << EVEN}
    for prize in prizes:
        grown: dict[tuple[int, int, int, int], int] = {}
        for (mine, theirs, waiting, pot), leads in shared.items():
            ways = [
                ((mine + 1, theirs, waiting, pot), leads << prize),
                ((mine, theirs + 1, waiting, pot), leads >> prize),
            ]
            if pot + prize <= position.pot:
                ways.append(((mine, theirs, waiting + 1, pot + prize), leads))
            for key, moved in ways:
                grown[key] = grown.get(key, 0) | moved
        shared = grown
    for (mine, theirs, _, pot), leads in shared.items():
        if pot == position.pot and leads >> EVEN + position.lead & 1:
            for wins, losses in pairs:
                if wins <= mine and losses <= theirs and (wins > 0) == (mine > 0) and (losses > 0) == (theirs > 0):
                    return True
    return False


@lru_cache(maxsize=1024)
def pairings(mine: int, theirs: int) -> dict[Counts, Pairs]:
    """A way to bid these cards against each other for every number of wins and losses that there can be.

    Cards are taken in ascending order. Each beats one of the other side that waits, or waits itself for a higher one;
    a card that both have may tie. Which one is beaten makes no difference: all that wait are lower. So ways that agree
    in how many wait and in how many were won and lost go on alike, and one of them is kept.
    """
    # (how many of mine wait, of theirs, wins, losses) → (mine that wait, theirs, pairs)
    kept: dict[tuple[int, int, int, int], tuple[_Cards, _Cards, Pairs]] = {(0, 0, 0, 0): ((), (), ())}
    for card in cards_of(mine | theirs):
        i_have, they_have = mine >> card - 1 & 1, theirs >> card - 1 & 1
        my_higher, their_higher = (mine >> card).bit_count(), (theirs >> card).bit_count()
        before, kept = kept, {}
        for (_, _, wins, losses), (my_wait, their_wait, pairs) in before.items():
            ways = []
            for win, loss in product(range(i_have + 1), range(they_have + 1)):
                if win <= len(their_wait) and loss <= len(my_wait):
                    my_next = my_wait[loss:] + (card,) * (i_have - win)
                    their_next = their_wait[win:] + (card,) * (they_have - loss)
                    beaten = (*((card, low) for low in their_wait[:win]), *((low, card) for low in my_wait[:loss]))
                    ways.append((wins + win, losses + loss, my_next, their_next, pairs + beaten))
            if i_have and they_have:
                ways.append((wins, losses, my_wait, their_wait, (*pairs, (card, card))))
            for won, lost, my_next, their_next, paired in ways:
                if len(my_next) <= their_higher and len(their_next) <= my_higher:  # the others wait in vain
                    kept.setdefault((len(my_next), len(their_next), won, lost), (my_next, their_next, paired))
    return {(wins, losses): pairs for (_, _, wins, losses), (_, _, pairs) in kept.items()}


@lru_cache(maxsize=1024)
def sums_of(prizes: tuple[int, ...]) -> list[dict[Counts, int]]:
    """What can be won in all: `[first][wins, losses]`, from the prizes without the `first` lowest ones.

    A set of leads is a mask: bit (EVEN + lead) is set.
    """
    result: list[dict[Counts, int]] = [{(0, 0): 1 << EVEN}]
    for prize in reversed(prizes):
        grown: dict[Counts, int] = {}
        for (wins, losses), leads in result[0].items():
            for win, loss, moved in ((0, 0, leads), (1, 0, leads << prize), (0, 1, leads >> prize)):
                counts = wins + win, losses + loss
                grown[counts] = grown.get(counts, 0) | moved
        result.insert(0, grown)
    return result
