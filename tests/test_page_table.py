"""At the table, in a real browser: looking back, from a position, hints, two people, pasted and guided games."""

import base64
import re
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from answers import with_upcard
from browser import DESK, PHONE, SHIFTS, Visit, misfits, texts
from command import run
from fixtures import Tablebases
from playwright.sync_api import Locator, Page, expect

from goofspiel.cards import card_name
from goofspiel.position import Position
from goofspiel.records.record import GameRecord
from goofspiel.records.reviews import review
from goofspiel.roster import load_player

Visitor = Callable[..., Visit]
ENDED = "/play?cards=5&objective=points&opponent=casual&seed=5&record=253_422_A3A_344_5A5"
FROM = "/play?from=245/A35/A3_4_2&opponent=match&seed=3"
TWO = "/play?cards=5&opponent=human&seed=5"
TWO_ENDED = f"{TWO}&record=253_422_A3A_344_5A5"
STATES = {
    "result": ENDED,
    "round": f"{ENDED}&round=2",
    "unfinished": "/play?cards=5&opponent=casual&seed=5&record=253_422_A3A_3&round=2",
    "position": FROM,
    "position's end": f"{FROM}&record=425_343_A5A",
    "against them": "/play?cards=6&opponent=casual&seed=5&hint=them",
    "two": TWO,
    "two, reviewed": f"{TWO_ENDED}&side=theirs",
    "two, looked at": f"{TWO_ENDED}&side=theirs&round=1",
    "guide": "/guide",
}


def signed(number: float, digits: int) -> str:
    """As the page writes a number."""
    text = f"{abs(number):.{digits}f}"
    return text if not float(text) else ("−" if number < 0 else "+") + text


def numbers(cells: Locator) -> list[float]:
    """What elements show, as numbers."""
    return [float(text.replace("−", "-")) for text in texts(cells)]


def shown_cards(page: Page, selector: str) -> list[str]:
    """The cards that lie somewhere, by their corners."""
    cards: list[str] = page.locator(f"{selector} .card .small text").all_text_contents()
    return cards


# --- looking back


def test_step_through_a_finished_game_by_keyboard(visit: Visitor, tablebase: Tablebases) -> None:
    at = visit()
    page = at.open(ENDED)
    at.phase("over")
    found = review(GameRecord.read("253 422 A3A 344 5A5"), tablebase(5), theirs=load_player("casual", 5))
    where = page.locator(".steps .where")
    expect(where).to_have_text("The result")
    page.keyboard.press("Home")
    for number, reviewed in enumerate(found.rounds, start=1):
        at.phase("look")
        expect(where).to_have_text(f"Round {number} of 5")
        assert at.state["round"] == str(number)
        played = reviewed.round
        assert shown_cards(page, ".side.mine .bid") == [card_name(played.mine)]
        assert shown_cards(page, ".side.theirs .bid") == [card_name(played.theirs)]
        assert shown_cards(page, ".upcard") == [card_name(played.upcard)]
        left = [card_name(card) for card in reviewed.position.my_cards if card != played.mine]
        assert shown_cards(page, ".hand.mine") == left
        expect(page.locator(".history tr[aria-current] th")).to_have_text(str(number))
        panel = page.locator(".looked")
        expect(panel.locator("h2")).to_have_text(f"Round {number}")
        parts = (reviewed.draw_luck, reviewed.gain, reviewed.chance, reviewed.value_after)
        assert numbers(panel.locator("dd")) == pytest.approx(parts, abs=0.0051)
        words = panel.locator("p").first
        if reviewed.cost:
            expect(words).to_contain_text(f"costs {reviewed.cost:.2f} points")
        page.keyboard.press("ArrowRight")
    at.phase("over")
    expect(page.locator(".said")).to_have_text("You lose, 3 to 5.")
    page.keyboard.press("ArrowRight")  # there is nothing after the result
    at.phase("over")
    page.keyboard.press("ArrowLeft")
    expect(where).to_have_text("Round 5 of 5")
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    expect(where).to_have_text("Round 4 of 5")
    page.reload()
    expect(where).to_have_text("Round 4 of 5")
    expect(page.locator(".looked h2")).to_have_text("Round 4")


