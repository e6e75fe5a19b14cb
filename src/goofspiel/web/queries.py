"""The shapes of requests: what is asked, and of which game."""

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from goofspiel.cards import MAX_CARDS
from goofspiel.errors import RulesError
from goofspiel.rules import GRAMMAR, Objective, Rules
from goofspiel.web.limits import (
    LONGEST_POSITION,
    LONGEST_RECORD,
    LONGEST_RULES,
    MOST_POSITIONS,
    MOST_SEED,
    OUTCOMES,
    OUTCOMES_IN_BATCH,
    OUTCOMES_ON_REQUEST,
)
from goofspiel.web.problems import ProblemError
from goofspiel.web.service import PLAYERS

_WHOLE = re.compile("[0-9]{1,16}")
RULES_PATTERN = (
    "^[1-9]([_ ](win|carry|order=ascending|order=descending))*$"  # of many; what else there is, is described
)


def whole_number(least: int, most: int) -> BeforeValidator:
    """Digits in a query, or a number in a body. Only these: pydantic accepts spaces, underscores, and true."""

    def convert(given: Any) -> Any:
        number = int(given) if isinstance(given, str) and _WHOLE.fullmatch(given) else given
        if isinstance(number, float) and number.is_integer():  # in json, 5.0 is a whole number
            number = int(number)
        if isinstance(number, bool) or not isinstance(number, int) or not least <= number <= most:
            raise PydanticCustomError("whole_number", f"must be {least} to {most}")
        return number

    return BeforeValidator(convert)


def _plus(given: Any) -> Any:
    """In a query, + is a space; a name of a player has none."""
    return given.replace(" ", "+") if isinstance(given, str) else given


PositionText = Annotated[
    str,
    Field(
        max_length=LONGEST_POSITION,
        description="mine/theirs/deck upcard [lead [pot]]; a space may be written `_`. `start 9 K` is an opening.",
        examples=["24/A3/4_5", "24/A3/4_5_-3", "start_9_7", "24/A3/45_-"],
    ),
]
RecordText = Annotated[
    str,
    Field(
        max_length=LONGEST_RECORD,
        description="One round a word, upcard, my bid, their bid: `2A3_332_A2A`. The last may be an upcard alone.",
        examples=["2A3_332_A2A", "K53_2AJ_7"],
    ),
]
CardCount = Annotated[
    int,
    Field(ge=1, le=MAX_CARDS, description="Number of cards of the game.", examples=[5]),
    whole_number(1, MAX_CARDS),
]
Seed = Annotated[
    int,
    Field(ge=0, le=MOST_SEED, description="The same seed, the same chance.", examples=[123]),
    whole_number(0, MOST_SEED),
]


def _named(objective: Objective) -> Objective:
    """One of those that have a name: of others there are no tables to serve."""
    if objective not in list(Objective):
        raise PydanticCustomError("objective", f"must be {' or '.join(Objective)}")
    return objective


ObjectiveName = Annotated[
    Objective,
    AfterValidator(_named),
    Field(description="What is maximised: expected points (default), or P(win) − P(loss)."),
]
RulesText = Annotated[
    str,
    Field(
        max_length=LONGEST_RULES,
        description=f"Which game it is, instead of `cards` and `objective`: `{GRAMMAR}`; a space may be written `_`.",
        examples=["5_carry", "5_win_order=descending", "3_prizes=1,1,2"],
        json_schema_extra={"pattern": RULES_PATTERN},
    ),
]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Nothing(_Strict):
    """No parameters."""


class _Game(_Strict):
    """Which game it is: all its rules in a text; or the usual one, by its number of cards and what is maximised."""

    cards: CardCount | None = None
    objective: ObjectiveName | None = None
    rules: RulesText | None = None


class _Asked(_Game):
    cards: CardCount | None = Field(None, description="The table to ask; by default the smallest that can answer.")


class ProbeQuery(_Asked):
    """A position to ask about."""

    position: PositionText
    outcomes: bool = Field(
        False,
        description=f"For win: P(win), P(draw), P(loss) with up to {OUTCOMES_ON_REQUEST} cards in a hand, "
        f"which takes up to a second, and not only up to {OUTCOMES}.",
    )


class ProbeMany(_Asked):
    """Positions to ask about."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"positions": ["24/A3/4 5", "24/A3/45 -"], "objective": "points"}]},
    )

    positions: list[PositionText] = Field(
        description=f"No more than {MOST_POSITIONS}. Outcomes are worked out with up to {OUTCOMES_IN_BATCH} cards in "
        "a hand.",
    )


class TableQuery(_Game):
    """A game."""

    format: Literal["json", "csv"] = "json"


class ReviewQuery(_Game):
    """A game that was played."""

    record: RecordText
    cards: CardCount | None = Field(None, description="Number of cards; needed unless the game is complete.")
    side: Literal["mine", "theirs"] = "mine"


class BidQuery(_Asked):
    """A position as the player sees it: its own hand first."""

    position: PositionText
    seed: Seed
    player: Annotated[str, BeforeValidator(_plus), Field(max_length=40, json_schema_extra={"enum": list(PLAYERS)})] = (
        "optimal"
    )


class DeckQuery(_Strict):
    """A game."""

    cards: CardCount | None = None
    rules: RulesText | None = None
    seed: Seed


def rules_of(query: _Game | DeckQuery, *, whole: bool = False) -> tuple[Rules, bool]:
    """Which game it is, and whether a table of any number of cards will do; of a `whole` game that must be said."""
    objective = getattr(query, "objective", None)
    if query.rules is None:
        if whole and query.cards is None:
            raise ProblemError("parameter", "cards: is missing; or rules, which say it")
        return Rules(query.cards or MAX_CARDS, objective=objective or Objective.POINTS), query.cards is None
    for name, value in (("cards", query.cards), ("objective", objective)):
        if value is not None:
            raise ProblemError("parameter", f"{name}: the rules say it, {query.rules[:LONGEST_RULES]!r}")
    try:
        return Rules.parse(query.rules), True
    except RulesError as error:
        said = str(error)
        raise ProblemError("rules", said if repr(query.rules) in said else f"{said}: {query.rules!r}") from None
