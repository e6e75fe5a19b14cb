"""Players of a user's own in a process of their own: whatever they do is named, within the patience."""

import signal
from pathlib import Path
from subprocess import Popen

import bots
import numpy as np
import psutil
import pytest
from command import one_line, run, start, the_json, wait_until

from goofspiel.arrays import Floats
from goofspiel.batch import PositionBatch
from goofspiel.errors import PlayerError
from goofspiel.matches.playing import MatchStoppedError, play_match
from goofspiel.players.patient import PatientFunction, PatientPlayer, load_patiently
from goofspiel.players.players import BidUpcardPlayer, FunctionPlayer, Player, UniformPlayer, checked_mixes
from goofspiel.players.worker import AT_ONCE
from goofspiel.position import Position
from goofspiel.roster import load_player

SECONDS = 300.0  # more patience than any test needs
WHERE = "A35/A24/25 4"
HANGS = {
    "regular": "import re\ndef f(position):\n    re.match('(a+)+$', 'a' * 60 + 'b')\n",
    "tight": "def f(position):\n    sum(range(10**13))\n",
    "stubborn": (
        "import time\ndef f(position):\n    while True:\n        try:\n            time.sleep(1)\n"
        "        except BaseException:\n            pass\n"
    ),
    "deaf": (
        "import signal, time\nfor number in range(1, 32):\n    if number not in (signal.SIGKILL, signal.SIGSTOP):\n"
        "        signal.signal(number, signal.SIG_IGN)\ndef f(position):\n    time.sleep(3600)\n"
    ),
    "second": "def f(position):\n    while position.upcard == 4: pass\n    return position.my_cards[0]\n",
}
LEAVES = {
    "exit": ("import sys\ndef f(position):\n    sys.exit(3)\n", "failed: SystemExit: 3"),
    "base": ("def f(position):\n    raise BaseException('enough')\n", "failed: BaseException: enough"),
    "interrupt": ("def f(position):\n    raise KeyboardInterrupt\n", "failed: KeyboardInterrupt"),
    "at once": ("import os\ndef f(position):\n    os._exit(7)\n", r"ended its process \(exit code 7\)"),
    "fault": ("import ctypes\ndef f(position):\n    ctypes.string_at(0)\n", r"ended its process \(signal SIGSEGV\)"),
    "lines": ("def f(position):\n    raise ValueError('one\\ntwo')\n", "failed: ValueError: one two"),
    "input": ("def f(position):\n    return int(input())\n", "failed: EOFError"),
}
NOT_LOADED = {
    "exit": ("import sys\nsys.exit('no licence')\n", "cannot be loaded: SystemExit: no licence"),
    "at once": ("import os\nos._exit(7)\n", r"cannot be loaded: it ended its process \(exit code 7\)"),
    "nothing": ("", "bot.py has no 'f'"),
    "name": ("import no_such\n", "cannot be loaded: ModuleNotFoundError: No module named 'no_such'"),
    "class": ("class f:\n    def __init__(self): raise SystemExit(4)\n", "cannot be loaded: SystemExit: 4"),
}


def written(folder: Path, source: str) -> str:
    (folder / "bot.py").write_text(source)
    return f"{folder}/bot.py:f"


def children() -> set[psutil.Process]:
    """The processes that this one has started; an error that is still remembered may keep one of another test."""
    return set(psutil.Process().children())


def ask(player: Player, *notations: str) -> Floats:
    return checked_mixes(player, PositionBatch.of([Position(notation) for notation in notations]))


@pytest.mark.parametrize("bot", ["lowest", "numpy_card", "halves", "flat_array", "ignores_the_lead", "Lowest"])
def test_a_player_answers_as_it_does_in_this_process(bot: str) -> None:
    here, there = load_player(f"bots:{bot}", 5), load_player(f"bots:{bot}", 5, patience=SECONDS)
    assert isinstance(there, PatientPlayer if bot == "Lowest" else PatientFunction)
    assert isinstance(there, FunctionPlayer) == isinstance(here, FunctionPlayer)
    assert (there.name, there.uses_lead) == (here.name, here.uses_lead)
    batch = WHERE, "A25/A24/25 4", "235/A24/5A 4 2"
    assert ask(there, *batch).tolist() == ask(here, *batch).tolist()
    assert play_match(there, UniformPlayer(), 4, games=100) == play_match(here, UniformPlayer(), 4, games=100)


@pytest.mark.parametrize(
    ("bot", "message"),
    [
        ("not_in_hand", r"bid \[16\], which is not in its hand"),
        ("words", "answered 'ace', which is no card and no mix"),
        ("nothing", "gave no answer"),
        ("sums_to_two", "gave a mix that does not sum to 1"),
        ("raises", "failed: ZeroDivisionError: division by zero"),
        ("WrongShape", r"gave an array of shape \(1, 17\) instead of \(1, 3\)"),
        ("Fails", "failed: RuntimeError: out of coffee"),
    ],
)
def test_wrong_answers_are_named_as_in_this_process(bot: str, message: str) -> None:
    player = load_player(f"bots:{bot}", 5, patience=SECONDS)
    with pytest.raises(PlayerError, match=f"^player {player.name} {message}.*: '{WHERE}'") as caught:
        ask(player, WHERE)
    one_line(caught)


@pytest.mark.parametrize("how", HANGS)
def test_a_function_that_never_answers_is_named_with_the_position(tmp_path: Path, how: str) -> None:
    name = written(tmp_path, HANGS[how])
    others = children()
    player = load_patiently(name, 1.0)
    before = ["A35/A24/24 5", "A35/A24/45 2"] if how == "second" else []
    with pytest.raises(PlayerError, match=f"^player {name} gave no answer within 1 seconds: '{WHERE}'$"):
        ask(player, *before, WHERE)
    assert children() <= others  # it was killed