def test_step_with_the_mouse_and_play_on(visit: Visitor) -> None:
    at = visit()
    page = at.open(ENDED)
    at.phase("over")
    expect(page.get_by_role("button", name="Play on from here")).to_be_disabled()
    page.get_by_role("button", name="Look at round 3").click()
    expect(page.locator(".steps .where")).to_have_text("Round 3 of 5")
    page.get_by_role("button", name="Previous round").click()
    expect(page.get_by_role("button", name="Previous round")).to_be_focused()
    page.get_by_role("button", name="First round").click()
    page.get_by_role("button", name="First round").click(force=True)  # is there already
    expect(page.locator(".steps .where")).to_have_text("Round 1 of 5")
    page.get_by_role("button", name="Next round").click()
    page.get_by_role("button", name="Play on from here").click()
    at.phase("bid")
    assert at.state["record"] == "253_4"
    assert "round" not in at.state
    page.keyboard.press("A")
    at.played(2)
    page.go_back()  # to the game as it was
    expect(page.locator(".steps .where")).to_have_text("Round 2 of 5")


def test_a_game_that_goes_on_can_be_looked_back_at(visit: Visitor) -> None:
    at = visit()
    page = at.open("/play?cards=5&opponent=casual&seed=5&record=253_422")
    at.phase("bid")
    address = page.url
    page.get_by_role("button", name="Look at round 1").click()
    at.phase("look")
    expect(page.locator(".looked")).to_be_visible()
    expect(page.locator(".rounds tbody tr")).to_have_count(2)  # of the open round nothing is told
    page.keyboard.press("2")  # bids nothing
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    at.phase("bid")
    assert page.url == address
    page.keyboard.press("3")
    at.played(3)


# --- from a position


def test_play_from_what_is_explored(visit: Visitor, tablebase: Tablebases) -> None:
    at = visit()
    page = at.open("/play?cards=5&opponent=match&seed=1")
    at.phase("bid")
    at.open("/explore?position=245/A35/A3_4_2")
    page.get_by_role("link", name="Play from here").click()
    at.phase("bid")
    assert (at.state["from"], at.state["opponent"], at.state["record"]) == ("245/A35/A3_4_2", "match", "4")
    expect(page.locator(".said")).to_contain_text("Round 1 of 3. The prize is the 4.")
    assert texts(page.locator(".score strong")) == ["2", "0"]
    assert shown_cards(page, ".hand.mine") == ["2", "4", "5"]
    page.reload()
    at.phase("bid")
    for number, key in enumerate("254", start=1):
        at.phase("bid")
        page.keyboard.press(key)
        at.played(number)
        page.keyboard.press("Enter")
    at.phase("over")
    expect(page.locator(".total")).to_have_count(6)
    parts = numbers(page.locator(".total strong"))
    start = tablebase(5).probe(Position("245/A35/A3 4 2")).value
    assert parts[0] == pytest.approx(start, abs=0.0051)
    assert sum(parts[:4]) == pytest.approx(parts[4], abs=0.03)  # they are rounded
    position = Position("245/A35/A3 4 2")
    for word in at.state["record"].split("_"):
        upcard, mine, theirs = ("A2345".index(letter) + 1 for letter in word)
        position = (position if position.upcard else position.turn_up(upcard)).play(mine, theirs)
    assert parts[4] == position.lead
    page.get_by_role("button", name="Play these cards again").click()
    at.phase("bid")
    assert at.state["from"] == "245/A35/A3_4_2"
    page.keyboard.press("n")
    at.phase("bid")
    assert at.state["from"] == "245/A35/A3_4_2"
    # It is still there on another day, until it is not wanted any more.
    page.goto(f"{at.address}/")
    at.phase("bid")
    assert at.state["from"] == "245/A35/A3_4_2"
    page.get_by_role("button", name="Play from the opening").click()
    at.phase("bid")
    assert "from" not in at.state
    expect(page.locator(".hand.mine button")).to_have_count(5)


@pytest.mark.parametrize(
    ("position", "rules"),
    [("346/A25/345_-", ""), ("245/A35/A3_4_0_7", "&rules=13_carry"), ("A23/345/32A_-_4", "&rules=5_order=descending")],
)
def test_positions_of_other_rules_are_played_too(visit: Visitor, position: str, rules: str) -> None:
    at = visit()
    page = at.open(f"/explore?position={position}{rules}")
    page.get_by_role("link", name="Play from here").click()
    at.phase("bid")
    assert at.state["from"] == position
    for number in (1, 2, 3):
        at.phase("bid")
        page.locator(".hand.mine button").first.click()
        at.played(number)
        page.keyboard.press("Enter")
    at.phase("over")
    expect(page.locator(".review .lead")).to_be_visible()


