"""The layout of a judgement's screen: words above, image or text, help, keys below.

It also determines whether a help's caption has room, and how large its letters are. On a practice
screen, notes explain each part.
"""

from dataclasses import dataclass, replace
from typing import Final, Literal

from PIL import ImageDraw

from experiments.engine.picture import Layers
from experiments.screens import headed
from experiments.screens.fitting import FittedText, Room, draw_fitted, fitted
from experiments.screens.look import Look
from experiments.screens.parts import Area
from stimuli.studies.human_ai_team.protocol import HelpKind

SIDE_MARGIN: Final = 0.04
GAP: Final = 0.06
"""Gap between the image and its help."""
EXAMPLE_GAP: Final = 0.02
LARGEST_EXAMPLE: Final = 0.36
SCALE_GAP, SCALE_WIDTH, SCALE_NUMBERS = 0.022, 0.022, 0.06
TEXT_WIDTH: Final = 1.15
"""Width of a help in words, as a multiple of the image's side."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Tops and bottoms of rows, as shares of the screen's height.

    Attributes
    ----------
    heading
        The statement about the image, and the question.
    note
        Notes on the heading; empty for none.
    caption_top
        Top of the help's caption, which ends at the image.
    image
        Image and help.
    notes_bottom
        Bottom of the notes on image and help, which begin below these.
    keys_top
        Top of the keys' hints.
    """

    heading: tuple[float, float]
    note: tuple[float, float]
    caption_top: float
    image: tuple[float, float]
    notes_bottom: float
    keys_top: float


PLAIN: Final = Rows((0.045, 0.175), (0.175, 0.175), 0.18, (0.235, 0.805), 0.805, 0.855)
ANNOTATED: Final = Rows((0.035, 0.16), (0.16, 0.225), 0.232, (0.29, 0.71), 0.85, 0.875)
PLAIN_TEXTS: Final = Rows(
    headed.HEADING_ROW, (0.175, 0.175), 0.18, headed.PANEL_ROW, headed.PANEL_ROW[1], headed.KEYS_TOP
)
ANNOTATED_TEXTS: Final = Rows((0.035, 0.15), (0.15, 0.21), 0.212, (0.265, 0.765), 0.87, 0.875)
"""A text needs more room than an image, and its notes need less, being as wide as the text."""


@dataclass(frozen=True, slots=True)
class HelpWanted:
    """The help for which places are needed.

    Attributes
    ----------
    kind
        Kind of the help.
    examples
        Number of examples, if they are the help.
    wide
        Whether it takes all the room beside the image: a text that may be long.
    of_texts
        Whether texts are judged instead of images.
    """

    kind: HelpKind
    examples: int = 0
    wide: bool = False
    of_texts: bool = False


