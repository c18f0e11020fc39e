"""The foot of a screen: the question, the answers, and how pages are turned.

An item is answered with buttons, which keys press too, or with the steps of a rating.
"""

from dataclasses import dataclass
from typing import Final, Literal

from PIL import ImageDraw

from experiments.engine.picture import Layers
from experiments.screens.fitting import FittedText, Room, draw_fitted, fitted
from experiments.screens.look import Look
from experiments.screens.parts import Area, Hint, cap_size, draw_cap, draw_hint, hint_width
from participants.texts import Words
from stimuli.errors import UserError

MARGIN: Final = 0.055
"""Left and right margin, as a share of the screen's height, like all shares here."""
CONTROLS: Final = (0.851, 0.921)
SMALLEST: Final = 0.025
BUTTON: Final = 0.42
"""Least width of a button."""
GAP: Final = 0.03
STEP_GAP: Final = 0.014
PAD: Final = 0.018

Scale = tuple[int, str, str]
"""Steps of a rating, from 1, with the words at both ends."""


@dataclass(frozen=True, slots=True)
class Button:
    """An answer: the key that chooses it, the key's label (empty for none), and its words."""

    key: str
    cap: str
    words: str


def button_areas(look: Look, buttons: tuple[Button, ...]) -> list[Area]:
    """Return the areas of buttons of equal width: two on both sides of the middle, or a row."""
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
    """Return the areas of many buttons, side by side across the screen."""
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
        If they don't fit at any size.
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
    """Return the areas of the steps of a rating: squares in a row."""
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
    """Return the error for a text that doesn't fit."""
    return UserError(
        f"“{text[:60]}” doesn't fit below an item on this screen: build the pack with a shorter "
        "text"
    )


BODY_TOP: Final = 0.05
BODY_BOTTOM: Final = {"ask": 0.775, "read": 0.9}
"""Bottom of a case, by whether there is a question below; shares of the screen's height."""
QUESTION: Final = 0.815
TURNING: Final = 0.953
"""Middle of the row in which pages are turned."""
LARGEST_QUESTION: Final = 0.034
ARROWS: Final = 0.17
"""Distance from the middle to an arrow."""
BACK, NEXT, ON = "pageup", "pagedown", "space"
"""Keys for clicks on the arrows, and on the hint for going on."""

Kind = Literal["ask", "read"]


@dataclass(frozen=True, slots=True)
class Foot:
    """The part of the screen below a case.

    Attributes
    ----------
    question
        The question; empty while an example is looked at.
    buttons
        The answers from left to right; empty for a rating and an example.
    scale
        Steps of a rating, from 1, with the words at both ends; None for no rating.
    aside
        Hint on a key that leads elsewhere; None for none.
    """

    question: str = ""
    buttons: tuple[Button, ...] = ()
    scale: Scale | None = None
    aside: Button | None = None

    @property
    def kind(self) -> Kind:
        """``ask`` if there is a question, else ``read``."""
        return "ask" if self.question else "read"

    @property
    def leads_on(self) -> bool:
        """Whether a key goes on to the next task: from an example that is a task itself."""
        return not (self.question or self.buttons or self.scale or self.aside)


@dataclass(frozen=True, slots=True)
class Place:
    """Number of the page from 0, and of pages; whether all were seen, so that it can be answered.

    Attributes
    ----------
    label
        Text for the position, if it isn't the page's number.
    """

    page: int
    pages: int
    ready: bool = True
    label: str = ""


def body_area(look: Look, kind: Kind) -> Area:
    """Return the room for a case."""
    margin = look.px(MARGIN)
    return margin, look.px(BODY_TOP), look.size_px[0] - margin, look.px(BODY_BOTTOM[kind])


def foot_layers(look: Look, words: Words, foot: Foot, place: Place) -> Layers:
    """Return the foot; the answers appear with the last page.

    Raises
    ------
    UserError
        If the words of a question or an answer don't fit.
    """
    canvas, draw = look.drawing()
    centre = look.size_px[0] / 2
    middle = look.px(sum(CONTROLS) / 2)
    if foot.question:
        text = _question(look, foot.question)
        draw_fitted(look, draw, text, centre, look.px(QUESTION), look.strong)
    if not place.ready:
        at = (centre, middle if foot.question else look.px(TURNING))
        if foot.question:
            font = look.font(look.hint_px)
            draw.text(at, words["turn_pages"], fill=look.text, font=font, anchor="mm")
    elif foot.scale is not None:
        draw_scale(look, draw, foot.scale)
    else:
        for button, area in zip(foot.buttons, button_areas(look, foot.buttons), strict=True):
            draw_button(look, draw, button, area)
    _draw_turning(look, draw, words, foot, place)
    return look.layers(canvas)


