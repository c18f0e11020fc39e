"""Logits and maps of many pictures: read from the store, or computed and stored by batches."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stimuli.errors import UserError
from stimuli.workers import Workers, available_cpus, check_reachable, ordered_map
from xai_backend.determinism import not_finite
from xai_backend.explain.answering import LOGITS_AT_ONCE, Answer, Batch, Network, answer
from xai_backend.methods import Method
from xai_backend.methods.registry import caution
from xai_backend.progress import Reporter, Silent
from xai_backend.store import TensorStore, input_sha256, logits_key, map_key

Codes = NDArray[np.uint8]

SEVERAL = 16
TAKE_SEVERAL = frozenset(
    {
        "lrp",
        "gradcam",
        "layer_cam",
        "saliency_sod",
        "protopnet",
        "attention_rollout",
        "attention_relevance",
    }
)
"""Methods that take several pictures through the network together."""
ON_A_CPU = 4
"""Inputs at once on a CPU: a sixth faster than one by one, since each call rearranges the weights;
eight are no faster and need more memory."""
FEW = 4
SLOWEST = frozenset({"extremal_perturbation", "rise"})
"""Methods that take minutes for each picture on a CPU, where a batch is a single picture. A
graphics card takes several together."""

LOGITS_A_BATCH = 64
FEW_BATCHES = 2
"""With this many batches or more, processes are started even if the user didn't ask for them."""
FEW_BATCHES_OF_A_SMALL_NETWORK = 128
"""The same for a small network: except with the slowest methods, it computes fewer batches before a
process has started."""
MOST_PROCESSES = 4
"""Most processes that are started unless the user asks for more: each holds torch and the network
in memory."""

Keys = tuple[str, ...]

Make = Callable[[Keys], Batch | None]
"""From missing keys to the batch that computes them; without the keys whose pictures are gone, and
None if all of them are."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as a network sees it.

    Attributes
    ----------
    name
        Its name in messages and results.
    sha256
        Hash of its codes, see `input_sha256`.
    load
        Returns its codes, uint8 (H, W, 3), or None if the picture is gone.
    """

    name: str
    sha256: str
    load: Callable[[], Codes | None]

    @classmethod
    def of(cls, name: str, codes: Codes) -> "Picture":
        """Return a picture whose codes are in memory."""
        return cls(name, input_sha256(codes), lambda: codes)


@dataclass(frozen=True, slots=True)
class ComputedMap:
    """A map, and how it was computed.

    Attributes
    ----------
    values
        float32 (H, W).
    seconds
        Time that it took to compute: its share of its batch. None if the job that computed it
        didn't measure the time.
    halved_to
        Inputs at once after halving for lack of memory; None if there was enough.
    compiled
        Whether the network was compiled for it.
    """

    values: NDArray[np.float32]
    seconds: float | None
    halved_to: int | None
    compiled: bool = False


