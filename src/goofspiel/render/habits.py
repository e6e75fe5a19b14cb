"""Habits for people and programs: text, json."""

from dataclasses import asdict
from math import isfinite
from textwrap import wrap
from typing import Any

from goofspiel.cards import card_name, counted, prize_name
from goofspiel.players.human import MixturePlayer
from goofspiel.players.modelling import in_words
from goofspiel.records.habits import NOTHING, WHOLE, Habit, Habits
from goofspiel.render.rules import described

WIDTH = 95


def habits_json(found: Habits) -> dict[str, Any]:
    """For programs; cards in notation."""
    return {
        "rules": str(found.rules),
        "games": found.games,
        "bids": found.bids,
        "regret": found.regret,
        "regret_error": found.regret_error if isfinite(found.regret_error) else None,
        "habits": [
            asdict(habit)
            | {"upcard": prize_name(habit.upcard) if habit.upcard else None}
            | {"card": card_name(habit.card) if habit.card else None, "words": sentence(habit, found)}
            for habit in found.found
        ],
    }


def habits_text(found: Habits, *, most: int = 10) -> str:
    """For people: what is sure first, the costliest first."""
    unit = found.rules.objective.unit
    digits = found.rules.objective.decimals
    lines = [f"{counted(found.games, 'game')} of {described(found.rules)}, {counted(found.bids, 'bid')} that mattered."]
    error = f" ± {found.regret_error:.{digits}f}" if isfinite(found.regret_error) else ""
    lines += [f"Against perfect play your bids cost {found.regret:.{digits}f}{error} {unit} a game.", ""]
    sure = [habit for habit in found.found if habit.is_sure]
    rest = [habit for habit in found.found if not habit.is_sure]
    if sure:
        lines += _listed(sure[:most], found)
    else:
        lines.append("Nothing that you do is surely a habit yet: perfect play may look like this by chance.")
    if rest and len(sure) < most:
        lines += ["", "What may be chance:", *_listed(rest[: most - len(sure)], found)]
    return "\n".join(lines)


def _listed(some: list[Habit], found: Habits) -> list[str]:
    return [line for habit in some for line in wrap(sentence(habit, found), WIDTH, subsequent_indent="  ")]


def model_text(model: MixturePlayer) -> str:
    """Whom an opponent that adapts expects, in words."""
    parts = sorted(model.parts, key=lambda part: -part[0])
    listed = ", ".join(f"{in_words(player.name)} ({100 * share:.0f}\N{NO-BREAK SPACE}%)" for share, player in parts)
    said = f"An opponent that adapts takes you for one who {listed}."
    return "\n".join(wrap(said, WIDTH)).replace("\N{NO-BREAK SPACE}", " ")


def sentence(habit: Habit, found: Habits) -> str:
    """A habit in words."""
    digits = found.rules.objective.decimals
    what = f"the {card_name(habit.card)}" if habit.card else habit.relation
    where = f" on the {prize_name(habit.upcard)}" if habit.upcard else ""
    when = "" if habit.stage == WHOLE else f" in the {habit.stage}"
    rates = f"{100 * habit.rate:.0f} % of the time, perfect play {100 * habit.perfect:.0f} %"
    cost = f"who can count on that gains {habit.cost:.{digits}f} {found.rules.objective.unit} a game"
    sure = ", may be chance"
    if habit.is_sure:
        sure = f", {min(100 * habit.sure, 99.9):.3g} % sure not to be chance"
        if (never := habit.perfect <= NOTHING) or habit.perfect >= 1 - NOTHING:  # sure after a single bid
            sure = f"; perfect play {'never' if never else 'always'} does so"
    return f"You bid {what}{where}{when} {rates}: {cost} ({counted(habit.bids, 'bid')}{sure})."
