"""The page's engine, in Node, against the library: numbers, values, mixes, gaps, reviews, of every kind of rules."""

import random
import re
import shutil
from hashlib import sha256
from pathlib import Path
from typing import Any

import google_crc32c
import numpy as np
import pytest
from damage import flip, without_manifest
from drawn import drawn_position, drawn_rules
from engine import ENGINE, Engine, EngineError
from fixtures import Repeats, Tablebases, Tally

from goofspiel.batch import PositionBatch, batch_of, cards_needed
from goofspiel.cards import card_name, prize_name
from goofspiel.games import solve
from goofspiel.matches.session import Session
from goofspiel.players.ladder import ladder
from goofspiel.players.modelling import mixes_at
from goofspiel.players.players import UniformPlayer
from goofspiel.position import Position
from goofspiel.records.record import GameRecord, Round
from goofspiel.records.reviews import review
from goofspiel.render.answers import answer_json
from goofspiel.render.first_moves import first_move
from goofspiel.roster import load_player
from goofspiel.rules import Rules
from goofspiel.site.facts import table_facts
from goofspiel.solver import solve as solve_table
from goofspiel.states.space import level_space
from goofspiel.store import Table, make_layout, table_path
from goofspiel.store.blocks import Geometry
from goofspiel.store.recut import recut
from goofspiel.tablebase import Tablebase, open_tablebase
from goofspiel.tablebase.alone import probe_alone
from goofspiel.tablebase.answer import Answer
from goofspiel.tablebase.asking import settled

CLOSE = 1e-9  # of values and of gaps, between the engine and the library
MOST_CARDS = 6
CUT = Geometry(block_bytes=1 << 7, least_rows=4, least_lead_rows=2, chunk_bytes=1 << 5)

# The values of positions from a table alone, each a number or what is wrong.
FROM_TABLE = """async (load, { facts, positions }) => {
    const { open } = await import("node:fs/promises");
    const { Table } = await load("table.js");
    const { Tablebase } = await load("tablebase.js");
    const { readPosition } = await load("notation.js");
    const source = { read: async (name, start, length) => {
        const file = await open(`${facts.folder}/${facts.path}/${name}`);
        const bytes = new Uint8Array(length);
        await file.read(bytes, 0, length, start);
        await file.close();
        return bytes;
    } };
    const tablebase = Tablebase.of(new Table(facts, source));
    return Promise.all(positions.map(async (text) => {
        try {
            return (await tablebase.solve(readPosition(text, tablebase.rules))).solution.value;
        } catch (error) {
            if (error.kind !== "damaged") throw error;
            return error.message;
        }
    }));
}"""


def test_the_engine_stands_alone() -> None:
    """No page in sight: it imports only itself, and names no document and no window."""
    for path in ENGINE.glob("*.js"):
        text = path.read_text(encoding="utf-8")
        imported = re.findall(r'^(?:import|export) .*\bfrom "([^"]+)";$', text, re.MULTILINE)
        assert all((ENGINE / name).is_file() and name.startswith("./") for name in imported), path.name
        assert not re.search(r"\b(document|window|localStorage)\.", text), path.name


# --- small parts


def test_digests(engine: Engine) -> None:
    chance = random.Random(1)
    texts = ["", "abc", "ä" * 40, *("x" * size for size in (55, 56, 63, 64, 65, 119, 120, 300))]
    code = """async (load, texts) => {
        const { crc32c, sha256 } = await load("digests.js");
        const bytes = (text) => new TextEncoder().encode(text);
        return texts.map((text) => [crc32c(bytes(text)), Buffer.from(sha256(text)).toString("hex")]);
    }"""
    texts += ["".join(chance.choices("abc", k=chance.randint(0, 400))) for _ in range(50)]
    expected = [[google_crc32c.value(text.encode()), sha256(text.encode()).hexdigest()] for text in texts]
    assert engine.run(code, texts) == expected


