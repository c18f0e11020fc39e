"""What a window was told of keys and buttons, joined with the presses that the hardware stamped.

A window knows what a key means (its text, by layout and dead keys) but not when it went down;
the hardware's queue knows when, but not what it means. Both tell of every press once and in
the order of the presses, so the n-th press of a key in the window is its n-th in the queue.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from experiments.engine.input import MODIFIERS, Device, Press

UNKNOWN: Final = "unknown"
"""What PsychoPy calls a key for which it has no name."""
PATIENCE_POLLS: Final = 3
"""After so many polls one side no longer waits for the other."""

Place = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that a window was told.

    Attributes
    ----------
    kind
        ``down``: a key or a button went down; ``text`` and ``edit``: what came of the key that
        went down last.
    value
        The key's or button's name, empty where the window doesn't know it; the text; the name
        of the edit.
    at_s
        When, by the window system's own clock; None where it doesn't tell.
    device, place_px
        Of a press; the place of a button's.
    """

    kind: Literal["down", "text", "edit"]
    value: str
    at_s: float | None = None
    device: Device = "keyboard"
    place_px: Place | None = None


@dataclass(frozen=True, slots=True)
class Typed:
    """Text, an edit of it, or a click, with the press that it came from.

    Attributes
    ----------
    kind
        ``text``, ``edit`` or ``click``.
    value
        The text; the name of the edit; the button's name.
    key
        Name of the key by its place on the keyboard, as PsychoPy names keys; ``left``,
        ``middle`` or ``right`` of the mouse.
    t_s
        When that key or button went down, monotonic. What a held key repeats bears the time
        of the repetition.
    place_px
        Of a click, in pixels from the window's top left corner.
    """

    kind: Literal["text", "edit", "click"]
    value: str
    key: str
    t_s: float
    place_px: Place | None = None


class Joiner:
    """Joins happenings with presses, poll by poll; nothing is lost, and order is kept.

    A press that its window never hears of (another one had the focus) is dropped, and so is
    one before the press that was joined last. A happening without a press (keys made by a
    program) is taken after a few polls, with the time at which it was seen.
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
        """Forget what wasn't joined yet, and the key that went down last."""
        self._happenings.clear()
        self._presses.clear()
        self._waited_polls = 0
        self._press = None

    def join(
        self, happenings: Iterable[Happening], presses: Iterable[Press], now_s: float
    ) -> tuple[Typed, ...]:
        """Return what can be joined, in the order of the happenings.

        Parameters
        ----------
        happenings, presses
            Those since the last call, each in order.
        now_s
            The present, monotonic.
        """
        self._happenings.extend(happenings)
        self._poll += 1
        self._presses.extend((self._poll, press) for press in presses if _may_type(press))
        if not self._happenings and not self._presses:
            return ()
        found: list[Typed] = []
        while self._happenings and self._take(self._happenings[0], now_s, found):
            self._happenings.popleft()
        self._drop_unheard()
        return tuple(found)

    def _take(self, happening: Happening, now_s: float, found: list[Typed]) -> bool:
        """Join one happening; return False where its press is still to be waited for."""
        if happening.kind != "down":
            if self._press is not None:
                found.append(self._typed(happening, self._press, now_s))
            return True
        press = self._claim(happening) or self._made_up(happening, now_s)
        if press is None:
            return False
        if happening.place_px is not None:
            found.append(Typed("click", press.key, press.key, press.t_s, happening.place_px))
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
        """Return the first press that may be the happening's; those before it are dropped."""
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
        """Return a press in place of one that doesn't come, once it was waited for."""
        if not self._waited_polls:
            self._seen_s = now_s
        self._waited_polls += 1
        if self._waited_polls < PATIENCE_POLLS:
            return None
        self._waited_polls = 0
        return Press(happening.value or UNKNOWN, self._seen_s, device=happening.device)

    def _drop_unheard(self) -> None:
        """Drop presses that the window hasn't heard of for some polls."""
        if not self._happenings:
            oldest = self._poll - PATIENCE_POLLS
            while self._presses and self._presses[0][0] <= oldest:
                self._presses.popleft()


def _may_type(press: Press) -> bool:
    """Return whether a window tells of a press by itself; it doesn't of what only modifies."""
    return press.key not in MODIFIERS
