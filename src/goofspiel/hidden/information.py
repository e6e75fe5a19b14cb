"""Information sets as people write them: `65+ 53- 4`, the rounds so far, each with the prize, my bid and who won."""

from dataclasses import dataclass

import numpy as np

from goofspiel.cards import card_name, prize_name, read_prize
from goofspiel.errors import PositionError
from goofspiel.hidden.sets import InformationSets, information_sets
from goofspiel.hidden.tracks import OUTCOMES, has_forced_round, last_depth
from goofspiel.rules import Rules

FORM = "where bids are hidden, an information set is written as rounds and the prize that is up, as in '65+ 53- 4'"
_SHOWN_LENGTH = 80  # of an input that an error quotes


@dataclass(frozen=True)
class InformationSet:
    """What a player knows when it bids: the prizes so far, its own bids, and who won."""

    rules: Rules
    rounds: tuple[tuple[int, int, int], ...]
    """Prize, my bid, and 1 where I won, 0 for a tie, −1 where I lost."""
    upcard: int

    @staticmethod
    def parse(text: str, rules: Rules) -> "InformationSet":
        """Read the notation, and check that such an information set can occur."""
        refuse_position(text)
        source = _shown(text)
        *words, last = text.replace("_", " ").split() or [""]
        upcard = read_prize(last)
        if not upcard:
            raise PositionError(f"{FORM}, not {source!r}")
        found = InformationSet(rules, tuple(_read_round(word, source) for word in words), upcard)
        found.check(source)
        return found

    def __str__(self) -> str:
        words = [f"{prize_name(prize)}{card_name(bid)}{OUTCOMES[sign + 1]}" for prize, bid, sign in self.rounds]
        return " ".join([*words, prize_name(self.upcard)])

    @property
    def prizes(self) -> tuple[int, ...]:
        """As they came, the one that is up included."""
        return (*(prize for prize, _, _ in self.rounds), self.upcard)

    @property
    def hand(self) -> tuple[int, ...]:
        """My cards, ascending."""
        played = {bid for _, bid, _ in self.rounds}
        return tuple(card for card in range(1, self.rules.cards + 1) if card not in played)

    @property
    def lead(self) -> int:
        """My points − theirs: both know them."""
        return self._score()[0]

    @property
    def pot(self) -> int:
        """What waits for the next winner, where ties are carried over."""
        return self._score()[1]

    def _score(self) -> tuple[int, int]:
        lead = pot = 0
        for prize, _, sign in self.rounds:
            if sign:
                lead, pot = lead + sign * (prize + pot), 0
            elif self.rules.has_pots:
                pot += prize
        return lead, pot

    def check(self, source: str) -> None:
        """Refuse what cannot occur, naming why."""
        rules, depth = self.rules, len(self.rounds)
        if depth > last_depth(rules):
            most = last_depth(rules)
            why = "the last card is no choice" if has_forced_round(rules) else f"it has {rules.rounds} rounds"
            raise PositionError(f"{str(rules)!r} asks for a bid after up to {most} rounds, {why}: {source!r}")
        left = list(rules.order or rules.prizes)
        for number, prize in enumerate(self.prizes, start=1):
            if rules.order and prize != rules.order[number - 1]:
                comes = prize_name(rules.order[number - 1])
                raise PositionError(f"round {number} is for the {comes}, not the {prize_name(prize)}: {source!r}")
            if prize not in left:
                raise PositionError(f"the prize {prize_name(prize)} cannot come in round {number}: {source!r}")
            left.remove(prize)
        hand = set(range(1, rules.cards + 1))
        for number, (_, bid, _) in enumerate(self.rounds, start=1):
            if bid not in hand:
                why = "was played before" if bid <= rules.cards else f"is no card of {rules.cards}"
                raise PositionError(f"{card_name(bid)} {why}, it cannot be bid in round {number}: {source!r}")
            hand.remove(bid)
        if self.where(information_sets(rules))[2] < 0:
            raise PositionError(f"no bids of the other can have led to these outcomes: {source!r}")

    def where(self, sets: InformationSets) -> tuple[int, int, int]:
        """Its depth, the number of the prizes seen, and that of its track; −1 where it cannot occur."""
        depth = len(self.rounds)
        seen = np.zeros(1, dtype=np.int64)
        for here, prize in zip(sets.depths, self.prizes, strict=False):
            seen = here.find_prizes(seen, np.array([prize]))
        bids = np.array([[bid for _, bid, _ in self.rounds]], dtype=np.int64).reshape(1, depth)
        signs = np.array([[sign for _, _, sign in self.rounds]], dtype=np.int64).reshape(1, depth)
        return depth, int(seen[0]), int(sets.depths[depth].tracks.find(bids, signs)[0])

    def cells(self, sets: InformationSets) -> slice:
        """Where its sequences stand."""
        depth, seen, track = self.where(sets)
        here = sets.depths[depth]
        first = here.first_sequence + (seen * here.tracks.count + track) * here.actions
        return slice(first, first + here.actions)


def information_set_at(sets: InformationSets, depth: int, which: int) -> InformationSet:
    """The information set of a depth with this number."""
    here = sets.depths[depth]
    seen, track = divmod(which, here.tracks.count)
    prizes = here.prizes[seen].tolist()
    bids, signs = here.tracks.bids[track].tolist(), here.tracks.signs[track].tolist()
    return InformationSet(sets.rules, tuple(zip(prizes, bids, signs, strict=False)), prizes[-1])


def refuse_position(text: str) -> None:
    """Refuse what is written as a position, in which both hands are known."""
    if "/" in text or text.startswith("start"):
        raise PositionError(f"{FORM}, not {_shown(text)!r}")


def _shown(text: str) -> str:
    return text if len(text) <= _SHOWN_LENGTH else text[: _SHOWN_LENGTH - 1] + "…"


def _read_round(word: str, source: str) -> tuple[int, int, int]:
    sign = OUTCOMES.find(word[-1]) - 1
    body = word[:-1]
    middle = body.find("]") + 1 if body.startswith("[") else 1
    prize, bid = read_prize(body[:middle]), read_prize(body[middle:])
    if word[-1] not in OUTCOMES or not prize or not 1 <= bid <= 16:
        raise PositionError(f"a round is its prize, my bid and +, - or =, as in '65+', not {word[:20]!r}: {source!r}")
    return prize, bid, sign
