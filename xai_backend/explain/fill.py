"""Fill a store with what it lacks of a job: by batches, over workers, killed at any moment."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from stimuli.workers import Workers, ordered_map
from xai_backend.explain.answering import Answer, Batch, answer
from xai_backend.progress import Reporter
from xai_backend.store import TensorStore

Keys = tuple[str, ...]
Make = Callable[[Keys], Batch | None]
"""From keys that are missing to the batch that gives them; fewer, or None, where their
pictures can't be had any more."""


@dataclass(frozen=True, slots=True)
class Filling:
    """What a job lacks, and how it is to be had.

    Attributes
    ----------
    title
        Of its progress.
    keys
        Of all results of the job.
    a_batch
        Results a batch: what is computed and kept together, and lost together by a kill.
    make
        Makes batches.
    compute
        Computes them, in workers: a function of a module.
    """

    title: str
    keys: Sequence[str]
    a_batch: int
    make: Make
    compute: Callable[[Batch], Answer] = field(default=answer)


def fill(filling: Filling, store: TensorStore, workers: Workers, reporter: Reporter) -> None:
    """Compute what a store lacks; each batch is on the disk as soon as it is done.

    Batches are cut from all the job's keys in their order, so that what is computed together
    doesn't hang on what was there before, nor on the number of workers. Another job on the
    same store counts: what it finished meanwhile isn't computed again.

    Raises
    ------
    UserError
        If the store can't be written, or workers can't be had; what is done stays.
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
    """Computes a batch where there is one."""

    compute: Callable[[Batch], Answer]

    def __call__(self, batch: Batch | None) -> Answer | None:
        return None if batch is None else self.compute(batch)


@dataclass(frozen=True, slots=True)
class _Shelf:
    """The store as `ordered_map` wants it: a batch is finished when all its keys are there."""

    store: TensorStore
    parts: dict[str, Keys]
    reporter: Reporter

    def __contains__(self, key: str) -> bool:
        return not self.store.missing(self.parts[key])

    def __getitem__(self, key: str) -> Any:
        return None

    def put(self, key: str, value: Answer | None) -> None:
        """Keep what came of a batch, and tell what is to be told."""
        if value is not None:
            self.store.put(value.tensors, value.provenance)
            for line in value.remarks:
                self.reporter.say(line)
