"""A course of drills: what comes next, how hard it is, what comes back; kept as an object of json."""

from dataclasses import asdict, dataclass, field, replace
from typing import Any

from goofspiel.errors import RecordError
from goofspiel.matches.drills import HARDEST, THEMES

LATER = 3  # puzzles until a wrong one comes back
TWICE = 2  # times in a row that it must then be right
HARDER = 3  # right ones in a row after which it gets harder
EASIER = 2  # wrong ones in a row after which it gets easier


@dataclass(frozen=True)
class Due:
    """A puzzle that was wrong, and comes back."""

    key: str
    at: int
    """When: by the number of puzzles that were answered."""
    right: int = 0
    """How often it was right since."""


@dataclass(frozen=True)
class Course:
    """How far somebody has come."""

    answered: int = 0
    right: int = 0
    streak: int = 0
    """Right ones in a row."""
    best: int = 0
    """The longest streak."""
    difficulty: dict[str, int] = field(default_factory=lambda: {theme.name: 1 for theme in THEMES}, hash=False)
    runs: dict[str, int] = field(default_factory=lambda: {theme.name: 0 for theme in THEMES}, hash=False)
    """By theme: right ones in a row, or, negative, wrong ones."""
    due: tuple[Due, ...] = ()
    days: tuple[str, ...] = ()
    """The days whose puzzle was right."""

    def next(self, theme: str | None = None) -> str:
        """The key of the next puzzle: one that comes back, or a new one; of a theme, or of each in turn."""
        themes = [theme] if theme else [one.name for one in THEMES]
        for due in self.due:
            if due.at <= self.answered and (theme is None or due.key.split()[0] == theme):
                return due.key
        chosen = themes[self.answered % len(themes)]
        return f"{chosen} {self.difficulty[chosen]} {self.answered}"

    def after(self, key: str, *, right: bool) -> "Course":
        """The course after an answer; the puzzle of a day counts until it was right, and where it comes back."""
        theme, *rest = key.split()
        if theme == "daily" and rest[0] in self.days and all(due.key != key for due in self.due):
            return self
        now, streak = self.answered + 1, self.streak + 1 if right else 0
        changed = replace(
            self,
            answered=now,
            right=self.right + right,
            streak=streak,
            best=max(self.best, streak),
            due=self._due(key, right),
        )
        if theme == "daily":
            return replace(changed, days=(*self.days, rest[0])) if right and rest[0] not in self.days else changed
        run = max(self.runs[theme], 0) + 1 if right else min(self.runs[theme], 0) - 1
        step = (run >= HARDER) - (run <= -EASIER)
        level = min(max(self.difficulty[theme] + step, 1), HARDEST)
        return replace(
            changed,
            difficulty=self.difficulty | {theme: level},
            runs=self.runs | {theme: 0 if step else run},
        )

    def _due(self, key: str, right: bool) -> tuple[Due, ...]:
        before = next((due for due in self.due if due.key == key), None)
        rest = tuple(due for due in self.due if due.key != key)
        if right and (before is None or before.right + 1 >= TWICE):
            return rest
        at = self.answered + 1 + LATER
        return (*rest, Due(key, at, before.right + 1 if right and before else 0))

    def to_json(self) -> dict[str, Any]:
        """As it is kept."""
        return asdict(self)

    @staticmethod
    def of(found: Any) -> "Course":
        """The course of an object of json; a `RecordError` where it is none."""
        try:
            due = tuple(Due(str(one["key"]), int(one["at"]), int(one["right"])) for one in found["due"])
            counts: dict[str, Any] = {name: int(found[name]) for name in ("answered", "right", "streak", "best")}
            tables: dict[str, Any] = {
                name: {theme.name: int(found[name][theme.name]) for theme in THEMES} for name in ("difficulty", "runs")
            }
            if not all(1 <= level <= HARDEST for level in tables["difficulty"].values()):
                raise ValueError("a difficulty")
            return Course(**counts, **tables, due=due, days=tuple(map(str, found["days"])))
        except (KeyError, TypeError, ValueError) as error:
            raise RecordError(f"this is no course of drills: {error}") from None
