"""Networks rewritten so that fewer feature maps are written to memory and read again."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import torch

from xai_backend.fast.operations import Add, Convolution, Join, Rectify, Step, Steps


def rewritten(steps: Steps) -> Steps:
    """Return a network that does the same, but for rounding, in less time.

    Its convolutions rectify their own output where nothing else needs it. Its pointwise
    convolutions take joined branches one by one, and add up, where nothing else needs the branches
    beside one another.

    Parameters
    ----------
    steps
        A network.
    """
    return _without_joins(_with_rectifiers(steps))


def _with_rectifiers(steps: Steps) -> Steps:
    """Merge each rectifier into the convolution before it, unless something else takes its output.

    A rectifier by itself reads and writes the whole feature map once more.
    """
    uses = Counter(value for step in steps for value in step.inputs)
    merged: list[Step] = []
    numbers = {0: 0}
    for number, step in enumerate(steps, 1):
        first, inputs = step.inputs[0], tuple(numbers[value] for value in step.inputs)
        before = merged[inputs[0] - 1].operation if inputs[0] else None
        if (
            isinstance(step.operation, Rectify)
            and isinstance(before, Convolution)
            and before.rectify is None
            and uses[first] == 1
        ):
            rectified = replace(before, rectify=step.operation)
            merged[inputs[0] - 1] = replace(merged[inputs[0] - 1], operation=rectified)
            numbers[number] = inputs[0]
        else:
            merged.append(replace(step, inputs=inputs))
            numbers[number] = len(merged)
    return tuple(merged)


def _without_joins(steps: Steps) -> Steps:
    """Take joins away that only pointwise convolutions need.

    A join copies every branch; the sums of such convolutions, as in SqueezeNet, have an eighth of
    its channels.
    """
    gone = {value for value in range(1, len(steps) + 1) if _needs_no_join(steps, value)}
    split: list[Step] = []
    numbers = {0: 0}
    for number, step in enumerate(steps, 1):
        if number in gone:
            continue
        if step.inputs[0] in gone:
            branches = steps[step.inputs[0] - 1].inputs
            split.extend(_by_branch(step, [numbers[value] for value in branches], split))
        else:
            split.append(replace(step, inputs=tuple(numbers[value] for value in step.inputs)))
        numbers[number] = len(split)
    return tuple(split)


def _needs_no_join(steps: Steps, value: int) -> bool:
    """Whether a value joins convolutions, and only pointwise convolutions take it."""
    step = steps[value - 1]
    takers = [taker.operation for taker in steps if value in taker.inputs]
    return (
        isinstance(step.operation, Join)
        and all(v > 0 and isinstance(steps[v - 1].operation, Convolution) for v in step.inputs)
        and takers != []
        and all(isinstance(t, Convolution) and t.frame.single and t.groups == 1 for t in takers)
    )


def _by_branch(step: Step, branches: Sequence[int], before: Sequence[Step]) -> Iterator[Step]:
    """Yield a pointwise convolution of joined branches as a sum of one for each."""
    whole = step.operation
    assert isinstance(whole, Convolution)
    first, number = 0, len(before)
    for branch in branches:
        made = before[branch - 1].operation
        assert isinstance(made, Convolution)
        last = first + len(made.weight)
        weight = whole.weight[:, first:last].contiguous(memory_format=torch.channels_last)
        part = Convolution(weight, None if first else whole.bias, whole.frame)
        yield Step(part, (branch,), step.from_module)
        number += 1
        if first:
            yield Step(Add(), (number - 1, number), from_module=False)
            number += 1
        first = last
    if whole.rectify is not None:
        yield Step(whole.rectify, (number,), from_module=False)
