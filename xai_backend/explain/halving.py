"""Where memory doesn't suffice, half as much at once."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import torch

from stimuli.errors import UserError
from xai_backend.methods.method import Execution, is_out_of_memory

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
