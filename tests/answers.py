"""Answers by their kind, which the position decides: with an upcard, or before it is turned up."""

from goofspiel.tablebase.answer import Answer, ChanceAnswer, Number


def with_upcard(answer: Answer[Number] | ChanceAnswer[Number] | None) -> Answer[Number]:
    assert isinstance(answer, Answer)
    return answer


def before_upcard(answer: Answer[Number] | ChanceAnswer[Number] | None) -> ChanceAnswer[Number]:
    assert isinstance(answer, ChanceAnswer)
    return answer
