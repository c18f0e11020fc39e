"""The labelled images of a pack: where they come from, and which the protocol leaves out.

People and the network see all images as JPEG. The published study saved only attacked images as
JPEG. Here all images are saved so, so that traces of the format don't show which were attacked.
"""

import io
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path, PurePosixPath

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from stimuli.images.digits import Digits, digit_figure, digit_name, digit_picture, place_by
from stimuli.images.sets import LabelledImage
from stimuli.studies.human_ai_team.protocol import Attack, HumanAiTeam, Subsampling
from xai_backend.explain.precompute import Picture
from xai_backend.metrics.localisation import Box, box_around, cropped
from xai_backend.models.frame import InputFrame, read_photo
from xai_backend.progress import Reporter
from xai_backend.store import input_sha256

Codes = NDArray[np.uint8]
"""RGB codes (side, side, 3)."""
ATTACKED = "-attacked"
"""Suffix of an attacked image's id."""


@dataclass(frozen=True, slots=True)
class Jpeg:
    """A way to save pictures as JPEG.

    Attributes
    ----------
    quality
        1…100.
    subsampling
        How much of the colours' resolution is kept: ``4:4:4`` all of it, ``4:2:0`` half of it in
        both directions.
    """

    quality: int = 75
    subsampling: Subsampling = "4:2:0"

    @classmethod
    def of(cls, attack: Attack) -> "Jpeg":
        """Return the JPEG that a protocol asks for."""
        return cls(attack.jpeg_quality, attack.jpeg_subsampling)

    def saved(self, codes: Codes) -> bytes:
        """Return a picture as a JPEG."""
        stream = io.BytesIO()
        picture = Image.fromarray(codes)
        picture.save(stream, "JPEG", quality=self.quality, subsampling=self.subsampling)
        return stream.getvalue()

    def through(self, codes: Codes) -> Codes:
        """Return a picture after JPEG compression."""
        return codes_of(self.saved(codes))


def codes_of(jpeg: bytes) -> Codes:
    """Return the picture that a JPEG holds."""
    with Image.open(io.BytesIO(jpeg)) as image:
        return np.asarray(image.convert("RGB"), dtype=np.uint8)


def png_of(codes: Codes) -> bytes:
    """Return a picture as a PNG without metadata."""
    stream = io.BytesIO()
    Image.fromarray(codes).save(stream, "PNG")
    return stream.getvalue()


@dataclass(frozen=True, slots=True)
class SeenImage:
    """An image as the network and people see it, with facts about the whole image.

    Attributes
    ----------
    codes
        The network's crop, through a JPEG, uint8 (side, side, 3).
    whole_size
        Width and height of the whole image, pixels.
    grey
        Whether it has no colour.
    """

    codes: Codes
    whole_size: tuple[int, int]
    grey: bool = False


@dataclass(frozen=True, slots=True)
class Candidate:
    """A labelled image, read when it is needed; or a text.

    Attributes
    ----------
    item
        Its path within the set, or the digit's name.
    label
        Its class.
    read
        Reads the image.
    boxes
        Returns the boxes of its objects in the crop, pixels; empty if they aren't known.
    path
        Its file, or None.
    texts
        The text by language, if it is a text; then `read` can't be called.
    """

    item: str
    label: str
    read: Callable[[], SeenImage]
    boxes: Callable[[], tuple[Box, ...]] = tuple
    path: Path | None = None
    texts: Mapping[str, str] = field(default_factory=dict)

    def codes(self) -> Codes:
        """Read the image and return the crop."""
        return self.read().codes


@dataclass(frozen=True, slots=True)
class Album:
    """Images that the protocol takes, as pictures, and how many it leaves out, by reason.

    ``sizes`` are widths and heights of the whole images that it takes, pixels.
    """

    pictures: Mapping[str, Picture]
    dropped: Mapping[str, int]
    sizes: tuple[tuple[int, int], ...]


def file_name(item: str) -> str:
    """Return the name, without suffix, under which maps and texts of an image are searched.

    It is made of the subfolders and the file's stem; an attacked image's name keeps `ATTACKED`.
    """
    whole, attacked, _ = item.partition(ATTACKED)
    path = PurePosixPath(whole)
    return "__".join([*path.parts[:-1], path.stem]) + attacked


