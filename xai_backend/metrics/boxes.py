"""Where objects lie: boxes from a file, and in the crop that a network sees."""

from collections.abc import Collection, Sequence
from pathlib import Path, PurePosixPath

from stimuli.errors import UserError
from stimuli.images.sets import rows_of
from xai_backend.metrics.localisation import Box
from xai_backend.models.frame import InputFrame

COLUMNS = ("image", "x0", "y0", "x1", "y1")


def read_boxes(path: Path, items: Collection[str]) -> dict[str, list[Box]]:
    """Return objects' boxes by item, in pixels of the whole image; rows of others are left alone.

    Parameters
    ----------
    path
        A CSV ``image,x0,y0,x1,y1`` with a row an object: the image as in the set, or its
        file's name or stem where that is unique; left, top, right and lower edge.
    items
        The set's images.

    Raises
    ------
    UserError
        If it can't be read, or a box is none.
    """
    by_name: dict[str, set[str]] = {}
    for item in items:
        whole = PurePosixPath(item)
        for name in {item, whole.name, whole.stem}:
            by_name.setdefault(name, set()).add(item)
    found: dict[str, list[Box]] = {}
    for number, row in enumerate(rows_of(path, COLUMNS), start=2):
        own = by_name.get(row["image"].replace("\\", "/"), set())
        if len(own) == 1:
            found.setdefault(min(own), []).append(_box(row, f"{path}, line {number}"))
    return found


def cropped(box: Box, size: tuple[int, int], frame: InputFrame) -> Box | None:
    """Return a box of the whole image in a network's crop of it; None where it lies outside.

    Parameters
    ----------
    box
        Left, top, right and lower edge, pixels.
    size
        The whole image's width and height, pixels.
    frame
        What the network sees.
    """
    shorter = min(size)
    scaled = [max(1, int(frame.resize_px * side / shorter)) for side in size]
    corner = [round((side - frame.crop_px) / 2.0) for side in scaled]
    ratios = [new / old for new, old in zip(scaled, size, strict=True)]
    edges = [
        min(max(value * ratios[k % 2] - corner[k % 2], 0.0), float(frame.crop_px))
        for k, value in enumerate(box)
    ]
    left, top, right, lower = edges
    return (left, top, right, lower) if left < right and top < lower else None


def hull(boxes: Sequence[Box], side_px: int) -> tuple[int, int, int, int] | None:
    """Return the smallest box of whole pixels that holds all boxes; None without any."""
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


def _box(row: dict[str, str], where: str) -> Box:
    try:
        left, top, right, lower = (float(row[name]) for name in COLUMNS[1:])
    except ValueError:
        raise UserError(f"{where}: x0, y0, x1 and y1 must be numbers of pixels") from None
    if not (left < right and top < lower):
        raise UserError(f"{where}: x0 must be left of x1, and y0 above y1")
    return left, top, right, lower
