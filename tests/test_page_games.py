"""Games of the page that begin at a position, are pasted, or are guided: its modules in Node, against the library."""

import random
from itertools import permutations
from typing import Any

import pytest
from answers import with_upcard
from engine import Engine, EngineError
from fixtures import Tablebases

from goofspiel.cards import card_name, prize_name
from goofspiel.errors import GoofspielError
from goofspiel.position import Position
from goofspiel.records.record import GameRecord, Round, read_records
from goofspiel.records.reviews import review
from goofspiel.rules import Rules
from goofspiel.tablebase.answer import Answer

# --- games that begin at a position


@pytest.mark.parametrize("rules", ["6", "6 carry", "6 win", "6 order=descending", "6 prizes=1,1,2,5,8,9"])
def test_the_ladder_bids_the_same_without_a_table(engine: Engine, tablebase: Tablebases, rules: str) -> None:
    """The false case: who forgets which cards the other side holds was asked about hands that were not worked out."""
    game = Rules.parse(rules)
    chance = random.Random(rules)
    for _ in range(6):
        bids = [chance.sample(range(1, 7), 2) for _ in range(2)]
        upcards = game.order or chance.sample(game.prizes, 6)
        record = GameRecord(game, (*(Round(*one) for one in zip(upcards, *bids, strict=False)), Round(upcards[2])))
        for player in ("forgetful", "casual", "club"):
            asked = {"rules": rules, "position": str(record.position), "player": player}
            engine.open(tablebase(game).path)
            expected = engine.ask("mix", **asked)["mix"]
            engine.open()
            found = engine.ask("mix", **asked)["mix"]
            thought = record.position if player == "club" else None
            if thought is None or with_upcard(tablebase(game).probe(thought)).unique:
                assert found == pytest.approx(expected, abs=1e-5), (rules, player, str(record.position))


def drawn_game(chance: random.Random, rules: Rules) -> tuple[Position, list[Round], list[Round]]:
    """A whole game: where it stood after some rounds, those rounds, and the rest."""
    upcards = rules.order or chance.sample(rules.prizes, len(rules.prizes))
    bids = [chance.sample(range(1, rules.cards + 1), rules.cards) for _ in range(2)]
    rounds = [Round(*one) for one in zip(upcards, *bids, strict=False)][: rules.rounds]
    begins = chance.randrange(rules.rounds)
    shown = (Round(upcards[begins]),) if chance.random() < 0.5 else ()
    return GameRecord(rules, (*rounds[:begins], *shown)).position, rounds[:begins], rounds[begins:]


@pytest.mark.parametrize("rules", ["5", "5 win", "5 carry", "5 order=descending", "6 rounds=4"])
def test_a_game_from_a_position_is_reviewed_as_the_rest_of_a_whole_one(
    engine: Engine, tablebase: Tablebases, rules: str
) -> None:
    game = Rules.parse(rules)
    engine.open(tablebase(game).path)
    chance = random.Random(rules)
    for _ in range(12):
        began, before, rest = drawn_game(chance, game)
        record = " ".join(map(str, rest))
        found = engine.ask("review", rules=rules, record=record, position=str(began))
        whole = engine.ask("review", rules=rules, record=" ".join(map(str, [*before, *rest])))
        expected = review(GameRecord(game, tuple(rest), began=began), tablebase(game))
        for name in ("start", "draw_luck", "value", "result", "won_after", "settled_after"):
            assert found[name] == pytest.approx(getattr(expected, name), abs=1e-6), name
        unique = all(one.answer.unique and one.their_answer.unique for one in expected.rounds)
        if unique:  # else each may take another of the optimal mixes
            assert found["cost"] == pytest.approx(expected.cost, abs=1e-6)
            assert found["gain"] == pytest.approx(expected.gain, abs=0.02)  # shares of an estimate
        assert found["result"] == whole["result"] == found["value"]
        parts = found["start"] + found["draw_luck"] + found["gain"] + found["chance"]
        assert parts == pytest.approx(found["value"], abs=1e-6)
        for one, other in zip(found["rounds"], whole["rounds"][len(before) :], strict=True):
            assert (one["position"], one["regret"]) == (other["position"], other["regret"])
            assert one["value_after"] == other["value_after"]
        if began.upcard:
            assert found["rounds"][0]["draw_luck"] == pytest.approx(0, abs=1e-9)
        upcards = engine.ask("deck", rules=rules, position=str(began), seed=7)["upcards"]
        left = [prize_name(prize) for prize in began.deck]
        assert len(upcards) == len(rest)
        assert upcards[0] == prize_name(began.upcard) if began.upcard else upcards[0] in left
        assert [
            upcards.count(card) <= (left + [prize_name(began.upcard)] * bool(began.upcard)).count(card)
            for card in upcards
        ]
        if game.order:
            assert upcards == [prize_name(one.upcard) for one in rest]