def test_what_cannot_be_played_from_is_not_offered(visit: Visitor) -> None:
    at = visit()
    for path in ("/explore?position=-/-/-_-_3", "/explore?position=24/A3/Q_Q"):
        page = at.open(path)
        expect(page.get_by_role("button", name="Swap sides")).to_be_visible()
        expect(page.get_by_role("link", name="Play from here")).to_have_count(0)
    for begins in ("24/A3/Q_Q", "nonsense", "-/-/-_-"):
        page = at.open(f"/play?from={begins}")
        expect(page.get_by_role("alert")).to_contain_text(re.compile("mine/theirs/deck|“.*”"))
        page.get_by_role("alert").get_by_role("button", name="New game").click()
        at.phase("bid")
        assert "from" not in at.state


# --- hints


def test_a_hint_against_this_opponent(visit: Visitor, tablebase: Tablebases) -> None:
    at = visit()
    page = at.open("/play?cards=5&objective=points&opponent=match&seed=5")
    at.phase("bid")
    page.keyboard.press("h")
    expect(page.locator(".hint .bars")).to_have_count(1)
    page.get_by_role("button", name="Against Bids the prize").click()
    advice = page.locator(".hint .advice")
    position = Position.start(5).turn_up("A2345".index(at.state["record"]) + 1)
    answer = with_upcard(tablebase(5).probe(position))
    column = position.their_cards.index(position.upcard)
    gains = {card: row[column] - answer.value for card, row in zip(position.my_cards, answer.matrix, strict=True)}
    best = max(gains, key=lambda card: gains[card])
    expect(advice).to_contain_text(f"Bid the {best}: on average it gains {gains[best]:.2f} points")
    assert at.state["hint"] == "them"
    assert texts(page.locator(".hand.mine .chance")) == [signed(gain, 1) for gain in gains.values()]
    page.reload()
    expect(advice).to_be_visible()
    page.get_by_role("button", name="Against perfect play").click()
    expect(advice).to_have_count(0)
    assert at.state["hint"] == "1"
    page.keyboard.press("h")
    expect(page.locator(".hint")).to_have_count(0)


# --- two people


def nothing_of(page: Page, side: str, held: int) -> None:
    """No trace of a bid: the hand it is from is whole, and neither address nor storage nor history have more rounds."""
    flips, kept = page.evaluate(
        """() => [
            [...document.querySelectorAll("[data-flip]")].map((one) => one.dataset.flip),
            JSON.stringify([location.href, history.state, { ...localStorage }, { ...sessionStorage }]),
        ]"""
    )
    assert len({flip for flip in flips if flip.startswith(f"{side} ")}) in (0, held)
    assert "bid" not in kept
    assert all(len(words.split("_")[-1]) == 1 for words in re.findall(r"record=(\w+)", kept))
    assert shown_cards(page, ".bid") == []


def test_two_people_at_one_device(visit: Visitor) -> None:
    at = visit(size=PHONE)
    page = at.open(TWO)
    said = page.locator(".said")
    for number, (spades, hearts) in enumerate(zip("42351", "35142", strict=True), start=1):
        order = [("Spades", spades), ("Hearts", hearts)]
        (first, one), (second, other) = order if number % 2 else reversed(order)
        at.phase("bid")
        expect(said).to_contain_text(f"{first} bid first; {second} look away.")
        suit = {"Spades": "spade", "Hearts": "heart"}
        expect(page.locator(f".hand.mine .card.{suit[first]}")).to_have_count(6 - number)
        with at.at_once():
            page.keyboard.press(one)
            at.phase("pass")
            page.keyboard.press("Enter")  # shows no hand
            expect(said).to_contain_text(f"The bid of {first} lies face down. Pass the device to {second}.")
        expect(page.locator(".hand.mine .card")).to_have_count(0)
        expect(page.locator(".hand.theirs")).to_be_hidden()
        nothing_of(page, "mine" if first == "Spades" else "theirs", 6 - number)
        page.keyboard.press(other)  # is nobody's bid
        at.phase("pass")
        page.wait_for_timeout(450)
        page.get_by_role("button", name=f"I am {second}: show my cards").click()
        at.phase("bid")
        expect(page.locator(f".hand.mine .card.{suit[second]}")).to_have_count(6 - number)
        # The hand of who has bid is shown whole: no gap tells which card is gone.
        expect(page.locator(f".hand.theirs .card.{suit[first]}")).to_have_count(6 - number)
        page.keyboard.press(other)
        at.phase("reveal")
        taken = "Spades take" if spades > hearts else "Hearts take" if spades < hearts else "A tie"
        expect(said).to_contain_text(f"Spades bid {'Ace' if spades == '1' else spades}, Hearts bid")
        expect(said).to_contain_text(taken)
        page.wait_for_timeout(2000 if number == 1 else 450)
        at.phase("reveal")  # both may look as long as they like
        page.keyboard.press("Enter")
    at.phase("over")
    words = [word[1:].replace("A", "1") for word in at.state["record"].split("_")]
    assert words == [f"{spades}{hearts}" for spades, hearts in zip("42351", "35142", strict=True)]
    expect(said).to_have_text(re.compile("^(Spades|Hearts) win, |^A draw"))


