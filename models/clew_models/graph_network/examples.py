"""A question with the chunks that answer it, as the network learns from them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew_models.graph_network.neighbourhood import Neighbourhood


@dataclass(frozen=True)
class NetworkExample:
    """A question's neighbourhood; ``gold`` [N of chunks]: which of its chunks answer it.

    ``wanted``: how many do, in the corpus: some may lie outside the neighbourhood.
    """

    part: Neighbourhood
    gold: NDArray[np.bool_]
    wanted: int
