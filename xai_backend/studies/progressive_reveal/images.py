"""The images of a progressive_reveal pack: which there are, and which of them are drawn."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, zip_longest
from pathlib import Path, PurePosixPath

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from stimuli.errors import UserError
from stimuli.images.digits import Digits
from stimuli.images.sets import read_labelled
from stimuli.io.canonical import keyed_order
from stimuli.studies.progressive_reveal.digit_pictures import (
    Place,
    digit_figure,
    digit_picture,
    place_by,
)
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal
from xai_backend.models.frame import InputFrame, read_photo

Codes = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """An image as people see it.

    Attributes
    ----------
    picture
        sRGB codes, uint8 (size, size, 3).
    whole_size
        Width and height of the photograph that it is the middle of, pixels.
    figure
        Which pixels are the object, bool (size, size), where that is known.
    """

    picture: Codes
    whole_size: tuple[int, int]
    figure: NDArray[np.bool_] | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A labelled image that may be drawn; it is read when it is needed.

    Attributes
    ----------
    item
        Its path within the set, or the digit's name.
    class_id
        Its class.
    read
        Gives the image at a side of so many pixels.
    """

    item: str
    class_id: str
    read: Callable[[int], Shown]

    @property
    def stem(self) -> str:
        """The file's name without folder and suffix, by which people's maps are found."""
        return PurePosixPath(self.item).stem


@dataclass(frozen=True, slots=True)
class Drawn:
    """What of a set goes into a pack.

    Attributes
    ----------
    main, practice
        Images of the main rounds and of practice.
    left
        Images of the same classes that nobody is shown.
    """

    main: tuple[Candidate, ...]
    practice: tuple[Candidate, ...]
    left: tuple[Candidate, ...]

    @property
    def shown(self) -> tuple[Candidate, ...]:
        """Images of main rounds, then of practice."""
        return (*self.main, *self.practice)

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes, sorted."""
        return tuple(sorted({one.class_id for one in self.main}))


def photo_candidates(source: Path) -> list[Candidate]:
    """Return the images of a labelled set (see `read_labelled`), sorted by item."""
    return [
        Candidate(image.item, image.label, partial(_read_photo, image.path))
        for image in read_labelled(source)
    ]


def digit_candidates(digits: Digits) -> list[Candidate]:
    """Return the held-out digits as images: no network learns from them."""
    return [
        Candidate(
            digit_name(digits, index),
            str(digits.labels[index]),
            partial(_draw_digit, digits.images[index], place_by(digit_name(digits, index))),
        )
        for index in digits.held_out_indices.tolist()
    ]


def digit_name(digits: Digits, index: int) -> str:
    """Return a digit's name, by which its place in its picture is drawn too."""
    return f"{digits.source}-{index:05d}"


def draw(
    candidates: Sequence[Candidate],
    protocol: ProgressiveReveal,
    where: str,
    fits: Callable[[Candidate], bool] = lambda one: True,
) -> Drawn:
    """Return the images that a protocol asks for, drawn by its seed.

    Parameters
    ----------
    candidates
        What there is.
    protocol
        How many classes, images of each, and practice images.
    where
        What the set is called in errors.
    fits
        Which images can be shown, such as those that have people's maps.

    Raises
    ------
    UserError
        If there are too few: what to change.
    """
    wanted, each = protocol.images.classes, protocol.images.images_per_class
    by_class = _by_class(filter(fits, candidates))
    enough = [class_id for class_id, some in by_class.items() if len(some) >= each]
    if len(enough) < wanted:
        raise UserError(_too_few(by_class, protocol, where))
    chosen = sorted(keyed_order(enough, protocol.seed, "classes")[:wanted])
    ordered = {class_id: _ordered(by_class[class_id], protocol.seed) for class_id in chosen}
    main = [one for class_id in chosen for one in ordered[class_id][:each]]
    turns = [ordered[class_id][each:] for class_id in keyed_order(chosen, protocol.seed, "turns")]
    spare = [one for one in chain.from_iterable(zip_longest(*turns)) if one is not None]
    practice = spare[: protocol.session.practice_rounds]
    if len(practice) < protocol.session.practice_rounds:
        raise UserError(
            f"{where}: {len(practice)} images are left for session.practice_rounds "
            f"{protocol.session.practice_rounds}; add images, or lower it or "
            "images.images_per_class"
        )
    shown = {one.item for one in (*main, *practice)}
    left = [one for one in candidates if one.class_id in chosen and one.item not in shown]
    return Drawn(tuple(main), tuple(practice), tuple(left))


def _by_class(candidates: Iterable[Candidate]) -> dict[str, list[Candidate]]:
    by_class: dict[str, list[Candidate]] = {}
    for one in candidates:
        by_class.setdefault(one.class_id, []).append(one)
    return by_class


def _ordered(candidates: Sequence[Candidate], seed: int) -> list[Candidate]:
    by_item = {one.item: one for one in candidates}
    return [by_item[item] for item in keyed_order(by_item, seed, "images")]


def _too_few(
    by_class: Mapping[str, Sequence[Candidate]], protocol: ProgressiveReveal, where: str
) -> str:
    wanted, each = protocol.images.classes, protocol.images.images_per_class
    counts = sorted(map(len, by_class.values()), reverse=True)
    enough = sum(count >= each for count in counts)
    ways = ["add images"]
    if len(counts) >= wanted:
        ways.append(f"lower images.images_per_class ({each}) to {counts[wanted - 1]}")
    if enough >= 2:
        ways.append(f"lower images.classes ({wanted}) to {enough}")
    *others, last = ways
    return (
        f"{where}: {enough} of {len(counts)} classes have {each} images that can be shown, "
        f"{wanted} are wanted; {', '.join(others) + ' or ' if others else ''}{last}"
    )


def _read_photo(path: Path, size_px: int) -> Shown:
    photo = read_photo(path)
    return Shown(InputFrame(size_px, size_px).codes(photo), photo.size)


def _draw_digit(grey: NDArray[np.float32], place: Place, size_px: int) -> Shown:
    picture = digit_picture(grey, size_px, place)
    return Shown(picture, (size_px, size_px), digit_figure(grey, size_px, place))


def in_frame(picture: Codes, side_px: int, interpolation: str = "bilinear") -> Codes:
    """Return the whole of a picture at the side that a network takes, so that maps cover it."""
    return InputFrame(side_px, side_px, interpolation).codes(Image.fromarray(picture))