def test_a_position_and_a_record_that_do_not_fit_are_refused(engine: Engine) -> None:
    engine.open()
    for record, said in [
        ("325", "round 1: 3 cannot be turned up"),
        ("4A5", "round 1: you hold no A"),
        ("42A 425", "round 2: 4 cannot be turned up"),
        ("422", "round 1: they hold no 2"),
        ("4 325", "round 2: 3 cannot be turned up"),
    ]:
        with pytest.raises(EngineError, match=said):
            engine.ask("review", rules="5", record=record, position="245/A35/A3 4")


# --- records as texts

GOOD = [
    "524 A5A 3A3 435 242",
    "cards: 13\nmine: human\ntheirs: optimal\nobjective: points\n\nK53 2AJ 7",
    "# a remark\ncards: 5\n\n524 A5A # and one more\n3A3",
    "2A3 33A A22\n\n[1]22 2[1]1",
    "rules: 5 win carry\n\n344 433",
    "rules: 3 prizes=1,5,100 order=100,5,1\n\n[100]12 531 A23",
    "cards: 3\n2A3\ncards: 2\nA22",
    "cards: 3\nobjective: win\n2A3 33A A22",
    "\n\n  cards: 04 \n\n4",
    "from: 245/A35/A3 4 2\ntheirs: match\n\n425 343 A5A",
    "cards: 9\nobjective: win\nfrom: 245/A35/A34 -\n425 343",
    "rules: 5 order=descending\nfrom: A23/345/2A 3 4\n\n325 214",
    "rules: 13 carry\nfrom: 245/A35/A3 4 0 7\n\n455 3",
]
BAD = [
    "524 A5A",
    "524 A5",
    "5x4",
    "cards: 99\n524",
    "cards: five\n524",
    "cards: 5\n524 524",
    "cards: 5\n5 A5A",
    "cards: 5\nobjective: luck\n524",
    "rules: 5 luck\n524",
    "rules: 5\ncards: 6\n524",
    "cards: 4\n5",
    "from: 245/A3/A3 4\n425",
    "from: 245/A35/A3 4\n325",
    "from: nowhere\n425",
    "cards: 4\nfrom: 245/A35/A3 4\n425",
    "rules: 5 order=descending\nfrom: A23/345/3A 2 4\n\n225",
    "2A3 33A A22\n\n2A3 33A A2",
]
RECORDS = """async (load, texts) => {
    const { readRecords } = await load("records.js");
    const { writeRules } = await load("rules.js");
    const { positionAfter, writePosition, writeRecord } = await load("notation.js");
    return texts.map((text) => {
        try {
            return readRecords(text).map(({ rules, rounds, tags, from }) => ({
                rules: writeRules(rules), record: writeRecord(rounds), tags, from: from && writePosition(from),
                position: writePosition(positionAfter(rules, rounds, from)),
            }));
        } catch (error) {
            return error.message;
        }
    });
}"""


def in_python(text: str) -> list[dict[str, Any]]:
    return [
        {
            "rules": str(record.rules),
            "record": str(record),
            "tags": dict(record.tags),
            "from": None if record.began is None else str(record.began),
            "position": str(record.position),
        }
        for record in read_records(text)
    ]


def test_texts_are_read_as_in_python(engine: Engine) -> None:
    assert engine.run(RECORDS, GOOD) == [in_python(text) for text in GOOD]


def test_what_is_wrong_with_a_text_is_one_sentence_that_quotes_it(engine: Engine) -> None:
    for text, said in zip(BAD, engine.run(RECORDS, BAD), strict=True):
        with pytest.raises(GoofspielError):
            read_records(text)
        assert isinstance(said, str), text
        assert "\n" not in said
        quoted = said.replace("(a line “cards: 13”)", "").partition("“")[2].partition("”")[0].rstrip("…")
        assert quoted, said
        assert quoted in text or quoted == "5", said  # rules may be quoted as they are written
    assert engine.run(RECORDS, BAD)[-1].startswith("game 2: ")


# --- the guided game

LESSONS = """async (load, positions) => {
    const lessons = await load("../lessons.js");
    return positions.map(({ answer, mine, theirs }) => ({
        best: lessons.bestAgainst(answer, theirs).card,
        reply: lessons.answerTo(answer, mine),
        before: [1, 2, 3].map((round) => lessons.before(round, 5, answer).join(" ")),
        seeing: lessons.afterSeeing(answer, mine, theirs).join(" "),
        showing: lessons.afterShowing(answer, mine, lessons.answerTo(answer, mine)).join(" "),
        mixing: [true, false].map((drawn) => lessons.afterMixing(answer, mine, drawn).join(" ")),
        drawn: [0, 0.25, 0.5, 0.75, 0.9999999].map((chance) => lessons.drawnFrom(answer.mine, chance)),
    }));
}"""


def cell(answer: Answer[float], mine: int, theirs: int) -> float:
    position = answer.position
    return float(answer.matrix[position.my_cards.index(mine)][position.their_cards.index(theirs)])


