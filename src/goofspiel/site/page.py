"""The page as files: one document for each view, beside the modules and styles that they share."""

import json
import re
from functools import cache
from hashlib import sha256
from pathlib import Path, PurePosixPath

STATIC = Path(__file__).parent.parent / "web" / "static"
VIEWS = ("play", "guide", "train", "habits", "explore", "study")  # one document; its modules look at the address
FIRST = VIEWS[0]  # what the folder itself shows
NOT_FOUND = "404.html"
KINDS = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
BESIDE = ("index.html", "sw.js", "manifest.webmanifest")  # which stand where they are found by name
SHARED = "static/"  # all others, in a folder named by what they hold: a page that is open keeps the files it began with
VERSION_LENGTH = 12  # characters that tell versions of the page apart
WORKER = "worker.js"

_ROOT = '="./'  # how the document names what is beside it
_PRELOADED = "<!-- the modules of the view -->\n"
_IMPORTED = re.compile(r'^(?:import|export)\b[^;]*?\bfrom "([^"]+)";', re.MULTILINE)


@cache
def page_files(under: str = "/") -> dict[str, bytes]:
    """Every file of the page, by its path below the folder of the site, which the host shows `under` a path."""
    there = sorted(path for path in STATIC.rglob("*") if path.is_file() and path.suffix in KINDS)
    found = {path.relative_to(STATIC).as_posix(): path.read_bytes() for path in there}
    shared = f"{SHARED}{_version(found)}/"
    document, worker, manifest = (found[name].decode().replace(SHARED, shared) for name in BESIDE)
    files = {f"{shared}{name}": content for name, content in found.items() if name not in BESIDE}
    documents = {f"{view}/": _document(document, found, shared, view, "../") for view in VIEWS}
    documents |= {"": _document(document, found, shared, FIRST, "./")}
    kept = json.dumps([*documents, *files, "manifest.webmanifest"])
    return {
        **{f"{folder}index.html": content.encode() for folder, content in documents.items()},
        NOT_FOUND: _document(document, found, shared, FIRST, under).encode(),
        "manifest.webmanifest": manifest.encode(),
        "sw.js": worker.replace("const FILES = [];", f"const FILES = {kept};").encode(),
        **files,
    }


def is_lasting(name: str) -> bool:
    """Whether a file never changes: another version of it has another name."""
    return name.startswith(SHARED)


def _version(files: dict[str, bytes]) -> str:
    """What names this version of the page."""
    digest = sha256()
    for name, content in files.items():
        digest.update(f"{name} {len(content)}\n".encode() + content)
    return digest.hexdigest()[:VERSION_LENGTH]


def _document(document: str, files: dict[str, bytes], shared: str, view: str, root: str) -> str:
    """The document of a view: it names all modules that are needed at once, so that they are not found in waves."""
    modules = _modules(files, "main.js", f"{view}.js", WORKER)
    links = "".join(f'<link rel="modulepreload" href="./{shared}{name}">\n' for name in modules)
    return document.replace(_PRELOADED, links).replace(_ROOT, f'="{root}')


def _modules(files: dict[str, bytes], *first: str) -> list[str]:
    """Modules, and all that they import, the first ones first."""
    found = list(first)
    for name in found:  # which grows meanwhile
        for imported in _IMPORTED.findall(files[name].decode()):
            path = _joined(PurePosixPath(name).parent, imported)
            if path not in found:
                found.append(path)
    return found


def _joined(folder: PurePosixPath, name: str) -> str:
    """The path of a file that a module in a folder names."""
    parts = list(folder.parts)
    for part in name.split("/"):
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)
