"""Command lines drawn at random: each is done, or refused in one line."""

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

VERBS = ["solve", "verify", "info", "probe", "table", "match", "play", "respond", "review", "serve", "study", "sovle"]
CARDS = ["1", "2", "3", "4", "5", "0", "-1", "17", "99999999999999999999", "2.5", "five", ""]  # soon solved, or no game
POSITIONS = [
    "24/A3/4 5",
    "24/A3/45 -",
    "start 4 K",
    "start 3 2",
    "24/A3/Q K",
    "A/A/A -",
    "-",
    "A3/24/5 5",
    "24/A3/4 5 +2",
]
RECORDS = ["344 A5A 423 235 512", "2A3 33A A22", "2A3 33", "111 111", "record.txt", "cards: 3\n\n2A3"]
PLAYERS = [
    "uniform",
    "match",
    "match+1",
    "optimal",
    "optimal:win",
    "respond:match",
    "uniform,3=A",
    "bot.py:no",
    "human",
]
PATHS = ["/", "/api/v1/health", "/api/v1/probe?position=24/A3/4_5", "/api/v1/table?cards=x", "nothing", "/../x"]
STUDIES = ["parity", "chip", "objectives", "growth", "nothing"]
ARGUMENTS = {
    "probe": [POSITIONS],
    "table": [CARDS],
    "match": [PLAYERS, PLAYERS],
    "respond": [PLAYERS],
    "review": [RECORDS],
    "study": [STUDIES],
    "solve": [CARDS],
    "verify": [CARDS],
}
# What could take long has a small number, unless the line goes on with another.
BEFORE = {"match": ["--games", "20", "--cards", "4"], "respond": ["--cards", "4"], "study": ["--cards", "1-4"]}
OPTIONS = {
    "--cards": CARDS,
    "--objective": ["points", "win", "luck"],
    "--games": ["1", "50", "0", "x"],
    "--seed": ["0", "7", "-1", "x"],
    "--threads": ["1", "2", "0"],
    "--samples": ["1", "5", "-5"],
    "--positions": ["1", "5", "-5"],
    "--digits": ["0", "3", "100", "x"],
    "--side": ["mine", "theirs", "ours"],
    "--figure": ["a.png", "a.gif", "nowhere/a.svg"],
    "--memory": ["1G", "1", "x"],
    "--dtype": ["float64", "float32", "fixed32", "fixed24", "int"],
    "--keep": ["all", "last", "none"],
    "--lock": ["3=A", "K=K", "x"],
    "--opponent": PLAYERS,
    "--patience": ["1", "0"],
    "--store": ["store", "nowhere", "record.txt", "http://[", "s3://x", ""],
}
BESIDES = {"--help", "--open", "--host", "--port", "--cluster"}  # they wait for others
LETTERS = "A23456789TJQK/ +-_.:,=*%\\'\"\n\té²\u202e\udcff😀"


def drawn(chance: random.Random, options: dict[str, list[str]]) -> list[str]:
    """A command line: mostly one that could be meant, with something wrong here and there; by verb, its options."""
    verb = chance.choice(VERBS)
    words = [chance.choice(pool) for pool in ARGUMENTS.get(verb, [])]
    fitting = options[verb] if verb in options and chance.random() < 0.9 else sorted(OPTIONS)
    for option in chance.sample(fitting, chance.randint(0, 2)):
        words += [option, chance.choice(OPTIONS[option])] if option in OPTIONS else [option]
    if chance.random() < 0.15:
        words.insert(chance.randint(0, len(words)), "".join(chance.choices(LETTERS, k=chance.randint(1, 12))))
    if chance.random() < 0.1 and words:
        words.pop(chance.randrange(len(words)))
    return [verb, *BEFORE.get(verb, []), *words, *(["--get", chance.choice(PATHS)] if verb == "serve" else [])]


def test_whatever_is_typed(
    call: Callable[..., tuple[int, str, str]],
    games: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    repeats: Callable[[int, int], int],
    tally: Callable[[str, int], None],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GOOFSPIEL_STORE", str(tmp_path / "store"))
    (tmp_path / "record.txt").write_text("cards: 3\n\n2A3 33A A22\n")
    count = repeats(100, 2000)
    tally("command lines", count)
    options = {verb: sorted({*re.findall("--[a-z-]+", call(verb, "--help")[1])} - BESIDES) for verb in VERBS[:-1]}
    seen = {0: 0, 1: 0, 2: 0}
    for seed in range(count):
        words = drawn(random.Random(seed), options)
        code, out, err = call(*words, stdin="24/A3/4 5\n3\n")
        assert code in seen, words
        seen[code] += 1
        last = err.splitlines()[-1] if err else ""
        if code == 2:
            assert (out, last.partition(" ")[0].rstrip(":")) == ("", "goofspiel"), (words, out, err)
            assert err.count("\n") == 1, (words, err)
        elif code == 1:
            assert "goofspiel: " in last or (words[0] == "verify" and out), (words, out, err)
        assert "Traceback" not in err, words
    assert min(seen.values()) > count / 20, seen
