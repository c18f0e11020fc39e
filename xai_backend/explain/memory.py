"""How many inputs fit through a network at once, and half as many where memory doesn't suffice."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

import torch
from torch import Tensor

from stimuli.errors import UserError
from xai_backend.methods.method import Execution, input_gradients, is_out_of_memory
from xai_backend.models.image_model import ImageModel

SHARE = 0.5
"""Of the free memory that is planned with: methods keep more than the trial does."""
MOST = 64
"""More inputs at once than these fill no card better."""

Result = TypeVar("Result")

START = 64
"""Where halving begins when a method chose its own number."""


def with_halving(
    compute: Callable[[Execution], Result], execution: Execution, say: Callable[[str], None]
) -> tuple[Result, Execution]:
    """Return what is computed, and the execution that it could be computed with.

    Parameters
    ----------
    compute
        Tried again with half as many inputs at once whenever memory runs out.
    execution
        What to begin with.
    say
        Told of each halving.

    Raises
    ------
    UserError
        If not even a single input fits.
    """
    while True:
        try:
            return compute(execution), execution
        except (torch.OutOfMemoryError, RuntimeError, MemoryError) as fault:
            if not is_out_of_memory(fault):
                raise
        at_once = execution.at_once or START
        if at_once == 1:
            raise UserError("out of memory, even with one input at once; try --device cpu")
        execution = replace(execution, at_once=at_once // 2)
        say(f"out of memory: continuing with {execution.at_once} at once")
        if torch.cuda.is_available():
            torch.cuda.empty_cache()


class Memory(Protocol):
    """What is read of a device's memory, bytes."""

    def free(self) -> int:
        """Return how much can be had."""

    def peak(self, action: Callable[[], object]) -> int:
        """Run an action and return how much it needs at most."""


@dataclass(frozen=True, slots=True)
class CardMemory:
    """A graphics card's memory as torch tells of it."""

    device: torch.device

    def free(self) -> int:
        """Return what the card has free, with what torch holds of it unused."""
        held = torch.cuda.memory_reserved(self.device) - torch.cuda.memory_allocated(self.device)
        return torch.cuda.mem_get_info(self.device)[0] + held

    def peak(self, action: Callable[[], object]) -> int:
        """Run an action and return how much it needs at most."""
        before = torch.cuda.memory_allocated(self.device)
        torch.cuda.reset_peak_memory_stats(self.device)
        action()
        return torch.cuda.max_memory_allocated(self.device) - before


def inputs_that_fit(model: ImageModel, image: Tensor, memory: Memory) -> int:
    """Return how many inputs may go through a network at once: a power of two up to ``MOST``.

    One input, then two are sent forward and back, which keeps every layer's output, as most
    methods do. The second's share is what each further one needs.

    Parameters
    ----------
    model
        On the memory's device, in evaluation mode.
    image
        (1, 3, H, W), on the same device.
    memory
        Of the device.
    """
    peaks = []
    for count in (1, 2):
        images = image.repeat(count, 1, 1, 1)
        targets = torch.zeros(count, dtype=torch.int64, device=image.device)
        try:
            peaks.append(memory.peak(lambda i=images, t=targets: input_gradients(model, i, t)))
        except RuntimeError as fault:
            if not is_out_of_memory(fault):
                raise
            return 1
    each = max(peaks[1] - peaks[0], 1)
    once = max(peaks[0] - each, 0)
    fitting = int(SHARE * memory.free() - once) // each
    return 1 << (max(1, min(fitting, MOST)).bit_length() - 1)
