"""Examples: the training images of the proposed label that the AI finds most alike."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from stimuli.io.canonical import hash_of
from stimuli.studies.human_ai_team.protocol import HumanAiTeam
from xai_backend.explain.precompute import Picture
from xai_backend.methods.nearest_neighbours import NearestNeighbours, Neighbour, References
from xai_backend.models.image_model import as_images
from xai_backend.progress import Reporter
from xai_backend.provenance import provenance
from xai_backend.store import TensorStore
from xai_backend.studies.human_ai_team.ai import Ai
from xai_backend.studies.human_ai_team.pool import Known, Pool

AT_ONCE = 64
"""Pictures that are read together."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A picture for whose label examples are wanted."""

    picture: Picture
    label: str


class Examples:
    """Examples of pictures, kept in a store by all that determines them.

    Parameters
    ----------
    ai
        In whose features images are compared.
    pool
        The training images.
    protocol
        How many, and how near a duplicate is.
    store
        Where they are kept; those of a label are kept together.
    reporter
        Told how far it is.
    """

    def __init__(
        self, ai: Ai, pool: Pool, protocol: HumanAiTeam, store: TensorStore, reporter: Reporter
    ) -> None:
        rule = protocol.help
        self._ai, self._pool, self._store, self._reporter = ai, pool, store, reporter
        self._method = NearestNeighbours(
            rule.neighbours, protocol.system.layer, rule.near_duplicate_distance
        )

    def of(self, asked: Iterable[Asked]) -> dict[tuple[str, str], tuple[Known, ...]]:
        """Return examples by the picture's name and label, the nearest first.

        There are fewer than the protocol wants where a label has no more that aren't
        duplicates.

        Raises
        ------
        UserError
            If the network has no such layer, or the store can't be written.
        """
        by_label: dict[str, list[Asked]] = {}
        for one in asked:
            by_label.setdefault(one.label, []).append(one)
        found: dict[tuple[str, str], tuple[Known, ...]] = {}
        keys = {label: self._keys(label, some) for label, some in by_label.items()}
        lacking = {label: self._store.missing(own) for label, own in keys.items()}
        total = sum(map(len, lacking.values()))
        if total:
            with self._reporter.stage("finding examples", total) as advance:
                for label, missing in sorted(lacking.items()):
                    if missing:
                        self._find(label, {key: keys[label][key] for key in missing})
                        advance(len(missing))
        for label, own in keys.items():
            right = self._pool.right(label)
            for key, rows in self._store.get(list(own)).items():
                for one in own[key]:
                    found[one.picture.name, label] = tuple(
                        right[int(row)] for row in rows if row >= 0
                    )
        return found

    def _keys(self, label: str, asked: Sequence[Asked]) -> dict[str, list[Asked]]:
        """Return pictures by the key of their examples; two of one content share it."""
        names = [one.picture.sha256 for one in self._pool.right(label)]
        network = self._ai.of.network.weights_sha256
        root = [self._method.name, self._method.version, self._method.count, self._method.layer]
        keys: dict[str, list[Asked]] = {}
        for one in asked:
            what = [*root, self._method.duplicate_distance, network, one.picture.sha256, names]
            keys.setdefault(hash_of(what), []).append(one)
        return keys

    def _find(self, label: str, wanted: Mapping[str, Sequence[Asked]]) -> None:
        right = self._pool.right(label)
        model, output = self._ai.of.classifier.model, self._ai.output_of(label)
        pictures = [one.picture for one in right]
        starts = range(0, len(pictures), AT_ONCE)
        parts = (_part(pictures, start, output) for start in starts)
        references = self._method.references(model, parts) if pictures else _nothing()
        rows = {}
        for key, (first, *_) in wanted.items():
            images = _images([first.picture])
            (near,) = self._method.neighbours(model, images, _filled(1, output), references)
            rows[key] = _rows(near, self._method.count)
        self._store.put(rows, provenance(self._ai.of.network.device))


def _part(
    pictures: Sequence[Picture], start: int, output: int
) -> tuple[tuple[str, ...], Tensor, Tensor]:
    """Return some references as `NearestNeighbours` takes them, named by their numbers."""
    some = pictures[start : start + AT_ONCE]
    names = tuple(map(str, range(start, start + len(some))))
    return names, _images(some), _filled(len(some), output)


def _rows(near: Sequence[Neighbour], count: int) -> np.ndarray:
    """Return the neighbours' numbers, int64 (count,), filled up with −1."""
    numbers = [int(one.name) for one in near]
    return np.array(numbers + [-1] * (count - len(numbers)), dtype=np.int64)


def _images(pictures: Sequence[Picture]) -> Tensor:
    codes = [codes for codes in (one.load() for one in pictures) if codes is not None]
    return as_images(torch.from_numpy(np.stack(codes)))


def _filled(count: int, output: int) -> Tensor:
    return torch.full((count,), output, dtype=torch.int64)


def _nothing() -> References:
    return References((), torch.empty(0, dtype=torch.int64), torch.empty(0, 0))
