"""How long it takes from the command to the first page."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.book import Effort, Measured
from bench.parts.commands import command_environment
from bench.parts.robot_sessions import PATIENCE_S, ROOT, sketch_pack, workplace
from bench.parts.timing_words import lasting
from bench.parts.words import bar, verdicts
from experiments.engine.virtual_display import VirtualDisplay, virtual_display
from participants.folder import LabFolder
from stimuli.pack import open_pack

TRIALS, QUICK_TRIALS = 300, 20
STARTS, QUICK_STARTS = 6, 1
SIZE_PX = (1280, 720)
LONGEST_S = 5.0
EACH_S = 8.0
LIGHT, TEXT_PIXELS = 150, 500
LOOK_EVERY_S = 0.005
WORD_BYTES = 4
HEADER_WORDS = 25
SIZE_WORD, WIDTH_WORD, HEIGHT_WORD, LINE_WORD, COLOURS_WORD = 0, 4, 5, 12, 19
COLOUR_BYTES = 12


def measure(effort: Effort) -> Measured:
    """Start sessions and look at the screen until there is text on it."""
    trials, starts = (QUICK_TRIALS, QUICK_STARTS) if effort.quick else (TRIALS, STARTS)
    with workplace() as folder:
        pack = sketch_pack(folder / "pack", trials // 2)
        files = len(open_pack(pack, "solutions").manifest.files)
        effort.say(lasting(starts * EACH_S))
        waits_s = []
        for number in range(starts):
            effort.say(f"start {number + 1} of {starts}")
            waits_s.append(_wait_s(folder, pack, number))
    figures = {
        "trials": trials,
        "files": files,
        "first_page_s": {"median": float(np.median(waits_s)), "max": max(waits_s)},
    }
    found = figures["first_page_s"]
    asked = f"a pack of {trials} trials: first page within {LONGEST_S:g} s"
    bars = [bar(1, asked, f"{found['max']:.2f} s at most", found["max"] < LONGEST_S)]
    text = (
        f"A pack of {trials} main trials ({files} files): from the command (`run`) until the "
        f"first page's text is on the screen it takes {found['median']:.2f} s (median "
        f"of {starts}; longest {found['max']:.2f} s), as seen from outside, in the framebuffer. "
        f"This includes Python's start, the check of the seal, the window and measuring its "
        f"refresh rate.\n\n{verdicts(bars)}"
    )
    return Measured(text, {**figures, "bars": bars})


def _wait_s(folder: Path, pack: Path, number: int) -> float:
    frames = folder / f"frames{number}"
    frames.mkdir()
    with virtual_display(SIZE_PX, framebuffer_dir=frames) as shown:
        began_s = time.perf_counter()
        with session_on(folder / f"lab{number}", pack, shown) as process:
            await_text(shown, process)
            return time.perf_counter() - began_s


@contextmanager
def session_on(lab: Path, pack: Path, shown: VirtualDisplay) -> Iterator[subprocess.Popen[bytes]]:
    """Give a robot's session on a display, in a new lab; it is killed at the end."""
    LabFolder.make(lab)
    command = [sys.executable, ROOT / "lab.py", "run", pack, "--robot", "lazy", "--lab", lab]
    command += ["--display", "existing"]
    environment = command_environment(HOME=str(lab))
    process = subprocess.Popen(
        [str(part) for part in command],
        env=environment | {"DISPLAY": shown.name},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def await_text(shown: VirtualDisplay, process: subprocess.Popen[bytes]) -> None:
    """Return when there is text on a display; RuntimeError if the process ends before."""
    assert shown.framebuffer is not None
    until_s = time.monotonic() + PATIENCE_S
    screen = mapped(shown.framebuffer)
    while np.count_nonzero(screen[::2, ::2, 1] > LIGHT) < TEXT_PIXELS:
        if process.poll() is not None:
            raise RuntimeError(f"no page came; the session ended with status {process.returncode}")
        if time.monotonic() > until_s:
            raise RuntimeError(f"no page came within {PATIENCE_S:.0f} s")
        time.sleep(LOOK_EVERY_S)


def mapped(framebuffer: Path) -> NDArray[np.uint8]:
    """Return the pixels of a framebuffer file as they are now and will be.

    Parameters
    ----------
    framebuffer
        An X window dump that an X server mirrors its screen in: a big-endian header, a table of
        colours, then lines of 4 bytes a pixel.

    Returns
    -------
    ndarray
        uint8 (height, width, 4): blue, green, red, nothing.
    """
    words = np.fromfile(framebuffer, dtype=">u4", count=HEADER_WORDS)
    start = int(words[SIZE_WORD] + words[COLOURS_WORD] * COLOUR_BYTES)
    high, line = int(words[HEIGHT_WORD]), int(words[LINE_WORD])
    wide = int(words[WIDTH_WORD])
    plain = np.memmap(framebuffer, dtype=np.uint8, mode="r", offset=start, shape=(high, line))
    return plain[:, : wide * WORD_BYTES].reshape(high, wide, WORD_BYTES)
