"""A stage without a window: its clock is the journal's, its frames go to a reel.

Pictures are in memory in place of a graphics card: pixels are copied, none is computed.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any, Final

import numpy as np
from PIL import Image

from experiments.engine.clock import StimulusClock
from experiments.engine.focus import FocusChange
from experiments.engine.input import Press
from experiments.engine.pacing import VsyncPacing
from experiments.engine.picture import Drawn, Layers, Pixels
from experiments.engine.stage import Marker, Overlay
from experiments.engine.text import Heard
from experiments.engine.triggers import Mark, TriggerLine
from experiments.engine.window import Rgb, SizePx
from experiments.engine.window_events import PointerEvent, Typed
from experiments.pages.interruptions import GO_ON_KEY, HELD, HOLD_S
from experiments.pages.waiting import ABORT_KEY, FOCUS_LOST, PAUSE_KEY, REASONS
from experiments.replay.reel import Reel
from experiments.replay.script import Script
from experiments.robot_input.recalling import InputEvent
from participants.journal import Event
from stimuli.errors import UserError


def put(canvas: Pixels, pixels: Pixels, left_px: int, top_px: int) -> None:
    """Copy pixels to their place on a canvas, as far as they lie on it."""
    high, wide = canvas.shape[:2]
    rows = slice(max(0, top_px), min(high, top_px + pixels.shape[0]))
    columns = slice(max(0, left_px), min(wide, left_px + pixels.shape[1]))
    if rows.start < rows.stop and columns.start < columns.stop:
        canvas[rows, columns] = pixels[
            rows.start - top_px : rows.stop - top_px,
            columns.start - left_px : columns.stop - left_px,
        ]


def _enlarged(pixels: Pixels, scale: int) -> Pixels:
    """Return a copy whose pixels are squares of so many pixels."""
    return pixels.repeat(scale, axis=0).repeat(scale, axis=1)


class Canvas:
    """A frame: what is drawn, in order, and the pixels once they are needed.

    Parameters
    ----------
    size_px, background
        The window's size, and the colour of the empty screen.
    """

    def __init__(self, size_px: SizePx, background: Rgb) -> None:
        width, height = size_px
        self._empty: Pixels = np.full((height, width, 3), background, np.uint8)
        self._drawn: list[tuple[Any, ...]] = []

    def begin(self) -> None:
        """Begin an empty frame."""
        self._drawn = []

    def draw(self, part: "PaperPicture | PaperCursor", *state: float) -> None:
        """Draw a part in its present state."""
        self._drawn.append((part, *state))

    @property
    def drawn(self) -> tuple[tuple[Any, ...], ...]:
        """What is drawn; frames with equal values look the same."""
        return tuple(self._drawn)

    def pixels(self) -> Pixels:
        """Return the frame, uint8 (height, width, 3)."""
        pixels = self._empty.copy()
        for part, *state in self._drawn:
            part.put_on(pixels, *state)
        return pixels


class PaperPicture:
    """Layers on a canvas, copied as `experiments.engine.picture.Picture` copies them on a card."""

    def __init__(self, canvas: Canvas, layers: Layers) -> None:
        self._canvas = canvas
        self._layers = [
            replace(layer, pixels=_enlarged(layer.pixels, layer.scale)) for layer in layers
        ]
        self._changes = 0

    def draw(self) -> None:
        """Draw the layers."""
        self._canvas.draw(self, self._changes)

    def put_on(self, pixels: Pixels, _: float) -> None:
        """Copy the layers to a frame."""
        for layer in self._layers:
            put(pixels, layer.pixels, layer.left_px, layer.top_px)

    def replace(self, pixels: Pixels, left_px: int, top_px: int) -> None:
        """Change a rectangle of the lowest layer."""
        lowest = self._layers[0]
        self._changes += 1
        part = _enlarged(pixels, lowest.scale)
        put(lowest.pixels, part, left_px * lowest.scale, top_px * lowest.scale)

    def free(self) -> None:
        """Do nothing: no card holds it."""


class PaperCursor:
    """A picture with transparent parts that is laid on a canvas."""

    def __init__(self, canvas: Canvas, pixels: Pixels) -> None:
        self._canvas = canvas
        self._picture = Image.fromarray(pixels)

    def draw(self, x_px: float, y_px: float) -> None:
        """Draw it with its middle at a position."""
        self._canvas.draw(self, x_px, y_px)

    def put_on(self, pixels: Pixels, x_px: float, y_px: float) -> None:
        """Lay it on a frame."""
        whole = Image.fromarray(pixels)
        wide, high = self._picture.size
        whole.paste(self._picture, (round(x_px - wide / 2), round(y_px - high / 2)), self._picture)
        pixels[:] = np.asarray(whole)


REASONS_OF: Final = {reason: answer for answer, reason in REASONS.items()}
"""A break's answer by the reason of an end by the chord, in the journal."""
ASKED_S: Final = 1.6
"""How long before an end by the chord its question came, at least."""
SEEN_S: Final = 0.1
"""How long after the chord the question is surely on the screen."""
PATIENCE_S: Final = 60.0
"""How far a replay may go beyond an event without coming to it."""


