"""Logits of an image under many patches, recomputing only what a patch can reach.

A patch changes a small part of the first feature maps; what surrounds it is the clean image's,
and is taken from there (as in Krypton: Nakandala et al., SIGMOD 2019). Patches are taken in
tiles, so that all of a tile's rectangles of a feature map are equally large and go through a
layer as one batch. Where a rectangle would be most of its map, whole maps are computed.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn import functional

from xai_backend.fast.operations import (
    Add,
    AveragePool,
    Convolution,
    Flatten,
    Join,
    Linear,
    MaxPool,
    Mean,
    Pair,
    Rectify,
    Step,
    Steps,
    is_fresh,
    last_uses,
    run,
)
from xai_backend.fast.regions import Region, needed, reached, sources, stretches, united

MOST_SHARE = 0.9
"""Share of a feature map: a rectangle that covers more isn't worth copying."""


@dataclass(frozen=True, slots=True)
class Patches:
    """A grid of square patches.

    Attributes
    ----------
    rows, columns
        Where patches begin; they may run over the edge.
    side_px
        Side of a patch, pixels.
    """

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    side_px: int

    def tiles(self, at_once: int) -> list[tuple[slice, slice]]:
        """Return parts of the grid, near squares of at most ``at_once`` patches each."""
        down = min(len(self.rows), max(1, math.isqrt(at_once)))
        across = min(len(self.columns), max(1, at_once // down))
        return [
            (slice(row, row + down), slice(column, column + across))
            for row in range(0, len(self.rows), down)
            for column in range(0, len(self.columns), across)
        ]


@torch.no_grad()
def occluded_logits(
    steps: Steps, signal: Tensor, cover: Tensor, patches: Patches, at_once: int
) -> Tensor:
    """Return the output of a network for an image under each of many patches.

    Parameters
    ----------
    steps
        A network with a single output (`narrowed`); fastest if `rewritten`.
    signal
        The network's input (1, C, H, W).
    cover
        The image that patches show, of the same shape.
    patches
        Positions of the patches.
    at_once
        Patches that go through the network together.

    Returns
    -------
    (1 + patches down · patches across,)
        The output without a patch, then under each patch, row by row, in the type of the last
        weights.
    """
    clean, wider = _Clean(run(steps, signal, keep=range(len(steps) + 1))), wider_partners(steps)
    whole = clean.maps[len(steps)].view(1)
    logits = whole.new_empty(len(patches.rows), len(patches.columns))
    for rows, columns in patches.tiles(at_once):
        some = Patches(patches.rows[rows], patches.columns[columns], patches.side_px)
        found = _Tile(steps, clean, wider).run(cover, some)
        logits[rows, columns] = found.view(len(some.rows), len(some.columns))
    return torch.cat([whole, logits.flatten()])


def wider_partners(steps: Steps) -> dict[int, int]:
    """Return, by the number of a pointwise convolution, that of a wider one that it is joined with.

    Both take the same value, and the wider one moves by single cells, as in SqueezeNet. Their
    outputs are joined on the wider one's region: the pointwise one is computed there, which takes
    less time than copying its outputs there.

    Parameters
    ----------
    steps
        A network.
    """
    joined_at = {
        value: number
        for number, step in enumerate(steps, 1)
        if isinstance(step.operation, Join)
        for value in step.inputs
    }
    partners = {}
    for narrow, wide in itertools.permutations(joined_at, 2):
        one, other = (steps[value - 1] for value in (narrow, wide))
        if (
            joined_at[narrow] == joined_at[wide]
            and one.inputs == other.inputs
            and isinstance(one.operation, Convolution)
            and isinstance(other.operation, Convolution)
            and one.operation.frame.single
            and other.operation.frame.stride == (1, 1)
        ):
            partners[narrow] = wide
    return partners


def reuses(steps: Steps) -> bool:
    """Return whether each of a network's first values depends on only a part of the input."""
    return any(
        isinstance(step.operation, Convolution | MaxPool | AveragePool)
        for step in steps
        if step.inputs == (0,)
    )


def narrowed(steps: Steps, target: int) -> Steps:
    """Return the network with the target's output only, if that output can be separated.

    Parameters
    ----------
    steps
        A network.
    target
        Number of the output.
    """
    number = len(steps)
    while number and isinstance(steps[number - 1].operation, Rectify | Mean | Flatten):
        (number,) = steps[number - 1].inputs
    last = steps[number - 1].operation if number else None
    tail = [type(step.operation) for step in steps[number:]]
    one_a_channel = tail == [] or (tail.count(Mean) == 1 and tail[-2:] == [Mean, Flatten])
    only = slice(target, target + 1)
    if isinstance(last, Linear) and not tail:
        found: Linear | Convolution = Linear(last.weight[only], _part(last.bias, only))
    elif isinstance(last, Convolution) and tail and one_a_channel and last.groups == 1:
        found = replace(last, weight=last.weight[only], bias=_part(last.bias, only))
    else:
        return (*steps, Step(_Chosen(target), (len(steps),)))
    head = replace(steps[number - 1], operation=_Head(found))
    return (*steps[: number - 1], head, *steps[number:])


@dataclass(frozen=True, slots=True)
class _Chosen:
    """Selects one of the outputs."""

    target: int

    def __call__(self, x: Tensor) -> Tensor:
        return x[:, self.target : self.target + 1]


@dataclass(frozen=True, slots=True, eq=False)
class _Head:
    """The last weights, always in their own precision: a fall is a small difference of outputs."""

    operation: Linear | Convolution

    @property
    def single(self) -> bool:
        """Whether each output sees only the input at the same place."""
        return isinstance(self.operation, Convolution) and self.operation.frame.single

    def __call__(self, x: Tensor) -> Tensor:
        with torch.autocast(x.device.type, enabled=False):
            return self.operation(x.to(self.operation.weight.dtype))


def _part(bias: Tensor | None, only: slice) -> Tensor | None:
    return None if bias is None else bias[only]


@dataclass(frozen=True, slots=True, eq=False)
class _Value:
    """A feature map under each patch: rectangles of it (n, C, h, w), or the whole map."""

    cells: Tensor
    region: Region | None


class _Clean:
    """A network's values for the image without a patch."""

    def __init__(self, maps: dict[int, Tensor]) -> None:
        self.maps = maps
        self._margins: dict[tuple[int, Pair, Pair, float], Tensor] = {}

    def with_margin(self, value: int, before: Pair, after: Pair, fill: float) -> Tensor:
        """Return a feature map (rows, columns, C) with a margin of cells around it."""
        key = (value, before, after, fill)
        if key not in self._margins:
            around = (before[1], after[1], before[0], after[0])
            padded = functional.pad(self.maps[value][0], around, value=fill)
            self._margins[key] = padded.permute(1, 2, 0).contiguous()
        return self._margins[key]


class _Tile:
    """A network's values under the patches of a tile."""

    def __init__(self, steps: Steps, clean: _Clean, wider: Mapping[int, int]) -> None:
        self._steps, self._clean, self._wider = steps, clean, wider
        self._values: dict[int, _Value] = {}

    def run(self, cover: Tensor, patches: Patches) -> Tensor:
        """Return the last value, whole."""
        last = last_uses(self._steps)
        self._values[0] = _covered(self._clean.maps[0], cover, patches)
        for number, step in enumerate(self._steps, 1):
            self._values[number] = self._step(number, step, last)
            for value in set(step.inputs):
                if last[value] == number:
                    del self._values[value]
        return self._whole(len(self._steps))

    def _step(self, number: int, step: Step, last: dict[int, int]) -> _Value:
        operation = step.operation
        if isinstance(operation, Convolution | MaxPool | AveragePool):
            return self._slide(number, step.inputs[0], operation)
        if isinstance(operation, Rectify):
            (value,) = step.inputs
            given = self._values[value]
            spare = last[value] == number and is_fresh(self._steps, value)
            return _Value(operation(given.cells if spare else given.cells.clone()), given.region)
        if isinstance(operation, _Head) and operation.single:
            given = self._values[step.inputs[0]]
            return _Value(operation(given.cells), given.region)
        if isinstance(operation, Add | Join):
            cells, region = self._together(step.inputs)
            joined = _joined(cells) if isinstance(operation, Join) else operation(*cells)
            return _Value(joined, region)
        return _Value(operation(*map(self._whole, step.inputs)), None)

    def _slide(
        self, number: int, value: int, operation: Convolution | MaxPool | AveragePool
    ) -> _Value:
        given, frame = self._values[value], operation.frame
        if given.region is None:
            return _Value(operation(given.cells), None)
        if frame.single:
            region = self._reached(self._wider.get(number, number), given.region)
            wider = region.share <= MOST_SHARE
            cells = self._gathered(value, region) if wider else given.cells
            return _Value(operation(cells), region if wider else given.region)
        region = self._reached(number, given.region)
        if region.share > MOST_SHARE:
            return _Value(operation(self._whole(value)), None)
        wanted = Region(
            *(
                needed(span, reach, stride, padding, given_span.side)
                for span, given_span, reach, stride, padding in zip(
                    (region.rows, region.columns), (given.region.rows, given.region.columns),
                    frame.reach, frame.stride, frame.padding, strict=True,
                )
            )
        )  # fmt: skip
        cells = self._gathered(value, wanted, frame.padding, frame.fill)
        return _Value(operation(cells, (0, 0)), region)

    def _reached(self, number: int, given: Region) -> Region:
        """Return the outputs of a step with a window that see what is given."""
        operation, sides = self._steps[number - 1].operation, self._clean.maps[number].shape[2:]
        assert isinstance(operation, Convolution | MaxPool | AveragePool)
        frame, spans = operation.frame, (given.rows, given.columns)
        ways = zip(spans, frame.reach, frame.stride, frame.padding, sides, strict=True)
        return Region(*(reached(*way) for way in ways))

    def _together(self, values: Sequence[int]) -> tuple[list[Tensor], Region | None]:
        """Return values on the same region."""
        regions = [self._values[value].region for value in values]
        known = [region for region in regions if region is not None]
        if len(known) < len(regions):
            return [self._whole(value) for value in values], None
        region = Region(united([one.rows for one in known]), united([one.columns for one in known]))
        if region.share > MOST_SHARE:
            return [self._whole(value) for value in values], None
        return [self._gathered(value, region) for value in values], region

    def _whole(self, value: int) -> Tensor:
        given = self._values[value]
        if given.region is None:
            return given.cells
        return self._gathered(value, given.region.whole())

    def _gathered(
        self, value: int, target: Region, margin: Pair = (0, 0), fill: float = 0.0
    ) -> Tensor:
        """Return other rectangles of a value; cells that no patch reaches are the clean map's."""
        given = self._values[value]
        if given.region is None or given.region == target:
            return given.cells
        ends = [
            max(edge, span.end - span.side)
            for edge, span in zip(margin, (target.rows, target.columns), strict=True)
        ]
        clean = self._clean.with_margin(value, margin, (ends[0], ends[1]), fill)
        # Only the part of the clean map that the rectangles lie on is copied.
        corner = (min(target.rows.starts), min(target.columns.starts))
        down, across = (
            slice(first + edge, span.end + edge)
            for first, edge, span in zip(corner, margin, (target.rows, target.columns), strict=True)
        )
        near = clean[down, across]
        _, width, channels = near.shape
        fresh = given.cells.permute(0, 2, 3, 1).reshape(-1, channels)
        lists = torch.cat([fresh, near.reshape(-1, channels)])
        numbers = sources(target, given.region, corner, width, lists.device)
        picked = lists.index_select(0, numbers)
        shape = (target.count, target.rows.size, target.columns.size, channels)
        return picked.view(shape).permute(0, 3, 1, 2)


def _joined(branches: Sequence[Tensor]) -> Tensor:
    """Return the branches' channels, which lie last in memory, one after another."""
    laid_out = [branch.permute(0, 2, 3, 1) for branch in branches]
    return torch.cat(laid_out, dim=3).permute(0, 3, 1, 2)


def _covered(signal: Tensor, cover: Tensor, patches: Patches) -> _Value:
    """Return the rectangles of the input that the patches lie on, covered."""
    hidden, spans = [], []
    for starts, side in zip((patches.rows, patches.columns), signal.shape[2:], strict=True):
        span = stretches(starts, [start + patches.side_px - 1 for start in starts], side)
        # If a patch runs over the edge, its stretch begins before the patch.
        hidden.append((span.cells() >= torch.tensor(starts)[:, None]).to(signal.device))
        spans.append(span)
    region = Region(*spans)
    down = region.rows.cells().to(signal.device)[:, None, :, None]
    across = region.columns.cells().to(signal.device)[None, :, None, :]
    covered = hidden[0][:, None, :, None] & hidden[1][None, :, None, :]
    clean, black = signal[0, :, down, across], cover[0, :, down, across]
    cells = torch.where(covered, black, clean).flatten(1, 2)
    return _Value(cells.transpose(0, 1), region)
