"""The pointer from frame to frame: where it went, which buttons went down and up, the wheel.

The window's own events are read, so that every place that the system reported is there, in
its order with the buttons, also those between two frames. They bear no stamps: what is read
at a frame happened since the frame before. Where milliseconds count, `engine.mouse` listens.
"""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from experiments.engine.window import Window

Button = Literal["left", "middle", "right"]
PointerAct = Literal["move", "down", "up", "wheel"]


@dataclass(frozen=True, slots=True)
class PointerEvent:
    """Something that the pointer did.

    Attributes
    ----------
    kind
        ``move``, ``down``, ``up`` or ``wheel``.
    x_px, y_px
        Where, in pixels of the framebuffer from the window's top left corner.
    button
        Which button went down or up; None for the others.
    steps
        Of the wheel; positive away from the hand.
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
        Whose events.
    moves
        Whether to tell of more than buttons that go down.

    Attributes
    ----------
    x_px, y_px
        Where the pointer was last, in pixels of the framebuffer from the top left.
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
        """Return what the pointer did since the last poll, in order."""
        self._handle.dispatch_events()
        found = tuple(self._events)
        self._events.clear()
        return found

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Return a place that the window system told, in pixels from the top left."""
        return x * self._scale, self._height - y * self._scale

    def button(self, code: int) -> Button | None:
        """Return the button of a number of the window system."""
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
    """Show the system's pointer within the block, so that something can be clicked."""
    window.show_pointer(True)
    try:
        yield
    finally:
        window.show_pointer(False)