def test_games_are_solved_with_their_proof(engine: Engine, repeats: Repeats, tally: Tally) -> None:
    chance = np.random.default_rng(1)
    games: list[Any] = []
    for number in range(repeats(600, 20_000)):
        shape = chance.integers(1, 14, 2)
        kind = number % 4
        matrix = chance.normal(size=shape) * 10.0 ** chance.integers(-3, 4)
        if kind == 1:
            matrix = chance.integers(-3, 4, shape).astype(float)
        elif kind == 2:  # rows that repeat or are dominated
            matrix = matrix[chance.integers(0, shape[0], shape[0])] - chance.integers(0, 2, (shape[0], 1))
        elif kind == 3:
            matrix = np.sign(matrix)
        games.append(matrix)
    found = engine.call("games.js", "solve", [[matrix.tolist()] for matrix in games])
    for matrix, answer in zip(games, found, strict=True):
        scale = max(np.abs(matrix).max(), 1e-300)
        rows, columns = np.array(answer["rowMix"]), np.array(answer["columnMix"])
        assert rows.sum() == pytest.approx(1)
        assert columns.sum() == pytest.approx(1)
        assert min(rows.min(), columns.min()) >= 0
        gap = (matrix @ columns).max() - (rows @ matrix).min()
        assert gap <= 1e-12 * scale
        assert abs(answer["gap"] - max(gap, 0)) <= 1e-12 * scale
        assert abs(answer["value"] - solve(matrix).value) <= 1e-12 * scale
    tally("games solved by the engine", len(games))


def test_where_values_stand(engine: Engine, repeats: Repeats) -> None:
    """Rows, columns, signs, bands and cuts, as the library has them."""
    chance = random.Random(2)
    asked, expected = [], []
    for _ in range(repeats(150, 3000)):
        rules = drawn_rules(chance, 8)
        position = drawn_position(chance, rules, upcard=False)
        space = level_space(rules, position.level)
        if not space.is_stored:
            continue
        batch = batch_of([position], space)
        (row,), (column,), (sign,) = (
            space.row_of(batch.deck, batch.pot),
            *space.column_of(batch.mine, batch.theirs),
        )
        layout = make_layout(rules, geometry=Geometry(block_bytes=1 << 12, least_rows=8, chunk_bytes=1 << 9))
        bands = layout.level(position.level).bands
        places = space.bands
        asked.append([str(rules), str(position), layout.dtype, vars_of(layout.geometry)])
        expected.append(
            [int(row), int(column) if sign else space.equal, int(sign), int(places.band[row]), int(places.row[row])]
            + [[b.rows, b.columns, b.lead, b.block_rows, b.chunk_rows, b.chunk_columns] for b in bands]
            + [space.payoff_bound, space.has_whole_values]
        )
    code = """async (load, asked) => {
        const { beginning } = await load("space.js");
        const { bandsOf } = await load("blocks.js");
        const { readRules } = await load("rules.js");
        const { readPosition } = await load("notation.js");
        const { maskOf } = await load("subsets.js");
        return asked.map(([text, notation, dtype, geometry]) => {
            const rules = readRules(text);
            const { mine, theirs, deck, pot } = readPosition(notation, rules);
            const start = beginning(rules);
            const space = start.at(mine.length);
            const row = space.states.numberOf(start.mask(deck), pot);
            const [column, sign] = space.columnOf(maskOf(mine), maskOf(theirs));
            const bands = bandsOf(space, dtype, geometry).map((band) => [
                band.rows, band.columns, band.lead, band.blockRows, band.chunkRows, band.chunkColumns,
            ]);
            const places = [row, column, sign, space.bands.band[row], space.bands.row[row]];
            return [...places, ...bands, space.payoffBound, space.hasWholeValues];
        });
    }"""
    assert len(asked) > 50
    assert engine.run(code, asked) == expected


def cut_table(rules: Rules, store: Path, dtype: str) -> Path:
    """A table in many small blocks and chunks."""
    solved = Table.open(solve_table(rules, store=store / "whole", dtype="fixed32" if rules.has_leads else "float64"))
    return recut(solved, table_path(store, rules), dtype=dtype, geometry=CUT).path


def vars_of(geometry: Geometry) -> dict[str, int]:
    return {name: getattr(geometry, name) for name in geometry.__slots__}


