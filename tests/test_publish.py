"""`goofspiel site`: a folder that holds the page and tables, as exact as it says, and is brought up to date."""

import gzip
import json
import random
import re
import shutil
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import run
from drawn import drawn_position
from engine import running

from goofspiel.errors import GoofspielError, MissingTableError
from goofspiel.rules import Rules
from goofspiel.site.facts import table_facts
from goofspiel.site.page import VIEWS, page_files
from goofspiel.site.plan import MOST_FILE_BYTES, SitePlan, SiteTable, plan_site
from goofspiel.site.writing import write_site
from goofspiel.solver import solve
from goofspiel.store import Table, table_path
from goofspiel.store.blocks import Geometry
from goofspiel.store.recut import recut
from goofspiel.tablebase import Tablebase, open_tablebase, table_bound
from goofspiel.tablebase.verification import verify

SMALL = [Rules(cards, objective=objective) for cards in (3, 4, 5) for objective in ("points", "win")]


@pytest.fixture(scope="module")
def site(store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of games of 3 to 5 cards, not to be changed."""
    folder = tmp_path_factory.mktemp("site") / "site"
    done = run("site", str(folder), "--cards", "3-5", "--json", "--quiet", store=store)
    assert (done.returncode, done.stderr) == (0, "")
    said = json.loads(done.stdout)
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert said["bytes"] == sum(path.stat().st_size for path in files)
    assert said["files"] == len(files)
    assert [table["rules"] for table in said["tables"]] == [str(rules) for rules in SMALL]
    return folder


def index_of(site: Path) -> dict[str, Any]:
    index: dict[str, Any] = json.loads((site / "tables/index.json").read_bytes())
    return index


def test_every_file_has_its_checksum(site: Path) -> None:
    lines = (site / "SHA256SUMS").read_text().splitlines()
    listed = {name: digest for digest, name in (line.split("  ") for line in lines)}
    there = {str(path.relative_to(site)) for path in site.rglob("*") if path.is_file()}
    assert listed.keys() == there - {"SHA256SUMS"}
    for name, digest in listed.items():
        assert sha256((site / name).read_bytes()).hexdigest() == digest


def test_the_index_says_what_the_tables_are(site: Path) -> None:
    tables = index_of(site)["tables"]
    for facts in tables:
        table = Table.open(site / "tables" / facts["path"], Rules.parse(facts["rules"]))
        assert table_facts(table).items() <= facts.items()
        assert facts["dtype"] == "fixed32"
    notice = (site / "NOTICE.txt").read_text()
    for facts in tables:
        assert re.search(rf"^{facts['rules']} +fixed32 .* {facts['value_bound']:.1e} ", notice, re.MULTILINE)


def test_the_page_is_there_once_for_each_view(site: Path) -> None:
    for name, content in page_files().items():
        assert (site / name).read_bytes() == content
    # Every link of a document leads to a file of the site, wherever the site is.
    for name in ("index.html", "play/index.html", "explore/index.html", "study/index.html"):
        text = (site / name).read_text(encoding="utf-8")
        links = re.findall(r'(?:href|src)="([^"#]*)"', text)
        assert links
        for link in links:
            target = (site / name).parent / link
            assert not link.startswith(("/", "http")), link
            assert target.is_file() or (target / "index.html").is_file() or "api/v1" in link, link
    # Where there is nothing, no link can be relative: the host says where the site is.
    missing = page_files("/games/goofspiel/")["404.html"].decode()
    for link in re.findall(r'(?:href|src)="([^"#]*)"', missing):
        target = site / link.removeprefix("/games/goofspiel/")
        assert link.startswith("/games/goofspiel/")
        assert target.is_file() or (target / "index.html").is_file(), link


def test_the_document_names_all_modules_that_its_view_needs(site: Path) -> None:
    """So that they are loaded at once, and not in waves."""
    for view in VIEWS:
        text = (site / view / "index.html").read_text(encoding="utf-8")
        named = {(site / view / link).resolve() for link in re.findall(r'rel="modulepreload" href="([^"]*)"', text)}
        for path in named:
            for imported in re.findall(r'^(?:import|export)\b[^;]* from "([^"]+)";', path.read_text(), re.MULTILINE):
                assert (path.parent / imported).resolve() in named, (path.name, imported)
        assert {f"{view}.js", "main.js", "worker.js", "service.js"} <= {path.name for path in named}
        rooms = {f"{name}.js" for name in VIEWS}
        assert rooms & {path.name for path in named if path.parent.name != "engine"} == {f"{view}.js"}


def test_a_first_visit_loads_no_more_than_120_kb() -> None:
    """Compressed, all that the document of a view names, besides icons: before the first card can be played."""
    files = page_files()
    for view in VIEWS:
        document = files[f"{view}/index.html"]
        links = set(re.findall(r'(?:href|src)="\.\./([^"]+)"', document.decode())) & files.keys()
        loaded = [files[name] for name in links if not name.endswith((".png", ".webmanifest"))]
        assert sum(len(gzip.compress(content)) for content in [document, *loaded]) <= 120_000


def test_who_is_guided_loads_no_more_either() -> None:
    """A first visit to the folder itself: what its document names, and what the guided game needs besides."""
    files = page_files()
    named = set()
    for name, root in (("index.html", "./"), ("guide/index.html", "../")):
        named |= set(re.findall(rf'(?:href|src)="{re.escape(root)}([^"]+)"', files[name].decode())) & files.keys()
    loaded = [files[name] for name in named if not name.endswith((".png", ".webmanifest"))]
    assert sum(len(gzip.compress(content)) for content in [files["index.html"], *loaded]) <= 120_000


def test_the_worker_keeps_every_file_of_the_page() -> None:
    files = page_files()
    kept = json.loads(re.search(r"const FILES = (\[.*\]);", files["sw.js"].decode())[1])  # type: ignore[index]
    listed = {f"{name}index.html" if not name or name.endswith("/") else name for name in kept}
    assert listed == files.keys() - {"sw.js", "404.html"}


def test_the_tables_are_those_of_the_store(site: Path, store: Path) -> None:
    """Within the bounds that both have, by the library and by the engine."""
    chance = random.Random(1)
    with running() as engine:
        engine.open_facts([facts | {"folder": str(site / "tables")} for facts in index_of(site)["tables"]])
        for rules in SMALL:
            original = open_tablebase(rules, store=store)
            published = Tablebase(Table.open(table_path(site / "tables", rules)))
            positions = [drawn_position(chance, rules) for _ in range(20)]
            close = original.bound.value + published.bound.value
            assert published.values(positions) == pytest.approx(original.values(positions), abs=close)
            for position in positions:
                found = engine.ask("probe", rules=str(rules), position=str(position), cards=rules.cards)
                assert found["value"] == pytest.approx(published.probe(position).value, abs=1e-9)
                assert found["bound"] == pytest.approx(published.probe(position).bound, rel=1e-3, abs=1e-12)
            assert verify(Table.open(published.path), positions=20).passed


# --- how large it gets


def test_a_dry_run_says_how_large_it_gets(site: Path, store: Path) -> None:
    done = run("site", "nowhere", "--cards", "3-5", "--dry-run", "--json", store=store)
    said = json.loads(done.stdout)
    blocks = [path for path in site.glob("tables/*/level-*/**/c/**/*") if path.is_file()]
    page = sum(map(len, page_files().values()))
    assert said["bytes"] == page + sum(path.stat().st_size for path in blocks)
    assert said["largest_file_bytes"] == max(path.stat().st_size for path in blocks)
    assert not Path("nowhere").exists()


def test_all_games_of_up_to_9_cards_take_no_more_than_40_mb(store: Path) -> None:
    games = [Rules(cards, objective=objective) for cards in range(3, 10) for objective in ("points", "win")]
    plan = plan_site(games, store)
    assert plan.missing == ()
    assert plan.bytes <= 40_000_000


def test_13_cards_take_no_more_than_700_mib(tmp_path: Path) -> None:
    """As a forecast: nothing is solved for it."""
    small = plan_site([Rules(c, objective=o) for c in range(3, 10) for o in ("points", "win")], tmp_path)
    plan = SitePlan((*small.tables, SiteTable(Rules(13), "fixed32")), ())
    assert plan.bytes <= 0.7 * 2**30
    assert plan.largest_file <= MOST_FILE_BYTES
    assert SitePlan((SiteTable(Rules(13, objective="win"), "fixed32"),), ()).largest_file <= MOST_FILE_BYTES


# --- up to date, and nothing else touched


def stamps(folder: Path) -> dict[str, int]:
    return {str(path.relative_to(folder)): path.stat().st_mtime_ns for path in folder.rglob("c/**/*") if path.is_file()}


def test_a_site_is_brought_up_to_date(site: Path, store: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(site, copy)
    before = stamps(copy)
    done = run("site", str(copy), "--cards", "4-6", "--objective", "points", "--quiet", store=store)
    assert (done.returncode, done.stderr) == (0, "")
    after = stamps(copy)
    assert [table["rules"] for table in index_of(copy)["tables"]] == ["4", "5", "6"]
    kept = [name for name in before if "points-4" in name or "points-5" in name]
    assert kept
    assert all(after[name] == before[name] for name in kept)
    assert {path.name for path in (copy / "tables").iterdir()} == {
        "index.json",
        "points-4.zarr",
        "points-5.zarr",
        "points-6.zarr",
    }
    # What was interrupted is written anew.
    header = copy / "tables/points-4.zarr/zarr.json"
    header.write_text(header.read_text().replace('"complete": true', '"complete": false'))
    assert run("site", str(copy), "--cards", "4-6", "--objective", "points", "--quiet", store=store).returncode == 0
    assert Table.open(copy / "tables/points-4.zarr").header.complete
    # Values of another type, too.
    assert run("site", str(copy), "--cards", "4", "--dtype", "fixed24", "--quiet", store=store).returncode == 0
    assert {table["dtype"] for table in index_of(copy)["tables"]} == {"fixed24"}


def test_what_is_missing_is_left_out_and_named(store: Path) -> None:
    done = run("site", "nowhere", "--cards", "3,12", "--objective", "points", "--dry-run", store=store)
    assert done.returncode == 0
    assert "not solved here, left out: 12\n" in done.stdout


def test_a_file_is_no_site(store: Path, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine", encoding="utf-8")
    done = run("site", str(tmp_path / "README.md"), "--cards", "3", "--quiet", store=store)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"goofspiel: {tmp_path}/README.md is a file, a site is a folder\n"


def test_other_folders_are_left_alone(store: Path, tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    solve(3, store=tmp_path / "tables")
    plan = plan_site([Rules(3)], store)
    with pytest.raises(GoofspielError, match="is not empty, and no site: it has 'tables'"):
        write_site(plan, tmp_path, store)
    assert Table.open(tmp_path / "tables/points-3.zarr").header.complete
    write_site(plan, tmp_path / "site", store)
    with pytest.raises(GoofspielError, match="is the folder of the site's own tables"):
        write_site(plan, tmp_path / "site", tmp_path / "site/tables")
    (tmp_path / "site/tables/index.json").write_text("{")
    with pytest.raises(GoofspielError, match="is no site that can be brought up to date"):
        write_site(plan, tmp_path / "site", store)


# --- tables written anew


@pytest.mark.parametrize(
    "rules", [Rules(6), Rules(5, objective="win"), Rules(4, prizes=(1, 1, 2, 5, 9), rounds=2)], ids=str
)
@pytest.mark.parametrize("dtype", ["fixed32", "fixed24", "float32"])
def test_the_bounds_of_a_table_that_is_written_anew_hold(tmp_path: Path, rules: Rules, dtype: str) -> None:
    """Also of one that was rounded before: against the table in the finest type."""
    finest = Table.open(solve(rules, store=tmp_path / "finest"))
    source = Table.open(solve(rules, store=tmp_path / "source", dtype="float32"))
    cut = Geometry(block_bytes=1 << 9, least_rows=4, least_lead_rows=2, chunk_bytes=1 << 7)
    for number, table in enumerate((finest, source)):
        new = recut(table, tmp_path / f"{number}.zarr", dtype=dtype, geometry=cut)
        assert new.layout.geometry == cut
        bounds = zip(new.layout.levels, table_bound(new).levels, table_bound(finest).levels, strict=True)
        for level, claimed, known in bounds:
            for band in range(len(level.bands)):
                values, right = (
                    each.layout.level(level.level).encoding.decode(
                        each.read_rows(level.level, 0, level.bands[band].rows, band=band)
                    )
                    for each in (new, finest)
                )
                assert np.abs(values - right).max() <= claimed + known


def test_only_a_whole_table_is_written_anew(tmp_path: Path) -> None:
    last = Table.open(solve(4, store=tmp_path, keep="last"))
    with pytest.raises(MissingTableError, match="does not have all of its levels"):
        recut(last, tmp_path / "new.zarr", dtype="fixed32", geometry=last.header.geometry)
    assert plan_site([Rules(4)], tmp_path).missing == (Rules(4),)
