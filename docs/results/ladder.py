"""Measure the ladder of opponents: what each loses to perfect play and to a best response, exactly, without matches.

python docs/results/ladder.py             # what is missing, then the page and the page's module
python docs/results/ladder.py --again     # all of it
python docs/results/ladder.py --write     # only write: nothing is measured
"""

import json
import sys
from pathlib import Path
from typing import Any

from goofspiel.best_response.expectation import expected_value
from goofspiel.best_response.response import respond
from goofspiel.players.ladder import DATA
from goofspiel.roster import load_player
from goofspiel.rules import Rules

HERE = Path(__file__).parent
PAGE = HERE.parent / "how-to" / "opponents.md"
MODULE = HERE.parents[1] / "src/goofspiel/web/static/engine/ladder.js"
GAMES = ("5", "7", "9", "5 win", "7 win")
GAIN_GAMES = ("5", "7")  # in which the safe exploiter was measured
RISKS = {"5": 1.0, "7": 1.0}  # points: what it may lose a game
TINY = 5e-7  # less is rounding


def strength(name: str, game: str) -> dict[str, float]:
    """What a player loses."""
    rules = Rules.parse(game)
    player, perfect = load_player(name, rules), load_player("optimal", rules)
    lost = {"perfect": expected_value(perfect, player, rules), "best_response": respond(player, rules).value}
    return {who: round(number, 6) if abs(number) > TINY else 0.0 for who, number in lost.items()}


def exploited(name: str, game: str) -> dict[str, float]:
    """What the safe exploiter gains, when it knows the player, and what it risks: its loss to a best response."""
    rules = Rules.parse(game)
    player, exploiter = load_player(name, rules), load_player(f"exploit:{RISKS[game]:g}:{name}", rules)
    gained = {"gain": expected_value(exploiter, player, rules), "risk": respond(exploiter, rules).value}
    return {what: round(number, 6) if abs(number) > TINY else 0.0 for what, number in gained.items()}


def main(options: list[str]) -> None:
    """Measure what is asked for, and write it wherever it stands."""
    rungs = json.loads(DATA.read_text(encoding="utf-8"))
    for game in GAMES if "--write" not in options else ():
        for rung in rungs:
            if "--again" in options or game not in rung["strength"]:
                rung["strength"][game] = strength(rung["name"], game)
                print(game, rung["name"], rung["strength"][game], flush=True)
            if game in GAIN_GAMES and ("--again" in options or game not in rung["exploited"]):
                rung["exploited"][game] = exploited(rung["name"], game)
                print(game, rung["name"], rung["exploited"][game], flush=True)
            write_data(rungs)
    write_data(rungs)
    MODULE.write_text(module(rungs), encoding="utf-8")
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), rungs), encoding="utf-8")


def write_data(rungs: list[dict[str, Any]]) -> None:
    """One opponent a paragraph."""
    DATA.write_text(json.dumps(rungs, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def module(rungs: list[dict[str, Any]]) -> str:
    """The same for the page."""
    listed = json.dumps(rungs, indent=2, ensure_ascii=False)
    head = "// The ladder of opponents, and what was measured of it. Written by docs/results/ladder.py."
    return f"{head}\n\nexport const LADDER = {listed};\n"


def page(text: str, rungs: list[dict[str, Any]]) -> str:
    """With its generated part."""
    begin, end = "<!-- generated: ladder -->\n", "<!-- end -->"
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}{table(rungs)}{end}{after}"


def table(rungs: list[dict[str, Any]]) -> str:
    """For readers."""
    head = ["name", "what it is like", "what it plays"]
    for game in GAMES:
        head += [f"{_named(game)}: to perfect play", "to a best response"]
    lines = [head, ["---"] * len(head)]
    for rung in rungs:
        lost = [_shown(rung["strength"][game][who], game) for game in GAMES for who in ("perfect", "best_response")]
        lines.append([f"`{rung['name']}`", rung["says"], f"`{rung['plays']}`", *lost])
    text = "\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines)
    text += "\nWhat the safe exploiter gains against each when it knows it, and what it loses to a best response:\n\n"
    head = ["name"]
    for game in GAIN_GAMES:
        head += [f"{_named(game)}: perfect play gains", f"`exploit:{RISKS[game]:g}` gains", "and risks"]
    lines = [head, ["---"] * len(head)]
    for rung in rungs:
        cells = []
        for game in GAIN_GAMES:
            found = rung["exploited"][game]
            cells += [_shown(number, game) for number in (rung["strength"][game]["perfect"], *found.values())]
        lines.append([f"`{rung['name']}`", *cells])
    return text + "".join(f"| {' | '.join(line)} |\n" for line in lines) + "\n"


def _named(game: str) -> str:
    rules = Rules.parse(game)
    return f"{rules.cards} cards, {rules.objective}"


def _shown(number: float, game: str) -> str:
    return f"{number:.{Rules.parse(game).objective.decimals}f}"


if __name__ == "__main__":
    main(sys.argv[1:])
