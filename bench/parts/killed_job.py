"""A job of many small maps whose every computation is written down, to be killed at will."""

import json
import os
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from stimuli.images.digits import load_digits
from stimuli.plates.spec import PlateSpec
from stimuli.workers import Workers
from xai_backend.explain.answering import Answer, Batch, Network, answer
from xai_backend.explain.precompute import Picture, Precompute
from xai_backend.methods.gradients import SmoothGrad
from xai_backend.models.frame import PREPROCESSING
from xai_backend.models.plate_cnn import TrainingSettings, read_checkpoint, trained
from xai_backend.models.plate_stream import StreamSettings
from xai_backend.progress import Silent
from xai_backend.store import TensorStore

METHOD = SmoothGrad(samples=4)
"""Draws noise, so that maps would differ if seeds hung on anything but their keys."""
A_BATCH = 4
"""Maps that one kill may lose a worker: `Precompute.a_batch` of the method."""
SIDE_PX = 48
CLASSES = 10
LOG = "computed.jsonl"


def write_network(folder: Path) -> Path:
    """Train a plate network for a moment and return its checkpoint."""
    coarse = PlateSpec(dot_radius_min=0.04, dot_radius_max=0.08, density=0.5, min_stroke_dots=1.5)
    stream = StreamSettings(coarse, SIDE_PX, (("deutan", 0.09),), 0.0, packings=2, digits_most=20)
    settings = TrainingSettings(plates=16, stream=stream, seed=1, batch=16)
    trained(settings, load_digits("uci"), folder, Silent())
    (checkpoint,) = folder.glob("plate_cnn-*.safetensors")
    return checkpoint


def run(
    folder: Path,
    store: Path,
    count: int,
    workers: Workers,
    compute: Callable[[Batch], Answer] | None = None,
) -> None:
    """Explain so many pictures of noise; what is in the store already isn't computed.

    Without ``compute`` the maps are computed, and each batch is written down before.
    """
    (checkpoint,) = folder.glob("plate_cnn-*.safetensors")
    loaded, _ = read_checkpoint(checkpoint)
    network = Network("plate_cnn", str(checkpoint), "cpu", loaded.weights_sha256)
    kept = TensorStore(store)
    compute = compute or partial(logged, folder / LOG)
    work = Precompute(network, PREPROCESSING, kept, workers, compute=compute)
    pictures = [Picture.of(f"{k}", _noise(k)) for k in range(count)]
    found = work.maps(METHOD, pictures, [k % CLASSES for k in range(count)])
    kept.close()
    if len(found) != count:
        raise RuntimeError(f"{len(found)} maps of {count}")


def logged(log: Path, batch: Batch) -> Answer:
    """Compute a batch after writing its keys down, on a line of its own even after a torn one."""
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        os.write(handle, f"\n{json.dumps(batch.keys)}\n".encode())
    finally:
        os.close(handle)
    return answer(batch)


def begun(folder: Path) -> list[list[str]]:
    """Return the keys of each batch that any life began to compute, in order.

    A line that is being written, or that a kill tore, isn't whole: its batch hasn't begun.
    """
    try:
        text = (folder / LOG).read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    return [json.loads(line) for line in text.splitlines() if line.endswith("]")]


def computed(folder: Path) -> Counter[str]:
    """Return how often each map was begun."""
    return Counter(key for keys in begun(folder) for key in keys)


def finished(store: Path) -> dict[str, bytes]:
    """Return the bytes of each map in a store's files, whatever its index says."""
    held = {}
    for shard in sorted((store / "shards").glob("[!.]*.safetensors")):
        held |= {key: values.tobytes() for key, values in load_file(shard).items()}
    return held


def _noise(number: int) -> np.ndarray:
    generator = np.random.Generator(np.random.PCG64(number))
    return generator.integers(0, 256, (SIDE_PX, SIDE_PX, 3), dtype=np.uint8)
