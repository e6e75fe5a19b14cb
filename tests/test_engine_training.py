"""The page's engine against the library: drills and their scores, courses, files of games, habits, who adapts."""

import json
import random
import re
from itertools import combinations, product
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from answers import with_upcard
from courses import slow_match, slow_response
from drawn import drawn_rules
from engine import Engine, EngineError
from fixtures import Repeats, Tablebases

from goofspiel.batch import PositionBatch
from goofspiel.cards import card_name
from goofspiel.errors import RecordError
from goofspiel.matches.course import Course
from goofspiel.matches.drills import HARDEST, THEMES, Score, puzzle, score_card, score_mix
from goofspiel.players.human import MixturePlayer
from goofspiel.players.modelling import mixes_at
from goofspiel.players.players import Player
from goofspiel.position import Position
from goofspiel.records.adapting import adapted, default_risk, model_of
from goofspiel.records.habits import SURE, Habits, habits
from goofspiel.records.record import GameRecord, Round, read_records
from goofspiel.render.answers import answer_json
from goofspiel.render.habits import habits_json
from goofspiel.roster import load_player
from goofspiel.rules import Rules
from goofspiel.tablebase import Tablebase
from goofspiel.tablebase.answer import Answer, interchangeable_groups
from goofspiel.tablebase.rounds import SolvedRounds

CLOSE = 1e-9
SAME_MIX = 1e-5  # of mixes that follow from values which are close


@pytest.fixture
def probe(tablebase: Tablebases):  # type: ignore[no-untyped-def]
    def ask(position: Position, rules: Rules) -> Answer[float]:
        return with_upcard(tablebase(rules).probe(position))

    return ask


# --- drills

PUZZLES = """async (load, keys, service) => {
    const { puzzleOf } = await load("drills.js");
    const { writePosition } = await load("notation.js");
    const { writeRules } = await load("rules.js");
    const probe = (position, rules) =>
        service.answer("probe", { position: writePosition(position), rules: writeRules(rules) });
    const found = [];
    for (const key of keys) {
        const { theme, difficulty, rules, position } = await puzzleOf(key, probe);
        found.push([theme.name, theme.title, theme.says, difficulty, writeRules(rules), writePosition(position)]);
    }
    return found;
}"""


@pytest.mark.parametrize("tables", [True, False], ids=["tables", "alone"])
def test_puzzles_are_those_of_the_library(  # type: ignore[no-untyped-def]
    engine: Engine, tablebase: Tablebases, repeats: Repeats, probe, tables: bool
) -> None:
    """For the same words the same position, whether tables answer or everything is worked out."""
    engine.open(*(tablebase(rules).path for rules in ("8", "7 win")) if tables else ())
    keys = [
        f"{theme.name} {difficulty} {number}"
        for theme, difficulty in product(THEMES, range(1, HARDEST + 1))
        for number in range(repeats(8, 60))
    ]
    keys += [f"daily 2026-{month:02}-{day:02}" for month, day in product((1, 7, 11), range(1, repeats(9, 29)))]
    for key, found in zip(keys, engine.run(PUZZLES, keys), strict=True):
        expected = puzzle(key, probe)
        theme = expected.theme
        said = [theme.name, theme.title, theme.says, expected.difficulty, str(expected.rules), str(expected.position)]
        assert found == said, key


@pytest.mark.parametrize("key", ["", "endgame", "endgame 9 1", "endgame 0 1", "endgame x 1", "nothing 1 1", "daily"])
def test_other_keys_are_refused(engine: Engine, key: str) -> None:
    with pytest.raises(EngineError) as refused:
        engine.run(PUZZLES, [key])
    assert refused.value.kind == "puzzle"
    assert "\n" not in str(refused.value)


