"""The documentation: its examples run, its links lead somewhere, its generated parts are current.

In README.md and docs/ a ```python block holds `>>>` examples; a ```console block holds `$ ` commands and what they
print. The blocks of a page run in order, in one Python session and one empty store. In what a command prints

- a line `…` stands for any lines, a `…` within a line for any text;
- a number such as 4.1e-12, of the size of rounding, stands for any other written alike.

A comment in the line before a ```console block changes that: `<!-- 13 cards -->` runs it where 13 cards are solved,
`<!-- not run -->` leaves it alone. Before a ```python block, `<!-- torch -->` runs it where torch is installed.
"""

import doctest
import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from goofspiel.tablebase import Tablebase

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
ANY_LINES = "…"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

BLOCK = re.compile(r"^(?:<!-- (?P<mark>[^\n]+) -->\n)?```(?P<kind>\w*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
ROUNDING = re.compile(r"(?<!\d)\d(?:\.\d+)?e-\d\d|(?<!\d)0(?:\.0)?e\+00")
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]+")


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path, kind: str) -> Iterator[tuple[str, str, int]]:
    """The (mark, body, line) of each block of a kind."""
    text = page.read_text(encoding="utf-8")
    for block in BLOCK.finditer(text):
        if block["kind"] == kind:
            yield block["mark"] or "", block["body"], text.count("\n", 0, block.start("body"))


def with_blocks(kind: str, *marks: str) -> list[Path]:
    return [page for page in PAGES if any(mark in marks for mark, *_ in blocks(page, kind))]


@pytest.fixture
def empty_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "store"
    monkeypatch.setenv("GOOFSPIEL_STORE", str(folder))
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.mark.parametrize("page", with_blocks("python", ""), ids=named)
def test_python_examples(page: Path, empty_store: Path) -> None:
    examples = [
        example
        for mark, body, line in blocks(page, "python")
        if not mark or importlib.util.find_spec(mark)
        for example in doctest.DocTestParser().get_examples("\n" * line + body)  # a failure names its line
    ]
    assert examples, "a python block without >>>"
    test = doctest.DocTest(examples, {}, named(page), str(page), 0, None)
    report: list[str] = []
    results = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append)
    assert not results.failed, "".join(report)


@pytest.mark.parametrize("page", with_blocks("console", ""), ids=named)
def test_console_examples(page: Path, empty_store: Path) -> None:
    run_console(page, "")


