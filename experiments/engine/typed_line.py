"""A line of text that somebody types into the window; nothing here is timed."""

from collections.abc import Iterator
from contextlib import contextmanager

from experiments.engine.window import Window


class TypedLine:
    """What is typed, as the window system makes text of keys.

    Attributes
    ----------
    text
        What stands in the line.
    open
        Whether neither Enter nor Esc was pressed yet.
    """

    def __init__(self, window: Window, longest: int) -> None:
        from pyglet.window import key

        self._handle = window.handle.winHandle
        self._key = key
        self._longest = longest
        self._told_text: str | None = None
        self.text = ""
        self.open = True

    def has_changed(self) -> bool:
        """Take what was typed; return whether the line is another than at the last call."""
        self._handle.dispatch_events()
        before, self._told_text = self._told_text, self.text
        return self.text != before

    def handlers(self) -> dict[str, object]:
        """Return what the window calls."""
        return {"on_key_press": self._pressed, "on_text": self._typed, "on_text_motion": self._back}

    def _pressed(self, symbol: int, _: int) -> bool:
        if self.open and symbol in (self._key.RETURN, self._key.NUM_ENTER, self._key.ESCAPE):
            self.open = False
            self.text = "" if symbol == self._key.ESCAPE else self.text.strip()
        return True

    def _typed(self, text: str) -> bool:
        if self.open and text.isprintable():
            self.text = (self.text + text)[: self._longest]
        return True

    def _back(self, motion: int) -> bool:
        if self.open and motion == self._key.MOTION_BACKSPACE:
            self.text = self.text[:-1]
        return True


@contextmanager
def typed_line(window: Window, longest: int) -> Iterator[TypedLine]:
    """Give a line that hears the window's text as long as the block lasts.

    Parameters
    ----------
    window
        Where it is typed.
    longest
        Most characters; further ones are left out.
    """
    handle = window.handle.winHandle
    # What was typed before belongs to another screen.
    handle.dispatch_events()
    line = TypedLine(window, longest)
    handle.push_handlers(**line.handlers())
    try:
        yield line
    finally:
        handle.pop_handlers()
