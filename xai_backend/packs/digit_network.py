"""The small network for digits as pictures, trained on the spot."""

from collections.abc import Sequence

import numpy as np

from stimuli.images.digits import Digits, digit_name, digit_picture, place_by
from stimuli.io.canonical import keyed_order
from stimuli.places import cache_dir
from xai_backend.models.augmentation import Augmentation
from xai_backend.models.labelled import Labelled
from xai_backend.models.picture_cnn import INPUT_PX
from xai_backend.models.picture_training import PictureTraining, trained_pictures
from xai_backend.progress import Reporter

LEARNT_FROM = 3000
"""Digits that the small network learns from at most, drawn by seed."""
DIGITS_VARY = Augmentation(shift_share=0.15)
"""Digits lie anywhere in their pictures, and networks learn from each at many places: else
prototypes are parts of the ground that only one digit leaves free at that place."""
USUAL = PictureTraining(augmentation=DIGITS_VARY)
FEW = 150
"""Digits that a network learns from that is to err: with more it hardly ever errs or doubts."""
ERRING = PictureTraining(epochs=60, label_smoothing=0.0, augmentation=Augmentation(shift_share=0))
"""How it learns: for long and without smoothed labels, so that some errors are confident."""


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
        It learns from those that nobody is shown.
    seed, device, reporter
        See `trained_pictures`.
    training
        How it learns.
    most
        Digits that it learns from at most; None for `LEARNT_FROM`.
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
    """Return training digits as pictures in the small network's frame, at most so many."""
    indices = keyed_order(digits.train_indices.tolist(), seed, "learn")[: most or LEARNT_FROM]
    names = tuple(digit_name(digits, k) for k in indices)
    pictures = [
        digit_picture(digits.images[k], INPUT_PX, place_by(name))
        for k, name in zip(indices, names, strict=True)
    ]
    return Labelled(np.stack(pictures), digits.labels[indices], tuple(map(str, range(10))), names)


def numbers_of(learnt: Labelled) -> list[int]:
    """Return the places of pictures' digits among all digits, sorted."""
    return sorted(int(name.rpartition("-")[2]) for name in learnt.names)


def never_learnt(digits: Digits, learnt: Sequence[int]) -> list[int]:
    """Return the digits that a network hasn't learned from: the held-out ones first."""
    others = sorted(set(digits.train_indices.tolist()) - set(learnt))
    return [*digits.held_out_indices.tolist(), *others]
