"""Drills on the terminal, a line at a time: a position, a card or a mix, what it is worth."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from textwrap import wrap
from typing import IO, Any

from goofspiel.cards import card_name, counted
from goofspiel.errors import GoofspielError, OptionError
from goofspiel.matches.course import Course
from goofspiel.matches.drills import Probe, Puzzle, Score, puzzle, score_card, score_mix
from goofspiel.tablebase.answer import Answer
from goofspiel.terminal.dialogue import understood
from goofspiel.terminal.transcript import question_at

BAR = 24  # characters of a certain bid
HELP = "A card, as in 5; or a whole mix, card and share in turn, as in A 20 5 80. ? explains, q ends."


@dataclass
class Training:
    """A course in progress."""

    course: Course
    probe: Probe
    theme: str | None = None
    key: str | None = None  # a certain puzzle instead of the next
    puzzle: Puzzle = field(init=False)
    answer: Answer[float] = field(init=False)

    def __post_init__(self) -> None:
        self.turn()

    def turn(self) -> None:
        """The next puzzle."""
        self.puzzle = puzzle(self.course.next(self.theme) if self.key is None else self.key, self.probe)
        self.answer = self.probe(self.puzzle.position, self.puzzle.rules)

    def score(self, line: str) -> Score:
        """What a line is worth: a card, or cards and shares in turn."""
        words = line.replace(",", " ").replace("%", " ").split()
        if len(words) == 1:
            return score_card(self.answer, self._card(words[0]))
        if len(words) % 2:
            raise OptionError(f"a mix is cards and shares in turn, as in A 20 5 80, not {line.strip()!r}")
        shares: dict[int, float] = {}
        for card, share in zip(words[::2], words[1::2], strict=True):
            try:
                shares[self._card(card)] = float(share)
            except ValueError:
                raise OptionError(
                    f"{share!r} is no share: a mix is cards and shares in turn, as in A 20 5 80"
                ) from None
        return score_mix(self.answer, shares)

    def _card(self, word: str) -> int:
        card = understood(word, self.puzzle.rules.cards)
        if not isinstance(card, int) or card not in self.puzzle.position.my_cards:
            held = " ".join(map(card_name, self.puzzle.position.my_cards))
            raise OptionError(f"{word!r} is no card of yours: you hold {held}")
        return card


def train_by_lines(
    training: Training,
    lines: IO[str] | None,
    out: IO[str],
    *,
    count: int | None = None,
    prompt: str = "",
    columns: int | None = None,
) -> Iterator[dict[str, Any]]:
    """Ask and score until there is nothing more to say; each answer, before it is told what it is worth."""

    def say(text: str) -> None:
        print(fitted(text, columns), file=out)

    scored = 0
    say(HELP)
    while count is None or scored < count:
        if scored:
            training.turn()
        say(f"\n{asked(training)}")
        score = None
        while score is None:
            print(prompt, end="", file=out, flush=True)
            line = lines.readline() if lines else ""
            if not line or understood(line, training.puzzle.rules.cards) == "quit":
                return
            if not line.strip() or line.strip() in ("?", "help"):
                say(HELP)
                continue
            try:
                score = training.score(line)
            except GoofspielError as error:
                say(f"{error}.")
        training.course = training.course.after(training.puzzle.key, right=score.right)
        yield _json(training, score, line.strip())
        say(told(training, score))
        scored += 1


def fitted(text: str, columns: int | None) -> str:
    """A text whose lines end between words, where there are only so many columns."""
    if columns is None:
        return text
    lines = (wrap(line, max(columns - 1, 8), subsequent_indent=_indent(line)) or [""] for line in text.split("\n"))
    return "\n".join(part for parts in lines for part in parts)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def asked(training: Training) -> str:
    """A puzzle."""
    puzzle, course = training.puzzle, training.course
    back = "it comes back, " if any(due.key == puzzle.key for due in course.due) else ""
    lead = f" You are {counted(-puzzle.position.lead, 'point')} behind." if puzzle.position.lead < 0 else ""
    head = f"{puzzle.theme.title}, difficulty {puzzle.difficulty} ({back}{puzzle.key}); streak {course.streak}."
    goal = f"{counted(puzzle.rules.cards, 'card')}, {puzzle.rules.objective.goal}.{lead} "
    return f"{head}\n{goal}{question_at(puzzle.position)}"


def told(training: Training, score: Score) -> str:
    """What an answer is worth, and the perfect mix."""
    answer, course = training.answer, training.course
    rows = [
        f"  {card_name(card):>4} {100 * share:5.1f} %  {'█' * round(BAR * share):{BAR}} costs {answer.regret[card]:.3f}"
        for card, share in answer.mine.items()
    ]
    verdict = "Right." if score.right else "Not so."
    end = f"Streak {course.streak}, longest {course.best}; {course.right} of {course.answered} right."
    return "\n".join([f"{verdict} {score.why}", *rows, end])


def _json(training: Training, score: Score, line: str) -> dict[str, Any]:
    return {
        "puzzle": training.puzzle.key,
        "rules": str(training.puzzle.rules),
        "position": str(training.puzzle.position),
        "answer": line,
        "right": score.right,
        "lost": score.lost,
        "exploitability": score.exploitability,
        "mix": {card_name(card): share for card, share in training.answer.mine.items()},
        "why": score.why,
        "streak": training.course.streak,
    }
