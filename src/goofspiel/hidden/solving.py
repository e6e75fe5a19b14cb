"""Solve a game with hidden bids: a linear program where that is quick, else regret matching until the gap is small."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from goofspiel import __version__
from goofspiel.arrays import Floats
from goofspiel.errors import MissingTableError, OptionError, ResourceError, SolveError, TableConflictError
from goofspiel.hidden.certificate import best_reply_gain
from goofspiel.hidden.forecasts import check_reach, hidden_forecast
from goofspiel.hidden.plans import SequenceGame, mixes_of, sequence_game, values_of
from goofspiel.hidden.policy import (
    HiddenPolicy,
    PolicyHeader,
    check_hidden_bids,
    read_checkpoint,
    read_header,
    read_policy,
    resume_command,
    write_checkpoint,
    write_header,
    write_policy,
)
from goofspiel.hidden.program import solve_program
from goofspiel.hidden.regrets import Learners, Method
from goofspiel.hidden.sets import information_sets
from goofspiel.rules import Rules
from goofspiel.solver.resources import threads_for
from goofspiel.store import store_at
from goofspiel.store.locations import remove_leftovers
from goofspiel.store.lock import SolveLock
from goofspiel.store.paths import policy_path, solve_command

LP = "LP"
METHODS = (LP, *(method.label for method in Method))
PROGRAM_GAP, ITERATED_GAP = 1e-8, 1e-3  # when nothing is asked for
CHECKPOINT_SECONDS = 20.0
FIRST_CHECK = 16  # iterations before the first look at the gap
SECONDS_ON_FIRST_USE = 5.0  # by the forecast
PARALLEL_PAIRS = 1 << 20  # with fewer, starting threads takes longer than what they save


@dataclass(frozen=True, slots=True)
class HiddenProgress:
    """How far a solve is."""

    method: str
    iterations: int
    gap: float
    first_gap: float
    wanted: float


def solve_hidden(
    rules: Rules | int | str,
    *,
    gap: float | None = None,
    method: str | None = None,
    store: Path | str | None = None,
    threads: int | None = None,
    memory: int | None = None,
    resume: bool = False,
    on_progress: Callable[[HiddenProgress], None] = lambda _: None,
) -> HiddenPolicy:
    """Solve a game with hidden bids and keep the policy, with the proof of its gap.

    - `gap`: what best replies to both sides may gain; by default 1e-8 for a linear program, 1e-3 for iterations.
    - `method`: `LP`, `CFR`, `CFR+`, `DCFR` or `PCFR+`; by default a linear program where it is quick, else DCFR.
    - `store`: the folder of the tables; by default the user's.
    - `threads`: how many work; by default as many as there are cores.
    - `memory`: at most so many bytes are used, by default most of what is free.
    - `resume`: go on with a policy that is partly solved, which is an error otherwise.
    - `on_progress`: called with a `HiddenProgress` whenever the gap was measured.
    """
    game = check_hidden_bids(Rules.of(rules))
    expected = hidden_forecast(game)
    chosen = method or (LP if expected.by_program else Method.DCFR.label)
    if chosen not in METHODS:
        raise OptionError(f"method must be {', '.join(METHODS)}, not {chosen!r}")
    wanted = gap if gap is not None else PROGRAM_GAP if chosen == LP else ITERATED_GAP
    if not 0 < wanted < float("inf"):
        raise OptionError(f"a gap is a number above 0, not {wanted!r}")
    threads = threads_for(threads)
    check_reach(game, memory)
    path = policy_path(store_at(store), game)
    with SolveLock(path):
        if found := _already(path, game, wanted, chosen, given=method is not None, resume=resume):
            return found
        remove_leftovers(path)
        write_header(path, PolicyHeader(game, __version__, chosen, 0, None))
        sequences = sequence_game(information_sets(game))
        if chosen == LP:
            if not expected.by_program:
                raise ResourceError(f"{str(game)!r} is too large for a linear program: {expected.to_text()}")
            policy = proved(sequences, solve_plan(sequences), LP, path=path)
            on_progress(HiddenProgress(LP, 0, policy.gap, policy.gap, wanted))
        else:
            workers = threads if expected.pairs >= PARALLEL_PAIRS else 1
            how = next(one for one in Method if one.label == chosen)
            learners = _resumed(path, sequences, how) or Learners(sequences, how)
            learners.threads = workers
            policy = _iterated(learners, wanted, path, on_progress)
        if policy.gap > wanted:
            raise SolveError(f"{chosen} ended at a gap of {policy.gap:.1e}, above the {wanted:.1e} that was asked for")
        write_policy(path, policy)
    return policy


def solve_plan(game: SequenceGame) -> Floats:
    """The mixes of a plan that the linear program finds."""
    return mixes_of(game, solve_program(game.sets))


def proved(
    game: SequenceGame, mixes: Floats, method: str, iterations: int = 0, path: Path | None = None
) -> HiddenPolicy:
    """A policy with its certificate: both sides follow it, so the gap is twice what the best reply gains."""
    rules = game.sets.rules
    header = PolicyHeader(rules, __version__, method, iterations, 2 * best_reply_gain(rules, mixes))
    return HiddenPolicy(header, mixes, values_of(game, mixes), path)


def _already(path: Path, rules: Rules, wanted: float, method: str, *, given: bool, resume: bool) -> HiddenPolicy | None:
    """The policy that is there, if it is good enough; what cannot go on is refused."""
    try:
        header = read_header(path, rules)
    except MissingTableError:
        return None
    if header.gap is not None:
        good = header.gap <= wanted and (not given or header.method == method)
        return read_policy(path, rules) if good else None
    if (path / "checkpoint").exists():
        if not resume:
            raise TableConflictError(f"{path} is partly solved: {resume_command(path, rules)} goes on with it")
        if header.method != method:
            raise TableConflictError(f"{path} was begun by {header.method}, it cannot go on by {method}: delete it")
    return None


def policy_state(path: Path, rules: Rules) -> str:
    """How much of a policy is there: `missing`, `begun` or `complete`; one that is damaged is refused."""
    try:
        header = read_header(path, rules)
    except MissingTableError:
        return "missing"
    if header.gap is not None:
        return "complete"
    return "begun" if (path / "checkpoint").exists() else "missing"


def _kept(learners: Learners) -> list[Floats]:
    """What a checkpoint keeps: the rest follows from it."""
    return [learners.state[0:2], learners.state[4:6], learners.average]


def _resumed(path: Path, game: SequenceGame, method: Method) -> Learners | None:
    size = game.sets.sequences
    found = read_checkpoint(path, game.sets.rules, 5 * size)
    if found is None:
        return None
    iterations, numbers = found
    learners = Learners(game, method, iterations=iterations)
    for kept, numbers_of in zip(_kept(learners), np.split(numbers, [2 * size, 4 * size]), strict=True):
        kept[...] = numbers_of.reshape(kept.shape)
    return learners


def _iterated(
    learners: Learners, wanted: float, path: Path, on_progress: Callable[[HiddenProgress], None]
) -> HiddenPolicy:
    """Iterate until the average plan is good enough, and the certificate says so, too."""
    game, label = learners.game, learners.method.label
    rules = game.sets.rules
    first = 0.0
    saved = time.monotonic()
    check = max(FIRST_CHECK, learners.iterations)

    def save() -> None:
        write_checkpoint(path, rules, learners.iterations, _kept(learners))

    try:
        while True:
            _iterate_to(check, learners)
            gap = 2 * game.best_reply(learners.plan, threads=learners.threads)[0]
            first = first or gap
            on_progress(HiddenProgress(label, learners.iterations, gap, first, wanted))
            if gap <= wanted:
                policy = proved(game, mixes_of(game, learners.plan), label, learners.iterations, path)
                if policy.gap <= wanted:
                    return policy
            if time.monotonic() - saved > CHECKPOINT_SECONDS:
                save()
                saved = time.monotonic()
            check = learners.iterations + max(FIRST_CHECK, learners.iterations // 8)
    except KeyboardInterrupt:
        save()
        raise


def _iterate_to(iterations: int, learners: Learners) -> None:
    """In portions of about a second, between which Ctrl-C takes effect."""
    portion = 1
    while learners.iterations < iterations:
        started = time.monotonic()
        learners.iterate(min(portion, iterations - learners.iterations))
        portion = portion * 2 if time.monotonic() - started < 0.5 else portion


def open_policy(rules: Rules | int | str, *, store: Path | str | None = None) -> HiddenPolicy:
    """The policy of a game. What takes seconds is solved when it is missing; above, that is an error."""
    game, folder = check_hidden_bids(Rules.of(rules)), store_at(store)
    path = policy_path(folder, game)
    try:
        return read_policy(path, game)
    except MissingTableError:
        if hidden_forecast(game).cpu_seconds <= SECONDS_ON_FIRST_USE:
            return solve_hidden(game, store=folder, resume=True)
        if path.exists():
            raise
    raise MissingTableError(f"{str(game)!r} is not solved: {solve_command(game, folder)} makes its policy")


def verify_policy(path: Path) -> dict[str, Any]:
    """Read all of a policy and prove it again: the gap that is recorded, and the one that is found."""
    policy = read_policy(path)
    found = 2 * best_reply_gain(policy.rules, policy.mixes)
    return {"gap": policy.gap, "gap_found": found, "passed": abs(found - policy.gap) <= 1e-12 * policy.rules.total}
