"""A solve with hidden bids that is killed goes on to the same policy; a checkpoint that is damaged is named."""

import random
import signal
import sys
from pathlib import Path

import pytest
from command import PATIENCE, run, start, tree, wait_until
from damage import flip
from fixtures import Repeats, Tally

from goofspiel.hidden.policy import read_checkpoint, read_header
from goofspiel.hidden.sets import information_sets
from goofspiel.rules import Rules
from goofspiel.store.paths import policy_path

RULES = Rules.parse("6 hidden order=descending")
SOLVE = ("solve", str(RULES), "--method", "DCFR", "--gap", "1e-3", "--quiet")

# The command, which keeps how far it is whenever it has looked at the gap, and not every 20 seconds.
EAGER_COMMAND = (
    sys.executable,
    "-c",
    "import sys\n"
    "from goofspiel.hidden import solving\n"
    "solving.CHECKPOINT_SECONDS = 0.0\n"
    "from goofspiel.cli import main\n"
    "sys.exit(main())",
)


def iterations_kept(path: Path) -> int:
    """How far the solve is; reading checks that it is whole."""
    kept = read_checkpoint(path, RULES, 5 * information_sets(RULES).sequences)
    return kept[0] if kept else 0


def kill_after(path: Path, iterations: int) -> bool:
    """Go on with a solve, and kill -9 it when so many iterations are kept; whether that came in time."""
    process = start(*SOLVE, "--resume", store=path.parent, program=EAGER_COMMAND)
    wait_until(lambda: iterations_kept(path) >= iterations, process)
    process.kill()
    process.communicate(timeout=PATIENCE)
    assert process.returncode in (-signal.SIGKILL, 0)
    return process.returncode != 0


def test_killed_at_any_moment_and_resumed_it_ends_with_the_same_bytes(
    repeats: Repeats, tally: Tally, tmp_path: Path
) -> None:
    calm = run(*SOLVE, store=tmp_path / "calm")
    assert (calm.returncode, calm.stderr) == (0, "")
    whole = tree(policy_path(tmp_path / "calm", RULES))
    needed = read_header(policy_path(tmp_path / "calm", RULES)).iterations
    path = policy_path(tmp_path / "killed", RULES)
    moments, wanted, kills = random.Random(5), repeats(4, 20), 0
    for goal in sorted(moments.sample(range(1, needed // 2), wanted)):
        kills += kill_after(path, goal)
    tally("kills of a solve with hidden bids", kills)
    assert kills == wanted
    assert iterations_kept(path) >= 16
    refused = run(*SOLVE, store=path.parent)
    assert (refused.returncode, refused.stdout, refused.stderr.count("\n")) == (1, "", 1)
    assert "is partly solved" in refused.stderr
    resumed = run(*SOLVE, "--resume", store=path.parent)
    assert (resumed.returncode, resumed.stdout) == (0, f"{path}\n")
    assert tree(path) == whole


@pytest.mark.parametrize("harm", ["flip", "cut", "other"])
def test_a_damaged_checkpoint_is_named_and_never_gone_on_with(tmp_path: Path, harm: str) -> None:
    path = policy_path(tmp_path, RULES)
    assert kill_after(path, 200)
    file = path / "checkpoint"
    whole = file.read_bytes()
    if harm == "flip":
        flip(file, 8 * random.Random(1).randrange(len(whole)))
    elif harm == "cut":
        file.write_bytes(whole[:-9])
    else:  # whole, but of another game
        other = policy_path(tmp_path, Rules.parse("6 win hidden order=descending"))
        words = [word.replace(str(RULES), "6 win hidden order=descending") for word in SOLVE]
        process = start(*words, store=tmp_path, program=EAGER_COMMAND)
        assert wait_until((other / "checkpoint").exists, process)
        process.kill()
        process.communicate(timeout=PATIENCE)
        file.write_bytes((other / "checkpoint").read_bytes())
    refused = run(*SOLVE, "--resume", store=tmp_path)
    assert (refused.returncode, refused.stdout, refused.stderr.count("\n")) == (1, "", 1)
    assert f"{file} is " in refused.stderr
    assert f"delete {path}, then goofspiel solve" in refused.stderr
    file.write_bytes(whole)
    assert run(*SOLVE, "--resume", store=tmp_path).returncode == 0
