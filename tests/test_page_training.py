"""Train, Habits and the opponent that adapts, in a real browser, against what the library says."""

import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from answers import with_upcard
from browser import PHONE, SHIFTS, Visit, misfits, texts
from command import PATIENCE, run
from fixtures import Tablebases
from playwright.sync_api import Locator, Page, expect

from goofspiel.cards import card_name
from goofspiel.matches.course import Course
from goofspiel.matches.drills import THEMES, Puzzle, puzzle, score_card, score_mix
from goofspiel.position import Position
from goofspiel.records.adapting import model_of
from goofspiel.records.habits import habits
from goofspiel.records.record import GameRecord, Round, read_records
from goofspiel.render.habits import habits_json
from goofspiel.rules import Rules
from goofspiel.tablebase.answer import Answer
from goofspiel.tablebase.asking import settled

Visitor = Callable[..., Visit]
SPOKEN = {1: "Ace"}
RANGE_KEYS = ["ArrowRight"] * 3 + ["PageUp"] * 2


class Trainer:
    """The room Train, and what the library says of the same puzzles."""

    def __init__(self, at: Visit, tablebase: Tablebases) -> None:
        self.at, self.page, self._tablebase = at, at.page, tablebase

    def probe(self, position: Position, rules: Rules) -> Answer[float]:
        return with_upcard(settled(self._tablebase(rules).probe(position), 3))

    def open(self, path: str = "/train/") -> None:
        self.at.open(path)
        expect(self.page.locator(".drill[data-phase=bid]")).to_be_visible()

    def shows(self, key: str) -> tuple[Puzzle, Answer[float]]:
        """Wait until it is this puzzle: both hands, the prize, what is to come, the lead."""
        found = puzzle(key, self.probe)
        position, felt = found.position, self.page.locator(".drill[data-phase=bid]")
        theirs = ", ".join(SPOKEN.get(card, str(card)) for card in position.their_cards)
        expect(felt.get_by_role("group", name=f"Their hand: {theirs}")).to_be_visible()
        mine = [SPOKEN.get(card, str(card)) for card in position.my_cards]
        expect(self.hand).to_have_count(len(mine))
        assert [button.get_attribute("aria-label") for button in self.hand.all()] == [f"Bid {card}" for card in mine]
        expect(felt.locator(".said")).to_contain_text(f"for the {SPOKEN.get(position.upcard, position.upcard)}?")
        expect(felt.locator(".deck b")).to_have_text(" ".join(map(card_name, position.deck)) or "nothing")
        behind = f"You are {-position.lead} point{'s' * (position.lead < -1)} behind."
        assert (behind in felt.locator(".said").inner_text()) == (position.lead < 0)
        expect(self.page.locator(".about strong")).to_have_text(found.theme.title)
        return found, self.probe(position, found.rules)

    @property
    def hand(self) -> Locator:
        return self.page.get_by_role("group", name="Your hand").get_by_role("button")

    @property
    def said(self) -> str:
        return self.page.locator(".drill .said").inner_text().replace("\n", " ").strip()

    def course(self) -> Course:
        return Course.of(stored(self.page, "course"))

    def scored(self) -> None:
        expect(self.page.locator(".drill[data-phase=answered]")).to_be_visible()

    def go_on(self) -> None:
        self.page.wait_for_timeout(450)  # a double click is one: the verdict is seen first
        self.page.keyboard.press("n")
        expect(self.page.locator(".drill[data-phase=bid]")).to_be_visible()
        self.at.answered()


@pytest.fixture
def trainer(visit: Visitor, tablebase: Tablebases) -> Trainer:
    return Trainer(visit(), tablebase)


def cards_of(answer: Answer[float], *, right: bool) -> list[int]:
    return [card for card in answer.mine if score_card(answer, card).right is right]


# --- Train


