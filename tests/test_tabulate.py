"""Policies as tables: what a player is asked, what a table and its file answer, and what is noticed."""

import json
import multiprocessing
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from bots import lowest, noting
from command import PATIENCE, one_line, the_json
from fixtures import Call
from test_respond import erratic, erratic_without_lead

from goofspiel.batch import PositionBatch
from goofspiel.best_response import tabulation
from goofspiel.best_response.expectation import expected_value
from goofspiel.best_response.held_out import held_out_value
from goofspiel.best_response.response import respond
from goofspiel.best_response.tabulation import tabulate
from goofspiel.errors import OptionError, PlayerError, ResourceError
from goofspiel.matches.playing import play_match
from goofspiel.players.players import BidUpcardPlayer, Chooser, FunctionPlayer, Player, UniformPlayer, checked_mixes
from goofspiel.players.policy_file import MAGIC, load_policy, save_policy
from goofspiel.position import Position
from goofspiel.roster import load_player
from goofspiel.rules import Rules

RULES = [
    "1",
    "2",
    "4",
    "4 win",
    "4 carry",
    "4 win carry",
    "5 order=descending",
    "5 prizes=1,1,2,5,8 rounds=3",
    "4 rounds=2",
]


def player_of(choose: Chooser, asked: list[Position] | None = None) -> FunctionPlayer:
    chosen = choose if asked is None else noting(choose, asked)
    return FunctionPlayer(chosen, "mine", getattr(choose, "uses_lead", True))


def reached(choose: Callable[[Position], dict[int, float]], rules: Rules, uses_lead: bool) -> set[Position]:
    """The positions with a choice that a player can come to, found one by one."""
    found: set[Position] = set()
    new = {Position.start(rules)}
    while new:
        shown = set()
        for position in new:
            number = rules.cards - position.level
            upcards = rules.order[number : number + 1] if rules.order else tuple(set(position.deck))
            shown |= {position.turn_up(card) for card in upcards}
        shown = {p if uses_lead else p.replaced(lead=0) for p in shown if p.level > 1}
        found |= shown
        new = {
            position.play(mine, theirs, carry=rules.has_pots)
            for position in shown
            for mine, chance in choose(position).items()
            if chance
            for theirs in position.their_cards
        }
        new = {position for position in new if not rules.is_over(position.level)}
    return found