@pytest.mark.parametrize("page", with_blocks("console", "13 cards"), ids=named)
def test_console_examples_with_13_cards(
    page: Path, table13: Tablebase, large_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOFSPIEL_STORE", str(large_store))
    monkeypatch.chdir(tmp_path)
    run_console(page, "13 cards")


def run_console(page: Path, wanted: str) -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = os.environ | {"PATH": path, "COLUMNS": "100", "PYTHONUTF8": "1"}
    for mark, body, line in blocks(page, "console"):
        if mark == wanted:
            for command, expected in commands(body):
                done = subprocess.run(
                    ["bash", "-c", f"exec 2>&1; {command}"],
                    env=environment,
                    stdout=subprocess.PIPE,
                    check=False,
                    encoding="utf-8",
                )
                assert matches(expected, done.stdout), (
                    f"{named(page)}:{line}: $ {command}\nprints\n{done.stdout}\nnot\n{expected}"
                )


def commands(body: str) -> list[tuple[str, str]]:
    """Each command of a console block, and what it should print."""
    assert body.startswith("$ "), body
    found = re.split(r"^\$ (.+)\n", body, flags=re.MULTILINE)[1:]
    return list(zip(found[::2], found[1::2], strict=True))


def matches(expected: str, printed: str) -> bool:
    """Whether a command printed what the page says."""
    pattern = ""
    for line in expected.splitlines():
        pattern += r"(?:.*\n)*" if line == ANY_LINES else _line_pattern(line) + r"\n"
    return re.fullmatch(pattern, printed if not printed or printed.endswith("\n") else printed + "\n") is not None


def _line_pattern(line: str) -> str:
    parts = [
        rf"(?:{ROUNDING.pattern})".join(re.escape(fixed) for fixed in ROUNDING.split(part)) for part in line.split("…")
    ]
    return "[^\n]*".join(parts)


@pytest.mark.parametrize(
    ("expected", "printed", "alike"),
    [
        ("a\n", "a\n", True),
        ("a\n", "b\n", False),
        ("a\n…\nd\n", "a\nb\nc\nd\n", True),
        ("a\n…\nd\n", "a\nd\n", True),
        ("a\n…\n", "b\n", False),
        ("in … blocks\n", "in 12 blocks\n", True),
        ("gap 1.2e-12\n", "gap 0.0e+00\n", True),
        ("gap 1.2e-12\n", "gap 3e-16\n", True),
        ("gap 1.2e-12\n", "gap 0.5\n", False),
        ("", "", True),
        ("", "a\n", False),
    ],
)
def test_what_counts_as_printed(expected: str, printed: str, alike: bool) -> None:
    assert matches(expected, printed) is alike


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page: Path) -> None:
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    for link in LINK.findall(text):
        if re.match(r"https?://", link):
            continue
        target, _, fragment = link.partition("#")
        file = (page.parent / target).resolve() if target else page
        assert file.exists(), f"{named(page)}: {link}"
        if fragment:
            headings = HEADING.findall(BLOCK.sub("", file.read_text(encoding="utf-8")))
            assert fragment in [_anchor(heading) for heading in headings], f"{named(page)}: {link}"


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_page_is_reached_from_the_readme_or_the_index(page: Path) -> None:
    if page.parent == ROOT:
        return
    index = ROOT / "docs/index.md"
    linked = {(index.parent / link.partition("#")[0]).resolve() for link in LINK.findall(index.read_text())}
    assert page == index or page in linked, f"docs/index.md does not name {named(page)}"


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_lines_are_no_longer_than_120(page: Path) -> None:
    text = BLOCK.sub(lambda block: "\n" * block[0].count("\n"), page.read_text(encoding="utf-8"))
    for number, line in enumerate(text.splitlines(), 1):
        assert len(line) <= 120 or line.startswith("|"), f"{named(page)}:{number}"


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs/generate.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", generator().PAGES, ids=named)
def test_generated_parts_are_current(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    # Versions of Python break the lines of a help text differently.
    assert generator().current(text).split() == text.split(), "run: python docs/generate.py"


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_generated_parts_are_marked_as_they_should_be(page: Path) -> None:
    generator().check_markers(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<!-- generated: most-cards -->16", "has no end"),
        ("<!-- generated: most-cards -->16<!--\nend -->", "line 1: a mark that does not end in its line"),
        ("\n<!-- generated:\nmost-cards -->16<!-- end -->", "line 2: a mark that does not end in its line"),
        ("<!-- generated: most-cards -->16<!-- end", "a mark that does not end in its line"),
        ("<!-- generated: most-cards -->16<!--end-->", "<!-- end --> is written so"),
        ("<!-- generated: most-cards -->16<!-- End -->", "<!-- end --> is written so"),
        ("<!-- generated most-cards -->16<!-- end -->", "<!-- generated: NAME --> is written so"),
        ("<!--generated: most-cards -->16<!-- end -->", "<!-- generated: NAME --> is written so"),
        ("<!-- generated: most-cards -->16<!-- end of it -->", "<!-- generated: NAME --> is written so"),
        ("16<!-- end -->", "an end of nothing"),
        ("<!-- generated: most-cards -->\n<!-- generated: most-cards -->16<!-- end -->", "opens before"),
        ("<!-- generated: fewest-cards -->16<!-- end -->", "nothing generates 'fewest-cards'"),
    ],
)
def test_a_part_that_would_go_stale_is_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        generator().current(text)


def verbs() -> list[str]:
    return re.findall(r"^ {4}(\w+) ", generator().help_text().partition("VERB")[2], re.MULTILINE)


@pytest.mark.parametrize("verb", ["", *verbs()])
def test_every_verb_and_option_is_explained(verb: str) -> None:
    page = (ROOT / "docs/reference/cli.md").read_text(encoding="utf-8")
    assert not verb or f"\n## {verb}\n" in page
    explained = BLOCK.sub("", page)
    common = explained.partition("\n## ")[0]
    section = explained.partition(f"\n## {verb}\n")[2].partition("\n## ")[0]
    for flag in sorted(set(FLAG.findall(generator().help_text(verb)))):
        assert f"`{flag}" in (section if verb else "") + common, f"goofspiel {verb} {flag} is not explained"


def test_the_readme_has_three_screens() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 150


def test_the_pictures_of_the_theory_are_drawn_by_the_script(tmp_path: Path) -> None:
    """And stand on its page; each can be drawn where nothing but the package is."""
    subprocess.run([sys.executable, ROOT / "docs/figures.py", tmp_path], check=True)
    page = (ROOT / "docs/theory.md").read_text(encoding="utf-8")
    named = re.findall(r"\]\(images/(theory-[a-z]+\.png)\)", page)
    assert sorted(named) == sorted(path.name for path in tmp_path.iterdir())
    assert sorted(named) == sorted(path.name for path in (ROOT / "docs/images").glob("theory-*"))
    assert all(path.stat().st_size > 20_000 for path in tmp_path.iterdir())


def test_the_map_of_the_source_is_complete() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    section = readme.partition("\n## The source\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `([^`]+)`", section, re.MULTILINE)
    package = ROOT / "src/goofspiel"
    there = {p.name for p in package.glob("*.py") if p.name != "__init__.py"}
    there |= {f"{p.parent.name}/" for p in package.glob("*/__init__.py")}
    assert sorted(rows) == sorted(there | {"native/"})