def test_cards_are_scored_as_by_the_library(trainer: Trainer) -> None:
    """Four puzzles of the course, one of each theme, right and wrong ones; the course goes the library's way."""
    trainer.open()
    course = Course()
    for number in range(4):
        found, answer = trainer.shows(course.next())
        assert found.theme == THEMES[number]
        wrong = cards_of(answer, right=False)
        card = wrong[-1] if wrong and number % 2 else cards_of(answer, right=True)[0]
        trainer.page.get_by_role("button", name=f"Bid {SPOKEN.get(card, card)}", exact=True).click()
        trainer.scored()
        score = score_card(answer, card)
        assert trainer.said == f"{'Right.' if score.right else 'Not so.'} {score.why}"
        numbers = [float(text.split()[0].replace("−", "-")) for text in texts(trainer.page.locator(".total strong"))]
        expected = [answer.regret[card] if not score.right else 0, score.exploitability, answer.value]
        assert numbers == pytest.approx(expected, abs=0.00051)
        shown = [text.split()[0] for text in texts(trainer.page.locator(".paired td:nth-child(4)"))]
        if answer.unique and not answer.interchangeable:
            assert [float(share) for share in shown] == pytest.approx([100 * p for p in answer.mine.values()], abs=0.06)
        course = course.after(found.key, right=score.right)
        assert trainer.course() == course
        trainer.go_on()
    assert course.answered == 4


def test_a_mix_is_set_by_the_keyboard_alone(trainer: Trainer) -> None:
    """From the top of the page: Tab to the bars, arrows and paging keys, Enter; then n for the next."""
    trainer.open("/train/?theme=first")
    page = trainer.page
    _, answer = trainer.shows("first 1 0")
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.type") == "range":
            break
    bars = page.locator(".sliders input")
    for rank in range(4):
        for key in [*RANGE_KEYS * (rank + 1), "ArrowLeft"]:
            page.keyboard.press(key)
        if rank < 3:
            page.keyboard.press("Tab")
    shares = {card: float(bar.input_value()) for card, bar in zip(answer.mine, bars.all(), strict=True)}
    assert len(set(shares.values())) == 4
    whole = sum(shares.values())
    said = [bar.get_attribute("aria-valuetext") for bar in bars.all()]
    assert [float((text or "").split("\N{NO-BREAK SPACE}")[0]) for text in said] == pytest.approx(
        [100 * share / whole for share in shares.values()], abs=0.06
    )
    with trainer.at.at_once():
        page.keyboard.press("Enter")
        trainer.scored()
        score = score_mix(answer, shares)
        assert trainer.said == f"{'Right.' if score.right else 'Not so.'} {score.why}"
        expect(page.locator("[data-key=next]")).to_be_focused()
        mine = [text.split()[0] for text in texts(page.locator(".paired td:nth-child(3)"))]
        assert [float(share) for share in mine] == pytest.approx([100 * s / whole for s in shares.values()], abs=0.51)
        page.keyboard.press("Enter")  # not yet
        trainer.scored()
    page.wait_for_timeout(450)
    page.keyboard.press("Enter")
    expect(page.locator(".drill[data-phase=bid]")).to_be_visible()
    trainer.shows(trainer.course().next("first"))


def test_the_perfect_mix_is_right_and_a_mouse_and_a_finger_set_bars(visit: Visitor, tablebase: Tablebases) -> None:
    for touch in (False, True):
        trainer = Trainer(visit(size=PHONE, touch=touch), tablebase)
        trainer.open("/train/?puzzle=first_1_0")
        _, answer = trainer.shows("first 1 0")
        page = trainer.page
        expect(page.get_by_role("button", name="Score this mix")).to_be_disabled()
        for share, bar in zip(answer.mine.values(), page.locator(".sliders input").all(), strict=True):
            bar.scroll_into_view_if_needed()
            box = bar.bounding_box()
            assert box
            x = box["x"] + 9 + share * (box["width"] - 18)
            y = box["y"] + box["height"] / 2
            page.touchscreen.tap(x, y) if touch else page.mouse.click(x, y)
        bars = page.locator(".sliders input").all()
        shares = {card: float(bar.input_value()) for card, bar in zip(answer.mine, bars, strict=True)}
        assert [shares[card] for card in answer.mine] == pytest.approx([100 * s for s in answer.mine.values()], abs=3)
        page.get_by_role("button", name="Score this mix").click()
        trainer.scored()
        score = score_mix(answer, shares)
        assert score.right
        assert trainer.said == f"Right. {score.why}"


