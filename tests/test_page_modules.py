"""The modules of the page: they read, write and play as Python does; each is small and loads nothing from elsewhere."""

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from browser import Visit, place, visits

import goofspiel.web
from goofspiel.records.record import GameRecord, Round
from goofspiel.rules import Rules

STATIC = Path(goofspiel.web.__file__).with_name("static")
CORPUS = Path(__file__).parent


@pytest.fixture(scope="module")
def opened(store: Path) -> Iterator[Callable[..., Visit]]:
    with place(store) as found:
        yield found


@pytest.fixture
def visit(opened: Callable[..., Visit]) -> Iterator[Callable[..., Visit]]:
    """A function that opens a tab. After the test, none may have complained."""
    with visits(opened) as found:
        yield found


def test_positions_are_read_and_written_as_in_python(visit: Callable[..., Visit]) -> None:
    def lines(name: str) -> list[list[str]]:
        text = (CORPUS / name).read_text(encoding="utf-8")
        return [line.split("\t") for line in text.splitlines() if line.strip() and not line.startswith("#")]

    page = visit().open("/play")
    good, bad = lines("positions.txt"), lines("bad_positions.txt")
    read = """async (texts) => {
        const { readPosition, problemOf, writePosition } = await import("/static/notation.js");
        return texts.map((text) => {
            try {
                const position = readPosition(text);
                return [problemOf(position), writePosition(position)];
            } catch (error) {
                return [`${error.message}`, null];
            }
        });
    }"""
    assert page.evaluate(read, [text for text, *_ in good]) == [[None, canonical] for _, canonical, *_ in good]
    problems = page.evaluate(read, [text for text, *_ in bad])
    assert [text for (text, *_), (problem, _) in zip(bad, problems, strict=True) if not problem] == []


def test_games_are_played_as_in_python(visit: Callable[..., Visit]) -> None:
    chance = random.Random(1)
    records = []
    for _ in range(30):
        cards = chance.randint(1, 16)
        columns = [chance.sample(range(1, cards + 1), cards) for _ in range(3)]
        rounds = [Round(*played) for played in zip(*columns, strict=True)][: chance.randint(0, cards)]
        if rounds and chance.random() < 0.5:
            rounds[-1] = Round(rounds[-1].upcard)
        records.append(GameRecord(Rules(cards), tuple(rounds)))
    page = visit().open("/play")
    found = page.evaluate(
        """async (records) => {
            const notation = await import("/static/notation.js");
            return records.map(([cards, text]) => {
                const rounds = notation.readRecord(text);
                const position = notation.positionAfter(cards, rounds);
                const written = [position, notation.swap(position)].map(notation.writePosition);
                return [...written, notation.writeRecord(rounds)];
            });
        }""",
        [[record.cards, str(record)] for record in records],
    )
    assert found == [[str(record.position), str(record.position.swap()), str(record)] for record in records]


@pytest.mark.parametrize("path", sorted(STATIC.iterdir()), ids=lambda path: path.name)
def test_a_file_of_the_page_is_small_and_stays_at_home(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 400
    assert set(re.findall(r"https?://[^\"' ]+", text)) <= {"http://www.w3.org/2000/svg"}
    if path.suffix == ".js":
        assert re.match(r"// [A-Z].+[.:;]\n", text)
