"""A busy PC: what the photodiode sees dropped is in the record."""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import psutil

from bench.book import Effort, Measured, table
from bench.parts.timing_words import STARTING_S, lasting, ms
from bench.parts.words import bar, verdicts
from experiments.rig.timing.errors import errors_of, summary
from experiments.rig.timing.recording import Beside, record
from experiments.rig.timing.settings import TrialSettings

TRIALS, QUICK_TRIALS = 100, 8
BLINKING_FRAMES = 13
BUSY = "while True: sum(range(10_000))"
LEAST_SHARE = 0.5
STALL_S, CALM_S = (0.012, 0.06), (0.2, 0.5)


@dataclass(slots=True)
class BusyCore:
    """Work of usual priority that keeps one core busy beside a program.

    Attributes
    ----------
    own
        On the very core to which the program is then bound; else where the system puts it.
    share
        Share of a core that the work got while it ran, last time.
    """

    own: bool
    share: float = 0.0

    @contextmanager
    def __call__(self, process: int) -> Iterator[None]:
        work = psutil.Popen([sys.executable, "-c", BUSY])
        try:
            if self.own:
                core = max(os.sched_getaffinity(0))
                os.sched_setaffinity(work.pid, {core})
                _bind(process, core)
            begun_s = time.perf_counter()
            yield
            spent = work.cpu_times()
            self.share = (spent.user + spent.system) / (time.perf_counter() - begun_s)
        finally:
            work.kill()
            work.wait()


def _bind(process: int, core: int) -> None:
    """Bind all threads of a process to a core."""
    for thread in psutil.Process(process).threads():
        with suppress(ProcessLookupError):
            os.sched_setaffinity(thread.id, {core})


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


def conditions() -> dict[str, Beside]:
    """Return what goes on beside the trials, by name."""
    return {
        "nothing else": nullcontext,
        "one core busy": BusyCore(own=False),
        "its own core busy": BusyCore(own=True),
        "stopped now and then": stalls,
    }


def measure(effort: Effort) -> Measured:
    """Show a patch that changes with every frame, and count what each side misses."""
    trials = QUICK_TRIALS if effort.quick else TRIALS
    settings = TrialSettings(trials, on_frames=BLINKING_FRAMES, blinking=True)
    besides = conditions()
    effort.say(lasting(len(besides) * (trials * settings.trial_s + STARTING_S)))
    told: dict[str, Any] = {}
    for name, beside in besides.items():
        effort.say(f"{name}: {trials} trials")
        told[name] = summary([errors_of(record("suite", settings, beside=beside))])
        if isinstance(beside, BusyCore):
            told[name]["work_share"] = beside.share
    unrecorded = sum(one["drops_unrecorded"] for one in told.values())
    seen = sum(one["frames_dropped_seen"] for one in told.values())
    bars = [
        bar(
            1,
            "every refresh that the photodiode sees dropped is in the trial's record",
            f"{seen} seen, {unrecorded} of them not recorded",
            unrecorded == 0 and told["stopped now and then"]["frames_dropped_seen"] > 0,
        ),
        bar(
            2,
            f"the work beside it really ran: it had {LEAST_SHARE:.0%} of a core at least",
            f"{told['one core busy']['work_share']:.0%}",
            told["one core busy"]["work_share"] > LEAST_SHARE,
        ),
    ]
    return Measured(_text(trials, told, bars), {"bars": bars, "trials": trials, **told})


def _showed(told: dict[str, Any]) -> str:
    """Say what the work beside it did to frames."""
    return " ".join(
        f"With {name} (the work got {told[name]['work_share']:.0%} of a core) the photodiode saw "
        f"{told[name]['frames_dropped_seen']} refreshes dropped, {told[name]['drops_unrecorded']} "
        f"of them not in the record, and {told[name]['presses_lost']} of "
        f"{told[name]['presses_sent']} presses were lost."
        for name in ("one core busy", "its own core busy")
    )


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
        f"keeps one core busy, bound to one core together with such work, and stopped from outside "
        f"(SIGSTOP) for 12 to 60 ms every 0.2 to 0.5 seconds. {_showed(told)} "
        f"The record calls a refresh dropped where a flip comes more than 1.2 of them "
        f"after the last, the photodiode where the patch stays for one more."
        f"\n\n{verdicts(bars)}\n\n{table(heads, rows)}"
    )
