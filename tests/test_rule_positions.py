"""The notation of positions of every kind of rules; the page reads the same files, see test_page_modules.py."""

from pathlib import Path

import pytest

from goofspiel.errors import PositionError
from goofspiel.position import Position
from goofspiel.rules import Rules

HERE = Path(__file__).parent


def cases(name: str) -> list[list[str]]:
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


@pytest.mark.parametrize(("rules", "text", "canonical", "remark"), cases("rule_positions.txt"))
def test_notation_reads_as_its_canonical_form(rules: str, text: str, canonical: str, remark: str) -> None:
    game = Rules.parse(rules)
    assert str(Position(text, game)) == canonical, remark
    assert Position(text, game) == Position(canonical, game)


@pytest.mark.parametrize(("rules", "text", "message"), cases("bad_rule_positions.txt"))
def test_bad_notation_says_what_is_wrong(rules: str, text: str, message: str) -> None:
    with pytest.raises(PositionError) as wrong:
        Position(text, Rules.parse(rules))
    assert message in str(wrong.value)
    assert repr(text) in str(wrong.value)
