"""The notation of positions: read, written, and checked against the rules of a game."""

import re
from collections import Counter
from functools import lru_cache
from typing import TypeAlias

from goofspiel.cards import CARD_NAMES, MAX_CARDS, MAX_PRIZE, card_name, cards_of, counted, prize_name, read_prize
from goofspiel.errors import PositionError, RulesError
from goofspiel.grammar import quoted
from goofspiel.rules import Rules, check_cards

MAX_LEAD = MAX_CARDS * (MAX_CARDS + 1) // 2  # all the prizes of the largest game
LARGEST_LEAD = MAX_CARDS * MAX_PRIZE  # the same, whatever the prizes are

Prizes: TypeAlias = tuple[int, ...]
Fields: TypeAlias = tuple[int, int, Prizes, int, int, int]  # mine, theirs, deck, upcard, lead, pot

HANDS = ("my hand", "their hand")
DECK = "the deck"

BITS = {card: 1 << card - 1 for card in range(1, MAX_CARDS + 1)}
_INTEGER = re.compile(r"[+-]?[0-9]{1,9}")  # bounded: int refuses, slowly, what is thousands of digits long


def opening(rules: Rules) -> Fields:
    """The beginning of a game."""
    everything = (1 << rules.cards) - 1
    return everything, everything, rules.order or rules.prizes, 0, 0, 0


def arranged(deck: Prizes, rules: Rules | None) -> Prizes:
    """The deck ascending, or as it comes; one that is not the end of a known order is left as it is."""
    if rules is None or rules.order is None:
        return tuple(sorted(deck))
    comes = rules.order[len(rules.order) - len(deck) :]
    return comes if sorted(comes) == sorted(deck) else deck


def most_of(rules: Rules | None) -> tuple[int, int]:
    """The largest prize and the largest lead that positions may have."""
    return (MAX_CARDS, MAX_LEAD) if rules is None or rules.nests else (MAX_PRIZE, LARGEST_LEAD)


def check_range(fields: Fields, rules: Rules | None = None) -> None:
    """Refuse numbers that cannot be written in the notation."""
    (_, _, deck, upcard, lead, pot), (largest, most) = fields, most_of(rules)
    for prize in deck:
        if not 1 <= prize <= largest:
            raise PositionError(f"a prize must be 1 to {largest}, not {prize}")
    if not 0 <= upcard <= largest:
        raise PositionError(f"upcard must be 1 to {largest}, or 0 for none, not {upcard}")
    if abs(lead) > most:
        raise PositionError(f"lead must be an integer from -{most} to {most}, not {lead}")
    if not 0 <= pot <= most:
        raise PositionError(f"pot must be an integer from 0 to {most}, not {pot}")


def check_fields(fields: Fields, source: str | None = None, rules: Rules | None = None) -> None:
    """Refuse a position that cannot occur, quoting its source, by default its notation."""
    mine, theirs, deck, upcard, *_ = fields
    hand, other, prizes = mine.bit_count(), theirs.bit_count(), len(deck) + (upcard > 0)
    wanted = hand if rules is None else rules.prizes_left(hand)
    if hand != other:
        wrong = f"hands of different sizes ({hand} and {other})"
    elif upcard and upcard in deck and (rules is None or rules.nests):
        wrong = f"upcard {prize_name(upcard)} is also in the deck"
    elif prizes != wanted:
        held = f"each hand holds {counted(hand, 'card')}"
        wrong = f"deck and upcard hold {counted(prizes, 'prize')} but {held}"
        if rules is not None and wanted != hand:
            wrong += f", with which {str(rules)!r} has {counted(wanted, 'prize')} left"
    elif rules is not None and (mistake := _against(rules, fields)):
        wrong = mistake
    else:
        return
    raise PositionError(f"{wrong}: {source or repr(write(fields))}")


