"""Checkpoints of the plate network: trained weights, found again by all that determines them."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from pydantic import TypeAdapter
from safetensors import SafetensorError
from safetensors.torch import load, save

from stimuli.errors import UserError
from stimuli.images.digits import Digits
from stimuli.io.canonical import canonical_json, sha256_hex
from stimuli.io.files import write_whole
from xai_backend.models.checkpoint import checkpoint_bytes, checkpoint_id, read_about, sound
from xai_backend.models.image_model import ImageModel
from xai_backend.models.plate_cnn import ARCHITECTURE, VERSION, plate_cnn
from xai_backend.models.plate_stream import digits_hash
from xai_backend.models.plate_training import Snapshots, State, TrainingSettings, train
from xai_backend.progress import Reporter

FORMAT = "checkpoint/1.0"
SNAPSHOT_STEPS = 50


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A trained network.

    Attributes
    ----------
    checkpoint_id
        Name of the architecture and a hash of all that determines the weights.
    weights_sha256
        Hash of the weights themselves.
    model
        On the device that was asked for, in evaluation mode.
    path
        Its file.
    """

    checkpoint_id: str
    weights_sha256: str
    model: ImageModel
    path: Path


def identity(settings: TrainingSettings, digits: Digits) -> dict[str, Any]:
    """Return all that determines the weights, as plain JSON values."""
    plain = json.loads(canonical_json(asdict(settings)))
    learnt_from = digits_hash(digits, digits.train_indices)
    return {
        "architecture": ARCHITECTURE,
        "version": VERSION,
        "training": plain,
        "digits": learnt_from,
    }


def trained(
    settings: TrainingSettings,
    digits: Digits,
    folder: Path,
    reporter: Reporter,
    device: str = "cpu",
) -> Checkpoint:
    """Return a trained network: from the folder if it is there, else trained and kept there.

    A training that was interrupted, by whatever means, goes on from its last snapshot.

    Raises
    ------
    UserError
        If the checkpoint at hand is damaged.
    """
    determined_by = identity(settings, digits)
    name = checkpoint_id(determined_by)
    path = folder / f"{name}.safetensors"
    snapshot = folder / f"{name}.snapshot.safetensors"
    if not path.exists():
        model = _train(settings, digits, snapshot, reporter, device)
        about = {"format": FORMAT, **determined_by}
        write_whole(path, checkpoint_bytes(model.state_dict(), about))
    snapshot.unlink(missing_ok=True)
    try:
        checkpoint, _ = read_checkpoint(path, device)
        if checkpoint.checkpoint_id != name:
            raise UserError(
                f"{path}: contains no valid checkpoint (it was made from something else)"
            )
    except UserError as fault:
        raise UserError(f"{fault}; delete it") from None
    return checkpoint


def read_checkpoint(path: Path, device: str = "cpu") -> tuple[Checkpoint, TrainingSettings]:
    """Return the network of a file, and how it was trained.

    Raises
    ------
    UserError
        If the file is not a valid checkpoint of this version.
    """
    with sound(path, "checkpoint"):
        data = path.read_bytes()
        about = read_about(path)
        if about.pop("format") != FORMAT or about["version"] != VERSION:
            raise ValueError("it is of another version")
        settings = TypeAdapter(TrainingSettings).validate_python(about["training"])
        model = plate_cnn(settings.stream.spec)
        model.load_state_dict(load(data))
    loaded = Checkpoint(checkpoint_id(about), sha256_hex(data), model.to(device).eval(), path)
    return loaded, settings


def _train(
    settings: TrainingSettings, digits: Digits, snapshot: Path, reporter: Reporter, device: str
) -> ImageModel:
    with reporter.stage("training the network (plates)", settings.steps * settings.batch) as bar:
        snapshots = Snapshots(
            start=_read_snapshot(snapshot),
            keep=lambda step, state: write_whole(
                snapshot, save({**state, "step": torch.tensor(step)})
            ),
            every=SNAPSHOT_STEPS,
        )
        return train(settings, digits, device, snapshots, advance=bar)


def _read_snapshot(path: Path) -> tuple[int, State] | None:
    try:
        state = load(path.read_bytes())
    except (OSError, SafetensorError):
        return None
    return int(state.pop("step")), state
