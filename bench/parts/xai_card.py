"""What a graphics card does in a few minutes: maps a second, memory and rounding, batch by batch.

It needs nothing but the repository: weights and images follow from a seed.
"""

import multiprocessing
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, replace
from math import ceil
from pathlib import Path
from typing import Any, Protocol
from unittest.mock import patch

import numpy as np
import torch

from bench.book import Effort, Measured, Part, table
from bench.parts.xai_methods import (
    OF_ALL,
    OF_ATTENTION,
    VIT,
    Job,
    explained,
    prepared,
    share_timed,
    usual_part,
)
from bench.parts.xai_racing import MEBIBYTE, SIDE_PX, device_of, memory_in_words, timed
from stimuli.workers import Workers
from xai_backend import determinism
from xai_backend.explain.answering import Network, classifier_at_hand
from xai_backend.explain.precompute import TAKE_SEVERAL, Picture, Precompute
from xai_backend.methods import Execution, method_of
from xai_backend.store import TensorStore

NETWORKS = ("resnet50", VIT)
PRECISIONS = ("float32", "TF32", "bfloat16")
BATCHES = (64, 1, 512, 8, 256, 16, 128, 2, 32, 4)
"""Inputs at once, the most telling first: what doesn't fit into the time is left out."""
INPUTS_A_MAP = {
    "occlusion": 625, "integrated_gradients": 50, "smoothgrad": 50, "gradient_shap": 50,
    "kernel_shap": 100, "extremal_perturbation": 4,
}  # fmt: skip
"""How many inputs a map takes as it is timed here; 1 of methods that aren't named."""
OF_A_PACK = ("gradcam", "lrp", "integrated_gradients")
PICTURES = 450
"""Pictures of the largest pack of the published studies."""
USUAL_MINUTES = 10.0


@dataclass(frozen=True, slots=True)
class Setting:
    """What is timed: a method on a network, in a precision, with so many inputs at once."""

    network: str
    method: str
    precision: str
    batch: int


@dataclass(frozen=True, slots=True)
class Rate:
    """Maps a second, and the most memory that they took beside the network, mebibytes.

    Both are None if the card hasn't enough memory, or can't do it in this precision.
    """

    per_s: float | None
    mebibytes: float | None = None


class Card(Protocol):
    """A device that makes maps."""

    def rate(self, setting: Setting) -> Rate:
        """Return how fast it makes maps."""

    def difference(self, setting: Setting) -> float | None:
        """Return its largest difference from a CPU's map, as a share of the largest value."""

    def pack(self, network: str, method: str) -> float:
        """Return the seconds for the maps of a whole pack, from pictures to the store."""


@dataclass(frozen=True, slots=True)
class Extent:
    """Which networks, methods, precisions and batches are measured, and for how long."""

    networks: Sequence[str] = NETWORKS
    methods: Sequence[str] = (*OF_ALL, "lrp", *OF_ATTENTION)
    batches: Sequence[int] = BATCHES
    of_a_pack: Sequence[str] = OF_A_PACK
    minutes: float = USUAL_MINUTES

    def settings(self, batches: Sequence[int]) -> Iterator[Setting]:
        """Yield what is measured with these batches, each precision with every method."""
        for batch in batches:
            for precision in PRECISIONS:
                for network in self.networks:
                    for method in self.methods:
                        if _applies(method, network):
                            yield Setting(network, method, precision, batch)


def _applies(method: str, network: str) -> bool:
    """Return whether a method explains a network: attention needs tokens, LRP other layers."""
    if network == VIT:
        return method != "lrp"
    return method not in OF_ATTENTION


@dataclass(frozen=True, slots=True)
class Sheet:
    """What was measured within the time, and how many settings weren't.

    Attributes
    ----------
    rates, differences
        By setting; differences in the first batch alone.
    packs
        Seconds by network and method.
    left_out
        Settings that the time didn't reach.
    """

    rates: Mapping[Setting, Rate]
    differences: Mapping[Setting, float | None]
    packs: Mapping[tuple[str, str], float]
    left_out: int


