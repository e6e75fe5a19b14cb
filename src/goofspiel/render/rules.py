"""The rules of a game in words, for people."""

from goofspiel.cards import counted
from goofspiel.rules import Bids, Rules


def variations(rules: Rules) -> list[str]:
    """What is not as in the usual game, cards and objective apart."""
    said = rules.options()
    words = []
    if rules.has_pots:
        words.append("ties carried over")
    if "prizes" in said:
        words.append(f"prizes {said['prizes']}")
    if rules.order is not None:
        words.append("prizes in a known order" if "," in said["order"] else f"prizes {said['order']}")
    if "rounds" in said:
        words.append(counted(rules.rounds, "round"))
    if rules.bids is Bids.HIDDEN:
        words.append("bids hidden")
    return words


def described(rules: Rules) -> str:
    """A game: `9 cards for points, ties carried over`."""
    return ", ".join([f"{counted(rules.cards, 'card')} {rules.objective.goal}", *variations(rules)])