def test_the_table_that_a_position_needs(engine: Engine) -> None:
    chance = random.Random(3)
    asked, expected = [], []
    for _ in range(400):
        rules = Rules(
            chance.randint(2, 13), objective=chance.choice(["points", "win"]), ties=chance.choice(["carry", "discard"])
        )
        if chance.random() < 0.3:
            rules = drawn_rules(chance, 7)
        position = drawn_position(chance, rules)
        lead, pot = position.lead + chance.choice([0, 0, 5, -40]), position.pot
        if rules.has_pots and chance.random() < 0.3:
            pot += chance.randint(0, 9)
        asked_position = Position.of(
            position.my_cards, position.their_cards, position.deck, position.upcard, lead=lead, pot=pot, rules=rules
        )
        asked.append([str(rules), str(asked_position)])
        needed = cards_needed(asked_position, rules)
        expected.append(needed if needed <= 16 else None)
    code = """async (load, asked) => {
        const { neededRules } = await load("needed.js");
        const { readRules } = await load("rules.js");
        const { readPosition } = await load("notation.js");
        return asked.map(([text, notation]) => {
            const rules = readRules(text);
            try {
                return neededRules(readPosition(notation, rules), rules).cards;
            } catch (error) {
                if (error.kind !== "position") throw error;
                return null;
            }
        });
    }"""
    assert engine.run(code, asked) == expected
    assert None in expected


def test_decks_and_bids_are_drawn_as_by_the_server(engine: Engine) -> None:
    chance = random.Random(4)
    for seed in range(30):
        rules = drawn_rules(chance, 7)
        game = Session.begin(rules, UniformPlayer(), seed=seed)
        while not game.is_over:
            game = game.bid(game.position.my_cards[0])
        expected = [prize_name(played.upcard) for played in game.rounds]
        assert engine.ask("deck", rules=str(rules), seed=seed)["upcards"] == expected
        position = drawn_position(chance, rules, upcard=True)
        for name in ("match", "match+1"):
            bid = engine.ask("bid", rules=str(rules), position=str(position), player=name, seed=seed)["bid"]
            (mix,) = load_player(name, rules).mixes(PositionBatch.of([position], rules=rules))
            assert bid == card_name(position.my_cards[int(mix.argmax())])


# --- answers


def same_answer(found: dict[str, Any], expected: dict[str, Any], *, rounding: float = 0.0) -> None:
    """Values, payoffs and gaps within 1e-9, and what tables round by; one mix, or one within the ranges."""
    close = CLOSE + 2 * rounding
    where = f"{expected['rules']}: {expected['position']}"
    assert found["position"] == expected["position"], where
    assert found["value"] == pytest.approx(expected["value"], abs=close), where
    if "upcards" in expected:
        assert found["upcards"] == pytest.approx(expected["upcards"], abs=close), where
        return
    assert np.array(found["matrix"]) == pytest.approx(np.array(expected["matrix"]), abs=close), where
    assert found["gap"] == pytest.approx(expected["gap"], abs=close), where
    assert found["interchangeable"] == expected["interchangeable"], where
    assert sum(found["mine"].values()) == pytest.approx(1), where
    matrix = np.array(expected["matrix"])
    mine = np.array([found["mine"][name] for name in expected["mine"]])
    theirs = np.array([found["theirs"][name] for name in expected["theirs"]])
    assert (matrix @ theirs).max() - (mine @ matrix).min() <= close, where
    mixed = 1e-6 if not rounding else 1e-3
    for name, (least, greatest) in found["ranges"].items():
        assert least - mixed <= expected["mine"][name] <= greatest + mixed, where
    if expected["unique"] is not None and found["unique"] is not None:
        assert found["unique"] == expected["unique"], where
    if expected["unique"]:
        assert found["mine"] == pytest.approx(expected["mine"], abs=mixed), where
        assert found["unique"] is True, where
    for name, regret in expected["regret"].items():
        if regret > mixed and found["mine"][name] > mixed:
            pytest.fail(f"{where}: {name} is bid, and costs {regret}")


def as_json(tablebase: Tablebase, position: Position) -> dict[str, Any]:
    return answer_json(settled(tablebase.probe(position), 3))


def compare(engine: Engine, tablebase: Tablebase, positions: list[Position], **asked: Any) -> None:
    for position in positions:
        found = engine.ask("probe", rules=str(tablebase.rules), position=str(position), **asked)
        expected = as_json(tablebase, position)
        same_answer(found, expected)
        assert found["rules"] == expected["rules"]
        if tablebase.rules.has_leads and found["outcomes"]:
            outcomes = found["outcomes"]
            assert sum(outcomes.values()) == pytest.approx(1, abs=1e-6)
            assert outcomes["win"] - outcomes["loss"] == pytest.approx(expected["value"], abs=1e-6)


