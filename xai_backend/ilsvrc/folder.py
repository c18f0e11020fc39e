"""Image sets as they are distributed: labels, classes and boxes, wherever a layout has them.

The XML files of ILSVRC and Stanford Dogs contain the boxes of objects.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from stimuli.errors import UserError
from stimuli.images.sets import SUFFIXES, LabelledImage, checked_set, read_labelled
from stimuli.io.inside import stays_inside
from stimuli.names import ANY_LANGUAGE, WNID
from xai_backend.ilsvrc.truth import (
    FILES,
    Synsets,
    Truth,
    is_kaggle,
    read_truth,
    solutions_of,
    synsets_among,
)
from xai_backend.metrics.localisation import Box, read_boxes

EDGES = ("xmin", "ymin", "xmax", "ymax")


@dataclass(frozen=True, slots=True)
class Annotated:
    """An object in an image: its name in the annotation, and its box."""

    name: str
    box: Box


def annotation_of(folder: Path, item: str) -> Path | None:
    """Return the XML file of an image, or None.

    It lies in the same sub-folder as the image, or in none, with the image's name and the ending
    ``.xml`` or no ending.
    """
    if not stays_inside(item):
        return None
    path = Path(item)
    for at in (folder / path.parent / path.stem, folder / path.stem):
        for candidate in (at.with_name(f"{at.name}.xml"), at):
            if candidate.is_file():
                return candidate
    return None


def read_annotation(path: Path) -> tuple[Annotated, ...]:
    """Return the objects of an XML file.

    Raises
    ------
    UserError
        If the file is damaged, or a box isn't valid.
    """
    try:
        root = ElementTree.parse(path).getroot()
    except OSError as error:
        raise UserError(f"{path}: can't be read ({error.strerror})") from None
    except ElementTree.ParseError as fault:
        raise UserError(f"{path}: is torn or no XML ({fault}); copy it again") from None
    return tuple(
        Annotated((element.findtext("name") or "").strip(), _box(element, path))
        for element in root.iter("object")
    )


def boxes_of(folder: Path, images: Iterable[LabelledImage]) -> dict[str, tuple[Box, ...]]:
    """Return the boxes of images' labels by item; of all objects if none has the label's name.

    Raises
    ------
    UserError
        If a file is damaged, or no image has one.
    """
    boxes: dict[str, tuple[Box, ...]] = {}
    for image in images:
        path = annotation_of(folder, image.item)
        if path is not None:
            objects = read_annotation(path)
            of_label = [annotated.box for annotated in objects if annotated.name == image.label]
            boxes[image.item] = tuple(of_label or [annotated.box for annotated in objects])
    if not boxes:
        raise UserError(f"{folder}: has no XML file of any of the images")
    return boxes


def _box(element: ElementTree.Element, path: Path) -> Box:
    try:
        left, top, right, lower = (
            float(element.findtext(f"bndbox/{edge}") or "") for edge in EDGES
        )
    except ValueError:
        raise UserError(f"{path}: an object's box lacks {', '.join(EDGES)} in pixels") from None
    if not (left < right and top < lower):
        raise UserError(f"{path}: xmin must be left of xmax, and ymin above ymax")
    return left, top, right, lower


KAGGLE_IMAGES: Final = Path("ILSVRC", "Data", "CLS-LOC", "val")
KAGGLE_BOXES: Final = Path("ILSVRC", "Annotations", "CLS-LOC", "val")
DOGS_IMAGES: Final = "Images"
DOGS_BOXES: Final = "Annotation"
KIT: Final = Path("ILSVRC2012_devkit_t12", "data")
_CLASS: Final = re.compile(r"(n\d{8})(?:[-_ ](.+))?")
"""Name of a class's folder: its WordNet id, and maybe its name."""


@dataclass(frozen=True, slots=True)
class ImageSet:
    """Labelled images, and other information in their folder's layout.

    Attributes
    ----------
    images
        Sorted by item.
    synsets
        Words and definitions of labels that are WordNet ids, and the order of the ids.
    boxes
        Objects by item, pixels of the whole image.
    truth
        Where the labels come from, in words.
    """

    images: tuple[LabelledImage, ...]
    synsets: Synsets = field(default_factory=Synsets)
    boxes: Mapping[str, tuple[Box, ...]] = field(default_factory=dict)
    truth: str = "the folders"


def read_set(source: Path, truth: Path | None = None, reserved: Collection[str] = ()) -> ImageSet:
    """Return the images of a set.

    Parameters
    ----------
    source
        ILSVRC's validation folder; the folder of Kaggle's download, which has ``LOC_*`` files;
        the folder of Stanford Dogs; one with one sub-folder for each class, which may be named by
        WordNet ids; or a CSV ``image,label``.
    truth
        File with the labels of images that lie in one folder (`read_truth`), or a folder of XML
        files. Default: what is beside the images.
    reserved
        Words that no label may be.

    Raises
    ------
    UserError
        If there is no such set, an image has no label, or a file is damaged.
    """
    where = _Where.of(source)
    flat = sorted(_images_in(where.images)) if where.images.is_dir() else []
    if flat:
        return _of_one_folder(where, flat, truth, reserved)
    if truth is not None:
        raise UserError(f"--truth {truth}: goes with images in one folder; {source} has none in it")
    images = read_labelled(where.images, reserved)
    classes = {image.label: _CLASS.fullmatch(image.label) for image in images}
    image_set = ImageSet(tuple(images), synsets_among(where.beside))
    if source.is_dir() and all(classes.values()):
        image_set = _of_wordnet_folders(images, image_set.synsets)
    boxes = _boxes_beside(where, image_set.images)
    return replace(image_set, boxes=boxes)