def drawn_mix(chance: random.Random, answer: Answer[float]) -> dict[int, float]:
    """A mix of any kind: some cards, all of them, one, the perfect one, and nearly that."""
    kind = chance.randrange(4)
    if kind == 0:
        return {card: share + 0.02 * chance.random() for card, share in answer.mine.items()}
    if kind == 1:
        return dict(answer.mine)
    if kind == 2:
        return {chance.choice(list(answer.mine)): 3.0}
    return {card: chance.choice([0, 0, 1, 5, 20]) + 0.1 for card in answer.mine}


SCORES = """async (load, asked) => {
    const { needsAMix, scoreCard, scoreMix } = await load("drills.js");
    return asked.map(({ answer, cards, mixes }) => ({
        needed: needsAMix(answer),
        cards: cards.map((card) => scoreCard(answer, card)),
        mixes: mixes.map((mix) => scoreMix(answer, mix)),
    }));
}"""


def same_score(found: dict[str, Any], expected: Score) -> None:
    assert (found["right"], found["reply"], found["why"]) == (expected.right, expected.reply, expected.why)
    assert found["lost"] == pytest.approx(expected.lost, abs=CLOSE)
    assert found["exploitability"] == pytest.approx(expected.exploitability, abs=CLOSE)


def test_scores_and_sentences_are_those_of_the_library(  # type: ignore[no-untyped-def]
    engine: Engine, repeats: Repeats, probe
) -> None:
    """Of the same answer: of every card, and of many mixes; positions without a mix, too."""
    chance = random.Random(3)
    asked, expected = [], []
    for number in range(repeats(60, 1000)):
        if number % 4:
            found = puzzle(f"{chance.choice(THEMES).name} {chance.randint(1, HARDEST)} {number}", probe)
            answer = probe(found.position, found.rules)
        else:
            rules = Rules(5, objective=chance.choice(["points", "win"]))
            level = chance.randint(2, 4)
            mine, theirs, deck = (chance.sample(range(1, 6), level) for _ in range(3))
            most = min(15 - sum(deck), 3)  # a larger lead than the prizes that are gone is one of more cards
            position = Position.of(mine, theirs, deck, lead=chance.randint(-most, most) if rules.has_leads else 0)
            answer = probe(position.turn_up(deck[0]), rules)
        mixes = [drawn_mix(chance, answer) for _ in range(4)]
        named = [{card_name(card): share for card, share in mix.items()} for mix in mixes]
        cards = list(answer.position.my_cards)
        asked.append({"answer": answer_json(answer), "cards": cards, "mixes": named})
        scores = [score_card(answer, card) for card in cards], [score_mix(answer, mix) for mix in mixes]
        expected.append(scores)
    for found, (of_cards, of_mixes) in zip(engine.run(SCORES, asked), expected, strict=True):
        for one, other in zip(found["cards"] + found["mixes"], of_cards + of_mixes, strict=True):
            same_score(one, other)
    said = {score.why.partition(" ")[0] for scores in expected for score in scores[0] + scores[1]}
    assert {"Perfect", "This", "It", "Against", "Their", "No"} <= said  # every kind of sentence was met


def test_a_mix_that_is_none_is_refused(engine: Engine, probe) -> None:  # type: ignore[no-untyped-def]
    answer = answer_json(probe(Position("A23/A23/A3 2"), Rules(3)))
    for mix in ({}, {"A": 0}, {"A": 1, "2": -1}, {"9": 1}):
        with pytest.raises(EngineError, match="a mix has a share for each of A 2 3, at least one above 0"):
            engine.run(SCORES, [{"answer": answer, "cards": [], "mixes": [mix]}])
    with pytest.raises(EngineError, match="the 7 is not in the hand"):
        engine.run(SCORES, [{"answer": answer, "cards": [7], "mixes": []}])


COURSE = """async (load, steps) => {
    const { after, newCourse, nextKey, readCourse } = await load("course.js");
    let course = newCourse();
    return steps.map(([theme, day, right]) => {
        const key = day ? `daily ${day}` : nextKey(course, theme);
        course = readCourse(JSON.parse(JSON.stringify(after(course, key, right))));
        return [key, course];
    });
}"""


