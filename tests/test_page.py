"""The views of the page in a real browser, by mouse and keyboard, against what Python says."""

import re
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from answers import with_upcard
from browser import Visit, serving, texts
from fixtures import Tablebases, Win
from playwright.sync_api import expect

from goofspiel.batch import PositionBatch
from goofspiel.cards import card_name
from goofspiel.position import Position
from goofspiel.records.record import GameRecord
from goofspiel.records.reviews import review
from goofspiel.render.first_moves import first_move
from goofspiel.roster import load_player
from goofspiel.rules import Rules

PLAY = "/play?cards=5&objective=points&opponent=optimal&seed=5"
EXPLORE = "/explore?position=245/A35/A3_4&objective=points"
SPOKEN = {1: "Ace"}


def signed(number: float, digits: int) -> str:
    """As the page writes a number."""
    text = f"{abs(number):.{digits}f}"
    return text if not float(text) else ("−" if number < 0 else "+") + text


def record_of(at: Visit) -> GameRecord:
    return GameRecord.read(at.state["record"].replace("_", " "), cards=int(at.state["cards"]))


def size_of(picture: Path) -> tuple[int, int]:
    """Width and height of a png."""
    width, height = struct.unpack(">2I", picture.read_bytes()[16:24])
    return width, height


def test_the_screenshots_of_the_documentation_are_those_of_the_page(tmp_path: Path) -> None:
    """As the script takes them, but for fonts: if not, run it again."""
    docs = Path(__file__).parent.parent / "docs"
    subprocess.run([sys.executable, docs / "screenshots.py", tmp_path], check=True, stdout=subprocess.DEVNULL)
    shown = sorted(docs.glob("images/page-*.png"))
    assert [path.name for path in shown] == sorted(path.name for path in tmp_path.iterdir())
    for picture in shown:
        (width, height), (wide, high) = size_of(picture), size_of(tmp_path / picture.name)
        assert width == wide
        assert height == pytest.approx(high, rel=0.05), picture.name


# Play


def test_a_whole_game_with_the_mouse(visit: Callable[..., Visit], tablebase: Tablebases) -> None:
    at = visit()
    page = at.open("/play?cards=5&objective=points&opponent=uniform&seed=11")
    hand = page.get_by_role("group", name="Your hand").get_by_role("button")
    for left in (5, 4, 3, 2, 1):
        at.phase("bid")
        expect(hand).to_have_count(left)
        if left == 3:
            hand.first.drag_to(page.locator("[data-drop]"))
        else:
            hand.last.click()
        at.played(6 - left)
        page.locator(".felt").click(position={"x": 12, "y": 12})  # does not wait for the next prize
    at.phase("over")
    record = record_of(at)
    assert record.is_over
    assert [played.mine for played in record.rounds] == [5, 4, 1, 3, 2]
    lead = record.position.lead
    expect(page.locator(".said")).to_have_text(
        re.compile("^You win" if lead > 0 else "^You lose" if lead < 0 else "^A draw")
    )
    found = review(
        record, tablebase(5), theirs=load_player(at.state["opponent"], 5) if "opponent" in at.state else None
    )
    totals = page.locator(".total strong")
    expect(totals).to_have_count(5)
    parts = [signed(part, 2) for part in (found.draw_luck, found.gain, found.chance)]
    assert texts(totals)[:4] == [*parts, signed(lead, 0)]
    assert float(texts(totals)[4]) == pytest.approx(found.cost, abs=0.005)
    values = texts(page.locator(".rounds tbody td:nth-child(8)"))
    assert values == [signed(reviewed.value_after, 2) for reviewed in found.rounds]
    assert found.worst
    expect(page.locator(".review .lead")).to_contain_text(f"in round {found.worst.number}")
    expect(page.locator(".curve .dot")).to_have_count(6)


