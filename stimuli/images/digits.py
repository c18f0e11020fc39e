"""Handwritten digits (UCI's 8×8 from scikit-learn, or MNIST's 28×28), and pictures of them.

The split is fixed. In every pack and every study, people see only held-out digits, and networks are
trained only on the others. So no network has learnt a plate that a person sees.

A picture shows a digit as light ink on slate. The ground is never black, because black stands for
what is hidden.
"""

import gzip
import math
import os
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from stimuli import places
from stimuli.colour.spaces import Floats
from stimuli.errors import UserError
from stimuli.io.canonical import seed_of
from stimuli.io.fetch import fetch
from stimuli.io.inside import refuse_odd
from stimuli.languages import ENGLISH, LANGUAGES

UCI_PX = 8
UCI_TRAIN_COUNT = 1100
"""UCI: the first 1,100 of its 1,797 images, in an order shuffled by PCG64(0), are for training."""

MNIST_FILES = {
    "train-images-idx3-ubyte": "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
    "train-labels-idx1-ubyte": "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
    "t10k-images-idx3-ubyte": "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
    "t10k-labels-idx1-ubyte": "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
}
"""MNIST's four files, unpacked, with their SHA-256. Its 60,000 training images are for training,
its 10,000 test images are held out."""

MNIST_MIRRORS = (
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
    "https://storage.googleapis.com/cvdf-datasets/mnist/",
)
IDX_FOLDERS = (".", "MNIST/raw", "mnist")
_IDX_UINT8 = 8


@dataclass(frozen=True, slots=True, eq=False)
class Digits:
    """A set of handwritten digits.

    Parameters
    ----------
    images
        float32 (n, h, w), 0 paper … 1 ink.
    labels
        int64 (n,), 0…9.
    source
        ``uci`` or ``mnist``.
    train_indices, held_out_indices
        int64, disjoint and together complete: images for training networks, and images to show
        people.
    """

    images: NDArray[np.float32]
    labels: NDArray[np.int64]
    source: str
    train_indices: NDArray[np.int64]
    held_out_indices: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.labels)


def load_digits(source: str | Path = "uci") -> Digits:
    """Load a set of digits.

    Parameters
    ----------
    source
        ``uci``: scikit-learn's, always available. ``mnist``: the four IDX files, looked for
        in ``PLAINSIGHT_DATA``, then in the lab's cache, then downloaded into it. A folder:
        the four IDX files (plain or .gz) in it, in its ``MNIST/raw`` or in its ``mnist``.

    Raises
    ------
    UserError
        If the source is unknown, or a file is missing, cut short or something else.
    """
    if source == "uci":
        return _uci()
    if source == "mnist":
        return _mnist(_mnist_folder())
    folder = Path(source)
    if not folder.is_dir():
        raise UserError(
            f"digits {str(source)!r}: there is no such folder; take uci, mnist, or a folder of "
            "IDX files"
        )
    idx_folder = _idx_folder(folder)
    if idx_folder is None:
        names = ", ".join(f"{name}[.gz]" for name in MNIST_FILES)
        raise UserError(f"digits: {folder} lacks MNIST's IDX files ({names})")
    return _mnist(idx_folder)


@lru_cache(maxsize=1)
def _uci_rows() -> NDArray[np.float64]:
    """Return UCI's pixels, 0…16, and label of each digit."""
    # The file that sklearn.datasets.load_digits reads; importing scikit-learn takes seconds.
    package = find_spec("sklearn")
    assert package is not None
    assert package.origin is not None
    file = Path(package.origin).parent / "datasets" / "data" / "digits.csv.gz"
    return np.loadtxt(file, delimiter=",")


def _uci() -> Digits:
    rows = _uci_rows()
    labels = rows[:, -1].astype(np.int64)
    shuffled = np.random.Generator(np.random.PCG64(0)).permutation(len(labels))
    train, held_out = np.split(shuffled.astype(np.int64), [UCI_TRAIN_COUNT])
    images = (rows[:, :-1].reshape(-1, UCI_PX, UCI_PX) / 16).astype(np.float32)
    return Digits(images, labels, "uci", np.sort(train), np.sort(held_out))


