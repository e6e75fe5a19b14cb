"""Bots in any language: whole matches through their lines, every fault named, and the engine that speaks them."""

import os
import shutil
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from answers import with_upcard
from command import run
from fixtures import Tablebases

import goofspiel as gs
from goofspiel.best_response.response import respond
from goofspiel.errors import GoofspielError, PlayerError
from goofspiel.interop.engine import Engine
from goofspiel.matches.playing import play_match
from goofspiel.players import bot
from goofspiel.players.players import FunctionPlayer
from goofspiel.position import Position
from goofspiel.roster import load_hidden_player, load_player
from goofspiel.rules import Rules

BOTS = Path(__file__).parent.parent / "examples/bots"
HELLO = "import sys, time, os\ndef say(*lines):\n    print(*lines, sep='\\n', flush=True)\n"
LOOP = "for line in sys.stdin:\n    word = line.split()[0]\n    if word in ('goofspiel', 'rules'): say('ready')\n"


def python_bot(folder: Path, on_go: str, loop: str = LOOP) -> str:
    """A bot that does this when it is to bid; the name of its player."""
    file = folder / "bot.py"
    file.write_text(f"{HELLO}{loop}    if word == 'go': {on_go}\n", encoding="utf-8")
    return f"cmd:{sys.executable} {file}"


