"""The start window as a process of its own, and a hand that types in it."""

import subprocess
import sys
import time
from contextlib import closing, contextmanager, suppress

import psutil

from experiments.engine.virtual_display import virtual_display
from participants.folder import LabFolder
from participants.journal import read_journal
from participants.notes import notes_of
from participants.registry import Registry
from tests.experiments.windows.session_lab import LAB, PATIENCE_S, ROOT, Lab, let_go

WAIT_S = 3.0
"""So long a key may take to have its effect before it is pressed again."""
ENROL, WHO, READY, AFTER = "Enrol somebody new", ": 1 ", ": 2 ", ": 3 "
"""What tells the titles of the dialog and of the pages."""
BEGIN = [(READY, [("Alt_L", "w"), ("o",), ("Alt_L", "s")]), (AFTER, [("Alt_L", "g")])]
"""Keys that begin a session. On a busy PC its own checks refuse it: then a reason is given."""


@contextmanager
def front_window():
    """Give the display, and the window in front with its title; else None.

    A window manager says which one that is. Without one it is the uppermost that is shown.
    """
    from Xlib import display
    from Xlib.error import BadWindow

    screen, front = display.Display(), (None, "")
    # A window may be closed between two questions.
    with suppress(BadWindow):
        front = active(screen) if is_managed(screen) else uppermost(screen)
    yield screen, *front
    screen.close()


def uppermost(screen):
    """Return the uppermost window that is shown, with its title; else None."""
    from Xlib import X
    from Xlib.error import BadWindow

    front = None, ""
    for one in screen.screen().root.query_tree().children:
        with suppress(BadWindow):
            if one.get_attributes().map_state == X.IsViewable:
                front = one, one.get_wm_name() or ""
    return front


def active(screen):
    """Return the window that a window manager calls active, with its title; else None."""
    found = of_root(screen, "_NET_ACTIVE_WINDOW")
    if not found or not found.value[0]:
        return None, ""
    window = screen.create_resource_object("window", found.value[0])
    return window, window.get_wm_name() or ""


def is_managed(screen):
    """Return whether a window manager is at work."""
    return bool(of_root(screen, "_NET_SUPPORTING_WM_CHECK"))


def of_root(screen, name):
    """Return a property of the root window; None if it has none of this name."""
    from Xlib import X

    root = screen.screen().root
    return root.get_full_property(screen.intern_atom(name), X.AnyPropertyType)


def title():
    """Return the title of the uppermost window; empty if there is none."""
    with front_window() as (_, _, name):
        return name


def press(*names):
    """Press keys together in the window in front; it is focused first if no manager did that."""
    from Xlib import XK, X
    from Xlib.ext import xtest

    with front_window() as (screen, window, _):
        if window is None:
            return
        if not is_managed(screen):
            window.set_input_focus(X.RevertToParent, X.CurrentTime)
            screen.sync()
        codes = [screen.keysym_to_keycode(XK.string_to_keysym(name)) for name in names]
        strokes = [(X.KeyPress, code) for code in codes]
        strokes += [(X.KeyRelease, code) for code in reversed(codes)]
        for event, code in strokes:
            xtest.fake_input(screen, event, code)
            screen.sync()
            time.sleep(0.03)


class Hand:
    """Presses keys in the start window: each until its effect is seen.

    Parameters
    ----------
    process
        The window's.
    """

    def __init__(self, process):
        self.process = process

    def until(self, done, keys=()):
        """Press what belongs to the window that is in front, until something is done.

        ``keys`` pairs parts of titles with the keys (or chords) that are pressed there, one after
        the other. In a window of another title nothing is pressed.
        """
        until = time.monotonic() + PATIENCE_S
        while not done():
            assert self.process.poll() is None
            assert time.monotonic() < until, f"{title()} didn't do it"
            here = title()
            for chord in next((chords for part, chords in keys if part in here), ()):
                press(*chord)
            again = time.monotonic() + (WAIT_S if here else 0.2)
            while not done() and title() == here and time.monotonic() < again:
                time.sleep(0.1)


class Launched(Lab):
    """A lab folder with the start window before it; without a robot people take part."""

    def __init__(self, folder, pack, robot):
        super().__init__(folder, pack)
        self._place, self.robot = LabFolder.open(folder), robot

    def registry(self):
        return closing(Registry.open(self._place.registry_url))

    def people(self):
        with self.registry() as registry:
            return registry.list()

    def notes(self):
        with self.registry() as registry:
            found = notes_of(registry, self._place.data)
        return [row["text"] for row in found if not row["session"]]

    def complete(self):
        """Return how many sessions are complete."""
        return sum(read_journal(paths.journal).complete for paths in self.data.sessions())

    @contextmanager
    def window(self):
        with virtual_display((1280, 720)) as shown, self.window_on(shown) as hand:
            yield hand

    @contextmanager
    def window_on(self, shown):
        self.environment["DISPLAY"] = shown.name
        robot = ("--robot", self.robot, "--display", "existing") if self.robot else ()
        words = ("launch", "--pack", self.pack, *robot)
        process = subprocess.Popen(
            [sys.executable, LAB, *map(str, words)],
            env={**self.environment, "PYTHONPATH": str(ROOT)},
        )
        try:
            yield Hand(process)
        finally:
            process.terminate()
            process.wait(timeout=PATIENCE_S)

    def enrol(self, hand):
        """Enrol somebody, and go on to the page before the session."""
        place = [("Alt_L", "a"), ("Down",), ("Alt_L", "e")]
        hand.until(self.people, [(ENROL, place), (WHO, [("Alt_L", "e")])])
        code = [("Alt_L", "c"), ("Return",)]
        hand.until(lambda: READY in title(), [(ENROL, [("Escape",)]), (WHO, code)])

    def enrol_and_run(self, hand):
        """Enrol somebody and run their session to its end."""
        self.enrol(hand)
        self.run(hand)

    def scan(self, hand, code):
        """Type a code as a bar-code reader does, and go on to the page before the session."""
        keys = [("Alt_L", "c"), ("Control_L", "a"), *((letter.lower(),) for letter in code)]
        hand.until(lambda: READY in title(), [(WHO, [*keys, ("Return",)])])

    def run(self, hand):
        """Run a session from the page before it to its end."""
        before, complete = len(list(self.data.sessions())), self.complete()
        hand.until(lambda: len(list(self.data.sessions())) > before, BEGIN)
        hand.until(lambda: self.complete() > complete)
        hand.until(lambda: AFTER in title())

    def kill_session(self, hand):
        """Kill the session that the window waits for."""
        (session,) = psutil.Process(hand.process.pid).children()
        session.kill()
        hand.until(lambda: AFTER in title())
        let_go(self.environment["DISPLAY"])
