"""What it is worth to one side alone to see the other's bids: that side solved against one that sees only outcomes.

Who sees knows all that the other knows: the other's track, and what itself has played. In which order it played that
makes no difference to what follows, so its decisions are pairs (the other's track, the cards it has played).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise, permutations

import numpy as np

from goofspiel.arrays import Floats, Numbers
from goofspiel.hidden.certificate import reply_gain_to_seeing, seeing_reply_gain
from goofspiel.hidden.forecasts import check_reach
from goofspiel.hidden.payoffs import child_tracks, payments
from goofspiel.hidden.policy import check_hidden_bids
from goofspiel.hidden.program import solve_sparse
from goofspiel.hidden.sets import Depth, InformationSets, information_sets
from goofspiel.rules import Rules

PROGRAM = 1 << 20  # cells: up to here a linear program is solved in a minute
GAP = 1e-3  # of what takes longer, when nothing is asked for
FIRST_CHECK = 64  # iterations before the first look at the gap


@dataclass(frozen=True, slots=True)
class SeeingWorth:
    """What seeing the other's bids is worth, proved: no less than one bound, no more than the other."""

    rules: Rules
    low: float
    """What a policy that sees bids gains at least, whatever the other does."""
    high: float
    """What a policy that does not see them loses at most."""
    iterations: int

    @property
    def value(self) -> float:
        """The middle of the bounds."""
        return (self.low + self.high) / 2

    @property
    def gap(self) -> float:
        """What best replies to both policies gain."""
        return self.high - self.low


@dataclass(frozen=True, eq=False)
class _Decisions:
    """Those of a depth, for each prizes seen: a number each, with as many cards to choose from."""

    depth: Depth
    track: Numbers
    """[decision of who sees]: the other's track; ascending."""
    played: Numbers
    """[decision of who sees]: the cards it has played, a bit each."""

    @staticmethod
    def of(depth: Depth) -> "_Decisions":
        return _Decisions(depth, *np.nonzero(depth.tracks.feasible))

    @cached_property
    def hands(self) -> Numbers:
        """[decision][card]: what who sees holds, ascending."""
        bits = (self.played[:, None] >> np.arange(self.depth.tracks.cards)) & 1
        return np.nonzero(bits == 0)[1].reshape(len(self.track), -1) + 1

    @cached_property
    def track_starts(self) -> Numbers:
        """[track]: its first decision of who sees."""
        return np.searchsorted(self.track, np.arange(self.depth.tracks.count))

    def find(self, track: Numbers, played: Numbers) -> Numbers:
        """The number of the decision at a track after these cards."""
        size = 1 << self.depth.tracks.cards
        return np.searchsorted(self.track * size + self.played, track * size + played)

    def following(self, after: "_Decisions") -> Numbers:
        """[decision][card][card of the other]: the decision of who sees that follows."""
        mine, theirs = self.hands[:, :, None], self.depth.tracks.hands[self.track][:, None, :]
        children = child_tracks(self.depth.tracks, after.depth.tracks)
        cards = np.arange(theirs.shape[2])
        track = children[self.track[:, None, None], cards, np.sign(theirs - mine) + 1]
        return after.find(track, self.played[:, None, None] | (1 << (mine - 1)))


class _Sums:
    """Adds up what stands at some places: [row][source of each] → [row][place]; every place has a source."""

    def __init__(self, places: Numbers, sources: Numbers | None = None) -> None:
        order = np.argsort(places, kind="stable")
        self._sources = order if sources is None else sources[order]
        self._starts = np.searchsorted(places[order], np.arange(places.max() + 1))

    def __call__(self, values: Floats) -> Floats:
        return np.asarray(np.add.reduceat(values[:, self._sources], self._starts, axis=1))