def test_a_whole_game_with_the_keyboard(visit: Callable[..., Visit], win: Win) -> None:
    at = visit(motion=True)
    page = at.open("/play?cards=5&objective=win&opponent=match%2B1&seed=3")
    at.phase("bid")
    page.keyboard.press("h")
    answer = with_upcard(win(5).probe(record_of(at).position))
    chances = page.locator(".hint .bars tbody td:nth-child(3)")
    expect(chances).to_have_count(5)
    assert [float(text.split()[0]) for text in texts(chances)] == pytest.approx(
        [100 * share for share in answer.mine.values()], abs=0.051
    )
    page.keyboard.press("h")
    expect(chances).to_have_count(0)
    at.listen()
    for number, key in enumerate("4a532", start=1):
        at.phase("bid")
        page.keyboard.press("7")  # is not in the hand: nothing happens
        page.keyboard.press(key)
        at.played(number)
        page.keyboard.press("Enter")
    at.phase("over")
    record, address = record_of(at), page.url
    assert [card_name(played.mine) for played in record.rounds] == list("4A532")
    opponent, heard = load_player("match+1", 5), at.heard()
    for before, played, _ in record.steps():
        taken = "You take" if played.mine > played.theirs else "They take" if played.mine < played.theirs else "A tie"
        said = f"You bid {SPOKEN.get(played.mine, played.mine)}, they bid {SPOKEN.get(played.theirs, played.theirs)}. "
        assert any(words.startswith(said + taken) for words in heard)
        seen = before.turn_up(played.upcard).swap()
        assert opponent.mixes(PositionBatch.of([seen]))[0][seen.my_cards.index(played.theirs)] == 1
    expect(page.locator(".review")).to_be_visible()
    page.keyboard.press("n")
    at.phase("bid")
    assert len(record_of(at).rounds) == 1
    page.go_back()
    at.phase("over")
    assert page.url == address


def test_a_game_goes_on_where_its_address_says(visit: Callable[..., Visit]) -> None:
    first, second = visit(), visit()
    page = first.open(PLAY)
    first.phase("bid")
    page.keyboard.press("2")
    first.played(1)
    page.keyboard.press(" ")
    first.phase("bid")
    shared = page.url.removeprefix(first.address)
    page.reload()
    first.phase("bid")
    second.open(shared)
    second.phase("bid")
    for at in (first, second):
        at.page.keyboard.press("5")
        at.played(2)
    assert record_of(first).rounds[:2] == record_of(second).rounds[:2]


def test_a_record_that_cannot_be_is_named(visit: Callable[..., Visit]) -> None:
    at = visit()
    page = at.open(f"{PLAY}&record=253_254")
    expect(page.get_by_role("alert")).to_contain_text("round 2: 2 cannot be turned up")
    page.get_by_role("alert").get_by_role("button", name="New game").click()
    at.phase("bid")
    assert len(record_of(at).rounds) == 1


def test_cards_move_unless_the_reader_wants_no_motion(visit: Callable[..., Visit]) -> None:
    def moving(at: Visit) -> int:
        page = at.open(PLAY)
        at.phase("bid")
        count: int = page.evaluate(
            """async () => {
                document.dispatchEvent(new KeyboardEvent("keydown", { key: "3" }));
                while (!document.querySelector("[data-phase=reveal]")) await new Promise(requestAnimationFrame);
                return document.getAnimations().length;
            }"""
        )
        return count

    assert moving(visit(motion=True)) > 0
    assert moving(visit()) == 0


def test_a_server_that_is_gone_is_told(visit: Callable[..., Visit], store: Path) -> None:
    """What is small is worked out without it; what needs it says so."""
    with serving(store) as address:
        at = visit(address=address)
        page = at.open(PLAY)
        at.phase("bid")
    page.keyboard.press("h")
    expect(page.locator(".hint .bars")).to_be_visible()
    panel = page.locator(".game-rules")
    panel.locator("summary").click()
    panel.get_by_label("Cards in each hand").select_option("11")
    expect(page.get_by_role("alert")).to_contain_text("Is goofspiel serve still running?")
    expect(page.get_by_role("alert").get_by_role("button", name="Try again")).to_be_visible()
    assert [complaint for complaint in at.complaints if "ERR_CONNECTION_REFUSED" not in complaint] == []
    at.complaints.clear()


# Explore


