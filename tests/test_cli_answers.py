"""The command line: what probe and table say, in every format."""

import csv
import io
import json
import shutil
from pathlib import Path

import pytest
from command import HAND, run, the_json
from fixtures import Call

from goofspiel.solver import solve

# --- probe


def test_probe_json_has_the_fields_of_the_design(call: Call) -> None:
    found = the_json(call("probe", HAND, "--json"))
    assert list(found) == [
        *("position", "rules", "objective", "value", "cards", "occurs", "mine", "theirs", "matrix", "regret", "gap"),
        *("bound", "unique", "ranges", "interchangeable", "table"),
    ]
    assert (found["position"], found["objective"]) == (HAND, "points")
    assert found["value"] == pytest.approx(2.6)
    assert found["mine"] == pytest.approx({"2": 0.4, "4": 0.6})
    assert found["theirs"] == pytest.approx({"A": 0.6, "3": 0.4})
    assert found["matrix"] == [[5, -1], [1, 5]]
    assert found["regret"] == pytest.approx({"2": 0, "4": 0}, abs=1e-12)
    assert 0 <= found["gap"] < found["bound"] < 1e-12
    assert (found["cards"], found["occurs"]) == (4, False)  # two rounds were bid 1 and 3 against 2 and 4: no draw
    assert found["unique"] is True
    assert found["ranges"] == {card: pytest.approx([p, p]) for card, p in (("2", 0.4), ("4", 0.6))}
    assert found["interchangeable"] == []


def test_probe_json_of_a_position_with_many_optimal_mixes(call: Call) -> None:
    found = the_json(call("probe", "A3/A2/A 2", "--json"))  # by hand: (1, −1 / 1, 2)
    assert found["value"] == pytest.approx(1)
    assert found["unique"] is False
    assert found["ranges"] == {"A": pytest.approx([0, 1 / 3], abs=1e-9), "3": pytest.approx([2 / 3, 1], abs=1e-9)}


def test_probe_json_of_interchangeable_cards(call: Call) -> None:
    found = the_json(call("probe", "A24/35A/24 5", "--json"))
    assert found["interchangeable"] == []
    found = the_json(call("probe", "A2/34/A 2", "--json"))
    assert found["interchangeable"] == [["A", "2"]]
    assert found["mine"] == {"A": 1, "2": 0}
    assert found["value"] == -3


def test_probe_json_before_the_upcard(call: Call) -> None:
    found = the_json(call("probe", "24/A3/23 -", "--json"))
    assert list(found) == ["position", "rules", "objective", "value", "cards", "occurs", "upcards", "bound", "table"]
    assert list(found["upcards"]) == ["2", "3"]
    assert found["upcards"]["3"] == pytest.approx(2.6)
    assert found["value"] == pytest.approx(sum(found["upcards"].values()) / 2)


def test_probe_adds_the_lead_and_takes_the_url_form(call: Call) -> None:
    assert the_json(call("probe", f"{HAND} -5", "--json"))["value"] == pytest.approx(-2.4)
    found = the_json(call("probe", "24/A3/2_3_7", "--json"))
    assert (found["position"], found["value"]) == (f"{HAND} 7", pytest.approx(9.6))
    found = the_json(call("probe", "-/-/- - 3", "--json"))
    assert found.pop("table").endswith("points-4.zarr")
    assert found == {
        "position": "-/-/- - 3",
        "rules": "4",
        "objective": "points",
        "value": 3,
        "cards": 4,
        "occurs": True,
        "upcards": {},
        "bound": 0,
    }


def test_probe_text_says_it_to_a_reader(call: Call) -> None:
    code, out, err = call("probe", HAND)
    assert (code, err) == (0, "")
    lines = [line.split() for line in out.splitlines()]
    assert lines[0] == ["24/A3/2", "3"]
    assert ["value", "+2.600000", "points"] in lines
    assert "the only optimal mix" in out
    assert ["2", "0.400000", "+2.600000", "0.000000"] in lines
    assert ["4", "0.600000", "+2.600000", "0.000000"] in lines
    assert ["3", "0.400000"] in lines
    assert ["2", "+5.000", "-1.000"] in lines
    _, out, _ = call("probe", "A3/A2/A 2")
    assert "others exist" in out
    assert "0.0000 … 0.3333" in out
    _, out, _ = call("probe", "A2/34/A 2")
    assert "A 2 are interchangeable" in out
    _, out, _ = call("probe", "24/A3/23 -")
    assert ["3", "+2.600000"] in [line.split() for line in out.splitlines()]