def fill_sheet(card: Card, extent: Extent, now: Callable[[], float] = time.monotonic) -> Sheet:
    """Measure the most telling settings first, until the time is over.

    A setting that has begun is finished. After a batch that the card can't hold, larger ones of
    the same method aren't tried.
    """
    end = now() + 60 * extent.minutes
    rates: dict[Setting, Rate] = {}
    differences: dict[Setting, float | None] = {}
    packs: dict[tuple[str, str], float] = {}
    left_out = 0
    first, rest = extent.batches[:1], extent.batches[1:]
    for setting in extent.settings(first):
        if now() >= end:
            left_out += 1
            continue
        rates[setting] = card.rate(setting)
        differences[setting] = card.difference(setting)
    for network in extent.networks:
        for method in extent.of_a_pack:
            if now() < end and Setting(network, method, PRECISIONS[0], first[0]) in rates:
                packs[network, method] = card.pack(network, method)
    for setting in extent.settings(rest):
        if now() >= end:
            left_out += 1
        elif not _too_large(setting, rates):
            rates[setting] = card.rate(setting)
    return Sheet(rates, differences, packs, left_out)


def _too_large(setting: Setting, rates: Mapping[Setting, Rate]) -> bool:
    smaller = (replace(setting, batch=batch) for batch in BATCHES if batch <= setting.batch)
    return any(one in rates and rates[one].per_s is None for one in smaller)


@dataclass(frozen=True, slots=True)
class TorchCard:
    """A device of torch.

    Attributes
    ----------
    device
        Which.
    of_cpu
        A CPU's maps in float32 (1, H, W), by network and method.
    pictures
        In a pack.
    """

    device: torch.device
    of_cpu: Callable[[str, str], torch.Tensor]
    pictures: int = PICTURES

    def rate(self, setting: Setting) -> Rate:
        """Return maps a second by the clock, the second of two runs."""
        job = Job(setting.network, setting.method, usual_part(setting.method))
        count = max(1, ceil(setting.batch / INPUTS_A_MAP.get(setting.method, 1)))
        method = method_of(job.method, job.settings)
        execution = Execution(at_once=setting.batch)

        def explain() -> None:
            method.explain(model, images, targets, execution)

        try:
            model, images, targets = prepared(setting.network, str(self.device), count)
            with in_precision(setting.precision, self.device):
                explain()
                self._forget_peak()
                before = self._allocated()
                seconds = timed(explain, self.device)
        except RuntimeError:  # torch's lack of memory is one too
            return Rate(None)
        return Rate(count / seconds / share_timed(job), self._peak_since(before))

    def difference(self, setting: Setting) -> float | None:
        """Return the largest difference of one image's map, with the comparison's settings."""
        job = Job(setting.network, setting.method, OF_ALL.get(setting.method, {}))
        try:
            with in_precision(setting.precision, self.device):
                ours = explained(job, str(self.device)).maps.double()
        except RuntimeError:
            return None
        theirs = self.of_cpu(setting.network, setting.method).double()
        return float((ours - theirs).abs().max() / theirs.abs().max())

    def pack(self, network: str, method: str) -> float:
        """Return the seconds of all maps of a pack, with everything that is kept."""
        generator = np.random.Generator(np.random.PCG64(1))
        with tempfile.TemporaryDirectory(prefix="plainsight-card-") as name:
            weights = Path(name, "weights.pth")
            model, _, _ = prepared(network, "cpu", 1)
            torch.save(model.network.state_dict(), weights)
            classifier = classifier_at_hand(network, str(weights), str(self.device))
            found = Network(network, str(weights), str(self.device), classifier.weights_sha256)
            store = TensorStore(Path(name, "maps"))
            job = Precompute(found, classifier.preprocessing, store, Workers(here=True))
            shape = (SIDE_PX, SIDE_PX, 3)
            pictures = [
                Picture.of(str(one), generator.integers(0, 256, shape, dtype=np.uint8))
                for one in range(self.pictures)
            ]
            targets = [0] * len(pictures)
            return timed(lambda: job.maps(method_of(method, {}), pictures, targets), self.device)

    def _allocated(self) -> int:
        return torch.cuda.memory_allocated(self.device) if self.device.type == "cuda" else 0

    def _forget_peak(self) -> None:
        if self.device.type == "cuda":
            torch.cuda.reset_peak_memory_stats(self.device)

    def _peak_since(self, before: int) -> float | None:
        if self.device.type != "cuda":
            return None
        return (torch.cuda.max_memory_allocated(self.device) - before) / MEBIBYTE


