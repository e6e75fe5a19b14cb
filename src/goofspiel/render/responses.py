"""Best responses for people and programs: text, json."""

from collections.abc import Mapping
from typing import Any

from goofspiel.best_response.response import Response
from goofspiel.cards import card_name, prize_name
from goofspiel.render.numbers import by_name, counted, signed
from goofspiel.render.rules import variations

SHOWN_CARDS = 4  # of a mix, in a line of text
ROUNDING = 1e-6  # an exploitability below this is written with its power of ten


def response_json(response: Response) -> dict[str, Any]:
    """One object, cards in notation, numbers in full precision."""
    return {
        "player": response.player.name,
        "rules": str(response.rules),
        "cards": response.cards,
        "objective": str(response.objective),
        "value": response.value,
        "exploitability": response.exploitability,
        # Both sides of a symmetric game can gain the same.
        "nash_conv": 2 * response.exploitability,
        "first_move": {
            prize_name(move.upcard): {
                "bid": card_name(move.bid),
                "value": move.value,
                "mix": by_name(move.mix),
            }
            for move in response.first_moves()
        },
    }


def response_text(response: Response) -> str:
    """For a reader."""
    unit = response.objective.unit
    lost = response.exploitability
    lines = [
        "player          "
        + ", ".join([response.player.name, counted(response.cards, "card"), *variations(response.rules)]),
        f"best response   {signed(response.value, 6)} {unit}",
        f"exploitability  {lost:.6f}" if abs(lost) >= ROUNDING else f"exploitability  {abs(lost):.1e}",
        "",
        "upcard  best bid       gains  the player's mix",
    ]
    for move in response.first_moves():
        bid = f"{prize_name(move.upcard):>6}  {card_name(move.bid):>8}  {signed(move.value, 6):>10}"
        lines.append(f"{bid}  {_short(move.mix)}")
    return "\n".join(lines)


def _short(mix: Mapping[int, float]) -> str:
    """The most likely cards, ascending."""
    likely = sorted((card for card in mix if mix[card]), key=lambda card: -mix[card])[:SHOWN_CARDS]
    shown = "  ".join(f"{card_name(card)} {mix[card]:.4f}" for card in sorted(likely))
    return shown + "  …" * (sum(probability > 0 for probability in mix.values()) > SHOWN_CARDS)