def test_courses_go_the_same_way(engine: Engine, repeats: Repeats) -> None:
    chance = random.Random(4)
    for _ in range(repeats(10, 200)):
        ability = chance.random()
        steps: list[tuple[str | None, str | None, bool]] = [
            (
                chance.choice([None, *(theme.name for theme in THEMES)]),
                chance.choice([None] * 9 + ["2026-11-18", "2026-11-19"]),
                chance.random() < ability,
            )
            for _ in range(60)
        ]
        course = Course()
        for (theme, day, right), (key, found) in zip(steps, engine.run(COURSE, steps), strict=True):
            assert key == (f"daily {day}" if day else course.next(theme))
            course = course.after(key, right=right)
            assert found == json.loads(json.dumps(course.to_json()))
            assert Course.of(found) == course


def test_what_is_no_course_is_refused(engine: Engine) -> None:
    good = json.loads(json.dumps(Course().after("king 1 0", right=False).to_json()))
    bad: list[Any] = [None, 3, [], "x", {}, {"answered": 1}]
    bad += [good | {name: None} for name in good]
    bad += [good | {"answered": -1}, good | {"difficulty": dict.fromkeys(good["runs"], 9)}, good | {"due": [{}]}]
    bad += [good | {"due": [{"key": "nothing 1 1", "at": 1, "right": 0}]}]
    code = """async (load, all) => all.map((await load("course.js")).readCourse)"""
    assert engine.run(code, [good, *bad]) == [good, *([None] * len(bad))]


# --- files of games


def drawn_record(chance: random.Random, rules: Rules, rounds: int | None = None, **tags: str) -> GameRecord:
    upcards = rules.order or chance.sample(rules.prizes, len(rules.prizes))
    bids = (chance.sample(range(1, rules.cards + 1), rules.cards) for _ in range(2))
    played = [Round(*one) for one in zip(upcards, *bids, strict=False)][: rules.rounds if rounds is None else rounds]
    return GameRecord(rules, tuple(played), tags)


FILES = """async (load, text) => {
    const { readEach, writeRecordFile } = await load("records.js");
    const { writeRecord } = await load("notation.js");
    const { writeRules } = await load("rules.js");
    return readEach(text).map((found) =>
        found instanceof Error
            ? found.message
            : [writeRules(found.rules), writeRecord(found.rounds), found.tags, writeRecordFile(found)]);
}"""


def test_files_of_games_are_read_and_written_as_by_the_library(engine: Engine, repeats: Repeats) -> None:
    chance = random.Random(5)
    for _ in range(repeats(30, 500)):
        records = []
        for _ in range(chance.randint(1, 5)):
            rules = chance.choice([Rules(7), Rules(5, objective="win"), drawn_rules(chance, 6)])
            tags = {"mine": "human", "theirs": chance.choice(["casual", "mix(75 match, 25 uniform)"]), "seed": "17"}
            if chance.random() < 0.3:
                tags |= {"objective": str(rules.objective), "date": "2026-11-18 09:30"}
            records.append(drawn_record(chance, rules, chance.choice([None, chance.randint(1, rules.rounds)]), **tags))
        text = "\n".join(record.to_file() for record in records)
        assert [str(record) for record in read_records(text)] == [str(record) for record in records]
        ends = chance.choice(["\n", "\r\n"])
        found = engine.run(FILES, text.replace("\n", ends))
        assert found == [[str(one.rules), str(one), dict(one.tags), one.to_file()] for one in read_records(text)]


