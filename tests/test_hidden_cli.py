"""Hidden bids at the command line: a whole game, and what is refused there."""

import re
from pathlib import Path

from command import run


def test_a_game_through_a_pipe(tmp_path: Path) -> None:
    words = ("play", "--bids", "hidden", "--order", "descending", "--cards", "3", "--seed", "1")
    done = run(*words, store=tmp_path, stdin="3\n?\n2\nA\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "The 3 is up. Your hand: A 2 3. Lead +0." in done.stdout
    assert "information set" in done.stdout  # the hint
    assert re.search(
        r"^(A draw|You (win|lose) by (1 point|[2-9] points))\. Prize, your bid, their bid: 33", done.stdout, re.M
    )
    refused = run(*words, "--saved", str(tmp_path), store=tmp_path, stdin="")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "--saved: not where bids are hidden" in refused.stderr
