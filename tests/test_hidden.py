"""Hidden bids: information sets, the two solvers, the proof of a policy, and what it says."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flint import fmpq

from goofspiel.arrays import Floats
from goofspiel.errors import (
    DamagedTableError,
    MissingTableError,
    OptionError,
    PlayerError,
    PositionError,
    ResourceError,
    RulesError,
    TableConflictError,
)
from goofspiel.games.exact_program import Program
from goofspiel.hidden.answer import probe_hidden
from goofspiel.hidden.certificate import best_reply_gain
from goofspiel.hidden.forecasts import hidden_forecast
from goofspiel.hidden.information import InformationSet, information_set_at
from goofspiel.hidden.plans import mixes_of, plan_of, sequence_game
from goofspiel.hidden.players import (
    ArrayPlayer,
    BidUpcardHiddenPlayer,
    HiddenFunctionPlayer,
    UniformHiddenPlayer,
    all_mixes,
    policy_player,
    respond_hidden,
)
from goofspiel.hidden.playing import play_hidden_match
from goofspiel.hidden.policy import read_policy, write_header
from goofspiel.hidden.program import program_rows, solve_program
from goofspiel.hidden.regrets import Learners, Method
from goofspiel.hidden.sets import InformationSets, information_sets
from goofspiel.hidden.solving import open_policy, solve_hidden, verify_policy
from goofspiel.records.record import GameRecord
from goofspiel.rules import Rules
from goofspiel.store.paths import policy_path

GAMES = [
    "1 hidden",
    "2 hidden",
    "3 hidden",
    "3 win carry hidden",
    "4 hidden",
    "4 win hidden",
    "4 carry hidden",
    "4 hidden order=descending",
    "4 win hidden order=3,1,4,2",
    "4 hidden prizes=1,1,2,5",
    "5 hidden rounds=2",
    "5 hidden rounds=2 prizes=1,1,2,2,5,6",
    "5 hidden order=ascending",
]


def random_mixes(sets: InformationSets, seed: int) -> Floats:
    raw = np.random.default_rng(seed).random(sets.sequences)
    return np.asarray(raw / np.add.reduceat(raw, sets.firsts[:-1])[sets.owners])


def plainly_seen(rules: Rules) -> Iterator[tuple[tuple[int, ...], tuple[tuple[int, int], ...]]]:
    """(prizes, (bid, sign) …) of all information sets, from whole games: slow and obvious."""
    cards = range(1, rules.cards + 1)
    deals = [rules.order] if rules.order else set(permutations(rules.prizes))
    choices = rules.cards - 1 if rules.rounds == rules.cards else rules.rounds
    for deal, mine, theirs in product(deals, permutations(cards), permutations(cards)):
        for played in range(max(choices, 1)):
            seen = tuple((m, (m > t) - (m < t)) for m, t in zip(mine[:played], theirs[:played], strict=True))
            yield deal[: played + 1], seen


@pytest.mark.parametrize("text", GAMES)
def test_information_sets_are_all_that_can_be_seen(text: str) -> None:
    rules = Rules.parse(text)
    sets = information_sets(rules)
    found = [information_set_at(sets, d, i) for d, here in enumerate(sets.depths) for i in range(here.sets)]
    assert {(one.prizes, tuple((bid, sign) for _, bid, sign in one.rounds)) for one in found} == set(
        plainly_seen(rules)
    )
    assert len(found) == sets.count == len(set(found))
    for number, one in enumerate(found):
        assert InformationSet.parse(str(one), rules) == one
        assert one.cells(sets) == slice(sets.firsts[number], sets.firsts[number + 1])


@pytest.mark.parametrize(
    ("text", "sequences"),
    [
        ("4 hidden order=descending", 174),
        ("4 hidden", 3736),
        ("5 hidden order=descending", 2283),
        ("6 hidden order=descending", 37038),
        ("5 hidden", 244785),
    ],
)
def test_the_counts_are_those_of_another_program(text: str, sequences: int) -> None:
    """The issue's counts, without the empty sequence."""
    rules = Rules.parse(text)
    expected = hidden_forecast(rules)
    sets = information_sets(rules)
    assert (expected.sequences, expected.information_sets) == (sets.sequences, sets.count)
    assert sets.sequences == sequences