TEXTS = [
    "555 AAA 243 334 422",
    "# a remark\ncards: 7\n\n565 232 # and another\n7A7\n",
    "cards: 5\n555\ncards: 5\nAAA",
    "mine: me\ncards: 5\n\n555\nmine: you\ncards: 4\nA23",
    "rules: 5 carry\nobjective: points\n555",
    "\ufeffcards: 5\n555 A",
    "cards: 5\n\n\n555\n\n\n\nrules: 4 win\n444",
]
WRONG = [
    "no game",
    "555",
    "cards: 17\n555",
    "cards: x\n555",
    "cards: 5\n555 555",
    "2A3 33A A23",
    "cards: 5\n55",
    "rules: 5 win\nobjective: points\n555",
    "rules: 5\ncards: 6\n555",
    "objective: luck\ncards: 5\n555",
    "rules: 5 luck\n555",
    "cards: 5\n5 AAA",
]


def test_texts_of_all_kinds_are_read_alike(engine: Engine) -> None:
    for text in TEXTS:
        records = read_records(text.removeprefix("\ufeff"))
        found = engine.run(FILES, text)
        assert [one[:3] for one in found] == [[str(one.rules), str(one), dict(one.tags)] for one in records]
    for text in WRONG:
        with pytest.raises(RecordError):
            read_records(text)
        (found,) = engine.run(FILES, text)
        assert isinstance(found, str), text
        assert "\n" not in found


# --- habits

FROM_LIBRARY = """async (load, { rules, records, solved }) => {
    const { habitsOf } = await load("habits.js");
    const { readRecord, writePosition } = await load("notation.js");
    const { readRules } = await load("rules.js");
    const solve = async (position) => ({ position, rules: game, error: 0, ...solved[writePosition(position)] });
    const game = readRules(rules);
    return habitsOf(game, records.map(readRecord), { solve });
}"""


class Noting:
    """A table that notes what it solves as the engine has it: of the cards that can be told apart."""

    def __init__(self, table: Tablebase) -> None:
        self.rules, self._table = table.rules, table
        self.solved: dict[str, dict[str, Any]] = {}

    def solve_rounds(self, batch: PositionBatch) -> SolvedRounds:
        found = self._table.solve_rounds(batch)
        positions = [batch.position(which, self.rules) for which in range(len(batch))]
        numbers = zip(positions, found.payoffs(), found.value, found.mine, found.theirs, strict=True)
        for position, payoffs, value, mine, theirs in numbers:
            rows, row_of = interchangeable_groups(position.mine, position.theirs)
            columns, column_of = interchangeable_groups(position.theirs, position.mine)
            first = [row_of.index(row) for row in range(len(rows))], [column_of.index(c) for c in range(len(columns))]
            mixes = [np.bincount(of, mix).tolist() for of, mix in ((row_of, mine), (column_of, theirs))]
            self.solved[str(position)] = {
                "payoffs": payoffs[np.ix_(*first)].tolist(),
                "solution": {"value": float(value), "rowMix": mixes[0], "columnMix": mixes[1], "gap": 0},
            }
        return found


def drawn_game(chance: random.Random, table: Tablebase, habit: float) -> GameRecord:
    """Perfect play with a habit: so often the highest card is bid."""
    record = GameRecord(table.rules)
    while not record.is_over:
        position = record.position
        upcard = table.rules.order[len(record.rounds)] if table.rules.order else chance.choice(position.deck)
        answer = with_upcard(table.probe(position.turn_up(upcard)))
        bids = [chance.choices(list(mix), list(mix.values()))[0] for mix in (answer.mine, answer.theirs)]
        if chance.random() < habit:
            bids[0] = position.my_cards[-1]
        record = GameRecord(table.rules, (*record.rounds, Round(upcard, *bids)))
    return record


def same_habits(found: dict[str, Any], expected: Habits) -> None:
    said = habits_json(expected)
    assert (found["rules"], found["games"], found["bids"]) == (said["rules"], said["games"], said["bids"])
    assert found["regret"] == pytest.approx(expected.regret, abs=CLOSE)
    error = expected.regret_error
    assert found["regret_error"] == (pytest.approx(error, abs=CLOSE) if isfinite(error) else None)

    def kind(habit: dict[str, Any]) -> tuple[Any, ...]:
        return tuple(habit[name] for name in ("upcard", "stage", "card", "relation"))

    others = {kind(habit): habit for habit in said["habits"]}
    assert {kind(habit) for habit in found["habits"]} == others.keys()
    for habit in found["habits"]:
        other = others[kind(habit)]
        for name in ("bids", "rate", "perfect", "cost", "sure"):
            assert habit[name] == pytest.approx(other[name], abs=CLOSE), (name, habit)
        assert habit["words"] == other["words"]
    order = [(habit["sure"] < SURE, -habit["cost"]) for habit in found["habits"]]
    assert order == sorted(order)


