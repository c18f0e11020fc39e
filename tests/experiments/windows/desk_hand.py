"""A hand at windows of this process: real keys and clicks of an X server with a window manager."""

import time

from PyQt6.QtCore import QEvent, QEventLoop, QObject
from PyQt6.QtWidgets import QApplication

MOST_TURNS, TURN_MS = 30000, 20
ENDS = (QEvent.Type.MouseButtonRelease, QEvent.Type.KeyRelease)
NAMES = {" ": "space", "-": "minus", ":": "colon"}


class Seen(QObject):
    """Counts the strokes that the application was given by the X server."""

    count = 0

    def eventFilter(self, receiver, event):
        if event.type() in ENDS and event.spontaneous() and receiver.isWindowType():
            self.count += 1
        return False


class DeskHand:
    """Clicks and types; a stroke is over once the application has been given it."""

    def __init__(self, app):
        from Xlib import display

        self._screen, self._seen = display.Display(), Seen()
        app.installEventFilter(self._seen)

    def until(self, done):
        """Let the application work until something is so."""
        for _ in range(MOST_TURNS):
            if done():
                return
            QApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, TURN_MS)
            # Lets threads of the application work.
            time.sleep(0.001)
        raise AssertionError("the window didn't do it")

    def show(self, window):
        """Bring a window in front, and wait until it has the keyboard."""
        window.showMaximized()
        window.raise_()
        window.activateWindow()
        self.until(window.isActiveWindow)

    def click(self, widget):
        """Click in the middle of a widget."""
        from Xlib import X

        self.until(lambda: widget.isVisible() and widget.isEnabled())
        place = widget.mapToGlobal(widget.rect().center())
        self._fake(X.MotionNotify, x=place.x(), y=place.y())
        self._stroke(((X.ButtonPress, 1), (X.ButtonRelease, 1)))

    def scan(self, text):
        """Type a text and Enter as fast as a reader of bar codes."""
        from Xlib import XK, X

        names = [*text.lower(), "Return"]
        codes = [self._screen.keysym_to_keycode(XK.string_to_keysym(name)) for name in names]
        self._stroke([(kind, code) for code in codes for kind in (X.KeyPress, X.KeyRelease)])

    def press(self, *names):
        """Press keys together, such as Alt_L and a."""
        from Xlib import XK, X

        codes = [self._screen.keysym_to_keycode(XK.string_to_keysym(name)) for name in names]
        down = [(X.KeyPress, code) for code in codes]
        self._stroke((*down, *((X.KeyRelease, code) for code in reversed(codes))))

    def type(self, text):
        """Type a text in lower case."""
        for letter in text.lower():
            shifted = ("Shift_L",) if letter == ":" else ()
            self.press(*shifted, NAMES.get(letter, letter))

    def _stroke(self, events):
        from Xlib import X

        ends = sum(kind in (X.ButtonRelease, X.KeyRelease) for kind, _ in events)
        wanted = self._seen.count + ends
        for kind, detail in events:
            self._fake(kind, detail)
        # All at once: on a busy machine a scan would come slowly, which is not a scan.
        self._screen.sync()
        self.until(lambda: self._seen.count >= wanted)

    def _fake(self, kind, detail=0, **where):
        from Xlib.ext import xtest

        xtest.fake_input(self._screen, kind, detail, **where)