def test_a_bid_can_be_taken_back_before_the_device_is_passed(visit: Visitor) -> None:
    at = visit()
    page = at.open(TWO)
    at.phase("bid")
    page.keyboard.press("4")
    at.phase("pass")
    page.wait_for_timeout(450)
    page.get_by_role("button", name="Take that bid back").click()
    at.phase("bid")
    expect(page.locator(".hand.mine .card.spade")).to_have_count(5)
    page.keyboard.press("2")
    at.phase("pass")
    page.reload()  # what was face down is forgotten, and bid again
    at.phase("bid")
    expect(page.locator(".hand.mine .card.spade")).to_have_count(5)


def test_either_side_is_reviewed(visit: Visitor, tablebase: Tablebases) -> None:
    at = visit()
    page = at.open(TWO_ENDED)
    at.phase("over")
    found = review(GameRecord.read("253 422 A3A 344 5A5"), tablebase(5))
    for name, one in (("Spades", found), ("Hearts", found.swap())):
        page.get_by_role("button", name=f"For {name}").click()
        expect(page.locator("#review-title")).to_have_text(f"The review for {name}")
        values = page.locator(".rounds tbody td:nth-child(8)")
        expect(values.first).to_have_text(signed(one.rounds[0].value_after, 2))
        assert numbers(values) == pytest.approx([reviewed.value_after for reviewed in one.rounds], abs=0.0051)
        suit = "spade" if name == "Spades" else "heart"
        expect(page.locator(f".rounds tbody td:nth-child(3) .chip.{suit}")).to_have_count(5)
    assert at.state["side"] == "theirs"
    page.reload()
    expect(page.locator("#review-title")).to_have_text("The review for Hearts")


# --- pasted and shared


def paste(page: Page, text: str) -> None:
    panel = page.locator(".paste")
    if panel.get_attribute("open") is None:
        panel.locator("summary").click()
    panel.get_by_role("textbox").fill(text)
    panel.get_by_role("button", name="Review it").click()


def test_a_game_is_pasted(visit: Visitor, tablebase: Tablebases) -> None:
    at = visit()
    page = at.open("/play?cards=7&seed=1")
    at.phase("bid")
    paste(page, "524 A5A 3A3 435 242")
    at.phase("over")
    assert (at.state["record"], at.state["opponent"]) == ("524_A5A_3A3_435_242", "human")
    found = review(GameRecord.read("524 A5A 3A3 435 242"), tablebase(5))
    expect(page.locator(".total strong").nth(4)).to_have_text(f"{found.cost:.2f}")
    page.go_back()
    at.phase("bid")
    paste(page, "cards: 5\ntheirs: match\nobjective: win\n\n535 2A2 # so far")
    at.phase("look")  # it is not over: it is reviewed as far as it goes
    assert (at.state["opponent"], at.state["objective"], at.state["round"]) == ("match", "win", "2")
    expect(page.locator(".review")).to_contain_text("How they bid is known: Bids the prize.")
    expect(page.locator(".total").filter(has_text="To be expected so far")).to_be_visible()
    page.get_by_role("button", name="Play on from here").click()
    at.phase("bid")
    paste(page, "2A3 33A A22\n\n524 A5A 3A3 435 242")
    page.get_by_role("button", name="Game 2").click()
    expect(page).to_have_url(re.compile("record=524_A5A_3A3_435_242"))
    paste(page, f"{at.address}{ENDED}")
    expect(page).to_have_url(re.compile("record=253_422_A3A_344_5A5"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Paste a game first, such as “524 A5A 3A3 435 242”."),
        ("524 A5", "Round 2 is upcard, my bid, their bid, or an upcard alone, not “A5”."),
        ("52x", "Unknown card “x” in round 1."),
        ("cards: 5\n524 524", "Round 2: 5 cannot be turned up: “524 524”."),
        ("cards: 5\n524 A24", "Round 2: you hold no 2: “524 A24”."),
        ("cards: 99\n524", "A game has 1 to 16 cards, not “99”."),
        ("cards: 5\n5", "Nothing was bid yet in “cards: 5\n5”."),
        ("https://example.org/nothing", "There is no game in the address “https://example.org/nothing”."),
    ],
)
def test_what_cannot_be_read_is_said_in_a_sentence(visit: Visitor, text: str, said: str) -> None:
    at = visit()
    page = at.open("/play?cards=5&seed=1")
    at.phase("bid")
    address = page.url
    paste(page, text)
    wrong = page.locator(".pasted [role=alert]")
    expect(wrong).to_have_text(said)
    expect(page.locator(".pasted textarea")).to_be_focused()
    assert page.url == address


