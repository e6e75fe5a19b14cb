"""Hidden bids at the command line: a whole game, and what is refused there."""

import json
import re
from pathlib import Path

from command import run


def test_a_game_through_a_pipe(tmp_path: Path) -> None:
    games = {"GOOFSPIEL_GAMES": str(tmp_path / "games")}
    words = ("play", "--bids", "hidden", "--order", "descending", "--cards", "3", "--seed", "1")
    done = run(*words, store=tmp_path, stdin="3\n?\n2\nA\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "The 3 is up. Your hand: A 2 3. Lead +0." in done.stdout
    assert "information set" in done.stdout  # the hint
    assert re.search(
        r"^(A draw|You (win|lose) by (1 point|[2-9] points))\. Prize, your bid, their bid: 33", done.stdout, re.M
    )
    said = json.loads(run(*words, "--json", store=tmp_path, stdin="3\n?\n2\nA\n").stdout)
    openly = json.loads(run("play", "--cards", "3", "--json", store=tmp_path, stdin="", env=games).stdout)
    assert said.keys() == openly.keys()
    assert (said["opponent"], openly["opponent"]) == ("optimal", "optimal")
    assert (said["record"], said["over"], said["result"], said["hints"]) == ("333 222 AAA", True, "draw", [2])
    (checked,) = map(json.loads, run("verify", "--bids", "hidden", "--json", store=tmp_path).stdout.splitlines())
    assert (checked["rules"], checked["passed"]) == ("3 hidden order=descending", True)
    refused = run(*words, "--saved", str(tmp_path), store=tmp_path, stdin="")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "--saved: not where bids are hidden" in refused.stderr
