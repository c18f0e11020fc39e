"""The screens of a session's cases: how they are drawn, turned, answered and clicked.

A screen's leaves are the pages of a case and the examples that can be looked at again. A case can
be answered once all of its pages were seen: an answer before the last page would tell what somebody
thinks without the explanation. From then on people can turn back, and answer on any page.

Examples, ratings and predictions all wait for a choice among keys.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Final

import numpy as np
from PIL import ImageDraw

from experiments.engine.picture import Layers
from experiments.engine.window import Rgb
from experiments.pages.settings import (
    LARGEST_STIMULUS_SHARE,
    Painter,
    ScreenSettings,
    display_codes,
)
from experiments.screens.foot import (
    BACK,
    NEXT,
    ON,
    Button,
    Foot,
    Place,
    body_area,
    check_foot,
    foot_areas,
    foot_layers,
)
from experiments.screens.look import Look
from experiments.screens.parts import Area
from experiments.studies.simulatability.layout import case_pages
from experiments.studies.simulatability.pieces import Palette, Piece, Pieces, Type
from experiments.studies.simulatability.worded_case import WordedCase
from participants.session import TimedChoice
from participants.studies.simulatability.trial import RATING_STEPS, Learn, Predict, Rate
from stimuli.devices import is_pointing
from stimuli.studies.simulatability.protocol import Simulatability
from stimuli.studies.simulatability.stimulus import CaseStimulus

SMALLEST, USUAL, LARGEST = 0.025, 0.0255, 0.042
"""Sizes of letters, as shares of the screen's height; usual if the screen's size is unknown."""
LINE: Final = 1.164
"""Height of a line of the typeface without leading, as a share of its letters' size."""


class CasePainter(Painter[Simulatability]):
    """Knows how large a pack's text is on a display, and its colours."""

    @property
    def size_deg(self) -> float:
        """Size of the letters in degrees of visual angle."""
        return self.protocol.look.text_deg / LINE

    def side_px(self, wanted_px: float, most_px: float) -> int:
        """Return the size of the letters, between what can be read and what leaves room."""
        height = most_px / LARGEST_STIMULUS_SHARE
        if wanted_px > most_px / 2:
            # Letters can't be that large: the display wasn't measured.
            return round(USUAL * height)
        return round(min(max(wanted_px, SMALLEST * height), LARGEST * height))

    def palette(self) -> Palette:
        """Return the colours of weights."""
        plain = Palette()
        return Palette(
            self._codes(plain.positive),
            self._codes(plain.negative),
            self._codes(plain.positive_bar),
            self._codes(plain.negative_bar),
        )

    def _codes(self, colour: Rgb) -> Rgb:
        pixel = np.array(colour, dtype=np.uint8).reshape(1, 1, 3)
        red, green, blue = (int(code) for code in display_codes(pixel, self.display)[0, 0])
        return red, green, blue


FORWARD: Final = (NEXT, "right")
BACKWARD: Final = (BACK, "left")
"""Keys that turn pages; if a mouse answers, the words left and right mean its buttons."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A page and its position.

    Attributes
    ----------
    pieces
        Pieces of the case or of an example.
    place
        The position, for the foot.
    at_hand
        Whether it belongs to the examples that can be looked at again.
    """

    pieces: Pieces
    place: Place
    at_hand: bool = False

    @property
    def name(self) -> str:
        """The page's name in the journal."""
        return f"{'examples_' if self.at_hand else ''}page_{self.place.page + 1}"


@dataclass(frozen=True, slots=True)
class Deck:
    """Pages, how keys turn them, and on which an answer counts; see `engine.present.Leaves`."""

    leaves: tuple[Leaf, ...]
    turns: Mapping[tuple[int, str], int]
    answered: frozenset[int]


@dataclass(frozen=True, slots=True)
class AtHand:
    """The examples that can be looked at again, page by page, and the key for that."""

    leaves: tuple[Leaf, ...] = ()
    key: str = ""