@pytest.mark.parametrize("how", LEAVES)
def test_a_function_that_leaves_is_named_with_the_position(tmp_path: Path, how: str) -> None:
    source, message = LEAVES[how]
    name = written(tmp_path, source)
    with pytest.raises(PlayerError, match=f"^player {name} {message}.*: '{WHERE}'$") as caught:
        ask(load_patiently(name, SECONDS), WHERE)
    one_line(caught)


@pytest.mark.parametrize("how", NOT_LOADED)
def test_a_file_that_cannot_be_loaded(tmp_path: Path, how: str) -> None:
    source, message = NOT_LOADED[how]
    with pytest.raises(PlayerError, match=message) as caught:
        load_patiently(written(tmp_path, source), SECONDS)
    assert "bot.py:f" in one_line(caught)


def test_a_file_that_takes_too_long_to_load(tmp_path: Path) -> None:
    name = written(tmp_path, "while True: pass\n")
    with pytest.raises(PlayerError, match=f"^player {name} was not loaded within 1 seconds$"):
        load_patiently(name, 1.0)


def test_a_player_of_many_positions_that_never_answers(tmp_path: Path) -> None:
    source = "class f:\n    name, uses_lead = 'f', False\n    def mixes(self, batch):\n"
    name = written(tmp_path, source + "        while batch.upcard[0] == 5: pass\n        return [[1.0]] * len(batch)\n")
    player = load_patiently(name, 2.0)
    assert ask(player, *["2/3/- 4"] * (AT_ONCE + 1)).tolist() == [[1.0]] * (AT_ONCE + 1)
    with pytest.raises(PlayerError, match=f"^player {name} gave no answer within 2 seconds: '2/3/- 5'$"):
        ask(player, *["2/3/- 4"] * AT_ONCE, "2/3/- 5", "2/3/- 6")


def test_the_patience_is_for_each_answer_not_for_all(tmp_path: Path) -> None:
    """Twenty answers take longer than the patience, none of them does."""
    name = written(tmp_path, "import time\ndef f(position):\n    time.sleep(0.2)\n    return position.my_cards[0]\n")
    assert len(ask(load_patiently(name, 3.0), *[WHERE] * 20)) == 20


def test_a_match_ends_with_the_games_before_the_one_that_hangs(tmp_path: Path) -> None:
    """The process that was killed is started again for the games that are played singly."""
    source = Path(bots.__file__).read_text().replace("16 if", "hang() if") + "\ndef hang():\n    while True: pass\n"
    (tmp_path / "bot.py").write_text(source)
    done = run("match", f"{tmp_path}/bot.py:sometimes_wrong", "match", "--cards", "5", "--games", "500", "--no-control",
               *("--patience", "2", "--quiet"), store=tmp_path)  # fmt: skip
    assert done.returncode == 1
    assert "gave no answer within 2 seconds" in done.stderr
    assert done.stderr.count("\n") == 1
    wrong = load_player("bots:sometimes_wrong", 5)
    with pytest.raises(MatchStoppedError) as caught:
        play_match(wrong, BidUpcardPlayer(), 5, games=500)
    assert f"after {caught.value.result.games} finished games" in done.stderr


def test_what_a_player_prints_is_no_result(tables: Path, tmp_path: Path) -> None:
    source = "import os\ndef f(position):\n    print('thinking')\n    os.write(1, b'hard\\n')\n"
    name = written(tmp_path, source + "    return position.my_cards[0]\n")
    done = run("match", name, "uniform", "--cards", "3", "--games", "2", "--json", "--quiet", store=tables)
    assert the_json((done.returncode, done.stdout, done.stderr))["games"] == 2
    assert done.stderr == "thinking\nhard\n" * 6


def worker_of(process: Popen[str]) -> psutil.Process:
    """The process of the player, once it is hanging."""
    family: list[psutil.Process] = []

    def is_there() -> bool:
        family[:] = psutil.Process(process.pid).children()
        return bool(family) and "serve" in " ".join(family[0].cmdline())

    assert wait_until(is_there, process)
    return family[0]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL, signal.SIGTERM])
def test_the_process_of_a_player_ends_with_the_command(tmp_path: Path, number: signal.Signals) -> None:
    """Even when the player is in the middle of an answer that never comes."""
    source = f"from pathlib import Path\ndef f(position):\n    Path({str(tmp_path)!r}, 'asked').touch()\n"
    name = written(tmp_path, source + "    sum(range(10**13))\n")
    process = start("match", name, "uniform", "--cards", "3", "--no-control", "--quiet", store=tmp_path)
    assert wait_until((tmp_path / "asked").exists, process)
    worker = worker_of(process)
    process.send_signal(number)
    out, err = process.communicate()
    worker.wait(SECONDS)
    if number == signal.SIGINT:
        assert (process.returncode, out, err) == (1, "", "goofspiel: interrupted (after 0 finished games)\n")
    else:
        assert (process.returncode, out, err) == (-number, "", "")


def test_a_player_that_is_forgotten_takes_its_process_along() -> None:
    others = children()
    player = load_player("bots:lowest", 5, patience=SECONDS)
    (worker,) = children() - others
    assert np.isfinite(ask(player, WHERE)).all()
    del player
    assert not worker.is_running()


def test_without_patience_a_player_is_asked_in_this_process() -> None:
    others = children()
    player = load_player("bots:lowest", 5)
    assert isinstance(player, FunctionPlayer)
    assert player.choose(Position(WHERE)) == 1
    assert children() <= others
