"""Reviews of games for people and programs: text, json."""

from collections.abc import Iterable
from textwrap import wrap
from typing import Any

from goofspiel.cards import card_name, counted, prize_name
from goofspiel.players.modelling import in_words as words_for
from goofspiel.records.reviews import Review, ReviewedRound, Side
from goofspiel.render.numbers import by_name
from goofspiel.render.rules import variations
from goofspiel.rules import Rules

HEAD = 23  # characters of a row before the mix
MIX_WIDTH = 28  # characters of a mix in the table
WIDTH = 95  # of the table, and of the sentences below it
SEVERAL = 5  # cards of a mix that a sentence names
TOGETHER = "\N{NO-BREAK SPACE}"  # no line ends between a card and its probability
NEVER = 1e-9  # a card of no more probability than this is not shown
ROUNDING = 5e-6  # less than this is shown as 0: stored values are rounded


def review_json(review: Review) -> dict[str, Any]:
    """One object, cards in notation. In an open round both bids and the probability are null."""
    worst = review.worst
    return {
        "record": str(review.record),
        "rules": str(Rules.of(review.record.rules, objective=review.objective)),
        "cards": review.record.cards,
        "objective": str(review.objective),
        "tags": dict(review.record.tags),
        "mine": _side_json(review.mine),
        "theirs": _side_json(review.theirs),
        "rounds": [_round_json(reviewed) for reviewed in review.rounds],
        "from": None if review.record.began is None else str(review.record.began),
        "start": review.start,
        "draw_luck": review.draw_luck,
        "gain": review.gain,
        "chance": review.chance,
        "value": review.value,
        "result": review.result,
        "cost": review.cost,
        "their_cost": review.their_cost,
        "worst": worst.number if worst else None,
        "won_after": review.won_after,
        "settled_after": review.settled_after,
        "words": list(in_words(review)),
    }


def _side_json(side: Side) -> dict[str, Any]:
    return {"player": side.name, "estimate": None if side.is_known else dict(side.shares)}


def _round_json(reviewed: ReviewedRound) -> dict[str, Any]:
    played = reviewed.round
    return {
        "round": reviewed.number,
        "position": str(reviewed.position),
        "upcard": prize_name(played.upcard),
        "pot": reviewed.position.pot,
        "mine": None if played.is_open else card_name(played.mine),
        "theirs": None if played.is_open else card_name(played.theirs),
        "value_before": reviewed.value_before,
        "draw_luck": reviewed.draw_luck,
        "value": reviewed.value,
        "gain": reviewed.gain,
        "chance": reviewed.chance,
        "value_after": reviewed.value_after,
        "cost": reviewed.cost,
        "their_cost": reviewed.their_cost,
        "mix": by_name(reviewed.mix),
        "their_mix": by_name(reviewed.their_mix),
        "their_play": by_name(reviewed.their_play),
        "probability": reviewed.probability,
        "regret": by_name(reviewed.answer.regret),
        "best": [card_name(card) for card in reviewed.best],
        "gap": reviewed.answer.gap,
    }


def review_text(review: Review) -> str:
    """For a reader: a row a round, then what it comes to in words."""
    if not review.rounds:
        return f"{title(review)}\n\nNo prize has been turned up yet."
    indent = " " * (HEAD + MIX_WIDTH)
    lines = [
        title(review),
        "",
        f"{indent} luck of your bid   chance expected your bid",
        f"round prize  you they  {'an optimal mix, in %':{MIX_WIDTH}}the draw v. them  in bids   result v. perfect",
    ]
    for reviewed in review.rounds:
        lines += _rows(reviewed, _digits(review))
    moves = (review.draw_luck, review.gain, review.chance, review.value, -review.cost)
    lines.append(f"{'total':{len(indent)}}{_numbers(moves, _digits(review))}")
    wrapped = [row.replace(TOGETHER, " ") for line in in_words(review) for row in wrap(line, WIDTH)]
    return "\n".join([*lines, "", *wrapped])


