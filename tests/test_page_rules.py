"""The page under rules of every kind, in a real browser: the panel, the address, whole games, positions."""

import re
from collections.abc import Callable

import pytest
from answers import with_upcard
from browser import Visit, misfits, texts
from fixtures import Tablebases
from playwright.sync_api import Locator, Page, expect

from goofspiel.position import Position
from goofspiel.records.record import GameRecord
from goofspiel.records.reviews import review
from goofspiel.roster import load_player
from goofspiel.rules import Rules

Visitor = Callable[..., Visit]
PANEL = ".game-rules"


def unfolded(page: Page) -> Locator:
    """The panel of rules, opened."""
    panel = page.locator(PANEL)
    if panel.get_attribute("open") is None:
        panel.locator("summary").click()
    return panel


def record_of(at: Visit) -> GameRecord:
    rules = Rules.parse(at.state["rules"])
    fields = {name: getattr(rules, name) for name in ("ties", "prizes", "order", "rounds")}
    return GameRecord.read(at.state["record"].replace("_", " "), cards=rules.cards, **fields)


def signed(number: float, digits: int) -> str:
    """As the page writes a number."""
    text = f"{abs(number):.{digits}f}"
    return text if not float(text) else ("−" if number < 0 else "+") + text


# --- the panel, and the address


def test_rules_are_chosen_in_words_and_kept_in_the_address(visit: Visitor) -> None:
    at = visit()
    page = at.open("/play?cards=5&objective=points&opponent=uniform&seed=5")
    at.phase("bid")
    panel = unfolded(page)
    summary = panel.locator("summary")
    expect(summary).to_have_text(re.compile("5 cards · most points$"))
    panel.get_by_label("When both bid the same").select_option("the next winner gets it, too")
    expect(page).to_have_url(re.compile("rules=5_carry&"))
    panel.get_by_label("You play for").select_option("winning, by a little or a lot")
    panel.get_by_label("The prizes come").select_option("highest first")
    panel.get_by_label("Rounds").select_option("only 3")
    expect(page).to_have_url(re.compile("rules=5_win_carry_order=descending_rounds=3&"))
    panel.get_by_label("What the prizes are worth").fill("8 5 2 A 1")
    panel.get_by_label("What the prizes are worth").press("Enter")
    expect(page).to_have_url(re.compile("rules=5_win_carry_prizes=1,1,2,5,8_order=descending_rounds=3&"))
    at.phase("bid")
    words = "5 cards · just to win · ties carried over · prizes 1, 1, 2, 5, 8 · highest prize first · 3 rounds"
    expect(summary).to_have_text(re.compile(f"{words}$"))
    page.reload()
    at.phase("bid")
    expect(page.locator(f"{PANEL} summary")).to_have_text(re.compile(f"{words}$"))
    assert Rules.parse(at.state["rules"]) == Rules.parse("5 win carry prizes=1,1,2,5,8 order=descending rounds=3")
    how = page.locator("details.rules")
    how.locator("summary").click()
    for said in ("worth 1, 1, 2, 5, 8", "the order in which they come: 8 5 2 A A", "waits in the pot", "After 3 of 5"):
        expect(how).to_contain_text(said)
    unfolded(page).get_by_role("button", name="The usual rules").click()
    expect(page).to_have_url(re.compile("cards=5&objective=win&"))
    page.go_back()
    expect(page.locator(f"{PANEL} summary")).to_have_text(re.compile(f"{words}$"))


