"""Judge logged games: what each agent's bids cost against perfect play, by agent, upcard and stage of the game."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from heapq import nlargest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goofspiel.arrays import Floats, Ints
from goofspiel.batch import PositionBatch
from goofspiel.cards import counted
from goofspiel.errors import RecordError
from goofspiel.matches.statistics import ControlledSums, Estimate, Sums
from goofspiel.notebook import Tabular
from goofspiel.players.players import card_at
from goofspiel.records.habits import STAGES
from goofspiel.records.logs import LoggedGame, by_rules
from goofspiel.rules import Rules
from goofspiel.states.subsets import Masks, sizes
from goofspiel.tablebase import Tablebase

AT_ONCE = 4096  # games
NOTHING = 1e-9  # a share of what is played for: less than that is rounding


@dataclass(frozen=True, slots=True)
class Decision:
    """A bid that cost something."""

    position: str
    """In notation, as the agent saw it."""
    bid: int
    regret: float
    source: str
    """The game that it was made in."""


@dataclass(slots=True)
class Profile:
    """Bids of one kind, beside perfect play."""

    regret: Sums = field(default_factory=Sums)
    bid: Sums = field(default_factory=Sums)
    perfect: Sums = field(default_factory=Sums)

    def add(self, regret: Floats, bid: Floats, perfect: Floats) -> None:
        """Take more bids in: what they cost, the cards, and those of perfect play in the mean."""
        for sums, observed in ((self.regret, regret), (self.bid, bid), (self.perfect, perfect)):
            sums.add(observed)


@dataclass(slots=True)
class AgentJudgement:
    """All that is known of an agent."""

    name: str
    outcomes: list[int] = field(default_factory=lambda: [0, 0, 0])
    """Games won, drawn, lost."""
    result: ControlledSums = field(default_factory=ControlledSums)
    """What the games were worth, beside the luck of the draw."""
    by_game: Sums = field(default_factory=Sums)
    """Regret of a bid, in the mean of each game: bids of one game depend on each other."""
    bids: int = 0
    """Those that were a choice."""
    off_support: int = 0
    """Bids that are in no optimal mix."""
    by_upcard: dict[int, Profile] = field(default_factory=dict)
    by_stage: dict[str, Profile] = field(default_factory=dict)
    worst: list[Decision] = field(default_factory=list)

    @property
    def games(self) -> int:
        """How many were judged."""
        return self.by_game.count

    @property
    def regret(self) -> Estimate:
        """Of a bid."""
        return self.by_game.estimate()

    @property
    def plain(self) -> Estimate:
        """What a game was worth."""
        return self.result.observed.estimate()

    @property
    def adjusted(self) -> Estimate:
        """The same without the luck of the draw."""
        return self.result.estimate()


@dataclass(frozen=True, slots=True)
class Judgement(Tabular):
    """Of all games."""

    agents: tuple[AgentJudgement, ...]
    """The one whose bids cost least first."""
    games: int
    rules: tuple[Rules, ...]
    """Which games they were."""
    bound: float
    """Every regret is within this of the true one, at the mixes that were found."""

    def heading(self) -> str:
        """What stands above its table."""
        return f"{counted(self.games, 'game')} of the rules {', '.join(map(str, self.rules))}"

    def columns(self) -> dict[str, list[Any]]:
        """The agents: the regret of a bid, how many bids have one, and what their games were worth."""
        estimates = {"regret a bid": "regret", "result": "plain", "without luck": "adjusted"}
        found: dict[str, list[Any]] = {name: [getattr(one, name) for one in self.agents] for name in ("name", "games")}
        found["off support"] = [one.off_support / max(one.bids, 1) for one in self.agents]
        for name, field_ in estimates.items():
            some = [getattr(one, field_) for one in self.agents]
            found |= {name: [one.mean for one in some], f"{name} ±": [(one.high - one.low) / 2 for one in some]}
        return found


def judge(
    games: Iterable[LoggedGame],
    tablebase_of: Callable[[Rules], Tablebase],
    *,
    worst: int = 5,
    on_progress: Callable[[int], None] = lambda done: None,
) -> Judgement:
    """Score every bid of logged games by its exact regret.

    The regret of a card is what it falls short of the value of the position against an optimal mix of the other side.
    Where it is above 0, the card is in no optimal mix. A round with one card left is no choice, and does not count.
    """
    agents: dict[str, AgentJudgement] = {}
    count, bound, seen = 0, 0.0, []
    for rules, rounds, some in by_rules(games):
        tablebase = tablebase_of(rules)
        seen.append(rules)
        bound = max(bound, 2 * tablebase.bound.value)
        for start in range(0, len(some), AT_ONCE):
            part = some[start : start + AT_ONCE]
            _Alike(part, rounds, rules, tablebase, agents, worst).judge()
            count += len(part)
            on_progress(count)
    found = sorted(agents.values(), key=lambda agent: (agent.by_game.mean, agent.name))
    return Judgement(tuple(found), count, tuple(dict.fromkeys(seen)), bound)


@dataclass(eq=False)
class _Alike:
    """Games of the same rules, in which as many rounds were played."""

    games: list[LoggedGame]
    rounds: int
    rules: Rules
    tablebase: Tablebase
    agents: dict[str, AgentJudgement]
    worst: int

    def __post_init__(self) -> None:
        if self.rounds > self.rules.rounds:
            of = f"the game {str(self.rules)!r} has {self.rules.rounds}"
            raise RecordError(f"{self.games[0].source}: {self.rounds} rounds, {of}")
        count = len(self.games)
        self.players = np.array([game.players for game in self.games], dtype=object)
        self.luck, self.regrets = np.zeros(count), np.zeros((2, count))

    def judge(self) -> None:
        """Every bid of every game, then what the games were worth."""
        games, rules = self.games, self.rules
        played = np.array([game.rounds for game in games], dtype=np.int32).reshape(len(games), self.rounds, 3)
        batch = PositionBatch.start(len(games), rules)
        for number in range(self.rounds):
            upcard, *bids = played[:, number].T
            _check_upcard(batch, upcard, rules, games)
            for side, bid in enumerate(bids):
                _check_held(batch.theirs if side else batch.mine, bid, rules, games)
            before, batch = self.tablebase.values(batch), batch.turn_up(upcard)
            if rules.order is None:
                self.luck += self.tablebase.values(batch) - before
            if int(batch.level[0]) > 1:
                stage = STAGES[number * len(STAGES) // rules.rounds]
                for side, bid in enumerate(bids):
                    self._judge_bids(side, batch.swap() if side else batch, bid, stage)
            batch = batch.play(bids[0], bids[1], carry=rules.has_pots)
        self._add_results(batch.lead)

    def _judge_bids(self, side: int, seat: PositionBatch, bid: Ints, stage: str) -> None:
        level, everyone = int(seat.level[0]), np.arange(len(seat))
        solved = self.tablebase.solve_rounds(seat)
        below = (np.int64(1) << (bid.astype(np.int64) - 1)) - 1
        regret = solved.regret[everyone, sizes()[(seat.mine & below).astype(np.uint16)]]
        regret[regret <= NOTHING * self.rules.payoff_bound + 2 * self.tablebase.bound.value] = 0.0
        self.regrets[side] += regret
        cards = np.stack([card_at(seat.mine, np.full(len(seat), rank)) for rank in range(level)], axis=1)
        perfect = (solved.mine * cards).sum(axis=1)
        for agent, some in self._by_agent(side):
            agent.bids += len(some)
            agent.off_support += int((regret[some] > 0).sum())
            agent.by_stage.setdefault(stage, Profile()).add(regret[some], bid[some].astype(np.float64), perfect[some])
            for prize in np.unique(seat.upcard[some]).tolist():
                those = some[seat.upcard[some] == prize]
                profile = agent.by_upcard.setdefault(prize, Profile())
                profile.add(regret[those], bid[those].astype(np.float64), perfect[those])
            least = agent.worst[-1].regret if len(agent.worst) >= self.worst > 0 else 0.0
            most = some[np.argsort(-regret[some], kind="stable")[: self.worst]]
            found = [
                Decision(str(seat.position(which)), int(bid[which]), float(regret[which]), self.games[which].source)
                for which in most[regret[most] > least].tolist()
            ]
            agent.worst = nlargest(self.worst, [*agent.worst, *found], key=lambda one: one.regret)

    def _add_results(self, lead: Ints) -> None:
        choices = min(self.rounds, self.rules.cards - 1)
        for side, sign in enumerate((1, -1)):
            worth = np.asarray(self.rules.at_the_end(sign * lead), dtype=np.float64)
            for agent, some in self._by_agent(side):
                agent.by_game.add(self.regrets[side, some] / max(choices, 1))
                if self.rules.is_over(self.rules.cards - self.rounds):
                    agent.result.add(worth[some], sign * self.luck[some])
                    for which, outcome in enumerate((1, 0, -1)):
                        agent.outcomes[which] += int((np.sign(sign * lead[some]) == outcome).sum())

    def _by_agent(self, side: int) -> Iterator[tuple[AgentJudgement, NDArray[np.intp]]]:
        for name in dict.fromkeys(self.players[:, side]):
            yield self.agents.setdefault(name, AgentJudgement(name)), np.flatnonzero(self.players[:, side] == name)


def _check_upcard(batch: PositionBatch, upcard: Ints, rules: Rules, games: list[LoggedGame]) -> None:
    """Refuse a prize that is not left, or does not come next."""
    left = np.zeros(len(upcard), dtype=bool)
    for place, prize in enumerate(batch.prizes):
        left |= (upcard == prize) & (batch.deck >> place & 1).astype(bool)
    if rules.order is not None:
        left &= upcard == rules.order[rules.cards - int(batch.level[0])]
    if not left.all():
        which = int(np.flatnonzero(~left)[0])
        raise RecordError(f"{games[which].source}: no {upcard[which]} can be turned up: {str(batch.position(which))!r}")


def _check_held(hand: Masks, bid: Ints, rules: Rules, games: list[LoggedGame]) -> None:
    """Refuse a bid that is not in its hand."""
    held = (bid >= 1) & (bid <= rules.cards)
    held[held] = hand[held] >> (bid[held] - 1).astype(np.uint16) & 1
    if not held.all():
        which = int(np.flatnonzero(~held)[0])
        raise RecordError(f"{games[which].source}: the bid {bid[which]} is not in the hand of its player")