def test_a_card_can_be_dragged_and_named_by_its_key(trainer: Trainer) -> None:
    trainer.open("/train/?theme=endgame")
    _, answer = trainer.shows("endgame 1 0")
    trainer.hand.first.drag_to(trainer.page.locator("[data-drop]"))
    trainer.scored()
    first = next(iter(answer.mine))
    assert score_card(answer, first).why in trainer.said
    trainer.go_on()
    found, answer = trainer.shows(trainer.course().next("endgame"))
    card = found.position.my_cards[-1]
    trainer.page.keyboard.press("k")  # is not in the hand: nothing happens
    trainer.page.keyboard.press(card_name(card).lower())
    trainer.scored()
    assert score_card(answer, card).why in trainer.said


def test_it_gets_harder_wrong_ones_come_back_and_a_reload_forgets_nothing(trainer: Trainer) -> None:
    trainer.open("/train/?theme=endgame")
    course, wrong = Course(), ""
    for number in range(9):
        key = course.next("endgame")
        found, answer = trainer.shows(key)
        if key == wrong:
            expect(trainer.page.locator(".tag", has_text="comes back")).to_be_visible()
        cards = cards_of(answer, right=bool(wrong)) or cards_of(answer, right=True)
        trainer.page.keyboard.press(card_name(cards[0]).lower())
        trainer.scored()
        right = score_card(answer, cards[0]).right
        wrong = wrong or ("" if right else key)
        course = course.after(found.key, right=right)
        assert trainer.course() == course
        trainer.go_on()
        if number == 5:
            trainer.page.reload()
            trainer.at.answered()
    assert course.difficulty["endgame"] > 1
    summary = trainer.page.locator(".course > summary")
    said = f"Your course: {course.right} of {course.answered} right, streak {course.streak}, longest {course.best}"
    expect(summary).to_have_text(said)


def test_the_puzzle_of_the_day(trainer: Trainer) -> None:
    """The same as in the terminal on that day, without a question to any server; it counts once."""
    page = trainer.page
    page.clock.set_fixed_time("2026-11-18T12:00:00")
    trainer.open()
    page.get_by_role("link", name="Puzzle of the day").click()
    found, answer = trainer.shows("daily 2026-11-18")
    assert trainer.at.state == {"puzzle": "daily_2026-11-18"}
    (card, *_) = cards_of(answer, right=True)
    trainer.hand.nth(found.position.my_cards.index(card)).click()
    trainer.scored()
    expect(page.get_by_role("link", name="Puzzle of the day ✓")).to_be_visible()
    course = trainer.course()
    assert (course.days, course.answered) == (("2026-11-18",), 1)
    page.reload()
    trainer.shows("daily 2026-11-18")
    trainer.hand.first.click()
    trainer.scored()
    assert trainer.course() == course
    page.clock.set_fixed_time("2026-11-19T12:00:00")
    page.reload()
    expect(page.get_by_role("link", name="Puzzle of the day", exact=True)).to_be_visible()