@pytest.fixture(scope="module")
def highest(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The bot in C."""
    program = tmp_path_factory.mktemp("bots") / "highest"
    subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", program, BOTS / "highest.c"], check=True)
    return f"cmd:{program}"


def like_highest(position: Position) -> int:
    return position.my_cards[-1 if 2 * position.upcard > 7 else 0]


def near() -> str:
    """The bot in JavaScript."""
    return f"cmd:{shutil.which('node')} {BOTS / 'near.mjs'}"


# --- what they say is what they play


def test_a_bot_in_c_plays_what_it_says(highest: str) -> None:
    player = load_player(highest, 6)
    assert (player.name, player.uses_lead) == ("cmd:highest", False)
    expected = FunctionPlayer(like_highest, "the same", uses_lead=False)
    assert respond(player, 6).value == respond(expected, 6).value
    other = load_player("uniform", 6)
    assert play_match(player, other, 6, games=40).points == play_match(expected, other, 6, games=40).points


@pytest.mark.skipif(not shutil.which("node"), reason="no node here")
@pytest.mark.parametrize("rules", ["16", "13 win carry", "5 prizes=1,1,2,5,40", "6 order=descending rounds=3"])
def test_the_reference_bots_play_each_other_under_all_rules(highest: str, rules: str) -> None:
    players = load_player(highest, rules), load_player(near(), rules)
    result = play_match(*players, Rules.parse(rules), games=6, seed=1)
    assert result.games == 6
    assert [player.name for player in players] == ["cmd:highest", "cmd:near"]


def test_a_mix_is_taken_as_it_is(tmp_path: Path) -> None:
    player = load_player(python_bot(tmp_path, "say('info thinking', 'mix 2 0.25 4 0.75')"), 5)
    assert isinstance(player, FunctionPlayer)
    assert player.choose(Position("24/A3/4 5")) == {2: 0.25, 4: 0.75}


# --- faults


@pytest.mark.parametrize(
    ("on_go", "said"),
    [
        ("sys.exit(3)", "ended (exit code 3)"),
        ("os.kill(os.getpid(), 9)", "ended (signal SIGKILL)"),
        ("time.sleep(99)", "gave no answer within 0.3 seconds"),
        ("say(*['info'] * 20000)", "said more than 10000 lines instead of bid or mix"),
        ("say('x' * 200000)", "said a line of more than 65536 bytes"),
        ("os.write(1, b'\\xff\\n')", "said what is no text"),
        ("say('hello')", "said 'hello' instead of bid or mix"),
        ("say('error I am lost')", "refused: I am lost"),
        ("say('bid 5')", "bid 5, which is not in its hand"),
        ("say('bid')", "answered 'bid', which is no bid as in 'bid A' and no mix as in 'mix A 1'"),
        ("say('mix 2 0.5 4')", "answered 'mix 2 0.5 4', which is no bid"),
        ("say('mix 2 half 4 half')", "answered 'mix 2 half 4 half', which is no bid"),
        ("say('mix 2 0.5 4 0.6')", "gave a mix that does not sum to 1"),
        ("os.close(1); time.sleep(99)", "ended (it closed its standard output)"),
    ],
)
def test_a_fault_is_named_with_its_position(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, on_go: str, said: str
) -> None:
    player = load_player(python_bot(tmp_path, on_go), 5, patience=30)
    assert isinstance(player, FunctionPlayer)
    if "0.3" in said:  # it may take longer to begin
        monkeypatch.setattr(player.choose.__self__, "_patience", 0.3)  # type: ignore[attr-defined]
    with pytest.raises(GoofspielError) as error:
        play_match(player, load_player("uniform", 5), 5, games=1)
    text = str(error.value)
    assert f"player {player.name} {said}" in text
    assert "\n" not in text


@pytest.mark.parametrize(
    ("loop", "said"),
    [
        ("for line in sys.stdin:\n    word = 'x'; say('no')\n", "said 'no' instead of ready"),
        ("for line in sys.stdin:\n    word = 'x'; say('error too many cards')\n", "refused: too many cards"),
        ("sys.exit(0)\nwhile 1:\n    word = ''\n", "ended (exit code 0)"),
    ],
)
def test_a_bot_that_does_not_begin_is_named(tmp_path: Path, loop: str, said: str) -> None:
    with pytest.raises(PlayerError, match=f"^player cmd:.* {said.replace('(', '.').replace(')', '.')}"):
        load_player(python_bot(tmp_path, "pass", loop), 5, patience=30)


@pytest.mark.parametrize(
    ("command", "said"),
    [("cmd:", "names no command"), ("cmd:./nowhere x", "cannot be started: No such"), ("cmd:'x", "No closing quot")],
)
def test_a_command_that_is_none(command: str, said: str) -> None:
    with pytest.raises(PlayerError, match=said):
        load_player(command, 5)


def test_after_a_fault_it_is_started_anew(tmp_path: Path) -> None:
    once = tmp_path / "once"
    player = load_player(
        python_bot(tmp_path, f"os.path.exists({str(once)!r}) or (open({str(once)!r}, 'w'), sys.exit(1)); say('bid 2')"),
        5,
    )
    assert isinstance(player, FunctionPlayer)
    with pytest.raises(PlayerError, match="exit code 1"):
        player.choose(Position("24/A3/4 5"))
    assert player.choose(Position("24/A3/4 5")) == 2


def test_all_that_it_started_ends_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot, "LEAVE_SECONDS", 0.1)
    number = tmp_path / "pid"
    child = "import subprocess; pid = subprocess.Popen(['sleep', '600']).pid; "
    child += f"open({str(number)!r}, 'w').write(str(pid)); say('bid 2')"
    player = load_player(python_bot(tmp_path, child), 5)
    assert isinstance(player, FunctionPlayer)
    player.choose(Position("24/A3/4 5"))
    pid = int(number.read_text())
    os.kill(pid, 0)
    del player
    deadline = time.monotonic() + 30
    while Path(f"/proc/{pid}").exists() and "Z" not in Path(f"/proc/{pid}/stat").read_text():
        assert time.monotonic() < deadline


def test_a_match_ends_in_order(tables: Path, tmp_path: Path) -> None:
    name = python_bot(tmp_path, "sys.exit(3)")
    done = run("match", name, "uniform", "--cards", "4", "--quiet", store=tables)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "ended (exit code 3)" in done.stderr


# --- the engine


def said(store: Path, *lines: str, seed: int | None = None) -> list[str]:
    """What the engine of an optimal player answers; with a seed it draws its bids."""
    load = partial(load_player, "optimal", store=store)
    load_hidden = partial(load_hidden_player, "optimal", store=store)
    return list(Engine("optimal", load, load_hidden, bids=seed is not None, seed=seed).answers(iter(lines)))


def test_an_engine_says_what_the_tablebase_says(tablebase: Tablebases, store: Path) -> None:
    hello = ["id name optimal", "ready", "ready"]
    *begun, mix = said(store, "goofspiel 1", "rules 5", "position 24/A3/4 5", "go 1", "quit", "go")
    assert begun == hello
    cards, shares = mix.split()[1::2], mix.split()[2::2]
    assert cards == ["2", "4"]
    assert [float(share) for share in shares] == pytest.approx(
        list(with_upcard(tablebase(5).probe("24/A3/4 5")).mine.values())
    )


@pytest.mark.parametrize(
    ("lines", "said_last"),
    [
        (["goofspiel 2"], "error 'goofspiel 1' is spoken here, not 'goofspiel 2'"),
        (["rules 99"], "error number of cards must be 1 to 16"),
        (["position 24/A3/4 5"], "error first the rules"),
        (["rules 5", "go"], "error first a position"),
        (["rules 5", "position 24/A3/45 -", "go"], "error no upcard is shown"),
        (["rules 5", "position x", "go"], "error first a position"),
        (["rules 5", "position 24/A3/4 5", "position x", "go"], "error first a position"),
        (["stop"], "error goofspiel, rules, position, go or quit, not 'stop'"),
    ],
)
def test_an_engine_refuses_in_one_line(store: Path, lines: list[str], said_last: str) -> None:
    assert said(store, *lines)[-1].startswith(said_last)


def test_bids_that_are_drawn_follow_the_mix_and_the_seed(store: Path) -> None:
    asked = ["rules 5", "position 24/A3/4 5", *["go"] * 2000]
    bids = said(store, *asked, seed=1)[1:]
    assert bids == said(store, *asked, seed=1)[1:]
    share = with_upcard(gs.open_tablebase(5, store=store).probe("24/A3/4 5")).mine[2]
    assert bids.count("bid 2") / 2000 == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / 2000))


def test_the_engine_of_the_command_plays_a_match_like_the_player_itself(tables: Path) -> None:
    command = f"{Path(sys.executable).parent / 'goofspiel'} engine --store {tables}"
    engine, optimal, other = (load_player(name, 4, store=tables) for name in (f"cmd:{command}", "optimal", "match"))
    found, wanted = (play_match(player, other, 4, games=200, seed=5) for player in (engine, optimal))
    assert found.points == wanted.points