def test_every_course_of_the_guided_game_is_told_truly(engine: Engine, tablebase: Tablebases) -> None:
    """All thirty ways to bid in the first two rounds: what is said of each, and that the third must be mixed."""
    prizes = engine.run("async (load) => (await load('../lessons.js')).PRIZES")
    cards = engine.run("async (load) => (await load('../lessons.js')).RULES.cards")
    table = tablebase(cards)
    engine.open(table.path)

    def probed(position: Position) -> tuple[Answer[float], Any]:
        return with_upcard(table.probe(position)), engine.ask("probe", rules=str(cards), position=str(position))

    first = Position.start(cards).turn_up(prizes[0])
    for one, two in permutations(range(1, cards + 1), 2):
        answer, asked = probed(first)
        (said,) = engine.run(LESSONS, [{"answer": asked, "mine": one, "theirs": prizes[0]}])
        best = max(cell(answer, card, prizes[0]) for card in first.my_cards)
        assert cell(answer, said["best"], prizes[0]) == pytest.approx(best)
        assert f"worth {best - answer.value:.2f} points to you" in said["seeing"]
        missed = best - cell(answer, one, prizes[0])
        assert ("Nothing answers their" in said["seeing"]) == (missed < 1e-9)
        assert missed < 1e-9 or f"{missed:.2f} points better than your" in said["seeing"]

        second = first.play(one, prizes[0]).turn_up(prizes[1])
        answer, asked = probed(second)
        (said,) = engine.run(LESSONS, [{"answer": asked, "mine": two, "theirs": second.their_cards[0]}])
        worst = min(cell(answer, two, card) for card in second.their_cards)
        assert cell(answer, two, said["reply"]) == pytest.approx(worst)
        assert f"has cost you {answer.value - worst:.2f} points" in said["showing"]
        assert answer.value - worst > 1  # it always teaches something

        third = second.play(two, said["reply"])
        answers = [probed(third.turn_up(prize)) for prize in third.deck]
        assert min(max(answer.mine.values()) for answer, _ in answers) < 0.75  # it must be mixed
        for answer, asked in answers:
            position = answer.position
            (said,) = engine.run(
                LESSONS, [{"answer": asked, "mine": position.my_cards[0], "theirs": position.their_cards[0]}]
            )
            leads = f"leaves you {abs(answer.value):.2f} points {'ahead' if answer.value > 0 else 'behind'}"
            assert (leads if abs(answer.value) > 0.005 else "it ends level") in said["before"][2]
            for column, _ in enumerate(position.their_cards):  # whatever they bid
                earned = sum(share * answer.matrix[row][column] for row, share in enumerate(answer.mine.values()))
                assert earned >= answer.value - 1e-6
            never = "which this mix never bids" in said["mixing"][0]
            assert never == (asked["mine"][card_name(position.my_cards[0])] < 1e-6)
            assert all(asked["mine"][card_name(card)] > 0 for card in said["drawn"])


# --- hints against an opponent

REPLIES = """async (load, { answer, mix }) => {
    globalThis.document ??= { documentElement: { dataset: {} } };
    const { bestOf, gainsOf, replyWords } = await load("../hint.js");
    const gains = gainsOf(answer, mix);
    return { gains, ...bestOf(gains), words: replyWords(answer, gains) };
}"""


@pytest.mark.parametrize("rules", ["5", "5 win"])
@pytest.mark.parametrize("player", ["match", "casual", "optimal", "uniform"])
def test_the_best_reply_is_the_best_one(engine: Engine, tablebase: Tablebases, rules: str, player: str) -> None:
    game = Rules.parse(rules)
    engine.open(tablebase(game).path)
    chance = random.Random(rules + player)
    for _ in range(12):
        began, _, rest = drawn_game(chance, game)
        position = began if began.upcard else began.turn_up(rest[0].upcard)
        answer = with_upcard(tablebase(game).probe(position))
        asked = {"rules": rules, "position": str(position)}
        mix = engine.ask("mix", rules=rules, position=str(position.swap()), player=player)["mix"]
        found = engine.run(REPLIES, {"answer": engine.ask("probe", **asked), "mix": mix})
        theirs = [mix[card_name(card)] for card in position.their_cards]
        earned = {
            card: sum(share * worth for share, worth in zip(theirs, row, strict=True)) - answer.value
            for card, row in zip(position.my_cards, answer.matrix, strict=True)
        }
        assert {card: found["gains"][card_name(card)] for card in earned} == pytest.approx(earned, abs=1e-6)
        best = max(earned.values())
        assert best >= -1e-6
        assert found["most"] == pytest.approx(best, abs=1e-6)
        assert all(earned[card] == pytest.approx(best, abs=1e-5) for card in found["cards"])
        if position.level == 1:
            assert "nothing to choose" in found["words"]
        elif best < 5e-6:
            assert "gives nothing away" in found["words"]
        else:
            assert found["words"].startswith("Bid the ")
            cost = max(answer.regret[card] for card in found["cards"])
            if answer.swap().unique:  # else costs are those of one of their optimal mixes
                assert ("cost nothing" in found["words"]) == (cost < 5e-6)
        if player == "optimal" and position.level > 1:
            assert "gives nothing away" in found["words"]
