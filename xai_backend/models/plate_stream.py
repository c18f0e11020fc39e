"""Plates to learn from, made as they are needed, of the same generator as people's plates."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from stimuli.colour.spaces import Axis
from stimuli.images.digits import Digits
from stimuli.io.canonical import hash_of, seed_of, sha256_hex
from stimuli.plates.masks import MASK_PX, Mask, digit_mask, figure_dots
from stimuli.plates.packing import Packing, pack_dots
from stimuli.plates.render import Coverage, cover, recolour
from stimuli.plates.spec import PlateSpec, neutral_lms, with_contrast

NO_DIGIT = -1


@dataclass(frozen=True, slots=True)
class StreamSettings:
    """Which plates are drawn.

    Attributes
    ----------
    spec
        The plates' look.
    input_px
        Side of the picture, pixels.
    places
        (axis, contrast as Δu′v′) of every rung of every axis; all are equally frequent.
    no_numeral_share
        Share of plates without a numeral.
    packings
        Packings that the plates share; each is used in its eight orientations.
    digits_most
        Most digits to learn from, drawn by seed.
    cutout_share
        Share of plates with a black square on them (DeVries & Taylor 2017): plates with a
        patch, which occlusion shows the network, are then familiar to it.
    cutout_side
        Shortest and longest side of that square, as shares of the picture's side.
    rotation_sd, shear_sd, log_scale_sd, shift_sd
        How digits are varied: SD of the rotation (radians), shear, logarithm of the scale
        of each axis, and shift (plate radii).
    """

    spec: PlateSpec
    input_px: int
    places: tuple[tuple[Axis, float], ...]
    no_numeral_share: float
    packings: int = 192
    digits_most: int = 12000
    cutout_share: float = 0.5
    cutout_side: tuple[float, float] = (0.1, 0.35)
    rotation_sd: float = 0.12
    shear_sd: float = 0.10
    log_scale_sd: float = 0.06
    shift_sd: float = 0.03


class PlateStream:
    """Batches of plates, each determined only by the seed and its number.

    Parameters
    ----------
    settings
        Which plates.
    digits
        Only their training digits are used.
    seed
        Root of every draw.
    """

    def __init__(self, settings: StreamSettings, digits: Digits, seed: int) -> None:
        self._settings = settings
        self._digits = digits
        self._seed = seed
        order = _rng("digits", seed).permutation(digits.train_indices)
        self._indices = order[: settings.digits_most]
        self._masks: dict[int, bytes] = {}
        self._packing = lru_cache(maxsize=settings.packings)(self._make_packing)

    def batch(self, number: int, size: int) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Return a batch of plates.

        Returns
        -------
        codes : uint8 (size, input_px, input_px, 3)
        labels : int64 (size,)
            The digit, or ``NO_DIGIT``.
        """
        rng = _rng("batch", self._seed, number)
        side = self._settings.input_px
        codes = np.empty((size, side, side, 3), dtype=np.uint8)
        labels = np.empty(size, dtype=np.int64)
        for k in range(size):
            codes[k], labels[k] = self._plate(rng)
        return codes, labels

    def _plate(self, rng: np.random.Generator) -> tuple[NDArray[np.uint8], int]:
        settings = self._settings
        index = int(self._indices[rng.integers(len(self._indices))])
        packing, coverage = self._packing(int(rng.integers(settings.packings)))
        turns, mirrored = int(rng.integers(4)), bool(rng.integers(2))
        axis, contrast = settings.places[rng.integers(len(settings.places))]
        blank = rng.random() < settings.no_numeral_share
        upright = _warped(_turned(packing, turns, mirrored), settings, rng)
        figure = np.zeros(len(packing), dtype=np.bool_)
        if not blank:
            figure = figure_dots(upright, self._mask(index))
        lms = with_contrast(
            neutral_lms(len(packing), rng, settings.spec), figure, axis, contrast, settings.spec
        )
        picture = recolour(coverage, lms, spec=settings.spec)
        if mirrored:
            picture = picture[:, ::-1]
        picture = np.rot90(picture, turns)
        label = NO_DIGIT if blank else int(self._digits.labels[index])
        return _cut_out(picture, settings, rng), label

    def _make_packing(self, number: int) -> tuple[Packing, Coverage]:
        seed = seed_of("training packing", self._seed, number)
        packing = pack_dots(seed, self._settings.spec)
        return packing, cover(packing, self._settings.input_px)

    def _mask(self, index: int) -> Mask:
        if index not in self._masks:
            mask = digit_mask(self._digits.images[index], self._settings.spec)
            self._masks[index] = np.packbits(mask).tobytes()
        bits = np.unpackbits(np.frombuffer(self._masks[index], dtype=np.uint8))
        return bits.astype(np.bool_).reshape(MASK_PX, MASK_PX)


def digits_hash(digits: Digits, indices: Sequence[int] | NDArray[np.int64]) -> str:
    """Return the SHA-256 of some digits' images and labels, in order."""
    images = np.ascontiguousarray(digits.images[indices], dtype="<f4")
    labels = np.ascontiguousarray(digits.labels[indices], dtype="<i8")
    return hash_of([images.shape, sha256_hex(images.tobytes()), sha256_hex(labels.tobytes())])


def _rng(*key: str | int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed_of("plate stream", *key)))


def _turned(packing: Packing, turns: int, mirrored: bool) -> Packing:
    """Return the packing after mirroring left–right, then quarter turns."""
    x, y = (-packing.x if mirrored else packing.x), packing.y
    for _ in range(turns):
        x, y = -y, x
    return Packing(x, y, packing.radius)


def _warped(packing: Packing, settings: StreamSettings, rng: np.random.Generator) -> Packing:
    """Return where the dots lie on the digit's mask when the digit is varied."""
    angle = rng.normal(0, settings.rotation_sd)
    shear = rng.normal(0, settings.shear_sd)
    scale_x, scale_y = np.exp(rng.normal(0, settings.log_scale_sd, 2))
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    matrix = turn @ np.array([[scale_x, shear], [0, scale_y]])
    shift = rng.normal(0, settings.shift_sd, 2)
    x = matrix[0, 0] * packing.x + matrix[0, 1] * packing.y + shift[0]
    y = matrix[1, 0] * packing.x + matrix[1, 1] * packing.y + shift[1]
    return Packing(x.astype(np.float32), y.astype(np.float32), packing.radius)


def _cut_out(
    picture: NDArray[np.uint8], settings: StreamSettings, rng: np.random.Generator
) -> NDArray[np.uint8]:
    if rng.random() >= settings.cutout_share:
        return picture
    low, high = settings.cutout_side
    side = settings.input_px
    patch = round(side * rng.uniform(low, high))
    row, column = rng.integers(0, side - patch // 2, 2)
    picture = picture.copy()
    picture[row : row + patch, column : column + patch] = 0
    return picture
