"""The documents that make a table one of Zarr v3: a group, arrays in shards, arrays of single numbers."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from goofspiel.store.locations import read_whole, written_whole

FILL_VALUES = {"float64": "NaN", "float32": "NaN", "int32": -(1 << 31), "uint8": 128}  # no number, or the least
METADATA = "zarr.json"  # of the table, and of each of its arrays

_CHECKED: list[dict[str, Any]] = [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]


def group_document(attributes: dict[str, Any] | None = None) -> dict[str, Any]:
    """Of a group."""
    return {"attributes": attributes or {}, "zarr_format": 3, "node_type": "group"}


def array_document(
    shape: Sequence[int], dtype: str, shards: Sequence[int], chunks: Sequence[int] | None = None
) -> dict[str, Any]:
    """Of an array. What is not written has no number; every chunk has a checksum."""
    codecs = _CHECKED
    if chunks is not None:
        inner = {"chunk_shape": list(chunks), "codecs": _CHECKED, "index_codecs": _CHECKED, "index_location": "end"}
        codecs = [{"name": "sharding_indexed", "configuration": inner}]
    return {
        "shape": list(shape),
        "data_type": dtype,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(shards)}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": FILL_VALUES[dtype],
        "codecs": codecs,
        "attributes": {},
        "zarr_format": 3,
        "node_type": "array",
        "storage_transformers": [],
    }


def write_document(folder: Path, document: dict[str, Any], *, sync: bool = False) -> None:
    """Whole or not at all."""
    with written_whole(folder / METADATA, sync=sync) as file:
        file.write(json.dumps(document, indent=2).encode())


def read_document(folder: Path) -> dict[str, Any]:
    """What a folder says of itself, or a ValueError."""
    document = json.loads(read_whole(folder / METADATA))
    if not isinstance(document, dict):
        raise ValueError(f"it is no document of Zarr: {document!r}")
    return document


def is_readable(folder: Path) -> bool:
    """Whether a folder has a document: a power cut may leave an empty one."""
    try:
        read_document(folder)
    except (FileNotFoundError, ValueError):
        return False
    return True


def is_same(document: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two documents say the same: what is empty may be left out."""
    return bool(_essence(document) == _essence(other))


def shapes_of(document: dict[str, Any]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The shapes of the shards of an array and of the chunks in them, or a ValueError."""
    try:
        shards = document["chunk_grid"]["configuration"]["chunk_shape"]
        chunks = document["codecs"][0]["configuration"]["chunk_shape"]
    except (KeyError, TypeError, IndexError):
        raise ValueError("it is not an array in shards") from None
    for shape in (shards, chunks):
        if not isinstance(shape, list) or not all(type(size) is int and size > 0 for size in shape):
            raise ValueError(f"chunks of shape {shape!r}")
    return tuple(shards), tuple(chunks)


def _essence(node: Any) -> Any:
    if isinstance(node, dict):
        return {name: _essence(part) for name, part in node.items() if part not in ({}, [])}
    if isinstance(node, list):
        return [_essence(part) for part in node]
    return node
