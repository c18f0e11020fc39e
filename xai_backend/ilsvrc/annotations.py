"""Boxes of objects in the XML files of ILSVRC and Stanford Dogs."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from stimuli.errors import UserError
from stimuli.images.sets import LabelledImage
from xai_backend.metrics.localisation import Box

EDGES = ("xmin", "ymin", "xmax", "ymax")


@dataclass(frozen=True, slots=True)
class Annotated:
    """An object in an image: what it is called there, and where it lies."""

    name: str
    box: Box


def annotation_of(folder: Path, item: str) -> Path | None:
    """Return the XML of an image; None without one.

    It lies in the same sub-folder as the image, or in none, with the image's name and the ending
    ``.xml`` or no ending.
    """
    path = Path(item)
    for at in (folder / path.parent / path.stem, folder / path.stem):
        for one in (at.with_name(f"{at.name}.xml"), at):
            if one.is_file():
                return one
    return None


def read_annotation(path: Path) -> tuple[Annotated, ...]:
    """Return the objects of an XML file.

    Raises
    ------
    UserError
        If it is torn, or a box is none.
    """
    try:
        root = ElementTree.parse(path).getroot()
    except OSError as error:
        raise UserError(f"{path}: can't be read ({error.strerror})") from None
    except ElementTree.ParseError as fault:
        raise UserError(f"{path}: is torn or no XML ({fault}); copy it again") from None
    return tuple(
        Annotated((one.findtext("name") or "").strip(), _box(one, path))
        for one in root.iter("object")
    )


def boxes_of(folder: Path, images: Iterable[LabelledImage]) -> dict[str, tuple[Box, ...]]:
    """Return the boxes of images' labels by item; of all objects if none has the label's name.

    Raises
    ------
    UserError
        If a file is torn, or no image has one.
    """
    found: dict[str, tuple[Box, ...]] = {}
    for image in images:
        path = annotation_of(folder, image.item)
        if path is not None:
            objects = read_annotation(path)
            own = [one.box for one in objects if one.name == image.label]
            found[image.item] = tuple(own or [one.box for one in objects])
    if not found:
        raise UserError(f"{folder}: has no XML file of any of the images")
    return found


def _box(one: ElementTree.Element, path: Path) -> Box:
    try:
        left, top, right, lower = (float(one.findtext(f"bndbox/{edge}") or "") for edge in EDGES)
    except ValueError:
        raise UserError(f"{path}: an object's box lacks {', '.join(EDGES)} in pixels") from None
    if not (left < right and top < lower):
        raise UserError(f"{path}: xmin must be left of xmax, and ymin above ymax")
    return left, top, right, lower
