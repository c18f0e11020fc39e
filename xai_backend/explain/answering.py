"""What a worker does: load a network once, and compute maps or logits for a batch of pictures.

As many inputs go through the network at once as fit into memory; if memory runs out, half as many.
"""

import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from stimuli.errors import UserError
from stimuli.workers import ORDINAL
from xai_backend.determinism import deterministic
from xai_backend.methods import METHODS, Method
from xai_backend.methods.method import Execution, input_gradients, is_out_of_memory
from xai_backend.methods.occlusion import Occlusion, has_short_cut
from xai_backend.models.classifier import Classifier
from xai_backend.models.image_model import ImageModel, as_images, logits_of
from xai_backend.networks import is_from_elsewhere, load_network
from xai_backend.own_code import FAILURES, fault_line
from xai_backend.provenance import provenance

SHARE = 0.5
"""Share of the free memory to plan with: methods keep more in memory than the trial does."""
MOST = 64
"""Most inputs at once: more don't make better use of a graphics card."""

Result = TypeVar("Result")

START = 64
"""Inputs at once from which halving begins if the method chose its own number."""
LOGITS_AT_ONCE = 16
KEPT_AS_STORED = "lrp"
"""The method for which weights aren't rearranged on a CPU. Rounding decides a max pool's near tie,
and so moves LRP's relevance by a pixel: its maps are zennit's to the last digits only if
convolutions round as zennit's do."""
_ONE_AT_A_TIME = threading.Lock()
"""A Dask worker may have several threads, but torch's settings and a network's hooks apply to the
whole process."""


def with_halving(
    compute: Callable[[Execution], Result], execution: Execution, say: Callable[[str], None]
) -> tuple[Result, Execution]:
    """Return the result of ``compute``, and the execution with which it succeeded.

    Parameters
    ----------
    compute
        Called again with half as many inputs at once whenever memory runs out.
    execution
        The first one to try.
    say
        Called with a line at each halving.

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
    """A device's memory, in bytes."""

    def free(self) -> int:
        """Return how much is free."""

    def peak(self, action: Callable[[], object]) -> int:
        """Run an action and return how much it needs at most."""


@dataclass(frozen=True, slots=True)
class CardMemory:
    """A graphics card's memory, as torch reports it."""

    device: torch.device

    def free(self) -> int:
        """Return the card's free memory, including what torch has reserved but doesn't use."""
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

    One input, then two inputs go through the network forward and backward. Like most methods, this
    keeps every layer's output. Each further input needs as much memory as the second one added.

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
    per_input = max(peaks[1] - peaks[0], 1)
    once = max(peaks[0] - per_input, 0)
    fitting = int(SHARE * memory.free() - once) // per_input
    return 1 << (max(1, min(fitting, MOST)).bit_length() - 1)


@dataclass(frozen=True, slots=True)
class Network:
    """The network that a worker loads.

    Attributes
    ----------
    name, weights, device
        See `load_network`. With plain ``cuda`` each local worker gets a device of its own.
    weights_sha256
        The expected hash of the weights: another machine may have other weights at the same path.
    """

    name: str
    weights: str | None
    device: str
    weights_sha256: str


@dataclass(frozen=True, slots=True)
class Batch:
    """Pictures that are explained together.

    Attributes
    ----------
    network
        The network that is explained.
    method
        The explanation method; None for the logits themselves.
    keys
        Keys of the results, one for each picture.
    codes
        RGB codes, uint8 (n, H, W, 3).
    targets
        Classes to explain; empty for logits.
    at_once
        Inputs through the network at once; None for the method's own number.
    compiled
        See `Execution`.
    """

    network: Network
    method: Method | None
    keys: tuple[str, ...]
    codes: NDArray[np.uint8]
    targets: tuple[int, ...] = ()
    at_once: int | None = None
    compiled: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """The results of a batch.

    Attributes
    ----------
    tensors
        float32 by key: maps (H, W) or logits (K,).
    provenance
        Versions and machine, and how it was computed: ``seconds_each``; ``halved_to``, the inputs
        at once after halving for lack of memory, or None; ``compiled``.
    remarks
        Lines to show to the user.
    """

    tensors: Mapping[str, NDArray[np.float32]]
    provenance: Mapping[str, Any]
    remarks: tuple[str, ...] = ()


@dataclass(slots=True)
class _Loaded:
    """A network, how it is laid out, and how many inputs at once fit in memory.

    Attributes
    ----------
    classifier
        The network.
    runs_channels_last
        Whether it runs with its weights channels last.
    is_channels_last
        Whether they are stored so now.
    fitting
        How many inputs at once fit; None before it was measured.
    halved_to
        How many were left of a method's inputs at once when memory ran out.
    """

    classifier: Classifier
    runs_channels_last: bool
    is_channels_last: bool
    fitting: int | None = None
    halved_to: dict[Method | None, int] = field(default_factory=dict)