@pytest.mark.parametrize("path", [ENDED, f"{TWO_ENDED}&side=theirs"])
def test_link_and_text_of_a_review(visit: Visitor, path: str, store: Path, tmp_path: Path) -> None:
    at = visit()
    at.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = at.open(path)
    expect(page.locator(".review")).to_be_visible()
    page.get_by_role("button", name="Copy link").click()
    said = page.locator(".sharing [role=status]")
    expect(said).to_have_text("Link copied.")
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    page.get_by_role("button", name="Copy text").click()
    expect(said).to_have_text("Text copied.")
    text = page.evaluate("navigator.clipboard.readText()")
    lead = page.locator(".review .lead").inner_text().strip()
    assert lead.split(". ")[0] in text
    for number in texts(page.locator(".total strong")):
        assert f": {number}\n" in text
    # What was copied is a record: the command line reviews it, and so does the page.
    file = tmp_path / "game.txt"
    file.write_text(text, encoding="utf-8")
    printed = run("review", str(file), store=store).stdout
    cost = page.locator(".total strong").last.inner_text()
    assert re.search(rf"total .* -?{re.escape(cost)}\n", printed)
    reviewed = page.locator(".rounds tbody").inner_text()
    paste(page, text)
    expect(page.locator(".rounds tbody")).to_have_text(re.compile(".+"))
    if "human" not in path:
        expect(page.locator(".rounds tbody")).to_have_text(reviewed, use_inner_text=True)


def test_what_cannot_be_copied_is_shown(visit: Visitor) -> None:
    at = visit()
    at.page.add_init_script("delete Navigator.prototype.clipboard")  # as on pages of plain http
    page = at.open(ENDED)
    page.get_by_role("button", name="Copy text").click()
    expect(page.locator(".sharing textarea")).to_have_value(re.compile("253 422 A3A 344 5A5"))
    page.get_by_role("button", name="Copy image").click()
    expect(page.locator(".sharing [role=status]")).to_contain_text("save it instead")


