"""A window's pointer, button and key events, and how they are joined with the hardware's presses.

Pointer events come from the window itself. So they include every position that the system reported,
also between two frames, in order with the buttons. They have no time stamps: an event that is read
at a frame happened since the previous frame. Where milliseconds count, use `engine.input`.

A window knows what a key means (its text, by layout and dead keys) but not when it went down. The
hardware's queue knows when, but not what the key means. Both report every press once and in order,
so the n-th press of a key in the window is its n-th press in the queue.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, Literal

from experiments.engine.input import MODIFIERS, Press
from experiments.engine.window import Window
from stimuli.devices import DeviceName

Button = Literal["left", "middle", "right"]
PointerAct = Literal["move", "down", "up", "wheel"]
UNKNOWN: Final = "unknown"
"""PsychoPy's name for a key without a name."""
PATIENCE_POLLS: Final = 3
"""Number of polls for which an event waits for its press, or a press for its event."""
Place = tuple[float, float]


@dataclass(frozen=True, slots=True)
class PointerEvent:
    """A move of the pointer, a button or the wheel.

    Attributes
    ----------
    kind
        ``move``, ``down``, ``up`` or ``wheel``.
    x_px, y_px
        Position in pixels of the framebuffer from the window's top left corner.
    button
        The button that went down or up; None for other kinds.
    steps
        Steps of the wheel; positive if it turns away from the user.
    """

    kind: PointerAct
    x_px: float
    y_px: float
    button: Button | None = None
    steps: float = 0.0


class Pointer:
    """Reads a window's pointer events for as long as the window is open.

    Parameters
    ----------
    window
        The window.
    moves
        Whether to report moves, releases and the wheel too, not only buttons that go down.

    Attributes
    ----------
    x_px, y_px
        The pointer's last position, in pixels of the framebuffer from the top left.
    """

    def __init__(self, window: Window, *, moves: bool = True) -> None:
        from pyglet.window import mouse

        self._handle: Any = window.handle.winHandle
        self._names: dict[int, Button] = {
            mouse.LEFT: "left",
            mouse.MIDDLE: "middle",
            mouse.RIGHT: "right",
        }
        self._height = window.size_px[1]
        self._scale = self._height / self._handle.height
        self._events: deque[PointerEvent] = deque()
        self.x_px, self.y_px = (side / 2 for side in window.size_px)
        self._handle.push_handlers(on_mouse_press=self._pressed)
        if moves:
            self._handle.push_handlers(
                on_mouse_motion=self._moved,
                on_mouse_drag=self._moved,
                on_mouse_release=self._released,
                on_mouse_scroll=self._scrolled,
                on_mouse_enter=self._moved,
            )

    def poll(self) -> tuple[PointerEvent, ...]:
        """Return the pointer's events since the last poll, in order."""
        self._handle.dispatch_events()
        events = tuple(self._events)
        self._events.clear()
        return events

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Convert a position from the window system to pixels from the top left."""
        return x * self._scale, self._height - y * self._scale

    def button(self, code: int) -> Button | None:
        """Return the button with this number in the window system."""
        return self._names.get(code)

    def _moved(self, x: float, y: float, *_: object) -> None:
        self._note("move", x, y)

    def _pressed(self, x: float, y: float, button: int, *_: object) -> None:
        self._note("down", x, y, self.button(button))

    def _released(self, x: float, y: float, button: int, *_: object) -> None:
        self._note("up", x, y, self.button(button))

    def _scrolled(self, x: float, y: float, _: float, steps: float) -> None:
        self._note("wheel", x, y, steps=steps)

    def _note(
        self,
        kind: PointerAct,
        x: float,
        y: float,
        button: Button | None = None,
        steps: float = 0.0,
    ) -> None:
        self.x_px, self.y_px = self.place(x, y)
        self._events.append(PointerEvent(kind, self.x_px, self.y_px, button, steps))


@contextmanager
def pointer_shown(window: Window) -> Iterator[None]:
    """Show the system's pointer during the block, so that the person can click."""
    window.show_pointer(True)
    try:
        yield
    finally:
        window.show_pointer(False)


@dataclass(frozen=True, slots=True)
class Happening:
    """An event that a window received.

    Attributes
    ----------
    kind
        ``down``: a key or a button went down; ``text`` and ``edit``: the result of the key that
        went down last.
    value
        The key's or button's name, empty if the window doesn't know it; the text; or the name
        of the edit.
    at_s
        The window system's time of the event; None if it gives none.
    device, place_px
        The device of a press, and the position of a button's press.
    """

    kind: Literal["down", "text", "edit"]
    value: str
    at_s: float | None = None
    device: DeviceName = "keyboard"
    place_px: Place | None = None


