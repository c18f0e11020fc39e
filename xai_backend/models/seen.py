"""What a network sees of photographs, in words, and in their own proportions."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from xai_backend.models.frame import InputFrame, Size

Plane = TypeVar("Plane", NDArray[np.uint8], NDArray[np.float32])


def seen_line(who: str, frame: InputFrame, sizes: Sequence[Size]) -> str:
    """Return a line that says how photographs are resized and how much of them is cut off.

    Parameters
    ----------
    who
        Who sees them.
    frame
        What is seen of a photograph.
    sizes
        Widths and heights of the photographs, pixels; one or more.
    """
    cut = [frame.cut_share(size) for size in sizes]
    most = f"{max(cut):.0%}"
    if not max(cut) > 0:
        lost = "Nothing is cut off"
    elif len(cut) == 1:
        lost = f"{most} of its area is cut off"
    else:
        lost = f"{np.mean(cut):.0%} of their area is cut off, {most} of one at most"
    return f"what {who} sees of photographs: {_resizing(frame)}. {lost}"


def cut_line(who: str, frame: InputFrame, sizes: Sequence[Size]) -> str | None:
    """Return `seen_line` if anything is cut off; None otherwise."""
    if not any(frame.cut_share(size) > 0 for size in sizes):
        return None
    return seen_line(who, frame, sizes)


def _resizing(frame: InputFrame) -> str:
    """Return how a photograph gets into a frame."""
    side, resized = f"{frame.crop_px} × {frame.crop_px} px", f"{frame.resize_px} px"
    first = {
        "crop": f"the shorter side is resized to {resized}",
        "pad": f"the longer side is resized to {resized}",
        "squash": f"they are squashed to {frame.resize_px} × {resized}",
    }[frame.fit]
    if frame.crop_px > frame.resize_px:
        return f"{first}, and a border makes them {side}"
    if frame.fit == "crop" or frame.crop_px < frame.resize_px:
        return f"{first}, and the central {side} are cut out"
    return f"{first}, and a border makes them {side}" if frame.fit == "pad" else first


def upright(plane: Plane, frame: InputFrame, size: Size) -> Plane:
    """Return what of a frame shows the photograph, in the photograph's proportions.

    Borders are cut off, and what was squashed is stretched again.

    Parameters
    ----------
    plane
        A picture, uint8 (crop_px, crop_px, 3), or a map, float32 (crop_px, crop_px).
    frame
        What it is framed by.
    size
        Width and height of the whole photograph, pixels.
    """
    at = frame.placed(size)
    left, top, right, lower = at.visible(frame.crop_px)
    part = plane[top:lower, left:right]
    if frame.fit != "squash":
        return part
    across, down = (old / new for old, new in zip(size, at.size, strict=True))
    scale = min(across, down)
    stretched = (round((right - left) * across / scale), round((lower - top) * down / scale))
    return np.asarray(Image.fromarray(part).resize(stretched, Image.Resampling.BILINEAR))
