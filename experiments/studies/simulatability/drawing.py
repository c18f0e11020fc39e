"""Pieces as pixels."""

from collections.abc import Iterable

from PIL import ImageDraw

from experiments.engine.picture import Layers
from experiments.screens.look import Look
from experiments.studies.simulatability.pieces import Piece

BASELINE = 0.36
"""From the middle of a piece down to its letters' baseline, of their size."""
STRIKE = 0.29
"""From the baseline up to the line that crosses letters out."""
ROUND = 0.2
"""Radius of corners, of the letters' size."""


def piece_layers(look: Look, pieces: Iterable[Piece]) -> Layers:
    """Return what pieces look like on an empty screen."""
    canvas = look.canvas()
    draw = ImageDraw.Draw(canvas)
    for piece in pieces:
        _draw(look, draw, piece)
    return look.layers(canvas)


def _draw(look: Look, draw: ImageDraw.ImageDraw, piece: Piece) -> None:
    left, top, right, bottom = piece.area
    if piece.ground is not None or piece.outline is not None:
        corners = (piece.round_left, piece.round_right, piece.round_right, piece.round_left)
        draw.rounded_rectangle(
            (left, top, right - 1, bottom - 1),
            radius=round(ROUND * piece.size_px) if any(corners) else 0,
            fill=piece.ground,
            outline=piece.outline,
            width=max(1, look.px(0.0022)),
            corners=corners,
        )
    if not piece.text:
        return
    font = look.font(piece.size_px, piece.weight)
    start = left + (right - left - font.getlength(piece.text)) / 2
    baseline = (top + bottom) / 2 + BASELINE * piece.size_px
    draw.text((start, baseline), piece.text, fill=piece.colour, font=font, anchor="ls")
    if piece.struck:
        at = baseline - STRIKE * piece.size_px
        draw.line((left, at, right - 1, at), fill=look.text, width=max(1, look.px(0.0022)))
