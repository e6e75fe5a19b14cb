"""Hidden bids through the lines of bots: what they say is what they play, every fault is named, and the engine."""

import json
import shutil
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from command import COMMAND, run
from test_bots import BOTS, highest, python_bot, said

from goofspiel.errors import GoofspielError, PlayerError
from goofspiel.hidden.answer import probe_hidden
from goofspiel.hidden.information import InformationSet
from goofspiel.hidden.players import HiddenFunctionPlayer, all_mixes, respond_hidden
from goofspiel.hidden.playing import play_hidden_match
from goofspiel.hidden.sets import information_sets
from goofspiel.hidden.solving import open_policy
from goofspiel.roster import load_hidden_player
from goofspiel.rules import Rules

__all__ = ["highest"]  # the fixture
DESCENDING = Rules.parse("4 hidden order=descending")
NEEDS_NODE = pytest.mark.skipif(not shutil.which("node"), reason="no node here")


def near_name() -> str:
    return f"cmd:{shutil.which('node')} {BOTS / 'near.mjs'}"


def near(seen: InformationSet) -> dict[int, float]:
    """What the bot in JavaScript is said to do."""
    found = sorted(seen.hand, key=lambda card: (abs(card - seen.upcard), card))[:3]
    return dict.fromkeys(found, 1 / len(found))


# --- what they say is what they play


@NEEDS_NODE
@pytest.mark.parametrize("text", ["4 hidden", "5 win hidden order=3,1,4,2,5", "5 carry hidden rounds=2"])
def test_the_reference_bot_plays_what_it_says(text: str) -> None:
    rules = Rules.parse(text)
    player, expected = load_hidden_player(near_name(), rules, patience=60), HiddenFunctionPlayer(near, "the same")
    assert player.name == "cmd:near"
    sets = information_sets(rules)
    assert np.array_equal(all_mixes(player, sets), all_mixes(expected, sets))
    assert respond_hidden(player, rules).value == respond_hidden(expected, rules).value
    other = load_hidden_player("uniform", rules)
    points = [play_hidden_match(one, other, rules, games=30, seed=2).points for one in (player, expected)]
    assert points[0] == points[1]


@NEEDS_NODE
def test_the_verbs_take_it(tmp_path: Path) -> None:
    rules = ("--cards", "3", "--order", "descending", "--bids", "hidden")
    responded = run("respond", near_name(), *rules, "--json", store=tmp_path)
    value = respond_hidden(HiddenFunctionPlayer(near, "the same"), Rules.parse("3 hidden order=descending")).value
    assert json.loads(responded.stdout)["value"] == pytest.approx(value)
    matched = run("match", near_name(), f"respond:{near_name()}", *rules, "--games", "20", "--json", store=tmp_path)
    assert json.loads(matched.stdout)["players"] == ["cmd:near", "respond:cmd:near"]
    played = run("play", *rules, "--opponent", near_name(), "--seed", "1", store=tmp_path, stdin="3\n2\n")
    assert (played.returncode, played.stderr) == (0, "")
    assert "Prize, your bid, their bid: 33" in played.stdout


def test_a_bot_that_plays_only_open_bids_says_so(highest: str) -> None:
    with pytest.raises(PlayerError, match=r"^player cmd:highest refused: bids must be open$"):
        load_hidden_player(highest, DESCENDING)


def test_a_bot_that_draws_plays_matches_and_has_no_best_response(tmp_path: Path) -> None:
    draws = "import random; say('bid ' + random.choice(['A', '2', '3', '4']))"
    rules = Rules.parse("4 hidden rounds=1")
    player = load_hidden_player(python_bot(tmp_path, draws), rules, patience=60)
    result = play_hidden_match(player, load_hidden_player("match", rules), rules, games=400)
    assert 0 < result.draws < 400  # it is asked in every game anew
    with pytest.raises(PlayerError, match=r"and when asked again with .*its mix, card → probability, not a card that"):
        respond_hidden(player, rules)


# --- faults


