"""A real server and a real browser, for the tests of the page."""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from command import PATIENCE, start
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, Request, expect, sync_playwright

PHONE, DESK = (360, 740), (1280, 800)  # CSS pixels
WIDTHS = (280, 320, 360, 1280, 1440)
SHIFTS = """() => {
    window.shifted = 0;
    new PerformanceObserver((list) => {
        for (const shift of list.getEntries()) if (!shift.hadRecentInput) window.shifted += shift.value;
    }).observe({ type: "layout-shift", buffered: true });
}"""  # what has moved without being asked to
SETTLED = """() => {
    const [view, asking] = [document.getElementById("view"), document.documentElement.dataset.asking];
    window.calm = asking || view && !view.dataset.view ? 0 : (window.calm ?? 0) + 1;
    return window.calm > 4;
}"""  # for some frames: an answer may lead to another question
STICKING_OUT = """() => [
    ...(document.documentElement.scrollWidth > innerWidth ? ["the page is too wide"] : []),
    ...[...document.querySelectorAll("main :is(button, label, summary, h1, h2, h3, textarea), header a")]
        .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest(".frame"))
        .map((one) => `cut: ${one.textContent}`),
]"""
MISSING_CHROMIUM = "no Chromium here, which the tests of the page need: apt-get install chromium"

expect.set_options(timeout=1000 * PATIENCE)


@contextmanager
def serving(store: Path) -> Iterator[str]:
    """`goofspiel serve` on a free port: its address."""
    process = start("serve", "--port", "0", "--json", "--quiet", store=store)
    try:
        assert process.stdout
        said = process.stdout.readline()
        assert said, process.communicate()[1]
        yield json.loads(said)["url"].rstrip("/")
    finally:
        process.terminate()
        _, complaints = process.communicate(timeout=PATIENCE)
    assert "Traceback" not in complaints


@contextmanager
def chromium() -> Iterator[Browser]:
    """Debian's Chromium."""
    path = shutil.which("chromium")
    if path is None:
        pytest.fail(MISSING_CHROMIUM)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"], timeout=1000 * PATIENCE)
        yield browser
        browser.close()


class Visit:
    """A tab. `complaints` holds what must not be: messages in the console, errors, requests to other hosts.

    With `offline` the page may install itself; without, it would do so in the midst of other tests.
    """

    def __init__(
        self,
        browser: Browser,
        *,
        address: str,
        size: tuple[int, int] = DESK,
        dark: bool = False,
        motion: bool = False,
        offline: bool = False,
        touch: bool = False,
    ) -> None:
        self.address = address
        self.complaints: list[str] = []
        self.context = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if dark else "light",
            reduced_motion="no-preference" if motion else "reduce",
            service_workers="allow" if offline else "block",
            has_touch=touch,
        )
        self.context.set_default_timeout(1000 * PATIENCE)
        self.page: Page = self.context.new_page()
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        self.page.on("request", self._request)

    def _console(self, message: ConsoleMessage) -> None:
        if message.text == "Service Worker registration blocked by Playwright":
            return  # as it was asked to
        self.complaints.append(f"{message.type}: {message.text}")

    def _request(self, request: Request) -> None:
        if urlsplit(request.url).scheme != "data" and not request.url.startswith(f"{self.address}/"):
            self.complaints.append(f"request: {request.url}")

    def open(self, path: str) -> Page:
        """Go to a path and wait until there is a view, and nothing is asked any more."""
        self.page.goto(f"{self.address}{path}")
        self.page.wait_for_function(SETTLED)
        return self.page

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """However slow this machine is: the clock of the page stands still."""
        self.page.evaluate("() => { const now = performance.now(); performance.now = () => now; }")
        yield
        self.page.evaluate("() => delete performance.now")

    def answered(self) -> None:
        """Wait until the engine of the page has answered everything."""
        expect(self.page.locator("html:not([data-asking])")).to_be_attached()

    @property
    def state(self) -> dict[str, str]:
        """The parameters of the address."""
        return {name: values[0] for name, values in parse_qs(urlsplit(self.page.url).query).items()}

    def phase(self, *phases: str) -> None:
        """Wait until the game is in one of these phases."""
        expect(self.page.locator(", ".join(f"[data-phase={phase}]" for phase in phases))).to_be_visible()

    def played(self, rounds: int) -> None:
        """Wait until so many rounds of a game of up to 9 cards are played."""
        expect(self.page).to_have_url(re.compile(rf"[?&]record=(?:\w{{3}}_){{{rounds - 1}}}[^_&]{{3}}(?:[_&]|$)"))

    def play_out(self, keys: str) -> None:
        """Bid these cards, one after the other, in a game of up to 9 cards."""
        for number, key in enumerate(keys, start=1):
            self.phase("bid")
            self.page.keyboard.press(key)
            self.played(number)
            self.page.keyboard.press("Enter")
        self.phase("over")

    def listen(self) -> None:
        """Take down what is announced from now on."""
        self.page.evaluate(
            """() => {
                const place = document.querySelector("[role=status]");
                window.heard = [];
                new MutationObserver(() => window.heard.push(place.textContent)).observe(place, { childList: true });
            }"""
        )

    def heard(self) -> list[str]:
        """What was announced."""
        heard: list[str] = self.page.evaluate("window.heard")
        return heard

    def close(self) -> None:
        """Close the tab; nothing may have been complained of."""
        self.context.close()
        assert self.complaints == [], self.complaints


@contextmanager
def place(store: Path) -> Iterator[Callable[..., Visit]]:
    """A server and a browser: a function that opens a tab."""
    with serving(store) as address, chromium() as browser:
        yield partial(Visit, browser, address=address)


@contextmanager
def visits(opened: Callable[..., Visit]) -> Iterator[Callable[..., Visit]]:
    """The same; in the end all tabs are closed, and none may have complained."""
    made: list[Visit] = []

    def visit(**options: Any) -> Visit:
        made.append(opened(**options))
        return made[-1]

    yield visit
    for one in made:
        one.close()


def texts(cells: Locator) -> list[str]:
    """What elements show, without what is only said."""
    return [text.strip() for text in cells.all_inner_texts()]


def misfits(at: Visit) -> list[str]:
    """What is not accessible to everybody, and what sticks out of the page or is cut, on every width.

    Colours are judged in the dark on the narrowest and in the light on the broadest.
    """
    page, found = at.page, list[str]()
    at.answered()
    before = page.viewport_size or {"width": DESK[0], "height": DESK[1]}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": before["height"]})
        found += [f"{width}: {one}" for one in page.evaluate(STICKING_OUT)]
        if width in (WIDTHS[0], WIDTHS[-1]):
            dark = width == WIDTHS[0]
            page.emulate_media(color_scheme="dark" if dark else "light")
            assert (luminance(page) < 0.2) is dark
            violations = Axe().run(page).response["violations"]
            serious = [one for one in violations if one["impact"] in ("serious", "critical")]
            found += [f"{width}, {one['id']}: {one['nodes'][0]['html']}" for one in serious]
    page.set_viewport_size(before)
    return found


def luminance(page: Page) -> float:
    """How bright the page is, from 0 to 1."""
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return sum(map(int, re.findall(r"\d+", colour)[:3])) / 765