def test_play_on_from_a_cell_and_back(visit: Callable[..., Visit], tablebase: Tablebases, win: Win) -> None:
    at = visit()
    page = at.open(EXPLORE)

    def shows(notation: str) -> None:
        position = Position(notation)
        assert at.state["position"] == position.url
        for name, table, digits in (("points", tablebase(5), 3), ("win", win(5), 4)):
            expect(page.locator(f".{name} .value .number")).to_have_text(signed(table.probe(position).value, digits))

    shows("245/A35/A3 4")
    for name, table in (("points", tablebase(5)), ("win", win(5))):
        answer = with_upcard(table.probe(Position("245/A35/A3 4")))
        numbers = [signed(value, 3) for row in answer.matrix for value in row]
        assert texts(page.locator(f".{name} [role=gridcell]")) == numbers
        mixes = [float(text.split()[0]) for text in texts(page.locator(f".{name} .bars td:nth-child(3)"))]
        expected = [*answer.mine.values(), *answer.theirs.values()]
        assert mixes == pytest.approx([100 * share for share in expected], abs=0.051)
    page.locator(".points [role=gridcell]").nth(3).click()  # the 4 against the Ace
    shows("25/35/A3 - 4")
    page.locator(".win .upcard-values button").nth(1).click()
    shows("25/35/A 3 4")
    page.go_back()
    shows("25/35/A3 - 4")
    page.get_by_role("button", name="Back", exact=True).click()
    shows("245/A35/A3 4")
    page.go_forward()
    shows("25/35/A3 - 4")
    page.reload()
    shows("25/35/A3 - 4")


def test_explore_by_keyboard(visit: Callable[..., Visit]) -> None:
    at = visit()
    page = at.open(EXPLORE)
    page.locator(".win [role=gridcell][tabindex='0']").focus()
    for key in ("ArrowRight", "ArrowDown", "ArrowDown", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    expect(page.locator(".win .upcard-values button").first).to_be_focused()
    assert at.state["position"] == "25/A5/A3_-_4"
    page.keyboard.press("Enter")
    expect(page.locator(".win [role=gridcell]").first).to_be_focused()
    assert at.state["position"] == "25/A5/3_A_4"


def test_what_is_wrong_is_said_while_a_position_is_edited(visit: Callable[..., Visit], tablebase: Tablebases) -> None:
    at = visit()
    page = at.open(EXPLORE)
    problem, stale = page.locator("#problem"), page.locator(".column.stale .answer")
    page.get_by_role("button", name="7 in their hand").click()
    expect(problem).to_have_text("The hands are of different sizes, 3 and 4: they hold more.")
    expect(stale).to_have_count(2)  # the last answers stay
    page.get_by_role("button", name="2 in your hand").click()
    page.get_by_role("button", name="Ace in your hand").click()
    page.get_by_role("button", name="King in your hand").click()
    expect(problem).to_have_text("There are 3 prizes left, but each hand holds 4 cards.")
    page.reload()
    expect(problem).to_have_text("There are 3 prizes left, but each hand holds 4 cards.")
    page.get_by_role("button", name="King in your hand").click()
    page.get_by_role("button", name="7 in their hand").click()
    expect(problem).to_have_text("")
    expect(stale).to_have_count(0)
    assert at.state["position"] == "A45/A35/A3_4"
    page.go_back()  # edits in a row are one step
    expect(page.locator(".points .value .number")).to_have_text(
        signed(tablebase(5).probe(Position("245/A35/A3 4")).value, 3)
    )


def test_lead_upcard_notation_and_sides(visit: Callable[..., Visit], win: Win) -> None:
    at = visit()
    page = at.open(EXPLORE)
    page.get_by_role("button", name="One point more").click()
    page.get_by_label("Your lead in points").fill("-3")
    page.get_by_label("Your lead in points").press("Enter")
    page.get_by_role("group", name="Turned up").get_by_role("button", name="Ace").click()
    expect(page.locator(".win .value .number")).to_have_text(signed(win(5).probe(Position("245/A35/34 A -3")).value, 4))
    assert at.state["position"] == "245/A35/34_A_-3"
    page.get_by_role("button", name="Swap sides").click()
    expect(page.get_by_label("In notation")).to_have_value("A35/245/34 A 3")
    page.get_by_role("button", name="Put first").click()
    expect(page.locator(".answers > :first-child > .win")).to_be_visible()
    assert at.state["objective"] == "win"
    page.get_by_label("In notation").fill("24/A3/Q")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.locator("#problem")).to_have_text(re.compile("^Upcard missing"))
    page.get_by_label("In notation").fill("start 3 2")
    page.keyboard.press("Enter")
    expect(page.locator("#problem")).to_have_text("")
    expect(page.get_by_label("In notation")).to_have_value("A23/A23/A3 2")


