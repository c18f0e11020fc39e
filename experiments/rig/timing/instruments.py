"""The instruments of the virtual rig: a photodiode, and a button box that presses by a plan.

Each is a process of its own. Its program is compiled from C when it is first needed, and its output
is read line by line. The photodiode watches the marker patch in the framebuffer. The button box
presses keys and buttons at planned times: every kind of press at every phase of a frame.
"""

import hashlib
import os
import shutil
import subprocess
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count, cycle
from pathlib import Path
from typing import Literal, TypeVar

from experiments.robot_input.inject import BUTTONS
from experiments.robot_input.input_events import KEYSYMS, Stroke
from stimuli.devices import DeviceName
from stimuli.errors import UserError
from stimuli.places import cache_dir

Program = Literal["photodiode", "button_box", "standstill"]

HERE = Path(__file__).parent
COMPILERS = ("cc", "gcc", "clang")
FLAGS = ("-std=c11", "-O2", "-Wall", "-Wextra", "-Werror")
LIBRARIES = ("-ldl", "-pthread")

GONE_WITHIN_S = 5.0

Seen = TypeVar("Seen")


@contextmanager
def observing(
    command: Sequence[str], read: Callable[[str], Seen], complaint: str
) -> Iterator[tuple[str, list[Seen]]]:
    """Run an observing program; yield its first line, and a list that grows with what it sees.

    Parameters
    ----------
    command
        The program and its arguments. It prints a line when it starts to observe, then one for
        each observation.
    read
        Converts such a line to an observation.
    complaint
        Error message if no first line comes; the program's output follows it.

    Raises
    ------
    UserError
        If no first line comes.
    """
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stderr is not None
    lines, seen = process.stdout, list[Seen]()
    first = lines.readline().strip()
    if not first:
        raise UserError(f"virtual rig: {complaint}: {process.stderr.read().strip()}")
    reader = threading.Thread(target=lambda: seen.extend(map(read, lines)), daemon=True)
    reader.start()
    try:
        yield first, seen
    finally:
        process.terminate()
        process.wait(timeout=GONE_WITHIN_S)
        reader.join(timeout=GONE_WITHIN_S)


def program(name: Program) -> Path:
    """Return a program's file in the lab's cache; build it again if its source has changed.

    Raises
    ------
    UserError
        If there is no C compiler, or it can't build the program.
    """
    sources = sorted(HERE.glob("*.c")) + sorted(HERE.glob("*.h"))
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in sources)).hexdigest()
    built = cache_dir() / "rig" / f"{name}-{digest[:16]}"
    if not built.exists():
        built.parent.mkdir(parents=True, exist_ok=True)
        _build(HERE / f"{name}.c", built)
    return built


def _build(source: Path, built: Path) -> None:
    compiler = next(filter(None, map(shutil.which, COMPILERS)), None)
    if compiler is None:
        raise UserError(
            "virtual rig: there is no C compiler (cc); install one (Debian: apt-get install gcc "
            "libc6-dev)"
        )
    aside = built.with_name(f"{built.name}.{os.getpid()}.part")
    command = [compiler, *FLAGS, "-o", str(aside), str(source), *LIBRARIES]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        output = done.stderr.strip().splitlines() or ["it says nothing"]
        raise UserError(
            f"virtual rig: {compiler} can't build {source.name}: {output[0]}; install the C "
            "library's headers (Debian: apt-get install libc6-dev)"
        )
    aside.replace(built)


NAP_US = 50


@dataclass(frozen=True, slots=True)
class Edge:
    """A change of the patch to light or dark.

    Attributes
    ----------
    seen_s
        When a look found the change, monotonic.
    gap_s
        Time since the look before it; the change lies in between.
    light
        Whether it became light.
    """

    seen_s: float
    gap_s: float
    light: bool

    @property
    def t_s(self) -> float:
        """Best estimate of the time of the change: the middle between the two looks."""
        return self.seen_s - self.gap_s / 2


class Photodiode:
    """Edges seen so far, in the order in which they happened."""

    def __init__(self, edges: list[Edge]) -> None:
        self._edges = edges

    @property
    def edges(self) -> tuple[Edge, ...]:
        """All edges so far; may be called at any time."""
        return tuple(self._edges)


@contextmanager
def photodiode(framebuffer: Path, nap_us: int = NAP_US) -> Iterator[Photodiode]:
    """Simulate a photodiode over the 64 × 64 pixels in the top left corner of a framebuffer.

    Parameters
    ----------
    framebuffer
        File in which an X server mirrors its pixels (`virtual_display(framebuffer_dir=...)`).
    nap_us
        Sleep between two looks, microseconds.

    Raises
    ------
    UserError
        If the program can't be built, or the file is no framebuffer of 32 bits a pixel.
    """
    command = [str(program("photodiode")), str(framebuffer), str(nap_us)]
    with observing(command, _edge, "the photodiode can't see") as (_, edges):
        yield Photodiode(edges)


def _edge(line: str) -> Edge:
    seen_ns, gap_ns, level = map(int, line.split())
    return Edge(seen_ns / 1e9, gap_ns / 1e9, bool(level))


SLOT_S = 0.1
LONG_S, SHORT_S = 0.02, 0.002
BETWEEN_TWO_S = 0.005
GOLDEN = 0.6180339887498949
PRESSED_KEYS = "fjdksl"
PRESSED_BUTTONS = ("left", "middle", "right")