@dataclass(frozen=True, slots=True)
class Precompute:
    """Computes a network's logits and maps in workers, and keeps them in a store.

    Attributes
    ----------
    network, preprocessing
        The network, and what is done to a picture before it reaches the weights.
    store
        Where results are kept and found.
    workers
        The processes that compute; None for what suits the number of batches.
    at_once
        Inputs through the network at once; None for the method's own number.
    reporter
        Shows progress.
    compute
        A module-level function that the workers run.
    few_batches
        Fewer batches than this are computed in this process, unless workers were asked for.
    compiled
        Whether maps are made with the compiled network; see `Execution`.
    """

    network: Network
    preprocessing: Any
    store: TensorStore
    workers: Workers | None = None
    at_once: int | None = None
    reporter: Reporter = field(default_factory=Silent)
    compute: Callable[[Batch], Answer] = answer
    few_batches: int = FEW_BATCHES
    compiled: bool = False

    def logits(
        self, pictures: Sequence[Picture], skip: Callable[[str, str], None] | None = None
    ) -> dict[str, NDArray[np.float32]]:
        """Return logits (K,) by the pictures' names; pictures that are gone are left out.

        Parameters
        ----------
        pictures
            With different names.
        skip
            Called with the name of a picture whose logits aren't finite, and the reason; such
            pictures are then left out.

        Raises
        ------
        UserError
            If logits aren't finite, and ``skip`` isn't given.
        """
        weights = self.network.weights_sha256
        keys = {p.name: logits_key(weights, p.sha256, self.preprocessing) for p in pictures}
        by_key = {keys[picture.name]: picture for picture in pictures}

        def make(lacking: Keys) -> Batch | None:
            loaded = _loaded(lacking, by_key)
            if not loaded:
                return None
            at_once = self.at_once or (ON_A_CPU if self.network.device == "cpu" else LOGITS_AT_ONCE)
            return Batch(self.network, None, tuple(loaded), _stack(loaded), (), at_once)

        self._fill("the network answers", list(by_key), LOGITS_A_BATCH, make)
        held = self._held(keys)
        faults = {name: fault for name, logits in held.items() if (fault := not_finite(logits))}
        for name, fault in faults.items():
            reason = f"{name}: the answer of {self.network.name} can't be explained: {fault}"
            if skip is None:
                raise UserError(reason)
            skip(name, reason)
        return {name: logits for name, logits in held.items() if name not in faults}

    def maps(
        self, method: Method, pictures: Sequence[Picture], targets: Sequence[int]
    ) -> dict[str, ComputedMap]:
        """Return maps by the pictures' names; pictures that are gone are left out.

        Parameters
        ----------
        method
            The explanation method.
        pictures
            With different names.
        targets
            The class to explain in each picture.
        """
        warning = caution(method.name, self.network.name)
        if warning is not None:
            self.reporter.say(warning)
        keys: dict[str, str] = {}
        by_key: dict[str, tuple[Picture, int]] = {}
        for picture, target in zip(pictures, targets, strict=True):
            key = self._map_key(method, picture, target)
            keys[picture.name] = key
            by_key[key] = (picture, target)

        def make(lacking: Keys) -> Batch | None:
            loaded = _loaded(lacking, {key: by_key[key][0] for key in lacking})
            if not loaded:
                return None
            return Batch(
                self.network,
                method,
                tuple(loaded),
                _stack(loaded),
                targets=tuple(by_key[key][1] for key in loaded),
                at_once=self._at_once(method),
                compiled=self.compiled,
            )

        self._fill(f"explaining ({method.name})", list(by_key), self.a_batch(method), make)
        held = self._held(keys)
        about = self.store.provenance([keys[name] for name in held])
        return {name: _computed_map(values, about[keys[name]]) for name, values in held.items()}

    def lacking(
        self, method: Method, pictures: Sequence[Picture], targets: Sequence[int]
    ) -> tuple[int, int]:
        """Return how many maps still have to be computed, and by how many processes.

        With a Dask cluster the number of processes is unknown, and 0 is returned.
        """
        pairs = zip(pictures, targets, strict=True)
        missing = self.store.missing([self._map_key(method, *pair) for pair in pairs])
        workers = self._suiting(-(-len(missing) // self.a_batch(method)))
        return len(missing), 0 if workers.scheduler else max(1, workers.local)

    def _map_key(self, method: Method, picture: Picture, target: int) -> str:
        weights = self.network.weights_sha256
        return map_key(method, weights, picture.sha256, target, self.preprocessing)

    def a_batch(self, method: Method) -> int:
        """Return how many maps of a method make a batch: they are computed and kept together."""
        if method.name in TAKE_SEVERAL:
            return max(SEVERAL, self.at_once or 0)
        if method.name in SLOWEST:
            return 1 if self.network.device == "cpu" else SEVERAL
        return FEW

    def _at_once(self, method: Method) -> int | None:
        """Return the inputs at once; None for the method's own number."""
        if self.at_once is None and self.network.device == "cpu" and method.name in TAKE_SEVERAL:
            return ON_A_CPU
        return self.at_once

    def _fill(
        self, title: str, keys: Sequence[str], a_batch: int, make: Callable[[Keys], Batch | None]
    ) -> None:
        batches = -(-len(self.store.missing(keys)) // a_batch)
        if batches:
            filling = Filling(title, keys, a_batch, make, self.compute)
            fill(filling, self.store, self._suiting(batches), self.reporter)

    def _suiting(self, batches: int) -> Workers:
        if self.workers is not None and (self.workers.scheduler or batches >= FEW_BATCHES):
            return self.workers
        if self.workers is not None or batches < self.few_batches or self.network.device != "cpu":
            return Workers(here=True)
        processes = min(available_cpus(), MOST_PROCESSES, batches)
        return Workers(processes, here=processes == 1)

    def _held(self, keys: dict[str, str]) -> dict[str, NDArray[Any]]:
        absent = frozenset(self.store.missing(keys.values()))
        there = {name: key for name, key in keys.items() if key not in absent}
        held = self.store.get(list(dict.fromkeys(there.values())))
        return {name: held[key] for name, key in there.items()}


def checked_workers(workers: Workers | None, device: str) -> Workers | None:
    """Return the workers; UserError if they are out of reach, or more than graphics cards."""
    import torch

    if workers is None:
        return None
    check_reachable(workers)
    if workers.scheduler or not device.startswith("cuda"):
        return workers
    cards = torch.cuda.device_count() if device == "cuda" else 1
    if workers.local > cards:
        raise UserError(f"--workers {workers.local}: at most {cards} on {device}, one a card")
    return Workers(here=True) if workers.local == 1 else workers


def _loaded(keys: Keys, by_key: dict[str, Picture]) -> dict[str, Codes]:
    codes = {key: by_key[key].load() for key in keys}
    return {key: value for key, value in codes.items() if value is not None}


def _stack(codes_by_key: dict[str, Codes]) -> Codes:
    return np.stack(list(codes_by_key.values()))


def _computed_map(values: NDArray[np.float32], about: Any) -> ComputedMap:
    return ComputedMap(
        values, about.get("seconds_each"), about.get("halved_to"), about.get("compiled", False)
    )


@dataclass(frozen=True, slots=True)
class Filling:
    """The results that a job needs, and how to compute the missing ones.

    Attributes
    ----------
    title
        Title of the progress bar.
    keys
        Keys of all results of the job.
    a_batch
        Results in a batch: they are computed and kept together, and lost together if the process is
        killed.
    make
        Makes batches.
    compute
        Computes a batch in a worker: a module-level function.
    """

    title: str
    keys: Sequence[str]
    a_batch: int
    make: Make
    compute: Callable[[Batch], Answer] = field(default=answer)


def fill(filling: Filling, store: TensorStore, workers: Workers, reporter: Reporter) -> None:
    """Compute what a store lacks; each batch is written to disk as soon as it is done.

    Batches are cut from all the job's keys in their order. So what is computed together depends
    neither on what the store held before nor on the number of workers. What another job on the same
    store has finished meanwhile isn't computed again.

    Raises
    ------
    UserError
        If the store can't be written, or workers can't be started; finished results stay.
    """
    missing = frozenset(store.missing(filling.keys))
    wanted = sorted(frozenset(filling.keys))
    parts = [
        tuple(wanted[start : start + filling.a_batch])
        for start in range(0, len(wanted), filling.a_batch)
    ]
    open_parts = {part[0]: part for part in parts if missing.intersection(part)}
    shelf = _Shelf(store, open_parts, reporter)
    done = len(wanted) - len(missing)
    with reporter.stage(filling.title, len(wanted), done) as advance:

        def tasks() -> Iterator[tuple[str, Batch | None]]:
            for name, part in open_parts.items():
                lacking = tuple(store.missing(part))
                yield name, filling.make(lacking) if lacking else None

        def on_done(name: str) -> None:
            advance(len(missing.intersection(open_parts[name])))

        nothing_or = _Compute(filling.compute)
        for _ in ordered_map(nothing_or, tasks(), workers, shelf, on_done):
            pass


@dataclass(frozen=True, slots=True)
class _Compute:
    """Computes a batch; returns None for None."""

    compute: Callable[[Batch], Answer]

    def __call__(self, batch: Batch | None) -> Answer | None:
        return None if batch is None else self.compute(batch)


@dataclass(frozen=True, slots=True)
class _Shelf:
    """The store for `ordered_map`: a batch is finished when the store holds all its keys."""

    store: TensorStore
    parts: dict[str, Keys]
    reporter: Reporter

    def __contains__(self, key: str) -> bool:
        return not self.store.missing(self.parts[key])

    def __getitem__(self, key: str) -> Any:
        return None

    def put(self, key: str, value: Answer | None) -> None:
        """Keep the results of a batch, and report its remarks."""
        if value is not None:
            self.store.put(value.tensors, value.provenance)
            for line in value.remarks:
                self.reporter.say(line)
