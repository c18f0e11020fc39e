"""Which part of each feature map a patch of the input can reach."""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True, eq=False)
class Span:
    """Stretches of equal length along one side of a feature map, one for each patch.

    Attributes
    ----------
    starts
        int64 (patches,), on the CPU: the first cell.
    size, side
        Number of cells of a stretch and of the whole side. Stretches lie within the side; only the
        inputs that a window needs (`needed`) may run over its ends.
    """

    starts: Tensor
    size: int
    side: int

    @property
    def whole(self) -> bool:
        """Whether a stretch covers the whole side."""
        return self.size >= self.side

    def cells(self) -> Tensor:
        """Return the cells of every stretch, (patches, size)."""
        return self.starts[:, None] + torch.arange(self.size)


def stretches(first: Tensor, last: Tensor, side: int) -> Span:
    """Return the equally long stretches that contain all cells from ``first`` to ``last``.

    Parameters
    ----------
    first, last
        int64 (patches,); may lie outside the side.
    side
        Cells of the side.
    """
    first, last = first.clamp(0, side - 1), last.clamp(0, side - 1)
    size = max(1, int((last - first).max()) + 1)
    return Span(first.clamp(max=side - size), size, side)


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
    first = span.starts + padding - (kernel - 1)
    last = span.starts + span.size - 1 + padding
    return stretches(-(-first // stride), last // stride, side)


def needed(span: Span, kernel: int, stride: int, padding: int, side: int) -> Span:
    """Return the inputs that a window sees for these outputs; they may run over the edge."""
    return Span(span.starts * stride - padding, (span.size - 1) * stride + kernel, side)


def united(spans: list[Span]) -> Span:
    """Return, for each patch, the stretch that contains the stretches of all spans."""
    first = torch.stack([span.starts for span in spans]).amin(dim=0)
    last = torch.stack([span.starts + span.size for span in spans]).amax(dim=0)
    return stretches(first, last - 1, spans[0].side)


def everything(span: Span) -> Span:
    """Return the whole side for every patch."""
    return Span(torch.zeros_like(span.starts), span.side, span.side)


@dataclass(frozen=True, slots=True, eq=False)
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


def sources(
    wanted: Region, given: Region, corner: tuple[int, int], width: int, device: torch.device
) -> Tensor:
    """Return where each cell of rectangles comes from.

    Parameters
    ----------
    wanted
        The rectangles to fill.
    given
        Rectangles of the same feature map, whose cells were computed for each patch.
    corner
        Row and column, in the feature map, at which the clean map with its margin begins.
    width
        Columns of the clean map with its margin.
    device
        Device of the result.

    Returns
    -------
    int64 (count · rows · columns,)
        A cell of the given rectangles if there is one, else a cell of the clean map. They are
        indices into two lists laid end to end: the given rectangles' cells, one rectangle after
        another, and the clean map's cells, row by row.
    """
    rows, columns = wanted.rows.cells(), wanted.columns.cells()
    down, across = rows - given.rows.starts[:, None], columns - given.columns.starts[:, None]
    tall, wide = given.rows.size, given.columns.size
    cells = given.count * tall * wide
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