@dataclass
class Hand:
    """What the person does, each at its time.

    Attributes
    ----------
    held
        The key that is down, if any.
    """

    held: str | None = None
    _due: list[tuple[float, InputEvent]] = field(default_factory=list)

    def give(self, at_s: float, *inputs: InputEvent) -> None:
        """Do something at a time."""
        self._due += [(at_s, event) for event in inputs]
        self._due.sort(key=lambda due: due[0])

    def take(self, now_s: float, kind: type) -> list[Any]:
        """Return what has been done by now of one kind, in order."""
        taken = [due for due in self._due if due[0] <= now_s and isinstance(due[1], kind)]
        self._due = [due for due in self._due if due not in taken]
        return [event for _, event in taken]


class PaperPointer:
    """The pointer of a hand."""

    def __init__(self, stage: "PaperStage") -> None:
        self._stage = stage
        self.x_px, self.y_px = (side / 2 for side in stage.window.size_px)

    def poll(self) -> tuple[PointerEvent, ...]:
        """Return what it did since the last poll."""
        events = self._stage.hand.take(self._stage.now_s(), PointerEvent)
        for event in events:
            self.x_px, self.y_px = event.x_px, event.y_px
        return tuple(events)


class PaperClicks:
    """Clicks of a hand."""

    def __init__(self, stage: "PaperStage") -> None:
        self._stage = stage

    def poll(self, presses: Sequence[Press] = ()) -> tuple[Press, ...]:
        """Return the clicks among the presses."""
        return tuple(press for press in presses if press.place_px is not None)

    def forget(self) -> None:
        """Do nothing: a hand clicks only where it is awaited."""


class PaperTyping:
    """The typing of a hand."""

    def __init__(self, stage: "PaperStage") -> None:
        self._stage = stage

    def poll(self) -> Heard:
        """Return the presses and the text since the last poll."""
        typed = self._stage.hand.take(self._stage.now_s(), Typed)
        return Heard(self._stage.presses(), tuple(typed))

    def forget(self) -> tuple[Press, ...]:
        """Return the presses since the last poll."""
        return self.poll().presses


class PaperFocus:
    """The focus of the window, as the journal tells it."""

    def __init__(self, stage: "PaperStage") -> None:
        self._stage = stage

    @property
    def losses(self) -> int:
        """How often the window had lost the focus by now."""
        return self._stage.script.losses(self._stage.now_s())

    def is_here(self) -> bool:
        """Return whether the window has the focus now."""
        return self._stage.script.is_in_front(self._stage.now_s())

    def for_window(self, presses: Sequence[Press]) -> tuple[Press, ...]:
        """Return the presses: the journal has only those for our window."""
        return tuple(presses)

    def take_changes(self) -> tuple[FocusChange, ...]:
        """Return nothing: a replay records nothing."""
        return ()


class PaperClock(StimulusClock):
    """A clock that was set in a trial that the journal flags, whatever flagged it."""

    def __init__(self, script: Script) -> None:
        super().__init__(time.perf_counter, "replay")
        self._script = script

    def measure(self) -> bool:
        """Return whether the running trial is flagged; the suite then treats it as it did."""
        return bool(self._script.end().get("flagged"))


@dataclass(frozen=True, slots=True)
class Display:
    """The window as it was, from the journal.

    Attributes
    ----------
    size_px, background
        Its size, and the colour of the empty screen.
    refresh_hz
        The display's rate.
    marker
        Whether the photodiode's patch was drawn.
    """

    size_px: SizePx
    background: Rgb
    refresh_hz: float
    marker: bool


