"""Pictures for a new study: round and spiky shapes, drawn by number."""

import io
from typing import Final

import numpy as np
from PIL import Image, ImageDraw

SIDE_PX: Final = 256
FINE: Final = 4
"""Drawn so many times as large, for smooth edges."""
POINTS: Final = 720
GROUND, FIGURE = (64, 64, 64), (225, 225, 225)
KINDS: Final = ("round", "spiky")
EACH: Final = 4


def shape_files() -> dict[str, bytes]:
    """Return the pictures as PNG by path: four round and four spiky shapes."""
    return {
        f"pictures/{kind}{number}.png": _png(_radii(kind, number))
        for kind in KINDS
        for number in range(1, EACH + 1)
    }


def _radii(kind: str, number: int) -> np.ndarray:
    """Return (POINTS,) the shape's radius by angle, as a share of half the picture."""
    angle = np.linspace(0, 2 * np.pi, POINTS, endpoint=False)
    bumps = number + 4
    if kind == "round":
        return 0.68 + 0.14 * np.cos(bumps * angle)
    saw = np.abs((angle * (bumps + 3) / (2 * np.pi)) % 1 - 0.5) * 2
    return 0.3 + 0.55 * saw**2


def _png(radii: np.ndarray) -> bytes:
    fine = SIDE_PX * FINE
    angle = np.linspace(0, 2 * np.pi, POINTS, endpoint=False)
    x, y = (fine / 2 * (1 + radii * way) for way in (np.cos(angle), np.sin(angle)))
    picture = Image.new("RGB", (fine, fine), GROUND)
    ImageDraw.Draw(picture).polygon(list(zip(x.tolist(), y.tolist(), strict=True)), fill=FIGURE)
    data = io.BytesIO()
    picture.resize((SIDE_PX, SIDE_PX), Image.Resampling.LANCZOS).save(data, "PNG", optimize=True)
    return data.getvalue()
