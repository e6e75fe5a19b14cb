"""The rules of the command line, for every verb: one meaning a name."""

import argparse
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from fixtures import Call

from goofspiel.cli.command import all_commands

FORMS = ("--json", "--csv", "--latex")
SUBJECT_IS_A_TABLE = ("solve", "table", "verify", "info")
SILENT = {"engine", "completion"}  # they print no result, but speak to a program
PICTURES = {"table", "study", "review", "judge"}
RULES = {"--objective", "--ties", "--order", "--prizes", "--rounds", "--bids"}
# A number where there is one game, a list where there are several: a number is a list, too.
CARDS = {("N", "game", "number of cards"), ("LIST", "card_list", "numbers of cards")}


def verbs() -> dict[str, argparse.ArgumentParser]:
    (found,) = [one for one in all_commands().parser._actions if isinstance(one, argparse._SubParsersAction)]
    return dict(found.choices)


def shown(command: argparse.ArgumentParser) -> list[argparse.Action]:
    """What is in its help."""
    return [one for one in command._actions if one.help is not argparse.SUPPRESS and one.dest != "help"]


def options() -> Iterator[tuple[str, str, argparse.Action]]:
    """Verb, option, what it does."""
    for verb, command in verbs().items():
        for action in shown(command):
            for name in action.option_strings:
                yield verb, name, action


def stem(action: argparse.Action) -> str:
    """How its help text begins, up to what the verb adds."""
    return re.split("[,:;(]", action.help or "")[0].strip()


def form(action: argparse.Action) -> tuple[object, ...]:
    """What may be typed behind it."""
    convert = getattr(action.type, "__name__", None)
    return type(action).__name__, action.nargs, action.metavar, convert


def test_an_option_means_the_same_with_every_verb() -> None:
    meanings = defaultdict(set)
    for _, name, action in options():
        if name == "--cards":
            assert (action.metavar, getattr(action.type, "__name__", ""), stem(action)) in CARDS
        else:
            meanings[name].add((form(action), stem(action)))
    assert {name: found for name, found in meanings.items() if len(found) > 1} == {}


def test_choices_are_the_same_or_fewer() -> None:
    """`site --dtype` takes what a browser reads."""
    choices = defaultdict(set)
    for _, name, action in options():
        if action.choices is not None:
            choices[name].add(tuple(action.choices))
    for name, found in choices.items():
        most = max(found, key=len)
        assert all(set(some) <= set(most) for some in found), name
    assert {name for name, found in choices.items() if len(found) > 1} <= {"--dtype"}


@pytest.mark.parametrize("verb", verbs())
def test_every_verb_keeps_the_rules(verb: str) -> None:
    command = verbs()[verb]
    actions = {name: action for action in shown(command) for name in action.option_strings}
    words = [action for action in shown(command) if not action.option_strings]
    assert not command.allow_abbrev
    # which game
    assert any(word.metavar == "N" for word in words) == (verb in SUBJECT_IS_A_TABLE)
    if verb in SUBJECT_IS_A_TABLE:
        assert (words[0].metavar, getattr(words[0].type, "__name__", "")) == ("N", "game")
        assert "--cards" not in actions
        assert actions.keys() >= RULES
    elif "--cards" in actions and actions["--cards"].metavar == "N":
        assert actions.keys() >= RULES
    else:
        assert "--cards" in actions or not RULES & actions.keys()
    # what is printed, and how
    assert ("--json" in actions) == (verb not in SILENT)
    printed = [action for name, action in actions.items() if name in FORMS]
    assert all(action.nargs == 0 for action in printed)
    if len(printed) > 1:
        assert [group._group_actions for group in command._mutually_exclusive_groups] == [printed]
    assert ("--figure" in actions) == (verb in PICTURES)
    assert not {"--output", "--out", "-o"} & actions.keys()
    assert ("--format" in actions) == (verb == "export")  # of its files
    # metavars say what kind of thing it is
    for name, action in actions.items():
        kind = {"DIR": ("Path", "folder_or_url"), "FILE": ("Path",), "K": None, None: ()}.get(str(action.metavar), ())
        convert = getattr(action.type, "__name__", "")
        if action.nargs == 0 or action.choices is not None:
            assert action.metavar is None, name
        elif kind is None:
            assert action.type is not None, name
            with pytest.raises(argparse.ArgumentTypeError, match=r"must be \d+ to \d+, not '-1'"):
                action.type("-1")  # type: ignore[operator]
        elif kind:
            assert convert in kind, name
        else:
            assert action.metavar, name
        assert action.help, name


