"""The small network for pictures such as digits: trained on a CPU in seconds, kept in a file.

Four convolutions shrink a picture to an eighth of its side, 56 pixels to 7×7 places, each of which
sees 31 pixels. Then come a mean over all places and one linear layer. For digits as pictures, the
network is trained when it is needed.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load
from torch import nn
from torch.nn import functional

from stimuli.errors import UserError
from stimuli.images.digits import Digits, digit_name, digit_picture, place_by
from stimuli.io.canonical import canonical_json, keyed_order, seed_of, sha256_hex
from stimuli.io.files import write_whole
from stimuli.places import cache_dir
from xai_backend.determinism import deterministic
from xai_backend.models.checkpoint import checkpoint_bytes, checkpoint_id, read_about, sound
from xai_backend.models.classifier import Classifier
from xai_backend.models.frame import InputFrame, Normalise
from xai_backend.models.image_model import ImageModel
from xai_backend.models.labelled import Augmentation, Labelled, shuffled_batches
from xai_backend.progress import Reporter, Silent

ARCHITECTURE = "picture_cnn"
VERSION = 1
"""Raise it by hand whenever the same settings would give other weights."""

INPUT_PX = 56
STRIDE_PX = 8
WIDTHS = (16, 32, 64, 64)
STRIDES = (2, 2, 2, 1)
LAST_FEATURES = str(3 * len(WIDTHS) - 1)
"""Name of the module of the last convolution's rectified output."""

GREY = (0.5, 0.5, 0.5)


def picture_cnn(classes: int) -> ImageModel:
    """Return the untrained network for a number of classes; weights from torch's generator."""
    layers: list[nn.Module] = []
    for before, width, stride in zip((3, *WIDTHS[:-1]), WIDTHS, STRIDES, strict=True):
        convolution = nn.Conv2d(before, width, 3, stride, padding=1, bias=False)
        layers += [convolution, nn.BatchNorm2d(width), nn.ReLU()]
    head = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(WIDTHS[-1], classes)]
    return ImageModel(Normalise(GREY, GREY), nn.Sequential(*layers, *head), LAST_FEATURES)


def check_side(side_px: int) -> None:
    """Refuse pictures whose side isn't a multiple of 8 pixels."""
    if side_px < STRIDE_PX or side_px % STRIDE_PX:
        raise UserError(f"{ARCHITECTURE}: a side of {side_px} px is not a multiple of {STRIDE_PX}")


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
        Pictures in a step.
    peak_rate, weight_decay
        Highest learning rate and weight decay of AdamW.
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
    """Return the file of a trained network; it is trained unless the folder already has it.

    The file's name is a hash of all that determines the weights.
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
        takes = {"side_px": pictures.side_px, "classes": list(pictures.classes)}
        about = {"format": FORMAT, **takes, **determined_by}
        write_whole(path, checkpoint_bytes(model.state_dict(), about))
    return path


def read_pictures(path: Path, device: str = "cpu") -> Classifier:
    """Return the network of a file.

    Raises
    ------
    UserError
        If the file isn't a valid checkpoint of this version.
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


LEARNT_FROM = 3000
"""Most digits that the small network learns from, drawn by seed."""
DIGITS_VARY = Augmentation(shift_share=0.15)
"""Each digit is learnt at many places of the picture. Otherwise prototypes would be parts of the
background that only one digit leaves free."""
USUAL = PictureTraining(augmentation=DIGITS_VARY)
FEW = 150
"""Digits for a network that is meant to err: with more, it is hardly ever wrong or unsure."""
ERRING = PictureTraining(epochs=60, label_smoothing=0.0, augmentation=Augmentation(shift_share=0))
"""Training of a network that is meant to err: long and without smoothed labels, so that some errors
are confident."""


def digit_network(
    digits: Digits,
    seed: int,
    device: str,
    reporter: Reporter,
    training: PictureTraining = USUAL,
    most: int | None = None,
) -> str:
    """Return the file of the small network for digits as pictures, trained or found.

    Parameters
    ----------
    digits
        It learns from digits that nobody is shown.
    seed, device, reporter
        See `trained_pictures`.
    training
        How it learns.
    most
        Most digits that it learns from; None for `LEARNT_FROM`.
    """
    return str(
        trained_pictures(
            digits_to_learn_from(digits, seed, most),
            training,
            seed,
            cache_dir() / "checkpoints",
            reporter,
            device,
        )
    )


def digits_to_learn_from(digits: Digits, seed: int, most: int | None = None) -> Labelled:
    """Return at most ``most`` training digits as pictures in the small network's frame."""
    indices = keyed_order(digits.train_indices.tolist(), seed, "learn")[: most or LEARNT_FROM]
    names = tuple(digit_name(digits, k) for k in indices)
    pictures = [
        digit_picture(digits.images[k], INPUT_PX, place_by(name))
        for k, name in zip(indices, names, strict=True)
    ]
    return Labelled(np.stack(pictures), digits.labels[indices], tuple(map(str, range(10))), names)


def numbers_of(learnt: Labelled) -> list[int]:
    """Return the indices of pictures' digits among all digits, sorted."""
    return sorted(int(name.rpartition("-")[2]) for name in learnt.names)


def never_learnt(digits: Digits, learnt: Sequence[int]) -> list[int]:
    """Return the digits that a network hasn't learned from: the held-out ones first."""
    others = sorted(set(digits.train_indices.tolist()) - set(learnt))
    return [*digits.held_out_indices.tolist(), *others]
