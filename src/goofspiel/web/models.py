"""The shapes of requests and answers, for checking the first and describing both."""

import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints
from pydantic_core import PydanticCustomError

from goofspiel.cards import MAX_CARDS
from goofspiel.rules import Objective, Rules
from goofspiel.web.limits import (
    LONGEST_POSITION,
    LONGEST_RECORD,
    MOST_POSITIONS,
    MOST_SEED,
    OUTCOMES,
    OUTCOMES_IN_BATCH,
    OUTCOMES_ON_REQUEST,
)
from goofspiel.web.service import PLAYERS

_WHOLE = re.compile("[0-9]{1,16}")


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


CardName = Annotated[str, StringConstraints(pattern=r"^([A2-9TJQK]|\[1[456]\])$")]
Probability = Annotated[float, Field(ge=0, le=1)]
ByCard = dict[CardName, float]
Mix = dict[CardName, Probability]

PositionText = Annotated[
    str,
    Field(
        max_length=LONGEST_POSITION,
        description="mine/theirs/deck upcard [lead]; a space may be written `_`. `start 9 K` is an opening.",
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
ObjectiveName = Annotated[Objective, Field(description="What is maximised: expected points, or P(win) − P(loss).")]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Nothing(_Strict):
    """No parameters."""


class ProbeQuery(_Strict):
    """A position to ask about."""

    position: PositionText
    objective: ObjectiveName = Objective.POINTS
    cards: CardCount | None = Field(None, description="The table to ask; by default the smallest that can answer.")
    outcomes: bool = Field(
        False,
        description=f"For win: P(win), P(draw), P(loss) with up to {OUTCOMES_ON_REQUEST} cards in a hand, "
        f"which takes up to a second, and not only up to {OUTCOMES}.",
    )


class ProbeMany(_Strict):
    """Positions to ask about."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"positions": ["24/A3/4 5", "24/A3/45 -"], "objective": "points"}]},
    )

    positions: list[PositionText] = Field(
        description=f"No more than {MOST_POSITIONS}. Outcomes are worked out with up to {OUTCOMES_IN_BATCH} cards in "
        "a hand.",
    )
    objective: ObjectiveName = Objective.POINTS
    cards: CardCount | None = Field(None, description="The table to ask; by default the smallest that can answer.")


class TableQuery(_Strict):
    """A game."""

    cards: CardCount
    objective: ObjectiveName = Objective.POINTS
    format: Literal["json", "csv"] = "json"


class ReviewQuery(_Strict):
    """A game that was played."""

    record: RecordText
    cards: CardCount | None = Field(None, description="Number of cards; needed unless the game is complete.")
    objective: ObjectiveName = Objective.POINTS
    side: Literal["mine", "theirs"] = "mine"


class BidQuery(_Strict):
    """A position as the player sees it: its own hand first."""

    position: PositionText
    seed: Seed
    player: Annotated[str, BeforeValidator(_plus), Field(max_length=40, json_schema_extra={"enum": list(PLAYERS)})] = (
        "optimal"
    )
    objective: ObjectiveName = Objective.POINTS
    cards: CardCount | None = Field(None, description="The table that `optimal` plays by.")


class DeckQuery(_Strict):
    """A game."""

    cards: CardCount
    seed: Seed


def rules_of(query: ProbeQuery | ProbeMany | TableQuery | ReviewQuery | BidQuery) -> Rules:
    """Which game it is; where the number of cards is not said, one like it."""
    return Rules(query.cards or 1, objective=query.objective)


class Outcomes(BaseModel):
    """How the game ends when both play to win."""

    win: Probability
    draw: Probability
    loss: Probability


class Answer(BaseModel):
    """What is optimal at a position with an upcard. Rows of the matrix are my cards, columns theirs, ascending."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "position": "24/A3/4 5",
                    "objective": "points",
                    "value": 4.555555555555555,
                    "cards": 5,
                    "occurs": True,
                    "mine": {"2": 0.4444444444444444, "4": 0.5555555555555556},
                    "theirs": {"A": 0.5555555555555556, "3": 0.4444444444444444},
                    "matrix": [[9.0, -1.0], [1.0, 9.0]],
                    "regret": {"2": 0.0, "4": 0.0},
                    "gap": 0.0,
                    "bound": 6.394884621840902e-14,
                    "unique": True,
                    "ranges": {
                        "2": [0.4444444444444444, 0.4444444444444444],
                        "4": [0.5555555555555556, 0.5555555555555556],
                    },
                    "interchangeable": [],
                }
            ]
        },
    )

    position: str
    objective: Objective
    value: float = Field(description="What the position is worth to me when both play optimally.")
    cards: int = Field(description="The game whose table was asked.")
    occurs: bool = Field(description="Whether a game of so many cards comes to the position.")
    outcomes: Outcomes | None = Field(None, description="Only for win; null where they are not worked out.")
    mine: Mix = Field(description="An optimal mix of mine.")
    theirs: Mix = Field(description="An optimal mix of theirs.")
    matrix: list[list[float]] = Field(description="What each pair of bids is worth to me.")
    regret: ByCard = Field(description="What each of my cards loses against an optimal opponent.")
    gap: float = Field(ge=0, description="The proof: what best replies to the two mixes could gain, added up.")
    bound: float = Field(ge=0, description="The value, and each payoff, is within this of the true one.")
    unique: bool | None = Field(
        description="Whether I have only one optimal mix, interchangeable cards apart; null: the table cannot tell."
    )
    ranges: dict[CardName, tuple[Probability, Probability]] = Field(
        description="The least and greatest probability of each card over all my optimal mixes; limits, where the "
        "table cannot tell."
    )
    interchangeable: list[list[CardName]] = Field(
        description="My cards that no card of theirs tells apart; the lowest stands for all."
    )