def _mnist_folder() -> Path:
    shared = os.environ.get(places.DATA_VARIABLE)
    cache = places.cache_dir() / "mnist"
    for place in (Path(shared).expanduser() if shared else None, cache):
        idx_folder = _idx_folder(place) if place else None
        if idx_folder is not None:
            return idx_folder
    try:
        for name, sha256 in MNIST_FILES.items():
            addresses = [f"{mirror}{name}.gz" for mirror in MNIST_MIRRORS]
            fetch(addresses, cache / name, sha256, gunzip=True)
    except (UserError, OSError) as trouble:
        raise UserError(
            f"MNIST's digits are not on this PC and {trouble}; for the digits that come with the "
            "suite type build … --source uci (or plates … --digits uci); for MNIST's put its four "
            f"IDX files into {cache}, or name their folder by --source, --digits or "
            f"{places.DATA_VARIABLE}"
        ) from None
    return cache


def _idx_folder(place: Path) -> Path | None:
    for folder in (place / name for name in IDX_FOLDERS):
        if all(_idx_file(folder, name) for name in MNIST_FILES):
            return folder
    return None


def _idx_file(folder: Path, name: str) -> Path | None:
    # torchvision and older mirrors write the last dash as a dot.
    for spelled in (name, name.replace("-idx", ".idx")):
        for path in (folder / spelled, folder / f"{spelled}.gz"):
            if path.is_file():
                return path
    return None


def _mnist(folder: Path) -> Digits:
    images, labels = [], []
    for part in ("train", "t10k"):
        image_path = _idx_file(folder, f"{part}-images-idx3-ubyte")
        label_path = _idx_file(folder, f"{part}-labels-idx1-ubyte")
        if image_path is None or label_path is None:
            raise UserError(f"digits: {folder} lacks one of MNIST's files of part {part}")
        part_images, part_labels = read_idx(image_path, 3), read_idx(label_path, 1)
        if len(part_images) != len(part_labels):
            raise UserError(
                f"{image_path} has {len(part_images)} images, "
                f"{label_path} {len(part_labels)} labels: they don't belong together"
            )
        if not part_labels.size or part_labels.max() > 9:
            raise UserError(f"{label_path}: labels must be digits 0 to 9")
        blank = np.flatnonzero(~part_images.any(axis=(1, 2)))
        if blank.size:
            raise UserError(f"{image_path}: image {blank[0]} (from 0) is blank; fetch it again")
        images.append(part_images)
        labels.append(part_labels)
    if images[0].shape[1:] != images[1].shape[1:]:
        raise UserError(f"{folder}: the images of train and t10k differ in size")
    indices = np.arange(sum(map(len, labels)), dtype=np.int64)
    train, held_out = np.split(indices, [len(labels[0])])
    grey = np.concatenate(images).astype(np.float32) / 255
    return Digits(grey, np.concatenate(labels).astype(np.int64), "mnist", train, held_out)


def read_idx(path: Path, dimensions: int) -> NDArray[np.uint8]:
    """Read an IDX file of bytes, plain or gzip.

    Parameters
    ----------
    path
        The file; gzip is known by its first bytes, not by its name.
    dimensions
        Number of dimensions that the array must have.

    Raises
    ------
    UserError
        If the file isn't such an IDX file, is cut short or has too many bytes.
    """
    refuse_odd(path)
    try:
        data = path.read_bytes()
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as fault:
        raise UserError(f"{path}: can't be read ({fault}); fetch it again") from None
    header = 4 + 4 * dimensions
    if len(data) < header or data[:4] != bytes((0, 0, _IDX_UINT8, dimensions)):
        raise UserError(f"{path}: is not an IDX file of bytes with {dimensions} dimensions")
    shape = struct.unpack(f">{dimensions}I", data[4:header])
    if len(data) - header != math.prod(shape):
        raise UserError(
            f"{path}: has {len(data) - header} bytes of data where its header says "
            f"{math.prod(shape)}; fetch it again"
        )
    return np.frombuffer(data, dtype=np.uint8, offset=header).reshape(shape)