def deck_of(pages: Sequence[Pieces], at_hand: AtHand = AtHand(), *, arrows: bool = True) -> Deck:
    """Return the leaves of a case.

    Parameters
    ----------
    pages
        Pages of the case.
    at_hand
        Examples that can be looked at again.
    arrows
        Whether the arrow keys turn pages too.
    """
    count = len(pages)
    places = [Place(page, count, ready=False) for page in range(count - 1)]
    places += [Place(page, count) for page in range(count)]
    case = [Leaf(pages[place.page], place) for place in places]
    first, examples = count - 1, len(case)
    turns = _Turns(arrows=arrows)
    turns.through(range(first), ends_at=len(case) - 1)
    turns.through(range(first, examples))
    turns.through(range(examples, examples + len(at_hand.leaves)))
    if at_hand.leaves:
        turns.by(at_hand.key, range(first, examples), examples)
        turns.by(at_hand.key, range(examples, examples + len(at_hand.leaves)), first)
    leaves = (*case, *at_hand.leaves)
    return Deck(leaves, turns.leaf_by_key, frozenset(range(first, examples)))


@dataclass
class _Turns:
    """Collects the leaf that each key brings."""

    arrows: bool
    leaf_by_key: dict[tuple[int, str], int] = field(default_factory=dict)

    def through(self, leaves: range, ends_at: int | None = None) -> None:
        """Turn from leaf to leaf, and optionally from the last of them to another leaf."""
        order = [*leaves, *([] if ends_at is None or not leaves else [ends_at])]
        usable = slice(None) if self.arrows else slice(1)
        for before, after in pairwise(order):
            onward = FORWARD[usable] if ends_at is None else (*FORWARD[usable], ON)
            self.leaf_by_key |= {(before, key): after for key in onward}
            if after in leaves:
                self.leaf_by_key |= {(after, key): before for key in BACKWARD[usable]}

    def by(self, key: str, leaves: range, to: int) -> None:
        """Turn from any of some leaves to another."""
        self.leaf_by_key |= {(leaf, key): to for leaf in leaves}


Task = Learn | Rate | Predict
UNTIL_A_PRESS_S: Final = 3600.0
"""A screen that waits for a press is redrawn after this time."""
SEEN: Final = "seen"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseChoice(TimedChoice):
    """A task on the screen.

    Attributes
    ----------
    about
        The task.
    unseen
        Number of pages to turn before it can be answered.
    """

    about: Task
    unseen: int = 0


def choice_of(task: Task, deck: Deck) -> CaseChoice:
    """Return a task as a choice among keys.

    An example and a rating are answered by the keyboard, or by clicks, in every session.
    """
    how: dict[str, Any] = {
        "device": "keyboard", "fixation_s": 0.0, "limit_s": UNTIL_A_PRESS_S,
    }  # fmt: skip
    if isinstance(task, Learn):
        how |= {"options": {ON: SEEN}, "limit_s": task.limit_s or UNTIL_A_PRESS_S}
    elif isinstance(task, Rate):
        how["options"] = {str(step): str(step) for step in range(1, RATING_STEPS + 1)}
    else:
        names = ("options", "device", "fixation_s", "limit_s", "exposure_s")
        how |= {name: getattr(task, name) for name in names}
        if len(task.options) > 2 and is_pointing(task.device):
            # Digits or clicks.
            how["device"] = "keyboard"
    common = ("step", "trial", "position", "presentation", "stimulus")
    how |= {name: getattr(task, name) for name in common}
    return CaseChoice(phase="main", about=task, unseen=min(deck.answered), **how)


SIDES: Final = ("left", "right")

BASELINE = 0.36
"""From the middle of a piece down to the baseline, as a share of the letters' size."""

STRIKE = 0.29
"""From the baseline up to the line that crosses out letters."""

ROUND = 0.2
"""Radius of corners, as a share of the letters' size."""


