"""Judgements of logged games for people and programs: text, json, a figure."""

from pathlib import Path
from typing import Any

import numpy as np

from goofspiel.cards import card_name, counted, prize_name
from goofspiel.matches.judging import AgentJudgement, Judgement, Profile
from goofspiel.matches.statistics import Estimate
from goofspiel.records.habits import STAGES
from goofspiel.render.figures import FAINT, INK, PAPER, SHADES, check_plots, figure_format, save_figure


def judgement_json(judgement: Judgement) -> dict[str, Any]:
    """For programs."""
    return {
        "games": judgement.games,
        "rules": [str(rules) for rules in judgement.rules],
        "bound": judgement.bound,
        "agents": [_agent_json(agent) for agent in judgement.agents],
    }


def _agent_json(agent: AgentJudgement) -> dict[str, Any]:
    wins, draws, losses = agent.outcomes
    return {
        "agent": agent.name,
        **{"games": agent.games, "wins": wins, "draws": draws, "losses": losses, "bids": agent.bids},
        "regret": _interval(agent.regret),
        "off_support": agent.off_support / agent.bids if agent.bids else None,
        "result": _interval(agent.plain),
        "result_without_luck": _interval(agent.adjusted),
        "by_upcard": {prize_name(prize): _profile(agent.by_upcard[prize]) for prize in sorted(agent.by_upcard)},
        "by_stage": {stage: _profile(agent.by_stage[stage]) for stage in STAGES if stage in agent.by_stage},
        "worst": [
            {"position": one.position, "bid": card_name(one.bid), "regret": one.regret, "game": one.source}
            for one in agent.worst
        ],
    }


def _profile(profile: Profile) -> dict[str, Any]:
    return {
        "bids": profile.regret.count,
        "regret": profile.regret.mean,
        "bid": profile.bid.mean,
        "perfect_bid": profile.perfect.mean,
    }


def _interval(estimate: Estimate) -> dict[str, float | None]:
    return {name: value if np.isfinite(value := getattr(estimate, name)) else None for name in ("mean", "low", "high")}


def judgement_text(judgement: Judgement) -> str:
    """For people."""
    games = ", ".join(str(rules) for rules in judgement.rules)
    units = {rules.objective.unit for rules in judgement.rules}
    said = f"{counted(judgement.games, 'game')}, rules {games}"
    lines = [f"{said}; regrets and results in {' or '.join(map(str, sorted(units)))}"]
    lines += ["", f"{'agent':<24}{'games':>8}{'regret a bid':>24}{'off support':>13}{'result':>20}{'without luck':>20}"]
    for agent in judgement.agents:
        share = f"{agent.off_support / agent.bids:.1%}" if agent.bids else "-"
        regret = _with_margin(agent.regret, ".4f")
        result, adjusted = (_with_margin(found, "+.3f") for found in (agent.plain, agent.adjusted))
        if not sum(agent.outcomes):
            result = adjusted = "-"
        lines.append(f"{agent.name[:23]:<24}{agent.games:>8,}{regret:>24}{share:>13}{result:>20}{adjusted:>20}")
    for agent in judgement.agents:
        lines += ["", agent.name, *_profile_lines(agent)]
        if agent.worst:
            lines.append("  worst bids")
            lines += [
                f"    {card_name(one.bid):>4} at {one.position}, {one.regret:.4f} ({one.source})" for one in agent.worst
            ]
    return "\n".join(lines)


def _profile_lines(agent: AgentJudgement) -> list[str]:
    """Mean bids beside those of perfect play, and what they cost."""
    rows = [(f"upcard {prize_name(prize)}", agent.by_upcard[prize]) for prize in sorted(agent.by_upcard)]
    rows += [(stage, agent.by_stage[stage]) for stage in STAGES if stage in agent.by_stage]
    lines = [f"  {'':<14}{'bids':>9}{'mean bid':>10}{'perfect':>10}{'regret':>10}"] if rows else []
    for name, of in rows:
        numbers = f"{of.bid.mean:>10.2f}{of.perfect.mean:>10.2f}{of.regret.mean:>10.4f}"
        lines.append(f"  {name:<14}{of.regret.count:>9,}{numbers}")
    return lines


def _with_margin(estimate: Estimate, form: str) -> str:
    half = (estimate.high - estimate.low) / 2
    return format(estimate.mean + 0.0, form) + (f" ± {half:{form.lstrip('+')}}" if np.isfinite(half) else "")


def draw_judgement(judgement: Judgement, path: Path | None = None) -> Any:
    """The regret of a bid of each agent, with its interval; returned, and written to a file if there is a name."""
    if path:
        figure_format(path)
    check_plots()
    from matplotlib.figure import Figure

    agents = judgement.agents[::-1]
    figure = Figure(figsize=(7, 1.2 + 0.4 * len(agents)), facecolor=PAPER, layout="constrained")
    axes = figure.add_subplot()
    means = [agent.regret.mean for agent in agents]
    halves = [(agent.regret.high - agent.regret.low) / 2 for agent in agents]
    axes.barh(range(len(agents)), means, color=SHADES[3], height=0.6)
    kept = [which for which, half in enumerate(halves) if np.isfinite(half)]
    axes.errorbar([means[i] for i in kept], kept, xerr=[halves[i] for i in kept], fmt="none", ecolor=INK, capsize=3)
    axes.set_yticks(range(len(agents)), [agent.name for agent in agents], color=INK)
    axes.set_xlabel("regret of a bid against perfect play, with 95 % intervals", color=FAINT)
    axes.set_xlim(left=0)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    if path:
        save_figure(figure, path)
    return figure