@dataclass(eq=False)
class _Learner:
    """One of the two: by depth, [prizes][decision][card]."""

    regrets: list[Floats]
    average: list[Floats] = field(init=False)
    mixes: list[Floats] = field(init=False)

    def __post_init__(self) -> None:
        self.average = [np.zeros_like(one) for one in self.regrets]
        self.mixes = [np.full_like(one, 1 / one.shape[2]) for one in self.regrets]

    def learn(self, gains: list[Floats]) -> None:
        """Add what is regretted, never below 0; the next mixes expect to regret the same again (PCFR+)."""
        for regrets, mixes, gained in zip(self.regrets, self.mixes, gains, strict=True):
            now = gained - (mixes * gained).sum(axis=2, keepdims=True)
            np.maximum(regrets + now, 0, out=regrets)
            mixes[...] = _shares(np.maximum(regrets + now, 0))

    def add(self, plan: list[Floats], weight: float) -> None:
        """Add a plan to the average."""
        self.average = [average + weight * one for average, one in zip(self.average, plan, strict=True)]

    def averaged(self) -> list[Floats]:
        """The mixes of the average plan."""
        return [_shares(one) for one in self.average]


def _shares(weights: Floats) -> Floats:
    """Mixes in proportion; where nothing weighs anything, all cards alike."""
    whole = weights.sum(axis=2, keepdims=True)
    even = 1 / weights.shape[2]
    return np.where(whole > 0, weights / np.where(whole > 0, whole, 1), even)


def _mean(mixes: Floats, gains: Floats) -> Floats:
    return np.asarray((mixes * gains).sum(axis=2))


def _best(_: Floats, gains: Floats) -> Floats:
    return np.asarray(gains.max(axis=2))