def _against(rules: Rules, fields: Fields) -> str:
    """What the rules have against a position; nothing, when it may be asked for."""
    mine, theirs, deck, upcard, _, pot = fields
    shown = (upcard,) if upcard else ()
    level = mine.bit_count()
    if not rules.nests:
        if level < rules.last_level or (upcard and rules.is_over(level)):
            return (
                f"a game of {counted(rules.rounds, 'round')} is over with {counted(rules.last_level, 'card')} in a hand"
            )
        if (mine | theirs).bit_length() > rules.cards:
            return f"a game of {counted(rules.cards, 'card')} has no card {card_name((mine | theirs).bit_length())}"
        if rules.order is not None:
            comes = rules.order[rules.cards - level :]
            if (*shown, *deck) != comes:
                known = "".join(map(prize_name, comes)) or "none"
                return f"with {counted(level, 'card')} in a hand the prizes come in the order {known}"
        elif too_many := Counter((*shown, *deck)) - Counter(rules.prizes):
            listed = "".join(map(prize_name, rules.prizes))
            return f"prize {prize_name(min(too_many))} is not left: the prizes are {listed}"
    if pot and not rules.has_pots:
        return f"there is no pot where ties are discarded, not one of {pot}"
    return ""


def write(fields: Fields) -> str:
    """The notation of a position."""
    *masks, deck, upcard, lead, pot = fields
    hands = "/".join(map(_write_hand, masks))
    left = _write_prizes(deck)
    written = f" {lead}" if lead or pot else ""
    return f"{hands}/{left} {prize_name(upcard) if upcard else '-'}{written}" + (f" {pot}" if pot else "")


@lru_cache(maxsize=1 << 13)
def _write_hand(mask: int) -> str:
    return "".join(map(card_name, cards_of(mask))) or "-"


@lru_cache(maxsize=1 << 13)
def _write_prizes(deck: Prizes) -> str:
    return "".join(map(prize_name, deck)) or "-"


def read(notation: str, rules: Rules | None) -> Fields:
    """The fields of a position; an error quotes the text."""
    source = quoted(notation)
    words = [word for word in notation.strip().replace("_", " ").split(" ") if word]
    if words and words[0].lower() == "start":
        return _read_start(words[1:], source, rules)
    if not 1 <= len(words) <= 4:
        raise PositionError(f"a position is mine/theirs/deck upcard [lead [pot]]: {source}")
    hands = words[0].split("/", 3)
    if len(hands) != 3:
        raise PositionError(f"a position starts with mine/theirs/deck: {source}")
    if len(words) == 1:
        raise PositionError(f"upcard missing, write - when it is still to be drawn: {source}")
    mine, theirs, prizes = map(_known, hands)
    if mine is None:
        mine = _read_hand(hands[0], HANDS[0], source)
    if theirs is None:
        theirs = _read_hand(hands[1], HANDS[1], source)
    usual = prizes is not None and (rules is None or rules.nests)
    deck = cards_of(prizes) if prizes is not None and usual else _read_deck(hands[2], source, rules)
    upcard = _read_upcard(words[1], source, rules)
    lead = _read_lead(words[2], source, rules) if len(words) >= 3 else 0
    pot = _read_pot(words[3], source, rules) if len(words) == 4 else 0
    check_fields(fields := (mine, theirs, deck, upcard, lead, pot), source, rules)
    return fields


def _read_start(words: list[str], source: str, rules: Rules | None) -> Fields:
    if not 1 <= len(words) <= 2:
        raise PositionError(f"start takes a number of cards and perhaps an upcard: {source}")
    if not _INTEGER.fullmatch(words[0]):
        raise PositionError(f"number of cards must be 1 to {MAX_CARDS}, not {quoted(words[0])}: {source}")
    try:
        cards = check_cards(int(words[0]))
        game = Rules(cards) if rules is None else rules.with_cards(cards)
    except RulesError as error:
        raise PositionError(f"{error}: {source}") from None
    mine, theirs, deck, *_ = opening(game)
    upcard = _read_upcard(words[1], source, game) if len(words) == 2 else 0
    if upcard:
        if upcard not in deck:
            among = f"cards 1 to {cards}" if game.nests else f"prizes {','.join(map(str, game.prizes))}"
            raise PositionError(f"upcard {prize_name(upcard)} is not among the {among}: {source}")
        deck = without(deck, upcard)
    check_fields(fields := (mine, theirs, deck, upcard, 0, 0), source, game)
    return fields


