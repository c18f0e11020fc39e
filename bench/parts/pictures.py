"""Plates to look at: as normals see them, and as simulations of deficient eyes show them."""

import warnings
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from bench.book import Effort, Measured, Part
from bench.eyes.deficiency import simulate_dichromat, simulate_machado
from stimuli.colour.spaces import AXES, Axis
from stimuli.errors import UserError
from stimuli.images.digits import Digits, load_digits
from stimuli.io.canonical import seed_of
from stimuli.plates.masks import digit_mask
from stimuli.plates.plate import make_plate
from stimuli.plates.render import render
from stimuli.plates.spec import spec_for_axis
from tests.stimuli.plates.contrasts import DEFAULT_CONTRAST, contrast_ladder

Picture = NDArray[np.uint8]

GROUND = (30, 30, 30)
INK = (205, 205, 205)
GAP_PX, HEAD_PX, SIDE_PX = 10, 30, 104
COLOURS = 256
"""Colours that a picture is reduced to, to keep it small."""


def measure(effort: Effort) -> Measured:
    """Draw the pictures."""
    digits, name = _digits()
    drawn = {
        "digits.png": _digits_sheet(digits),
        "views.png": _views_sheet(digits),
        "ladder.png": _ladder_sheet(digits),
    }
    sizes = {}
    for file, picture in drawn.items():
        path = effort.picture(file)
        # k-means: cutting the colour cube alone turns faint colours grey.
        small = picture.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, kmeans=3, dither=0)
        small.save(path, optimize=True)
        sizes[file] = path.stat().st_size
    contrasts = ", ".join(f"{axis} {DEFAULT_CONTRAST[axis]:.3f}" for axis in AXES)
    text = "\n\n".join(
        [
            f"Digits of {name}'s held-out images at each axis's default contrast ({contrasts}). "
            "Tritan plates are on a grey base, because the base colour of the others has too "
            "little S excitation to modulate.",
            effort.shown("digits.png", "Plates of five digits on three axes"),
            "Plates as simulated eyes see them: anomalous trichromats of severity .5 and .8 "
            "(Machado, "
            "Oliveira & Fernandes 2009; a rough shift for tritanomaly) and the dichromat (Brettel, "
            "Viénot & Mollon 1997) of the plate's own axis. A simulation shows a viewer with "
            "normal vision roughly what remains visible. Model observers measure below what an "
            "eye can read.",
            effort.shown("views.png", "Plates as normals and as simulated deficient eyes see them"),
            "The contrast ladder, lowest rung on the left (Δu′v′ above each column).",
            effort.shown("ladder.png", "One digit on every rung of the ladder, on three axes"),
            f"These pictures are reduced to {COLOURS} colours for the page; "
            "`python3 lab.py plates` writes them as they are.",
        ]
    )
    return Measured(text, {"bytes": sizes, "digits": name})


def _digits() -> tuple[Digits, str]:
    try:
        return load_digits("mnist"), "MNIST"
    except UserError:
        return load_digits("uci"), "UCI"


def _held_out(digits: Digits, label: int, nth: int = 0) -> NDArray[np.float32]:
    indices = digits.held_out_indices
    return digits.images[indices[np.flatnonzero(digits.labels[indices] == label)[nth]]]


def _plate(digits: Digits, label: int, axis: Axis, contrast: float, size_px: int) -> Picture:
    spec = spec_for_axis(axis)
    seed = seed_of("picture", label, axis)
    plate = make_plate(digit_mask(_held_out(digits, label), spec), seed, seed, spec)
    return render(plate, axis, contrast, size_px, spec=spec)


def _digits_sheet(digits: Digits) -> Image.Image:
    shown = (2, 3, 5, 6, 8)
    rows = [
        [_plate(digits, label, axis, DEFAULT_CONTRAST[axis], 220) for label in shown]
        for axis in AXES
    ]
    return _sheet(rows, list(AXES), [])


def _views_sheet(digits: Digits) -> Image.Image:
    heads = ("normal", "anomalous, .5", "anomalous, .8", "dichromat")
    rows = []
    for label, axis in zip((5, 3, 6), AXES, strict=True):
        seen = _plate(digits, label, axis, DEFAULT_CONTRAST[axis], 240)
        rows.append([view(seen) for view in _views(axis)])
    return _sheet(rows, list(AXES), heads)


def _views(axis: Axis) -> tuple[Callable[[Picture], Picture], ...]:
    return (
        lambda seen: seen,
        lambda seen: _anomalous(seen, axis, 0.5),
        lambda seen: _anomalous(seen, axis, 0.8),
        lambda seen: simulate_dichromat(seen, axis),
    )


def _anomalous(seen: Picture, axis: Axis, severity: float) -> Picture:
    with warnings.catch_warnings():
        # colour-science warns of tritanomaly; the page says it too.
        warnings.simplefilter("ignore")
        return simulate_machado(seen, axis, severity)


def _ladder_sheet(digits: Digits) -> Image.Image:
    rungs = contrast_ladder()
    rows = [[_plate(digits, 2, axis, contrast, 140) for contrast in rungs] for axis in AXES]
    return _sheet(rows, list(AXES), [f"{contrast:.4f}" for contrast in rungs])


def _sheet(
    rows: Sequence[Sequence[Picture]], sides: Sequence[str], heads: Sequence[str]
) -> Image.Image:
    """Set plates in rows, with words on the left and above."""
    size = rows[0][0].shape[0]
    step = size + GAP_PX
    top = HEAD_PX if heads else GAP_PX
    width = SIDE_PX + step * len(rows[0])
    sheet = Image.new("RGB", (width, top + step * len(rows)), GROUND)
    draw = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(size=16)
    for k, row in enumerate(rows):
        y = top + k * step
        draw.text((SIDE_PX - 16, y + size / 2), sides[k], INK, font, anchor="rm")
        for j, picture in enumerate(row):
            sheet.paste(Image.fromarray(picture), (SIDE_PX + j * step, y))
    for j, head in enumerate(heads):
        draw.text((SIDE_PX + j * step + size / 2, top / 2), head, INK, font, anchor="mm")
    return sheet


PARTS = (Part("pictures", "Plates to look at", measure),)
