"""What the parts on explanations share: networks at hand, maps with scores, memory."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from bench.book import Effort
from bench.parts.xai_data import NETWORKS, weights_of
from bench.parts.xai_racing import peak_mebibytes
from stimuli.io.canonical import seed_of
from stimuli.workers import Workers, available_cpus, ordered_map
from xai_backend.explain.answering import Network, classifier_at_hand
from xai_backend.explain.precompute import TAKE_SEVERAL, Precompute
from xai_backend.methods import Execution, method_of
from xai_backend.metrics.faithfulness import deletion, insertion
from xai_backend.models.classifier import Classifier
from xai_backend.models.image_model import as_images
from xai_backend.store import TensorStore

Maps = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Subject:
    """A network that is explained, as this process has it and as workers find it."""

    classifier: Classifier
    network: Network


def subject(name: str, weights: Path | None = None, device: str = "cpu") -> Subject:
    """Return a network with the weights of a file, those at hand, or the published ones."""
    at_hand = weights or (weights_of(name) if name in NETWORKS else None)
    file = None if at_hand is None else str(at_hand)
    classifier = classifier_at_hand(name, file, device)
    return Subject(classifier, Network(name, file, device, classifier.weights_sha256))


def precompute(of: Subject, store: Path, effort: Effort) -> Precompute:
    """Return what makes maps of a network, over this computer's processes."""
    workers = Workers(here=effort.quick or available_cpus() == 1)
    return Precompute(of.network, of.classifier.preprocessing, TensorStore(store), workers)


@dataclass(frozen=True, slots=True)
class Scoring:
    """A map whose faithfulness is to be measured.

    Attributes
    ----------
    network
        Whose answer it explains.
    codes, target, values
        Picture (H, W, 3), class and map (H, W).
    steps
        Of deletion and insertion.
    """

    network: Network
    codes: NDArray[np.uint8]
    target: int
    values: Maps
    steps: int


def faithfulness(scorings: Iterable[Scoring], effort: Effort) -> NDArray[np.float64]:
    """Return the areas under deletion and insertion curves, (n, 2)."""
    tasks = ((str(number), scoring) for number, scoring in enumerate(scorings))
    workers = Workers(here=effort.quick or available_cpus() == 1)
    return np.array([areas for _, areas in ordered_map(areas_of, tasks, workers)])


def areas_of(scoring: Scoring) -> tuple[float, float]:
    """Return one map's areas under its deletion and insertion curve."""
    network = scoring.network
    model = classifier_at_hand(network.name, network.weights, network.device).model
    images = as_images(torch.from_numpy(scoring.codes[None].copy()))
    rest = (model, images, torch.tensor([scoring.target]), scoring.values[None], scoring.steps)
    return float(deletion(*rest).area[0]), float(insertion(*rest).area[0])


def chance_maps(names: Sequence[str], shape: tuple[int, int]) -> dict[str, Maps]:
    """Return maps that know nothing: smooth random spots, the same for the same name."""
    from scipy.ndimage import gaussian_filter

    maps = {}
    for name in names:
        generator = np.random.Generator(np.random.PCG64(seed_of("chance map", name)))
        smooth = gaussian_filter(generator.normal(size=shape), shape[0] / 14)
        maps[name] = (smooth - smooth.min()).astype(np.float32)
    return maps


def peak_memory(jobs: Sequence[tuple[Network, str, Mapping[str, Any]]]) -> list[float | None]:
    """Return what explaining one picture needs beside the loaded network, mebibytes a job.

    Each is measured in a process of its own, on the network's device. None where the system
    doesn't tell (it does on Linux).
    """
    return [peak_mebibytes(partial(_explainer, *job), torch.device(job[0].device)) for job in jobs]


def _explainer(
    network: Network, name: str, settings: Mapping[str, Any]
) -> Callable[[], torch.Tensor]:
    """Return what explains one picture, after one forward pass."""
    classifier = classifier_at_hand(network.name, network.weights, network.device)
    model, side = classifier.model, classifier.frame.crop_px
    images = torch.rand(1, 3, side, side, generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        model(images.to(network.device))
    # A batch of several would be filled up to its usual size.
    how = Execution(at_once=1) if name in TAKE_SEVERAL else Execution()
    return partial(method_of(name, settings).explain, model, images, torch.tensor([0]), how)