def plain_value(rules: Rules, mine: Floats, theirs: Floats) -> float:
    """What one policy makes of another, by playing all games: slow and obvious."""
    sets = information_sets(rules)

    def mix(seen: InformationSet, mixes: Floats) -> dict[int, float]:
        if len(seen.hand) == 1:
            return {seen.hand[0]: 1.0}
        return dict(zip(seen.hand, mixes[seen.cells(sets)].tolist(), strict=True))

    def go_on(played: tuple[tuple[int, int, int], ...], left: tuple[int, ...], lead: int, pot: int) -> float:
        if len(played) == rules.rounds:
            return float(rules.at_the_end(lead))
        total = 0.0
        prizes = left[:1] if rules.order else left
        for number, prize in enumerate(prizes):
            rest = left[:number] + left[number + 1 :]
            first = InformationSet(rules, tuple((p, a, (a > b) - (a < b)) for p, a, b in played), prize)
            second = InformationSet(rules, tuple((p, b, (b > a) - (b < a)) for p, a, b in played), prize)
            for (a, p), (b, q) in product(mix(first, mine).items(), mix(second, theirs).items()):
                sign = (a > b) - (a < b)
                after = pot + prize if sign == 0 and rules.has_pots else 0
                value = go_on((*played, (prize, a, b)), rest, lead + sign * (prize + pot), after)
                total += p * q * value / len(prizes)
        return total

    return go_on((), rules.order or rules.prizes, 0, 0)


@pytest.mark.parametrize("text", ["3 hidden", "3 win carry hidden", "4 hidden order=descending", "4 hidden rounds=2"])
def test_a_best_reply_gains_what_it_says_and_nothing_gains_more(text: str) -> None:
    rules = Rules.parse(text)
    sets = information_sets(rules)
    theirs = random_mixes(sets, 1)
    response = respond_hidden(ArrayPlayer("drawn", rules, theirs), rules)
    assert response.value == pytest.approx(best_reply_gain(rules, theirs), abs=1e-12)
    assert plain_value(rules, response.mixes, theirs) == pytest.approx(response.value, abs=1e-12)
    for seed in range(5):
        assert plain_value(rules, random_mixes(sets, seed), theirs) <= response.value + 1e-12


@pytest.mark.parametrize("text", GAMES)
def test_the_program_proves_itself_optimal(text: str) -> None:
    """The game is symmetric: its value is 0, and a policy that nothing beats is optimal."""
    rules = Rules.parse(text)
    game = sequence_game(information_sets(rules))
    mixes = mixes_of(game, solve_program(game.sets))
    assert 0 <= best_reply_gain(rules, mixes) <= 1e-9 * rules.payoff_bound


@pytest.mark.parametrize("text", GAMES)
def test_the_certificate_is_what_the_kernel_finds_by_another_way(text: str) -> None:
    rules = Rules.parse(text)
    game = sequence_game(information_sets(rules))
    for seed in range(3):
        mixes = random_mixes(game.sets, seed)
        found, _ = game.best_reply(plan_of(game.sets, mixes))
        assert best_reply_gain(rules, mixes) == pytest.approx(found, abs=1e-12 * rules.total)


def test_a_certificate_of_a_policy_of_another_size_is_refused() -> None:
    with pytest.raises(ValueError, match="174 chances make a policy, not 100"):
        best_reply_gain(Rules.parse("4 hidden order=descending"), np.ones(100))