def test_what_is_wrong_is_said_beside_its_field(visit: Visitor) -> None:
    at = visit()
    page = at.open("/play?cards=5&objective=points&opponent=uniform&seed=5")
    at.phase("bid")
    address = page.url
    panel = unfolded(page)
    prizes = panel.get_by_label("What the prizes are worth")
    prizes.fill("1, 2")
    prizes.press("Enter")
    wrong = panel.get_by_role("alert")
    expect(wrong).to_have_text("5 cards need 5 prizes, not 2. Until then the old rules hold.")
    expect(prizes).to_have_attribute("aria-invalid", "true")
    expect(prizes).to_have_value("1, 2")
    assert page.url == address
    prizes.fill("1, 2, 3, x, 5")
    prizes.press("Enter")
    expect(wrong).to_contain_text("A prize is a number from 1 to 999 or a card, not “x”.")
    prizes.fill("")
    prizes.press("Enter")
    expect(wrong).to_have_count(0)
    panel.get_by_label("The prizes come").select_option("in an order of your own")
    expect(wrong).to_contain_text("Write all 5 prizes in the order in which they come.")
    order = panel.get_by_label("Their order")
    order.fill("5 3 3 2 1")
    order.press("Enter")
    expect(wrong).to_contain_text("An order has each of the prizes 1, 2, 3, 4, 5 once, not 5, 3, 3, 2, 1.")
    order.fill("5 3 4 2 A")
    order.press("Enter")
    expect(wrong).to_have_count(0)
    expect(page).to_have_url(re.compile("rules=5_order=5,3,4,2,1&"))
    panel.get_by_label("Cards in each hand").select_option("6")
    expect(wrong).to_contain_text("An order has each of the prizes 1, 2, 3, 4, 5, 6 once")
    assert Rules.parse(at.state["rules"]).cards == 5


@pytest.mark.parametrize("path", ["/play", "/explore", "/study"])
def test_rules_of_an_address_that_cannot_be(visit: Visitor, path: str) -> None:
    at = visit()
    page = at.open(f"{path}?rules=5_order=1,2")
    alert = page.get_by_role("alert").filter(has_text=re.compile("order has each of the prizes"))
    expect(alert).to_have_count(1)


def test_every_kind_of_rules_is_accessible_and_fits(visit: Visitor) -> None:
    at = visit()
    for path in (
        "/play?rules=7_carry&seed=5&record=355_744&opponent=match",
        "/play?rules=5_prizes=1,1,2,5,900_rounds=4&seed=5&opponent=match",
        "/play?rules=16_order=descending&seed=5&opponent=match",
        "/explore?rules=6_carry_order=descending&position=A245/A245/32A_4_0_11",
        "/explore?rules=5_prizes=1,1,2,5,900&position=start_5",
        "/study?rules=4_prizes=1,1,2,5",
    ):
        page = at.open(path)
        panel = unfolded(page)
        panel.get_by_label("What the prizes are worth").fill("1")
        panel.get_by_label("What the prizes are worth").press("Enter")
        expect(panel.get_by_role("alert")).to_be_visible()
        assert (path, misfits(at)) == (path, [])


# --- whole games


def play_out(at: Visit, hands: tuple[int, ...], cards: int) -> None:
    """Bid the highest card, with the mouse, as long as there are cards."""
    hand = at.page.get_by_role("group", name="Your hand").get_by_role("button")
    for left in hands:
        at.phase("bid")
        expect(hand).to_have_count(left)
        hand.last.click()
        at.played(cards + 1 - left)
        at.page.locator(".felt").click(position={"x": 12, "y": 12})  # does not wait for the next prize
    at.phase("over")


