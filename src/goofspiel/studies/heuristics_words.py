"""What the study of heuristics says of the rules that it judged."""

from collections.abc import Sequence
from dataclasses import dataclass

from goofspiel.arrays import Floats
from goofspiel.rules import Objective, Rules
from goofspiel.studies.descent import STEPS
from goofspiel.studies.measured import HOW_PLAYED, Measured
from goofspiel.studies.study import numbers_text
from goofspiel.studies.upcard_rules import BANDS, FAMILIES, KNOTS, RULES

SEARCHED = {Objective.POINTS: 7, Objective.WIN: 6}  # cards: parameters are searched for up to here, then kept
RATIO_SEARCHED = (4, 5, 6)  # cards: the games in which a function of upcard/N is searched for
GAMES = 4096  # of a match, in pairs with sides swapped

BY_UPCARD = "best by upcard"
BY_RATIO = "best by upcard/N"
FIRST_MOVE = "first move throughout"
RATIO_RULES = ("up to double", "up to p times")  # rules written by hand that are functions of upcard/N
LEGEND = ("p: the parameter in the largest game; the data has that of each.",)


@dataclass(frozen=True, eq=False)
class Judged:
    """A rule in a game: what a best response gains, if that was worked out, and what optimal play gains."""

    rules: Rules
    rule: str
    random: bool
    parameter: float | None
    mix: Floats | None  # of a rule that was searched for
    exploitability: float | None
    loss: Measured

    @property
    def cards(self) -> int:
        """The number of cards of the game."""
        return self.rules.cards


def verdicts(judged: Sequence[Judged]) -> list[str]:
    """The best of each kind, and what it loses."""
    rules = judged[0].rules
    last = max(one.cards for one in judged if one.exploitability is not None)
    at_last = {one.rule: one for one in judged if one.cards == last}
    unit = rules.objective.unit
    fixed = min((rule for rule in at_last.values() if not rule.random), key=_worst)
    tried = sum(not rule.random for rule in RULES)
    said = [
        f"Without chance, the best of {tried} rules tried is '{fixed.rule}': with {last} cards it loses "
        f"{_worst(fixed):.3f} {unit} to a best response."
    ]
    if not rules.has_leads:
        said.append(
            "No rule without chance, however clever, loses less than N(N−3)/2: who knows each bid answers it with the "
            "next higher card, the N with the 1, and loses one prize only. 'match' loses just that."
        )
    sentences = {rule.name: rule.sentence for rule in RULES}
    best = min((at_last[name] for name in sentences), key=_worst)
    said.append(
        f"The best of the {len(RULES)} rules to remember that were tried, without a parameter, is '{best.rule}': "
        f"{sentences[best.rule]}. With {last} cards it loses {_worst(best):.3f} {unit} to a best response, "
        f"{best.loss.value:.3f} to optimal play{_further(best, judged)}."
    )
    with_parameter = [one for one in at_last.values() if one.parameter is not None]
    if with_parameter:
        best = min(with_parameter, key=_worst)
        said.append(
            f"The best of {len(FAMILIES)} rules with a parameter, which was searched for, is '{best.rule}' with p = "
            f"{best.parameter:.2f}: with {last} cards it loses {_worst(best):.3f} to a best response, "
            f"{best.loss.value:.3f} to optimal play{_further(best, judged)}."
        )
    if BY_RATIO in at_last:
        one = at_last[BY_RATIO]
        other = min((at_last[name] for name in RATIO_RULES if name in at_last), key=_worst)
        said.append(
            f"The best function of upcard/N found with {numbers_text(RATIO_SEARCHED)} cards, the same for every N, "
            f"loses with {last} cards {_worst(one):.3f} to a best response, {one.loss.value:.3f} to optimal play"
            f"{_further(one, judged)}. '{other.rule}', which looks at nothing else either, loses {_worst(other):.3f} "
            f"and {other.loss.value:.3f}{_further(other, judged)}."
        )
    if by_upcard := [one for one in judged if one.rule == BY_UPCARD]:
        one = by_upcard[-1]
        beside = [other for other in judged if (other.rule, other.cards) == (BY_RATIO, one.cards)]
        function = f"; the function of upcard/N loses {_worst(beside[0]):.3f} there" if beside else ""
        said.append(
            f"The best rule found that looks at nothing but the upcard, another mix of cards for each upcard and each "
            f"N, loses {_worst(one):.3f} to a best response with {one.cards} cards, {one.loss.value:.3f} to "
            f"optimal play{function}."
        )
    largest = [one for one in judged if one.cards == max(other.cards for other in judged)]
    least = min(largest, key=lambda one: one.loss.value)
    within = f" ± {least.loss.half:.2f}" if least.loss.half is not None else ""
    said.append(
        f"Optimal play, which does not look at its opponent, takes least from '{least.rule}': "
        f"{least.loss.value:.2f}{within} with {least.cards} cards."
    )
    return said


def _worst(one: Judged) -> float:
    assert one.exploitability is not None, one.rule
    return one.exploitability


def _further(one: Judged, judged: Sequence[Judged]) -> str:
    """What a rule loses in the game that was played."""
    played = [other for other in judged if other.rule == one.rule and other.loss.half is not None]
    return "".join(f" (with {other.cards} cards {other.loss.value:.2f} ± {other.loss.half:.2f})" for other in played)


def notes(judged: Sequence[Judged]) -> list[str]:
    """What the rules are, what was searched and how."""
    most_searched = SEARCHED[judged[0].rules.objective]
    exact = sorted({one.cards for one in judged if one.exploitability is not None})
    played = sorted({one.cards for one in judged if one.exploitability is None})
    kept = [cards for cards in (*exact, *played) if cards > most_searched]
    said = [f"{family.name}: {family.sentence}." for family in (*RULES, *FAMILIES)]
    said.append(f"{FIRST_MOVE}: the optimal first move in every round, by the upcard; missing cards as above.")
    if functions := [one.mix for one in judged if one.rule == BY_RATIO and one.mix is not None]:
        places = (f"{place / (KNOTS - 1):g}" for place in range(KNOTS))
        rows = (
            f"{place}: {' '.join(f'{p:.3f}' for p in row)}" for place, row in zip(places, functions[0], strict=True)
        )
        least = numbers_text(RATIO_SEARCHED)
        said.append(
            f"{BY_RATIO}: the chances that a number is drawn from each of {BANDS} equal parts of 0 … N, by upcard/N: "
            f"{'; '.join(rows)}; in between along straight lines. Rounded up it is the card to bid; missing cards as "
            f"above. Found by {STEPS} steps of descent for the least mean loss to a best response with {least} cards, "
            "as a share of all prizes; other games had no part in the search."
        )
        said.append(
            f"{BY_UPCARD}: found by {STEPS} steps of descent for each number of cards. Both searches give a limit from "
            "above, no proof that nothing is better. The data has what they found in the column mix: rows are "
            "upcards (or upcard/N), numbers in them cards (or parts), ascending."
        )
    said.append(
        f"The other rules were written by hand; there was no search over all rules. The {len(FAMILIES)} "
        "parameters are searched for with the fewest cards on a grid over their range, then from the one before."
    )
    if kept:
        said.append(f"With {numbers_text(kept)} cards, p is that of {most_searched} cards.")
    if played:
        said.append(
            f"A best response is worked out with up to {exact[-1]} cards: it has to follow every pair of hands. With "
            f"{numbers_text(played)} cards, what is lost to optimal play is that of {GAMES:,} played games, "
            f"{HOW_PLAYED}."
        )
    return said