@pytest.mark.parametrize("method", list(Method))
def test_regret_matching_comes_to_what_the_program_finds(method: Method) -> None:
    """Both have the value 0, within half of their gaps; an average plan is a plan."""
    rules = Rules.parse("4 hidden")
    game = sequence_game(information_sets(rules))
    learners = Learners(game, method)
    learners.iterate(100)
    early = best_reply_gain(rules, mixes_of(game, learners.plan))
    learners.iterate(900)
    late = best_reply_gain(rules, mixes_of(game, learners.plan))
    assert late < early / 4
    assert late < {Method.CFR: 0.05}.get(method, 1e-3)
    by_program = mixes_of(game, solve_program(game.sets))
    value = plain_value(Rules.parse("3 hidden"), *(2 * [random_mixes(information_sets(Rules.parse("3 hidden")), 1)]))
    assert value == pytest.approx(0, abs=1e-12)  # of anything against itself
    assert abs(plain_value(rules, by_program, mixes_of(game, learners.plan))) <= late + 1e-9


def test_iterations_are_the_same_on_threads_and_in_portions() -> None:
    game = sequence_game(information_sets(Rules.parse("5 hidden order=descending")))
    alone, apart = Learners(game), Learners(game, threads=3)
    alone.iterate(50)
    for portion in (1, 20, 29):
        apart.iterate(portion)
    assert np.array_equal(alone.average, apart.average)


@pytest.mark.parametrize("text", ["3 hidden order=descending", "3 hidden", "3 win hidden", "3 carry hidden"])
def test_three_cards_in_fractions(text: str) -> None:
    """The program of the sequence form, solved in rationals: the value is 0, and nothing beats its plan."""
    sets = information_sets(Rules.parse(text))
    rows, columns, cells = program_rows(sets)
    count, sequences = sets.count, sets.sequences
    width = sequences + 2 * count  # what an information set is worth may be below 0: two variables each
    roots = sets.parents < 0
    limits, bounds = [], []
    for row in range(count + sequences):
        line = [fmpq(0)] * width
        for column, cell in zip(columns[rows == row].tolist(), cells[rows == row].tolist(), strict=True):
            exact = Fraction(cell).limit_denominator(10**6)
            value = fmpq(exact.numerator, exact.denominator)
            line[column] += value
            if column >= sequences:
                line[column + count] -= value
        right = fmpq(int(row < count and bool(roots[row])))
        if row < count:
            limits += [line, [-cell for cell in line]]
            bounds += [right, -right]
        else:
            limits.append([-cell for cell in line])
            bounds.append(fmpq(0))
    worth = [fmpq(int(root)) for root in roots.tolist()]
    best = Program(limits, bounds).maximise([fmpq(0)] * sequences + worth + [-one for one in worth])
    assert best.value == 0
    plan = [Fraction(int(one.p), int(one.q)) for one in best.solution[:sequences]]
    first = sets.depths[0]
    assert all(sum(plan[start : start + 3]) == 1 for start in range(0, first.sequences, 3))
    game = sequence_game(sets)
    assert best_reply_gain(sets.rules, mixes_of(game, np.array(list(map(float, plan))))) == pytest.approx(0, abs=1e-15)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hidden")


def test_a_policy_is_kept_with_its_proof(store: Path) -> None:
    policy = solve_hidden("4 hidden order=descending", store=store)
    assert policy.gap <= 1e-9
    assert policy.path == policy_path(store, policy.rules)
    again = read_policy(policy.path)
    assert np.array_equal(again.mixes, policy.mixes)
    assert again.header == policy.header
    assert verify_policy(policy.path)["passed"]
    assert repr(again) == f"HiddenPolicy('4 hidden order=descending', gap={policy.gap})"
    assert open_policy("4 hidden order=descending", store=store).header == policy.header