def test_probe_csv(call: Call) -> None:
    code, out, err = call("probe", "-", "--csv", stdin=f"{HAND}\n24/A3/23 -\n")
    assert (code, err) == (0, "")
    first, second = csv.DictReader(io.StringIO(out))
    assert (first["position"], first["objective"]) == (HAND, "points")
    assert float(first["value"]) == pytest.approx(2.6)
    mix = dict(word.split(":") for word in first["mine"].split())
    assert {card: float(p) for card, p in mix.items()} == pytest.approx({"2": 0.4, "4": 0.6})
    assert (second["gap"], second["mine"], second["theirs"]) == ("", "", "")


def test_probe_reads_positions_and_names_the_bad_lines(call: Call) -> None:
    lines = [HAND, "", "33/24/2 3", "  24/A3/23 -  ", "start 10 3", "start 4 K", "start 4 4"]
    code, out, err = call("probe", "-", "--json", stdin="\n".join(lines) + "\n")
    assert code == 1
    answers = [json.loads(line) for line in out.splitlines()]
    assert [answer["position"] for answer in answers] == [HAND, "24/A3/23 -", "A234/A234/A23 4"]
    complaints = err.splitlines()
    assert [complaint.split(": ")[:2] for complaint in complaints] == [["goofspiel", f"line {n}"] for n in (3, 5, 6)]
    assert "'33/24/2 3'" in complaints[0]
    assert "goofspiel solve 10" in complaints[1]
    assert call("probe", "-", "--json", stdin="") == (0, "", "")


def test_probe_reads_bytes_that_are_no_text(tables: Path) -> None:
    """In a UTF-8 locale too, where Python refuses such bytes by itself."""
    stdin = b"\xff\xfe\n" + HAND.encode() + b"\n"
    done = run("probe", "-", "--csv", store=tables, stdin=stdin, env={"LC_ALL": "C.UTF-8", "PYTHONUTF8": "0"})
    assert done.returncode == 1
    assert done.stdout.decode().splitlines()[1].startswith(HAND)
    assert done.stderr.decode().startswith("goofspiel: line 1: ")
    assert done.stderr.count(b"\n") == 1


def test_probe_asks_the_table_that_is_named(call: Call, tables: Path, tmp_path: Path) -> None:
    by_table = [the_json(call("probe", HAND, "--cards", cards, "--json")) for cards in (4, 5)]
    assert [found.pop("cards") for found in by_table] == [4, 5]
    assert [found.pop("rules") for found in by_table] == ["4", "5"]
    assert [Path(found.pop("table")).name for found in by_table] == ["points-4.zarr", "points-5.zarr"]
    assert [found.pop("occurs") for found in by_table] == [False, True]
    assert [found.pop("bound") < 1e-12 for found in by_table] == [True, True]
    assert by_table[0] == by_table[1]
    # Without a name: the smallest solved table that holds the position; none is made.
    shutil.copytree(tables / "points-5.zarr", tmp_path / "points-5.zarr")
    assert call("probe", HAND, "--store", tmp_path)[0] == 0
    assert {path.name for path in tmp_path.iterdir()} == {"points-5.zarr"}


def test_probe_solves_a_small_table_when_it_is_first_asked_for(call: Call, tmp_path: Path) -> None:
    assert the_json(call("probe", HAND, "--json", "--store", tmp_path))["value"] == pytest.approx(2.6)
    assert {path.name for path in tmp_path.iterdir()} == {"points-4.zarr", "points-4.lock"}


