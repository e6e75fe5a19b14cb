"""Drills: the same puzzles everywhere, scores against best responses, a course that adapts."""

import json
import signal
from pathlib import Path

import numpy as np
import pytest
from answers import with_upcard
from command import run
from fixtures import Call, Tablebases
from terminal import Terminal

from goofspiel.errors import OptionError, RecordError
from goofspiel.matches.course import Course
from goofspiel.matches.drills import HARDEST, THEMES, needs_a_mix, puzzle, score_card, score_mix
from goofspiel.position import Position
from goofspiel.rules import Rules
from goofspiel.tablebase.answer import Answer


@pytest.fixture
def probe(tablebase: Tablebases):  # type: ignore[no-untyped-def]
    def ask(position: Position, rules: Rules) -> Answer[float]:
        return with_upcard(tablebase(rules).probe(position))

    return ask


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_puzzles_are_of_their_theme_and_need_a_mix(theme, probe) -> None:  # type: ignore[no-untyped-def]
    for difficulty in range(1, HARDEST + 1):
        for number in range(4):
            key = f"{theme.name} {difficulty} {number}"
            found = puzzle(key, probe)
            assert found == puzzle(key, probe)
            position = found.position
            assert needs_a_mix(probe(position, found.rules))
            if theme.name == "first":
                assert position == Position.start(found.rules.cards, position.upcard)
            elif theme.name == "endgame":
                assert 3 <= position.level <= 5
            elif theme.name == "behind":
                assert position.lead < 0
                assert found.rules.has_leads
            else:
                assert position.upcard == found.rules.cards


def test_scores_are_those_of_the_matrix(probe) -> None:  # type: ignore[no-untyped-def]
    for number in range(8):
        found = puzzle(f"endgame 3 {number}", probe)
        answer = probe(found.position, found.rules)
        matrix = np.array(answer.matrix)
        perfect = score_mix(answer, dict(answer.mine))
        assert perfect.right
        assert perfect.exploitability == pytest.approx(0, abs=1e-9)
        for rank, card in enumerate(answer.position.my_cards):
            score = score_card(answer, card)
            assert score.exploitability == pytest.approx(answer.value - matrix[rank].min(), abs=1e-9)
            assert score.lost == pytest.approx(answer.regret[card], abs=1e-6)
            assert score.right == (answer.regret[card] <= 1e-6 * max(abs(answer.value), 1))
            assert score_mix(answer, {card: 1.0}).exploitability == pytest.approx(score.exploitability)
        even = dict.fromkeys(answer.mine, 2.0)
        lost = answer.value - (np.full(len(even), 1 / len(even)) @ matrix).min()
        assert score_mix(answer, even).lost == pytest.approx(lost)


def test_the_puzzle_of_the_day_depends_on_the_day(probe) -> None:  # type: ignore[no-untyped-def]
    days = [puzzle(f"daily 2026-11-{day}", probe) for day in range(10, 20)]
    assert len({str(day.position) for day in days}) > 6
    assert len({day.theme for day in days}) > 1


@pytest.mark.parametrize("key", ["", "endgame", "endgame 9 1", "endgame x 1", "nothing 1 1", "daily"])
def test_other_keys_are_refused(key: str, probe) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(OptionError):
        puzzle(key, probe)


def test_it_gets_harder_and_easier() -> None:
    course = Course()
    for _ in range(3):
        course = course.after(course.next("first"), right=True)
    assert (course.difficulty["first"], course.streak, course.best) == (2, 3, 3)
    for _ in range(2):
        course = course.after(f"first 2 {course.answered}", right=False)
    assert (course.difficulty["first"], course.streak, course.best) == (1, 0, 3)


def test_what_was_wrong_comes_back_until_it_was_right_twice() -> None:
    course = Course()
    wrong = course.next("king")
    course = course.after(wrong, right=False)
    seen = []
    for _ in range(9):
        key = course.next("king")
        seen.append(key)
        course = course.after(key, right=True)
    assert [place for place, key in enumerate(seen) if key == wrong] == [3, 7]
    assert not course.due
    assert Course.of(json.loads(json.dumps(course.to_json()))) == course
    with pytest.raises(RecordError):
        Course.of({"answered": 1})


def test_the_verb_scores_and_keeps_a_course(store: Path, tmp_path: Path) -> None:
    kept = tmp_path / "course.json"
    done = run(
        "train", "--puzzle", "first 1 0", "--course", str(kept), "--json", store=store, stdin="zz\nA 27 3 51 4 22\n"
    )
    (score,) = map(json.loads, done.stdout.splitlines())
    assert (score["right"], score["puzzle"], score["streak"]) == (True, "first 1 0", 1)
    assert "'zz' is no card of yours" in done.stderr
    assert json.loads(kept.read_text())["answered"] == 1
    kept.write_text("nonsense")
    done = run("train", "--course", str(kept), store=store, stdin="")
    assert (done.returncode, "move it away" in done.stderr) == (1, True)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda how: how.name)
def test_what_was_answered_is_kept_however_it_ends(how: signal.Signals, store: Path, tmp_path: Path) -> None:
    kept = tmp_path / "course.json"
    with Terminal("train", "--course", str(kept), env={"GOOFSPIEL_STORE": str(store)}) as terminal:
        terminal.wait_for("your bid, or mix?")
        terminal.press("A 50 2 50\n")
        terminal.wait_for("Streak", "your bid, or mix?")
        terminal.process.send_signal(how)
        code, shown = terminal.wait_for_end()
    assert json.loads(kept.read_text())["answered"] == 1
    assert code == (1 if how is signal.SIGINT else -how)
    assert ("interrupted: your course is kept" in shown) == (how is signal.SIGINT)


def test_on_a_terminal_lines_end_between_words(store: Path, tmp_path: Path) -> None:
    words = ("train", "--puzzle", "first 1 0", "--course")
    with Terminal(*words, str(tmp_path / "shown.json"), env={"GOOFSPIEL_STORE": str(store)}, size=(60, 24)) as terminal:
        terminal.wait_for("your bid, or mix?")
        terminal.press("A 50 2 50\n")
        code, shown = terminal.wait_for_end()
    assert code == 0
    assert max(map(len, shown.splitlines())) < 60
    whole = run(*words, str(tmp_path / "whole.json"), store=store, stdin="A 50 2 50\n").stdout
    assert max(map(len, whole.splitlines())) > 60
    assert shown.replace("your bid, or mix? A 50 2 50\n", "").split() == whole.split()


def test_a_course_that_cannot_be_kept_fails_in_the_end(call: Call, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for course in (tmp_path / "file" / "course.json", Path("/proc/course.json")):
        code, out, err = call("train", "--course", course, "--theme", "first", "--count", 2, stdin="A\n2\n")
        assert (code, out.count("longest"), err.count("\n")) == (1, 2, 1), (out, err)
        assert err.startswith(f"goofspiel: your course could not be kept in {course}: ")
        assert "partial" not in err


@pytest.mark.parametrize(
    "words",
    [
        ("--daily", "--theme", "first"),
        ("--daily", "--puzzle", "first 1 0"),
        ("--daily", "--count", "2"),
        ("--puzzle", "first 1 0", "--theme", "king"),
        ("--puzzle", "first 1 0", "--count", "2"),
    ],
)
def test_one_puzzle_has_no_theme_and_no_count(words: tuple[str, ...], call: Call) -> None:
    code, out, err = call("train", *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert words[-2] in err
