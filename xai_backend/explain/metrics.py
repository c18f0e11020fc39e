"""How well maps that people see foretell the network; kept in the store as maps are."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray

from stimuli.io.canonical import hash_of, sha256_hex
from stimuli.maps.metrics import NAMES
from xai_backend.explain.answering import classifier_at_hand
from xai_backend.explain.precompute import Picture, Precompute
from xai_backend.models.image_model import as_images
from xai_backend.provenance import provenance

VERSION: Final = 1
"""Raise it by hand whenever the same map would get other metrics."""


def metrics_of_maps(
    work: Precompute,
    pictures: Sequence[Picture],
    targets: Sequence[int],
    maps: Mapping[str, NDArray[np.float32]],
) -> dict[str, dict[str, float]]:
    """Return the metrics of maps by the pictures' names (`faithfulness`).

    Each map takes 76 pictures through the network, one after the other in this process.

    Parameters
    ----------
    work
        The network, and the store that keeps the metrics.
    pictures, targets
        The pictures, and the class that is explained in each.
    maps
        float32 (H, W) by the pictures' names; pictures without one are left out.
    """
    scores = {}
    with work.reporter.stage("metrics of maps", len(maps)) as advance:
        for picture, target in zip(pictures, targets, strict=True):
            if picture.name in maps:
                scores[picture.name] = _metrics(work, picture, target, maps[picture.name])
                advance(1)
    return scores


def _metrics(
    work: Precompute, picture: Picture, target: int, values: NDArray[np.float32]
) -> dict[str, float]:
    from xai_backend.metrics.perturbation import blackened, faithfulness  # with scipy

    network = work.network
    key = hash_of(
        {
            "what": {"name": "metrics", "version": VERSION, "of": NAMES},
            "weights": network.weights_sha256,
            "preprocessing": work.preprocessing,
            "input": picture.sha256,
            "target": target,
            "map": [values.shape, sha256_hex(np.ascontiguousarray(values).tobytes())],
        }
    )
    if work.store.missing([key]):
        codes = picture.load()
        if codes is None:  # it was changed or removed meanwhile
            return {}
        model = classifier_at_hand(network.name, network.weights, network.device).model
        image = as_images(torch.tensor(codes[None]))[0]
        metrics = faithfulness(blackened(model, image, target), values)
        work.store.put(
            {key: np.array([metrics[name] for name in NAMES])}, provenance(network.device)
        )
    kept = work.store.get([key])[key]
    return dict(zip(NAMES, map(float, kept), strict=True))