def foot_areas(look: Look, words: Words, foot: Foot, pages: int) -> dict[str, Area]:
    """Return the areas in which a click stands for a key, by the key; the same on all pages."""
    areas: dict[str, Area] = {}
    if foot.scale is not None:
        steps = step_areas(look, foot.scale[0])
        areas |= {str(step): area for step, area in enumerate(steps, start=1)}
    buttons = zip(foot.buttons, button_areas(look, foot.buttons), strict=True)
    areas |= {button.key: area for button, area in buttons}
    if pages > 1:
        areas |= dict(zip((BACK, NEXT), _arrow_areas(look, words), strict=True))
    if foot.leads_on:
        areas[ON] = _hint_area(look, _on(words), _right(look, _on(words)))
    if foot.aside is not None:
        areas[foot.aside.key] = _hint_area(look, _aside(foot.aside), look.px(MARGIN))
    return areas


def check_foot(look: Look, foot: Foot) -> None:
    """Refuse a foot whose words don't fit (UserError)."""
    if foot.question:
        _question(look, foot.question)
    for button, area in zip(foot.buttons, button_areas(look, foot.buttons), strict=True):
        button_words(look, button, area)


def _question(look: Look, question: str) -> FittedText:
    width = look.size_px[0] - 2 * look.px(MARGIN)
    room = Room(width, 1, look.px(LARGEST_QUESTION), look.px(SMALLEST))
    text = fitted(look, question, room, "bold")
    if text.height_px > look.px(CONTROLS[0]) - look.px(BODY_BOTTOM["ask"]):
        raise no_room(question)
    return text


def _draw_turning(
    look: Look, draw: ImageDraw.ImageDraw, words: Words, foot: Foot, place: Place
) -> None:
    """Draw the row for turning pages, and the hints on other keys."""
    middle = look.px(TURNING)
    font = look.font(look.hint_px)
    if place.pages > 1:
        arrows = zip((BACK, NEXT), _arrow_areas(look, words), strict=True)
        turnable = {BACK: place.page > 0, NEXT: place.page < place.pages - 1}
        for name, (left, top, _, _) in arrows:
            if turnable[name]:
                wanted = name == NEXT and not place.ready
                arrow = _arrow(words, name)
                draw_cap(look, draw, arrow, (left, top), look.hint_px, chosen=wanted)
    label = place.label or (_page_of(words, place.page, place.pages) if place.pages > 1 else "")
    draw.text((look.size_px[0] / 2, middle), label, fill=look.quiet, font=font, anchor="mm")
    if foot.leads_on and place.ready:
        draw_hint(look, draw, _on(words), _right(look, _on(words)), middle)
    if foot.aside is not None and place.ready:
        draw_hint(look, draw, _aside(foot.aside), look.px(MARGIN), middle, quiet=True)


def _arrow_areas(look: Look, words: Words) -> tuple[Area, Area]:
    """Return the areas of the arrows, on both sides of the words between them."""
    middle, centre, away = look.px(TURNING), look.size_px[0] // 2, look.px(ARROWS)
    areas = []
    for name in (BACK, NEXT):
        width, height = cap_size(look, _arrow(words, name), look.hint_px)
        left = centre - away - width if name == BACK else centre + away
        top = middle - height // 2
        areas.append((left, top, left + width, top + height))
    return areas[0], areas[1]


def _arrow(words: Words, name: str) -> str:
    return words.cap("left" if name == BACK else "right")


def _page_of(words: Words, page: int, pages: int) -> str:
    return words.filled("page_of", page=str(page + 1), pages=str(pages))


def _on(words: Words) -> Hint:
    return Hint((words.cap(ON),), words["continue"])


def _aside(button: Button) -> Hint:
    return Hint((button.cap,), button.words)


def _right(look: Look, hint: Hint) -> int:
    """Return the left edge of a hint that ends at the right margin."""
    return look.size_px[0] - look.px(MARGIN) - hint_width(look, hint)


def _hint_area(look: Look, hint: Hint, left_px: int) -> Area:
    width, height = hint_width(look, hint), cap_size(look, "", look.hint_px)[1]
    top = look.px(TURNING) - height // 2
    return left_px, top, left_px + width, top + height