HABIT_RULES = ["5", "5 win", "6", "4 carry", "5 order=descending", "5 prizes=1,1,2,5,8 rounds=3", "4 win carry"]


@pytest.mark.parametrize("text", HABIT_RULES)
def test_habits_are_those_of_the_library(engine: Engine, tablebase: Tablebases, repeats: Repeats, text: str) -> None:
    """From the same solved positions: every kind of bid, its rates, its cost, how sure it is, its sentence."""
    chance, table = random.Random(text), tablebase(text)
    for number in range(repeats(3, 20)):
        count = (1, 6, 40)[number % 3]
        records = [drawn_game(chance, table, chance.choice([0, 0.5, 1])) for _ in range(count)]
        noting = Noting(table)
        expected = habits(records, noting)  # type: ignore[arg-type]
        given = {"rules": text, "records": [str(record) for record in records], "solved": noting.solved}
        same_habits(engine.run(FROM_LIBRARY, given), expected)


def test_habits_from_tables_and_without(engine: Engine, tablebase: Tablebases) -> None:
    """Where every position has one optimal mix, all numbers agree; and those of games that end early."""
    table, chance = tablebase(5), random.Random(7)

    def is_plain(record: GameRecord) -> bool:
        answers = [
            with_upcard(table.probe(before.turn_up(played.upcard)))
            for before, played, _ in record.steps()
            if before.level > 1
        ]
        return all(answer.unique and answer.swap().unique for answer in answers)

    records = [GameRecord(Rules(5), (Round(5, bid, 1),)) for bid in (5, 5, 5, 5, 1, 5, 5, 5, 5, 4)]
    while len(records) < 30:
        record = drawn_game(chance, table, 0.6)
        if is_plain(record):
            records.append(record)
    expected = habits(records, table)
    assert any(habit.is_sure for habit in expected.found)
    for tables in ([table.path], []):
        engine.open(*tables)
        found = engine.ask("habits", rules="5", records=[str(record) for record in records])
        for name in ("games", "bids", "regret", "regret_error"):
            assert found[name] == pytest.approx(getattr(expected, name), abs=1e-6)
        worst, other = found["habits"][0], habits_json(expected)["habits"][0]
        assert worst["cost"] == pytest.approx(other["cost"], abs=SAME_MIX)
        assert found["model"]["player"].startswith("mix(")
    with pytest.raises(EngineError, match="round 2"):
        engine.ask("habits", rules="5", records=["555 555"])


# --- who adapts


@pytest.mark.parametrize("text", ["5", "4 win"])
@pytest.mark.parametrize("name", ["match", "novice", "uniform", "match+1", "casual"])
def test_models_are_those_of_the_library(
    engine: Engine, tablebase: Tablebases, store: Path, text: str, name: str
) -> None:
    rules = Rules.parse(text)
    table, chance = tablebase(rules), random.Random(name)
    engine.open(table.path)
    player = load_player(name, rules, store=store)
    for count in (0, 1, 12):
        records = [played_by(chance, player, rules) for _ in range(count)]
        found = engine.ask("model", rules=text, records=[str(record) for record in records])
        expected = {one.name.partition(":")[0]: share for share, one in model_of(records, table, rules).parts}
        assert sum(found["shares"].values()) == pytest.approx(1)
        for one, share in found["shares"].items():
            assert share == pytest.approx(expected.get(one, 0.0), abs=0.02), (one, count)
        # The name loads the same player in the library.
        loaded = load_player(found["player"], rules, store=store)
        assert isinstance(loaded, MixturePlayer)
        assert [one.name.partition(":")[0] for _, one in loaded.parts] == list(expected)


