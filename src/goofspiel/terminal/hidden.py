"""A game with hidden bids on the terminal, line by line."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TextIO

import numpy as np

from goofspiel.cards import CARD_NAMES, card_name, counted, prize_name
from goofspiel.hidden.information import InformationSet
from goofspiel.hidden.players import HiddenPlayer, mix_at
from goofspiel.records.record import GameRecord, Round
from goofspiel.rules import Rules
from goofspiel.terminal.words import scored

SAID = {1: "You win it.", 0: "A tie.", -1: "They win it."}
ENDS = {1: "You win", 0: "A draw", -1: "You lose"}


@dataclass
class HiddenGame:
    """A game against a player: what was bid, and what you know of it."""

    rules: Rules
    opponent: HiddenPlayer
    seed: int
    theirs: str
    """What the player was asked for as."""
    rounds: list[Round] = field(default_factory=list)
    hints: list[int] = field(default_factory=list)
    """The rounds in which one was asked for."""

    def __post_init__(self) -> None:
        self._random = np.random.default_rng(self.seed)
        prizes = np.array(self.rules.order or self.rules.prizes)
        self._deck = (prizes if self.rules.order else self._random.permutation(prizes)).tolist()

    @property
    def is_over(self) -> bool:
        """Whether all rounds are played."""
        return len(self.rounds) == self.rules.rounds

    def seen_by(self, player: int) -> InformationSet:
        """What you, 0, or the other, 1, know now."""
        seen = []
        for upcard, *bids in self.rounds:
            mine, theirs = bids[player], bids[1 - player]
            seen.append((upcard, mine, (mine > theirs) - (mine < theirs)))
        return InformationSet(self.rules, tuple(seen), self._deck[min(len(seen), self.rules.rounds - 1)])

    def bid(self, card: int) -> int:
        """Play a round; 1 when you won it, 0 for a tie, −1 when the other did."""
        theirs = self.seen_by(1)
        hand = theirs.hand
        if len(hand) > 1:
            mix = mix_at(self.opponent, theirs)
            other = int(self._random.choice(hand, p=mix / mix.sum()))
        else:
            other = hand[0]
        self.rounds.append(Round(theirs.upcard, card, other))
        return (card > other) - (card < other)

    def to_json(self) -> dict[str, Any]:
        """For a program, as of a game with open bids; nothing can be taken back here, and no file is kept."""
        record = GameRecord(self.rules, tuple(self.rounds))
        gains = [one.gain for one in scored(record)]
        mine, theirs = sum(gain for gain in gains if gain > 0), -sum(gain for gain in gains if gain < 0)
        won = {1: "win", 0: "draw", -1: "loss"}[(mine > theirs) - (mine < theirs)]
        return {
            "rules": str(self.rules),
            "cards": self.rules.cards,
            "objective": str(self.rules.objective),
            "opponent": self.theirs,
            "seed": self.seed,
            "record": str(record),
            "over": self.is_over,
            "points": {"mine": mine, "theirs": theirs},
            "result": won if self.is_over else None,
            "hints": sorted(set(self.hints)),
            "undone": 0,
            "file": None,
        }


def play_hidden(
    game: HiddenGame, lines: Iterable[str], out: TextIO, hint: Callable[[InformationSet], str], *, prompt: str = ""
) -> None:
    """Play by lines. `?` asks for a hint, `q` ends the game."""
    answers = iter(lines)

    def hinted(now: InformationSet) -> str:
        game.hints.append(len(game.rounds) + 1)
        return hint(now)

    while not game.is_over:
        now = game.seen_by(0)
        if len(now.hand) == 1:
            card = now.hand[0]
            print(f"The {prize_name(now.upcard)} is up. Your last card is {card_name(card)}.", file=out)
        else:
            hand = " ".join(map(card_name, now.hand))
            pot = f", pot {now.pot}" * bool(now.pot)
            print(f"The {prize_name(now.upcard)} is up. Your hand: {hand}. Lead {now.lead:+}{pot}.", file=out)
            found = _asked(now, answers, out, hinted, prompt)
            if found is None:
                return
            card = found
        print(SAID[game.bid(card)], file=out)
    lead = game.seen_by(0).lead
    bids = " ".join(f"{prize_name(one.upcard)}{card_name(one.mine)}{card_name(one.theirs)}" for one in game.rounds)
    by = f" by {counted(abs(lead), 'point')}" * bool(lead)
    print(f"\n{ENDS[(lead > 0) - (lead < 0)]}{by}. Prize, your bid, their bid: {bids}", file=out)


def _asked(
    now: InformationSet, answers: Any, out: TextIO, hint: Callable[[InformationSet], str], prompt: str
) -> int | None:
    """A card of the hand, as it is typed; None at the end."""
    while True:
        print(prompt, end="", file=out, flush=True)
        word = next(answers, "q").strip()
        if word in ("q", "quit"):
            return None
        if word == "?":
            print(hint(now), file=out)
        elif CARD_NAMES.get(word) in now.hand:
            return CARD_NAMES[word]
        else:
            print(f"{word!r} is no card of your hand; ? gives a hint, q ends the game", file=out)