class _Game:
    """The two sides of a game: `sees` numbers decisions, the other's are tracks."""

    def __init__(self, sets: InformationSets) -> None:
        self.sets = sets
        self.sees = [_Decisions.of(depth) for depth in sets.depths]
        self.following = [before.following(after) for before, after in pairwise(self.sees)]
        self._reached = [
            _Sums(after.ravel(), np.repeat(np.arange(after[..., 0].size), after.shape[2])) for after in self.following
        ]
        self._played = [
            _Sums(after.tracks.parents * before.actions + after.tracks.parent_actions)
            for before, after in pairwise(sets.depths)
        ]
        last = self.sees[-1]
        theirs, mine = last.depth.tracks.hands[last.track], last.hands
        compared = np.sign(theirs[:, :, None] - mine[:, None, :]).reshape(len(mine), -1)
        signs, which = np.unique(compared, axis=0, return_inverse=True)
        paid = payments(sets, signs.reshape(-1, theirs.shape[1], mine.shape[1]))
        codes = last.depth.tracks.codes[last.track]
        self.paid = -paid[:, codes, which.reshape(-1)].transpose(0, 1, 3, 2)  # [prizes][decision][card][theirs]

    @property
    def cells(self) -> int:
        """How many pairs of cards are compared."""
        return self.paid.size + sum(one.size for one in self.following)

    def learners(self) -> tuple[_Learner, _Learner]:
        """Who sees, and the other."""
        shapes = [(len(one.depth.prizes), len(one.track), one.depth.actions) for one in self.sees]
        others = [(len(one.prizes), one.tracks.count, one.actions) for one in self.sets.depths]
        return _Learner(list(map(np.zeros, shapes))), _Learner(list(map(np.zeros, others)))

    def plan_of_seeing(self, mixes: list[Floats]) -> list[Floats]:
        """How likely who sees plays so, the other and chance apart."""
        plan = [mixes[0]]
        for depth, sums, mix in zip(self.sets.depths[1:], self._reached, mixes[1:], strict=True):
            flat = plan[-1].reshape(len(plan[-1]), -1)
            plan.append(mix * sums(flat)[depth.prize_parents][:, :, None])
        return plan

    def plan_of_other(self, mixes: list[Floats]) -> list[Floats]:
        """The same of the other."""
        plan = [mixes[0]]
        for depth, mix in zip(self.sets.depths[1:], mixes[1:], strict=True):
            reach = plan[-1][:, depth.tracks.parents, depth.tracks.parent_actions]
            plan.append(mix * reach[depth.prize_parents][:, :, None])
        return plan

    def gains_of_seeing(
        self, mixes: list[Floats], plan: list[Floats], worth: Callable[[Floats, Floats], Floats]
    ) -> list[Floats]:
        """What each card of who sees gains against a plan of the other."""
        gains = [(self.paid * plan[-1][:, self.sees[-1].track][:, :, None, :]).sum(axis=3)]
        for depth in range(len(self.following) - 1, -1, -1):
            values = self._by_prizes(depth, worth(mixes[depth + 1], gains[0]))
            gains.insert(0, values[:, self.following[depth]].sum(axis=3))
        return gains

    def gains_of_other(
        self, mixes: list[Floats], plan: list[Floats], worth: Callable[[Floats, Floats], Floats]
    ) -> list[Floats]:
        """What each card of the other gains against a plan of who sees."""
        lost = (self.paid * plan[-1][:, :, :, None]).sum(axis=2)
        gains = [-np.add.reduceat(lost, self.sees[-1].track_starts, axis=1)]
        for depth in range(len(self.following) - 1, -1, -1):
            values = self._by_prizes(depth, worth(mixes[depth + 1], gains[0]))
            before = self.sets.depths[depth]
            gains.insert(0, self._played[depth](values).reshape(len(values), before.tracks.count, before.actions))
        return gains

    def _by_prizes(self, depth: int, values: Floats) -> Floats:
        """[prizes of a depth][…]: the sums over the prizes that follow."""
        parents = self.sets.depths[depth + 1].prize_parents
        starts = np.searchsorted(parents, np.arange(len(self.sets.depths[depth].prizes)))
        return np.asarray(np.add.reduceat(values, starts, axis=0))

    def by_bids(self, mixes: list[Floats]) -> list[Floats]:
        """The policy of who sees as its proof takes it: [prizes][its bids][the other's][card]."""
        found = []
        for here, mix in zip(self.sees, mixes, strict=True):
            tracks = here.depth.tracks
            listed = list(permutations(range(1, tracks.cards + 1), tracks.rounds))
            ways = np.array(listed, dtype=np.int64).reshape(len(listed), tracks.rounds)
            played = (1 << (ways - 1)).sum(axis=1)
            rows = []
            for mine, cards in zip(ways, played, strict=True):
                rows.append(here.find(tracks.find(ways, np.sign(ways - mine)), np.full(len(ways), cards)))
            found.append(mix[:, np.array(rows)])
        return found


