"""What a policy says about an information set: its mix, what that is worth, and what the other may hold."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from goofspiel.hidden.information import InformationSet
from goofspiel.hidden.policy import HiddenPolicy
from goofspiel.rules import Rules

POSSIBLE = 1e-12  # less likely than this, the other's policy never leads there


@dataclass(frozen=True, eq=False)
class HiddenAnswer:
    """An answer: what is said of the other holds when it follows the same policy."""

    information_set: InformationSet
    mix: Mapping[int, float]
    """Card → probability."""
    value: float | None
    """What the game, the lead included, is worth to me when both follow the policy; None where it never comes here."""
    values: Mapping[int, float]
    """Card → the same after this bid; empty where the other's policy never leads here."""
    belief: Mapping[tuple[int, ...], float]
    """Hand of the other → probability; empty where its policy never leads here."""
    gap: float
    """Of the whole policy: what best replies to both sides gain."""

    @property
    def rules(self) -> Rules:
        """Which game it is."""
        return self.information_set.rules

    @property
    def holds(self) -> Mapping[int, float]:
        """Card → how likely the other holds it."""
        cards = range(1, self.rules.cards + 1)
        found = {card: sum(chance for hand, chance in self.belief.items() if card in hand) for card in cards}
        return found if self.belief else {}


def probe_hidden(policy: HiddenPolicy, asked: InformationSet | str) -> HiddenAnswer:
    """Ask a policy about an information set, given as such or in notation."""
    found = InformationSet.parse(asked, policy.rules) if isinstance(asked, str) else asked
    if found.rules != policy.rules:
        found = InformationSet(policy.rules, found.rounds, found.upcard)
        found.check(str(found))
    sets = policy.sets
    cells = found.cells(sets)
    mix = dict(zip(found.hand, policy.mixes[cells].tolist(), strict=True))
    reached = _reached(policy, found)
    whole = sum(reached.values())
    if whole <= POSSIBLE:
        return HiddenAnswer(found, MappingProxyType(mix), None, {}, {}, policy.gap)
    depth, seen, _ = found.where(sets)
    scale = 1 / (whole * float(sets.depths[depth].chances[seen]))
    values = {card: value * scale for card, value in zip(found.hand, policy.values[cells].tolist(), strict=True)}
    value = sum(mix[card] * values[card] for card in mix)
    belief = {hand: reach / whole for hand, reach in sorted(reached.items()) if reach > 0}
    return HiddenAnswer(
        found, MappingProxyType(mix), value, MappingProxyType(values), MappingProxyType(belief), policy.gap
    )


def _reached(policy: HiddenPolicy, asked: InformationSet) -> dict[tuple[int, ...], float]:
    """Hand of the other → how likely its mixes lead to it by what I have seen."""
    rules, sets = policy.rules, policy.sets
    ways: dict[tuple[int, ...], float] = {(): 1.0}  # its bids
    for number, (prize, mine, sign) in enumerate(asked.rounds):
        before = asked.rounds[:number]
        after: dict[tuple[int, ...], float] = {}
        for bids, reach in ways.items():
            theirs = InformationSet(rules, tuple((p, b, -s) for (p, _, s), b in zip(before, bids, strict=True)), prize)
            mix = policy.mixes[theirs.cells(sets)].tolist()
            for card, chance in zip(theirs.hand, mix, strict=True):
                if (mine > card) - (mine < card) == sign:
                    after[(*bids, card)] = reach * chance
        ways = after
    found: dict[tuple[int, ...], float] = {}
    for bids, reach in ways.items():
        hand = tuple(card for card in range(1, rules.cards + 1) if card not in bids)
        found[hand] = found.get(hand, 0.0) + reach
    return found
