"""The state of a search that is running."""

from __future__ import annotations

from typing import NamedTuple


class Progress(NamedTuple):
    """The state of a search that is running, for a progress callback."""

    height: int  #: that of the lowest plan so far; 0 if there is none
    lower_bound: int  #: it is proven that no plan is lower
    nodes: int  #: nodes searched so far
    seconds: float  #: time since the start
