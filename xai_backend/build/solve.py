"""S at work: the network's answer to every plate at every rung, with its explanation."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from stimuli.colour.cones import Axis
from stimuli.maps import MapRecord, MapSet
from stimuli.plates.plate import Plate
from stimuli.plates.spec import PlateSpec
from xai_backend.determinism import deterministic
from xai_backend.methods import Method
from xai_backend.models.checkpoint import Checkpoint
from xai_backend.models.evaluate import pictures_of
from xai_backend.models.image_model import as_images, logits_of
from xai_backend.progress import Reporter
from xai_backend.store import TensorStore
from xai_backend.store.keys import logits_key, map_key

LOGITS_A_SHARD = 512
MAPS_A_SHARD = 32

Picture = NDArray[np.uint8]
Place = tuple[Axis, int, float]
Question = tuple[str, Axis, int]


@dataclass(frozen=True, slots=True)
class Solver:
    """S: a network with an explanation method, and the store of what it has solved.

    Attributes
    ----------
    checkpoint, method
        Who answers, and how answers are explained.
    store
        Where logits and maps are kept.
    provenance
        On what they are computed.
    """

    checkpoint: Checkpoint
    method: Method
    store: TensorStore
    provenance: Mapping[str, Any]

    def solve(self, pictures: Mapping[Question, Picture], reporter: Reporter) -> MapSet:
        """Return the most likely digit of each picture, its probability and its map.

        Parameters
        ----------
        pictures
            uint8 (H, W, 3) by (item, axis, rung).

        Notes
        -----
        What the store holds is not computed again. Keys are worked off in their own
        order, in shards, so that results don't depend on what was interrupted when.
        """
        logits = self._logits(list(pictures.values()), reporter)
        answers = logits.argmax(axis=1)
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        confidence = (shares / shares.sum(axis=1, keepdims=True)).max(axis=1)
        maps = self._maps(list(pictures.values()), answers, reporter)
        records = tuple(
            MapRecord(
                map=f"{item}-{axis}-{rung}",
                item=item,
                source="model",
                solver_id=self.checkpoint.checkpoint_id,
                method=self.method.name,
                axis=axis,
                rung=rung,
                answer=str(int(answers[k])),
                confidence=float(confidence[k]),
                rt_s=None,
            )
            for k, (item, axis, rung) in enumerate(pictures)
        )
        return MapSet(records, {record.map: maps[k] for k, record in enumerate(records)})

    def _logits(self, pictures: Sequence[Picture], reporter: Reporter) -> NDArray[np.float64]:
        keys = [logits_key(self.checkpoint.weights_sha256, picture) for picture in pictures]
        by_key = dict(zip(keys, pictures, strict=True))
        missing = sorted(self.store.missing(keys))
        with reporter.stage("S reads the plates", len(by_key)) as advance:
            advance(len(by_key) - len(missing))
            for some in _parts(missing, LOGITS_A_SHARD):
                images = _images([by_key[key] for key in some])
                with deterministic():
                    values = logits_of(self.checkpoint.model, images).numpy()
                self.store.put(dict(zip(some, values, strict=True)), self.provenance)
                advance(len(some))
        held = self.store.get(keys)
        return np.stack([held[key] for key in keys]).astype(np.float64)

    def _maps(
        self, pictures: Sequence[Picture], targets: NDArray[np.int64], reporter: Reporter
    ) -> list[NDArray[np.float32]]:
        weights = self.checkpoint.weights_sha256
        keys = [
            map_key(self.method, weights, picture, int(target))
            for picture, target in zip(pictures, targets, strict=True)
        ]
        by_key = {key: (pictures[k], int(targets[k])) for k, key in enumerate(keys)}
        missing = sorted(self.store.missing(keys))
        with reporter.stage(f"explaining ({self.method.name})", len(by_key)) as advance:
            advance(len(by_key) - len(missing))
            for some in _parts(missing, MAPS_A_SHARD):
                images = _images([by_key[key][0] for key in some])
                chosen = torch.tensor([by_key[key][1] for key in some])
                maps = self.method.explain(self.checkpoint.model, images, chosen).numpy()
                self.store.put(dict(zip(some, maps, strict=True)), self.provenance)
                advance(len(some))
        held = self.store.get(keys)
        return [held[key] for key in keys]


def draw_pictures(
    plates: Mapping[str, Plate],
    places: Sequence[Place],
    spec: PlateSpec,
    input_px: int,
    reporter: Reporter,
) -> dict[Question, Picture]:
    """Return every plate at every place (axis, rung, contrast) as the network sees it."""
    pictures: dict[Question, Picture] = {}
    with reporter.stage("drawing plates", len(plates)) as advance:
        for item, plate in plates.items():
            drawn = pictures_of(plate, [(axis, c) for axis, _, c in places], spec, input_px)
            for (axis, rung, _), picture in zip(places, drawn, strict=True):
                pictures[item, axis, rung] = picture
            advance(1)
    return pictures


def _images(pictures: Sequence[Picture]) -> torch.Tensor:
    return as_images(torch.from_numpy(np.stack(pictures)))


def _parts(keys: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for start in range(0, len(keys), size):
        yield keys[start : start + size]
