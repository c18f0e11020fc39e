"""The button box of the virtual rig: a process that presses keys and buttons at planned times."""

import subprocess
import threading
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from experiments.engine.input import Device
from experiments.rig.timing.programs import program
from experiments.robot_input.inject import BUTTONS
from experiments.robot_input.input_events import Stroke
from experiments.robot_input.key_codes import KEYSYMS
from stimuli.errors import UserError

KINDS: dict[tuple[Device, bool], str] = {
    ("keyboard", True): "k",
    ("keyboard", False): "K",
    ("mouse", True): "b",
    ("mouse", False): "B",
}
GONE_WITHIN_S = 5.0


@dataclass(frozen=True, slots=True)
class Injected:
    """A key or button that went down.

    Attributes
    ----------
    device, key
        Which, as the engine names them.
    t_s
        When, monotonic: just before the request was written to the X server's socket.
    span_s
        Time that writing took.
    hold_s
        How long it was to stay down.
    """

    device: Device
    key: str
    t_s: float
    span_s: float
    hold_s: float


class ButtonBox:
    """Presses what it is told; tells what it did."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._injected: list[Injected] = []
        self._asked_strokes: dict[tuple[str, str], deque[Stroke]] = defaultdict(deque)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def injected(self) -> tuple[Injected, ...]:
        """All that went down so far, in order; may be asked for at any time."""
        return tuple(self._injected)

    def press(self, strokes: Iterable[Stroke]) -> None:
        """Have strokes pressed and released at their times (modifiers are left out).

        It obeys in the order of what it is told: strokes given later must not begin before
        those given earlier have ended.
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
        """Return when all strokes are done.

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
    """Give a button box on the display that DISPLAY names; it ends with the block.

    It presses whatever has the keyboard's focus: use it on a display of its own only.

    Raises
    ------
    UserError
        If the program can't be built, or the display takes no injected keys.
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
        said = process.stderr.read().strip()
        raise UserError(
            f"virtual rig: the button box can't press: {said} (Debian: apt-get install libxtst6)"
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
