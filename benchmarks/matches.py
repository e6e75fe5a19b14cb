"""Games a second between two table players, and the same in OpenSpiel's loop; and how many games control saves.

On one core: `python benchmarks/matches.py` prints the figures and writes them into docs/how-to/match.md.
"""

import argparse
import re
import time
from pathlib import Path

import pyspiel

from goofspiel import open_tablebase
from goofspiel.interop.open_spiel import OptimalBot
from goofspiel.matches.playing import play_match
from goofspiel.roster import load_player
from goofspiel.rules import Objective

PAGE = Path(__file__).resolve().parent.parent / "docs/how-to/match.md"
PART = re.compile(r"(?<=<!-- generated: matches -->\n).*?(?=<!-- end -->)", re.DOTALL)
CARDS = 9
OPPONENTS = ("uniform", "match", "match+1")


def ours(objective: str, games: int) -> float:
    """Games a CPU-second of two optimal players, the luck estimated as well."""
    player = load_player("optimal", CARDS, objective=objective)
    control = [open_tablebase(CARDS, objective=objective)]
    play_match(player, player, CARDS, games=64, control=control)  # the rows are read
    started = time.process_time()
    play_match(player, player, CARDS, games=games, seed=1, control=control)
    return games / (time.process_time() - started)


def open_spiel(objective: str, games: int) -> float:
    """The same in OpenSpiel's loop, which asks for one bid at a time."""
    returns = {"points": "point_difference", "win": "win_loss"}[objective]
    rules = {"num_cards": CARDS, "imp_info": False, "points_order": "random", "returns_type": returns}
    game = pyspiel.load_game("goofspiel", rules)
    bots = [OptimalBot(game, player, seed=1) for player in (0, 1)]
    pyspiel.evaluate_bots(game.new_initial_state(), bots, 0)
    started = time.process_time()
    for seed in range(games):
        pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)
    return games / (time.process_time() - started)


def saved(opponent: str, games: int) -> float:
    """How many times more games the plain mean of points would need."""
    players = load_player("optimal", CARDS), load_player(opponent, CARDS)
    result = play_match(*players, CARDS, games=games, seed=1, control=[open_tablebase(CARDS)])
    return result.variance_ratio(Objective.POINTS)


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="no measurement: few games, nothing is written")
    games = (256, 4) if parser.parse_args().quick else (40_960, 200)
    lines = ["", "| two optimal players, 9 cards | here, games/s | OpenSpiel's loop, games/s | ratio |"]
    lines.append("| --- | ---: | ---: | ---: |")
    for objective in ("points", "win"):
        fast, slow = ours(objective, games[0]), open_spiel(objective, games[1])
        lines.append(f"| {objective} | {fast:,.0f} | {slow:,.0f} | {fast / slow:,.0f} |")
    lines += ["", "| `optimal` against | the plain mean of points needs so many times more games |", "| --- | ---: |"]
    lines += [f"| `{opponent}` | {saved(opponent, games[0]):,.0f} |" for opponent in OPPONENTS]
    text = "\n".join([*lines, "", ""])
    print(text)
    if games[0] > 1000:
        PAGE.write_text(PART.sub(lambda _: text, PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