@dataclass(frozen=True, slots=True)
class Typed:
    """Text, an edit or a click, together with the press that caused it.

    Attributes
    ----------
    kind
        ``text``, ``edit`` or ``click``.
    value
        The text, the name of the edit, or the button's name.
    key
        PsychoPy's name of the key by its place on the keyboard; ``left``, ``middle`` or
        ``right`` for a mouse button.
    t_s
        When that key or button went down, monotonic. A repetition of a held key has the time
        of the repetition.
    place_px
        Position of a click, in pixels from the window's top left corner.
    """

    kind: Literal["text", "edit", "click"]
    value: str
    key: str
    t_s: float
    place_px: Place | None = None


class Joiner:
    """Matches window events with presses, poll by poll; no event is lost, and order is kept.

    A press without a window event (another window had the focus) is dropped, and so is a press
    before the one matched last. An event without a press (a program made the key) is taken after
    a few polls, with the time at which it was seen.
    """

    def __init__(self) -> None:
        self._happenings: deque[Happening] = deque()
        self._presses: deque[tuple[int, Press]] = deque()
        self._poll = self._waited_polls = 0
        self._seen_s = 0.0
        self._press: Press | None = None
        self._used = False
        self._lead_s: float | None = None

    def clear(self) -> None:
        """Discard what hasn't been matched yet, and the key that went down last."""
        self._happenings.clear()
        self._presses.clear()
        self._waited_polls = 0
        self._press = None

    def join(
        self, happenings: Iterable[Happening], presses: Iterable[Press], now_s: float
    ) -> tuple[Typed, ...]:
        """Return the events that can be matched, in order.

        Parameters
        ----------
        happenings, presses
            Window events and presses since the last call, each in order.
        now_s
            The current time, monotonic.
        """
        self._happenings.extend(happenings)
        self._poll += 1
        self._presses.extend((self._poll, press) for press in presses if _may_type(press))
        if not self._happenings and not self._presses:
            return ()
        typed: list[Typed] = []
        while self._happenings and self._take(self._happenings[0], now_s, typed):
            self._happenings.popleft()
        self._drop_unheard()
        return tuple(typed)

    def _take(self, happening: Happening, now_s: float, typed: list[Typed]) -> bool:
        """Match one event; return False if its press may still come."""
        if happening.kind != "down":
            if self._press is not None:
                typed.append(self._typed(happening, self._press, now_s))
            return True
        press = self._claim(happening) or self._made_up(happening, now_s)
        if press is None:
            return False
        if happening.place_px is not None:
            typed.append(Typed("click", press.key, press.key, press.t_s, happening.place_px))
        else:
            self._press, self._used = press, False
        return True

    def _typed(self, happening: Happening, press: Press, now_s: float) -> Typed:
        assert happening.kind != "down"
        t_s = press.t_s
        if self._used:
            known = happening.at_s is not None and self._lead_s is not None
            t_s = happening.at_s + self._lead_s if known else now_s
        self._used = True
        return Typed(happening.kind, happening.value, press.key, t_s)

    def _claim(self, happening: Happening) -> Press | None:
        """Return the first press that may belong to the event; drop presses before it."""
        device = happening.device
        wanted = (None, device) if not happening.value else (happening.value, device)
        for _, press in self._presses:
            if wanted in ((press.key, press.device), (None, press.device)):
                break
        else:
            return None
        self._presses = deque(
            (poll, other)
            for poll, other in self._presses
            if other.device != device or other.t_s > press.t_s
        )
        self._waited_polls = 0
        if happening.at_s is not None:
            self._lead_s = press.t_s - happening.at_s
        return press

    def _made_up(self, happening: Happening, now_s: float) -> Press | None:
        """Return a substitute for a press that hasn't come after a few polls; None until then."""
        if not self._waited_polls:
            self._seen_s = now_s
        self._waited_polls += 1
        if self._waited_polls < PATIENCE_POLLS:
            return None
        self._waited_polls = 0
        return Press(happening.value or UNKNOWN, self._seen_s, device=happening.device)

    def _drop_unheard(self) -> None:
        """Drop presses for which the window has had no event for some polls."""
        if not self._happenings:
            oldest = self._poll - PATIENCE_POLLS
            while self._presses and self._presses[0][0] <= oldest:
                self._presses.popleft()


def _may_type(press: Press) -> bool:
    """Return whether a press gives a window event; a modifier alone gives none."""
    return press.key not in MODIFIERS