def test_a_mix_that_is_not_the_only_one_says_so(visit: Callable[..., Visit]) -> None:
    page = visit().open("/explore?position=346/A25/35_4&objective=win")
    expect(page.locator(".win .remark").first).to_contain_text("Not the only one")
    expect(page.locator(".win .remark").first).to_contain_text("3, 4 are as good as each other")
    ranges = texts(page.locator(".win .bars").first.locator("td:nth-child(4)"))
    assert [text.replace("\N{NO-BREAK SPACE}", " ") for text in ranges] == ["0 % – 100 %", "", "0 % – 100 %"]
    expect(page.locator(".points .remark").first).to_contain_text("The only optimal mix")


@pytest.mark.parametrize(
    "path", ["/explore?position=start_16_K", "/study?cards=16", "/play?cards=13&objective=win&seed=1"]
)
def test_a_missing_table_names_its_command(visit: Callable[..., Visit], path: str) -> None:
    at = visit()
    page = at.open(path)
    expect(page.get_by_role("alert").locator("code").first).to_have_text(re.compile(r"^goofspiel solve 1[36]"))
    # The browser itself writes a line for each answer of 404.
    assert {complaint for complaint in at.complaints if "404" not in complaint} == set()
    at.complaints.clear()


# Study


def test_the_first_move_tables(visit: Callable[..., Visit], tablebase: Tablebases, win: Win) -> None:
    at = visit()
    page = at.open("/study?cards=5")
    tables = [first_move(tablebase(5)), first_move(win(5))]
    for name, table in zip(("points", "win"), tables, strict=True):
        section = page.locator(f"section[aria-labelledby=title-{name}]")
        shown = texts(section.locator("tbody td"))
        assert [float(text) for text in shown] == pytest.approx(table.probability.ravel(), abs=0.00051)
        assert [text == "0" for text in shown] == [not share for share in table.probability.ravel()]
        even = [f"{100 * table.probability[1::2, up].sum():.0f}" for up in range(5)]
        assert texts(section.locator("tfoot td")) == even
        with page.expect_download() as download:
            section.get_by_role("link", name="csv").click()
        saved, expected = (
            [line.split(",") for line in text.splitlines()]
            for text in (Path(download.value.path()).read_text(encoding="utf-8"), table.to_csv())
        )
        assert saved[0] == expected[0]
        for row, other in zip(saved[1:], expected[1:], strict=True):
            assert row[6:] == other[6:]  # the rules, if they are named
            assert [float(cell) for cell in row[:6]] == pytest.approx([float(cell) for cell in other[:6]], abs=1e-6)
    change = (tables[1].probability - tables[0].probability).ravel()
    shown = texts(page.locator("section[aria-labelledby=title-difference] tbody td"))
    assert [float(text.replace("−", "-")) for text in shown] == pytest.approx(change, abs=0.00051)
    listed = page.request.get(f"{at.address}/tables/index.json").json()
    games = {Rules.parse(table["rules"]) for table in listed["tables"]}
    games |= {Rules(n, objective=objective) for n in range(1, listed["solves"] + 1) for objective in ("points", "win")}
    expect(page.locator(".thumbnail svg")).to_have_count(sum(game.order is None for game in games))
    page.get_by_role("link", name="the game of 4 cards").click()
    expect(page.locator("section[aria-labelledby=title-points] tbody td")).to_have_count(16)
    assert at.state["cards"] == "4"