def test_a_whole_game_with_ties_carried_over(visit: Visitor, tablebase: Tablebases) -> None:
    """Against one who bids the prize: the same bid is a tie."""
    at = visit()
    page = at.open("/play?rules=5_carry&opponent=match&seed=7")
    deck = page.request.get(f"{at.address}/api/v1/deck?rules=5_carry&seed=7").json()["upcards"]
    first, second, *_ = deck
    points = {"A": 1, "2": 2, "3": 3, "4": 4, "5": 5}
    pot, said = page.locator(".pot p"), page.locator(".said")
    at.phase("bid")
    expect(pot).to_have_count(0)
    page.keyboard.press(first)
    at.played(1)
    expect(said).to_contain_text("goes into the pot. The next winner takes it, too.")
    page.keyboard.press("Enter")
    at.phase("bid")
    expect(pot).to_have_text(f"+{points[first]} in the pot")
    page.keyboard.press(second)
    at.played(2)
    waiting = points[first] + points[second]
    expect(said).to_contain_text(f"goes into the pot, now {waiting}.")
    page.keyboard.press("Enter")
    at.phase("bid")
    expect(pot).to_have_text(f"+{waiting} in the pot")
    expect(said).to_contain_text(f"and {waiting} in the pot")
    assert record_of(at).position.pot == waiting
    page.reload()
    at.phase("bid")
    expect(pot).to_have_text(f"+{waiting} in the pot")
    page.get_by_role("button", name="Hint").click()
    answer = with_upcard(tablebase(Rules(5, ties="carry")).probe(record_of(at).position))
    chances = page.locator(".hint .bars tbody td:nth-child(3)")
    expect(chances).to_have_count(3)
    shares = [100 * share for share in answer.mine.values()]
    assert [float(text.split()[0]) for text in texts(chances)] == pytest.approx(shares, abs=0.051)
    play_out(at, (3, 2, 1), 5)
    record = record_of(at)
    assert record.is_over
    lead = record.position.lead
    expect(said).to_have_text(re.compile("^You win" if lead > 0 else "^You lose" if lead < 0 else "^A draw"))
    scores = [int(text) for text in texts(page.locator(".score strong"))]
    assert scores[0] - scores[1] == lead
    assert sum(scores) == 15 - record.position.pot
    found = review(record, tablebase(record.rules), theirs=load_player(at.state["opponent"], record.rules))
    expect(page.locator(".total")).to_have_count(5)
    parts = [signed(part, 2) for part in (found.draw_luck, found.gain, found.chance)]
    assert texts(page.locator(".total strong"))[:4] == [*parts, signed(lead, 0)]
    prizes = texts(page.locator(".rounds tbody td:nth-child(2)"))
    assert [text.partition("+")[2] for text in prizes[:4]] == ["", str(points[first]), str(waiting), ""]
    page.get_by_role("link", name="Explore round 3").click()
    expect(page.locator(".points .value .number")).to_have_text(signed(found.rounds[2].value, 3))
    assert at.state == {"position": found.rounds[2].position.url, "rules": "5_carry"}


def test_a_whole_game_in_a_known_order(visit: Visitor, tablebase: Tablebases) -> None:
    at = visit()
    page = at.open("/play?rules=4_order=3,1,4,2&opponent=uniform&seed=7")
    coming = page.locator(".deck")
    hand = page.get_by_role("group", name="Your hand").get_by_role("button")
    for left, words in (
        (4, "to come, in this order: A 4 2"),
        (3, "to come, in this order: 4 2"),
        (2, "to come: 2"),
        (1, ""),
    ):
        at.phase("bid")
        expect(coming).to_have_text(re.compile(f"^{words}(?:tied: .*)?$"))
        hand.first.click()
        at.played(5 - left)
        page.keyboard.press("Enter")
    at.phase("over")
    record = record_of(at)
    assert [played.upcard for played in record.rounds] == [3, 1, 4, 2]
    found = review(record, tablebase(record.rules), theirs=load_player("uniform", record.rules))
    totals = page.locator(".total")
    expect(totals).to_have_count(4)
    assert "Luck of the draw" not in totals.all_inner_texts()
    parts = [signed(found.gain, 2), signed(found.chance, 2), signed(record.position.lead, 0)]
    assert texts(page.locator(".total strong"))[:3] == parts


def test_fewer_rounds_end_the_game_early(visit: Visitor) -> None:
    at = visit()
    page = at.open("/play?rules=5_prizes=2,2,7,40,128_rounds=2&opponent=uniform&seed=7")
    at.phase("bid")
    expect(page.locator(".said")).to_contain_text("Round 1 of 2.")
    expect(page.locator(".deck")).to_contain_text("1 more of: ")
    for key in "53":
        at.phase("bid")
        page.keyboard.press(key)
        at.phase("reveal")
        page.keyboard.press("Enter")
    at.phase("over")
    assert record_of(at).is_over
    assert len(record_of(at).rounds) == 2
    expect(page.locator(".rounds tbody tr")).to_have_count(2)