class PaperStage:
    """What the presenters ask of `experiments.engine.stage.Stage`, without a window.

    Parameters
    ----------
    script, reel
        What the replay has to come to, and where its frames go.
    lead_s
        What is added to the journal's clock for the reel's time.
    display
        The window as it was.

    Attributes
    ----------
    now
        The time on the journal's clock, seconds.
    hand
        What the person does.
    waits
        Places in the reel after screens that have waited for a press since the last event.
    page_waits
        Whether a page waits for what interrupts it.
    """

    others = ()

    def __init__(self, script: Script, reel: Reel, lead_s: float, display: "Display") -> None:
        self.script, self.reel, self._lead_s = script, reel, lead_s
        self._canvas = Canvas(display.size_px, display.background)
        self._drawn: tuple[Any, ...] = ()
        self._asked: Event | None = None
        self._ending_s: float | None = None
        self._trial_at = 0
        self._onset_s = 0.0
        self.now = script.due().t_monotonic_s
        self.hand = Hand()
        self.waits: list[int] = []
        self.page_waits = False
        self.window: Any = SimpleNamespace(
            size_px=display.size_px, show_pointer=lambda visible: None
        )
        self.pacing = VsyncPacing(1 / display.refresh_hz, nominal_hz=round(display.refresh_hz))
        self.keyboard: Any = SimpleNamespace(
            clock=PaperClock(script), is_down=lambda key: key == self.hand.held
        )
        self.focus, self.clicks = PaperFocus(self), PaperClicks(self)
        self.triggers, self.overlay = TriggerLine(), Overlay()
        self.marker = Marker(self.picture) if display.marker else None

    @property
    def period_s(self) -> float:
        """Length of a refresh."""
        return self.pacing.period_s

    def now_s(self) -> float:
        """Return the time on the journal's clock."""
        return self.now

    def reel_s(self, at_s: float) -> float:
        """Return the reel's time of a time on the journal's clock."""
        return at_s + self._lead_s

    def nap(self, duration_s: float) -> None:
        """Let time pass."""
        self.now += duration_s
        if self.now > self.script.due().t_monotonic_s + PATIENCE_S:
            raise UserError(
                f"the journal, line {self.script.due().seq}: the session doesn't come to it now; "
                "use the pack, the texts and the version that it was run with"
            )

    def pointer(self) -> PaperPointer:
        """Return the pointer."""
        return PaperPointer(self)

    def cursor(self, pixels: Pixels) -> PaperCursor:
        """Return a small picture that moves with the pointer."""
        return PaperCursor(self._canvas, pixels)

    def picture(self, layers: Layers) -> PaperPicture:
        """Return a picture."""
        return PaperPicture(self._canvas, layers)

    def frame(
        self, picture: Drawn | None, *, critical: bool = False, mark: Mark | None = None
    ) -> float:
        """Show a picture on the next refresh, or when the journal has the marked flip."""
        self.now += self.period_s
        if mark is not None:
            self._keep_time(mark, self.script.marked_flip())
        self._draw(picture, critical=critical)
        if self._canvas.drawn != self._drawn:
            self._drawn = self._canvas.drawn
            self.reel.add(self.reel_s(self.now), self._canvas.pixels())
        return self.now

    def _keep_time(self, mark: Mark, flip: Event) -> None:
        """Let a flip come when the journal has it: its frame counts from the onset."""
        frame = flip.fields.get("frame")
        if mark == "onset":
            # The fixation came later, since the stimulus was prepared before it.
            self.reel.delay(self._trial_at, flip.t_monotonic_s - self.now)
            self.now = self._onset_s = flip.t_monotonic_s
        elif frame:
            self.now = max(self.now, self._onset_s + frame * self.period_s)

    def pixels_of(self, picture: Drawn | None) -> Pixels:
        """Return the pixels of a frame with this picture."""
        self._draw(picture, critical=False)
        return self._canvas.pixels()

    def presses(self) -> tuple[Press, ...]:
        """Return what the person has pressed or clicked by now."""
        return (*self.hand.take(self.now, Press), *self._chord())

    def catch_up(self, event: Event) -> None:
        """Come to the time of an event: what waited for a press waited as long as the person."""
        slack_s = event.t_monotonic_s - self.now
        if slack_s > 0:
            for at in self.waits:
                self.reel.delay(at, slack_s / len(self.waits))
            self.now += slack_s
        self.waits.clear()
        self.page_waits = False
        self._trial_at = len(self.reel.shots)
        self.hand.held = None

    def _chord(self) -> tuple[Press, ...]:
        """Return the chord, or the key for its question, that leads to the next event."""
        following = self.script.next
        if following is None:
            return ()
        ahead_s = following.t_monotonic_s - self.now
        if following.event == "pause" and following is not self._asked:
            # Between two trials nothing waits until its time: it comes before the next one.
            soon = not self.page_waits or ahead_s <= self.period_s
            if following["reason"] != FOCUS_LOST and soon:
                self._asked = following
                return (Press(PAUSE_KEY, self.now, chord=True),)
        elif following.event == "abort" and following["reason"] in REASONS.values():
            return self._end(REASONS_OF[following["reason"]], ahead_s)
        elif self._ending_s is not None and self.now > self._ending_s + SEEN_S:
            self._ending_s = None
            return (Press(GO_ON_KEY, self.now),)
        return ()

    def end_by_chord(self, at_s: float) -> None:
        """Press the chord that ends the session at a time."""
        self._ending_s = at_s
        self.hand.give(at_s, Press(ABORT_KEY, at_s, chord=True))

    def _end(self, answer: str, ahead_s: float) -> tuple[Press, ...]:
        """Return the chord that ends the session, then the key that is held to confirm it."""
        if self._ending_s is None:
            if self.page_waits and ahead_s > ASKED_S:
                return ()
            self._ending_s = self.now
            return (Press(ABORT_KEY, self.now, chord=True),)
        if self.hand.held or self.now <= self._ending_s + SEEN_S or ahead_s > HOLD_S + SEEN_S:
            return ()
        self.hand.held = next(key for key, meant in HELD.items() if meant == answer)
        return (Press(self.hand.held, self.now),)

    def _draw(self, picture: Drawn | None, *, critical: bool) -> None:
        self._canvas.begin()
        for drawn in (picture, self.overlay.picture):
            if drawn is not None:
                drawn.draw()
        if self.marker is not None:
            self.marker.draw(critical)
