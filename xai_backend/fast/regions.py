"""Equal rectangles of feature maps, one for each patch of a tile, and how layers widen them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor

KEPT = 1024
"""How many regions, and lists of their cells' sources, are kept for the next image: finding them
takes a tenth of a map's time. A list has some 50 kB with SqueezeNet."""


@dataclass(frozen=True, slots=True)
class Span:
    """Stretches of equal length along one side of a feature map, one for each patch.

    Attributes
    ----------
    starts
        The first cell of each.
    size, side
        Number of cells of a stretch and of the whole side. Stretches lie within the side; only the
        inputs that a window needs (`needed`) may run over its ends.
    """

    starts: tuple[int, ...]
    size: int
    side: int

    @property
    def end(self) -> int:
        """The first cell after all stretches."""
        return max(self.starts) + self.size

    def cells(self) -> Tensor:
        """Return the cells of every stretch, int64 (patches, size)."""
        return torch.tensor(self.starts)[:, None] + torch.arange(self.size)


def stretches(first: Sequence[int], last: Sequence[int], side: int) -> Span:
    """Return the equally long stretches that contain all cells from ``first`` to ``last``.

    Parameters
    ----------
    first, last
        Of each patch; may lie outside the side.
    side
        Cells of the side.
    """
    inside = [[min(max(cell, 0), side - 1) for cell in ends] for ends in (first, last)]
    size = max(1, 1 + max(end - start for start, end in zip(*inside, strict=True)))
    return Span(tuple(min(start, side - size) for start in inside[0]), size, side)


@lru_cache(KEPT)
def reached(span: Span, kernel: int, stride: int, padding: int, side: int) -> Span:
    """Return the outputs of a sliding window that see at least one cell of the stretches.

    Parameters
    ----------
    span
        Of the input.
    kernel
        Cells from the window's first to its last.
    stride, padding
        Of the window.
    side
        Cells of the output's side.
    """
    first = [-(-(start + padding - (kernel - 1)) // stride) for start in span.starts]
    last = [(start + span.size - 1 + padding) // stride for start in span.starts]
    return stretches(first, last, side)


def needed(span: Span, kernel: int, stride: int, padding: int, side: int) -> Span:
    """Return the inputs that a window sees for these outputs; they may run over the edge."""
    starts = tuple(start * stride - padding for start in span.starts)
    return Span(starts, (span.size - 1) * stride + kernel, side)


def united(spans: Sequence[Span]) -> Span:
    """Return, for each patch, the stretch that contains the stretches of all spans."""
    first = [min(starts) for starts in zip(*(span.starts for span in spans), strict=True)]
    ends = ([start + span.size - 1 for start in span.starts] for span in spans)
    last = [max(cells) for cells in zip(*ends, strict=True)]
    return stretches(first, last, spans[0].side)


def everything(span: Span) -> Span:
    """Return the whole side for every patch."""
    return Span((0,) * len(span.starts), span.side, span.side)


@dataclass(frozen=True, slots=True)
class Region:
    """Rectangles of a feature map: each stretch of rows with each stretch of columns."""

    rows: Span
    columns: Span

    @property
    def share(self) -> float:
        """Share of the feature map that a rectangle covers."""
        cells = self.rows.size * self.columns.size
        return cells / (self.rows.side * self.columns.side)

    @property
    def count(self) -> int:
        """Number of rectangles; they are numbered row by row."""
        return len(self.rows.starts) * len(self.columns.starts)

    def whole(self) -> "Region":
        """Return the region that is the whole feature map for each patch."""
        return Region(everything(self.rows), everything(self.columns))


@lru_cache(KEPT)
def sources(
    target: Region, source: Region, corner: tuple[int, int], width: int, device: torch.device
) -> Tensor:
    """Return where each cell of rectangles comes from.

    Parameters
    ----------
    target
        The rectangles to fill.
    source
        Rectangles of the same feature map, whose cells were computed for each patch.
    corner
        Row and column, in the feature map, at which the part of the clean map begins.
    width
        Columns of that part.
    device
        Device of the result.

    Returns
    -------
    int64 (count · rows · columns,)
        A cell of the given rectangles if there is one, else a cell of the clean map. They are
        indices into two lists laid end to end: the given rectangles' cells, one rectangle after
        another, and the cells of the clean map's part, row by row.
    """
    rows, columns = target.rows.cells(), target.columns.cells()
    down, across = rows - source.rows.cells()[:, :1], columns - source.columns.cells()[:, :1]
    tall, wide = source.rows.size, source.columns.size
    cells = source.count * tall * wide
    # Rectangles are numbered row by row of patches.
    before_rows = torch.arange(len(rows))[:, None] * len(columns) * tall * wide
    before_columns = torch.arange(len(columns))[:, None] * tall * wide
    fresh = _crossed(before_rows + down * wide, before_columns + across, device)
    clean = _crossed((rows - corner[0]) * width + cells, columns - corner[1], device)
    outside = _crossed(~_within(down, tall), ~_within(across, wide), device)
    return torch.where(outside, clean, fresh).flatten()


def _within(cells: Tensor, size: int) -> Tensor:
    return (cells >= 0) & (cells < size)


def _crossed(rows: Tensor, columns: Tensor, device: torch.device) -> Tensor:
    """Return the sums of (patches down, cells) with (patches across, cells), crossed."""
    return rows.to(device)[:, None, :, None] + columns.to(device)[None, :, None, :]