def title(review: Review) -> str:
    """Which game it is, and who played it if the record says so."""
    tags = review.record.tags
    names = [f"{who}: {tags[tag]}" for who, tag in (("you", "mine"), ("they", "theirs")) if tag in tags]
    game = [counted(review.record.cards, "card"), f"objective {review.objective}", *variations(review.record.rules)]
    game += [f"from {review.record.began}"] if review.record.began else []
    return "; ".join([", ".join(game), *names])


def outcome(review: Review) -> str:
    """How the game ended, or what is to be expected."""
    if not review.record.is_over:
        return f"Not over yet: {signed(review.value, review)} {review.objective.unit} expected."
    lead = review.record.position.lead
    if not lead:
        return "The game was a draw."
    return f"You {'won' if lead > 0 else 'lost'} by {counted(abs(lead), 'point')}."


def in_words(review: Review) -> tuple[str, ...]:
    """What a review comes to, a sentence each; all of them hold for every game."""
    bids = [reviewed for reviewed in review.rounds if not reviewed.round.is_open]
    lines = [outcome(review)]
    if bids:
        lines += [*parts(review), *_decided(review), *_verdict(review, bids)]
    if review.rounds and (last := review.rounds[-1]).round.is_open:
        lines.append(f"Round {last.number} is open: for {_stake(last)} an optimal mix bids {', '.join(_words(last))}.")
    return tuple(lines)


def parts(review: Review) -> tuple[str, str]:
    """What the result is made of, and how well that is known: a sentence each."""
    digits = _digits(review)
    draw, gain, chance = (_signed(part, digits) for part in (review.draw_luck, review.gain, review.chance))
    began = f"where it began {_signed(review.start, digits)}, " if review.record.began else ""
    luck = began + (f"luck of the draw {draw}, " if review.record.rules.order is None else "")
    total = _signed(review.value, digits)
    made = f"{total} is made of: {luck}your bids {gain} against how they bid, chance in the bids {chance}."
    if review.mine.is_known:
        made = made.replace("your bids", "your mixes")
    return made, _basis(review)


def _basis(review: Review) -> str:
    """How it is known how they bid."""
    if (name := review.theirs.name) is not None:
        return f"How they bid is known: {name}."
    never = f"They are not {review.theirs.contradiction}. " if review.theirs.contradiction else ""
    told = sum(not reviewed.round.is_open and reviewed.position.level > 1 for reviewed in review.rounds)
    if told < 2:
        return (
            f"{never}How they bid is not known, and one bid tells nothing of it: the last two numbers are a mere guess."
        )
    like = [f"{words_for(name)} ({_percent(share)}{TOGETHER}%)" for name, share in review.theirs.shares[:2]]
    looks = f"they look like one who {', or '.join(like)}"
    return f"{never}How they bid is estimated, each round from their other bids: {looks}."


def _decided(review: Review) -> list[str]:
    """Since when nothing, or only the margin, was at stake."""
    settled, won = review.settled_after, review.won_after
    if settled is not None:
        return [f"The result was settled after round {settled}: nothing that was bid afterwards could change it."]
    if won is not None:
        return [f"Who wins was settled after round {won}: from then on only the margin was at stake."]
    return []


def _verdict(review: Review, bids: list[ReviewedRound]) -> list[str]:
    """The bid that perfect play would have punished most; or the rarest one, where it would have punished none."""
    digits = _digits(review)
    unit = f"of {review.objective.unit}" if review.rules.has_leads else review.objective.unit
    if worst := review.worst:
        here = f"; {'' if review.theirs.is_known else 'by the estimate, '}here it {_gained(worst.gain, digits)}"
        is_perfect = (review.theirs.name or "").startswith("optimal")
        said = "" if is_perfect or review.mine.is_known else here
        return [
            f"Against perfect play your most expensive bid was in round {worst.number}: {card_name(worst.round.mine)} "
            f"for {_stake(worst)}, {_rarity(worst)}; an optimal mix bids {', '.join(_words(worst))}. It costs "
            f"{_amount(worst.cost, digits)} {unit} there{said}."
        ]
    open_ = [one for one in bids if one.position.level > 1 and (review.settled_after or one.number) >= one.number]
    if not open_:
        return ["None of your bids would have cost anything against perfect play: there was nothing to choose."]
    rarest = min(open_, key=lambda one: one.probability or 0.0)
    if (rarest.probability or 0.0) >= 1 - NEVER:
        return ["None of your bids would have cost anything against perfect play: it bids the same, every time."]
    return [
        "None of your bids would have cost anything against perfect play; one game cannot tell whether you make them "
        f"as often as you should. The rarest was in round {rarest.number}: {card_name(rarest.round.mine)} for "
        f"{_stake(rarest)}, {_rarity(rarest)}."
    ]


