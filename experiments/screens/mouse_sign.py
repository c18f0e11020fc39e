"""A drawn mouse, one of its two buttons or its wheel marked."""

from typing import Literal

from PIL import Image, ImageDraw

from experiments.screens.look import Look

SUPERSAMPLING = 4
NARROW = 0.68

MouseSide = Literal["left", "right", "wheel"]


def mouse_size(height_px: int) -> tuple[int, int]:
    """Return width and height of a drawn mouse."""
    return round(NARROW * height_px), height_px


def draw_mouse(
    look: Look, canvas: Image.Image, side: MouseSide, at: tuple[int, int], px: int
) -> None:
    """Draw a mouse `px` high, its top left corner at a place, its button or wheel filled."""
    width, height = (SUPERSAMPLING * length for length in mouse_size(px))
    line = SUPERSAMPLING * max(2, look.px(0.003))
    body = (line // 2, line // 2, width - 1 - line // 2, height - 1 - line // 2)
    radius = width // 2
    inside = Image.new("L", (width, height), 0)
    ImageDraw.Draw(inside).rounded_rectangle(body, radius=radius, fill=255)
    picture = Image.new("RGB", (width, height), look.background)
    picture.paste(look.surface, (0, 0), inside)
    middle, foot = width // 2, round(0.45 * height)
    if side != "wheel":
        button = (0, 0, middle, foot) if side == "left" else (middle, 0, width, foot)
        picture.paste(look.text, button, inside.crop(button))
    draw = ImageDraw.Draw(picture)
    draw.rounded_rectangle(body, radius=radius, outline=look.text, width=line)
    draw.line((middle, line, middle, foot), fill=look.text, width=line)
    draw.line((line, foot, width - line, foot), fill=look.text, width=line)
    if side == "wheel":
        box = (middle - 2 * line, foot // 4 + line, middle + 2 * line, foot - line)
        draw.rounded_rectangle(box, radius=2 * line, fill=look.text)
    canvas.paste(picture.resize(mouse_size(px), Image.Resampling.LANCZOS), at)
