"""A busy PC: what the photodiode sees dropped is in the record."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

import numpy as np

from experiments.rig.timing.errors import errors_of
from experiments.rig.timing.recording import Beside, record
from experiments.rig.timing.settings import TrialSettings
from experiments.rig.timing.spread import summary
from tests.bench.book import Effort, Measured, table
from tests.bench.parts.timing_words import ms
from tests.bench.parts.words import bar, verdicts

TRIALS, QUICK_TRIALS = 100, 8
BLINKING_FRAMES = 13
BUSY = "while True: sum(range(10_000))"
STALL_S, CALM_S = (0.012, 0.06), (0.2, 0.5)


@contextmanager
def busy_core(process: int) -> Iterator[None]:
    """Keep one core busy with work of usual priority."""
    work = subprocess.Popen([sys.executable, "-c", BUSY])
    try:
        yield
    finally:
        work.kill()
        work.wait()


@contextmanager
def stalls(process: int) -> Iterator[None]:
    """Stop a process again and again for up to a few frames."""
    over = threading.Event()

    def stall() -> None:
        rng = np.random.Generator(np.random.PCG64(7))
        with suppress(ProcessLookupError):
            while not over.wait(rng.uniform(*CALM_S)):
                os.kill(process, signal.SIGSTOP)
                over.wait(rng.uniform(*STALL_S))
                os.kill(process, signal.SIGCONT)

    thread = threading.Thread(target=stall)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


CONDITIONS: dict[str, Beside] = {
    "nothing else": nullcontext,
    "one core busy": busy_core,
    "stopped now and then": stalls,
}


def measure(effort: Effort) -> Measured:
    """Show a patch that changes with every frame, and count what each side misses."""
    trials = QUICK_TRIALS if effort.quick else TRIALS
    settings = TrialSettings(trials, on_frames=BLINKING_FRAMES, blinking=True)
    told: dict[str, Any] = {}
    for name, beside in CONDITIONS.items():
        effort.say(f"{name}: {trials} trials")
        told[name] = summary([errors_of(record("suite", settings, beside=beside))])
    unrecorded = sum(one["drops_unrecorded"] for one in told.values())
    seen = sum(one["frames_dropped_seen"] for one in told.values())
    bars = [
        bar(
            1,
            "every refresh that the photodiode sees dropped is in the trial's record",
            f"{seen} seen, {unrecorded} of them not recorded",
            unrecorded == 0 and told["stopped now and then"]["frames_dropped_seen"] > 0,
        )
    ]
    return Measured(_text(trials, told, bars), {"bars": bars, "trials": trials, **told})


def _text(trials: int, told: dict[str, Any], bars: list[dict[str, Any]]) -> str:
    rows = [
        [
            name,
            str(one["frames_dropped_seen"]),
            str(one["frames_dropped"]),
            str(one["drops_unrecorded"]),
            str(one["presses_lost"]),
            "" if one["onset_error_ms"] is None else ms(one["onset_error_ms"]["sd"]),
        ]
        for name, one in told.items()
    ]
    heads = ["beside it", "seen", "recorded", "not recorded", "presses lost", "onset SD, ms"]
    return (
        f"The marker's patch changes here with every frame of the picture, so that the photodiode "
        f"sees each refresh: {trials} trials of {BLINKING_FRAMES} frames, alone, beside work that "
        f"keeps one core busy, and stopped from outside (SIGSTOP) for 12 to 60 ms every 0.2 to 0.5 "
        f"seconds. The record calls a refresh dropped where a flip comes more than 1.2 of them "
        f"after the last, the photodiode where the patch stays for one more."
        f"\n\n{verdicts(bars)}\n\n{table(heads, rows)}"
    )