def test_old_spellings_are_refused_by_name() -> None:
    """And are not in the help, nor the name of something else."""
    for verb, command in verbs().items():
        retired = [one for one in command._actions if one.dest == "retired"]
        assert all(one.help is argparse.SUPPRESS for one in retired), verb
        names = [name for one in command._actions for name in one.option_strings]
        assert len(names) == len(set(names))


def test_a_game_is_a_number_or_all_of_its_rules(call: Call, tmp_path: Path) -> None:
    for verb in SUBJECT_IS_A_TABLE:
        code, out, _ = call(verb, "3 win carry", "--json", "--store", tmp_path)
        assert (code, '"3 win carry"' in out) == (0, True), verb
    for words in (("match", "uniform", "match", "--games", 2), ("respond", "match"), ("probe", "3/2/- A 0 2")):
        code, out, _ = call(*words, "--cards", "3 win carry", "--json", "--store", tmp_path)
        assert (code, '"3 win carry"' in out) == (0, True), words


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("export", "out", "--cards", "4", "--seed", "3"), "--seed: only --positions and --games draw"),
        (("match", "uniform", "match", "--patience", "3"), "--patience: only functions and programs of your own"),
        (("respond", "mix(50 match, 50 uniform)", "--patience", "3"), "--patience: only functions and programs"),
        (("play", "--opponent", "match", "--patience", "3"), "--patience: only functions and programs"),
        (("play", "--cards", "4", "some file"), "'some file': a saved game goes on with --resume"),
        (("table", "4", "--bids", "hidden"), "table takes only games with open bids, not '4 hidden'"),
        (("export", "out", "--cards", "4 hidden"), "export takes only games with open bids, not '4 hidden'"),
        (("review", "2A3 33A A22", "--cards", "3 hidden"), "review takes only games with open bids, not '3 hidden'"),
        (("review", "2A3 33A A22", "--bids", "hidden"), "review takes only games with open bids, not --bids hidden"),
        (("table", "5", "--csv", "out.csv"), "unrecognized arguments: out.csv; it is now the shell that writes a file"),
        (("table", "5", "--format", "json"), "--format is now --json, --csv or --latex"),
        (("table", "5", "--output", "file"), "--output is now the shell that writes a file"),
        (("probe", "start 4", "--format", "json"), "--format is now --json or --csv"),
        (("probe", "start 4", "--output", "file"), "--output is now the shell that writes a file"),
    ],
)
def test_what_would_have_no_effect_is_refused(
    words: tuple[str, ...], said: str, call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GOOFSPIEL_GAMES", str(tmp_path / "games"))
    code, out, err = call(*words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err


@pytest.mark.parametrize("rule", ["9=A", "4=9", "3=A*0.5+5*0.5"])
def test_a_rule_for_what_never_comes_is_refused(rule: str, call: Call) -> None:
    code, out, err = call("respond", "match", "--cards", 4, "--lock", rule)
    assert (code, out) == (2, "")
    assert err == f"goofspiel: --lock {rule}: the game '4' has no such prize, or no such card\n"


def test_a_file_is_no_store(call: Call, tmp_path: Path) -> None:
    (file := tmp_path / "file").touch()
    assert call("info", "--store", file) == (1, "", f"goofspiel: {file} is a file, a store of tables is a folder\n")
    assert call("info", "--store", tmp_path / "nothing")[0] == 0


@pytest.mark.parametrize("url", ["https://", "http:///", "https://?"])
def test_a_url_without_a_host_is_quoted(url: str, call: Call) -> None:
    code, out, err = call("get", url)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert f"{url!r} cannot be reached" in err


def test_a_person_plays_one_game_after_the_other(call: Call) -> None:
    code, _, err = call("match", "human", "optimal", "--cards", 4, "--games", 4, "--quiet")
    assert (code, err.count("Your lead is"), err.count("there are no more bids to read")) == (1, 1, 1)
    code, _, err = call("match", "human", "match", "--cards", 2, "--games", 2, "--quiet", stdin="A\n2\n2\nA\n")
    leads = [int(line.split()[3].strip(".")) for line in err.splitlines() if "Your lead" in line]
    assert (code, len(leads), leads[0], leads[2]) == (0, 4, 0, 0)