# --- one of a kind


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("probe", "A/A/- A 5", "--cards", 1), "no game of 1 card comes to this position"),
        (("match", "uniform", "match", "--cards", 3, "--games", 1, "--quiet"), "match: 1 game of 3 cards, seed 0"),
        (("match", "uniform", "match", "--cards", 1, "--games", 10, "--quiet"), "match: 10 games of 1 card, seed 0"),
        (("export", "{out}", "--cards", 4, "--positions", 1, "--quiet"), "1 position in 1 file: "),
        (("verify", 2, "--positions", 1, "--quiet"), "  1 block read, "),
        (("verify", 2, "--positions", 1, "--quiet"), "  1 position ("),
        (("solve", 2, "--dry-run"), " in 1 block\n"),
    ],
)
def test_one_thing_is_no_plural(call: Call, tmp_path: Path, words: tuple[object, ...], said: str) -> None:
    call("solve", 2, "--store", tmp_path / "store", "--quiet")
    code, out, _ = call(*(str(word).format(out=tmp_path / "out") for word in words), "--store", tmp_path / "store")
    assert code == 0
    assert said in out


# --- table


def csv_table(out: str) -> tuple[list[str], dict[int, list[float]]]:
    header, *rows = csv.reader(io.StringIO(out))
    return header, {int(bid): [float(p) for p in row] for bid, *row in rows}


def test_table_csv_and_json_have_full_precision(call: Call) -> None:
    code, out, err = call("table", 5, "--csv")
    assert (code, err) == (0, "")
    header, rows = csv_table(out)
    assert header == ["bid", "1", "2", "3", "4", "5"]
    assert list(rows) == [1, 2, 3, 4, 5]
    for upcard in range(5):
        assert sum(row[upcard] for row in rows.values()) == pytest.approx(1, abs=1e-12)
    as_json = the_json(call("table", 5, "--json"))
    assert as_json["probability"] == list(rows.values())  # not one bit is lost
    assert (as_json["cards"], as_json["objective"], len(as_json["unique"])) == (5, "points", 5)
    assert 0 <= as_json["gap"] < 1e-11
    for upcard in (1, 5):
        mix = the_json(call("probe", f"start 5 {upcard}", "--cards", 5, "--json"))["mine"]
        assert [row[upcard - 1] for row in rows.values()] == list(mix.values())


def test_table_text_and_latex_show_the_same_numbers(call: Call) -> None:
    _, exact = csv_table(call("table", 5, "--csv")[1])
    text = call("table", 5)[1]
    header, _, *rows = text.splitlines()
    assert header.split() == ["|", "1", "2", "3", "4", "5"]
    shown = {bid: ["0" if p == 0 else f"{p:.4f}" for p in row] for bid, row in exact.items()}
    assert {int(bid): row for bid, _, *row in map(str.split, rows)} == shown
    latex = call("table", 5, "--latex")[1]
    assert latex.startswith("\\begin{tabular}{c|rrrrr|}")
    assert latex.endswith("\\end{tabular}\n")
    for bid, row in shown.items():
        assert rf"\textbf{{{bid}}} & {' & '.join(row)} \\" in latex
    two = call("table", 5, "--digits", 2)[1].splitlines()[2].split()[2:]
    assert two == ["0" if p == 0 else f"{p:.2f}" for p in exact[1]]


@pytest.mark.parametrize("cards", [1, 2])
def test_table_of_the_smallest_games(call: Call, tmp_path: Path, cards: int) -> None:
    for form in ((), ("--csv",), ("--json",), ("--latex",)):
        code, out, _ = call("table", cards, *form, "--store", tmp_path)
        assert code == 0
        assert "1" in out
    certain = {1: {1: [1]}, 2: {1: [1, 0], 2: [0, 1]}}  # with two cards: bid what is shown
    assert csv_table(call("table", cards, "--csv", "--store", tmp_path)[1])[1] == certain[cards]


def test_table_png_is_a_picture(call: Call, tmp_path: Path) -> None:
    from matplotlib.image import imread

    path = tmp_path / "first.png"
    assert call("table", 4, "--figure", path) == (0, f"{call('table', 4)[1]}\n{path}\n", "")
    assert path.read_bytes().startswith(b"\x89PNG")
    pixels = imread(path, format="png")
    assert min(pixels.shape[:2]) > 200
    assert pixels.std() > 0.01  # not a blank page


@pytest.mark.parametrize(("form", "begin"), [("pdf", b"%PDF"), ("svg", b"<?xml")])
def test_table_as_a_drawing(call: Call, tmp_path: Path, form: str, begin: bytes) -> None:
    path = tmp_path / f"first.{form}"
    assert call("table", 4, "--csv", "--figure", path) == (0, call("table", 4, "--csv")[1], "")
    assert path.read_bytes().startswith(begin)
    path.unlink()
    assert the_json(call("table", 4, "--json", "--figure", path))["figure"] == str(path)
    assert path.read_bytes().startswith(begin)


