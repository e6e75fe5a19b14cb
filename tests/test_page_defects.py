"""Things that once went wrong on the page, each in a real browser."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from browser import DESK, SHIFTS, Visit, misfits, texts
from playwright.sync_api import Page, expect

PLAY = "/play?cards=5&objective=points&opponent=uniform&seed=5"
REVIEW = "/play?cards=5&objective=win&opponent=optimal&seed=5&record=253_422_A3A_344_5A5"
NARROW, BROAD = (280, 653), (1440, 900)
STATES = {
    "play": PLAY,
    "hint": f"{PLAY}&hint=1",
    "review": REVIEW,
    "rules that cannot be": "/play?cards=99",
    "explore": "/explore?position=245/A35/A3_4&objective=win",
    "missing": "/explore?position=start_16_K",
    "study": "/study?cards=6",
    "nowhere": "/nowhere",
}


def rounds_of(at: Visit) -> list[str]:
    """The rounds of the game that were played."""
    return [word for word in at.state.get("record", "").split("_") if len(word) == 3]


def without_404(at: Visit) -> None:
    """The browser itself writes a line for each answer of 404."""
    at.complaints[:] = [complaint for complaint in at.complaints if "404" not in complaint]


# --- Play


def test_a_late_enter_bids_nothing(visit: Callable[..., Visit]) -> None:
    at = visit()
    page = at.open(PLAY)
    at.phase("bid")
    page.get_by_role("button", name="Bid 3").focus()
    page.keyboard.press("Enter")
    at.played(1)
    page.keyboard.press("Enter")
    at.phase("bid")
    page.keyboard.press("Enter")
    page.keyboard.press(" ")
    page.wait_for_timeout(300)
    at.phase("bid")
    assert len(rounds_of(at)) == 1
    page.keyboard.press("ArrowRight")  # the keyboard is still at the hand
    expect(page.locator(".hand.mine button").first).to_be_focused()


def test_a_double_click_is_one(visit: Callable[..., Visit]) -> None:
    at = visit()
    page = at.open(PLAY)
    at.phase("bid")
    with at.at_once():
        page.get_by_role("button", name="Bid 3").dblclick()
        at.played(1)
        at.phase("reveal")
    assert page.locator("[data-phase=reveal]").count() == 1
    page.wait_for_timeout(500)
    page.locator(".felt").click(position={"x": 12, "y": 12})
    at.phase("bid")
    assert len(rounds_of(at)) == 1


def test_bids_can_be_taken_back(visit: Callable[..., Visit]) -> None:
    at = visit()
    page = at.open(PLAY)
    at.phase("bid")
    undo = page.get_by_role("button", name="Undo")
    expect(undo).to_be_disabled()
    for number, key in enumerate("123", start=1):
        at.phase("bid")
        page.keyboard.press(key)
        at.played(number)
        page.keyboard.press("Enter")
    at.phase("bid")
    before = rounds_of(at)
    page.keyboard.press("u")
    expect(page.locator(".history tbody tr")).to_have_count(2)
    assert rounds_of(at) == before[:2]
    undo.click()
    expect(page.locator(".history tbody tr")).to_have_count(1)
    page.go_back()
    page.go_back()
    expect(page.locator(".history tbody tr")).to_have_count(3)
    page.get_by_role("button", name="Play on from round 2").click()
    at.phase("bid")
    assert rounds_of(at) == before[:1]
    expect(page.locator(".said")).to_contain_text("Round 2 of 5.")
    page.keyboard.press("5")
    at.played(2)
    assert rounds_of(at)[1][0] == before[1][0]  # the same prize


def test_the_game_survives_leaving_the_room(visit: Callable[..., Visit]) -> None:
    at = visit()
    page = at.open(PLAY)
    at.phase("bid")
    page.keyboard.press("2")
    at.played(1)
    page.keyboard.press("Enter")
    at.phase("bid")
    address = page.url
    header = page.get_by_role("navigation", name="Views")
    header.get_by_role("link", name="Study").click()
    expect(page).to_have_title(re.compile("^Study"))
    header.get_by_role("link", name="Play").click()
    at.phase("bid")
    assert page.url == address
    # Another day: the game is still there, in another tab, too.
    page.goto(f"{at.address}/")
    at.phase("bid")
    assert (rounds_of(at), at.state["cards"], at.state["opponent"]) == (rounds_of(at), "5", "uniform")
    expect(page.locator(".history tbody tr")).to_have_count(1)


def test_a_first_opponent_can_be_beaten(visit: Callable[..., Visit]) -> None:
    at = visit()
    at.open("/play?cards=7")
    at.phase("bid")
    assert at.state["opponent"] == "casual"


def test_the_rounds_show_pots(visit: Callable[..., Visit]) -> None:
    at = visit()
    page = at.open("/play?rules=5_carry&opponent=match&seed=7&record=333_552_4")
    at.phase("bid")
    assert [text.split() for text in texts(page.locator(".history tbody td:nth-child(2)"))] == [["5", "+3"], ["3"]]


@pytest.mark.parametrize("path", ["/play?cards=12&opponent=optimal&seed=3", "/play?cards=11&opponent=optimal&seed=3"])
def test_a_larger_table_answers_for_a_smaller_game(visit: Callable[..., Visit], path: str, store: Path) -> None:
    if not (store / "points-13.zarr").is_dir():
        pytest.skip("no table of 13 cards in the store of the tests")
    at = visit()
    page = at.open(path)
    at.phase("bid")
    page.keyboard.press("5")
    at.phase("reveal", "bid")
    expect(page.get_by_role("alert")).to_have_count(0)


def test_the_felt_stays_where_it_is(visit: Callable[..., Visit]) -> None:
    """When the first hint, and the first bid, come."""
    for size in (DESK, (360, 740)):
        at = visit(size=size)
        page = at.open(PLAY)
        at.phase("bid")
        before = page.locator(".felt").bounding_box()
        page.keyboard.press("h")
        expect(page.locator(".hint")).to_be_visible()
        assert page.locator(".felt").bounding_box() == before
        page.keyboard.press("h")
        page.keyboard.press("3")
        at.phase("reveal")
        after = page.locator(".felt").bounding_box()
        assert before
        assert after
        assert (after["x"], after["y"], after["width"]) == (before["x"], before["y"], before["width"])
        assert abs(after["height"] - before["height"]) < 2


def contrast(page: Page, selector: str) -> float:
    """Of the words of an element with its background, as WCAG counts it."""
    found: float = page.evaluate(
        """(selector) => {
            const style = getComputedStyle(document.querySelector(selector));
            const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
            const light = (colour) => {
                canvas.fillStyle = colour;
                canvas.fillRect(0, 0, 1, 1);
                const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((part) => part / 255)
                    .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
                return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
            };
            const [a, b] = [light(style.color), light(style.backgroundColor)];
            return Math.max(a, b) / Math.min(a, b);
        }""",
        selector,
    )
    return found


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_pressed_button_is_readable_while_hovered(visit: Callable[..., Visit], dark: bool) -> None:
    at = visit(dark=dark)
    page = at.open(PLAY)
    at.phase("bid")
    page.get_by_role("button", name="Hint").click()
    expect(page.locator("[data-key=hint][aria-pressed=true]")).to_be_visible()
    page.locator("[data-key=hint]").hover()
    assert contrast(page, "[data-key=hint]") >= 4.5


# --- addresses


def test_addresses_that_lead_nowhere(visit: Callable[..., Visit]) -> None:
    at = visit()
    page = at.open("/nowhere")
    expect(page.get_by_role("heading", level=1)).to_have_text("There is nothing at this address")
    page.get_by_role("link", name="Explore a position").click()
    expect(page).to_have_title(re.compile("^Explore"))
    for path in ("/Play?cards=4&seed=1", "/play/?cards=4&seed=1"):
        at.open(path)
        at.phase("bid")
        assert at.state["cards"] == "4"
        assert "/play/?" in page.url
    without_404(at)


@pytest.mark.parametrize("cards", ["0", "17", "99", "1.5", "x", "-3"])
@pytest.mark.parametrize("view", ["play", "explore", "study"])
def test_numbers_of_cards_that_cannot_be_are_named(visit: Callable[..., Visit], view: str, cards: str) -> None:
    page = visit().open(f"/{view}?cards={cards}")
    said = page.get_by_role("alert").filter(has_text=re.compile(f"has 1 to 16 cards, not “{re.escape(cards)}”"))
    expect(said).to_have_count(1)


@pytest.mark.parametrize("cards", ["2", "14", "16"])
def test_numbers_of_cards_that_can_be_are_kept(visit: Callable[..., Visit], cards: str) -> None:
    at = visit()
    page = at.open(f"/play?cards={cards}&opponent=match&seed=1")
    at.phase("bid")
    assert at.state["cards"] == cards
    expect(page.locator(".hand.mine button")).to_have_count(int(cards))


def test_a_record_says_how_many_cards_there_are(visit: Callable[..., Visit]) -> None:
    at = visit()
    at.open("/play?record=K53_2AJ&opponent=match&seed=1")
    at.phase("bid")
    assert at.state["cards"] == "13"
    page = at.open("/play?cards=5&record=K53&opponent=match&seed=1")
    expect(page.get_by_role("alert")).to_contain_text("round 1")


def test_leads_that_cannot_be_are_not_replaced(visit: Callable[..., Visit]) -> None:
    at = visit()
    page = at.open("/explore?position=245/A35/A3_4_2")
    lead = page.get_by_label("Your lead in points")
    for given in ("500", "1.5", ""):
        lead.fill(given)
        lead.press("Enter")
        expect(page.locator("#lead-wrong")).to_have_text(
            re.compile("^A whole number from −.* Until then it stays at 2")
        )
        expect(lead).to_have_value(given)
        assert at.state["position"] == "245/A35/A3_4_2"
    lead.fill("-3")
    lead.press("Enter")
    expect(page).to_have_url(re.compile("A3_4_-3"))


# --- Explore and Study


def test_a_bar_is_as_long_as_its_share(visit: Callable[..., Visit]) -> None:
    at = visit()
    for path in ("/explore?position=24/A3/2_A_9&objective=win", "/explore?position=245/A35/A3_4&objective=win"):
        page = at.open(path)
        expect(page.locator(".win .outcomes b")).to_have_count(3)
        shares = [float(text.split()[0]) for text in texts(page.locator(".win .outcomes b"))]
        widths = page.locator(".win .outcomes i").evaluate_all("all => all.map((i) => i.getBoundingClientRect().width)")
        assert [100 * width / sum(widths) for width in widths] == pytest.approx(shares, abs=0.5)


def test_values_that_are_all_alike_are_said_once(visit: Callable[..., Visit]) -> None:
    page = visit().open("/explore?position=start_6_4")
    tiles = page.locator(".points .upcard-values button")
    expect(tiles).to_have_count(6)
    assert all("0.0" not in text for text in texts(tiles))
    expect(page.locator(".points .upcards .remark")).to_have_text("It is 0.000, whichever prize it is.")


def test_in_a_known_order_no_other_prize_is_listed(visit: Callable[..., Visit]) -> None:
    at = visit()
    page = at.open("/explore?rules=5_order=descending&position=start_5_5")
    expect(page.locator(".points .value .number")).to_be_visible()
    at.answered()
    expect(page.locator(".upcard-values")).to_have_count(0)


def test_the_gap_is_explained(visit: Callable[..., Visit]) -> None:
    page = visit().open("/explore?position=245/A35/A3_4")
    page.locator(".points .remark .note summary").last.click()
    expect(page.locator(".points .remark .note[open] p")).to_contain_text("The proof that comes with every answer")


def test_the_curve_ends_at_certainty(visit: Callable[..., Visit]) -> None:
    page = visit().open(REVIEW)
    expect(page.locator(".curve")).to_be_visible()
    numbers = [
        float(text.replace("−", "-")) for text in page.locator(".curve :is(.line, .zero) text").all_text_contents()
    ]
    assert min(numbers) >= -1
    assert max(numbers) <= 1


def test_a_missing_table_leaves_no_blank_half_page(visit: Callable[..., Visit], store: Path) -> None:
    if not (store / "points-13.zarr").is_dir():
        pytest.skip("no table of 13 cards in the store of the tests")
    at = visit()
    page = at.open("/explore?position=start_13_7")
    expect(page.locator(".win [role=alert]")).to_be_visible()
    boxes = [page.locator(f".answer.{name}").bounding_box() for name in ("points", "win")]
    assert boxes[0]
    assert boxes[1]
    assert boxes[0]["width"] > 1000
    assert boxes[1]["y"] >= boxes[0]["y"] + boxes[0]["height"]
    without_404(at)


def test_the_cells_of_study_lead_to_their_positions(visit: Callable[..., Visit]) -> None:
    at = visit()
    page = at.open("/study?cards=5")
    section = page.locator("section[aria-labelledby=title-win]")
    expect(section.locator("tbody a")).to_have_count(25)
    section.locator("tbody a").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page).to_have_title(re.compile("^Explore"))
    assert (at.state["position"], at.state["objective"]) == ("A2345/A2345/A345_2", "win")


# --- how it loads, and where it fits


@pytest.mark.parametrize("path", ["/", "/explore", "/study?cards=6", "/study"])
def test_nothing_shifts_while_a_view_is_loaded(visit: Callable[..., Visit], path: str) -> None:
    at = visit()
    at.page.add_init_script(f"({SHIFTS})()")
    page = at.open(path)
    page.wait_for_timeout(300)
    assert page.evaluate("window.shifted") <= 0.02


def test_small_positions_need_no_table(visit: Callable[..., Visit]) -> None:
    page = visit().open("/explore?position=2468T[14]/13579[15]/34567_8_3")
    expect(page.locator(".answer .value .number")).to_have_count(2)


def test_every_state_is_accessible_and_fits(visit: Callable[..., Visit]) -> None:
    at = visit()
    for name, path in STATES.items():
        at.open(path)
        assert (name, misfits(at)) == (name, [])
    without_404(at)