def test_tables_of_every_kind_of_rules_say_the_same(
    engine: Engine, tablebase: Tablebases, repeats: Repeats, tally: Tally
) -> None:
    chance = random.Random(5)
    count = repeats(40, 500)
    for _ in range(count):
        table = tablebase(drawn_rules(chance, MOST_CARDS))
        engine.open(table.path)
        compare(engine, table, [drawn_position(chance, table.rules) for _ in range(10)], cards=table.cards)
        assert engine.ask("tables")["tables"][0]["rules"] == str(table.rules)
    tally("positions, engine against library", 10 * count)


@pytest.mark.parametrize("rules", ["8", "8 win", "7 carry", "7 win carry", "9 order=descending"])
def test_large_tables_say_the_same(engine: Engine, tablebase: Tablebases, rules: str) -> None:
    table = tablebase(rules)
    engine.open(table.path)
    chance = random.Random(rules)
    compare(engine, table, [drawn_position(chance, table.rules) for _ in range(40)])


@pytest.mark.parametrize("dtype", ["float64", "float32", "fixed32", "fixed24"])
def test_tables_of_every_type_and_cut(engine: Engine, tmp_path: Path, dtype: str) -> None:
    for rules in (Rules(6), Rules(5, objective="win"), Rules(5, objective="win", ties="carry"), Rules(5, ties="carry")):
        if rules.has_leads and dtype == "float64":
            continue
        engine.open(cut_table(rules, tmp_path, dtype))
        chance = random.Random(6)
        table = open_tablebase(rules, store=tmp_path)
        compare(engine, table, [drawn_position(chance, rules) for _ in range(25)], cards=rules.cards)


def test_a_table_of_an_early_format(engine: Engine, tmp_path: Path) -> None:
    solve_table(5, store=tmp_path)
    engine.open(without_manifest(table_path(tmp_path, Rules(5))))
    table = open_tablebase(5, store=tmp_path)
    chance = random.Random(7)
    compare(engine, table, [drawn_position(chance, table.rules) for _ in range(20)], cards=5)


def test_positions_of_smaller_games_ask_the_smallest_table(engine: Engine, tablebase: Tablebases) -> None:
    tables = [tablebase(6), tablebase(4)]
    engine.open(*(table.path for table in tables))
    assert engine.ask("probe", rules="16", position="24/A3/2 3")["cards"] == 4
    assert engine.ask("probe", rules="16", position="24/A3/2 3", cards=6)["cards"] == 6
    assert engine.ask("probe", rules="16", position="24/A3/2 6")["cards"] == 6
    with pytest.raises(EngineError, match=re.escape("“24/A3/2 6” needs a table of 6 cards, not of 5")):
        engine.ask("probe", rules="16", position="24/A3/2 6", cards=5)


def test_without_a_table_what_follows_is_worked_out(engine: Engine, tablebase: Tablebases, repeats: Repeats) -> None:
    engine.open()
    chance = random.Random(8)
    for _ in range(repeats(30, 400)):
        rules = drawn_rules(chance, 5)
        table = tablebase(rules)
        for position in (drawn_position(chance, rules) for _ in range(5)):
            found = engine.ask("probe", rules=str(rules), position=str(position))
            same_answer(found, as_json(table, position), rounding=table.bound.value)
            assert found["bound"] <= 1e-9


@pytest.mark.parametrize(
    ("rules", "position"), [("16", "2468TQ[14]/13579J[15]/345678 9"), ("16 win", "2468T[14]/13579[15]/34567 8 3")]
)
def test_hands_of_large_games_are_worked_out(engine: Engine, rules: str, position: str) -> None:
    engine.open()
    game = Rules.parse(rules)
    expected = probe_alone(Position(position, game), game, exact=False)
    found = engine.ask("probe", rules=rules, position=position)
    same_answer(found, answer_json(expected), rounding=expected.bound)


def test_a_mix_that_is_not_the_only_one(engine: Engine, tablebase: Tablebases) -> None:
    for tables in ([tablebase(6, objective="win").path], []):
        engine.open(*tables)
        found = engine.ask("probe", rules="16 win", position="346/A25/35 4")
        assert found["unique"] is False
        assert found["ranges"] == {"3": [0, 1], "4": [0, 0], "6": [0, 1]}
    # Whole numbers leave no doubt: nothing that is bid now changes anything.
    assert engine.ask("probe", rules="16 win", position="24/A3/2 A 9")["unique"] is False