@dataclass(frozen=True, slots=True)
class Places:
    """The places of a screen, mirrored if lines begin on the right.

    Attributes
    ----------
    rows
        Rows of the screen, from top to bottom.
    heading, note
        The statement about the image and the question; notes on them.
    image
        A square, or the panel of a text; the same in all arms.
    help
        The help beside the image, vertically centred on it: a heatmap, a row of examples or a
        text. None without help; the image is then in the middle.
    parts
        The pictures of the help, squares: the heatmap, or the examples.
    scale
        The bar from 1 to 0 beside a heatmap, without its numbers.
    keys
        The keys' hints.
    """

    rows: Rows
    heading: Area
    note: Area
    image: Area
    help: Area | None
    parts: tuple[Area, ...]
    scale: Area | None
    keys: headed.KeyPlaces

    @classmethod
    def of(
        cls,
        look: Look,
        wanted_px: int,
        request: HelpWanted,
        *,
        annotated: bool,
    ) -> "Places":
        """Return the places.

        Parameters
        ----------
        look
            Look of the screens.
        wanted_px
            Side of the image, if there is room for it. It is the same for every kind of help.
        request
            The help.
        annotated
            Whether notes explain the parts; image and help are smaller then.
        """
        if request.of_texts:
            return cls._of_texts(look, request, annotated=annotated)
        kind, examples = request.kind, request.examples
        width, height = look.size_px
        rows = ANNOTATED if annotated else PLAIN
        top, bottom = (round(share * height) for share in rows.image)
        side = min(wanted_px, bottom - top, _widest(look))
        side -= side % 2
        top += (bottom - top - side) // 2
        help_width = _help_width(look, kind, side, examples)
        if request.wide:
            help_width = _beside(look, side)
        left = (width - side - (look.px(GAP) + help_width if help_width else 0)) // 2
        image = (left, top, left + side, top + side)
        beside = left + side + look.px(GAP)
        parts = _parts(look, kind, image, beside, examples)
        places = cls(
            rows=rows,
            heading=headed.across(look, rows.heading),
            note=headed.across(look, rows.note),
            image=image,
            help=_around(kind, image, beside, help_width, parts),
            parts=parts,
            scale=_scale(look, parts[0]) if kind == "heatmap" else None,
            keys=headed.KeyPlaces.of(look, rows.keys_top),
        )
        return places._mirrored(width) if look.right_to_left else places

    @classmethod
    def _of_texts(cls, look: Look, request: HelpWanted, *, annotated: bool) -> "Places":
        """Return two panels side by side, or one in the middle without help."""
        width, height = look.size_px
        rows = ANNOTATED_TEXTS if annotated else PLAIN_TEXTS
        top, bottom = (round(share * height) for share in rows.image)
        gap = look.px(GAP)
        panel = (width - 2 * look.px(SIDE_MARGIN) - gap) // 2
        helped = request.kind != "none"
        left = look.px(SIDE_MARGIN) if helped else (width - panel) // 2
        beside = left + panel + gap
        places = cls(
            rows=rows,
            heading=headed.across(look, rows.heading),
            note=headed.across(look, rows.note),
            image=(left, top, left + panel, bottom),
            help=(beside, top, beside + panel, bottom) if helped else None,
            parts=(),
            scale=None,
            keys=headed.KeyPlaces.of(look, rows.keys_top),
        )
        return places._mirrored(width) if look.right_to_left else places

    def _mirrored(self, width_px: int) -> "Places":
        return replace(
            self,
            image=_turned(self.image, width_px),
            help=None if self.help is None else _turned(self.help, width_px),
            parts=tuple(_turned(part, width_px) for part in self.parts),
            scale=None if self.scale is None else _turned(self.scale, width_px),
        )


def _widest(look: Look) -> int:
    """Return the side of the largest image that leaves room for its heatmap and the scale."""
    room = look.size_px[0] - 2 * look.px(SIDE_MARGIN) - look.px(GAP) - _scale_width(look)
    return room // 2


def _scale_width(look: Look) -> int:
    return look.px(SCALE_GAP) + look.px(SCALE_WIDTH) + look.px(SCALE_NUMBERS)


def _help_width(look: Look, kind: HelpKind, side_px: int, examples: int) -> int:
    if kind == "heatmap":
        return side_px + _scale_width(look)
    if kind == "examples":
        return examples * _example(look, side_px, examples) + (examples - 1) * look.px(EXAMPLE_GAP)
    return min(round(TEXT_WIDTH * side_px), _beside(look, side_px)) if kind == "text" else 0


def _beside(look: Look, side_px: int) -> int:
    return look.size_px[0] - 2 * look.px(SIDE_MARGIN) - side_px - look.px(GAP)


def _example(look: Look, side_px: int, examples: int) -> int:
    room = (_beside(look, side_px) - (examples - 1) * look.px(EXAMPLE_GAP)) // examples
    return min(side_px, look.px(LARGEST_EXAMPLE), room) // 2 * 2


def _parts(look: Look, kind: HelpKind, image: Area, left: int, examples: int) -> tuple[Area, ...]:
    side = image[3] - image[1]
    if kind == "heatmap":
        return ((left, image[1], left + side, image[3]),)
    if kind != "examples":
        return ()
    example_px = _example(look, side, examples)
    top, step = (image[1] + image[3] - example_px) // 2, example_px + look.px(EXAMPLE_GAP)
    lefts = (left + number * step for number in range(examples))
    return tuple((at, top, at + example_px, top + example_px) for at in lefts)


def _around(
    kind: HelpKind, image: Area, left: int, width: int, parts: tuple[Area, ...]
) -> Area | None:
    """Return the area of the whole help: as high as its pictures, or as the image."""
    if kind == "none":
        return None
    top, bottom = (parts[0] if parts else image)[1::2]
    return left, top, left + width, bottom