@pytest.mark.parametrize("choose", [erratic, erratic_without_lead])
@pytest.mark.parametrize("text", RULES)
def test_each_position_that_it_can_come_to_is_asked_once(text: str, choose: Chooser) -> None:
    rules, asked = Rules.parse(text), []  # type: ignore[var-annotated]
    player = player_of(choose, asked)
    table = tabulate(player, rules)
    wanted = reached(choose, rules, player.uses_lead)  # type: ignore[arg-type]
    seen = Counter(p if player.uses_lead else p.replaced(lead=0) for p in asked)
    assert set(seen) == wanted
    assert table.count == len(wanted)
    again = seen.total() - len(wanted)
    assert again <= 8 * rules.cards + max(24, len(wanted) // 64) + rules.cards
    assert respond(table, rules).value == pytest.approx(respond(player_of(choose), rules).value, abs=1e-12)
    for position in wanted:
        batch = PositionBatch.of([position], rules=rules)
        assert np.array_equal(table.mixes(batch), checked_mixes(player_of(choose), batch))


# One card a position, and one more: the numbers of the documentation.
@pytest.mark.parametrize(("player", "positions"), [(BidUpcardPlayer(), 2_736), (UniformPlayer(), 45_336)])
def test_how_many_there_are_with_six_cards(player: Player, positions: int) -> None:
    table = tabulate(player, 6)
    assert table.count == positions
    assert respond(table, 6).value == pytest.approx(respond(player, 6).value, abs=1e-12)


def test_two_cards_a_position() -> None:
    """Of a player that bids its lowest card but sometimes the next."""
    share = FunctionPlayer(lambda p: {p.my_cards[0]: 0.9, p.my_cards[1]: 0.1} if p.deck else p.my_cards[0], "m", False)
    assert tabulate(share, 6).count == pytest.approx(20_000, rel=0.5)


@pytest.mark.parametrize("objective", ["points", "win"])
def test_what_two_tables_make_of_each_other(objective: str) -> None:
    rules = Rules(4, objective=objective)
    mine, theirs = player_of(erratic), player_of(erratic_without_lead)
    tables = tabulate(mine, rules), tabulate(theirs, rules)
    assert expected_value(*tables, rules) == pytest.approx(expected_value(mine, theirs, rules), abs=1e-12)
    assert expected_value(tables[0], theirs, rules) == pytest.approx(expected_value(mine, theirs, rules), abs=1e-12)


@pytest.mark.parametrize("text", RULES)
@pytest.mark.parametrize("samples", [1, 3])
def test_a_file_says_the_same(text: str, samples: int, tmp_path: Path) -> None:
    player = player_of(erratic)
    table = tabulate(player, text, samples=samples, path=tmp_path / "a")
    save_policy(table, tmp_path / "b")
    for found in (load_policy(tmp_path / "a"), load_policy(tmp_path / "b")):
        assert (found.name, found.rules, found.uses_lead, found.samples) == ("mine", Rules.parse(text), True, samples)
        assert found.levels.keys() == table.levels.keys()
        for level, known in table.levels.items():
            assert np.array_equal(found.levels[level].keys, known.keys)
            assert np.array_equal(found.levels[level].parts, known.parts)
    assert not list(tmp_path.glob("*.lock"))


def test_a_match_is_the_same_game_by_game(tmp_path: Path) -> None:
    tabulate(player_of(erratic), 5, path=tmp_path / "p")
    loaded = load_player(f"policy:{tmp_path / 'p'}", 5)
    one, other = (play_match(p, UniformPlayer(), 5, games=300) for p in (player_of(erratic), loaded))
    assert one == other


def test_it_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    path, asked = tmp_path / "p", []  # type: ignore[var-annotated]

    def fails(position: Position) -> dict[int, float]:
        if len(asked) >= 8_000:
            raise RuntimeError("enough")
        asked.append(position)
        return erratic(position)

    with pytest.raises(PlayerError, match="enough"):
        tabulate(player_of(fails), 5, path=path)
    first = len(asked)
    with pytest.raises(PlayerError, match=r"is not whole, it has [\d,]+ positions: goofspiel respond … --policy"):
        load_policy(path)
    with pytest.raises(PlayerError, match="is there already: --resume goes on with it, policy:"):
        tabulate(player_of(erratic), 5, path=path)
    data = path.read_bytes()
    path.write_bytes(data[:-3])  # killed while it wrote
    asked.clear()
    table = tabulate(player_of(erratic, asked), 5, path=path, resume=True)
    whole = tabulate(player_of(erratic), 5)
    assert respond(table, 5).value == respond(whole, 5).value == respond(load_policy(path), 5).value
    assert first == 8_000
    assert len(set(asked)) < whole.count - 2_000  # what was answered and written is not asked again
    asked.clear()
    tabulate(player_of(erratic, asked), 5, path=path, resume=True)
    assert asked == []
    with pytest.raises(PlayerError, match="was begun with samples '1', not '2'"):
        tabulate(player_of(erratic), 5, samples=2, path=path, resume=True)
    with pytest.raises(PlayerError, match="was begun with rules '5', not '4'"):
        tabulate(player_of(erratic), 4, path=path, resume=True)


@pytest.mark.parametrize("where", ["begin", "header", "middle", "last", "cut", "more"])
def test_damage_is_noticed(where: str, tmp_path: Path) -> None:
    path = tmp_path / "p"
    tabulate(player_of(erratic), 4, path=path)
    data = bytearray(path.read_bytes())
    at = {"begin": 2, "header": len(MAGIC) + 20, "middle": len(data) // 2, "last": -3, "cut": -1, "more": -1}[where]
    data[at] ^= 64
    path.write_bytes({"cut": bytes(data[:-30]), "more": path.read_bytes() + b"more"}.get(where, bytes(data)))
    with pytest.raises(PlayerError) as caught:
        load_policy(path)
    assert str(path) in one_line(caught)


def test_every_flipped_byte_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "p"
    tabulate(player_of(lowest), 3, path=path)
    data = path.read_bytes()
    for at in range(len(data)):
        path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        with pytest.raises(PlayerError):
            load_policy(path)


def test_one_writes_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "p"

    def asks(position: Position) -> int:
        with pytest.raises(PlayerError, match=r"p is being written by another process \(pid"):
            tabulate(player_of(lowest), 3, path=path, resume=True)
        return position.my_cards[0]

    tabulate(player_of(asks), 2, path=path)


def test_copies_are_asked_side_by_side() -> None:
    asked: list[list[Position]] = [[], [], []]

    def slow(position: Position) -> int:
        time.sleep(0.001)
        return position.my_cards[0]

    copies = [FunctionPlayer(noting(slow, some), "low") for some in asked]
    table = tabulate(copies, 4)
    assert min(map(len, asked)) > table.count // 10
    assert respond(table, 4).value == respond(tabulate(copies[0], 4), 4).value


def test_progress_is_told() -> None:
    heard: list[tuple[int, int, int]] = []
    table = tabulate(player_of(lowest), 5, on_progress=lambda *state: heard.append(state))
    assert heard[-1] == (table.count, table.count, 2)
    assert heard == sorted(heard, key=lambda state: (-state[2], state[0]))


# --- players that draw, learn, or deny the lead


def drawing(seed: int = 1) -> FunctionPlayer:
    draw = random.Random(seed)
    return FunctionPlayer(lambda position: draw.choice(position.my_cards), "drawn", uses_lead=False)


def test_who_draws_is_refused_at_once_unless_sampled() -> None:
    for cards in (2, 3, 5, 7):
        for seed in range(50):
            asked: list[Position] = []
            player = FunctionPlayer(noting(drawing(seed).choose, asked), "drawn", uses_lead=False)
            with pytest.raises(PlayerError, match=r"when asked again with .* --samples\)$"):
                tabulate(player, cards)
            assert len(asked) < 300


@pytest.mark.parametrize("looks", [lambda lead: lead > 0, lambda lead: abs(lead) > 3, lambda lead: lead == 0])
def test_who_denies_the_lead_is_noticed(looks: Callable[[int], bool]) -> None:
    for cards in (4, 5, 6):
        player = FunctionPlayer(lambda p: p.my_cards[-1 if looks(p.lead) else 0], "liar", uses_lead=False)
        with pytest.raises(PlayerError, match=r"says that it does not look at the lead, but answers .*: say uses_lead"):
            tabulate(player, cards)


def test_who_learns_is_noticed() -> None:
    calls: list[Position] = []
    player = FunctionPlayer(noting(lambda p: p.my_cards[0 if len(calls) < 500 else -1], calls), "learns", False)
    with pytest.raises(PlayerError, match=r"answers .* with .*, and when asked again with "):
        tabulate(player, 5)


def test_samples_bracket_the_exploitability_in_the_mean() -> None:
    """A uniform player that draws: worth 4/3 with 3 cards. What is made of few answers is above and below, in the mean.

    Both means of 60 tables are more than four of their own deviations away from it, on their side.
    """
    exact, above, below = 4 / 3, [], []
    for seed in range(60):
        table = tabulate(drawing(seed), 3, samples=6)
        above.append(respond(table, 3).value)
        below.append(held_out_value(table))
    for values, side in ((above, 1), (below, -1)):
        deviation = np.std(values) / np.sqrt(len(values))
        assert side * (np.mean(values) - exact) > 4 * deviation
    table = tabulate(drawing(), 3, samples=4_000)
    assert held_out_value(table) == pytest.approx(exact, abs=0.05)
    assert respond(table, 3).value == pytest.approx(exact, abs=0.05)


def test_samples_of_a_mix_are_the_mix() -> None:
    table = tabulate(player_of(erratic), 4, samples=3)
    exact = respond(tabulate(player_of(erratic), 4), 4).value
    assert respond(table, 4).value == pytest.approx(exact, abs=1e-12)
    assert held_out_value(table) == pytest.approx(exact, abs=1e-12)
    with pytest.raises(PlayerError, match="one answer a position has no halves"):
        tabulate(player_of(erratic), 2).half(0)


# --- what is refused


def test_a_table_knows_only_what_it_comes_to() -> None:
    table = tabulate(player_of(lowest), 4)
    with pytest.raises(
        PlayerError, match=r"^the policy of mine knows only what it can come to in the game '4', which "
    ):
        table.mixes(PositionBatch.of([Position("A23/A23/23 A")], rules=Rules(4)))  # it bids the ace first
    with pytest.raises(PlayerError, match="is of the game '4', and is asked in '4 win'"):
        respond(table, "4 win")
    response = respond(table, 4)
    with pytest.raises(PlayerError, match="of 4 cards that mine can come to, not 'A23/A23/23 A'"):
        response.values([Position("A23/A23/23 A")])


def test_options_that_make_no_sense() -> None:
    with pytest.raises(OptionError, match="samples must be 1 to 1,000,000, not 0"):
        tabulate(player_of(lowest), 3, samples=0)
    with pytest.raises(OptionError, match="no player to ask"):
        tabulate([], 3)
    with pytest.raises(ResourceError, match="too large for the table of a policy"):
        tabulate(player_of(lowest), "16 carry")


def test_too_many_questions_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tabulation, "MOST_CALLS", 1_000)
    with pytest.raises(ResourceError) as caught:
        tabulate(UniformPlayer(), 5, samples=2)
    assert one_line(caught) == (
        "uniform would be asked 1,010 times or more in the game '5', more than 1,000: take fewer cards, or sample "
        "games: --games"
    )


# --- the command

BOTS = Path(__file__).parent / "bots.py"


def test_the_command(call: Call, tmp_path: Path) -> None:
    bot, file = f"{BOTS}:ignores_the_lead", tmp_path / "p"
    said = the_json(call("respond", bot, "--cards", 5, "--json", "--quiet", "--policy", file, "--workers", 2))
    again = the_json(call("respond", f"policy:{file}", "--cards", 5, "--json", "--quiet"))
    assert (said["positions"], said["samples"], said["held_out"]) == (605, 1, None)
    for name in ("value", "first_move", "player", "positions"):
        assert said[name] == again[name]
    results = [
        the_json(call("match", name, "uniform", "--cards", 5, "--games", 64, "--json", "--quiet"))
        for name in (bot, f"policy:{file}")
    ]
    assert results[0]["points"] == results[1]["points"]
    _, out, _ = call("respond", bot, "--cards", 3, "--samples", 2, "--quiet")
    assert "asked           21 positions that it can come to, 2 times each\n" in out
    assert "held out  " in out


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["policy:nothing"], 1, "policy 'nothing' cannot be read: No such file"),
        (["policy:"], 2, "policy: names no file, as in policy:bot.policy"),
        ([f"policy:{BOTS}"], 1, "bots.py is no policy of goofspiel's, version 1"),
        (["uniform", "--resume"], 2, "--resume: --policy names no file to go on with"),
        (["uniform", "--workers", "3"], 2, "--workers: uniform is asked on --threads"),
        (["uniform", "--policy", "/nowhere/file"], 1, "/nowhere/file cannot be written: No such file"),
        (["uniform", "--horizon", "2"], 2, "--horizon: only --games plays games: add it"),
        (["uniform", "--games", "9", "--policy", "x"], 2, "--policy: --games only plays games"),
    ],
)
def test_wrong_commands_are_refused_in_one_line(call: Call, words: list[str], code: int, said: str) -> None:
    done, out, err = call("respond", *words, "--cards", 4)
    assert (done, out) == (code, "")
    assert said in err
    assert err.count("\n") == 1


