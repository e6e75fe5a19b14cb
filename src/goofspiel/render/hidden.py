"""Policies of games with hidden bids, for people and programs: answers, solves, responses."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from goofspiel.cards import card_name, counted, prize_name
from goofspiel.errors import GoofspielError
from goofspiel.hidden.answer import HiddenAnswer
from goofspiel.hidden.forecasts import HiddenForecast
from goofspiel.hidden.players import HiddenResponse
from goofspiel.hidden.policy import HiddenPolicy, policy_bytes, read_header
from goofspiel.render.numbers import by_name, signed
from goofspiel.render.rules import variations
from goofspiel.rules import Rules
from goofspiel.solver.plan import size_text
from goofspiel.store import is_being_solved
from goofspiel.store.paths import list_policies, policy_path

LIKELY = 8  # hands of the other that a text names
SHOWN = 5e-5  # what rounds to nothing is not shown


def hand_name(hand: tuple[int, ...]) -> str:
    """A hand as positions write it."""
    return "".join(map(card_name, hand))


def hidden_json(answer: HiddenAnswer) -> dict[str, Any]:
    """One object, cards in notation, numbers in full precision."""
    return {
        "information_set": str(answer.information_set),
        "rules": str(answer.rules),
        "value": answer.value,
        "mix": by_name(answer.mix),
        "values": by_name(answer.values),
        "belief": {hand_name(hand): chance for hand, chance in answer.belief.items()},
        "holds": by_name(answer.holds),
        "gap": answer.gap,
    }


def hidden_text(answer: HiddenAnswer) -> str:
    """For a reader."""
    asked = answer.information_set
    lines = [
        f"information set  {asked}",
        f"my hand          {hand_name(asked.hand)}, lead {asked.lead:+}" + f", pot {asked.pot}" * bool(asked.pot),
    ]
    if answer.value is None:
        lines.append("value            unknown: the other never comes here by the policy")
    else:
        lines.append(f"value            {signed(answer.value, 6)} {answer.rules.objective.unit}")
    lines += [
        f"gap              {answer.gap:.1e} (of the whole policy)",
        "",
        "bid      chance" + "       value" * bool(answer.values),
    ]
    for card, chance in answer.mix.items():
        value = f"  {signed(answer.values[card], 6):>10}" if answer.values else ""
        lines.append(f"{card_name(card):>3}  {chance:10.6f}{value}")
    if answer.belief:
        likely = sorted(answer.belief.items(), key=lambda item: (-item[1], item[0]))
        shown = [(hand, chance) for hand, chance in likely[:LIKELY] if chance >= SHOWN]
        lines += ["", "their hand"] + [f"{hand_name(hand):>10}  {chance:8.4f}" for hand, chance in shown]
        rest = len(likely) - len(shown)
        lines += [f"{'':>10}  and {rest} others"] if rest else []
    return "\n".join(lines)


def policy_json(policy: HiddenPolicy) -> dict[str, Any]:
    """A solved policy."""
    header, sets = policy.header, policy.sets
    return {
        "policy": str(policy.path),
        "rules": str(policy.rules),
        "cards": policy.rules.cards,
        "objective": str(policy.rules.objective),
        "method": header.method,
        "iterations": header.iterations,
        "gap": header.gap,
        "information_sets": sets.count,
        "sequences": sets.sequences,
    }


def hidden_forecast_json(path: Path, state: str, expected: HiddenForecast) -> dict[str, Any]:
    """What a solve will take, and what is there."""
    facts = {name: getattr(expected, name) for name in HiddenForecast.__slots__}
    game = {"cards": expected.rules.cards, "objective": str(expected.rules.objective)}
    method = "LP" if expected.by_program else "DCFR"
    return {"policy": str(path), **facts, "rules": str(expected.rules), **game, "state": state, "method": method}


def hidden_forecast_text(path: Path, state: str, expected: HiddenForecast) -> str:
    """The same for a reader."""
    said = {"missing": "nothing yet", "begun": "begun, --resume goes on", "complete": "complete"}[state]
    return f"policy   {path}\nstate    {said}\n{expected.to_text()}"


def policies_json(store: Path, rules_wanted: Any) -> list[dict[str, Any]]:
    """The policies in a store."""
    return [_policy_facts(policy_path(store, rules), rules) for rules in list_policies(store) if rules_wanted(rules)]


def _policy_facts(path: Path, rules: Rules) -> dict[str, Any]:
    found: dict[str, Any] = {"rules": str(rules), "cards": rules.cards, "objective": str(rules.objective)}
    found |= {"path": str(path)}
    try:
        header = read_header(path, rules)
    except GoofspielError as error:
        return found | {"error": str(error)}
    facts = {name: getattr(header, name) for name in ("solver", "method", "iterations", "gap", "complete")}
    return found | facts | {"being_solved": is_being_solved(path), "bytes": policy_bytes(path)}


def policies_text(policies: list[dict[str, Any]]) -> Iterator[str]:
    """The same for a reader, lines."""
    for one in policies:
        yield ""
        yield f"policy {one['rules']}"
        if "error" in one:
            yield f"  {one['error']}"
            continue
        state = "complete" if one["complete"] else "partly solved"
        state += ", being solved now" * one["being_solved"]
        by = f"{one['method']}" + f", {one['iterations']:,} iterations" * bool(one["iterations"])
        yield f"  {state}; {size_text(one['bytes'])}, by {by}, made by goofspiel {one['solver']}"
        if one["complete"]:
            yield f"  best replies to both sides gain {one['gap']:.1e} in all: the gap, over all information sets"


def policy_check_text(path: Path, checked: dict[str, Any]) -> str:
    """What `verify` found, for a reader."""
    return "\n".join(
        [
            f"{path}",
            f"  gap {checked['gap_found']:.3e} over all information sets, recorded {checked['gap']:.3e}",
            "  passed" if checked["passed"] else "  FAILED",
        ]
    )


def hidden_response_json(response: HiddenResponse) -> dict[str, Any]:
    """The best that can be done against a player."""
    return {
        "player": response.player,
        "rules": str(response.rules),
        "cards": response.rules.cards,
        "objective": str(response.rules.objective),
        "value": response.value,
        "exploitability": response.value,
        "nash_conv": 2 * response.value,
        "first_move": {
            prize_name(prize): {"bid": card_name(bid), "mix": by_name(mix)}
            for prize, bid, mix in _first_moves(response)
        },
    }


def hidden_response_text(response: HiddenResponse) -> str:
    """For a reader."""
    rules = response.rules
    lines = [
        "player          " + ", ".join([response.player, counted(rules.cards, "card"), *variations(rules)]),
        f"best response   {signed(response.value, 6)} {rules.objective.unit}",
        f"exploitability  {response.value:.6f}" if response.value >= 1e-6 else f"exploitability  {response.value:.1e}",
        "",
        "upcard  best bid  the player's mix",
    ]
    for prize, bid, mix in _first_moves(response):
        shown = "  ".join(f"{card_name(card)} {chance:.4f}" for card, chance in mix.items() if chance >= SHOWN)
        lines.append(f"{prize_name(prize):>6}  {card_name(bid):>8}  {shown}")
    return "\n".join(lines)


def _first_moves(response: HiddenResponse) -> Iterator[tuple[int, int, Mapping[int, float]]]:
    first = response.game.sets.depths[0]
    width = first.actions
    for number, prize in enumerate(first.prizes[:, 0].tolist()):
        cells = slice(number * width, (number + 1) * width)
        mix = dict(enumerate(response.their_mixes[cells].tolist(), start=1))
        yield prize, int(np.argmax(response.mixes[cells])) + 1, mix