def _scale(look: Look, heatmap: Area) -> Area:
    left = heatmap[2] + look.px(SCALE_GAP)
    return left, heatmap[1], left + look.px(SCALE_WIDTH), heatmap[3]


def _turned(area: Area, width_px: int) -> Area:
    return width_px - area[2], area[1], width_px - area[0], area[3]


CAPTION_GAP: Final = 0.016


def caption_fitted(look: Look, places: Places, caption: str) -> FittedText:
    """Fit the caption above a help; UserError if it doesn't fit at any size."""
    assert places.help is not None
    left, top, right, _ = places.help
    text = fitted(look, caption, Room(right - left, 1, look.hint_px, look.px(headed.SMALLEST)))
    room = top - look.px(CAPTION_GAP) - look.px(places.rows.caption_top)
    if text.height_px > max(room, text.pitch_px):
        raise headed.no_room(caption, "above the help")
    return text


MOST_LINES: Final = 3
PAD: Final = 0.010
PAD_ASIDE: Final = 0.016
POINTER: Final = 0.012
SPREAD: Final = 0.02
"""How much wider than its part a note may be, on either side."""

Points = Literal["up", "sides"]


@dataclass(frozen=True, slots=True)
class Notes:
    """Notes on the parts of a screen; empty ones are left out.

    Attributes
    ----------
    heading, image, help, keys
        Notes on the heading, the image, the help and the keys.
    """

    heading: str = ""
    image: str = ""
    help: str = ""
    keys: str = ""


def notes_layers(look: Look, places: Places, notes: Notes) -> Layers:
    """Return all notes, each at its part."""
    layers: list = []
    if notes.heading:
        layers += note_layers(look, notes.heading, places.note, 1)
    for words, part in ((notes.image, places.image), (notes.help, places.help)):
        if words and part is not None:
            layers += note_layers(look, words, _below(look, places, part))
    if notes.keys:
        layers += note_layers(look, notes.keys, places.keys.between(look), 2, "sides")
    return tuple(layers)


def _below(look: Look, places: Places, part: Area) -> Area:
    spread = look.px(SPREAD)
    top = places.image[3]
    return part[0] - spread, top, part[2] + spread, look.px(places.rows.notes_bottom)


def note_layers(
    look: Look, words: str, room: Area, lines: int = MOST_LINES, points: Points = "up"
) -> Layers:
    """Return a box with words at the top of its room, and tips that point to its part.

    Parameters
    ----------
    look, words
        Look of the screens, and the words.
    room
        Room for the box, which is as narrow as its words, in the middle.
    lines
        Largest number of lines.
    points
        Whether its part is above, or parts are on both sides.
    """
    pointer = look.px(POINTER)
    inside = room[2] - room[0] - 2 * look.px(PAD_ASIDE) - (2 * pointer if points == "sides" else 0)
    text = fitted(look, words, Room(inside, lines, look.hint_px, look.px(headed.SMALLEST)))
    box = _box(look, text, room, points)
    canvas, draw = look.drawing()
    draw.rounded_rectangle(
        box, radius=look.px(0.008), fill=look.surface, outline=look.line, width=look.px(0.0015)
    )
    left, top, right, bottom = box
    centre, middle = (left + right) / 2, (top + bottom) / 2
    if points == "up":
        _triangle(draw, look, (centre, top), (0, -pointer))
    else:
        _triangle(draw, look, (left, middle), (-pointer, 0))
        _triangle(draw, look, (right, middle), (pointer, 0))
    draw_fitted(look, draw, text, centre, middle, look.text)
    return look.layers(canvas)


def _box(look: Look, text: FittedText, room: Area, points: Points) -> tuple[float, ...]:
    wide = max(text.font(look).getlength(line) for line in text.lines)
    wide += 2 * look.px(PAD_ASIDE)
    centre = (room[0] + room[2]) / 2
    top = room[1] + (look.px(POINTER) + look.px(0.006) if points == "up" else 0)
    return centre - wide / 2, top, centre + wide / 2, top + text.height_px + look.px(PAD)


def _triangle(
    draw: ImageDraw.ImageDraw, look: Look, at: tuple[float, float], to: tuple[float, float]
) -> None:
    """Draw a tip that points outwards from a box's side."""
    (x, y), (right, down) = at, to
    base = ((x - down, y - right), (x + down, y + right))
    draw.polygon((*base, (x + right, y + down)), fill=look.line)