def test_the_course_is_saved_read_and_cleared(trainer: Trainer, store: Path, tmp_path: Path) -> None:
    """The file is the terminal's: it goes on with it, and the page reads what the terminal wrote."""
    trainer.open("/train/?puzzle=first_1_0")
    page = trainer.page
    page.keyboard.press("3")
    trainer.scored()
    summary = page.locator(".course > summary")
    summary.click()
    file = tmp_path / "course.json"
    with page.expect_download() as download:
        page.get_by_role("link", name="Save it as a file").click()
    download.value.save_as(file)
    assert Course.of(json.loads(file.read_text())) == trainer.course()
    done = run("train", "--puzzle", "first 1 0", "--course", str(file), "--json", store=store, stdin="4\n")
    assert json.loads(done.stdout)["streak"] == 2
    page.get_by_text("Begin anew …").click()
    page.get_by_role("button", name="Forget it").click()
    expect(summary).to_have_text("Your course: 0 of 0 right, streak 0, longest 0")
    bad = tmp_path / "bad.json"
    bad.write_text("[1, 2]")
    for path, said in ((bad, "This file holds no course of drills"), (file, "Read: 2 puzzles answered, 2 right.")):
        with page.expect_file_chooser() as chooser:
            page.locator(".course").get_by_role("button", name="Read a file").click()
        chooser.value.set_files(path)
        expect(page.locator(".course [role=status]")).to_contain_text(said)
    expect(summary).to_have_text("Your course: 2 of 2 right, streak 2, longest 2")


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/train/?puzzle=nothing_1_1", "no theme is called “nothing”: first, endgame, behind, king"),
        ("/train/?puzzle=endgame_9_1", "a puzzle is “endgame 3 17”, or “daily 2026-11-18”, not “endgame 9 1”"),
        ("/train/?theme=queen", "no theme is called “queen”: first, endgame, behind, king"),
    ],
)
def test_puzzles_that_are_none_are_named(trainer: Trainer, path: str, said: str) -> None:
    page = trainer.at.open(path)
    expect(page.get_by_role("alert")).to_contain_text(said)
    page.get_by_role("link", name="Go on with the next puzzle").click()
    trainer.shows("first 1 0")


def test_a_course_that_was_damaged_begins_anew(trainer: Trainer) -> None:
    for text in ("{", "[]", '{"answered": -3}', '"x"'):
        trainer.open()
        trainer.page.evaluate("text => { localStorage['goofspiel course /'] = text; }", text)
        trainer.page.reload()
        trainer.shows("first 1 0")


# --- games that are kept


def stored(page: Page, name: str) -> Any:
    """What is kept on the device under a name; None where nothing is."""
    find = "Object.entries(localStorage).find(([key]) => key.startsWith(`goofspiel ${name} `))"
    return page.evaluate(f"name => JSON.parse({find}?.[1] ?? 'null')", name)


def kept(page: Page) -> list[dict[str, Any]]:
    return stored(page, "games") or []


def noted(at: Visit) -> None:
    """Wait until the last bid is noted: what does so is loaded while one plays."""
    seed, rounds = at.state["seed"], [word for word in at.state["record"].split("_") if len(word) == 3]
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        running: dict[str, str] = stored(at.page, "running") or {}
        if any(name.split()[1] == seed and what in ("-", " ".join(rounds)) for name, what in running.items()):
            return
        at.page.wait_for_timeout(50)
    raise AssertionError(f"{rounds} was not noted")


def play_out(at: Visit, keys: str) -> GameRecord:
    at.play_out(keys)
    noted(at)
    return GameRecord.read(at.state["record"].replace("_", " "), cards=int(at.state["cards"]))


GAME = "/play/?cards=4&objective=points&opponent=match&seed={}"


