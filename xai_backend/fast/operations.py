"""What the layers of a convolutional network do, as values and without their modules."""

from collections.abc import Callable, Container
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn
from torch.nn import functional

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Frame:
    """How a layer's window moves over a feature map, (rows, columns) each.

    Attributes
    ----------
    kernel, stride, padding, dilation
        As torch names them.
    fill
        The value of cells outside the feature map.
    """

    kernel: Pair
    stride: Pair = (1, 1)
    padding: Pair = (0, 0)
    dilation: Pair = (1, 1)
    fill: float = 0.0

    @property
    def reach(self) -> Pair:
        """Sides of the window, from its first cell to its last."""
        rows, columns = ((k - 1) * d + 1 for k, d in zip(self.kernel, self.dilation, strict=True))
        return rows, columns

    @property
    def single(self) -> bool:
        """Whether each output sees only the input at the same place."""
        return self.reach == (1, 1) and self.stride == (1, 1) and self.padding == (0, 0)


@dataclass(frozen=True, slots=True, eq=False)
class Convolution:
    """A convolution with zeros around the map; a batch norm after it is merged in.

    ``weight`` is (C out, C in / groups, rows, columns), ``bias`` (C out) or None; ``rectify`` is
    the rectifier after it, if it is merged in, too (`rewritten`).
    """

    weight: Tensor
    bias: Tensor | None
    frame: Frame
    groups: int = 1
    rectify: "Rectify | None" = None

    def __call__(self, x: Tensor, padding: Pair | None = None) -> Tensor:
        """Return the output for maps (n, C, h, w), with another padding if one is given."""
        frame = self.frame
        around = frame.padding if padding is None else padding
        if self.rectify is not None and _suits_onednn(x):
            # It rectifies what it has just computed, which is still in the cache.
            return torch.ops.mkldnn._convolution_pointwise(
                x, self.weight, self.bias, around, frame.stride, frame.dilation, self.groups,
                *self.rectify.in_onednn, "",
            )  # fmt: skip
        found = functional.conv2d(
            x, self.weight, self.bias, frame.stride, around, frame.dilation, self.groups
        )
        return found if self.rectify is None else self.rectify(found)

    def scaled(self, factor: Tensor, shift: Tensor) -> "Convolution":
        """Return the convolution followed by a scaling of its outputs: factor · y + shift.

        Both are (C out,). No rectifier may be merged in yet: it comes after the scaling.
        """
        bias = shift if self.bias is None else self.bias * factor + shift
        return replace(self, weight=self.weight * factor.view(-1, 1, 1, 1), bias=bias)


def _suits_onednn(x: Tensor) -> bool:
    """Whether oneDNN is here and computes with such maps as they are."""
    plain = x.device.type == "cpu" and x.dtype == torch.float32
    return plain and torch.backends.mkldnn.is_available() and not torch.is_autocast_enabled("cpu")


@dataclass(frozen=True, slots=True, eq=False)
class Linear:
    """A fully connected layer; ``weight`` (out, in), ``bias`` (out) or None."""

    weight: Tensor
    bias: Tensor | None

    def __call__(self, x: Tensor) -> Tensor:
        """Return the output (n, out) for features (n, in)."""
        return functional.linear(x, self.weight, self.bias)


@dataclass(frozen=True, slots=True)
class MaxPool:
    """The largest value in each window; cells outside the map count as −∞."""

    frame: Frame
    ceil_mode: bool = False

    def __call__(self, x: Tensor, padding: Pair | None = None) -> Tensor:
        """Return the output for maps (n, C, h, w); with a given padding, without ``ceil_mode``."""
        frame = self.frame
        around = frame.padding if padding is None else padding
        ceil = self.ceil_mode and padding is None
        return functional.max_pool2d(
            x, frame.kernel, frame.stride, around, frame.dilation, ceil_mode=ceil
        )


@dataclass(frozen=True, slots=True)
class AveragePool:
    """The mean of each window; zeros around the map count."""

    frame: Frame

    def __call__(self, x: Tensor, padding: Pair | None = None) -> Tensor:
        """Return the output for maps (n, C, h, w), with another padding if one is given."""
        around = self.frame.padding if padding is None else padding
        return functional.avg_pool2d(x, self.frame.kernel, self.frame.stride, around)


@dataclass(frozen=True, slots=True)
class Rectify:
    """ReLU, or with ``most`` 6 ReLU6."""

    most: float | None = None

    @property
    def in_onednn(self) -> tuple[str, list[float]]:
        """The name that oneDNN has for it, and its numbers."""
        return ("relu", []) if self.most is None else ("hardtanh", [0.0, self.most])

    def __call__(self, x: Tensor) -> Tensor:
        """Return x clipped to 0 … ``most``, in place."""
        return x.clamp_(min=0, max=self.most)


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean over a map, (n, C, 1, 1)."""

    def __call__(self, x: Tensor) -> Tensor:
        """Return the means of maps (n, C, h, w)."""
        return functional.adaptive_avg_pool2d(x, 1)


@dataclass(frozen=True, slots=True)
class Flatten:
    """All dimensions but the first flattened into one."""

    def __call__(self, x: Tensor) -> Tensor:
        """Return (n, C · h · w)."""
        return x.flatten(1)


@dataclass(frozen=True, slots=True)
class Add:
    """The sum of two branches."""

    def __call__(self, x: Tensor, y: Tensor) -> Tensor:
        """Return x + y."""
        return x + y


@dataclass(frozen=True, slots=True)
class Join:
    """The concatenated channels of several branches."""

    def __call__(self, *branches: Tensor) -> Tensor:
        """Return (n, ΣC, h, w)."""
        return torch.cat(branches, dim=1)


@dataclass(frozen=True, slots=True, eq=False)
class Whole:
    """A module that is taken as it is, and needs the whole map."""

    module: nn.Module

    def __call__(self, x: Tensor) -> Tensor:
        """Return the module's output."""
        return self.module(x)


Operation = Callable[..., Tensor]
"""Computes a step's output from its inputs: one of the above, or another callable."""


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One operation of a network.

    Attributes
    ----------
    operation
        The operation.
    inputs
        Numbers of the values that it takes: 0 is the network's input, k the output of the k-th
        step, counted from 1.
    from_module
        Whether it is a module of the network rather than a function.
    """

    operation: Operation
    inputs: tuple[int, ...]
    from_module: bool = True


Steps = tuple[Step, ...]
"""A network in order of execution; the last step gives the logits (n, K)."""


def last_uses(steps: Steps) -> dict[int, int]:
    """Return for each value the number of the last step that uses it."""
    return {value: number for number, step in enumerate(steps, 1) for value in step.inputs}


def run(steps: Steps, x: Tensor, keep: Container[int] = ()) -> dict[int, Tensor]:
    """Return the values to keep, and the last one, by number.

    Other values are freed or overwritten as soon as no step needs them.

    Parameters
    ----------
    steps
        A network.
    x
        Its input (n, C, H, W); not changed.
    keep
        Numbers of the values to keep.
    """
    values, last = {0: x}, last_uses(steps)
    for number, step in enumerate(steps, 1):
        taken = [values[value] for value in step.inputs]
        done = {v for v in step.inputs if last[v] == number and v not in keep}
        if isinstance(step.operation, Rectify) and not (done and is_fresh(steps, step.inputs[0])):
            taken = [taken[0].clone()]
        values[number] = step.operation(*taken)
        for value in done:
            del values[value]
    return values


def is_fresh(steps: Steps, value: int) -> bool:
    """Return whether a value shares its memory with no other value."""
    return value > 0 and isinstance(steps[value - 1].operation, Convolution | Linear | Add)
