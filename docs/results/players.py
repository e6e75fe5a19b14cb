"""Measure the players that need nothing but a name, exactly: python docs/results/players.py [CARDS]

Writes players.json, which docs/generate.py puts into "Benchmark your agent". Where several mixes are optimal, what
perfect play makes of others depends on which of them is found.
"""

import json
import re
import sys
from pathlib import Path

from goofspiel.best_response.expectation import expected_value
from goofspiel.best_response.response import respond
from goofspiel.players.imported import NAMES
from goofspiel.roster import load_player

CARDS = 6
OTHERS = ("optimal", "uniform")
FILE = Path(__file__).with_suffix(".json")


def listed() -> list[str]:
    """The names of players that are whole: no file, no command, no other player."""
    words = [word for word in NAMES.split(", ") if re.fullmatch(r"[a-z]+([+-][0-9]+)?|optimal:[a-z]+", word)]
    return [word for word in words if word != "human"]


def measured(name: str, rules: str) -> dict[str, float]:
    """What a player loses at worst, and what it gains from others."""
    player = load_player(name, rules)
    gains = {other: expected_value(player, load_player(other, rules), rules) for other in OTHERS}
    return {"exploitability": respond(player, rules).exploitability, **gains}


def main() -> None:
    cards = sys.argv[1] if len(sys.argv) > 1 else str(CARDS)
    found = {name: {rules: measured(name, rules) for rules in (cards, f"{cards} win")} for name in listed()}
    FILE.write_text(json.dumps({"cards": int(cards), "players": found}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