@dataclass(frozen=True)
class CaseScreens:
    """Draws cases.

    Attributes
    ----------
    settings
        Settings of the screens.
    most_evidence
        Evidence of the longest bar, by domain (`most_evidence`); if it is missing, each case's
        largest.
    """

    settings: ScreenSettings[CasePainter]
    most_evidence: Mapping[str, float] = field(default_factory=dict)

    @property
    def look(self) -> Look:
        """Look of the screens."""
        return self.settings.look

    def check(self, task: Task) -> None:
        """Refuse a task whose words don't fit (UserError)."""
        check_foot(self.look, self.foot(task))

    def foot(self, task: Task) -> Foot:
        """Return the part below a task's case."""
        words = self.settings.words
        if isinstance(task, Learn):
            return Foot()
        if isinstance(task, Rate):
            scale = RATING_STEPS, words["rating_low"], words["rating_high"]
            return Foot(words["rating_question"], scale=scale)
        asked = "question" if task.stimulus.edits is None else "question_changed"
        aside = None
        if task.learning:
            cap = words.cap(task.learning_key)
            aside = Button(task.learning_key, cap, words["look_again"])
        return Foot(words[asked], self._buttons(task), aside=aside)

    def deck(self, task: Task, at_hand: AtHand = AtHand()) -> Deck:
        """Return the leaves of a task, with the examples that can be looked at again."""
        pages = self._pages(task.stimulus, self.foot(task))
        return deck_of(pages, at_hand, arrows=not is_pointing(task.device))

    def at_hand(self, task: Predict) -> AtHand:
        """Return the examples that can be looked at again while predicting."""
        feet = self._back(task)
        pages = [
            (number, page)
            for number, example in enumerate(task.learning, start=1)
            for page in self._pages(example, feet)
        ]
        total = str(len(task.learning))
        labels = (
            self.settings.words.filled("example_of", number=str(number), total=total)
            for number, _ in pages
        )
        leaves = tuple(
            Leaf(page, Place(at, len(pages), label=words), at_hand=True)
            for at, ((_, page), words) in enumerate(zip(pages, labels, strict=True))
        )
        return AtHand(leaves, task.learning_key)

    def layers(self, task: Task, leaf: Leaf) -> Layers:
        """Return a leaf's layers."""
        foot = self.foot(task)
        if leaf.at_hand:
            assert isinstance(task, Predict)
            foot = self._back(task)
        below = foot_layers(self.look, self.settings.words, foot, leaf.place)
        return (*piece_layers(self.look, leaf.pieces), *below)

    def gone_layers(self, task: Task) -> Layers:
        """Return the layers after the case has gone: the question, and how to answer."""
        foot = replace(self.foot(task), aside=None)
        return foot_layers(self.look, self.settings.words, foot, Place(0, 1))

    def areas(self, task: Task, deck: Deck) -> Mapping[str, Area]:
        """Return the areas in which a click stands for a key, by the key."""
        return foot_areas(self.look, self.settings.words, self.foot(task), len(deck.leaves))

    def _pages(self, stimulus: CaseStimulus, foot: Foot) -> list[Pieces]:
        """Return a case's pages, with letters as large as on text pages if that adds no page."""
        most = self.most_evidence.get(stimulus.domain, 0.0)
        painter, body = self.settings.painter, body_area(self.look, foot.kind)
        plain = painter.protocol.look.presentation == "plain"
        case = WordedCase(stimulus, self.settings.words, most, plain)
        size_px, palette = self.settings.stimulus_px(), painter.palette()
        pages = case_pages(Type(self.look, size_px, palette), case, body)
        if size_px < self.look.body_px:
            larger = case_pages(Type(self.look, self.look.body_px, palette), case, body)
            return larger if len(larger) == len(pages) else pages
        return pages

    def _back(self, task: Predict) -> Foot:
        """Return the foot of an example that is looked at again."""
        words = self.settings.words
        cap = words.cap(task.learning_key)
        return Foot(aside=Button(task.learning_key, cap, words["look_back"]))

    def _buttons(self, task: Predict) -> tuple[Button, ...]:
        """Return the keys' choices, from left to right: two on the sides, or digits."""
        session, words = self.settings.painter.protocol.session, self.settings.words
        keys = SIDES if is_pointing(task.device) else (session.left_key, session.right_key)
        if len(task.options) > 2:
            keys = tuple(sorted(task.options))
        names = dict(task.stimulus.classes)
        return tuple(
            Button(
                key, "" if is_pointing(task.device) else words.cap(key), names[task.options[key]]
            )
            for key in keys
        )


def piece_layers(look: Look, pieces: Iterable[Piece]) -> Layers:
    """Return pieces drawn on an empty screen."""
    canvas, draw = look.drawing()
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