def without(deck: Prizes, prize: int) -> Prizes:
    """A deck after one of its prizes is turned up."""
    at = deck.index(prize)
    return deck[:at] + deck[at + 1 :]


@lru_cache(maxsize=1 << 14)
def _known(text: str) -> int | None:
    """The cards of a text, which are often asked for; None where something is wrong with them, to be said elsewhere."""
    try:
        return _read_hand(text, "", "")
    except PositionError:
        return None


def _read_hand(text: str, name: str, source: str) -> int:
    if text == "-":
        return 0
    if not text:
        raise PositionError(f"{name} is missing, write - when it is empty: {source}")
    mask = at = 0
    while at < len(text):
        card, at = read_card(text, at, source)
        if mask & BITS[card]:
            raise PositionError(f"card {card_name(card)} repeated in {name}: {source}")
        mask |= BITS[card]
    return mask


def _read_deck(text: str, source: str, rules: Rules | None) -> Prizes:
    if text == "-":
        return ()
    if not text:
        raise PositionError(f"{DECK} is missing, write - when it is empty: {source}")
    found: list[int] = []
    at = 0
    while at < len(text) and len(found) <= MAX_CARDS:
        prize, at = _read_prize(text, at, source, rules)
        if prize in found and (rules is None or rules.nests):
            raise PositionError(f"card {prize_name(prize)} repeated in {DECK}: {source}")
        found.append(prize)
    return tuple(found) if rules is not None and rules.order is not None else tuple(sorted(found))


def read_card(text: str, at: int, source: str) -> tuple[int, int]:
    """The card that starts here in a text, and where the next one would; an error quotes the source."""
    # Four characters hold the longest card; looking no further for the bracket keeps reading linear.
    end = text.find("]", at, at + 4) + 1 if text[at] == "[" else at + 1
    word = text[at:end] if end else text[at : at + 4]
    if word not in CARD_NAMES:
        raise PositionError(f"unknown card {word!r} in {source}")
    return CARD_NAMES[word], end


def _read_prize(text: str, at: int, source: str, rules: Rules | None) -> tuple[int, int]:
    """The same for a prize, which other rules may make worth more than any card."""
    if rules is None or rules.nests:
        return read_card(text, at, source)
    end = text.find("]", at, at + 5) + 1 if text[at] == "[" else at + 1
    word = text[at:end] if end else text[at : at + 5]
    prize = read_prize(word)
    if not prize:
        raise PositionError(f"unknown card {word!r} in {source}")
    return prize, end


def _read_upcard(text: str, source: str, rules: Rules | None) -> int:
    if text == "-":
        return 0
    card, end = _read_prize(text, 0, source, rules)
    if end < len(text):
        raise PositionError(f"upcard must be one card or -, not {quoted(text)}: {source}")
    return card


def _read_lead(text: str, source: str, rules: Rules | None) -> int:
    _, most = most_of(rules)
    if _INTEGER.fullmatch(text) and abs(lead := int(text)) <= most:
        return lead
    raise PositionError(f"lead must be an integer from -{most} to {most}, not {quoted(text)}: {source}")


def _read_pot(text: str, source: str, rules: Rules | None) -> int:
    _, most = most_of(rules)
    if _INTEGER.fullmatch(text) and 0 <= (pot := int(text)) <= most:
        return pot
    raise PositionError(f"pot must be an integer from 0 to {most}, not {quoted(text)}: {source}")


def named(card: int) -> str:
    """A card as errors call it."""
    known = isinstance(card, int) and 1 <= card <= MAX_PRIZE
    return f"card {prize_name(card)}" if known else f"card {card!r}"