def given_boxes(path: Path, images: Sequence[LabelledImage]) -> dict[str, tuple[Box, ...]]:
    """Return boxes by item from a folder of XML files, ``LOC_*_solution.csv``, or `read_boxes`.

    Raises
    ------
    UserError
        If a file can't be read, or a box isn't valid.
    """
    if path.is_dir():
        return boxes_of(path, images)
    if is_kaggle(path):
        solved = solutions_of(path)
        return {
            image.item: solved[image.path.stem][1] for image in images if image.path.stem in solved
        }
    boxes = read_boxes(path, [image.item for image in images])
    return {item: tuple(item_boxes) for item, item_boxes in boxes.items()}


@dataclass(frozen=True, slots=True)
class _Where:
    """Folders of a layout: of its images, its XML files if it has any, and all other files."""

    images: Path
    annotations: Path | None
    beside: tuple[Path, ...]

    @classmethod
    def of(cls, source: Path) -> "_Where":
        if (source / KAGGLE_IMAGES).is_dir():
            return cls(source / KAGGLE_IMAGES, source / KAGGLE_BOXES, (source,))
        if (source / DOGS_IMAGES).is_dir() and (source / DOGS_BOXES).is_dir():
            return cls(source / DOGS_IMAGES, source / DOGS_BOXES, (source,))
        around = (source, source.parent)
        return cls(source, None, (*around, *(folder / KIT for folder in around)))


def _images_in(folder: Path) -> list[Path]:
    """Return the images of a folder whose subfolders contain no images."""
    if any(path.suffix.lower() in SUFFIXES for path in folder.glob("*/*")):
        return []
    return [
        path
        for path in folder.iterdir()
        if path.suffix.lower() in SUFFIXES and path.name[0] != "." and path.is_file()
    ]


def _of_one_folder(
    where: _Where, paths: list[Path], truth: Path | None, reserved: Collection[str]
) -> ImageSet:
    synsets = synsets_among(where.beside)
    annotations = where.annotations
    if truth is not None and truth.is_dir():
        annotations, truth = truth, None
    elif truth is None:
        places = (folder / name for folder in where.beside for name in FILES)
        truth = next((path for path in places if path.is_file()), None)
    unlabelled = [LabelledImage(path.name, path, "") for path in paths]
    solved = None if truth is None else read_truth(truth, synsets)
    if solved is not None:
        images = [_labelled(image, solved) for image in unlabelled]
    else:
        annotations = annotations or where.images
        images = [_by_annotation(image, annotations, where.images) for image in unlabelled]
    checked = checked_set(images, where.images, reserved)
    boxes = {} if solved is None else solved.boxes
    item_boxes = {
        image.item: boxes[image.path.stem] for image in checked if image.path.stem in boxes
    }
    if solved is None or (annotations is not None and annotations.is_dir()):
        assert annotations is not None
        item_boxes |= boxes_of(annotations, checked)
    return ImageSet(
        tuple(checked), synsets, item_boxes, (truth or annotations or where.images).name
    )


def _labelled(image: LabelledImage, truth: Truth) -> LabelledImage:
    label = truth.label_of(image.path.stem)
    if label is None:
        raise UserError(
            f"{image.path}: has no ground truth in {truth.file}; name the right file with --truth"
        )
    return replace(image, label=label)


def _by_annotation(image: LabelledImage, annotations: Path, folder: Path) -> LabelledImage:
    path = annotation_of(annotations, image.item)
    if path is None:
        raise UserError(
            f"{image.path}: has no ground truth; put one of {', '.join(FILES)} beside {folder}, or "
            "name a file, or a folder of XML files, with --truth"
        )
    names = {annotated.name for annotated in read_annotation(path)}
    if len(names) != 1 or not WNID.fullmatch(name := min(names)):
        raise UserError(f"{path}: must name the WordNet id of one class")
    return replace(image, label=name)


def _of_wordnet_folders(images: list[LabelledImage], synsets: Synsets) -> ImageSet:
    """Return images whose folders are named by WordNet ids, maybe followed by a name."""
    labelled, names = [], dict(synsets.names)
    for image in images:
        match = _CLASS.fullmatch(image.label)
        assert match is not None
        wnid, word = match.groups()
        if word:
            names.setdefault((wnid, ANY_LANGUAGE), word.replace("_", " "))
        labelled.append(replace(image, label=wnid))
    return ImageSet(tuple(labelled), replace(synsets, names=names))


def _boxes_beside(where: _Where, images: tuple[LabelledImage, ...]) -> dict[str, tuple[Box, ...]]:
    if where.annotations is None or not where.annotations.is_dir():
        return {}
    return boxes_of(where.annotations, images)