GROUND_SRGB: Final = (70, 84, 104)
INK_SRGB: Final = (244, 238, 222)
SPANS: Final = (0.55, 0.75)
"""Smallest and largest share of the picture's side over which a digit's own image is spread."""
MARGIN: Final = 0.04
"""Share of the side that is kept free all around."""
EDGE: Final = (0.4, 0.6)
"""Interpolated shares of the darkest ink between which ink blends into the ground."""

DIGIT_NAMES: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        (str(digit), "" if tag == ENGLISH else tag): f"{word}|{digit}"
        for tag, language in LANGUAGES.items()
        for digit, word in enumerate(language.digits)
    }
)
"""Names of the ten classes, as for `classes.class_rows`: the word, or the digit."""
DIGIT_WORDS: Mapping[tuple[str, str], str] = MappingProxyType(
    {key: names.partition("|")[0] for key, names in DIGIT_NAMES.items()}
)
"""Only the words, by label and language: for studies in which a label has one name."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a digit lies in its picture.

    Attributes
    ----------
    span
        Share of the picture's side over which the digit's own image is spread.
    across, down
        0 at the left or on top, 1 at the right or the bottom, 0.5 in the middle.
    """

    span: float = SPANS[1]
    across: float = 0.5
    down: float = 0.5


def digit_name(digits: Digits, index: int) -> str:
    """Return a digit's name, which is also the key for its place in its picture."""
    return f"{digits.source}-{index:05d}"


def place_by(key: str) -> Place:
    """Return a place drawn by a key, so that one digit's place doesn't reveal another's.

    Otherwise a network could tell digits by the ground around them.
    """
    rng = np.random.Generator(np.random.PCG64(seed_of("digit's place", key)))
    span, across, down = rng.random(3)
    return Place(SPANS[0] + span * (SPANS[1] - SPANS[0]), across, down)


def digit_picture(
    grey: NDArray[np.floating], size_px: int, place: Place = Place()
) -> NDArray[np.uint8]:
    """Return a digit as a picture, uint8 (size_px, size_px, 3), sRGB codes.

    Parameters
    ----------
    grey
        The digit's image (h, w), 0 paper … 1 ink.
    size_px
        Side of the picture.
    place
        Where in it the digit lies.

    Raises
    ------
    ValueError
        If the image isn't two-dimensional or has no ink.
    """
    low, high = EDGE
    ink = np.clip((_enlarged(grey, size_px, place) - low) / (high - low), 0, 1)[..., None]
    blended = ink * np.array(INK_SRGB) + (1 - ink) * np.array(GROUND_SRGB)
    return np.rint(blended).astype(np.uint8)


def digit_figure(
    grey: NDArray[np.floating], size_px: int, place: Place = Place()
) -> NDArray[np.bool_]:
    """Return which pixels of a digit's picture are the digit, bool (size_px, size_px)."""
    return _enlarged(grey, size_px, place) >= sum(EDGE) / 2


def _enlarged(grey: NDArray[np.floating], size_px: int, place: Place) -> Floats:
    """Return ink as a share of the darkest, float64 (size_px, size_px)."""
    values = np.asarray(grey, dtype=np.float32)
    if values.ndim != 2:
        raise ValueError(f"a digit's image has two dimensions, not {values.ndim}")
    if not values.size or not values.max() > 0:
        raise ValueError("the image has no ink")
    cell_px = place.span * size_px / max(values.shape)
    # A paper border, so that ink at the image's edge ends as softly as it does elsewhere.
    bordered = np.pad(values / values.max(), 1)
    height, width = (max(1, round(side * cell_px)) for side in bordered.shape)
    large = Image.fromarray(bordered).resize((width, height), Image.Resampling.BICUBIC)
    canvas = Image.new("F", (size_px, size_px), 0.0)
    corner = [
        round(MARGIN * size_px + at * ((1 - 2 * MARGIN) * size_px - side * cell_px) - cell_px)
        for at, side in zip((place.across, place.down), values.shape[::-1], strict=True)
    ]
    canvas.paste(large, (corner[0], corner[1]))
    return np.asarray(canvas, dtype=np.float64)
