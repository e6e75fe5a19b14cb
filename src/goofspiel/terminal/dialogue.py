"""What the person says, by a key or by a line, and what becomes of the game."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from goofspiel.cards import CARD_NAMES, MAX_CARDS, card_name, counted, prize_name
from goofspiel.errors import GoofspielError
from goofspiel.matches.session import Session
from goofspiel.records.record import GameRecord
from goofspiel.tablebase.answer import Answer

if TYPE_CHECKING:
    from goofspiel.tablebase import Tablebase

QUEEN = 12
HIGHEST_NAMED = 13  # the cards above have no letter in a pack: the alphabet goes on after K
BEYOND = {"l": 14, "m": 15, "n": 16}

Wish: TypeAlias = int | Literal["hint", "undo", "help", "quit"]

_WISHES: dict[str, Wish] = {"h": "hint", "u": "undo", "?": "help", "x": "quit", "q": "quit"}
_WISHES |= {"hint": "hint", "undo": "undo", "help": "help", "exit": "quit", "quit": "quit", "\x04": "quit"}


def understood(word: str, cards: int) -> Wish | None:
    """The card or the wish that a key, or a line, stands for; None when it is neither."""
    said = word.strip().lower()
    if said == "q" and cards >= QUEEN:
        return QUEEN
    named = CARD_NAMES | BEYOND | {"0": 10} | {str(card): card for card in range(1, MAX_CARDS + 1)}
    return _WISHES.get(said) or named.get(said)


def label(card: int) -> str:
    """What is printed on a card, or on a prize."""
    return prize_name(card).strip("[]")


def key_of(card: int) -> str:
    """The key that bids a card."""
    return card_name(card) if card <= HIGHEST_NAMED else "LMN"[card - HIGHEST_NAMED - 1]


def quit_key(cards: int) -> str:
    """The key to quit with: in a game with a Queen, q bids her."""
    return "x" if cards >= QUEEN else "q"


@dataclass
class Dialogue:
    """A game in progress, and all that is to be shown of it."""

    session: Session
    save: Callable[[GameRecord], None]
    tablebase: Callable[[], "Tablebase"]  # called when a hint is first needed
    may_undo: bool = False
    always_hint: bool = False
    reply: str = ""  # to the last word, when it did not lead to a new round
    hint: Answer[float] | None = None
    helping: bool = False
    leaving: bool = False
    unsaved: str = ""  # why the game could not be written

    def __post_init__(self) -> None:
        self._new_round(self.session)

    @property
    def cards(self) -> int:
        """Of the game."""
        return self.session.cards

    @property
    def is_over(self) -> bool:
        """Whether there is nothing left to say."""
        return self.leaving or self.session.is_over

    def say(self, word: str) -> None:
        """Take a key or a line."""
        self.reply = ""
        if self.helping:
            self.helping = False  # any key goes back to the game
            return
        wish = understood(word, self.cards)
        if isinstance(wish, int):
            self._bid(wish)
        elif wish == "hint":
            self._ask()
        elif wish == "undo":
            self._undo()
        elif wish == "help":
            self.helping = True
        elif wish == "quit":
            self.leaving = True
        elif word.strip():
            self.reply = f"{word.strip()!r} is no card: press ? for help."

    def _bid(self, card: int) -> None:
        if card > self.cards:
            self.reply = f"There is no {label(card)} in a game of {counted(self.cards, 'card')}."
        elif card not in self.session.position.my_cards:
            self.reply = f"You no longer hold the {label(card)}."
            if card == QUEEN:
                self.reply += " To quit, press x."
        else:
            self._new_round(self.session.bid(card))

    def _undo(self) -> None:
        if not self.may_undo:
            self.reply = "A bid cannot be taken back, unless the game is started with --undo."
        elif not self.session.played:
            self.reply = "There is no round to take back."
        else:
            self._new_round(self.session.undo())

    def _ask(self) -> None:
        try:
            self.hint, asked = self.session.hint(self.tablebase())
        except GoofspielError as error:
            self.reply = f"No hint: {error}"
            return
        if asked is not self.session:
            self._keep(asked)

    def _new_round(self, session: Session) -> None:
        self.hint = None
        self._keep(session)
        if self.always_hint and not session.is_over:
            self._ask()

    def _keep(self, session: Session) -> None:
        """Write the game down before anything of it is shown."""
        try:
            self.save(session.record)
            self.unsaved = ""
        except OSError as error:
            self.unsaved = error.strerror or str(error)
        self.session = session
