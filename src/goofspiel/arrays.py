"""The arrays that modules hand to each other, by what they hold."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Ints = NDArray[np.int32]
Numbers = NDArray[np.int64]
Values = NDArray[Any]
"""What a table holds, as it is kept: in floating point, or as whole numbers."""
