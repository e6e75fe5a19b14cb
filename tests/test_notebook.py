"""Results in notebooks: html that is whole and escaped, DataFrames of both libraries, figures that are returned."""

import sys
from fractions import Fraction
from html.parser import HTMLParser
from typing import Any

import pandas
import polars
import pytest
from fixtures import Tablebases

from goofspiel import Position, open_tablebase
from goofspiel.best_response.local import local_response
from goofspiel.best_response.response import respond
from goofspiel.errors import GoofspielError
from goofspiel.matches.judging import judge
from goofspiel.matches.playing import play_match
from goofspiel.notebook import Tabular
from goofspiel.players.players import BidUpcardPlayer, FunctionPlayer, UniformPlayer
from goofspiel.records.logs import LoggedGame
from goofspiel.records.record import GameRecord
from goofspiel.records.reviews import review
from goofspiel.render.figures import draw_first_move
from goofspiel.render.first_moves import first_move
from goofspiel.render.judgements import draw_judgement
from goofspiel.render.review_figure import draw_review
from goofspiel.rules import Rules


class Cells(HTMLParser):
    """The cells of a table, and whether all that is opened is closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.cells: dict[str, list[str]] = {"th": [], "td": [], "caption": []}
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)
        if tag in self.cells:
            self.cells[tag].append("")

    def handle_data(self, data: str) -> None:
        self.cells[self.open[-1]][-1] += data

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def judged(table: Any) -> Any:
    rounds = tuple((card, card, 6 - card) for card in range(1, 6))
    return judge([LoggedGame(Rules(5), ("a<b>", "b"), rounds, "x")] * 3, lambda rules: table)


def results(table: Any) -> dict[str, Tabular]:
    """One of each kind."""
    match, uniform = BidUpcardPlayer(), UniformPlayer()
    return {
        "answer": table.probe("24/A3/4 5"),
        "chance": table.probe("24/A3/45 -"),
        "table": first_move(table),
        "review": review(GameRecord.read("344 A5A 423 235 512", cards=5), table),
        "match": play_match(match, uniform, 5, games=64, control=[table]),
        "judgement": judged(table),
        "response": respond(FunctionPlayer(lambda p: p.my_cards[0], "<script>", uses_lead=False), 3),
        "local": local_response(match, table, games=20),
    }


ROWS = {"answer": 2, "chance": 2, "table": 5, "review": 5, "match": 6, "judgement": 2, "response": 3, "local": 1}


def test_each_kind(tablebase: Tablebases) -> None:
    found = results(tablebase(5))
    assert found.keys() == ROWS.keys()
    for kind, result in found.items():
        html = Cells(result._repr_html_())
        assert html.open == []
        columns = result.columns()
        assert html.cells["th"] == list(columns), kind
        assert len(html.cells["td"]) == ROWS[kind] * len(columns), kind
        assert html.cells["caption"] == [result.heading()]
        assert "<script>" not in result._repr_html_()
        for library in (pandas, polars):
            frame = result.frame(library.__name__)
            assert isinstance(frame, library.DataFrame)
            assert frame.shape == (ROWS[kind], len(columns))
            assert list(frame.columns) == list(columns)


def test_the_numbers_are_those_of_the_result(tablebase: Tablebases) -> None:
    table = tablebase(5)
    found = results(table)
    frame = found["answer"].frame("pandas").set_index("card")
    answer: Any = found["answer"]
    assert frame["probability"].to_dict() == dict(answer.mine)
    assert frame["earns"][2] == pytest.approx(answer.value)
    assert found["response"].frame("polars")["gains"].mean() == pytest.approx(found["response"].value)  # type: ignore[attr-defined]
    reviewed: Any = found["review"]
    assert reviewed.frame("pandas")["cost"].sum() == pytest.approx(reviewed.cost)


def test_fractions_are_shown() -> None:
    with open_tablebase(3, exact=True) as table:
        answer = table.probe(Position("12/23/A 2"))
        assert Fraction(-7, 3) == answer.value
        cells = Cells(answer._repr_html_()).cells["td"]
        assert cells[:2] == ["1", "2/3"]


def test_without_either_library(monkeypatch: pytest.MonkeyPatch, tablebase: Tablebases) -> None:
    answer = tablebase(5).probe("24/A3/4 5")
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert isinstance(answer.frame(), polars.DataFrame)
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(GoofspielError, match=r"^a frame needs pandas or polars: pip install pandas$"):
        answer.frame()
    with pytest.raises(GoofspielError, match="a frame is of pandas or polars, not of 'numpy'"):
        answer.frame("numpy")


def test_figures_are_returned(tablebase: Tablebases) -> None:
    from matplotlib.figure import Figure

    table = tablebase(5)
    found = results(table)
    draws: list[tuple[Any, str]] = [(draw_first_move, "table"), (draw_review, "review"), (draw_judgement, "judgement")]
    for draw, kind in draws:
        assert isinstance(draw(found[kind]), Figure)
