"""Do maps lie where people say the object is?

The three measures are those of Nguyen et al. 2021 (section 2.5): the pointing game (Zhang et al.
2018), the intersection over union, and weakly-supervised localisation (Zhou et al. 2016). Objects'
boxes are read from a file and converted to the frame that a network sees.
"""

from collections.abc import Collection, Sequence
from pathlib import Path, PurePosixPath

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt

from stimuli.errors import UserError
from stimuli.io.given_tables import numbered_rows
from xai_backend.models.frame import InputFrame

TOLERANCE_PX = 15.0
THRESHOLDS = tuple(k / 20 for k in range(1, 20))
"""Shares of a map's maximum, .05 … .95."""
WSL_THRESHOLD = 0.05
WSL_IOU = 0.5

Maps = NDArray[np.floating]
Masks = NDArray[np.bool_]
Scores = NDArray[np.float64]
Box = tuple[float, float, float, float]
"""Left, top, right and lower edge, pixels; right and lower edge not included."""
COLUMNS = ("image", "x0", "y0", "x1", "y1")


def pointing_game(maps: Maps, objects: Masks, tolerance_px: float = TOLERANCE_PX) -> Scores:
    """Return whether the map's maximum lies on the object or close to it (n,).

    Parameters
    ----------
    maps
        (n, H, W).
    objects
        bool (n, H, W): where the object is.
    tolerance_px
        Largest distance of the maximum from the object's nearest pixel (Euclidean).

    Returns
    -------
    float64 (n,)
        1 for a hit, 0 for a miss. If several pixels share the maximum, the share of them that hit,
        which is the mean of choosing one at random. A map without positive relevance is a miss, and
        so is an object that isn't in the picture.
    """
    _check(maps, objects)
    scores = np.zeros(len(maps))
    for k, (values, there) in enumerate(zip(maps, objects, strict=True)):
        peak = values.max()
        if peak > 0 and there.any():
            near = distance_transform_edt(~there) <= tolerance_px
            scores[k] = near[values == peak].mean()
    return scores


def binarised(maps: Maps, threshold: float) -> Masks:
    """Return the pixels with more than a share of their map's maximum, bool (n, H, W)."""
    positive = np.maximum(maps, 0)
    return positive > threshold * positive.max(axis=(1, 2), keepdims=True)


def intersection_over_union(maps: Maps, objects: Masks, threshold: float) -> Scores:
    """Return the overlap of the binarised maps with the objects, 0…1 (n,).

    Intersection over union of pixels; 0 where both are empty.
    """
    _check(maps, objects)
    salient = binarised(maps, threshold)
    both = (salient & objects).sum(axis=(1, 2))
    either = (salient | objects).sum(axis=(1, 2))
    return both / np.maximum(either, 1)


def best_threshold(
    maps: Maps, objects: Masks, thresholds: Sequence[float] = THRESHOLDS
) -> tuple[float, Scores]:
    """Return the threshold with the largest mean overlap over all maps, and their overlaps.

    There is one threshold for a method, as in Nguyen et al. 2021 ("the method's optimal
    threshold"); of equally good ones the lowest is returned.
    """
    overlaps = [intersection_over_union(maps, objects, threshold) for threshold in thresholds]
    best = int(np.argmax([overlap.mean() for overlap in overlaps]))
    return thresholds[best], overlaps[best]


def weakly_supervised_localisation(
    maps: Maps,
    boxes: Sequence[Sequence[Box]],
    threshold: float = WSL_THRESHOLD,
    least_overlap: float = WSL_IOU,
) -> Scores:
    """Return whether the box around the binarised map is an object's box (n,).

    Parameters
    ----------
    maps
        (n, H, W).
    boxes
        Boxes of each image's objects.
    threshold
        Share of the maximum.
    least_overlap
        The boxes' intersection over union must exceed this.

    Returns
    -------
    float64 (n,)
        1 if it does so for one of the objects, else 0.
    """
    if len(maps) != len(boxes):
        raise ValueError(f"{len(maps)} maps, but boxes for {len(boxes)} images")
    scores = np.zeros(len(maps))
    for k, (salient, image_boxes) in enumerate(zip(binarised(maps, threshold), boxes, strict=True)):
        if salient.any():
            around = box_around(salient)
            scores[k] = any(box_overlap(around, box) > least_overlap for box in image_boxes)
    return scores