def test_games_are_kept_when_they_were_played_here_and_nothing_was_taken_back(visit: Visitor) -> None:
    at = visit()
    at.open(GAME.format(1))
    record = play_out(at, "2413")
    expect(at.page.locator(".review")).to_be_visible()
    (game,) = kept(at.page)
    assert (game["rules"], game["record"]) == ("4", str(record))
    assert (game["tags"]["mine"], game["tags"]["theirs"], game["tags"]["seed"]) == ("human", "match", "1")
    at.open(f"{GAME.format(2)}&record=A23_241_314_432")  # a game that is only looked at
    at.phase("over")
    at.page.go_back()
    at.page.reload()
    at.phase("over")
    at.page.get_by_role("button", name="Play these cards again").click()  # who knows what comes
    play_out(at, "1234")
    assert len(kept(at.page)) == 1
    at.open(GAME.format(3))
    at.phase("bid")
    at.page.keyboard.press("2")
    at.played(1)
    noted(at)
    at.page.keyboard.press("u")
    play_out(at, "1234")
    at.open(f"{GAME.format(4)}&record=A23_2")  # begun by somebody else
    for key in ("4", "1", "3"):
        at.phase("bid")
        at.page.keyboard.press(key)
        expect(at.page.locator("[data-phase=bid]")).to_have_count(0)
        at.page.keyboard.press("Enter")
    at.phase("over")
    noted(at)
    assert len(kept(at.page)) == 1
    at.open(GAME.format(5))
    at.phase("bid")
    at.page.keyboard.press("4")
    at.played(1)
    noted(at)
    at.page.reload()  # the tab was closed in between: it is the same game
    at.phase("bid")
    for number, key in enumerate("321", start=2):
        at.phase("bid")
        at.page.keyboard.press(key)
        at.played(number)
        at.page.keyboard.press("Enter")
    at.phase("over")
    noted(at)
    assert [one["tags"]["seed"] for one in kept(at.page)] == ["1", "5"]


def test_no_more_games_are_kept_than_there_is_room_for(visit: Visitor) -> None:
    at = visit()
    at.open(GAME.format(1))
    old = {"rules": "4", "record": "444 333 222 AAA", "tags": {}}
    many = json.dumps([old] * 1000)
    at.page.evaluate("many => { localStorage['goofspiel games /'] = many; }", many)
    record = play_out(at, "2413")
    found = kept(at.page)
    assert len(found) == 1000
    assert (found[0]["record"], found[-1]["record"]) == (old["record"], str(record))


# --- habits


def first_bids(counts: dict[int, int], upcard: int = 5, **tags: str) -> list[GameRecord]:
    """Games that end after their first round, in which each card was bid so often."""
    return [GameRecord(Rules(5), (Round(upcard, bid, 1),), tags) for bid, count in counts.items() for _ in range(count)]


RECORDS = [
    *first_bids({5: 38, 1: 2}),
    *first_bids({3: 9, 4: 1}, upcard=3),
    GameRecord(Rules(4, objective="win"), (Round(4, 4, 3),), {"theirs": "a stranger"}),
]


def read_file(page: Page, path: Path) -> None:
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Read a file").click()
    chooser.value.set_files(path)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.txt"
    path.write_text("\n".join(record.to_file() for record in RECORDS), encoding="utf-8")
    return path


def test_habits_are_those_of_the_library(visit: Visitor, tablebase: Tablebases, file: Path) -> None:
    """All positions here have one optimal mix: the same sentences, in the same order, and the rates as bars."""
    page = visit().open("/habits/")
    expect(page.locator(".found .lead")).to_have_text("No game is kept yet.")
    read_file(page, file)
    expect(page.get_by_text("51 new games read.")).to_be_visible()
    expected = habits([one for one in RECORDS if one.rules == Rules(5)], tablebase(5))
    said = habits_json(expected)
    lead = page.locator(".found .lead")
    expect(lead).to_contain_text("50 games of 5 cards for points, 50 bids that mattered.")
    expect(lead).to_contain_text(
        f"Against perfect play your bids cost {expected.regret:.2f} ± {expected.regret_error:.2f} points"
    )
    shown = page.locator(".habit")
    expect(shown).to_have_count(min(10, len(said["habits"])))
    assert sorted(texts(shown.locator("p"))[:4]) == sorted(habit["words"] for habit in said["habits"][:4])
    sure = sum(habit.is_sure for habit in expected.found)
    expect(page.locator(".habit.sure")).to_have_count(min(sure, 10))
    widths = shown.first.locator(".bar").evaluate_all("all => all.map((bar) => getComputedStyle(bar).width)")
    tracks = shown.first.locator(".rates").evaluate("one => getComputedStyle(one).gridTemplateColumns.split(' ')[1]")
    first = next(habit for habit in said["habits"] if habit["words"] == texts(shown.locator("p"))[0])
    rates = [float(width[:-2]) / float(tracks[:-2]) for width in widths]
    assert rates == pytest.approx([first["rate"], first["perfect"]], abs=0.01)


