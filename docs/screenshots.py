"""Take the pictures of the page that the documentation shows, with Chromium: python docs/screenshots.py [FOLDER]"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

IMAGES = Path(__file__).with_name("images")
WIDTH = 1280  # CSS pixels
HEIGHT = 720  # at least: a longer page is taken whole, so that nothing is cut
MOST_BYTES = 400_000

# Up to 9 cards, so that any machine can take them at once: address, what to wait for.
PICTURES = {
    "page-play": ("/play?cards=9&seed=24&record=562_233_A2A_778_4&hint=1", ".hint .bars"),
    "page-train": ("/train?puzzle=first_1_0", ".result"),
    "page-habits": ("/habits", ".habit"),
    "page-explore": ("/explore?position=A34678/235679/24579_8_3", ".win .outcomes"),
    "page-study": ("/study?cards=9", ".gallery a:last-child svg"),
}


GOOFSPIEL = str(Path(sys.executable).with_name("goofspiel"))
MATCH = ["match", "casual", "optimal", "--cards", "7", "--games", "60", "--seed", "1", "--quiet", "--records"]


def scored(page: Page) -> None:
    """A mix that is set, and what it is worth."""
    for share, bar in zip((10, 35, 0, 55), page.locator(".sliders input").all(), strict=False):
        bar.fill(str(share))
    page.get_by_role("button", name="Score this mix").click()


def played(page: Page) -> None:
    """Somebody's games."""
    with tempfile.TemporaryDirectory() as folder:
        games = Path(folder) / "games.txt"
        subprocess.run([GOOFSPIEL, *MATCH, str(games)], check=True, stdout=subprocess.DEVNULL)
        with page.expect_file_chooser() as chooser:
            page.get_by_role("button", name="Read a file").click()
        chooser.value.set_files(games)
        page.locator(".habit").first.wait_for()


BEFOREHAND = {"page-train": scored, "page-habits": played}


def main() -> None:
    """All of them, into the documentation or into another folder."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES
    command = [GOOFSPIEL, "serve", "--port", "0", "--json", "--quiet"]
    store = tempfile.TemporaryDirectory()  # with nobody's tables: those of up to 9 cards are solved when they are shown
    os.environ["GOOFSPIEL_STORE"] = store.name
    with store, subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout
            take_all(json.loads(server.stdout.readline())["url"].rstrip("/"), folder)
        finally:
            server.terminate()


def take_all(address: str, folder: Path) -> None:
    """From a server."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, (path, awaited) in PICTURES.items():
            page = browser.new_page(
                viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light", reduced_motion="reduce"
            )
            page.goto(f"{address}{path}", wait_until="networkidle")
            if name in BEFOREHAND:
                BEFOREHAND[name](page)
            take(page, awaited, folder / f"{name}.png")
        browser.close()


def take(page: Page, awaited: str, file: Path) -> None:
    """One of them, when what it is about can be seen."""
    page.locator(awaited).first.wait_for()
    page.screenshot(path=file, full_page=True)
    size = file.stat().st_size
    print(f"{file.name}: {size:,} bytes")
    if size > MOST_BYTES:
        raise SystemExit(f"{file} is larger than {MOST_BYTES:,} bytes")


if __name__ == "__main__":
    main()