def planned_presses(
    start_s: float, lasting_s: float, period_s: float, slot_s: float = SLOT_S
) -> list[Stroke]:
    """Return presses for a period of time, one or two in each slot.

    Slots alternate between a key, a button, a key for less than a frame, a button for less than
    a frame, and two keys within a frame. The phases of the presses within their frames form an
    even grid (multiples of the golden section).

    Parameters
    ----------
    start_s, lasting_s
        Start (monotonic) and length of the period.
    period_s
        Length of a frame.
    slot_s
        Length of a slot; two keys and four tenths of a frame must fit into it.
    """
    keys, buttons = cycle(PRESSED_KEYS), cycle(PRESSED_BUTTONS)
    rounds = cycle((_key, _button, _short_key, _short_button, _two_keys))
    strokes: list[Stroke] = []
    for number, kind in zip(count(), rounds):
        at_s = start_s + number * slot_s + (number * GOLDEN) % 1 * period_s
        if at_s + slot_s > start_s + lasting_s:
            return strokes
        strokes += kind(at_s, keys, buttons)
    return strokes


def _key(at_s: float, keys: Iterator[str], buttons: Iterator[str]) -> list[Stroke]:
    return [Stroke(next(keys), at_s, LONG_S)]


def _short_key(at_s: float, keys: Iterator[str], buttons: Iterator[str]) -> list[Stroke]:
    return [Stroke(next(keys), at_s, SHORT_S)]


def _button(at_s: float, keys: Iterator[str], buttons: Iterator[str]) -> list[Stroke]:
    return [Stroke(next(buttons), at_s, LONG_S, device="mouse")]


def _short_button(at_s: float, keys: Iterator[str], buttons: Iterator[str]) -> list[Stroke]:
    return [Stroke(next(buttons), at_s, SHORT_S, device="mouse")]


def _two_keys(at_s: float, keys: Iterator[str], buttons: Iterator[str]) -> list[Stroke]:
    return [Stroke(next(keys), at_s, SHORT_S), Stroke(next(keys), at_s + BETWEEN_TWO_S, LONG_S)]


KINDS: dict[tuple[DeviceName, bool], str] = {
    ("keyboard", True): "k",
    ("keyboard", False): "K",
    ("mouse", True): "b",
    ("mouse", False): "B",
}


@dataclass(frozen=True, slots=True)
class Injected:
    """A key or button that went down.

    Attributes
    ----------
    device, key
        The engine's names of the device and the key.
    t_s
        Time, monotonic, just before the request was written to the X server's socket.
    span_s
        Time that writing took.
    hold_s
        Planned time to stay down.
    """

    device: DeviceName
    key: str
    t_s: float
    span_s: float
    hold_s: float


class ButtonBox:
    """Presses keys and buttons on request, and reports the presses."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._injected: list[Injected] = []
        self._asked_strokes: dict[tuple[str, str], deque[Stroke]] = defaultdict(deque)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def injected(self) -> tuple[Injected, ...]:
        """All presses so far, in order; may be called at any time."""
        return tuple(self._injected)

    def press(self, strokes: Iterable[Stroke]) -> None:
        """Request strokes to be pressed and released at their times (modifiers are ignored).

        Requests are handled in order: a stroke must not begin before the strokes of earlier calls
        have ended.
        """
        assert self._process.stdin is not None
        acts = []
        for stroke in strokes:
            down, up = KINDS[stroke.device, True], KINDS[stroke.device, False]
            name = _name(stroke)
            self._asked_strokes[down, name].append(stroke)
            acts += [(stroke.at_s, down, name), (stroke.at_s + stroke.hold_s, up, name)]
        lines = [f"{at_s * 1e9:.0f} {kind} {name}\n" for at_s, kind, name in sorted(acts)]
        self._process.stdin.write("".join(lines))
        self._process.stdin.flush()

    def finish(self, timeout_s: float) -> None:
        """Wait until all strokes are done.

        Raises
        ------
        RuntimeError
            If the box gave up before that.
        """
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=timeout_s)
        self._reader.join(timeout=GONE_WITHIN_S)
        if self._process.returncode:
            raise RuntimeError(f"the button box gave up, status {self._process.returncode}")

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            before_ns, after_ns, kind, name = line.split()
            if asked := self._asked_strokes.get((kind, name)):
                stroke, span_s = asked.popleft(), (int(after_ns) - int(before_ns)) / 1e9
                self._injected.append(
                    Injected(stroke.device, stroke.key, int(before_ns) / 1e9, span_s, stroke.hold_s)
                )


@contextmanager
def button_box() -> Iterator[ButtonBox]:
    """Run a button box on the display that DISPLAY names, during the block.

    Its presses go to whatever has the keyboard's focus: use it only on a separate display.

    Raises
    ------
    UserError
        If the program can't be built, or the display doesn't accept injected keys.
    """
    process = subprocess.Popen(
        [str(program("button_box"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    if process.stdout.readline().strip() != "ready":
        output = process.stderr.read().strip()
        raise UserError(
            f"virtual rig: the button box can't press: {output} (Debian: apt-get install libxtst6)"
        )
    box = ButtonBox(process)
    try:
        yield box
    finally:
        process.kill()
        process.wait(timeout=GONE_WITHIN_S)


def _name(stroke: Stroke) -> str:
    """Return X's name of a key, or the number of a button."""
    if stroke.device == "mouse":
        return str(BUTTONS[stroke.key])
    return KEYSYMS.get(stroke.key, stroke.key)
