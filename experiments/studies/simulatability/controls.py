"""What a case is answered with: buttons that keys press too, or the steps of a rating."""

from dataclasses import dataclass
from typing import Final

from PIL import ImageDraw

from experiments.screens.fitting import FittedText, Room, draw_fitted, fitted
from experiments.screens.look import Look
from experiments.screens.parts import Area, cap_size, draw_cap
from stimuli.errors import UserError

MARGIN: Final = 0.055
"""At the left and right of the screen, of its height, as all shares here."""
CONTROLS: Final = (0.851, 0.921)
SMALLEST: Final = 0.025
BUTTON: Final = 0.42
"""Width of a button at least."""
GAP: Final = 0.03
STEP_GAP: Final = 0.014
PAD: Final = 0.018

Scale = tuple[int, str, str]
"""Steps of a rating, from 1, with the words at both ends."""


@dataclass(frozen=True, slots=True)
class Button:
    """An answer: the key that chooses it, what that bears (empty for none), and its words."""

    key: str
    cap: str
    words: str


def button_areas(look: Look, buttons: tuple[Button, ...]) -> list[Area]:
    """Return where buttons of the same width lie: two on either side of the middle, or a row."""
    if not buttons:
        return []
    if len(buttons) > 2:
        return _row(look, len(buttons))
    top, bottom = (look.px(share) for share in CONTROLS)
    gap, centre = look.px(GAP), look.size_px[0] // 2
    most = centre - gap // 2 - look.px(MARGIN)
    font = look.font(look.body_px)
    wanted = max(
        font.getlength(button.words) + cap_size(look, button.cap, look.hint_px)[0]
        for button in buttons
    ) + 4 * look.px(PAD)  # fmt: skip
    width = min(most, max(look.px(BUTTON), round(wanted)))
    left = centre - gap // 2 - width
    right = centre + gap - gap // 2
    return [(left, top, left + width, bottom), (right, top, right + width, bottom)]


def _row(look: Look, count: int) -> list[Area]:
    """Return where many buttons lie, side by side across the screen."""
    top, bottom = (look.px(share) for share in CONTROLS)
    gap, margin = look.px(STEP_GAP), look.px(MARGIN)
    room = look.size_px[0] - 2 * margin + gap
    width = min(room // count, look.px(BUTTON)) - gap
    left = (look.size_px[0] - count * (width + gap) + gap) // 2
    starts = (left + number * (width + gap) for number in range(count))
    return [(start, top, start + width, bottom) for start in starts]


def button_words(look: Look, button: Button, area: Area) -> tuple[FittedText, int]:
    """Return a button's words, and the room that its key takes beside them.

    Raises
    ------
    UserError
        If they have no room, whatever their size.
    """
    cap = cap_size(look, button.cap, look.hint_px)[0] + look.px(PAD) if button.cap else 0
    room = area[2] - area[0] - cap - 2 * look.px(PAD)
    height, smallest = area[3] - area[1], look.px(SMALLEST)
    for size in range(look.body_px, smallest - 1, -1):
        font = look.font(size)
        whole = all(font.getlength(word) <= room for word in button.words.split())
        text = fitted(look, button.words, Room.of_size(room, size))
        if text.height_px <= height and (whole or size == smallest):
            return text, cap
    raise no_room(button.words)


def draw_button(look: Look, draw: ImageDraw.ImageDraw, button: Button, area: Area) -> None:
    """Draw a button: its key, and its words in the middle of what is left."""
    left, top, right, bottom = area
    _draw_box(look, draw, area)
    text, cap = button_words(look, button, area)
    if button.cap:
        high = cap_size(look, button.cap, look.hint_px)[1]
        at = left + look.px(PAD), (top + bottom - high) // 2
        draw_cap(look, draw, button.cap, at, look.hint_px)
    centre = (left + look.px(PAD) + cap + right - look.px(PAD)) / 2
    draw_fitted(look, draw, text, centre, (top + bottom) / 2, look.strong)


def _draw_box(look: Look, draw: ImageDraw.ImageDraw, area: Area) -> None:
    left, top, right, bottom = area
    draw.rounded_rectangle(
        (left, top, right - 1, bottom - 1),
        radius=look.px(0.012),
        outline=look.line,
        width=look.px(0.002),
    )


def step_areas(look: Look, steps: int) -> list[Area]:
    """Return where the steps of a rating lie: squares in a row."""
    top, bottom = (look.px(share) for share in CONTROLS)
    side, gap = bottom - top, look.px(STEP_GAP)
    left = (look.size_px[0] - steps * side - (steps - 1) * gap) // 2
    return [
        (left + step * (side + gap), top, left + step * (side + gap) + side, bottom)
        for step in range(steps)
    ]


def draw_scale(look: Look, draw: ImageDraw.ImageDraw, scale: Scale) -> None:
    """Draw the steps of a rating, with words at both ends."""
    steps, low, high = scale
    areas = step_areas(look, steps)
    font = look.font(look.body_px, "bold")
    for step, area in enumerate(areas, start=1):
        _draw_box(look, draw, area)
        at = (area[0] + area[2]) / 2, (area[1] + area[3]) / 2
        draw.text(at, str(step), fill=look.strong, font=font, anchor="mm")
    gap = look.px(GAP)
    room = Room(areas[0][0] - gap - look.px(MARGIN), 2, look.hint_px, look.px(SMALLEST))
    middle = (areas[0][1] + areas[0][3]) / 2
    for words, edge, side in ((low, areas[0][0] - gap, -1), (high, areas[-1][2] + gap, 1)):
        text = fitted(look, words, room)
        widest = max(text.font(look).getlength(line) for line in text.lines)
        draw_fitted(look, draw, text, edge + side * widest / 2, middle, look.text)


def no_room(text: str) -> UserError:
    """Return what is raised where a text has no room."""
    return UserError(
        f"“{text[:60]}” doesn't fit below a case on this screen: build the pack with a shorter text"
    )
