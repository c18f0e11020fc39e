"""Training of the small network for pictures, and its checkpoints."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load
from torch.nn import functional

from stimuli.io.canonical import canonical_json, seed_of, sha256_hex
from stimuli.io.files import write_whole
from xai_backend.determinism import deterministic
from xai_backend.models.augmentation import Augmentation
from xai_backend.models.checkpoint import checkpoint_bytes, checkpoint_id, read_about, sound
from xai_backend.models.classifier import Classifier
from xai_backend.models.frame import InputFrame
from xai_backend.models.image_model import ImageModel
from xai_backend.models.labelled import Labelled, shuffled_batches
from xai_backend.models.picture_cnn import ARCHITECTURE, GREY, VERSION, check_side, picture_cnn
from xai_backend.progress import Reporter, Silent

FORMAT = "picture_checkpoint/1.0"
WARMUP_SHARE = 0.15


@dataclass(frozen=True, slots=True)
class PictureTraining:
    """How the network learns: AdamW, the rate rising linearly, then falling along a cosine.

    Attributes
    ----------
    epochs
        How often each picture is seen.
    batch
        Pictures a step.
    peak_rate, weight_decay
        AdamW's.
    label_smoothing
        Share of the target that all classes share, so that confidence stays graded.
    augmentation
        How pictures vary.
    """

    epochs: int = 12
    batch: int = 32
    peak_rate: float = 4e-3
    weight_decay: float = 0.01
    label_smoothing: float = 0.05
    augmentation: Augmentation = field(default_factory=Augmentation)


def train_pictures(
    pictures: Labelled,
    settings: PictureTraining,
    seed: int,
    reporter: Reporter = Silent(),
    device: str = "cpu",
) -> ImageModel:
    """Return the trained network, on the device, ready for reading.

    Raises
    ------
    UserError
        If the pictures aren't square, or their side is not a multiple of 8 pixels.
    """
    check_side(pictures.side_px)
    steps = -(-len(pictures) // settings.batch)
    title = "training the network (pictures)"
    with deterministic(seed), reporter.stage(title, settings.epochs * len(pictures)) as advance:
        model = picture_cnn(len(pictures.classes)).to(device).train()
        optimiser = torch.optim.AdamW(model.parameters(), weight_decay=settings.weight_decay)
        rates = torch.optim.lr_scheduler.OneCycleLR(
            optimiser,
            settings.peak_rate,
            total_steps=steps * settings.epochs,
            pct_start=WARMUP_SHARE,
            cycle_momentum=False,
        )
        for epoch in range(settings.epochs):
            order = seed_of("picture training", seed, epoch)
            for images, labels in shuffled_batches(
                pictures, settings.batch, settings.augmentation, order
            ):
                logits = model(images.to(device))
                loss = functional.cross_entropy(
                    logits, labels.to(device), label_smoothing=settings.label_smoothing
                )
                optimiser.zero_grad()
                loss.backward()
                optimiser.step()
                rates.step()
                advance(len(labels))
    return model.eval()


def trained_pictures(
    pictures: Labelled,
    settings: PictureTraining,
    seed: int,
    folder: Path,
    reporter: Reporter = Silent(),
    device: str = "cpu",
) -> Path:
    """Return the file of a trained network: found in the folder, else trained and kept there.

    Its name is a hash of all that determines the weights.
    """
    determined_by = {
        "architecture": ARCHITECTURE,
        "version": VERSION,
        "training": json.loads(canonical_json(asdict(settings))),
        "seed": seed,
        "pictures": pictures.content_sha256(),
    }
    path = folder / f"{checkpoint_id(determined_by)}.safetensors"
    if not path.exists():
        model = train_pictures(pictures, settings, seed, reporter, device)
        shown = {"side_px": pictures.side_px, "classes": list(pictures.classes)}
        about = {"format": FORMAT, **shown, **determined_by}
        write_whole(path, checkpoint_bytes(model.state_dict(), about))
    return path


def read_pictures(path: Path, device: str = "cpu") -> Classifier:
    """Return the network of a file.

    Raises
    ------
    UserError
        If the file is not a valid checkpoint of this version.
    """
    with sound(path, f"checkpoint of {ARCHITECTURE}"):
        data = path.read_bytes()
        about = read_about(path)
        if about["format"] != FORMAT or about["version"] != VERSION:
            raise ValueError("it is of another version")
        classes = tuple(about["classes"])
        model = picture_cnn(len(classes))
        model.load_state_dict(load(data))
        side = about["side_px"]
        frame = InputFrame(resize_px=side, crop_px=side)
    model = model.to(device).eval().requires_grad_(False)
    return Classifier(ARCHITECTURE, model, frame, classes, sha256_hex(data), preprocessing())


def preprocessing() -> dict[str, Any]:
    """Return what is done to RGB codes before the weights, for keys."""
    return {"codes": "/255", "mean": list(GREY), "std": list(GREY)}
