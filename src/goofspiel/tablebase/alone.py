"""Answer a position without any table: all that can follow it is solved, in doubles or in fractions."""

from fractions import Fraction
from typing import Any, Literal, overload

from goofspiel import games
from goofspiel.batch import cards_needed
from goofspiel.cards import MAX_CARDS
from goofspiel.errors import ResourceError
from goofspiel.position import Position
from goofspiel.rules import Objective, Rules
from goofspiel.solver.endgame import MOST_CARDS, last_endgame
from goofspiel.solver.exact_rows import ExactEndgame
from goofspiel.tablebase.answer import Answer, ByCard, ChanceAnswer
from goofspiel.tablebase.base import answer_at, as_position, mean_of, next_upcards, payoffs_at
from goofspiel.tablebase.bounds import ANSWER_GAP, ROUNDING
from goofspiel.tablebase.exact import exact_values

MOST_EXACT = 5  # cards in a hand: fractions take seconds


@overload
def probe_alone(
    position: Position | str,
    rules: Rules | int | str | None = ...,
    *,
    objective: Objective | str | None = ...,
    exact: Literal[True] = ...,
) -> Answer[Fraction] | ChanceAnswer[Fraction]: ...


@overload
def probe_alone(
    position: Position | str,
    rules: Rules | int | str | None = ...,
    *,
    objective: Objective | str | None = ...,
    exact: Literal[False],
) -> Answer[float] | ChanceAnswer[float]: ...


def probe_alone(
    position: Position | str,
    rules: Rules | int | str | None = None,
    *,
    objective: Objective | str | None = None,
    exact: bool = True,
) -> Answer[Any] | ChanceAnswer[Any]:
    """The answer at a position without any table, whatever its cards, prizes and lead.

    - `rules`: which game; its number of cards makes no difference where prizes are those of the cards.
    - `objective`: what is maximised, if it is not that of the rules.
    - `exact`: in fractions, up to 5 cards in a hand; otherwise in doubles, up to 8.
    """
    like = Rules.of(rules or Rules(1), objective=objective)
    asked = as_position(position, like)
    if exact and not like.has_whole_ends:
        raise ResourceError(f"exact answers are for points and win, not {str(like.objective)!r}")
    most = MOST_EXACT if exact else MOST_CARDS
    if asked.level - like.last_level > most:
        raise ResourceError(
            f"{str(asked)!r} has {asked.level} cards in a hand: without a table, "
            f"{'exact ' * exact}answers are for up to {most}"
        )
    game = like.with_cards(min(cards_needed(asked, like), MAX_CARDS)) if like.nests else like
    return _exact_answer(asked, game) if exact else _answer(asked, game)


def _exact_answer(asked: Position, rules: Rules) -> Answer[Fraction] | ChanceAnswer[Fraction]:
    endgame = ExactEndgame.of(asked, rules)
    if asked.upcard:
        return answer_at(asked, rules, endgame.space, endgame)
    value, *shown = exact_values(asked, endgame.space, endgame)
    upcards = ByCard(dict(zip(next_upcards(asked, rules), shown, strict=True)))
    return ChanceAnswer(asked, rules, value, upcards, Fraction(0))


def _answer(asked: Position, rules: Rules) -> Answer[float] | ChanceAnswer[float]:
    upcards = next_upcards(asked, rules)
    endgame = last_endgame(asked, rules)
    if asked.upcard:
        return answer_at(asked, rules, endgame.space, endgame, error=endgame.error)
    values = [games.solve(payoffs_at(asked.turn_up(card), endgame.space, endgame)).value for card in upcards]
    value = float(mean_of(asked, upcards, values) if values else rules.at_the_end(asked.lead))
    bound = endgame.error + (ANSWER_GAP + ROUNDING) * (rules.payoff_bound + abs(asked.lead)) if values else 0.0
    return ChanceAnswer(asked, rules, value + 0.0, ByCard(dict(zip(upcards, values, strict=True))), bound)
