"""Best responses for people and programs: text, json."""

from collections.abc import Mapping
from typing import Any

from goofspiel.best_response.local import LocalResponse
from goofspiel.best_response.response import Response
from goofspiel.cards import card_name, counted, prize_name
from goofspiel.players.players import Player
from goofspiel.players.tabulated import TabulatedPlayer
from goofspiel.render.numbers import by_name, signed
from goofspiel.render.rules import variations

SHOWN_CARDS = 4  # of a mix, in a line of text
ROUNDING = 1e-6  # an exploitability below this is written with its power of ten


def response_json(response: Response, *, held_out: float | None = None) -> dict[str, Any]:
    """One object, cards in notation, numbers in full precision; `held_out` is of a player that was sampled."""
    player = response.player
    asked = {}
    if isinstance(player, TabulatedPlayer):
        asked = {"positions": player.count, "samples": player.samples, "held_out": held_out}
    return {
        "player": response.player.name,
        "rules": str(response.rules),
        "cards": response.cards,
        "objective": str(response.objective),
        "value": response.value,
        "exploitability": response.exploitability,
        # Both sides of a symmetric game can gain the same.
        "nash_conv": 2 * response.exploitability,
        **asked,
        "first_move": {
            prize_name(move.upcard): {
                "bid": card_name(move.bid),
                "value": move.value,
                "mix": by_name(move.mix),
            }
            for move in response.first_moves()
        },
    }


def response_text(response: Response, *, held_out: float | None = None) -> str:
    """For a reader."""
    unit = response.objective.unit
    lost = response.exploitability
    lines = [
        "player          "
        + ", ".join([response.player.name, counted(response.cards, "card"), *variations(response.rules)]),
        f"best response   {signed(response.value, 6)} {unit}",
        f"exploitability  {lost:.6f}" if abs(lost) >= ROUNDING else f"exploitability  {abs(lost):.1e}",
        *_asked(response.player, held_out),
        "",
        "upcard  best bid       gains  the player's mix",
    ]
    for move in response.first_moves():
        bid = f"{prize_name(move.upcard):>6}  {card_name(move.bid):>8}  {signed(move.value, 6):>10}"
        lines.append(f"{bid}  {_short(move.mix)}")
    return "\n".join(lines)


def _asked(player: Player, held_out: float | None) -> list[str]:
    """How a policy was asked, and what follows of it for a player that was sampled."""
    if not isinstance(player, TabulatedPlayer):
        return []
    times = "once each" if player.samples == 1 else f"{player.samples:,} times each"
    lines = [f"asked           {counted(player.count, 'position')} that it can come to, {times}"]
    if player.samples > 1:
        lines.append("                this is of the shares of its answers: in the mean no less than its own")
    if held_out is not None:
        lines.append(f"held out        {held_out:.6f}: a response to half of its answers, tried on the others;")
        lines.append("                in the mean no more than its own exploitability")
    return lines


def local_json(found: LocalResponse) -> dict[str, Any]:
    """One object, numbers in full precision."""
    gain = {name: getattr(found.gain, name) for name in ("mean", "low", "high", "variance")}
    names = ("games", "horizon", "samples", "seed", "questions", "bound")
    return {
        "player": found.player,
        "rules": str(found.rules),
        "cards": found.rules.cards,
        "objective": str(found.rules.objective),
        "gain": gain,
        "at_least": found.at_least,
        **{name: getattr(found, name) for name in names},
    }


def local_text(found: LocalResponse) -> str:
    """For a reader."""
    half, rounds = (found.gain.high - found.gain.low) / 2, counted(found.horizon, "round")
    lines = [
        "player          " + ", ".join([found.player, counted(found.rules.cards, "card"), *variations(found.rules)]),
        f"local response  {signed(found.gain.mean, 4)} ± {half:.4f} {found.rules.objective.unit} a game, "
        f"{counted(found.games, 'game')}, seed {found.seed}",
        f"                it looks {rounds} ahead, then takes exact values; {found.questions:,} questions",
        f"exploitability  at least {found.at_least:.4f}, with 97.5 % confidence",
    ]
    return "\n".join(lines)


def _short(mix: Mapping[int, float]) -> str:
    """The most likely cards, ascending."""
    likely = sorted((card for card in mix if mix[card]), key=lambda card: -mix[card])[:SHOWN_CARDS]
    shown = "  ".join(f"{card_name(card)} {mix[card]:.4f}" for card in sorted(likely))
    return shown + "  …" * (sum(probability > 0 for probability in mix.values()) > SHOWN_CARDS)
