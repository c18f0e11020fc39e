"""LRP's EpsilonPlusFlat on a network read as operations.

The same relevance as zennit's composite, without what it computes for nothing: a second branch
for negative inputs where there can't be any, clamped weights computed again for each batch, and
all input channels of the flat rule, which are alike.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from xai_backend.fast.graph import steps_of
from xai_backend.fast.operations import (
    Add,
    AveragePool,
    Convolution,
    Flatten,
    Join,
    Linear,
    MaxPool,
    Mean,
    Rectify,
    Step,
    Steps,
    Whole,
    run,
)

STABILISER = 1e-6
"""Stabiliser of all rules but ε: zennit's default."""

Passing = tuple[type[nn.Module], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """A network for which relevance can be computed, with the data that its rules need.

    Attributes
    ----------
    steps
        The network.
    flat
        Number of the first step with weights.
    positive, negative
        By step: the convolution with only the positive part of its weights and bias, and, if inputs
        may be negative, the convolution with only the negative part of its weights and no bias.
    """

    steps: Steps
    flat: int
    positive: dict[int, Convolution]
    negative: dict[int, Convolution]


def prepared(network: nn.Module, passing: Passing = ()) -> Prepared | None:
    """Return a network with the data that LRP needs; None if a part of it has no rule.

    Parameters
    ----------
    network
        In evaluation mode.
    passing
        Modules that relevance passes unchanged, and whose output is never negative.
    """
    steps = steps_of(network)
    if steps is None or not all(_has_rule(step, passing) for step in steps):
        return None
    weighted = [
        number
        for number, step in enumerate(steps, 1)
        if isinstance(step.operation, Convolution | Linear)
    ]
    if not weighted or not isinstance(steps[weighted[0] - 1].operation, Convolution):
        return None
    flat = weighted[0]
    if not all(isinstance(step.operation, Whole) for step in steps[: flat - 1]):
        return None
    # A branch around the first convolution would carry relevance that the flat rule never sees.
    if any(value < flat for step in steps[flat:] for value in step.inputs):
        return None
    safe = never_negative(steps, passing)
    positive, negative = {}, {}
    for number in weighted[1:]:
        step = steps[number - 1]
        if isinstance(step.operation, Convolution):
            positive[number] = _cut(step.operation, least=0)
            if step.inputs[0] not in safe:
                negative[number] = replace(_cut(step.operation, most=0), bias=None)
    return Prepared(steps, flat, positive, negative)


def never_negative(steps: Steps, passing: Passing = ()) -> frozenset[int]:
    """Return the numbers of values that can't be negative, whatever the input.

    Parameters
    ----------
    steps
        A network.
    passing
        Modules whose output is never negative.
    """
    safe: set[int] = set()
    for number, step in enumerate(steps, 1):
        operation = step.operation
        keeps = isinstance(operation, MaxPool | AveragePool | Mean | Flatten | Add | Join)
        rectifies = isinstance(operation, Rectify) or (
            isinstance(operation, Whole) and isinstance(operation.module, passing)
        )
        if rectifies or (keeps and safe.issuperset(step.inputs)):
            safe.add(number)
    return frozenset(safe)


@torch.no_grad()
def relevance(network: Prepared, signal: Tensor, targets: Tensor, epsilon: float) -> Tensor:
    """Return the relevance (n, H, W) of the input for the targets' logits, channels summed.

    Parameters
    ----------
    network
        The result of `prepared`.
    signal
        The network's input (n, C, H, W).
    targets
        int64 (n,), on the same device.
    epsilon
        Stabiliser of the ε rule.

    Notes
    -----
    Rules as in Kohlbrenner et al. 2020: ε for linear layers (Bach et al. 2015), z⁺ for
    convolutions (Montavon et al. 2017), flat for the first (Lapuschkin et al. 2019); averages
    and sums of branches share in proportion; rectifiers pass it on unchanged.
    """
    keep = {value for step in network.steps for value in _remembered(step)}
    values = run(network.steps, signal, keep)
    logits = values[len(network.steps)]
    chosen = targets[:, None]
    start = torch.zeros_like(logits).scatter_(1, chosen, logits.gather(1, chosen))
    shares = {len(network.steps): start}
    for number in range(len(network.steps), network.flat, -1):
        arrived = shares.pop(number, None)
        if arrived is None:
            continue
        step = network.steps[number - 1]
        taken = [values[value] for value in step.inputs if value in values]
        given = _passed_down(network, number, taken, arrived, epsilon)
        for value, share in zip(step.inputs, given, strict=True):
            shares[value] = shares[value] + share if value in shares else share
    return _below(network, shares[network.flat], signal)


def _has_rule(step: Step, passing: Passing) -> bool:
    operation = step.operation
    if isinstance(operation, Whole):
        return isinstance(operation.module, (*passing, nn.AdaptiveAvgPool2d))
    return not isinstance(operation, Linear | Convolution) or step.from_module


def _cut(
    convolution: Convolution, least: float | None = None, most: float | None = None
) -> Convolution:
    """Return the convolution with its weights and bias clipped."""
    bias = convolution.bias
    return replace(
        convolution,
        weight=convolution.weight.clamp(least, most),
        bias=None if bias is None else bias.clamp(least, most),
    )


def _remembered(step: Step) -> tuple[int, ...]:
    """Return the numbers of the values that a step's rule needs."""
    passes = isinstance(step.operation, Rectify) and step.from_module
    return () if passes else step.inputs


def _passed_down(
    network: Prepared, number: int, inputs: list[Tensor], arrived: Tensor, epsilon: float
) -> list[Tensor]:
    """Return each input's share of the relevance that arrived at a step's output."""
    step = network.steps[number - 1]
    operation = step.operation
    if isinstance(operation, Convolution):
        return [_z_plus(network, number, inputs[0], arrived)]
    if isinstance(operation, Linear):
        share = arrived / _stable(operation(inputs[0]), epsilon)
        return [inputs[0] * (share @ operation.weight)]
    if isinstance(operation, Rectify):
        return [arrived if step.from_module else arrived * (inputs[0] > 0)]
    if isinstance(operation, Add):
        share = arrived / _stable(operation(*inputs), STABILISER)
        return [branch * share for branch in inputs]
    if isinstance(operation, Join):
        return list(arrived.split([branch.shape[1] for branch in inputs], dim=1))
    if isinstance(operation, Flatten):
        return [arrived.view_as(inputs[0])]
    if isinstance(operation, MaxPool) or not step.from_module:
        return [_pulled_back(operation, inputs[0], arrived)]
    share = arrived / _stable(operation(inputs[0]), STABILISER)
    return [inputs[0] * _pulled_back(operation, inputs[0], share)]


def _z_plus(network: Prepared, number: int, x: Tensor, arrived: Tensor) -> Tensor:
    """Return relevance in proportion to each input's positive contribution to an output."""
    positive, negative = network.positive[number], network.negative.get(number)
    if negative is None:
        share = arrived / positive(x).add_(STABILISER)
        return _transposed(positive, x, share).mul_(x)
    above, below = x.clamp(min=0), x.clamp(max=0)
    share = arrived / (positive(above) + negative(below)).add_(STABILISER)
    for_above = _transposed(positive, x, share).mul_(above)
    return for_above + _transposed(negative, x, share).mul_(below)


def _below(network: Prepared, arrived: Tensor, signal: Tensor) -> Tensor:
    """Return the flat rule's relevance, spread evenly over the first convolution's windows."""
    first = network.steps[network.flat - 1].operation
    assert isinstance(first, Convolution)
    kernel = torch.ones_like(first.weight[:1, :1])
    spread = Convolution(kernel, None, first.frame)
    channels = first.weight.shape[1]
    a_channel = signal[:, :1]
    seen = channels * spread(torch.ones_like(a_channel[:1]))
    share = arrived.sum(dim=1, keepdim=True) / (seen + STABILISER)
    return channels * _transposed(spread, a_channel, share)[:, 0]


def _transposed(convolution: Convolution, x: Tensor, share: Tensor) -> Tensor:
    """Return the convolution's transpose of a share, in the shape and layout of its input.

    `torch.nn.grad.conv2d_input` takes the input's shape alone: where feature maps are stored
    channels last, the result of a 1 × 1 convolution then isn't, and what follows takes longer.
    """
    frame = convolution.frame
    around = (frame.stride, frame.padding, frame.dilation)
    forward = (False, [0, 0], convolution.groups)
    found, _, _ = torch.ops.aten.convolution_backward(
        share, x, convolution.weight, None, *around, *forward, (True, False, False)
    )
    return found


def _pulled_back(operation: Callable[[Tensor], Tensor], x: Tensor, share: Tensor) -> Tensor:
    """Return the product of a share with the operation's derivative."""
    point = x.detach().requires_grad_()
    with torch.enable_grad():
        # The derivative of a sum: if the share were passed as an argument, torch would import
        # sympy.
        (found,) = torch.autograd.grad((operation(point) * share).sum(), point)
    return found


def _stable(values: Tensor, epsilon: float) -> Tensor:
    """Return values moved away from zero."""
    return values + torch.where(values < 0, -epsilon, epsilon)