# --- what is wrong is a sentence


def test_what_cannot_be_asked(engine: Engine) -> None:
    engine.open()
    for rules, position, said in (
        ("13", "24/A3/2", "upcard missing"),
        ("13", "24/A3/23 4", "There are 3 prizes left"),
        ("13 carry", "24/A3/2 5 0 135", "comes to such a pot"),
        ("13", "start 13", "the points table of 13 cards is not published here"),
        ("13 win carry", "start 13", "goofspiel solve 13 --objective win --ties carry"),
        ("5 luck", "start 5", "rules know no “luck”"),
    ):
        with pytest.raises(EngineError, match=re.escape(said)):
            engine.ask("probe", rules=rules, position=position)
    with pytest.raises(EngineError, match="no player is called “nobody” here"):
        engine.ask("bid", rules="5", position="start 5 3", player="nobody")


@pytest.mark.parametrize("rules", [Rules(5), Rules(4, objective="win")], ids=str)
def test_damage_is_told_and_never_a_wrong_number(
    engine: Engine, tmp_path: Path, rules: Rules, repeats: Repeats
) -> None:
    """Any bit of any block: the answer is the right one, or a sentence. What is small is worked out all the same."""
    path = cut_table(rules, tmp_path, "fixed32")
    blocks = sorted(file for file in path.glob("level-*/**/c/**/*") if file.is_file())
    chance = random.Random(9)
    positions = [drawn_position(chance, rules, upcard=True) for _ in range(12)]
    table = open_tablebase(rules, store=tmp_path)
    expected = [table.probe(position).value for position in positions]
    given = {
        "facts": table_facts(Table.open(path)) | {"folder": str(tmp_path)},
        "positions": [str(position) for position in positions],
    }
    told = 0
    for _ in range(repeats(60, 1000)):
        file = chance.choice(blocks)
        bit = chance.randrange(8 * file.stat().st_size)
        flip(file, bit)
        for value, right in zip(engine.run(FROM_TABLE, given), expected, strict=True):
            if isinstance(value, str):
                told += 1
                assert "is damaged: " in value
            else:
                assert value == pytest.approx(right, abs=CLOSE)
        flip(file, bit)
    assert told


def test_a_block_in_the_place_of_another(engine: Engine, tmp_path: Path) -> None:
    """It is whole, but not the one that belongs there."""
    path = cut_table(Rules(5), tmp_path, "fixed32")
    blocks = path / "level-02" / "c"
    facts = table_facts(Table.open(path)) | {"folder": str(tmp_path)}
    positions = ["A23/234/A2 3", "A23/234/45 3"]
    before = engine.run(FROM_TABLE, {"facts": facts, "positions": positions})
    shutil.copy(blocks / "1" / "0", blocks / "0" / "0")
    after = engine.run(FROM_TABLE, {"facts": facts, "positions": positions})
    assert after[1] == before[1]
    assert after[0] == "level-02/c/0/0 is damaged: it is another block than its name says"


# --- reviews and first moves


def test_reviews_say_the_same(engine: Engine, tablebase: Tablebases, repeats: Repeats) -> None:
    chance = random.Random(10)
    for _ in range(repeats(25, 300)):
        rules = drawn_rules(chance, 5)
        table = tablebase(rules)
        engine.open(table.path)
        upcards = rules.order or chance.sample(rules.prizes, len(rules.prizes))
        bids = (chance.sample(range(1, rules.cards + 1), rules.cards) for _ in range(2))
        rounds = [Round(*played) for played in zip(upcards, *bids, strict=False)][: chance.randint(1, rules.rounds)]
        if chance.random() < 0.3:
            rounds[-1] = Round(rounds[-1].upcard)
        record = GameRecord(rules, tuple(rounds))
        expected = review(record, table)
        found = engine.ask("review", rules=str(rules), record=str(record))
        assert (found["record"], found["rules"]) == (str(record), str(rules))
        assert found["value"] == pytest.approx(expected.value, abs=1e-6)
        assert (found["result"] is None) == (expected.result is None)
        total = found["draw_luck"] + found["gain"] + found["chance"]
        assert total == pytest.approx(found["value"], abs=1e-6)
        assert (found["won_after"], found["settled_after"]) == (expected.won_after, expected.settled_after)
        for one, other in zip(found["rounds"], expected.rounds, strict=True):
            for name in ("value_before", "draw_luck", "value", "value_after"):
                assert one[name] == pytest.approx(getattr(other, name), abs=1e-6), (str(record), name)
            if other.answer.unique and other.their_answer.unique:  # elsewhere costs are those of the mixes found
                assert one["cost"] == pytest.approx(other.cost, abs=1e-6)
                assert one["their_cost"] == pytest.approx(other.their_cost, abs=1e-6)