def test_habits_by_prize_and_stage_and_of_other_rules(visit: Visitor, file: Path) -> None:
    at = visit()
    page = at.open("/habits/")
    read_file(page, file)
    expect(page.locator(".habit").first).to_be_visible()
    page.get_by_label("Prize").select_option("3")
    expect(page.locator(".habit p").first).to_contain_text("on the 3")
    assert all(" on the 3 " in text for text in texts(page.locator(".habit p")))
    page.get_by_label("Part of the game").select_option("first third")
    assert at.state == {"rules": "5", "prize": "3", "stage": "first_third"}
    assert all(" in the first third " in text for text in texts(page.locator(".habit p")))
    page.reload()
    expect(page.get_by_label("Prize")).to_have_value("3")
    assert all(" on the 3 in the first third " in text for text in texts(page.locator(".habit p")))
    page.get_by_label("Part of the game").select_option("last third")
    expect(page.locator(".habit")).to_have_count(0)
    expect(page.get_by_text("Nothing that you do here is surely a habit.")).to_be_visible()
    page.locator("select[name=rules]").select_option("4 win")
    expect(page.locator(".found .lead")).to_contain_text("1 game of 4 cards to win, 1 bid that mattered.")
    expect(page.locator(".found .lead")).not_to_contain_text("±")


def test_games_are_saved_in_the_terminals_format_and_deleted(
    visit: Visitor, file: Path, store: Path, tmp_path: Path
) -> None:
    at = visit()
    at.open(GAME.format(1))
    record = play_out(at, "2413")
    page = at.page
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Habits").click()
    expect(page.get_by_role("heading", name="All 1 game")).to_be_visible()
    expect(page.locator(".games tbody tr")).to_contain_text("Bids the prize")
    read_file(page, file)
    expect(page.get_by_role("heading", name="All 52 games")).to_be_visible()
    read_file(page, file)
    expect(page.get_by_text("0 new games read, 51 were there already.")).to_be_visible()
    saved = tmp_path / "saved.txt"
    with page.expect_download() as download:
        page.get_by_role("link", name="Save them as a file").click()
    download.value.save_as(saved)
    records = read_records(saved.read_text(encoding="utf-8"))
    assert [str(one) for one in records] == [str(record), *map(str, RECORDS)]
    assert (records[0].tags["mine"], records[0].tags["theirs"]) == ("human", "match")
    found = [json.loads(line) for line in run("habits", str(saved), "--json", store=store).stdout.splitlines()]
    assert {one["rules"]: one["games"] for one in found} == {"4": 1, "5": 50, "4 win": 1}
    assert run("judge", str(saved), "--json", store=store).returncode == 0
    page.get_by_role("button", name="Show all 52").click()
    expect(page.locator(".games tbody tr")).to_have_count(52)
    expect(page.get_by_role("link", name=re.compile("^Review"))).to_have_count(1)  # strangers are not known here
    page.locator(".games tbody tr").last.get_by_role("button", name=re.compile("^Delete")).click()
    expect(page.get_by_role("heading", name="All 51 games")).to_be_visible()
    expect(page.get_by_text("1 game deleted.")).to_be_visible()
    page.get_by_text("Delete all …").click()
    page.get_by_role("button", name="Delete 51 games").click()
    expect(page.get_by_text("No game is kept yet.")).to_be_visible()
    assert kept(page) == []
    read_file(page, saved)
    page.get_by_role("link", name=re.compile("^Review")).click()
    at.phase("over")
    assert at.state["record"] == str(record).replace(" ", "_")