@pytest.mark.parametrize(
    ("on_go", "said_of_it"),
    [
        ("sys.exit(3)", "ended (exit code 3)"),
        ("time.sleep(99)", "gave no answer within 1 seconds"),
        ("say(*['info'] * 20000)", "said more than 10000 lines instead of bid or mix"),
        ("say('hello')", "said 'hello' instead of bid or mix"),
        ("say('error I am lost')", "refused: I am lost"),
        ("say('bid')", "answered 'bid', which is no bid as in 'bid A' and no mix as in 'mix A 1'"),
        ("say('bid 5')", "bids 5"),
        ("say('mix 2 0.5 4 0.6')", "has chances that do not sum to 1"),
    ],
)
def test_a_fault_is_named_with_what_it_had_seen(tmp_path: Path, on_go: str, said_of_it: str) -> None:
    name = python_bot(tmp_path, on_go)
    patience = ("--patience", "1") if "within" in said_of_it else ()
    done = run("match", name, "uniform", "--cards", "4", "--bids", "hidden", "--quiet", *patience, store=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert f"player {name} {said_of_it}" in done.stderr
    assert any(f"'{prize}'" in done.stderr for prize in "A234")


def test_where_nobody_is_timed_a_time_is_refused(tmp_path: Path) -> None:
    for verb in (("match", "uniform", "match"), ("respond", "uniform"), ("play",)):
        done = run(*verb, "--cards", "3", "--bids", "hidden", "--patience", "5", store=tmp_path)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert "--patience: where bids are hidden, only players of the kind cmd:COMMAND are timed" in done.stderr


# --- the engine


def test_an_engine_says_what_the_policy_says(store: Path) -> None:
    *begun, mix = said(store, "goofspiel 1", f"rules {DESCENDING}", "position 43- 3", "go")
    assert begun == ["id name optimal", "ready", "ready"]
    expected = probe_hidden(open_policy(DESCENDING, store=store), "43- 3").mix
    cards, shares = mix.split()[1::2], mix.split()[2::2]
    assert dict(zip(cards, map(float, shares), strict=True)) == {
        "A" if card == 1 else str(card): share for card, share in expected.items() if share
    }
    open_again = said(store, f"rules {DESCENDING}", "rules 5", "position 24/A3/4 5", "go")
    assert open_again[-1].startswith("mix 2 ")


@pytest.mark.parametrize(
    ("lines", "said_last"),
    [
        (["position 4A+ 3"], "error no bids of the other can have led to these outcomes: '4A+ 3'"),
        (["position 24/A3/4 5"], "error where bids are hidden, an information set is written as rounds"),
        (["go"], "error first a position, as in 'position 53+ 4'"),
        (["position 43- 3", "rules 4 hidden", "go"], "error first a position, as in 'position 53+ 4'"),
    ],
)
def test_an_engine_refuses_in_one_line(store: Path, lines: list[str], said_last: str) -> None:
    assert said(store, f"rules {DESCENDING}", *lines)[-1].startswith(said_last)


def test_bids_that_are_drawn_follow_the_mix(store: Path) -> None:
    answer = probe_hidden(open_policy("4 hidden", store=store), "2")
    bids = said(store, "rules 4 hidden", "position 2", *["go"] * 2000, seed=1)[1:]
    for card, share in answer.mix.items():
        found = bids.count(f"bid {'A' if card == 1 else card}") / 2000
        assert found == pytest.approx(share, abs=4 * np.sqrt(max(share * (1 - share), 1e-9) / 2000))


def test_the_engine_of_the_command_plays_as_the_policy_itself(tmp_path: Path) -> None:
    load = partial(load_hidden_player, rules=DESCENDING, store=tmp_path)
    optimal, engine = load("optimal"), load(f"cmd:{COMMAND} engine --store {tmp_path}")
    sets = information_sets(DESCENDING)
    assert np.array_equal(all_mixes(engine, sets), all_mixes(optimal, sets))
    other = load("match")
    found, wanted = (play_hidden_match(player, other, DESCENDING, games=50, seed=5) for player in (engine, optimal))
    assert found.points == wanted.points


def test_a_program_that_is_none_is_one_line() -> None:
    for name, reason in (("cmd:", "names no command"), ("cmd:./nowhere", "cannot be started: No such")):
        with pytest.raises(GoofspielError, match=reason):
            load_hidden_player(name, DESCENDING)