@pytest.mark.parametrize(
    "path", [ENDED, "/play?cards=9&objective=win&seed=1&opponent=match&record=565_232_898_A2A_787"]
)
def test_the_picture_of_a_review(visit: Visitor, path: str) -> None:
    at = visit()
    at.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = at.open(f"{path}&round=1")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save image").click()
    assert download.value.suggested_filename == "goofspiel-review.png"
    saved = Path(download.value.path()).read_bytes()
    assert saved[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", saved[16:24])
    assert (width, height > 1000) == (2160, True)
    page.get_by_role("button", name="Copy image").click()
    expect(page.locator(".sharing [role=status]")).to_have_text("Image copied.")
    size = page.evaluate(
        """async () => {
            const [item] = await navigator.clipboard.read();
            const image = await createImageBitmap(await item.getType("image/png"));
            return [image.width, image.height];
        }"""
    )
    assert size == [width, height]
    # It is no blank sheet: many colours, and the rows of the rounds are not like the page between them.
    encoded = base64.b64encode(saved).decode()
    colours = page.evaluate(
        """async (encoded) => {
            const image = new Image();
            image.src = `data:image/png;base64,${encoded}`;
            await image.decode();
            const canvas = document.createElement("canvas");
            [canvas.width, canvas.height] = [image.width, image.height];
            const pen = canvas.getContext("2d");
            pen.drawImage(image, 0, 0);
            const { data } = pen.getImageData(0, 0, image.width, image.height);
            const seen = new Set();
            for (let at = 0; at < data.length; at += 4) seen.add(data[at] * 65536 + data[at + 1] * 256 + data[at + 2]);
            return [0x2c6350, 0xfffdf8, 0x24405f, 0xa3203a, 0x8a5200].map((colour) => seen.has(colour));
        }""",
        encoded,
    )
    assert all(colours)


# --- the guided game


def test_a_first_visit_is_guided_once(visit: Visitor) -> None:
    at = visit(size=PHONE)
    at.page.add_init_script(f"({SHIFTS})()")
    page = at.open("/")
    at.phase("bid")
    expect(page).to_have_title("A guided game · Goofspiel")
    title = page.locator("#lesson-title")
    expect(title).to_have_text("You see their bid")
    assert shown_cards(page, ".side.theirs .bid") == ["3"]
    assert page.evaluate("window.shifted") <= 0.02
    page.keyboard.press("4")
    at.phase("reveal")
    expect(page.locator(".lesson")).to_contain_text("Nothing answers their 3 better than your 4.")
    expect(page.locator("[data-key=next]")).to_be_focused()
    page.keyboard.press("Enter")
    expect(title).to_have_text("They see your bid")
    at.phase("bid")
    page.locator(".hand.mine button").last.click()
    at.phase("sealed")
    assert shown_cards(page, ".side.mine .bid") == ["6"]
    at.phase("reveal")
    expect(page.locator(".lesson")).to_contain_text("To be seen has cost you")
    page.keyboard.press("Enter")
    expect(title).to_have_text("Nobody sees anything")
    at.phase("bid")
    expect(page.locator(".side.theirs .bid .back")).to_be_visible()
    assert sum(float(text.split()[0]) for text in texts(page.locator(".lesson .bars td.number"))) == pytest.approx(
        100, abs=0.3
    )
    page.get_by_role("button", name="Let chance choose").click()
    at.phase("reveal")
    expect(page.locator(".lesson")).to_contain_text("Chance chose the")
    page.get_by_role("button", name="Now play a game").click()
    at.phase("bid")
    expect(page).to_have_title("Play · Goofspiel")
    assert at.state["opponent"] == "casual"
    page.goto(f"{at.address}/")  # it is not shown again, unless it is asked for
    at.phase("bid")
    expect(page).to_have_title("Play · Goofspiel")
    page.get_by_text("How to play").click()
    page.get_by_role("link", name="A guided game of three rounds").click()
    expect(page).to_have_title("A guided game · Goofspiel")


def test_the_guide_can_be_skipped(visit: Visitor) -> None:
    at = visit()
    page = at.open("/play/")
    expect(page).to_have_title("A guided game · Goofspiel")
    page.get_by_role("link", name="Skip it").click()
    at.phase("bid")
    expect(page).to_have_title("Play · Goofspiel")
    page.reload()
    expect(page).to_have_title("Play · Goofspiel")


def test_nobody_is_guided_who_follows_a_link_or_cannot_be_remembered(visit: Visitor) -> None:
    at = visit()
    page = at.open(ENDED)
    at.phase("over")
    other = visit()
    other.page.add_init_script("Object.defineProperty(window, 'localStorage', { get() { throw new Error('no'); } })")
    page = other.open("/")
    other.phase("bid")
    expect(page).to_have_title("Play · Goofspiel")


# --- how it looks


def test_every_state_is_accessible_and_fits(visit: Visitor) -> None:
    at = visit()
    page = at.page

    def fits(name: str) -> None:
        assert (name, misfits(at)) == (name, [])

    for name, path in STATES.items():
        at.open(path)
        fits(name)
    page.keyboard.press("5")
    at.phase("reveal")
    fits("guide, told")
    at.open(TWO)
    page.keyboard.press("4")
    at.phase("pass")
    fits("pass")
    page.wait_for_timeout(450)
    page.keyboard.press("Enter")
    at.phase("bid")
    fits("second")
    page.keyboard.press("3")
    at.phase("reveal")
    fits("reveal")
    paste(page, "52x")
    fits("pasted")


def test_the_table_stays_where_it_is_for_two(visit: Visitor) -> None:
    for size in (DESK, PHONE):
        at = visit(size=size)
        page = at.open(TWO)
        at.phase("bid")
        before = page.locator(".felt").bounding_box()
        assert before
        for key, phase in (("4", "pass"), ("Enter", "bid"), ("3", "reveal")):
            page.keyboard.press(key)
            at.phase(phase)
            if phase == "pass":
                page.wait_for_timeout(450)
            box = page.locator(".felt").bounding_box()
            assert box
            assert (box["x"], box["y"], box["width"]) == (before["x"], before["y"], before["width"])
            assert abs(box["height"] - before["height"]) < 30, phase  # no button jumps away
