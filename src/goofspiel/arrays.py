"""The arrays that modules hand to each other, by what they hold."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Ints = NDArray[np.int32]
Numbers = NDArray[np.int64]
Values = NDArray[np.float64] | NDArray[np.float32]
"""What a table holds, in the precision of its store."""