def test_a_policy_of_another_game_is_refused(call: Call, tmp_path: Path) -> None:
    call("respond", "match", "--cards", 4, "--policy", tmp_path / "p", "--quiet")
    code, _, err = call("match", f"policy:{tmp_path / 'p'}", "uniform", "--cards", 5, "--quiet")
    assert (code, err.count("\n")) == (1, 1)
    assert "holds a policy of the game '4', not of '5'" in err


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_command_that_was_killed_goes_on(how: signal.Signals, tmp_path: Path, store: Path) -> None:
    (tmp_path / "slow.py").write_text(
        "import time\ndef bid(position):\n    time.sleep(0.002)\n    return position.my_cards[0]\n"
        "bid.uses_lead = False\n",
        encoding="utf-8",
    )
    words = ["respond", "slow.py:bid", "--cards", "5", "--policy", "p", "--json", "--quiet", "--store", str(store)]
    command = [sys.executable, "-m", "goofspiel", *words]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and not ((tmp_path / "p").exists() and (tmp_path / "p").stat().st_size > 400):
        time.sleep(0.01)
    process.send_signal(how)
    process.communicate(timeout=PATIENCE)
    assert process.returncode != 0
    with pytest.raises(PlayerError, match="is not whole"):
        load_policy(tmp_path / "p")
    done = subprocess.run([*command, "--resume"], cwd=tmp_path, capture_output=True, timeout=PATIENCE, check=True)
    expected = respond(FunctionPlayer(lowest, "low", uses_lead=False), 5).value
    assert json.loads(done.stdout)["value"] == pytest.approx(expected)
    assert not multiprocessing.active_children()
