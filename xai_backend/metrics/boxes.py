"""Where objects lie: boxes from a file, and in the frame that a network sees."""

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
    """Return a box of the whole image in a network's frame; None where it lies outside.

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
