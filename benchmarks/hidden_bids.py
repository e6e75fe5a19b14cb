"""Hidden bids: an iteration of ours against one of OpenSpiel's CFR+ in C++; how fast the methods close the gap."""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import pyspiel

from goofspiel.hidden.certificate import best_reply_gain
from goofspiel.hidden.plans import mixes_of, sequence_game
from goofspiel.hidden.program import solve_program
from goofspiel.hidden.regrets import Learners, Method
from goofspiel.hidden.sets import information_sets
from goofspiel.rules import Rules

GAMES = ("4 hidden order=descending", "4 hidden", "5 hidden order=descending")
CURVE = "6 hidden order=descending"
LEAST_SECONDS = 1.0  # of CPU time, for each measurement


def seconds_each(step: Any) -> float:
    """CPU seconds of a step, over as many as take long enough."""
    count, started = 0, time.process_time()
    while time.process_time() - started < LEAST_SECONDS or not count:
        step()
        count += 1
    return (time.process_time() - started) / count


def against_open_spiel(text: str) -> dict[str, Any]:
    """CPU seconds of an iteration, of both, and their ratio: both update both players once."""
    rules = Rules.parse(text)
    parameters = {"num_cards": rules.cards, "imp_info": True, "returns_type": "point_difference"}
    order = "random" if rules.order is None else "descending"
    spiel = pyspiel.load_game_as_turn_based("goofspiel", parameters | {"points_order": order})
    theirs = pyspiel.CFRPlusSolver(spiel)
    learners = Learners(sequence_game(information_sets(rules)), Method.CFR_PLUS)
    ours = seconds_each(lambda: learners.iterate(10)) / 10
    peer = seconds_each(theirs.evaluate_and_update_policy)
    return {"rules": text, "ours": ours, "open_spiel": peer, "ratio": peer / ours}


def curves(text: str, iterations: int) -> dict[str, list[tuple[int, float, float]]]:
    """Method → (iterations, CPU seconds, gap)."""
    rules = Rules.parse(text)
    game = sequence_game(information_sets(rules))
    found: dict[str, list[tuple[int, float, float]]] = {}
    for method in Method:
        learners, used, points = Learners(game, method), 0.0, []
        while learners.iterations < iterations:
            started = time.process_time()
            learners.iterate(max(16, learners.iterations))
            used += time.process_time() - started
            points.append((learners.iterations, used, 2 * game.best_reply(learners.plan)[0]))
        found[method.label] = points
    started = time.process_time()
    mixes = mixes_of(game, solve_program(game.sets))
    found["LP"] = [(0, time.process_time() - started, 2 * best_reply_gain(rules, mixes))]
    return found


def main() -> None:
    """Measure, and write json."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("docs/results/hidden.json"))
    parser.add_argument("--iterations", type=int, default=8192)
    parser.add_argument("--games", nargs="*", default=list(GAMES))
    parser.add_argument("--curve", default=CURVE)
    options = parser.parse_args()
    measured = [against_open_spiel(text) for text in options.games]
    for one in measured:
        print(f"{one['rules']}: {one['ours']:.2e} s, OpenSpiel {one['open_spiel']:.2e} s, {one['ratio']:,.0f} times")
    found = {"iterations": measured, "rules": options.curve, "curves": curves(options.curve, options.iterations)}
    options.output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