# --- with the objective win


@pytest.fixture(scope="module")
def win_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a table of each objective, not to be changed."""
    store = tmp_path_factory.mktemp("win")
    for objective in ("points", "win"):
        solve(4, objective=objective, store=store)
    return store


def test_probe_to_win(call: Call, win_store: Path) -> None:
    found = the_json(call("probe", "24/A3/2 3 -1", "--objective", "win", "--json", "--store", win_store))
    assert (found["position"], found["objective"]) == ("24/A3/2 3 -1", "win")
    assert found["matrix"] == [[1, -1], [0, 1]]  # by hand
    assert found["value"] == pytest.approx(1 / 3)
    assert found["mine"] == pytest.approx({"2": 1 / 3, "4": 2 / 3})
    assert found["outcomes"] == pytest.approx({"win": 4 / 9, "draw": 4 / 9, "loss": 1 / 9}, abs=1e-6)
    points = the_json(call("probe", "24/A3/2 3 -1", "--json", "--store", win_store))
    assert "outcomes" not in points
    assert points["value"] == pytest.approx(1.6)
    _, text, _ = call("probe", "24/A3/2 3 -1", "--objective", "win", "--store", win_store)
    assert text.splitlines()[:3] == [
        "24/A3/2 3 -1",
        "note      no game of 4 cards comes to this position; one of 5 does",
        "value     +0.333333 P(win) − P(loss)",
    ]
    assert "P(win)    0.444444    P(draw) 0.444444    P(loss) 0.111111" in text
    _, lines, _ = call("probe", "24/A3/2 3 -1", "--objective", "win", "--csv", "--store", win_store)
    assert lines.splitlines()[1].startswith("24/A3/2 3 -1,win,0.333")


def test_probe_to_win_before_the_upcard(call: Call, win_store: Path) -> None:
    found = the_json(call("probe", "24/A3/23 - -1", "--objective", "win", "--json", "--store", win_store))
    assert list(found) == [
        *("position", "rules", "objective", "value", "cards", "occurs", "outcomes", "upcards", "bound", "table"),
    ]
    assert found["value"] == pytest.approx(sum(found["upcards"].values()) / 2)


def test_probe_to_win_names_the_table_that_a_lead_needs(call: Call, win_store: Path) -> None:
    def complaint(*arguments: object) -> str:
        code, out, err = call("probe", *arguments, "--objective", "win", "--store", win_store)
        assert (code, out, err.count("\n")) == (1, "", 1)
        return err

    needed = complaint("A2/34/34 - 4", "--cards", 4)
    assert "'A2/34/34 - 4' needs a table of 5 cards, win-4.zarr has 4" in needed
    assert f"goofspiel solve 5 --objective win --store {win_store}" in needed
    assert f"goofspiel solve 13 --objective win --store {win_store}" in complaint("23456789T/A3456789J/A2345678 K -5")
    everything = "A23456789TJQK[14][15][16]"
    assert "no game of up to 16 cards comes to such a lead" in complaint(f"{everything}/{everything}/{everything} - 5")
    assert {path.name for path in win_store.glob("*.zarr")} == {"points-4.zarr", "win-4.zarr"}


def test_table_to_win(call: Call, win_store: Path) -> None:
    _, out, _ = call("table", 4, "--objective", "win", "--csv", "--store", win_store)
    header, *lines = csv.reader(io.StringIO(out))
    assert header == ["bid", "1", "2", "3", "4", "rules"]
    assert {line[-1] for line in lines} == {"4 win"}
    rows = {int(bid): [float(p) for p in row] for bid, *row, _ in lines}
    assert [row[1] for row in rows.values()] == pytest.approx([0.1860, 0.1247, 0.6893, 0], abs=1e-4)  # facts.md
    as_json = the_json(call("table", 4, "--objective", "win", "--json", "--store", win_store))
    assert (as_json["objective"], as_json["cards"]) == ("win", 4)
    assert call("table", 4, "--objective", "win", "--store", win_store)[1].startswith("rules 4 win\n\n")
    assert call("table", 4, "--objective", "win", "--latex", "--store", win_store)[1].startswith("% rules 4 win\n")