def worth_of_seeing(
    rules: Rules | int | str,
    *,
    gap: float = GAP,
    on_progress: Callable[[int, float], None] = lambda iterations, gap: None,
) -> SeeingWorth:
    """What it is worth to see the other's bids, when the other sees only who won.

    A linear program up to 6 cards in a known order, and 4 shuffled; above, iterations until the gap is small enough.
    """
    game = _Game(information_sets(check_hidden_bids(check_reach(Rules.of(rules)).rules)))
    if game.cells <= PROGRAM:
        return _proved(game, *_by_program(game), 0)
    seeing, other = game.learners()
    done, check = 0, FIRST_CHECK
    theirs = game.plan_of_other(other.mixes)
    while True:
        for t in range(done + 1, check + 1):
            seeing.learn(game.gains_of_seeing(seeing.mixes, theirs, _mean))
            mine = game.plan_of_seeing(seeing.mixes)
            other.learn(game.gains_of_other(other.mixes, mine, _mean))
            theirs = game.plan_of_other(other.mixes)
            seeing.add(mine, t * t)
            other.add(theirs, t * t)
        done, check = check, check + max(FIRST_CHECK, check // 4)
        found = _bounds(game, seeing.averaged(), other.averaged())
        on_progress(done, found[1] - found[0])
        if found[1] - found[0] <= gap:
            return _proved(game, seeing.averaged(), other.averaged(), done)


def _by_program(game: _Game) -> tuple[list[Floats], list[Floats]]:
    """Mixes of both by a linear program, as `solve_program` has it for a game in which both see the same.

    Columns: a sequence of the other each, then a decision of who sees each. Rows: an information set of the other each;
    then for each card of who sees what its decision is worth, less what the card gains, at least 0: their prices are a
    plan of who sees.
    """
    sets, sequences = game.sets, game.sets.sequences
    sizes = [len(here.depth.prizes) * len(here.track) for here in game.sees]
    firsts = sequences + np.cumsum([0, *sizes])
    later = np.nonzero(sets.parents >= 0)[0]
    parts = [
        (sets.owners, np.arange(sequences), np.ones(sequences)),
        (later, sets.parents[later], -np.ones(len(later))),
    ]
    row = sets.count
    for depth, here in enumerate(game.sees):
        shape = len(here.depth.prizes), len(here.track), here.depth.actions
        rows = row + np.arange(sizes[depth] * shape[2]).reshape(shape)
        parts.append((rows, np.repeat(firsts[depth] + np.arange(sizes[depth]), shape[2]), np.ones(rows.size)))
        row += rows.size
        if depth < len(game.following):
            rows = rows[sets.depths[depth + 1].prize_parents]  # for all prizes that may come next
            targets = len(game.sees[depth + 1].track) * np.arange(len(rows))[:, None, None, None]
            columns = firsts[depth + 1] + targets + game.following[depth]
            parts.append((np.broadcast_to(rows[..., None], columns.shape), columns, -np.ones(columns.size)))
        else:
            theirs = (np.arange(shape[0])[:, None] * here.depth.tracks.count + here.track) * shape[2]
            columns = here.depth.first_sequence + theirs[:, :, None, None] + np.arange(shape[2])
            spread = [np.broadcast_to(one, game.paid.shape) for one in (rows[..., None], columns)]
            parts.append((spread[0], spread[1], -game.paid))
    rows, columns, values = (np.concatenate([part[i].ravel() for part in parts]) for i in range(3))
    order = np.lexsort((columns, rows))
    order = order[values[order] != 0]
    roots = (sets.parents < 0).astype(np.float64)
    cost = np.zeros(firsts[-1])
    cost[sequences : firsts[1]] = 1
    least = np.where(np.arange(firsts[-1]) < sequences, 0, -np.inf)
    found, prices = solve_sparse((rows[order], columns[order], values[order]), cost, least, sets.count, roots)
    seeing, other = game.learners()
    return _cut(prices[sets.count :], seeing), _cut(found[:sequences], other)


def _cut(plan: Floats, learner: _Learner) -> list[Floats]:
    """The mixes of a plan, by depth."""
    ends = np.cumsum([one.size for one in learner.mixes])[:-1]
    parts = zip(np.split(np.maximum(plan, 0), ends), learner.mixes, strict=True)
    return [_shares(part.reshape(like.shape)) for part, like in parts]


def _bounds(game: _Game, mine: list[Floats], theirs: list[Floats]) -> tuple[float, float]:
    """What mixes of who sees gain at least, and what those of the other lose at most."""
    lost = game.gains_of_other(theirs, game.plan_of_seeing(mine), _best)[0]
    gained = game.gains_of_seeing(mine, game.plan_of_other(theirs), _best)[0]
    return -float(lost.max(axis=2).sum()), float(gained.max(axis=2).sum())


def _proved(game: _Game, mine: list[Floats], theirs: list[Floats], iterations: int) -> SeeingWorth:
    """The same bounds by code that shares nothing with this."""
    rules = game.sets.rules
    flat = np.concatenate([one.ravel() for one in theirs])
    low, high = -reply_gain_to_seeing(rules, game.by_bids(mine)), seeing_reply_gain(rules, flat)
    return SeeingWorth(rules, low, high, iterations)
