"""Write a site: tables first, then the page, then the list of the tables: nothing is listed before it is there."""

import json
import shutil
from collections.abc import Callable
from hashlib import file_digest
from pathlib import Path
from typing import Any

from goofspiel import __version__
from goofspiel.errors import GoofspielError
from goofspiel.rules import Rules
from goofspiel.site.facts import table_facts
from goofspiel.site.page import SHARED, is_lasting, page_files
from goofspiel.site.plan import SitePlan, SiteTable
from goofspiel.solver.plan import size_text
from goofspiel.store import Table, table_path
from goofspiel.store.digest import table_digest
from goofspiel.store.locations import is_local, written_whole
from goofspiel.store.recut import recut
from goofspiel.tablebase import open_tablebase

TABLES, INDEX = "tables", "index.json"
NOTICE, CHECKSUMS = "NOTICE.txt", "SHA256SUMS"
OFFLINE = 9  # cards of games that a browser keeps once it has seen the page
PLAIN = ".nojekyll"  # tells GitHub Pages to take the files as they are

OnProgress = Callable[[int, int, str], None]  # bytes written, of how many, which table


def write_site(
    plan: SitePlan,
    folder: Path,
    store: Path,
    *,
    under: str = "/",
    on_progress: OnProgress = lambda done, whole, table: None,
) -> dict[str, Any]:
    """Write a site to a new folder, or bring one up to date; what it holds.

    It works wherever the host shows it; only its page for addresses where there is nothing needs to know `under` which
    path that is.
    """
    tables = folder / TABLES
    if folder.exists() and not folder.is_dir():
        raise GoofspielError(f"{folder} is a file, a site is a folder")
    if is_local(store) and tables.resolve() == store.resolve():
        raise GoofspielError(f"{store} is the folder of the site's own tables, not one to publish from")
    before = _listed(folder)
    _write_index(tables, list(before.values()))  # from now on the folder is a site, however far this gets
    whole, done, facts = sum(sum(table.file_bytes) for table in plan.tables), 0, []
    for table in plan.tables:

        def told(count: int, table: SiteTable = table) -> None:
            nonlocal done
            done += count
            on_progress(min(done, whole), whole, table.rules.slug)

        facts.append(_publish(table, tables, store, before, told))
    page = page_files(under)
    _forget_versions(folder, page)
    _write_files(folder, page | {PLAIN: b"", NOTICE: _notice(plan, facts).encode()})
    _write_index(tables, facts)
    for rules in before.keys() - {table["rules"] for table in facts}:
        shutil.rmtree(table_path(tables, Rules.parse(rules)), ignore_errors=True)
    count = _write_checksums(folder)
    on_progress(whole, whole, "")
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return {"site": str(folder), "tables": facts, "bytes": size, "files": count + 1}


def _forget_versions(folder: Path, page: dict[str, bytes]) -> None:
    """Old versions of the page go, but the last: pages that are open may still load parts of it."""
    (now,) = {Path(name).parts[1] for name in page if is_lasting(name)}
    versions = [path for path in (folder / SHARED).glob("*") if path.is_dir() and path.name != now]
    for path in sorted(versions, key=lambda path: path.stat().st_mtime)[:-1]:
        shutil.rmtree(path)


def _listed(folder: Path) -> dict[str, dict[str, Any]]:
    """The tables of a site that is there already, by their rules; other folders are left alone."""
    try:
        found = json.loads((folder / TABLES / INDEX).read_bytes())
        return {table["rules"]: table for table in found["tables"]}
    except FileNotFoundError:
        if folder.is_dir() and (left := sorted(path.name for path in folder.iterdir())):
            raise GoofspielError(f"{folder} is not empty, and no site: it has {left[0]!r}") from None
        return {}
    except (ValueError, KeyError, TypeError, NotADirectoryError) as error:
        raise GoofspielError(f"{folder} is no site that can be brought up to date: {error}") from None


def _publish(
    table: SiteTable, tables: Path, store: Path, before: dict[str, dict[str, Any]], told: Callable[[int], None]
) -> dict[str, Any]:
    """Write one table, unless it is there from before; what is said of it."""
    with open_tablebase(table.rules, store=store) as opened:  # solves it, if it is small and missing
        source = Table.open(opened.path, table.rules)
    path, digest = table_path(tables, table.rules), table_digest(source)
    known = before.get(str(table.rules), {})
    if known.get("source") == digest and known.get("dtype") == table.dtype and _is_whole(path, table):
        told(sum(table.file_bytes))
        return known
    shutil.rmtree(path, ignore_errors=True)
    return table_facts(recut(source, path, dtype=table.dtype, geometry=table.geometry, on_bytes=told)) | {
        "source": digest
    }


def _is_whole(path: Path, table: SiteTable) -> bool:
    """Whether a table that was written before is complete, in the cuts of today."""
    try:
        header = Table.open(path, table.rules).header
    except GoofspielError:
        return False
    return header.complete and header.geometry == table.geometry


def _write_index(tables: Path, facts: list[dict[str, Any]]) -> None:
    index = {"version": __version__, "offline": OFFLINE, "tables": facts}
    _write_files(tables, {INDEX: json.dumps(index, separators=(",", ":")).encode()})


def _write_files(folder: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        with written_whole(folder / name) as file:
            file.write(content)


def _write_checksums(folder: Path) -> int:
    """The sha256 of every file, as `sha256sum --check` reads them; how many there are."""
    lines = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path != folder / CHECKSUMS):
        with path.open("rb") as file:
            digest = file_digest(file, "sha256").hexdigest()
        lines.append(f"{digest}  {path.relative_to(folder).as_posix()}\n")
    _write_files(folder, {CHECKSUMS: "".join(lines).encode()})
    return len(lines)


def _notice(plan: SitePlan, facts: list[dict[str, Any]]) -> str:
    """What the site holds, and how exact it is, for people."""
    lines = [
        "Goofspiel, the Game of Pure Strategy, solved: a page to play, explore and study it, and the tables it reads.",
        "",
        "Nothing here runs on the host: the page works out every answer in the browser, from rows of these tables,",
        "and checks each row by its checksum. Any host of files will do; for tables of more than 9 cards it must",
        "answer requests for parts of files (HTTP ranges).",
        "",
        "Each table holds the value of every position of its game, and of all smaller ones of the same kind. A value",
        "is within the bound of the true one; every mix that the page shows carries its own proof, the gap.",
        "",
        f"{'game':24} {'values in':9} {'size':>10}  bound",
    ]
    for table, said in zip(plan.tables, facts, strict=True):
        size = size_text(sum(table.file_bytes))
        unit = "points" if table.rules.objective == "points" else "of P(win) - P(loss)"
        lines.append(f"{table.rules!s:24} {table.dtype:9} {size:>10}  {said['value_bound']:.1e} {unit}")
    return "\n".join(
        [
            *lines,
            "",
            f"Written by goofspiel {__version__}. `sha256sum --check --quiet SHA256SUMS` checks every file;",
            "`goofspiel verify --store tables` solves samples again; `goofspiel get URL` fetches a table from a host.",
            "",
        ]
    )