def photo_candidates(
    images: Sequence[LabelledImage],
    frame: InputFrame,
    jpeg: Jpeg,
    boxes: Mapping[str, Sequence[Box]] | None = None,
) -> list[Candidate]:
    """Return photographs as images, in order.

    Parameters
    ----------
    images
        The images of a set.
    frame
        Which part of a photograph the network sees.
    jpeg
        How each image is saved.
    boxes
        Boxes by item, in pixels of the whole photograph.
    """
    known = boxes or {}
    return [
        Candidate(
            image.item,
            image.label,
            partial(_photo, image.path, frame, jpeg),
            partial(_boxes, image.path, frame, tuple(known.get(image.item, ()))),
            image.path,
        )
        for image in images
    ]


def digit_candidates(
    digits: Digits, indices: Sequence[int], size_px: int, jpeg: Jpeg
) -> list[Candidate]:
    """Return digits as images, in order; their boxes come from their own pixels."""
    candidates = []
    for index in indices:
        name = digit_name(digits, index)
        grey = digits.images[index]
        read = _digit(grey, name, size_px, jpeg)
        boxes = partial(_digit_boxes, grey, name, size_px)
        candidates.append(Candidate(name, str(digits.labels[index]), read, boxes))
    return candidates


def gathered(candidates: Sequence[Candidate], protocol: HumanAiTeam, reporter: Reporter) -> Album:
    """Return the images that a protocol takes: large enough, and in colour if it says so.

    Raises
    ------
    UserError
        If an image can't be read.
    """
    if protocol.cases == "texts":
        return Album(
            {candidate.item: Picture(candidate.item, "", _no_codes) for candidate in candidates},
            {},
            (),
        )
    look = protocol.images
    pictures: dict[str, Picture] = {}
    dropped: Counter[str] = Counter()
    sizes = []
    wanted = candidates
    if look.only_labels:
        wanted = [candidate for candidate in candidates if candidate.label in look.labels]
        dropped["of a label outside images.labels"] = len(candidates) - len(wanted)
    with reporter.stage("reading images", len(wanted)) as advance:
        for candidate in wanted:
            seen = candidate.read()
            advance(1)
            if min(seen.whole_size) < look.least_side_px:
                dropped[f"smaller than images.least_side_px ({look.least_side_px})"] += 1
            elif look.drop_grey and seen.grey:
                dropped["without colour"] += 1
            else:
                pictures[candidate.item] = Picture(
                    candidate.item, input_sha256(seen.codes), candidate.codes
                )
                sizes.append(seen.whole_size)
    return Album(pictures, dict(+dropped), tuple(sizes))


def _no_codes() -> None:
    """Return None, since a text has no pixels."""


def _photo(path: Path, frame: InputFrame, jpeg: Jpeg) -> SeenImage:
    photo = read_photo(path)
    return SeenImage(jpeg.through(frame.codes(photo)), photo.size, _is_grey(photo))


def _boxes(path: Path, frame: InputFrame, boxes: Sequence[Box]) -> tuple[Box, ...]:
    if not boxes:
        return ()
    size = read_photo(path).size
    crops = (cropped(box, size, frame) for box in boxes)
    return tuple(box for box in crops if box is not None)


def _is_grey(photo: Image.Image) -> bool:
    codes = np.asarray(photo)
    return bool((codes == codes[..., :1]).all())


def _digit(
    grey: NDArray[np.float32], name: str, size_px: int, jpeg: Jpeg
) -> Callable[[], SeenImage]:
    """Return a function that gives a digit's picture. It is called often and keeps the JPEG."""

    @cache
    def saved() -> bytes:
        return jpeg.saved(digit_picture(grey, size_px, place_by(name)))

    return lambda: SeenImage(codes_of(saved()), (size_px, size_px))


def _digit_boxes(grey: NDArray[np.float32], name: str, size_px: int) -> tuple[Box, ...]:
    return (box_around(digit_figure(grey, size_px, place_by(name))),)
