"""The documentation site: it builds without a warning, shows every page, and loads nothing from other hosts."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LOADED = re.compile(
    r"<(?:script|img|iframe)[^>]*\ssrc=\"(https?:)?//|<link[^>]*rel=\"stylesheet\"[^>]*href=\"(https?:)?//"
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_page_is_in_the_navigation(site: Path) -> None:
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert pages == set(
        re.findall(r": ([\w./-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert all((site / page).with_suffix(".html").is_file() for page in pages)


def test_the_api_is_there(site: Path) -> None:
    api = (site / "reference/api.html").read_text(encoding="utf-8")
    for name in ("open_tablebase", "Tablebase.probe", "solve_rounds", "load_player", "play_match", "OptimalPolicy"):
        assert name in api


def test_nothing_is_loaded_from_other_hosts(site: Path) -> None:
    for page in site.rglob("*.html"):
        assert not LOADED.search(page.read_text(encoding="utf-8")), page