def plain(name: str) -> str:
    """A name as the engine has it: what perfect play is for, follows from the game."""
    return name.replace("optimal:points", "optimal").replace("optimal:win", "optimal")


def played_by(chance: random.Random, player: Player, rules: Rules) -> GameRecord:
    record = GameRecord(rules)
    while not record.is_over:
        upcard = chance.choice(record.position.deck)
        position = record.position.turn_up(upcard)
        (mix,) = mixes_at(player, [position], rules)
        bid = chance.choices(position.my_cards, mix.tolist())[0]
        record = GameRecord(rules, (*record.rounds, Round(upcard, bid, chance.choice(position.their_cards))))
    return record


MIXES = """async (load, { rules, positions, player }, service) => {
    const found = [];
    for (const position of positions)
        found.push((await service.answer("mix", { rules, position, player })).mix);
    return found;
}"""


@pytest.mark.parametrize(("text", "habit"), [("4", "match"), ("4", "uniform"), ("4 win", "match")])
def test_who_adapts_keeps_its_promise(
    engine: Engine, tablebase: Tablebases, store: Path, text: str, habit: str
) -> None:
    """A best response to the engine's player, worked out from the definition, gains no more than it states."""
    rules = Rules.parse(text)
    table, chance = tablebase(rules), random.Random(habit)
    engine.open(table.path)
    records = [played_by(chance, load_player(habit, rules, store=store), rules) for _ in range(30)]
    model = engine.ask("model", rules=text, records=[str(record) for record in records])["player"]
    risk = default_risk(rules.objective)
    name = f"exploit:{risk:g}:{model}"
    other = plain(adapted(records, table, rules, risk).name)
    assert re.sub("[0-9.]+", "", other) == re.sub("[0-9.]+", "", name)  # the shares differ where mixes do
    positions = all_positions(rules)
    asked = {"rules": text, "positions": [str(position) for position in positions], "player": name}
    found = {
        position: {card: mix[card_name(card)] for card in position.my_cards}
        for position, mix in zip(positions, engine.run(MIXES, asked), strict=True)
    }
    response = slow_response(lambda position: found[position], str(rules.objective))
    lost = response(Position.start(rules))
    assert lost <= risk + CLOSE
    assert lost > 0.05 * risk  # it does take a risk
    # and it gains more than perfect play against whom it has learned
    gained = -against(load_player(habit, rules, store=store), found, rules)
    assert gained > -against(load_player(habit, rules, store=store), perfect(table, positions), rules) + 0.01 * risk


def all_positions(rules: Rules) -> list[Position]:
    """Every position with an upcard that a game can come to, and some more."""
    cards = range(1, rules.cards + 1)
    found = []
    for level in cards:
        hands = list(combinations(cards, level))
        for mine, theirs, prizes in product(hands, repeat=3):
            gone = sum(cards) - sum(prizes)
            leads = range(-gone, gone + 1)
            for upcard, lead in product(prizes, leads):
                deck = [card for card in prizes if card != upcard]
                found.append(Position.of(mine, theirs, deck, upcard, lead=lead))
    return found


def perfect(table: Tablebase, positions: list[Position]) -> dict[Position, dict[int, float]]:
    return {position: dict(with_upcard(table.probe(position)).mine) for position in positions}


def against(player: Player, mixes: dict[Position, dict[int, float]], rules: Rules) -> float:
    """What a player earns against one that bids by these mixes."""

    def choose(position: Position) -> dict[int, float]:
        (mix,) = mixes_at(player, [position], rules)
        return dict(zip(position.my_cards, mix.tolist(), strict=True))

    return slow_match(choose, lambda position: mixes[position], str(rules.objective))(Position.start(rules))