def test_a_damaged_policy_is_refused(tmp_path: Path) -> None:
    policy = solve_hidden("3 hidden", store=tmp_path)
    assert policy.path
    file = policy.path / "mixes"
    whole = file.read_bytes()
    for place in (3, 20, 40, len(whole) // 2, len(whole) - 1):
        broken = bytearray(whole)
        broken[place] ^= 1
        file.write_bytes(broken)
        with pytest.raises(DamagedTableError, match="mixes is damaged, its checksum does not match: delete"):
            open_policy("3 hidden", store=tmp_path)
    file.write_bytes(whole[:-8])
    with pytest.raises(DamagedTableError, match="its length"):
        open_policy("3 hidden", store=tmp_path)
    file.unlink()
    with pytest.raises(DamagedTableError, match="mixes is missing"):
        open_policy("3 hidden", store=tmp_path)


def test_a_policy_of_other_rules_is_refused(tmp_path: Path) -> None:
    policy = solve_hidden("3 hidden", store=tmp_path)
    assert policy.path
    other = tmp_path / "win-3-hidden.policy"
    policy.path.rename(other)
    with pytest.raises(DamagedTableError, match="holds the policy of another game: '3 hidden'"):
        open_policy("3 win hidden", store=tmp_path)
    with pytest.raises(PlayerError, match="knows the game '3 hidden', not '4 hidden'"):
        respond_hidden(policy_player(policy), Rules.parse("4 hidden"))
    with pytest.raises(RulesError, match="bids are open in '3'"):
        open_policy(3, store=tmp_path)


def test_a_wrong_gap_is_found_out(tmp_path: Path) -> None:
    policy = solve_hidden("4 hidden", method="CFR", gap=0.5, store=tmp_path)
    assert policy.path
    assert 0.01 < policy.gap <= 0.5
    from dataclasses import replace

    write_header(policy.path, replace(policy.header, gap=1e-9))
    assert not verify_policy(policy.path)["passed"]


def test_what_is_interrupted_goes_on_to_the_same_policy(tmp_path: Path) -> None:
    def stop(progress: object) -> None:
        raise KeyboardInterrupt

    options: dict[str, Any] = {"method": "DCFR", "gap": 0.01}
    whole = solve_hidden("4 hidden", store=tmp_path / "whole", **options)
    parts = tmp_path / "parts"
    with pytest.raises(KeyboardInterrupt):
        solve_hidden("4 hidden", store=parts, on_progress=stop, **options)
    with pytest.raises(MissingTableError, match="is partly solved: goofspiel solve 4 --bids hidden --store"):
        read_policy(policy_path(parts, whole.rules))
    with pytest.raises(TableConflictError, match="is partly solved"):
        solve_hidden("4 hidden", store=parts, **options)
    with pytest.raises(TableConflictError, match=r"was begun by DCFR, it cannot go on by CFR\+"):
        solve_hidden("4 hidden", store=parts, resume=True, method="CFR+", gap=0.01)
    found = solve_hidden("4 hidden", store=parts, resume=True, **options)
    assert found.header == whole.header
    assert np.array_equal(found.mixes, whole.mixes)
    assert not (parts / "points-4-hidden.policy" / "checkpoint").exists()


def test_what_is_out_of_reach_is_refused_with_a_forecast(tmp_path: Path) -> None:
    wanted = "'13 hidden' is out of reach, .* of memory may be used: up to .* information sets, .* sequences a player"
    with pytest.raises(ResourceError, match=wanted):
        solve_hidden("13 hidden", store=tmp_path)
    with pytest.raises(ResourceError, match=r"64\.0 MiB of memory"):
        solve_hidden("4 hidden order=descending", store=tmp_path, memory=1 << 20)
    with pytest.raises(MissingTableError, match="goofspiel solve 6 --bids hidden --order descending --store"):
        open_policy("6 hidden order=descending", store=tmp_path)
    with pytest.raises(OptionError, match=r"method must be LP, CFR, CFR\+, DCFR, PCFR\+, not 'luck'"):
        solve_hidden("4 hidden", store=tmp_path, method="luck")
    for gap in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(OptionError, match="a gap is a number above 0"):
            solve_hidden("4 hidden", store=tmp_path, gap=gap)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "an information set is written as rounds and the prize that is up"),
        ("x", "an information set is written as rounds and the prize that is up"),
        ("3", "round 1 is for the 4, not the 3: '3'"),
        ("43 3", "a round is its prize, my bid and +, - or =, as in '65+', not '43': '43 3'"),
        ("43* 3", "a round is its prize, my bid and +, - or =, as in '65+', not '43*'"),
        ("43+ 2", "round 2 is for the 3, not the 2: '43+ 2'"),
        ("4A+ 3", "no bids of the other can have led to these outcomes: '4A+ 3'"),
        ("44- 3", "no bids of the other can have led to these outcomes: '44- 3'"),
        ("4A- 3A- 2", "A was played before, it cannot be bid in round 2"),
        ("47+ 3", "7 is no card of 4, it cannot be bid in round 1"),
        ("43+ 34+ 2A- A", "asks for a bid after up to 2 rounds, the last card is no choice"),
    ],
)
def test_what_cannot_be_seen_is_named(text: str, reason: str) -> None:
    with pytest.raises(PositionError) as refused:
        InformationSet.parse(text, Rules.parse("4 hidden order=descending"))
    assert reason in str(refused.value)


