"""Task packs of progressive_reveal: images on which people mark what makes them recognisable."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from stimuli.errors import UserError
from stimuli.images.pictures import read_rgb
from stimuli.images.sets import read_labelled
from stimuli.io.canonical import hash_of, sha256_hex
from stimuli.io.tables import Column, TableSchema
from stimuli.studies.progressive_reveal.classes import class_rows
from stimuli.studies.progressive_reveal.material import Picture
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal
from stimuli.studies.progressive_reveal.tables import CLASSES

ID_DIGITS: Final = 12

TASKS: Final = TableSchema(
    "tasks",
    "One row for each image that people mark.",
    (
        Column("item", "text", "The image: its path within its set."),
        Column("image_file", "text", "The image as it is shown, a square RGB PNG."),
        Column("class", "text", "Its class, as in classes.csv; people see it."),
    ),
)


def compose_tasks(
    pictures: Sequence[Picture], names: Mapping[tuple[str, str], str]
) -> dict[str, bytes]:
    """Return the files of a task pack by path.

    Parameters
    ----------
    pictures
        The images, each once.
    names
        What classes are called, as `classes.class_rows` takes it.

    Raises
    ------
    UserError
        If two classes have one name.
    """
    images = {picture.item: _png(picture.image) for picture in pictures}
    key = hash_of({item: sha256_hex(data) for item, data in images.items()})
    file_of = {item: f"assets/images/{hash_of([key, item])[:ID_DIGITS]}.png" for item in images}
    rows = [
        {"item": picture.item, "image_file": file_of[picture.item], "class": picture.class_id}
        for picture in sorted(pictures, key=lambda picture: picture.item)
    ]
    classes = class_rows({picture.class_id for picture in pictures}, names)
    return {
        **{file_of[item]: data for item, data in images.items()},
        "tasks.csv": TASKS.to_csv(rows),
        "classes.csv": CLASSES.to_csv(classes),
    }


def pictures_of(source: Path, protocol: ProgressiveReveal) -> list[Picture]:
    """Return the images of a labelled set, framed as a protocol's packs show them.

    Parameters
    ----------
    source
        A folder with one sub-folder a class, or a CSV of images and labels.
    protocol
        Says how large images are.

    Raises
    ------
    UserError
        If there is no such set, or an image can't be read.
    """
    size_px = protocol.images.size_px
    return [
        Picture(image.item, image.label, _middle_square(image.path, size_px))
        for image in read_labelled(source)
    ]


def _middle_square(path: Path, size_px: int) -> NDArray[np.uint8]:
    """Return the middle square of a photograph, turned the way its camera says."""
    try:
        photo = read_rgb(path)
    except (OSError, ValueError, SyntaxError) as fault:
        raise UserError(f"{path}: can't be read as an image ({fault})") from None
    size = (size_px, size_px)
    return np.asarray(ImageOps.fit(photo, size, Image.Resampling.BILINEAR), dtype=np.uint8)


def _png(pixels: NDArray[np.uint8]) -> bytes:
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, "PNG", optimize=True)
    return stream.getvalue()