def _rarity(reviewed: ReviewedRound) -> str:
    """How often the optimal mix makes a bid."""
    share = reviewed.probability or 0.0
    if share <= NEVER:
        return "a bid that this mix never makes"
    shown = _percent(share)
    vowel = shown in ("11", "18") or shown.startswith("8")  # eight, eleven, eighteen, eighty …
    return f"a{'n' * vowel} {shown}{TOGETHER}% bid"


def _gained(gain: float, digits: int) -> str:
    return f"gained {_amount(gain, digits)}" if gain > 0 else f"cost {_amount(-gain, digits)}"


def _stake(reviewed: ReviewedRound) -> str:
    """What a round was about, in words."""
    pot = reviewed.position.pot
    return f"the {prize_name(reviewed.round.upcard)}" + (f" and a pot of {pot}" if pot else "")


def prize_label(reviewed: ReviewedRound) -> str:
    """What a round was about, in few characters: the prize, and the pot if there is one."""
    pot = reviewed.position.pot
    return prize_name(reviewed.round.upcard).strip("[]" if pot else "") + (f"+{pot}" if pot else "")


def _rows(reviewed: ReviewedRound, digits: int) -> list[str]:
    """A round: on its first line the numbers, on as many as it takes the whole mix."""
    played = reviewed.round
    mine, theirs = ("?", "?") if played.is_open else (card_name(played.mine), card_name(played.theirs))
    first, *more = wrap(", ".join(_words(reviewed, most=None, unit="", mark="*")), MIX_WIDTH - 1)
    head = f"{reviewed.number:>5} {prize_label(reviewed):>5} {mine:>4} {theirs:>4}  "
    moves = (reviewed.draw_luck, reviewed.gain, reviewed.chance, reviewed.value_after, -reviewed.cost)
    rows = [f"{head}{first:{MIX_WIDTH}}{_numbers(moves, digits)}", *(" " * HEAD + line for line in more)]
    return [row.replace(TOGETHER, " ") for row in rows]


def _numbers(moves: Iterable[float], digits: int) -> str:
    return " ".join(f"{_signed(number, digits):>8}" for number in moves)


def _words(
    reviewed: ReviewedRound, *, most: int | None = SEVERAL, unit: str = f"{TOGETHER}%", mark: str = ""
) -> list[str]:
    """The cards of my mix, most likely first; whether there are more. With a mark, the bid is among them."""
    mix, bid = reviewed.mix, reviewed.round.mine
    support = sorted((card for card in mix if mix[card] > NEVER), key=lambda card: -mix[card])
    if mark and bid and bid not in support:
        support.append(bid)
    shown = support[:most]
    if bid in support[len(shown) :]:
        shown[-1] = bid
    words = [
        f"{mark if card == bid else ''}{card_name(card)}{TOGETHER}"
        f"{_percent(mix[card]) if mix[card] > NEVER else '0'}{unit}"
        for card in shown
    ]
    return words if len(support) <= len(shown) else [*words, "and others"]


def _percent(probability: float) -> str:
    if probability < 0.005:
        return "<1"
    return ">99" if 0.995 <= probability < 1 - NEVER else f"{100 * probability:.0f}"


def _digits(review: Review) -> int:
    return review.objective.decimals


def signed(number: float, review: Review) -> str:
    """A value of a review, as its text writes it."""
    return _signed(number, _digits(review))


def _signed(number: float, digits: int) -> str:
    """With a sign; what is only rounding is 0."""
    if abs(number) < ROUNDING:
        return "0"
    text = f"{number:+.{digits}f}"
    return text if float(text) else text[1:]


def _amount(number: float, digits: int) -> str:
    """A cost: a small one is not 0."""
    text = f"{number:.{digits}f}"
    return text if float(text) else f"{number:.1g}" if number else "nothing"
