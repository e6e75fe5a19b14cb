"""What the files of a table are called, and its empty arrays."""

from contextlib import suppress
from typing import TYPE_CHECKING

from goofspiel.plan import LeadBand, Plan
from goofspiel.rules import Objective

if TYPE_CHECKING:
    import zarr

METADATA = "zarr.json"  # of the table, and of each of its arrays


def create_arrays(group: "zarr.Group", plan: Plan) -> None:
    """The arrays of a table, empty; what is there is left alone."""
    from zarr.errors import ContainsGroupError

    for level in plan.levels:
        _create_array(group, gap_name(level.level), "float64", shape=(level.block_count,), chunks=(1,))
        if plan.objective == Objective.WIN:
            with suppress(ContainsGroupError):  # another process has just made it
                group.require_group(level_name(level.level))
        for band in level.bands:
            axes = 2 if plan.objective == Objective.POINTS else 3
            across = -(-band.matchups // band.chunk_matchups) * band.chunk_matchups
            shape = band.prize_sets, band.matchups, band.leads
            shards = band.block_rows, across, band.leads
            chunks = band.chunk_rows, band.chunk_matchups, band.leads
            name = band_name(level.level, band)
            _create_array(group, name, plan.dtype, shape=shape[:axes], shards=shards[:axes], chunks=chunks[:axes])


def _create_array(group: "zarr.Group", name: str, dtype: str, **shapes: tuple[int, ...]) -> None:
    from zarr.codecs import BytesCodec, Crc32cCodec
    from zarr.errors import ContainsArrayError

    if name in group:
        return
    with suppress(ContainsArrayError):  # as above
        group.create_array(
            name,
            dtype=dtype,
            filters=None,
            serializer=BytesCodec(endian="little"),
            compressors=(Crc32cCodec(),),
            fill_value=float("nan"),
            config={"write_empty_chunks": True},
            **shapes,  # type: ignore[arg-type]
        )


def level_name(level: int) -> str:
    return f"level-{level:02}"


def band_name(level: int, band: LeadBand) -> str:
    lead = "" if band.objective == Objective.POINTS else f"/lead-{band.lead:02}"
    return level_name(level) + lead


def gap_name(level: int) -> str:
    return f"gap-{level:02}"
