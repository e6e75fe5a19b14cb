import numpy as np
from numpy.typing import NDArray

LANES: int
BASIS_CACHE: int
NEIGHBOURS: int

def kernels() -> list[str]: ...
def solve_batch(
    matrices: NDArray[np.float64],
    values: NDArray[np.float64],
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    gaps: NDArray[np.float64],
    *,
    kernel: str = "",
) -> tuple[int, int]: ...
def successor_codes(
    mine: NDArray[np.uint16],
    theirs: NDArray[np.uint16],
    rows: NDArray[np.uint16],
    columns: NDArray[np.uint16],
    offsets: NDArray[np.int64],
    ranks: NDArray[np.int32],
    squeezed: NDArray[np.uint8],
    starts: NDArray[np.int64],
    halves: NDArray[np.int64],
    equal: int,
    codes: NDArray[np.uint32],
) -> None: ...
def solve_block(
    children: NDArray[np.float64] | NDArray[np.float32] | NDArray[np.int32] | NDArray[np.uint8],
    child_of: NDArray[np.int32],
    prizes: NDArray[np.float64],
    row_of: NDArray[np.int32],
    shares: NDArray[np.float64],
    shapes: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    codes: NDArray[np.uint32],
    begin: int,
    end: int,
    scale: float,
    out: NDArray[np.float64],
    *,
    unit: float = 1.0,
    tied: NDArray[np.float64] | NDArray[np.float32] | NDArray[np.int32] | NDArray[np.uint8] | None = None,
    tied_of: NDArray[np.int32] | None = None,
    stop: NDArray[np.int32] | None = None,
    kernel: str = "",
) -> tuple[int, float, dict[str, int]]: ...
def solve_round(
    children: NDArray[np.float32] | NDArray[np.int32],
    prize: int,
    share: float,
    shapes: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    codes: NDArray[np.uint32],
    begin: int,
    end: int,
    out: NDArray[np.float64],
    laid_out: NDArray[np.uint32],
    basis_cache: NDArray[np.uint32],
    *,
    unit: float = 1.0,
    child_draws: NDArray[np.float32] | None = None,
    tied: NDArray[np.float32] | NDArray[np.int32] | None = None,
    tied_draws: NDArray[np.float32] | None = None,
    draws: NDArray[np.float64] | None = None,
    stop: NDArray[np.int32] | None = None,
    kernel: str = "",
) -> tuple[int, float, dict[str, int]]: ...
def best_reply_to(
    firsts: NDArray[np.int64],
    parents: NDArray[np.int64],
    first: int,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    pairs: NDArray[np.uint32],
    payments: NDArray[np.float64],
    reach: NDArray[np.float64],
    gains: NDArray[np.float64],
    *,
    threads: int = 1,
) -> float: ...
def match_regrets(
    firsts: NDArray[np.int64],
    parents: NDArray[np.int64],
    first: int,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    pairs: NDArray[np.uint32],
    payments: NDArray[np.float64],
    state: NDArray[np.float64],
    average: NDArray[np.float64],
    gains: NDArray[np.float64],
    *,
    method: int,
    begin: int,
    end: int,
    threads: int = 1,
) -> None: ...
