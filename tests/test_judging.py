"""Logged games are judged by their exact regrets, whatever the format; claims hold against exact answers."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from answers import with_upcard
from command import the_json
from fixtures import Call, Exact

import goofspiel as gs
from goofspiel.errors import RecordError
from goofspiel.matches.judging import judge
from goofspiel.matches.playing import play_match
from goofspiel.records.logs import LoggedGame, from_csv, from_json_lines, from_records, logged, read_log
from goofspiel.records.record import GameRecord, read_records
from goofspiel.roster import load_player
from goofspiel.rules import Rules
from goofspiel.tablebase import Tablebase, open_tablebase

RULES = ["5", "5 win", "5 carry", "4 win carry", "5 prizes=1,1,2,5,8", "6 order=descending rounds=3"]


def games_of(rules: str, players: tuple[str, str] = ("uniform", "match"), count: int = 30) -> list[GameRecord]:
    """Games as they are played."""
    kept: list[GameRecord] = []
    first, second = (load_player(name, rules) for name in players)
    play_match(first, second, rules, games=count, on_record=kept.append)
    return kept


@pytest.fixture(scope="module")
def table() -> Callable[[Rules], Tablebase]:
    return open_tablebase


@pytest.mark.parametrize("rules", RULES)
def test_regrets_are_those_of_the_tablebase(rules: str, table: Callable[[Rules], Tablebase]) -> None:
    records, tablebase = games_of(rules), open_tablebase(rules)
    found = {agent.name: agent for agent in judge(map(logged, records), table, worst=3).agents}
    for name, records_of in (("uniform", records), ("match", [record.swap() for record in records])):
        regrets, off, bids = [], 0, 0
        for record in records_of:
            paid = []
            for before, played, _ in record.steps():
                position = before.turn_up(played.upcard)
                if position.level > 1:
                    answer = with_upcard(tablebase.probe(position))
                    paid.append(answer.regret[played.mine])
            regrets.append(np.mean(paid))
            off += sum(regret > 1e-6 for regret in paid)
            bids += len(paid)
        agent = found[name]
        assert (agent.games, agent.bids) == (30, bids)
        # Where several mixes of the other side are optimal, a regret depends on which is found: for all it is the same.
        assert agent.regret.mean == pytest.approx(np.mean(regrets), rel=1e-6, abs=1e-9)
        assert agent.off_support == off
        assert len(agent.worst) == min(3, agent.off_support)
        assert agent.worst == sorted(agent.worst, key=lambda one: -one.regret)
        assert sum(agent.outcomes) == 30


def test_what_is_off_the_support_is_in_no_optimal_mix(exact: Exact, table: Callable[[Rules], Tablebase]) -> None:
    records, rational = games_of("4", ("uniform", "uniform"), 40), exact(4)
    checked = 0
    for agent in judge(map(logged, records), table, worst=10).agents:
        for one in agent.worst:
            answer = with_upcard(rational.probe(gs.Position(one.position)))
            assert answer.ranges
            assert list(map(float, answer.ranges[one.bid])) == [0, 0]
            checked += 1
    assert checked > 5


def test_perfect_play_costs_nothing_and_is_worth_nothing(table: Callable[[Rules], Tablebase]) -> None:
    records = games_of("6", ("optimal", "optimal"), 200)
    for agent in judge(map(logged, records), table).agents:
        assert (agent.regret.mean, agent.off_support, agent.worst) == (0, 0, [])
        assert agent.adjusted.low <= 0 <= agent.adjusted.high
        assert agent.adjusted.variance <= agent.plain.variance
        assert {prize: profile.regret.mean for prize, profile in agent.by_upcard.items()} == dict.fromkeys(
            range(1, 7), 0
        )


def test_the_luck_of_the_draw_has_a_mean_of_nothing(table: Callable[[Rules], Tablebase]) -> None:
    agents = judge(map(logged, games_of("5", ("uniform", "match"), 4000)), table).agents
    for agent in agents:
        luck = agent.result.luck.estimate()
        assert luck.variance > 0.01
        assert luck.low - (luck.high - luck.low) <= 0 <= luck.high + (luck.high - luck.low)


# --- formats


def as_json(game: LoggedGame) -> str:
    return json.dumps({"rules": str(game.rules), "players": game.players, "rounds": game.rounds})


def as_csv(games: list[LoggedGame]) -> str:
    lines = ["game,rules,first,second,upcard,first_bid,second_bid"]
    for number, game in enumerate(games):
        start = f'{number},"{game.rules}",{game.players[0]},{game.players[1]}'
        lines += [f"{start},{','.join(map(str, one))}" for one in game.rounds]
    return "\n".join(lines)


@pytest.mark.parametrize("rules", RULES)
def test_every_format_says_the_same(rules: str, tmp_path: Path) -> None:
    records = games_of(rules, count=5)
    games = [logged(record)._replace(source="") for record in records]
    texts = {
        "a.txt": "\n".join(record.to_file() for record in records),
        "a.jsonl": "\n".join(map(as_json, games)),
        "a.csv": as_csv(games),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        found = list(read_log(tmp_path / name))
        assert [game._replace(source="") for game in found] == games
        assert all(game.source.startswith(f"{name}, ") for game in found)


def test_cards_by_name_and_games_that_say_their_rules_themselves() -> None:
    (game,) = from_json_lines('{"rounds": [["A", 1, "2"], [2, "2", 1]]}')
    assert game == LoggedGame(Rules(2), ("first", "second"), ((1, 1, 2), (2, 2, 1)), "line 1")
    (same,) = from_records("A12 221")
    assert same.rounds == game.rounds


@pytest.mark.parametrize(
    ("read", "text", "said"),
    [
        (from_json_lines, "{", "line 1: Expecting property name"),
        (from_json_lines, "[]", "line 1: an object with a list of rounds is expected: '\\[\\]'"),
        (from_json_lines, '{"rounds": [[1, 2]]}', "a round is an upcard and two bids, not \\[1, 2\\]"),
        (from_json_lines, '{"rounds": [[1, 2, "X"]]}', "a card is a number or a name, not 'X'"),
        (from_json_lines, '{"rounds": [[1, 2, true]]}', "a card is a number or a name, not True"),
        (from_json_lines, '{"rounds": [], "players": "ab"}', "players are two names, not 'ab'"),
        (from_json_lines, '{"rounds": [[3, 1, 2]]}', "neither the log nor an option says which rules were played"),
        (from_json_lines, '{"rules": "99", "rounds": []}', "number of cards must be 1 to 16, not 99"),
        (from_csv, "game,upcard\n1,2", "first_bid, second_bid is missing"),
        (from_csv, "game,upcard,first_bid,second_bid\n1,2,x,1", "game '1': a card is a number or a name, not 'x'"),
    ],
)
def test_a_log_that_is_none_is_one_line(read: Callable[[str], object], text: str, said: str) -> None:
    with pytest.raises(RecordError, match=said):
        list(read(text))  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("rounds", "said"),
    [
        ([(1, 1, 1), (1, 2, 2)], "x: no 1 can be turned up"),
        ([(9, 1, 1)], "x: no 9 can be turned up"),
        ([(1, 1, 1), (2, 1, 2)], "x: the bid 1 is not in the hand"),
        ([(1, 1, 4)], "x: the bid 4 is not in the hand"),
        ([(1, 1, 1), (2, 2, 2), (3, 3, 3), (1, 1, 1)], "x: 4 rounds, the game '3' has 3"),
    ],
)
def test_a_game_that_cannot_be_is_named(rounds: list[tuple[int, int, int]], said: str) -> None:
    with pytest.raises(RecordError, match=said):
        judge([LoggedGame(Rules(3), ("a", "b"), tuple(rounds), "x")], open_tablebase)


# --- the command


def test_the_command(call: Call, tmp_path: Path) -> None:
    log = tmp_path / "games.txt"
    log.write_text("\n".join(record.to_file() for record in games_of("5", count=20)), encoding="utf-8")
    figure = tmp_path / "a.png"
    said = the_json(call("judge", log, "--json", "--figure", figure, "--quiet"))
    assert [agent["agent"] for agent in said["agents"]] == ["match", "uniform"]
    assert said["agents"][0]["regret"]["mean"] < said["agents"][1]["regret"]["mean"]
    assert figure.read_bytes().startswith(b"\x89PNG")
    _, text, told = call("judge", log, "--most", 1)
    assert told == "judging 100% 20 of 20 games\n"
    assert text.count("worst bids") == 2
    assert "20 games, rules 5; regrets and results in points" in text
    to_win = the_json(call("judge", log, "--json", "--objective", "win", "--quiet"))
    assert to_win["rules"] == ["5 win"]
    code, _, error = call("judge", tmp_path / "none.txt")
    assert (code, error.count("\n")) == (1, 1)


@pytest.mark.parametrize("name", ["games.txt", "games.jsonl", "games.csv"])
def test_options_say_what_the_log_does_not(call: Call, tmp_path: Path, name: str) -> None:
    """The 2 is tied, and carried on or nobody's: that decides what the bids for the A cost."""
    log = tmp_path / name
    rounds = "[[2, 3, 3], [1, 2, 1], [3, 1, 2]]"
    texts = {
        "games.txt": "233 A21 3A2\n",
        "games.jsonl": f'{{"rounds": {rounds}}}\n',
        "games.csv": "game,upcard,first_bid,second_bid\n1,2,3,3\n1,1,2,1\n1,3,1,2\n",
    }
    log.write_text(texts[name], encoding="utf-8")
    piped = call("judge", "-", "--json", "--quiet", stdin=texts[name])
    assert (
        the_json(piped)["agents"][0]["regret"]
        == the_json(call("judge", log, "--json", "--quiet"))["agents"][0]["regret"]
    )

    def judged(*words: object) -> list[str]:
        rules: list[str] = the_json(call("judge", log, "--json", "--quiet", *words))["rules"]
        return rules

    assert judged() == ["3"]
    assert judged("--ties", "carry") == ["3 carry"]
    assert judged("--ties", "carry", "--objective", "win") == ["3 win carry"]
    assert judged("--cards", "3 win carry") == ["3 win carry"]
    code, _, error = call("judge", log, "--cards", 2)
    assert (code, error.count("\n")) == (1, 1)
    if name == "games.jsonl":
        log.write_text(f'{{"rules": "3", "rounds": {rounds}}}\n', encoding="utf-8")
        assert judged("--cards", 3, "--objective", "win") == ["3 win"]
        code, _, error = call("judge", log, "--ties", "carry")
        assert "the log is of the game '3', not of '3 carry'" in error


def test_games_that_are_not_over_are_judged_without_a_result() -> None:
    games = [logged(record) for record in read_records("cards: 4\n\n2A3 3", cards=4)]
    for agent in judge(games, open_tablebase).agents:
        assert (agent.games, agent.bids, sum(agent.outcomes)) == (1, 1, 0)
