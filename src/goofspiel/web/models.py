"""The shapes of answers, for describing and for checking them."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from goofspiel.rules import Objective

CardName = Annotated[str, StringConstraints(pattern=r"^([A2-9TJQK]|\[1[456]\])$")]
PrizeName = Annotated[str, StringConstraints(pattern=r"^([A2-9TJQK]|\[[1-9][0-9]{1,2}\])$")]
Probability = Annotated[float, Field(ge=0, le=1)]
ByCard = dict[CardName, float]
Mix = dict[CardName, Probability]


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
                    "rules": "5",
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
    rules: str = Field(description="The game whose table was asked.")
    objective: Objective
    value: float = Field(description="What the position is worth to me when both play optimally.")
    cards: int = Field(description="Its number of cards.")
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
    rules: str = Field(description="The game whose table was asked.")
    objective: Objective
    value: float
    cards: int = Field(description="Its number of cards.")
    occurs: bool = Field(description="Whether a game of so many cards comes to the position.")
    outcomes: Outcomes | None = Field(None, description="Only for win; null where they are not worked out.")
    upcards: dict[PrizeName, float] = Field(description="The value once a prize is turned up.")
    bound: float = Field(ge=0, description="Each of these values is within this of the true one.")


class Failed(BaseModel):
    """Why a position of a batch has no answer."""

    model_config = ConfigDict(extra="forbid")

    error: str


class Answers(BaseModel):
    """Answers, in the order of the positions."""

    answers: list[Answer | ChanceAnswer | Failed]


class FirstMove(BaseModel):
    """The first-move table: `probability[bid − 1][upcard]`, upcards by their place in the list of them."""

    rules: str
    cards: int
    objective: Objective
    upcards: list[int] = Field(description="The prizes that may come first, ascending; in a known order one.")
    probability: list[list[Probability]]
    unique: list[bool | None] = Field(
        description="By upcard: whether there is no other optimal mix; null: the table cannot tell."
    )
    gap: float


class ReviewedRound(BaseModel):
    """A round: its value moves by the draw, by what my bid is worth against how they bid, and by chance."""

    round: int
    position: str
    upcard: PrizeName
    pot: int = Field(ge=0, description="Prizes of tied rounds that the winner takes besides.")
    mine: CardName | None
    theirs: CardName | None
    value_before: float
    draw_luck: float
    value: float
    gain: float = Field(description="What my bid is worth on average against how they bid, beyond the value.")
    chance: float
    value_after: float
    cost: float = Field(description="What my bid would have cost against perfect play.")
    their_cost: float
    mix: Mix
    their_mix: Mix
    their_play: Mix = Field(description="The mix that they bid by, known or estimated.")
    probability: Probability | None
    regret: ByCard
    best: list[CardName]
    gap: float


class Side(BaseModel):
    """How one side bids: a known player, or an estimate, how often as which player."""

    player: str | None
    estimate: dict[str, float] | None


class Review(BaseModel):
    """A game, round by round."""

    side: Literal["mine", "theirs"]
    record: str
    rules: str
    cards: int
    objective: Objective
    began: str | None = Field(alias="from", description="The position that it began at; none: from the deal.")
    start: float = Field(description="The value of the position that it began at.")
    tags: dict[str, str]
    mine: Side
    theirs: Side
    rounds: list[ReviewedRound]
    draw_luck: float
    gain: float
    chance: float
    value: float
    result: float | None
    cost: float
    their_cost: float
    worst: int | None
    won_after: int | None = Field(description="The round after which it was certain who wins.")
    settled_after: int | None = Field(description="The round after which nothing could change the result.")
    words: list[str] = Field(description="What it comes to, in sentences.")


class Bid(BaseModel):
    """The card that the player bids."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"bid": "4"}]})

    bid: CardName


class Deck(BaseModel):
    """The order in which the prizes are turned up."""

    upcards: list[PrizeName]


class Table(BaseModel):
    """A table that can be asked."""

    rules: str
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
    cost: str | None = Field(None, description="Of a missing table: time, disk and memory that it takes.")
    rules: str | None = Field(None, description="Of a missing table.")
    cards: int | None = Field(None, description="Of a missing table.")
    objective: Objective | None = Field(None, description="Of a missing table.")