class ChanceAnswer(BaseModel):
    """What a position is worth before its upcard is drawn."""

    model_config = ConfigDict(extra="forbid")

    position: str
    objective: Objective
    value: float
    cards: int = Field(description="The game whose table was asked.")
    occurs: bool = Field(description="Whether a game of so many cards comes to the position.")
    outcomes: Outcomes | None = Field(None, description="Only for win; null where they are not worked out.")
    upcards: ByCard = Field(description="The value once a card is turned up.")
    bound: float = Field(ge=0, description="Each of these values is within this of the true one.")


class Failed(BaseModel):
    """Why a position of a batch has no answer."""

    model_config = ConfigDict(extra="forbid")

    error: str


class Answers(BaseModel):
    """Answers, in the order of the positions."""

    answers: list[Answer | ChanceAnswer | Failed]


class FirstMove(BaseModel):
    """The first-move table: `probability[bid − 1][upcard − 1]`."""

    cards: int
    objective: Objective
    probability: list[list[Probability]]
    unique: list[bool | None] = Field(
        description="By upcard: whether there is no other optimal mix; null: the table cannot tell."
    )
    gap: float


class ReviewedRound(BaseModel):
    """A round: its value moves by the draw, by what the bids cost, and by how they met."""

    round: int
    position: str
    upcard: CardName
    mine: CardName | None
    theirs: CardName | None
    value_before: float
    draw_luck: float
    value: float
    cost: float
    their_cost: float
    bid_luck: float
    value_after: float
    mix: Mix
    their_mix: Mix
    probability: Probability | None
    regret: ByCard
    best: list[CardName]
    gap: float


class Review(BaseModel):
    """A game, round by round."""

    side: Literal["mine", "theirs"]
    record: str
    cards: int
    objective: Objective
    tags: dict[str, str]
    rounds: list[ReviewedRound]
    draw_luck: float
    cost: float
    their_cost: float
    bid_luck: float
    value: float
    result: float | None
    worst: int | None


class Bid(BaseModel):
    """The card that the player bids."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"bid": "4"}]})

    bid: CardName


class Deck(BaseModel):
    """The order in which the prizes are turned up."""

    upcards: list[CardName]


class Table(BaseModel):
    """A table that can be asked."""

    objective: Objective
    cards: int
    complete: bool = Field(description="Solved; if not, it is solved when it is first asked.")
    keep: Literal["all", "last"] = Field(description="The levels that are kept; the last has the first moves only.")
    games: int = Field(description="The matrix games that were solved for it.")
    value_bound: float | None = Field(description="Every value is within this of the true one.")
    exploitability_bound: float | None = Field(description="Every mix loses no more than this to any opponent.")
    etag: str | None = Field(description="The tag of all answers from this table.")


class Tables(BaseModel):
    """What can be asked."""

    tables: list[Table]
    players: list[str] = Field(description="Who can be asked for a bid.")
    solved_on_first_use: int = Field(description="Games of up to this many cards are solved when first asked for.")


class Health(BaseModel):
    """The server is there."""

    status: Literal["ok"]
    version: str


class ProblemDetails(BaseModel):
    """What is wrong (RFC 9457)."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "type": "/api/v1/docs#position",
                    "title": "This position or record cannot be",
                    "status": 400,
                    "detail": "upcard 5 is also in the deck: 'A3/24/5 5'",
                }
            ]
        },
    )

    type: str
    title: str
    status: int
    detail: str = Field(description="One line: what is wrong, and what would be right.")
    command: str | None = Field(None, description="Of a missing table: what makes it.")
    cards: int | None = Field(None, description="Of a missing table.")
    objective: Objective | None = Field(None, description="Of a missing table.")