def test_files_that_hold_no_games(visit: Visitor, tmp_path: Path) -> None:
    page = visit().open("/habits/")
    path = tmp_path / "mine.txt"
    for text, said in (
        ("no game at all", "0 new games read. Left out: unknown card “n” in round 1."),
        ("", "0 new games read."),
        ("cards: 5\n\n555 AAA\n\ncards: 5\n\n555 555\n", "1 new game read. Left out: game 2: round 2: 5 cannot be"),
        ("rules: 5 hidden\n\n555\n", "0 new games read. Left out: rules know no “hidden”"),
        ("cards: 5\n\n4\n", "0 new games read."),  # nothing was bid
        ("from: 34/24/A 2\n\n234\n", "0 new games read. Left out: game 1: it does not begin at the opening."),
    ):
        path.write_text(text, encoding="utf-8")
        read_file(page, path)
        expect(page.locator(".found [role=status]")).to_contain_text(said)


def test_what_was_damaged_on_the_device_is_left_out(visit: Visitor) -> None:
    page = visit().open("/habits/")
    good = {"rules": "5", "record": "555 AAA", "tags": {"theirs": "match"}}
    bad = [1, None, {}, good | {"rules": "5 luck"}, good | {"record": "555 555"}, good | {"tags": [3]}]
    page.evaluate("games => { localStorage['goofspiel games /'] = JSON.stringify(games); }", [*bad, good])
    page.reload()
    expect(page.get_by_role("heading", name="All 1 game")).to_be_visible()
    expect(page.locator(".found .lead")).to_contain_text("1 game of 5 cards for points, 2 bids that mattered.")
    page.evaluate("localStorage['goofspiel games /'] = '{'")
    page.reload()
    expect(page.get_by_text("No game is kept yet.")).to_be_visible()


# --- the opponent that adapts

MATCHED = ["555 AAA 243 334 422", "333 A4A 425 552 2A4", "444 555 33A A22 2A3"]


def test_an_opponent_adapts_to_my_games(visit: Visitor, tablebase: Tablebases, tmp_path: Path) -> None:
    """It begins as one that knows nothing; then it has learned what the library learns, and says so."""
    at = visit()
    page = at.open("/play/?cards=5&objective=points&seed=3")
    at.phase("bid")
    page.get_by_label("Opponent").select_option("Adapts to you")
    at.phase("bid")
    model = page.locator(".model")
    model.locator("summary").click()
    expect(model).to_contain_text("It has seen no game of yours of these rules yet")
    expect(model).to_contain_text("wins more than 1 point a game from it on average")
    records = [GameRecord.read(text, cards=5) for text in MATCHED] * 10
    file = tmp_path / "games.txt"
    file.write_text("\n".join(record.to_file() for record in records), encoding="utf-8")
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Habits").click()
    read_file(page, file)
    expect(
        page.get_by_text("An opponent that adapts takes you for one who bids what the prize is worth")
    ).to_be_visible()
    page.get_by_role("link", name="Play against it").click()
    at.phase("bid")
    expect(page.get_by_label("Opponent")).to_have_value("adapt")
    name = at.state["opponent"]
    learned = dict(re.findall(r"([0-9.]+) ([a-z0-9+-]+)", name.removeprefix("exploit:1:mix(")))
    shares = {player: float(share) for share, player in learned.items()}
    expected = {
        part.name.partition(":")[0]: 100 * share for share, part in model_of(records, tablebase(5), Rules(5)).parts
    }
    assert shares.keys() == expected.keys()
    assert shares == pytest.approx(expected, abs=2)
    model.locator("summary").click()
    expect(model).to_contain_text(re.compile(r"takes you for one who bids what the prize is worth \(\d\d\s%\)"))
    page.reload()  # what it has learned is in the address
    at.phase("bid")
    assert at.state["opponent"] == name
    play_out(at, "54321")
    expect(page.locator(".review")).to_contain_text("How they bid is known: one that adapts to you.")
    assert len(kept(page)) == 31
    page.keyboard.press("n")
    at.phase("bid")
    assert at.state["opponent"].startswith("exploit:1:mix(")
    assert at.state["opponent"] != name  # one more game was learned from
    page.goto(f"{at.address}/play/")
    at.phase("bid")
    expect(page.get_by_label("Opponent")).to_have_value("adapt")


