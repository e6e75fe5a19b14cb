"""The page's engine in Node: a process that answers one question a line."""

import json
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import goofspiel.web
from goofspiel.site.facts import table_facts
from goofspiel.store import Table

ENGINE = Path(goofspiel.web.__file__).with_name("static") / "engine"
SCRIPT = Path(__file__).with_name("engine.mjs")
MISSING_NODE = "no Node here, which the tests of the page's engine need: apt-get install nodejs"


class EngineError(Exception):
    """What the engine says is wrong."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class Engine:
    """The modules of the engine, in a process of their own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def _ask(self, question: str, **rest: Any) -> Any:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps({"question": question, **rest}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the engine ended"
        answer = json.loads(line)
        if "error" not in answer:
            return answer["value"]
        assert answer["kind"] != "fault", answer["stack"] or answer["error"]
        raise EngineError(answer["kind"], answer["error"])

    def open(self, *tables: Path) -> None:
        """Answer from these tables, and no others."""
        facts = [table_facts(Table.open(path)) | {"folder": str(path.parent)} for path in tables]
        self._ask("tables", tables=facts)

    def open_facts(self, facts: Sequence[dict[str, Any]]) -> None:
        """The same, from what is said of them."""
        self._ask("tables", tables=list(facts))

    def ask(self, what: str, **asked: Any) -> Any:
        """The answer to a question."""
        return self._ask("ask", what=what, asked=asked)

    def call(self, module: str, name: str, arguments: Sequence[Sequence[Any]]) -> list[Any]:
        """What a function of a module returns for each of many lists of arguments; None where it throws."""
        found = self._ask("call", module=module, name=name, all=list(arguments))
        return [each.get("value") for each in found]

    def run(self, code: str, given: Any = None) -> Any:
        """What a function `async (load, given, service) => …` returns; `load` imports a module."""
        return self._ask("run", code=code, given=given)


@contextmanager
def running() -> Iterator[Engine]:
    """The engine, until the end of the block."""
    node = shutil.which("node")
    if node is None:
        pytest.fail(MISSING_NODE)
    with subprocess.Popen(
        [node, str(SCRIPT), f"{ENGINE}/"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:
        yield Engine(process)
        assert process.stdin
        process.stdin.close()