def test_reviews_against_a_known_player_say_the_same(engine: Engine, tablebase: Tablebases) -> None:
    """A game in which every bid of the prize is beaten by one: nothing of it is luck, there as here."""
    record = GameRecord.read("565 232 7A7 A2A 676 454 343")
    table = tablebase(7)
    engine.open(table.path)
    expected = review(record, table, theirs=load_player("match", 7))
    found = engine.ask("review", rules="7", record=str(record), player="match")
    assert found["theirs"]["player"] == "match"
    for name in ("draw_luck", "gain", "chance", "value"):
        assert found[name] == pytest.approx(getattr(expected, name), abs=1e-6)
    assert abs(found["chance"]) < 1e-9
    other = engine.ask("review", rules="7", record=str(record), player="match+1")
    assert other["theirs"]["player"] is None
    assert "match+1, who never bids the 5 in round 1" in other["theirs"]["contradiction"]


def test_estimates_say_the_same(engine: Engine, tablebase: Tablebases) -> None:
    record = GameRecord.read("565 232 7A7 A2A 676 454 343")
    table = tablebase(7)
    engine.open(table.path)
    expected = dict(review(record, table).theirs.shares)
    found = engine.ask("review", rules="7", record=str(record))["theirs"]["estimate"]
    assert sum(found.values()) == pytest.approx(1)
    assert {name.partition(":")[0]: share for name, share in expected.items()} == pytest.approx(found, abs=0.02)


OPPONENTS = ["forgetful", "predictable", "match-1", "match-16", "mix(75 match, 25 uniform)", "exploit:1:novice"]


@pytest.mark.parametrize("name", [*(rung.name for rung in ladder()), *OPPONENTS])
def test_opponents_mix_as_the_library_does(engine: Engine, tablebase: Tablebases, name: str, store: Path) -> None:
    """At drawn positions at which both sides have one optimal mix; where there are several, each may take another."""
    chance = random.Random(name)
    for rules in (Rules(6), Rules(5, objective="win")):
        table = tablebase(rules)
        engine.open(table.path)
        positions: list[Position] = []
        while len(positions) < 12:
            level = chance.randint(2, rules.cards - 1)
            mine, theirs, deck = (chance.sample(range(1, rules.cards + 1), level) for _ in range(3))
            position = Position.of(mine, theirs, deck).turn_up(deck[0])
            answers = [table.probe(position), table.probe(Position.of(mine, mine, deck).turn_up(deck[0]))]
            if all(isinstance(one, Answer) and one.unique and one.swap().unique for one in answers):
                positions.append(position)
        expected = mixes_at(load_player(name, rules, store=store), positions, rules)
        for position, mix in zip(positions, expected, strict=True):
            found = engine.ask("mix", rules=str(rules), position=str(position), player=name, cards=rules.cards)["mix"]
            by_card = [found[card_name(card)] for card in position.my_cards]
            assert by_card == pytest.approx(mix.tolist(), abs=1e-5), (name, str(position))


def test_first_moves_say_the_same(engine: Engine, tablebase: Tablebases) -> None:
    for rules in ("5", "6 win", "4 carry", "5 order=descending", "4 prizes=1,1,2,5"):
        table = tablebase(rules)
        engine.open(table.path)
        expected, found = first_move(table), engine.ask("table", rules=rules)
        assert found["upcards"] == list(expected.upcards)
        for column, unique in enumerate(expected.unique):
            if unique:
                mix = [row[column] for row in found["probability"]]
                assert mix == pytest.approx(expected.probability[:, column].tolist(), abs=1e-6)
        code = """async (load, table) => (await load("first_move_csv.js")).firstMoveCsv(table)"""
        written = engine.run(code, found).splitlines()
        assert written[0] == expected.to_csv().splitlines()[0]
        assert len(written) == expected.cards + 1