def answer(batch: Batch) -> Answer:
    """Return maps or logits of a batch.

    Raises
    ------
    UserError
        If the network can't be loaded here, or the method refuses the pictures.
    """
    with _ONE_AT_A_TIME:
        loaded = _checked(batch.network)
        _lay_out(loaded, batch.method)
        at_once = loaded.halved_to.get(batch.method) or batch.at_once or _chosen(loaded, batch)
        begin = Execution(at_once=at_once, compiled=batch.compiled)
        remarks: list[str] = []
        started = time.perf_counter()
        values, used = with_halving(lambda how: _values(loaded, batch, how), begin, remarks.append)
        seconds = (time.perf_counter() - started) / len(batch.keys)
        if used != begin and used.at_once is not None:
            loaded.halved_to[batch.method] = used.at_once
    about = provenance(str(loaded.classifier.model.device))
    about |= {
        "seconds_each": seconds,
        "halved_to": loaded.halved_to.get(batch.method),
        "compiled": batch.compiled,
    }
    return Answer(dict(zip(batch.keys, values, strict=True)), about, tuple(remarks))


def _values(loaded: _Loaded, batch: Batch, execution: Execution) -> NDArray[np.float32]:
    network, method = batch.network.name, batch.method
    try:
        return _computed(loaded.classifier.model, batch, execution)
    except UserError:
        raise
    except FAILURES as fault:
        if method is not None and isinstance(fault, ValueError):
            raise UserError(f"method {method.name}: {fault}") from None
        if is_out_of_memory(fault) or not is_from_elsewhere(network):
            raise
        doing = "it answers" if method is None else f"{method.name} explains it"
        raise UserError(f"--model {network}: fails while {doing} ({fault_line(fault)})") from None


def _computed(model: ImageModel, batch: Batch, execution: Execution) -> NDArray[np.float32]:
    images = as_images(torch.from_numpy(batch.codes))
    if batch.method is None:
        with deterministic(threads=execution.threads):
            return logits_of(model, images, execution.at_once or LOGITS_AT_ONCE).numpy()
    return batch.method.explain(model, images, torch.tensor(batch.targets), execution).numpy()


def _chosen(loaded: _Loaded, batch: Batch) -> int | None:
    """Return how many inputs at once fit on a graphics card; None for the method's own number.

    On a CPU nothing is measured: its memory is shared with everything else, and few inputs fill its
    caches.
    """
    model = loaded.classifier.model
    memory = memory_of(model.device)
    if memory is None or (isinstance(batch.method, Occlusion) and has_short_cut(model)):
        return None
    if loaded.fitting is None:
        image = as_images(torch.from_numpy(batch.codes[:1])).to(model.device)
        loaded.fitting = inputs_that_fit(model, image, memory)
    return loaded.fitting


def memory_of(device: torch.device) -> Memory | None:
    """Return the memory that limits the inputs at once; None on a CPU."""
    return CardMemory(device) if device.type == "cuda" else None


def classifier_at_hand(name: str, weights: str | None, device: str) -> Classifier:
    """Return a network as `load_network` does; this process keeps the last one in memory."""
    return _at_hand(name, weights, device).classifier


def _checked(network: Network) -> _Loaded:
    loaded = _at_hand(network.name, network.weights, _own_device(network.device))
    if loaded.classifier.weights_sha256 != network.weights_sha256:
        raise UserError(f"{network.weights or network.name}: other weights on a worker than here")
    return loaded


def _at_hand(name: str, weights: str | None, device: str) -> _Loaded:
    file = Path(weights) if weights else None
    about = file.stat() if file and file.is_file() else None
    stamp = None if about is None else (about.st_mtime_ns, about.st_size)
    return _loaded(name, weights, device, stamp)


@lru_cache(maxsize=1)
def _loaded(name: str, weights: str | None, device: str, stamp: tuple[int, int] | None) -> _Loaded:
    """Load a network; the stamp (time and size) changes when the file of weights does."""
    classifier = load_network(name, weights, device)
    channels_last(classifier.model.network)
    runs = not is_from_elsewhere(name) or _answers(classifier)
    if not runs:
        channels_last(classifier.model.network, undo=True)
    return _Loaded(classifier, runs_channels_last=runs, is_channels_last=runs)


def _lay_out(loaded: _Loaded, method: Method | None) -> None:
    """Store a network's weights channels last, but on a CPU not for LRP.

    Nor for methods of captum's and of users: they get the network as it was loaded.
    """
    model = loaded.classifier.model
    suits = method is None or (method.name in METHODS and method.name != KEPT_AS_STORED)
    wanted = loaded.runs_channels_last and (suits or model.device.type == "cuda")
    if wanted != loaded.is_channels_last:
        channels_last(model.network, undo=not wanted)
        loaded.is_channels_last = wanted


def channels_last(network: nn.Module, *, undo: bool = False) -> None:
    """Store a network's weights channels last: convolutions are faster, on CPUs too.

    An exported program keeps its layout, since its operations may rely on it.
    """
    layout = torch.contiguous_format if undo else torch.channels_last
    if not isinstance(network, torch.fx.GraphModule):
        nn.utils.convert_conv2d_weight_memory_format(network, layout)


def _answers(classifier: Classifier) -> bool:
    """Return whether a network runs: `Tensor.view` can't flatten feature maps channels last."""
    model, side_px = classifier.model.eval(), classifier.frame.crop_px
    try:
        with torch.no_grad():
            model(torch.zeros(1, 3, side_px, side_px, device=model.device))
    except FAILURES:
        return False
    return True


def _own_device(device: str) -> str:
    """Return this worker's device: each of several workers has a graphics card of its own."""
    if device != "cuda" or ORDINAL not in os.environ:
        return device
    return f"cuda:{int(os.environ[ORDINAL]) % max(1, torch.cuda.device_count())}"
