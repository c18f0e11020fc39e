"""Short notices: whether a decision was right."""

from PIL import ImageDraw

from experiments.engine.picture import Layer
from experiments.screens.look import Look

RIGHT, WRONG, LATE = "✓", "✗", "…"


def feedback_layers(look: Look, sign: str, words: str) -> tuple[Layer, ...]:
    """Return a sign and a few words in the middle; signs differ by shape, not by colour."""
    canvas = look.canvas()
    draw = ImageDraw.Draw(canvas)
    middle = round(0.465 * look.size_px[1])
    radius = look.px(0.055)
    centre = look.size_px[0] // 2
    box = (centre - radius, middle - 2 * radius, centre + radius, middle)
    draw.ellipse(box, outline=look.text, width=look.px(0.004))
    font = look.font(look.px(0.065), "bold")
    draw.text((centre, middle - radius), sign, fill=look.strong, font=font, anchor="mm")
    at = (centre, middle + look.px(0.06))
    draw.text(at, words, fill=look.text, font=look.font(look.body_px), anchor="mm")
    return look.layers(canvas)
