"""Rows of a table as whole numbers, and as the one-hot inputs of a network."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from stimuli.studies.simulatability.stimulus import TableInput
from xai_backend.studies.simulatability.trained import AnyInput

Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Coding:
    """The code of each value: its place among the levels of its column.

    Attributes
    ----------
    levels
        All values of each column, in order.
    """

    levels: Mapping[str, tuple[str, ...]]
    _places: tuple[Mapping[str, int], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        places = tuple({v: k for k, v in enumerate(values)} for values in self.levels.values())
        object.__setattr__(self, "_places", places)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns, in order."""
        return tuple(self.levels)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many levels each column has."""
        return tuple(len(values) for values in self.levels.values())

    def codes(self, inputs: Sequence[AnyInput]) -> Codes:
        """Return codes, int64 (n, columns).

        Raises
        ------
        ValueError
            If an input has other columns, or a value that isn't a level.
        """
        found = np.empty((len(inputs), len(self._places)), dtype=np.int64)
        for row, given in zip(found, inputs, strict=True):
            if not isinstance(given, TableInput) or given.columns != self.columns:
                raise ValueError("the input isn't a row of this table")
            try:
                row[:] = [place[v] for place, v in zip(self._places, given.values, strict=True)]
            except KeyError as error:
                raise ValueError(f"{error.args[0]!r} isn't a value of its column") from None
        return found

    def row(self, codes: Codes) -> TableInput:
        """Return the row of codes, int64 (columns,)."""
        named = zip(self.levels.values(), codes.tolist(), strict=True)
        return TableInput(columns=self.columns, values=tuple(values[k] for values, k in named))


def one_hot(codes: Codes, sizes: Sequence[int]) -> NDArray[np.float64]:
    """Return a 1 for each value that stands in a row and 0 for others, (n, Σ sizes)."""
    parts = [np.eye(size)[codes[:, place]] for place, size in enumerate(sizes)]
    return np.concatenate(parts, axis=1)


class OneHot(nn.Module):
    """The same in a network, from int64 (n, columns), in the precision that the network has."""

    offsets: Tensor
    ones: Tensor

    def __init__(self, sizes: Sequence[int]) -> None:
        super().__init__()
        self.inputs = sum(sizes)
        starts = torch.tensor([0, *sizes[:-1]]).cumsum(0)
        self.register_buffer("offsets", starts, persistent=False)
        self.register_buffer("ones", torch.ones(1), persistent=False)

    def forward(self, codes: Tensor) -> Tensor:
        """Return (n, inputs)."""
        found = self.ones.new_zeros(len(codes), self.inputs)
        return found.scatter_(1, codes + self.offsets, self.ones.expand(codes.shape))