def test_a_game_that_is_too_large_says_what_it_costs(visit: Visitor) -> None:
    at = visit()
    page = at.open("/play?rules=12_carry&seed=1")
    alert = page.get_by_role("alert")
    expect(alert.locator("code").first).to_have_text("goofspiel solve 12 --ties carry")
    expect(alert).to_contain_text(re.compile(r"about .* of disk, .* of memory"))
    expect(alert).to_contain_text("games of up to 8 cards can always be played")
    assert {complaint for complaint in at.complaints if "404" not in complaint} == set()
    at.complaints.clear()


# --- positions and first moves


def test_explore_with_a_pot(visit: Visitor, tablebase: Tablebases) -> None:
    at = visit()
    page = at.open("/explore?rules=5_carry&position=245/A45/A3_2")
    table = tablebase(Rules(5, ties="carry"))

    def shows(notation: str) -> None:
        position = Position(notation, table.rules)
        expect(page.locator(".points .value .number")).to_have_text(signed(table.probe(position).value, 3))
        assert at.state["position"] == position.url

    shows("245/A45/A3 2")
    page.locator(".points [role=gridcell]").nth(4).click()  # the 4 against the 4
    shows("25/A5/A3 - 0 2")
    expect(page.get_by_label("Points in the pot")).to_have_value("2")
    page.get_by_label("Points in the pot").fill("4")
    page.get_by_label("Points in the pot").press("Enter")
    shows("25/A5/A3 - 0 4")
    panel = unfolded(page)
    panel.get_by_label("When both bid the same").select_option("nobody gets the prize")
    expect(page.get_by_label("Points in the pot")).to_have_count(0)
    assert at.state["position"] == "25/A5/A3_-"
    assert "rules" not in at.state


def test_explore_in_a_known_order_and_with_equal_prizes(visit: Visitor, tablebase: Tablebases) -> None:
    at = visit()
    page = at.open("/explore?rules=5_order=descending&position=start_5_5")
    page.get_by_role("button", name="3 in your hand").click()
    expect(page.locator("#problem")).to_have_text("The hands are of different sizes, 4 and 5: they hold more.")
    page.get_by_role("button", name="Ace in their hand").click()
    expect(page.locator("#problem")).to_have_text("")
    assert at.state["position"] == "A245/2345/32A_4"  # what is left follows from the hands
    answer = tablebase(Rules(5, order="descending")).probe("A245/2345/32A 4")
    expect(page.locator(".points .value .number")).to_have_text(signed(answer.value, 3))
    page.get_by_role("group", name="Turned up").get_by_role("button", name="none yet").click()
    expect(page.locator(".points .upcard-values button")).to_have_count(1)

    at.open("/explore?rules=3_prizes=2,2,50&position=start_3")
    prizes = page.get_by_role("group", name="Prizes left").get_by_role("button")
    expect(prizes).to_have_count(3)
    page.get_by_role("button", name="Ace in your hand").click()
    page.get_by_role("button", name="3 in their hand").click()
    prizes.nth(1).click()
    expect(page.locator("#problem")).to_have_text("")
    assert at.state["position"] == "23/A2/2[50]_-"
    page.get_by_role("group", name="Turned up").get_by_role("button", name="50").click()
    answer = tablebase(Rules(3, prizes=(2, 2, 50))).probe("23/A2/2 [50]")
    expect(page.locator(".points .value .number")).to_have_text(signed(answer.value, 3))


def test_first_moves_of_other_rules(visit: Visitor, tablebase: Tablebases) -> None:
    at = visit()
    page = at.open("/study?rules=4_carry")
    cells = page.locator("section[aria-labelledby=title-points] tbody td")
    expect(cells).to_have_count(16)
    page.get_by_role("link", name="the game of 3 cards").click()
    expect(cells).to_have_count(9)
    assert at.state["rules"] == "3_carry"
    unfolded(page).get_by_label("The prizes come").select_option("lowest first")
    expect(cells).to_have_count(3)
    assert at.state["rules"] == "3_carry_order=ascending"
    answer = with_upcard(tablebase(Rules(3, ties="carry", order="ascending")).probe("A23/A23/23 A"))
    assert [float(text) for text in texts(cells)] == pytest.approx([*answer.mine.values()], abs=0.00051)