def in_precision(name: str, device: torch.device) -> AbstractContextManager[Any]:
    """Return what computes a block in float32, in TF32, or in bfloat16 where torch's autocast does.

    The backend turns TF32 off, since single pixels of maps suffer; here it is let through.
    """
    if name == "bfloat16":
        return torch.autocast(device.type, torch.bfloat16)
    return patch.object(determinism, "IN_FULL", "tf32") if name == "TF32" else nullcontext()


def measure(effort: Effort) -> Measured:
    """Measure a device for ``--set minutes=N``, 10 unless said otherwise."""
    device = device_of(effort)
    extent = Extent(minutes=float(effort.options.get("minutes", USUAL_MINUTES)))
    pictures = PICTURES
    if effort.quick:
        extent = Extent(("squeezenet1_1",), ("gradcam",), (2, 1), ("gradcam",), extent.minutes)
        pictures = 3
    with multiprocessing.get_context("spawn").Pool(1 if effort.quick else None) as pool:
        jobs = {(one.network, one.method): Job(one.network, one.method, OF_ALL.get(one.method, {}))
                for one in extent.settings(extent.batches[:1])}  # fmt: skip
        waiting = {key: pool.apply_async(explained, (job, "cpu")) for key, job in jobs.items()}
        card = TorchCard(device, lambda *key: waiting[key].get().maps, pictures)
        sheet = fill_sheet(card, extent)
    return Measured(_text(sheet, extent, pictures), _figures(sheet))


def _figures(sheet: Sheet) -> dict[str, Any]:
    rows = [
        asdict(setting) | asdict(rate) | {"difference": sheet.differences.get(setting)}
        for setting, rate in sheet.rates.items()
    ]
    packs = [[*key, seconds] for key, seconds in sheet.packs.items()]
    return {"rates": rows, "packs": packs, "left_out": sheet.left_out}


def _text(sheet: Sheet, extent: Extent, pictures: int) -> str:
    batches = sorted({one.batch for one in sheet.rates})
    rows = []
    for one in dict.fromkeys(replace(one, batch=0) for one in sheet.rates):
        rates = [sheet.rates.get(replace(one, batch=batch)) for batch in batches]
        off = sheet.differences.get(replace(one, batch=extent.batches[0]))
        rows.append(
            [
                f"{one.network}, {one.method}",
                one.precision,
                *(_cell(rate) for rate in rates),
                "" if off is None else f"{off:.0e}",
            ]
        )
    packs = [[network, method, f"{s:.1f}"] for (network, method), s in sheet.packs.items()]
    unfinished = f" The time ended before {sheet.left_out} more settings." * (sheet.left_out > 0)
    several = ", ".join(name for name in extent.methods if name in TAKE_SEVERAL)
    return (
        "Maps a second and, in brackets, mebibytes beside the network, by inputs at once; images "
        f"of {SIDE_PX} px, weights by a seed, usual settings. A dash: not enough memory, or "
        "no such operation in this precision. For kernel SHAP a tenth and for extremal "
        "perturbation a twentieth of a map’s work was timed. The last column is the largest "
        "difference of one map from a CPU’s in float32, as a share of its largest value. Inputs "
        f"at once are images of {several}; other methods send several inputs for each image."
        + unfinished
        + "\n\n"
        + table(["", "precision", *map(str, batches), "difference"], rows)
        + f"\n\nMaps of a pack with {pictures} pictures in float32, read, computed and stored, "
        "without loading the network:\n\n" + table(["network", "method", "s"], packs)
    )


def _cell(rate: Rate | None) -> str:
    if rate is None:
        return ""
    if rate.per_s is None:
        return "–"
    memory = "" if rate.mebibytes is None else f" ({memory_in_words(rate.mebibytes)})"
    return f"{rate.per_s:.3g}{memory}"


PARTS = (Part("card", "A graphics card in ten minutes", measure),)
