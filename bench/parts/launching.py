"""How soon the start window is there, and the session that it starts."""

import time
from pathlib import Path

import numpy as np

from bench.book import Effort, Measured, Part
from bench.parts.robot_sessions import sketch_pack, workplace
from bench.parts.timing_start import LIGHT, TEXT_PIXELS, mapped
from experiments.engine.virtual_display import virtual_display
from tests.experiments.windows.launched import READY, WHO, Launched, title

STARTS, QUICK_STARTS = 3, 1
TRIALS = 20
SIZE_PX = (1280, 720)


def measure(effort: Effort) -> Measured:
    """Start the window and a session from it, by keys."""
    starts = QUICK_STARTS if effort.quick else STARTS
    found = []
    with workplace() as folder:
        pack = sketch_pack(folder / "pack", TRIALS // 2)
        for number in range(starts):
            effort.say(f"start {number + 1} of {starts}")
            found.append(_turn(folder / f"lab{number}", pack))
    window_s, session_s = (float(np.median(times)) for times in zip(*found, strict=True))
    text = (
        f"From the command (`launch`) to the first page of the window it takes {window_s:.1f} s, "
        f"and from Start to the text of the session's first page {session_s:.1f} s (medians of "
        f"{starts}; longest {max(one for one, _ in found):.1f} and "
        f"{max(one for _, one in found):.1f} s). The other programs on this machine lengthen both."
    )
    return Measured(text, {"window_s": [one for one, _ in found], "page_s": [p for _, p in found]})


def _turn(folder: Path, pack: Path) -> tuple[float, float]:
    """Return the seconds to the window's first page, and from Start to the session's."""
    folder.mkdir()
    lab = Launched(folder, pack, "lazy")
    with virtual_display(SIZE_PX, framebuffer_dir=folder) as shown:
        begun_s = time.perf_counter()
        with lab.window_on(shown) as hand:
            hand.until(lambda: WHO in title())
            window_s = time.perf_counter() - begun_s
            lab.enrol(hand)
            hand.until(lambda: READY not in title(), [(READY, [("Alt_L", "s")])])
            begun_s = time.perf_counter()
            assert shown.framebuffer is not None
            screen = mapped(shown.framebuffer)
            # The window's white cards are gone, and then text is there.
            hand.until(lambda: np.count_nonzero(screen[::2, ::2, 1] > LIGHT) < TEXT_PIXELS)
            hand.until(lambda: np.count_nonzero(screen[::2, ::2, 1] > LIGHT) >= TEXT_PIXELS)
            return window_s, time.perf_counter() - begun_s


PARTS = (Part("launch", "From the start window to the session", measure),)
