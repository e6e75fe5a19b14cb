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
        kind = {"DIR": ("Path", "_store"), "FILE": ("Path",), "K": None, None: ()}.get(str(action.metavar), ())
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
