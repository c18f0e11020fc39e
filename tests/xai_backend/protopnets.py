"""ProtoPNets that learn from a few small pictures in a moment."""

from dataclasses import replace

import numpy as np

from xai_backend.determinism import deterministic
from xai_backend.models.classifier import Classifier
from xai_backend.models.frame import InputFrame
from xai_backend.models.labelled import Labelled
from xai_backend.models.picture_cnn import picture_cnn, preprocessing
from xai_backend.protopnet import small

FEW = replace(
    small(), prototypes_per_class=2, channels=5, warm_epochs=1, cycles=2, joint_epochs=1, batch=8
)


def some_pictures(side, count=18, classes=3):
    """Noise, brighter in a place of the class's own."""
    generator = np.random.Generator(np.random.PCG64(1))
    codes = generator.integers(0, 120, (count, side, side, 3), dtype=np.uint8)
    labels = np.arange(count) % classes
    for picture, label in zip(codes, labels, strict=True):
        picture[8 * label : 8 * label + 8, : side // 2] += 120
    names = tuple(f"picture{k}" for k in range(count))
    return Labelled(codes, labels, tuple("abcdef"[:classes]), names)


def plain_picture_cnn(classes=3, side=32):
    with deterministic(seed=1):
        model = picture_cnn(classes).eval().requires_grad_(False)
    frame = InputFrame(resize_px=side, crop_px=side)
    return Classifier("picture_cnn", model, frame, ("a", "b", "c"), "0" * 64, preprocessing())