@pytest.mark.parametrize("text", ["4 hidden", "4 win hidden order=descending", "4 carry hidden rounds=2"])
def test_an_answer_says_what_playing_on_is_worth(store: Path, text: str) -> None:
    """Values and beliefs against all games that lead there, played out."""
    rules = Rules.parse(text)
    policy = solve_hidden(rules, store=store, method="CFR+", gap=0.2)
    sets = policy.sets
    asked = [information_set_at(sets, d, i) for d, here in enumerate(sets.depths) for i in range(0, here.sets, 7)]
    for one in asked[:60]:
        answer = probe_hidden(policy, one)
        assert sum(answer.mix.values()) == pytest.approx(1)
        if answer.value is None:
            assert not answer.belief
            continue
        assert sum(answer.belief.values()) == pytest.approx(1)
        assert sum(answer.holds.values()) == pytest.approx(len(one.hand))
        assert answer.value == pytest.approx(sum(p * answer.values[c] for c, p in answer.mix.items()))
    first = [probe_hidden(policy, str(prize)) for prize in sorted(set(sets.depths[0].prizes[:, 0].tolist()))]
    chances = sets.depths[0].chances
    whole = sum(one.value * chance for one, chance in zip(first, chances, strict=True) if one.value is not None)
    assert whole == pytest.approx(plain_value(rules, policy.mixes, policy.mixes), abs=1e-12)
    assert whole == pytest.approx(0, abs=1e-12)


def test_players() -> None:
    rules = Rules.parse("4 hidden")
    sets = information_sets(rules)
    assert respond_hidden(UniformHiddenPlayer(), rules).value == pytest.approx(2.5)  # as with open bids: Ross
    assert respond_hidden(BidUpcardHiddenPlayer(), rules).value == pytest.approx(2.0)  # the same
    follow = HiddenFunctionPlayer(
        lambda seen: min((c for c in seen.hand if c >= seen.upcard), default=seen.hand[0]), "f"
    )
    assert np.array_equal(all_mixes(follow, sets), all_mixes(BidUpcardHiddenPlayer(), sets))
    for answer, reason in ((9, "bids 9 at 'A', which is not in its hand"), ([0.5, 0.2, 0, 0], "do not sum to 1")):
        with pytest.raises(PlayerError, match=reason):
            all_mixes(HiddenFunctionPlayer(lambda seen, said=answer: said, "f"), sets)  # type: ignore[misc]
    with pytest.raises(PlayerError, match="player f failed at 'A': ZeroDivisionError"):
        all_mixes(HiddenFunctionPlayer(lambda seen: 1 // 0, "f"), sets)


@pytest.mark.parametrize("text", ["3 hidden", "4 win carry hidden", "4 hidden rounds=2 order=descending"])
def test_a_match_comes_to_what_the_policies_make_of_each_other(text: str) -> None:
    rules = Rules.parse(text)
    sets = information_sets(rules)
    first, second = (ArrayPlayer(str(seed), rules, random_mixes(sets, seed)) for seed in (1, 2))
    records: list[GameRecord] = []
    result = play_hidden_match(first, second, rules, games=6000, seed=5, on_record=records.append)
    expected = plain_value(rules, first.all_mixes, second.all_mixes)
    found = result.score if rules.has_leads else result.points
    assert abs(found.mean - expected) <= 4 * (found.variance / result.games) ** 0.5
    assert len(records) == 6000
    assert all(record.is_over for record in records)
    assert play_hidden_match(first, second, rules, games=6000, seed=5).points == result.points
