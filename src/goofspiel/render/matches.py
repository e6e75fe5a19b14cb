"""Results of matches for people and programs: text, json."""

from typing import Any

import numpy as np

from goofspiel.cards import counted
from goofspiel.matches.playing import MatchResult
from goofspiel.matches.statistics import Estimate
from goofspiel.render.rules import variations
from goofspiel.rules import Objective

NO_NOISE = 1e9  # a ratio of variances: what is left of the noise is rounding


def match_json(result: MatchResult) -> dict[str, Any]:
    """For programs."""
    return {
        "players": list(result.players),
        "rules": str(result.rules),
        "objective": str(result.rules.objective),
        **{name: getattr(result, name) for name in ("cards", "seed", "duplicate", "games", "wins", "draws", "losses")},
        **{name: _interval(share) for name, share in zip(("win", "draw", "loss"), result.shares, strict=True)},
        "points": _interval(result.points),
        "score": _interval(result.score),
        "controlled": {
            str(objective): _interval(estimate)
            | {"variance_ratio": _finite(result.variance_ratio(objective)), "plain": _interval(result.plain(objective))}
            for objective, estimate in result.controlled.items()
        },
        "wall_seconds": result.seconds,
    }


def _interval(estimate: Estimate) -> dict[str, float | None]:
    return {name: _finite(getattr(estimate, name)) for name in ("mean", "low", "high", "variance")}


def _finite(number: float) -> float | None:
    return number if np.isfinite(number) else None


def match_text(result: MatchResult) -> str:
    """For people."""
    first, second = result.players
    kind = ", ".join([counted(result.cards, "card"), *variations(result.rules)])
    of = f"{counted(result.games, 'game')} of {kind}, seed {result.seed}" + ", in pairs" * result.duplicate
    lines = [f"{first} against {second}: {of}", ""]
    for name, count, share in zip(
        ("wins", "draws", "losses"), (result.wins, result.draws, result.losses), result.shares, strict=True
    ):
        lines.append(f"  {name:<7}{count:>12,}   {share.mean:7.2%}   ({share.low:.2%} to {share.high:.2%})")
    lines.append("")
    for objective, what in ((Objective.POINTS, "points a game"), (Objective.WIN, str(Objective.WIN.unit))):
        lines.append(_line(what, result.plain(objective)))
        if objective in result.controlled:
            lines.append(
                _line("  without luck", result.controlled[objective]) + _worth(result.variance_ratio(objective))
            )
    return "\n".join(lines)


def _worth(ratio: float) -> str:
    """What less variance is worth; where there is none left, nothing needs to be said."""
    return f"   as good as {ratio:,.1f} times as many games" if ratio < NO_NOISE else ""


def _line(what: str, estimate: Estimate) -> str:
    half = (estimate.high - estimate.low) / 2
    return f"  {what:<20}{round(estimate.mean, 4) + 0.0:+10.4f} ± {half:.4f}"  # no negative zero
