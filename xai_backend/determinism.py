"""The same numbers from the same inputs, whatever the machine load, order or number of workers.

`not_finite` checks numbers that should be finite, and says in words what is wrong with them.
"""

import contextlib
import os
import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import torch
import torch.utils.deterministic
from numpy.typing import NDArray
from torch import Tensor

THREADS = 1
"""Sums depend on the number of threads. For networks this small one thread is also the fastest:
several threads spend more time waiting for each other than computing."""

FORBIDDEN = 2
"""Operations without a deterministic algorithm raise errors, as `use_deterministic_algorithms`
does too; but that function imports torch's compiler, which takes longer than a map."""

IN_FULL = "ieee"
"""torch's name for float32 without TF32. TF32 is its default for convolutions on a graphics card
and rounds their inputs to 10 bits: single pixels of maps differed by up to 40 % of the largest
value.
"""


@contextlib.contextmanager
def deterministic(seed: int = 0, threads: int = THREADS) -> Iterator[None]:
    """Run a block with fixed threads, deterministic algorithms and torch's generator seeded.

    On a graphics card, too, float32 has full precision: TF32 is off. Afterwards the previous
    settings are restored, including torch's generator.

    Parameters
    ----------
    seed
        Seed of torch's default generators, 0 … 2**63 − 1.
    threads
        Threads within an operation on the CPU.

    Raises
    ------
    RuntimeError
        From torch, if an operation has no deterministic algorithm on the device.
    """
    # CUDA's matrix products are deterministic only with a fixed workspace size.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    threads_before = torch.get_num_threads()
    algorithms_before = torch.get_deterministic_debug_mode()
    # A module with a property: type checkers don't see the attribute.
    fillings: Any = torch.utils.deterministic
    filling_before = fillings.fill_uninitialized_memory
    with torch.random.fork_rng(), _float32_in_full():
        try:
            torch.set_num_threads(threads)
            torch.set_deterministic_debug_mode(FORBIDDEN)
            # Filling new tensors protects code that reads memory it never wrote, and takes 5 % of
            # the time.
            fillings.fill_uninitialized_memory = False
            _seed(seed)
            yield
        finally:
            torch.set_num_threads(threads_before)
            torch.set_deterministic_debug_mode(algorithms_before)
            fillings.fill_uninitialized_memory = filling_before


@cache
def _has_card() -> bool:
    return torch.accelerator.is_available()


def _seed(seed: int) -> None:
    """Seed torch's default generators.

    Without a card `torch.manual_seed` notes each call, with its stack, for when there is one: this
    took a tenth of the time of a build.
    """
    (torch if _has_card() else torch.default_generator).manual_seed(seed)


@contextlib.contextmanager
def _float32_in_full() -> Iterator[None]:
    """Compute products and convolutions in float32 on a graphics card, not in TF32."""
    backends: Any = torch.backends
    kinds = (backends.cudnn.conv, backends.cudnn.rnn, backends.cuda.matmul)
    before = [kind.fp32_precision for kind in kinds]
    try:
        backends.cudnn.allow_tf32 = False  # torch refuses to read an old flag that disagrees
        for kind in kinds:
            kind.fp32_precision = IN_FULL
        yield
    finally:
        backends.cudnn.allow_tf32 = before[0] == "tf32"
        for kind, precision in zip(kinds, before, strict=True):
            kind.fp32_precision = precision


@contextlib.contextmanager
def drawn_from(seed: int, threads: int = THREADS) -> Iterator[None]:
    """Run other people's code as `deterministic` does, with numpy and Python's random seeded too.

    Parameters
    ----------
    seed
        Seed of all global generators, 0 … 2**32 − 1; their previous states are restored.
    threads
        Threads within an operation on the CPU.
    """
    python_before, numpy_before = random.getstate(), np.random.get_state()
    try:
        random.seed(seed)
        np.random.seed(seed)
        with deterministic(seed, threads):
            yield
    finally:
        random.setstate(python_before)
        np.random.set_state(numpy_before)


def not_finite(values: NDArray[np.floating] | Tensor) -> str:
    """Return how many numbers are NaN or infinite, in words; empty if all are finite.

    Parameters
    ----------
    values
        Real numbers of any shape.
    """
    plain = values.detach().cpu().numpy() if isinstance(values, torch.Tensor) else values
    counts = {"NaN": int(np.isnan(plain).sum()), "infinite": int(np.isinf(plain).sum())}
    return ", ".join(
        f"{count} of {plain.size} numbers {'is' if count == 1 else 'are'} {what}"
        for what, count in counts.items()
        if count
    )
