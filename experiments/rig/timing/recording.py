"""One program of the bench, run on the virtual rig: what it recorded, and what was really so."""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from experiments.engine.input import Press
from experiments.engine.virtual_display import virtual_display
from experiments.rig.timing.exclusions import Span, Standstill, stolen_time, witness
from experiments.rig.timing.instruments import (
    SLOT_S,
    Edge,
    Injected,
    button_box,
    photodiode,
    planned_presses,
)
from experiments.rig.timing.settings import SIZE_PX, TrialSettings
from stimuli.errors import UserError

Programme = Literal["suite", "plain", "plain_without_wait"]
Beside = Callable[[int], AbstractContextManager[Any]]

MODULES: dict[Programme, str] = {
    "suite": "experiments.rig.timing.suite_trial",
    "plain": "experiments.rig.timing.plain_script",
    "plain_without_wait": "experiments.rig.timing.plain_script",
}
ROOT = Path(__file__).parents[3]
LEAD_S = 0.3
PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True)
class Recorded:
    """A program's own record, on the monotonic clock.

    Attributes
    ----------
    onsets_s, offsets_s
        Times of each trial's picture.
    dropped
        Number of frames that each picture lost.
    presses
        Keys and buttons, in the order in which they were taken.
    facts
        What the program reported: backend, pacing, priority.
    """

    onsets_s: tuple[float, ...]
    offsets_s: tuple[float, ...]
    dropped: tuple[int, ...]
    presses: tuple[Press, ...]
    facts: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Recording:
    """A program's record, with the records of the photodiode and the button box.

    Attributes
    ----------
    settings
        The trials.
    recorded
        The program's record.
    edges
        The photodiode's edges.
    injected
        The button box's presses.
    stolen
        When processor time was given to other machines, by the kernel's count.
    standstills
        When a core ran no program, by a witness; empty without a witness.
    """

    settings: TrialSettings
    recorded: Recorded
    edges: tuple[Edge, ...]
    injected: tuple[Injected, ...]
    stolen: tuple[Span, ...]
    standstills: tuple[Standstill, ...] = ()


def record(
    programme: Programme,
    settings: TrialSettings,
    *,
    slot_s: float = SLOT_S,
    beside: Beside = nullcontext,
) -> Recording:
    """Run a program on a separate virtual display and return what happened.

    Parameters
    ----------
    programme
        The program.
    settings
        The trials.
    slot_s
        Length of a slot of `planned_presses`.
    beside
        Context manager, entered with the program's process id while its trials run.

    Raises
    ------
    UserError
        If there is no virtual display or no C compiler here.
    """
    settings = replace(settings, wait_blanking=programme != "plain_without_wait")
    with (
        tempfile.TemporaryDirectory(prefix="plainsight-rig-") as folder,
        virtual_display(settings.size_px or SIZE_PX, framebuffer_dir=Path(folder)) as display,
        button_box() as box,
    ):
        child = start_programme(programme, settings)
        try:
            wait_until_ready(child)
            # They look some ten thousand times a second, and only once the program has loaded.
            with (
                photodiode(_framebuffer(display.framebuffer)) as diode,
                stolen_time() as stolen,
                witness() as still,
            ):
                begin(child)
                start_s = time.perf_counter() + LEAD_S
                lasting_s = settings.trials * settings.trial_s - LEAD_S
                box.press(planned_presses(start_s, lasting_s, settings.period_s, slot_s))
                with beside(child.pid):
                    # The suite's program listens until its input ends: the last press may come
                    # late.
                    box.finish(lasting_s + PATIENCE_S)
                    output, _ = child.communicate(timeout=PATIENCE_S)
                time.sleep(LEAD_S)
        finally:
            child.kill()
    if child.returncode:
        raise RuntimeError(f"the program {programme} failed with status {child.returncode}")
    recorded = recorded_by(output)
    return Recording(settings, recorded, diode.edges, box.injected, stolen.spans, still.standstills)


def _framebuffer(file: Path | None) -> Path:
    if file is None:
        raise UserError("virtual rig: the pixels of this display can't be read")
    return file


def start_programme(programme: Programme, settings: TrialSettings) -> subprocess.Popen[str]:
    """Start a program of the bench on the display that DISPLAY names."""
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    command: Sequence[str] = (sys.executable, "-m", MODULES[programme], settings.to_json())
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stdin=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )


def wait_until_ready(child: subprocess.Popen[str]) -> None:
    """Wait until its trials can begin; end the program if that takes longer than 2 minutes."""
    assert child.stdout is not None
    patience = threading.Timer(2 * PATIENCE_S, child.kill)
    patience.start()
    try:
        for line in child.stdout:
            if line.strip() == "ready":
                return
    finally:
        patience.cancel()
    raise RuntimeError(f"a program of the bench ended early, with status {child.wait()}")


def begin(child: subprocess.Popen[str]) -> None:
    """Let a program that is ready begin its trials; the end of its input would do so, too."""
    assert child.stdin is not None
    child.stdin.write("\n")
    child.stdin.flush()


def recorded_by(output: str) -> Recorded:
    """Return the record in the output of a program that has ended."""
    document = json.loads(output.strip().splitlines()[-1])
    return Recorded(
        onsets_s=tuple(document["onsets_s"]),
        offsets_s=tuple(document["offsets_s"]),
        dropped=tuple(document["dropped"]),
        presses=tuple(Press(key, t_s, device=device) for device, key, t_s in document["presses"]),
        facts=document["facts"],
    )