def box_around(mask: Masks) -> Box:
    """Return the smallest box that holds a mask (H, W)."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    return float(columns[0]), float(rows[0]), float(columns[-1] + 1), float(rows[-1] + 1)


def box_overlap(first: Box, other: Box) -> float:
    """Return two boxes' intersection over union, 0…1."""
    width = min(first[2], other[2]) - max(first[0], other[0])
    height = min(first[3], other[3]) - max(first[1], other[1])
    both = max(width, 0.0) * max(height, 0.0)
    either = _area(first) + _area(other) - both
    return both / either if either > 0 else 0.0


def box_masks(boxes: Sequence[Sequence[Box]], height: int, width: int) -> Masks:
    """Return where each image's boxes are, bool (n, H, W): pixels whose centres they hold."""
    down, across = np.arange(height)[:, None] + 0.5, np.arange(width) + 0.5
    masks = np.zeros((len(boxes), height, width), dtype=np.bool_)
    for mask, box in zip(masks, boxes, strict=True):
        for left, top, right, lower in box:
            mask |= (left <= across) & (across < right) & (top <= down) & (down < lower)
    return masks


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _check(maps: Maps, objects: Masks) -> None:
    if maps.ndim != 3 or maps.shape != objects.shape:
        raise ValueError(f"maps {maps.shape} and objects {objects.shape} differ")


def read_boxes(path: Path, items: Collection[str]) -> dict[str, list[Box]]:
    """Return objects' boxes by item, in pixels of the whole image; other images' rows are ignored.

    Parameters
    ----------
    path
        A CSV ``image,x0,y0,x1,y1`` with a row for each object: the image as in the set, or its
        file's name or stem if that is unique; left, top, right and lower edge.
    items
        The set's images.

    Raises
    ------
    UserError
        If it can't be read, or a box isn't valid.
    """
    by_name: dict[str, set[str]] = {}
    for item in items:
        whole = PurePosixPath(item)
        for name in {item, whole.name, whole.stem}:
            by_name.setdefault(name, set()).add(item)
    boxes: dict[str, list[Box]] = {}
    for number, row in numbered_rows(path, COLUMNS):
        matches = by_name.get(row["image"].replace("\\", "/"), set())
        if len(matches) == 1:
            boxes.setdefault(min(matches), []).append(_box(row, f"{path}, row {number}"))
    return boxes


def cropped(box: Box, size: tuple[int, int], frame: InputFrame) -> Box | None:
    """Return a box of the whole image in a network's frame; None if it lies outside.

    Parameters
    ----------
    box
        Left, top, right and lower edge, pixels.
    size
        The whole image's width and height, pixels.
    frame
        What the network sees.
    """
    at = frame.placed(size)
    visible = at.visible(frame.crop_px)
    across, down = (new / old for new, old in zip(at.size, size, strict=True))
    left, right = (_within(x * across - at.left, visible[0], visible[2]) for x in (box[0], box[2]))
    top, lower = (_within(y * down - at.top, visible[1], visible[3]) for y in (box[1], box[3]))
    return (left, top, right, lower) if left < right and top < lower else None


def hull(boxes: Sequence[Box], side_px: int) -> tuple[int, int, int, int] | None:
    """Return the smallest box of whole pixels that holds all boxes; None if there are no boxes."""
    if not boxes:
        return None
    left, top = (min(box[k] for box in boxes) for k in (0, 1))
    right, lower = (max(box[k] for box in boxes) for k in (2, 3))
    return (
        int(left),
        int(top),
        min(side_px, -int(-right // 1)),
        min(side_px, -int(-lower // 1)),
    )


def _within(value: float, least: int, most: int) -> float:
    return min(max(value, float(least)), float(most))


def _box(row: dict[str, str], where: str) -> Box:
    try:
        left, top, right, lower = (float(row[name]) for name in COLUMNS[1:])
    except ValueError:
        raise UserError(f"{where}: x0, y0, x1 and y1 must be numbers of pixels") from None
    if not (left < right and top < lower):
        raise UserError(f"{where}: x0 must be left of x1, and y0 above y1")
    return left, top, right, lower