def test_who_adapts_to_win_states_another_risk(visit: Visitor) -> None:
    at = visit()
    page = at.open("/play/?cards=4&objective=win&opponent=adapt&seed=3")
    at.phase("bid")
    assert at.state["opponent"].startswith("exploit:0.1:mix(")
    page.locator(".model summary").click()
    expect(page.locator(".model")).to_contain_text("more than 10 % above the chance to lose")


def test_games_that_begin_elsewhere_promise_something_else_and_are_not_kept(visit: Visitor) -> None:
    at = visit()
    page = at.open("/play/?from=24/A3/4_2&objective=points&opponent=adapt&seed=3")
    at.phase("bid")
    page.locator(".model summary").click()
    said = "gets on average more than 1 point beyond what the position is worth to them"
    expect(page.locator(".model")).to_contain_text(said)
    page.keyboard.press("2")
    at.played(1)
    page.keyboard.press("Enter")
    at.phase("bid")
    page.keyboard.press("4")
    at.phase("over")
    assert page.evaluate("Object.keys(localStorage).filter((key) => /games|running/.test(key))") == []


# --- how it loads, and where it fits


def states(at: Visit, file: Path) -> Iterator[str]:
    """Every state of the new rooms, one after the other."""
    page = at.open("/train/?puzzle=behind_5_3")
    yield "asked"
    page.locator(".drill .hand.mine button").first.click()
    page.locator(".course > summary").click()
    page.get_by_text("Begin anew …").click()
    yield "card"
    at.open("/train/?puzzle=first_5_1")
    page.get_by_role("button", name="All alike").click()
    page.get_by_text("What is meant by a mix").locator("..").click()
    yield "bars"
    page.get_by_role("button", name="Score this mix").click()
    yield "mix"
    at.open("/train/?puzzle=nothing")
    yield "no puzzle"
    at.open("/habits/")
    yield "no games"
    read_file(page, file)
    expect(page.locator(".habit").first).to_be_visible()
    page.get_by_text("Delete all …").click()
    yield "habits"
    at.open("/play/?cards=5&objective=points&opponent=adapt&seed=3")
    at.phase("bid")
    page.locator(".model summary").click()
    yield "adapts"


def test_every_state_is_accessible_and_fits(visit: Visitor, file: Path) -> None:
    at = visit()
    for name in states(at, file):
        expect(at.page.locator("main h1")).to_have_count(1)
        assert (name, misfits(at)) == (name, [])


@pytest.mark.parametrize("path", ["/train/", "/habits/"])
def test_nothing_shifts_while_a_room_is_loaded(visit: Visitor, path: str) -> None:
    at = visit()
    at.page.add_init_script(f"({SHIFTS})()")
    page = at.open(path)
    page.wait_for_timeout(300)
    assert page.evaluate("window.shifted") <= 0.02


def test_answers_are_announced(trainer: Trainer) -> None:
    trainer.open("/train/?puzzle=first_1_0")
    trainer.at.listen()
    trainer.page.keyboard.press("2")
    trainer.scored()
    assert trainer.at.heard() == [trainer.said]
