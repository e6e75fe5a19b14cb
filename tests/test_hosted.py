"""The page on a host of files, Debian's nginx: whole games, without ranges, without a network, with damaged blocks."""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import httpx
import pytest
from answers import with_upcard
from browser import Visit, chromium, serving, texts, visits
from command import PATIENCE, run
from damage import flip
from engine import running
from fixtures import Tablebases, Win
from hosts import Host, hosted
from playwright.sync_api import Browser, expect

from goofspiel.position import Position
from goofspiel.records.record import GameRecord
from goofspiel.records.reviews import review

BELOW = "/games/goofspiel/"
PUBLISHING = Path(__file__).parent.parent / "docs/how-to/publish-the-page.md"
KEPT = re.compile(r"^On this device: the page and games of up to \d+ cards")


@pytest.fixture(scope="module")
def site(store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of games of 3 to 8 cards; a browser keeps those of 8."""
    folder = tmp_path_factory.mktemp("hosted") / "site"
    done = run("site", str(folder), "--cards", "3-8", "--under", BELOW, "--quiet", store=store)
    assert (done.returncode, done.stderr) == (0, "")
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def host(site: Path) -> Iterator[Host]:
    with hosted(site, below=BELOW, gzip=True) as found:
        yield found


@pytest.fixture
def visit(browser: Browser, host: Host) -> Iterator[Callable[..., Visit]]:
    """A function that opens a tab. After the test, none may have complained."""
    with visits(partial(Visit, browser, address=host.url.rstrip("/"))) as found:
        yield found


def record_of(at: Visit) -> GameRecord:
    return GameRecord.read(at.state["record"].replace("_", " "), cards=int(at.state["cards"]))


def test_a_whole_game_its_review_and_all_rooms(visit: Callable[..., Visit], tablebase: Tablebases, win: Win) -> None:
    at = visit()
    page = at.open("/play/?cards=6&objective=points&opponent=optimal&seed=3")
    at.play_out("A65432")
    record = record_of(at)
    found = review(record, tablebase(6))
    expect(page.locator(".review")).to_be_visible()
    values = [round(reviewed.value_after, 2) for reviewed in found.rounds]
    shown = texts(page.locator(".rounds tbody td:nth-child(8)"))
    assert [float(text.replace("−", "-")) for text in shown] == pytest.approx(values, abs=0.006)
    page.get_by_role("link", name="Explore round 2").click()
    expect(page).to_have_url(re.compile(f"{BELOW}explore/"))
    answer = with_upcard(win(6).probe(found.rounds[1].position))
    number = page.locator(".win .value .number")
    expect(number).to_have_attribute("title", re.compile(r"\d"))
    assert float(number.get_attribute("title") or "") == pytest.approx(answer.value, abs=1e-6)
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Study").click()
    expect(page).to_have_url(re.compile(f"{BELOW}study/"))
    expect(page.locator(".first-moves table").first).to_be_visible()
    page.reload()
    expect(page.locator(".first-moves table").first).to_be_visible()


def test_the_host_says_where_there_is_nothing(site: Path, browser: Browser) -> None:
    with hosted(site, below=BELOW, directives=f"error_page 404 {BELOW}404.html;") as host:
        at = Visit(browser, address=host.url.rstrip("/"))
        for path in ("/nowhere", "/a/b/c/d"):
            page = at.open(path)
            expect(page.get_by_role("heading", level=1)).to_have_text("There is nothing at this address")
            page.get_by_role("link", name="Study the first move").click()
            expect(page).to_have_url(f"{host.url}study/")
        at.open("/Play?cards=5&seed=1")
        at.phase("bid")
        expect(page).to_have_url(re.compile(f"^{host.url}play/[?].*cards=5"))
        assert {complaint for complaint in at.complaints if "404" not in complaint} == set()
        at.complaints.clear()
        at.close()


# --- hosts that are worse


def test_a_host_that_sends_no_parts(site: Path, browser: Browser, store: Path, tmp_path: Path, win: Win) -> None:
    """Files that are not too large are read whole; for others there is a sentence."""
    with hosted(site, ranges=False) as host:
        at = Visit(browser, address=host.url.rstrip("/"))
        page = at.open("/explore/?position=start_8_4&objective=win&cards=8")
        number = page.locator(".win .value .number")
        expect(number).to_be_visible()
        assert float(number.get_attribute("title") or "") == pytest.approx(win(8).probe("start 8 4").value, abs=1e-6)
        sent = [asked for asked in host.asked() if "win-8.zarr" in asked.path]
        assert {asked.status for asked in sent} == {200}
        at.close()


@pytest.mark.parametrize("ranges", [True, False])
def test_a_file_that_is_too_large_for_a_host_without_parts(tmp_path: Path, ranges: bool) -> None:
    content = bytes(range(256)) * (9 << 12)
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "block").write_bytes(content)
    code = """async (load, { base, size }) => {
        const { HttpHost } = await load("hosts.js");
        const source = new HttpHost(base).files({ path: "x", digest: "d" });
        return source.read("block", 300, 4, size).then((bytes) => [...bytes], ({ kind, message }) => [kind, message]);
    }"""
    with hosted(tmp_path, ranges=ranges) as host, running() as engine:
        found = engine.run(code, {"base": host.url, "size": len(content)})
        asked = host.asked()
    if ranges:
        assert found == [44, 45, 46, 47]
        assert [(one.status, one.sent) for one in asked] == [(206, 4)]
    else:
        assert found[0] == "ranges"
        assert "x/block has 9 MiB, and this host sends only whole files: tables like this one need" in found[1]


def test_a_damaged_block_is_a_sentence(site: Path, browser: Browser, tmp_path: Path) -> None:
    """And the smaller games are answered all the same: by another table, or worked out."""
    copy = tmp_path / "copy"
    shutil.copytree(site, copy)
    for objective in ("points", "win"):
        for path in (copy / f"tables/{objective}-8.zarr").glob("level-07/**/c/**/*"):
            if path.is_file():
                for bit in range(0, 8 * path.stat().st_size, 8 * 97):
                    flip(path, bit)
    with hosted(copy) as host:
        at = Visit(browser, address=host.url.rstrip("/"))
        page = at.open("/explore/?position=start_8_4&objective=win&cards=8")
        expect(page.locator(".win [role=alert]")).to_contain_text("The table is damaged")
        expect(page.locator(".win [role=alert]")).to_contain_text("is damaged: a checksum does not match")
        at.open("/explore/?position=start_7_4&objective=win")
        expect(page.locator(".win .value .number")).to_be_visible()
        # A table that was replaced meanwhile is found: the list is read again.
        at.open("/explore/?position=start_7_4&objective=points&cards=8")
        shutil.rmtree(copy / "tables")
        shutil.copytree(site / "tables", copy / "tables")
        index = json.loads((copy / "tables/index.json").read_bytes())
        for table in index["tables"]:
            table["digest"] = f"{table['digest'][:-1]}x"
        (copy / "tables/index.json").write_text(json.dumps(index))
        page.get_by_label("In notation").fill("start 8 5")
        page.keyboard.press("Enter")
        expect(page.locator(".points .value .number")).to_be_visible()
        expect(page.locator(".points [role=alert]")).to_have_count(0)
        at.close()


def test_a_missing_block_is_a_sentence(site: Path, browser: Browser, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(site, copy)
    shutil.rmtree(copy / "tables/win-8.zarr/level-07")
    with hosted(copy) as host:
        at = Visit(browser, address=host.url.rstrip("/"))
        page = at.open("/explore/?position=start_8_4&objective=win&cards=8")
        expect(page.locator(".win [role=alert]")).to_contain_text("the host answers 404")
        assert {complaint for complaint in at.complaints if "404" not in complaint} == set()
        at.complaints.clear()
        at.close()


# --- no network


def test_what_was_opened_once_works_in_airplane_mode(visit: Callable[..., Visit], tablebase: Tablebases) -> None:
    at = visit(offline=True)
    page = at.open("/play/?cards=5&objective=points&opponent=optimal&seed=3")
    expect(page.locator("#offline")).to_have_text(KEPT)
    at.context.set_offline(True)
    # Another tab: nothing of the first is in memory.
    page.close()
    at.page = page = at.context.new_page()
    page.on("pageerror", lambda error: at.complaints.append(f"error: {error}"))
    page.goto(f"{at.address}/play/?cards=8&objective=win&opponent=optimal&seed=4")
    at.play_out("87654321"[:-1] + "A")
    expect(page.locator(".review")).to_be_visible()
    page.keyboard.press("Home")
    expect(page.locator(".looked")).to_be_visible()
    with page.expect_download():
        page.get_by_role("button", name="Save image").click()
    page.locator(".paste summary").click()
    page.locator(".paste textarea").fill("52x")
    page.get_by_role("button", name="Review it").click()
    expect(page.locator(".paste [role=alert]")).to_have_text("Unknown card “x” in round 1.")
    page.goto(f"{at.address}/guide/")
    at.phase("bid")
    page.keyboard.press("4")
    at.phase("reveal")
    page.goto(f"{at.address}/explore/?position=start_8_4")
    value = page.locator(".points .value .number")
    expect(value).to_have_attribute("title", re.compile(r"\d"))
    assert float(value.get_attribute("title") or "") == pytest.approx(tablebase(8).probe("start 8 4").value, abs=1e-6)
    expect(page.locator(".win .value .number")).to_be_visible()
    page.goto(f"{at.address}/study?cards=8")
    expect(page.locator(".first-moves table")).to_have_count(3)
    expect(page.locator(".first-moves [role=alert]")).to_have_count(0)
    # The game was kept; the puzzle of the day, habits and who adapts need nothing else.
    page.goto(f"{at.address}/train")
    page.get_by_role("link", name="Puzzle of the day").click()
    page.get_by_role("group", name="Your hand").get_by_role("button").first.click()
    expect(page.locator(".result .paired")).to_be_visible()
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Habits").click()
    expect(page.locator(".found .lead")).to_contain_text("1 game of 8 cards to win")
    page.get_by_role("link", name="Play against it").click()
    at.phase("bid")
    assert at.state["opponent"].startswith("exploit:0.1:mix(")


def test_nine_cards_of_a_server_work_in_airplane_mode(browser: Browser, store: Path, tablebase: Tablebases) -> None:
    known = tablebase(9).probe("start 9 4").value
    with serving(store) as address:
        at = Visit(browser, address=address, offline=True)
        expect(at.open("/play/?cards=9&objective=points&seed=3").locator("#offline")).to_have_text(KEPT)
        at.context.set_offline(True)
        at.page.close()
        at.page = at.context.new_page()
        at.page.goto(f"{address}/explore/?position=start_9_4&objective=points")
        value = at.page.locator(".points .value .number")
        expect(value).to_have_attribute("title", re.compile(r"\d"))
        assert float(value.get_attribute("title") or "") == pytest.approx(known, abs=1e-6)
        at.page.goto(f"{address}/play/?cards=9&objective=points&opponent=optimal&seed=4")
        at.play_out("98765432A")
        at.close()


def test_rows_that_were_read_are_kept(visit: Callable[..., Visit], host: Host, win: Win) -> None:
    """Also without the files that are kept for games without a network."""
    at = visit()
    address = "/explore/?position=start_8_5&objective=win&cards=8"
    at.open(address)
    before = len([asked for asked in host.asked() if "win-8.zarr/level-07" in asked.path])
    assert before
    page = at.open(address)
    expect(page.locator(".win .value .number")).to_be_visible()
    after = len([asked for asked in host.asked() if "win-8.zarr/level-07" in asked.path])
    assert after == before
    assert win(8).probe(Position("start 8 5"))


def test_an_update_does_not_break_an_open_game(site: Path, browser: Browser, tmp_path: Path) -> None:
    """The host has another version: the old page goes on with all its parts, the next one is the new one."""
    copy = tmp_path / "copy"
    shutil.copytree(site, copy)
    with hosted(copy) as host:
        at = Visit(browser, address=host.url.rstrip("/"), offline=True)
        page = at.open("/play/?cards=5&objective=points&opponent=uniform&seed=3")
        expect(page.locator("#offline")).to_have_text(KEPT, timeout=1000 * PATIENCE)
        (old,) = (path for path in (copy / "static").iterdir())
        page.keyboard.press("2")
        at.played(1)
        new = old.with_name("0123456789ab")
        old.rename(new)
        for path in (*copy.rglob("*.html"), copy / "sw.js"):
            text = path.read_text(encoding="utf-8").replace(old.name, new.name)
            path.write_text(text.replace("<title>Goofspiel", "<title>New Goofspiel"), encoding="utf-8")
        (new / "study.js").write_text(
            (new / "study.js").read_text(encoding="utf-8").replace('"The first move"', '"The new first move"'),
            encoding="utf-8",
        )
        page.evaluate("navigator.serviceWorker.getRegistration().then((found) => found.update())")
        page.wait_for_function("caches.keys().then((names) => names.some((name) => name.endsWith('0123456789ab')))")
        for number, key in enumerate("3A54", start=2):
            at.phase("bid", "reveal")
            if page.locator("[data-phase=reveal]").count():
                page.keyboard.press("Enter")
            at.phase("bid")
            page.keyboard.press(key)
            at.played(number)
        at.phase("over")
        page.get_by_role("navigation", name="Views").get_by_role("link", name="Study").click()  # not yet loaded
        expect(page.get_by_role("heading", level=1)).to_have_text("The first move")
        page.reload()
        expect(page.get_by_role("heading", level=1)).to_have_text("The new first move")
        at.close()


def test_the_configuration_of_the_documentation(store: Path, tmp_path: Path) -> None:
    """As it stands there, on a plain nginx: kinds of files, caching, ranges, a page where there is nothing."""
    folder = tmp_path / "site"
    done = run("site", str(folder), "--cards", "5", "--under", "/goofspiel/", "--quiet", store=store)
    assert (done.returncode, done.stderr) == (0, "")
    (said,) = re.findall(r"```nginx\n(.*?)```", PUBLISHING.read_text(encoding="utf-8"), re.DOTALL)
    with hosted(folder, below="/goofspiel/", server=said.replace("/srv/goofspiel-site", str(folder))) as host:
        module = next(path for path in folder.glob("static/*/main.js")).relative_to(folder)
        block = next(path for path in folder.glob("tables/*/level-*/c/**/*") if path.is_file()).relative_to(folder)
        asked = {"Accept-Encoding": "gzip"}
        for path, kind, kept in (
            ("", "text/html", "no-cache"),
            ("manifest.webmanifest", "application/manifest+json", "no-cache"),
            ("sw.js", "javascript", "no-cache"),
            (module.as_posix(), "javascript", "public, max-age=31536000, immutable"),
            (block.as_posix(), "application/octet-stream", "public, max-age=604800"),
        ):
            answer = httpx.get(host.url + path, headers=asked)
            assert answer.status_code == 200, path
            assert kind in answer.headers["content-type"], path
            assert answer.headers["cache-control"] == kept, path
            assert ("content-encoding" in answer.headers) == (path in ("sw.js", module.as_posix(), "")), path
        part = httpx.get(host.url + block.as_posix(), headers=asked | {"Range": "bytes=1-8"})
        assert (part.status_code, part.content) == (206, (folder / block).read_bytes()[1:9])
        missing = httpx.get(host.url + "nowhere")
        assert (missing.status_code, missing.content) == (404, (folder / "404.html").read_bytes())
