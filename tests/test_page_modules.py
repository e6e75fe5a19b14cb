"""The modules of the page: they read, write and play as Python does; each is small and loads nothing from elsewhere."""

import random
import re
from pathlib import Path

import pytest
from engine import ENGINE, Engine

from goofspiel.errors import RulesError
from goofspiel.records.record import GameRecord, Round
from goofspiel.rules import Rules
from goofspiel.store.blocks import check_solvable

STATIC = ENGINE.parent
CORPUS = Path(__file__).parent


def lines(name: str) -> list[list[str]]:
    text = (CORPUS / name).read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines() if line.strip() and not line.startswith("#")]


READ = """async (load, cases) => {
    const { readPosition, problemOf, writePosition } = await load("notation.js");
    const { readRules } = await load("rules.js");
    return cases.map(([text, rules]) => {
        try {
            const game = rules && readRules(rules);
            const position = readPosition(text, game);
            return [problemOf(position, game), writePosition(position)];
        } catch (error) {
            return [`${error.message}`, null];
        }
    });
}"""


def test_positions_are_read_and_written_as_in_python(engine: Engine) -> None:
    good: list[tuple[str, str | None, str]]
    bad: list[tuple[str, str | None]]
    good = [(text, None, canonical) for text, canonical, *_ in lines("positions.txt")]
    good += [(text, rules, canonical) for rules, text, canonical, *_ in lines("rule_positions.txt")]
    bad = [(text, None) for text, *_ in lines("bad_positions.txt")]
    bad += [(text, rules) for rules, text, *_ in lines("bad_rule_positions.txt")]
    read = engine.run(READ, [case[:2] for case in good])
    assert read == [[None, canonical] for _, _, canonical in good]
    problems = engine.run(READ, bad)
    assert [case for case, (problem, _) in zip(bad, problems, strict=True) if not problem] == []


GOOD_RULES = """
13; 13 win; 5_carry; 5 points discard; 9 win order=descending; 9 order=ascending; 4 order=3,1,4,2; 4 order=3,A,4,2;
5 prizes=8,5,2,1,1; 5 prizes=1,1,2,5,8 rounds=3; 3 prizes=K,2,100 order=100,2,K; 1; 1 order=ascending; 16 win carry;
2 prizes=3,3 order=ascending; 4 prizes=1,2,3,4,5,6 rounds=2 order=descending; 3  carry   win
"""
BAD_RULES = """
; x; 0; 17; 5 luck; 5 hidden; 5 win points; 5 carry carry; 5 order=1,2; 5 order=; 5 order=up; 5 prizes=1,2; 5 rounds=6;
5 rounds=0; 5 prizes=0,1,2,3,4; 5 prizes=1,2,3,4,1000; 5 prizes=1,2,3,4,5,6; 3 order=1,2,2; 5 rounds=x; -3; 5 =
"""


def test_rules_are_read_and_written_as_in_python(engine: Engine) -> None:
    good, bad = ([text.strip() for text in texts.split(";")] for texts in (GOOD_RULES, BAD_RULES))
    found = engine.run(
        """async (load, texts) => {
            const { readRules, writeRules } = await load("rules.js");
            return texts.map((text) => {
                try {
                    return writeRules(readRules(text));
                } catch {
                    return null;
                }
            });
        }""",
        good + bad,
    )
    assert found[: len(good)] == [str(Rules.parse(text)) for text in good]
    assert [text for text, read in zip(bad, found[len(good) :], strict=True) if read] == []
    for text in bad:
        with pytest.raises(RulesError):
            check_solvable(Rules.parse(text))


def drawn_rules(chance: random.Random) -> Rules:
    """Any kind of game."""
    cards = chance.randint(1, 16)
    rounds = chance.choice([cards, chance.randint(1, cards)])
    prizes = sorted(chance.choices(range(1, 40), k=cards)) if chance.random() < 0.5 else range(1, cards + 1)
    order = chance.sample(list(prizes), cards) if chance.random() < 0.3 else None
    return Rules(cards, prizes=prizes, order=order, rounds=rounds, ties=chance.choice(["carry", "discard"]))


def test_games_are_played_as_in_python(engine: Engine) -> None:
    chance = random.Random(1)
    records = []
    for _ in range(100):
        rules = drawn_rules(chance)
        upcards = rules.order or chance.sample(rules.prizes, len(rules.prizes))
        bids = [chance.sample(range(1, rules.cards + 1), rules.cards) for _ in range(2)]
        if chance.random() < 0.5:  # ties
            bids[1][: rules.cards // 2] = bids[0][: rules.cards // 2]
            bids[1][rules.cards // 2 :] = sorted({*bids[0]} - {*bids[1][: rules.cards // 2]})
        rounds = [Round(*played) for played in zip(upcards, *bids, strict=False)][: chance.randint(0, rules.rounds)]
        if rounds and chance.random() < 0.5:
            rounds[-1] = Round(rounds[-1].upcard)
        records.append(GameRecord(rules, tuple(rounds)))
    found = engine.run(
        """async (load, records) => {
            const notation = await load("notation.js");
            const { readRules } = await load("rules.js");
            return records.map(([text, record]) => {
                const rules = readRules(text);
                const rounds = notation.readRecord(record);
                const position = notation.positionAfter(rules, rounds);
                const written = [position, notation.swap(position)].map(notation.writePosition);
                return [...written, notation.writeRecord(rounds), notation.problemOf(position, rules)];
            });
        }""",
        [[str(record.rules), str(record)] for record in records],
    )
    expected = [[str(record.position), str(record.position.swap()), str(record), None] for record in records]
    assert found == expected
    assert any(record.position.pot for record in records)


@pytest.mark.parametrize(
    "path",
    sorted(path for path in STATIC.rglob("*") if path.is_file() and path.suffix != ".png"),
    ids=lambda path: path.name,
)
def test_a_file_of_the_page_is_small_and_stays_at_home(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 400
    assert set(re.findall(r"https?://[^\"' ]+", text)) <= {"http://www.w3.org/2000/svg"}
    if path.suffix == ".js":
        assert re.match(r"// [A-Z].+[.:;]\n", text)
