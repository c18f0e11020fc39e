"""What typing costs a round's frames, and how exactly keystrokes are stamped."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import numpy as np

from bench.book import Effort, Measured, Part, table
from bench.parts.robot_sessions import ROOT

PROBE: Final = Path(__file__).with_name("reveal_typing_probe.py")
SIZES: Final = ("1280x720", "1920x1080")
ROUNDS, ROUNDS_QUICK = 12, 2
PATIENCE_S: Final = 300


def measure(effort: Effort) -> Measured:
    """Have names typed by real keys at 120 words a minute, at both usual sizes."""
    rounds = ROUNDS_QUICK if effort.quick else ROUNDS
    sizes = SIZES[:1] if effort.quick else SIZES
    figures = {size: _figures(_told(size, rounds)) for size in sizes}
    heads = ["screen", "letters", "lost", "stamp's error", "frames", "lost frames",
             "longest frame", "a letter's cost", "a frame's drawing"]  # fmt: skip
    rows = [
        [
            size,
            f"{found['sent']:,}",
            str(found["lost"]),
            f"{found['error_ms']['mean']:.2f} ms (SD {found['error_ms']['sd']:.2f}, longest "
            f"{found['error_ms']['max']:.2f})",
            f"{found['frames']:,}",
            str(found["dropped"]),
            f"{found['longest_ms']:.1f} ms",
            f"{found['letter_ms']['median']:.2f} ms (95 % within {found['letter_ms']['p95']:.2f})",
            f"{found['draw_ms']:.2f} ms",
        ]
        for size, found in figures.items()
    ]
    text = (
        "A hand in a process of its own types German class names by real keys, ten letters a "
        "second (120 words a minute), into the answer field of a round's screen: image, table of "
        "17 classes, suggestions that change with each letter; on a virtual display of 60 Hz drawn "
        "by the processor.\n\n"
        f"{table(heads, rows)}\n\n"
        "A stamp's error is the time from when a key was sent to the stamp of the letter that it "
        "made. A letter's cost is all that is done for it between two frames: joined with its "
        "press, looked up, drawn, sent to the card and finished there. A frame lasts 16.7 ms."
    )
    return Measured(text, figures)


def _told(size: str, rounds: int) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, str(PROBE), size, str(rounds)],
        env={**os.environ, "PYTHONPATH": str(ROOT), "DISPLAY": ""},
        capture_output=True, text=True, check=False, timeout=PATIENCE_S,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(done.stderr[-800:])
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def _figures(told: dict[str, Any]) -> dict[str, Any]:
    errors_ms = 1000 * np.array(told["errors_s"])
    taking_ms = np.array(told["taking_ms"])
    return {
        "sent": told["sent"],
        "lost": told["sent"] - told["typed"],
        "error_ms": {
            "mean": float(errors_ms.mean()),
            "sd": float(errors_ms.std(ddof=1)),
            "max": float(errors_ms.max()),
        },
        "frames": told["frames"],
        "dropped": told["dropped"],
        "longest_ms": 1000 * max(told["longest_s"]),
        "letter_ms": {
            "median": float(np.median(taking_ms)),
            "p95": float(np.percentile(taking_ms, 95)),
        },
        "draw_ms": told["costs_ms"]["draw"][0],
    }


PARTS: Final = (Part("typing", "Typing at 120 words a minute", measure),)
