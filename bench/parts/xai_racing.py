"""What the parts on speed share: networks, races in one run, memory, where the time goes."""

import contextlib
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import torch
from torch import Tensor, nn
from torch.profiler import ProfilerActivity, profile

from bench.book import Effort
from stimuli.io.canonical import seed_of
from xai_backend.models.classifier import checked_device
from xai_backend.models.image_model import ImageModel

MEBIBYTE = 2**20
SIDE_PX = 224
KINDS = {
    "convolutions": ("conv", "addmm", "linear", "cudnn", "xmma", "gemm"),
    "copying": ("copy", "index", "cat", "gather", "scatter", "pad", "memcpy"),
    "pooling": ("pool",),
}
"""Which of torch's operations are counted to what, by a part of their name; others are the rest."""

Times = Mapping[str, list[float]]


def device_of(effort: Effort) -> torch.device:
    """Return the device that was asked for (``--set device=cuda``)."""
    return checked_device(effort.options.get("device", "cpu"))


def random_model(name: str, device: torch.device) -> ImageModel:
    """Return a torchvision network with random weights and no biases, the same every time.

    Its speed is that of trained ones.
    """
    from torchvision import models

    with torch.random.fork_rng():
        torch.manual_seed(seed_of("bench xai", name) % 2**32)
        network = models.get_model(name, weights=None)
    for module in network.modules():
        if getattr(module, "inplace", False):
            module.inplace = False
        if getattr(module, "bias", None) is not None:
            nn.init.zeros_(module.bias)
    return ImageModel(nn.Identity(), network.eval().requires_grad_(False)).to(device)


def random_images(count: int, device: torch.device) -> Tensor:
    """Return images (count, 3, H, W) of smooth spots, the same every time."""
    generator = torch.Generator().manual_seed(count)
    coarse = torch.randn(count, 3, 14, 14, generator=generator)
    fine = nn.functional.interpolate(coarse, (SIDE_PX, SIDE_PX), mode="bicubic")
    return fine.to(device)


def thread_counts(device: torch.device) -> tuple[int, ...]:
    """Return the threads that a race is run with: one, and all of a CPU's."""
    cores = os.cpu_count() or 1
    return (1,) if device.type != "cpu" or cores == 1 else (1, cores)


@contextlib.contextmanager
def threads(count: int) -> Iterator[None]:
    """Run a block with so many threads."""
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(count)
        yield
    finally:
        torch.set_num_threads(before)


def timed(action: Callable[[], object], device: torch.device) -> float:
    """Return the seconds that an action takes."""
    _wait(device)
    begun = time.perf_counter()
    action()
    _wait(device)
    return time.perf_counter() - begun


def race(
    contenders: Mapping[str, Callable[[], object]], repeats: int, device: torch.device
) -> dict[str, list[float]]:
    """Return seconds by contender; they take turns, so that a busy moment hits all alike."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(repeats):
        for name, action in contenders.items():
            times[name].append(timed(action, device))
    return times


@dataclass(frozen=True, slots=True)
class Ratio:
    """How many times as long one contender takes as another, turn by turn."""

    median: float
    least: float
    most: float


def ratio(times: Times, slow: str, fast: str) -> Ratio:
    """Return the ratios of the turns: their median, least and most."""
    found = [a / b for a, b in zip(times[slow], times[fast], strict=True)]
    return Ratio(median(found), min(found), max(found))


def peak_mebibytes(
    prepare: Callable[[], Callable[[], object]], device: torch.device
) -> float | None:
    """Return what an action needs at most beside what was needed to prepare it.

    On a CPU it is measured in a process of its own. None where the system doesn't tell (Linux
    does).

    Parameters
    ----------
    prepare
        Returns the action; can be pickled.
    device
        Whose memory.
    """
    if device.type == "cuda":  # torch counts what it takes of a card
        return _peak(prepare, str(device))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_peak, (prepare, str(device)))


def _peak(prepare: Callable[[], Callable[[], object]], place: str) -> float | None:
    device, action = torch.device(place), prepare()
    if device.type == "cuda":
        before = torch.cuda.memory_allocated(device)
        torch.cuda.reset_peak_memory_stats(device)
        action()
        return (torch.cuda.max_memory_allocated(device) - before) / MEBIBYTE
    reset = Path("/proc/self/clear_refs")
    if not reset.exists():
        return None
    reset.write_text("5", encoding="ascii")
    before = _kibibytes("VmRSS")
    action()
    return (_kibibytes("VmHWM") - before) / 1024


def where_time_goes(action: Callable[[], object], device: torch.device) -> dict[str, float]:
    """Return the share of an action's time in each of ``KINDS`` and in the rest."""
    on_gpu = device.type == "cuda"
    activities = [ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if on_gpu else [])]
    with profile(activities=activities) as found:
        action()
        _wait(device)
    shares = dict.fromkeys([*KINDS, "rest"], 0.0)
    for row in found.key_averages():
        spent = row.self_device_time_total if on_gpu else row.self_cpu_time_total
        shares[_kind_of(row.key)] += spent
    total = sum(shares.values()) or 1.0
    return {kind: spent / total for kind, spent in shares.items()}


def shares_in_words(shares: Mapping[str, float]) -> str:
    """Return shares as text: convolutions 86 %, …"""
    return ", ".join(f"{kind} {share:.0%}".replace("%", " %") for kind, share in shares.items())


def ratio_in_words(found: Mapping[str, float]) -> str:
    """Return a ratio as text: 3.1 (2.9 to 3.2)."""
    return f"{found['median']:.1f} ({found['least']:.1f} to {found['most']:.1f})"


def memory_in_words(mebibytes: float | None) -> str:
    """Return a peak as text."""
    return "not told" if mebibytes is None else f"{mebibytes:.0f}"


def as_figures(times: Times) -> dict[str, Any]:
    """Return times as plain values."""
    return {name: [round(second, 4) for second in seconds] for name, seconds in times.items()}


def _kind_of(name: str) -> str:
    lower = name.lower()
    for kind, parts in KINDS.items():
        if any(part in lower for part in parts):
            return kind
    return "rest"


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def _kibibytes(field: str) -> int:
    text = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith(field))
