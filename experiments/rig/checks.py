"""Checks of a rig: each finds one thing, says how it stands, and what to do."""

import platform
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from experiments.engine.clock import STEP_S, wall_clock
from experiments.engine.pacing import HIGHEST_HZ, LOWEST_HZ
from experiments.engine.stage import Stage
from experiments.rig.profile import RigProfile
from experiments.screens.fonts import FAMILY, font_file, missing_signs
from participants.folder import LabFolder
from participants.registry import Registry
from participants.texts import languages, load_words
from stimuli.errors import UserError
from stimuli.pack import open_pack

Status = Literal["pass", "warn", "fail"]

PYTHONS = ((3, 11), (3, 12))
LEAST_DISK_BYTES, SCANT_DISK_BYTES = 200 * 1024**2, 2 * 1024**3
JITTER_FLIPS = 600
CLOCK_SPAN_S = 0.0005
# Grades of a rig: SD of frame intervals, and share of intervals over .5 ms late.
ACCEPTABLE_SD_S, UNFIT_SD_S = 0.0005, 0.001
ACCEPTABLE_LATE, UNFIT_LATE = 0.05, 0.10
LATE_S = 0.0005


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found.

    Attributes
    ----------
    check
        Its name.
    status
        pass, warn or fail.
    found
        What there is.
    remedy
        What to do; empty for a pass.
    """

    check: str
    status: Status
    found: str
    remedy: str = ""


def python_version() -> Finding:
    """Check that this Python is one that the suite runs on."""
    found = f"Python {platform.python_version()}"
    if sys.version_info[:2] in PYTHONS:
        return Finding("python", "pass", found)
    return Finding("python", "fail", found, "install Python 3.11 or 3.12 and run setup again")


def clock() -> Finding:
    """Check that the monotonic clock and the time of day can be told apart and compared."""
    wall = wall_clock()
    if wall.measure():
        remedy = "let the time service settle, then check again"
        return Finding("clock", "warn", "the time of day was set just now", remedy)
    span_s = wall.span_s
    found = f"read to ±{span_s / 2 * 1e6:.2g} µs; steps over {STEP_S * 1000:g} ms are noticed"
    if span_s < CLOCK_SPAN_S:
        return Finding("clock", "pass", found)
    return Finding("clock", "warn", found, "close other programs: this PC is busy")


def disk(folder: Path) -> Finding:
    """Check that the data have room."""
    free = shutil.disk_usage(folder).free
    found = f"{free / 1024**3:.1f} GiB free"
    if free < LEAST_DISK_BYTES:
        return Finding("disk", "fail", found, f"free some space on the disk of {folder}")
    if free < SCANT_DISK_BYTES:
        return Finding("disk", "warn", found, f"free some space on the disk of {folder} soon")
    return Finding("disk", "pass", found)


def lab_folder(lab: LabFolder) -> Finding:
    """Check that the data can be written."""
    probe = lab.data.root / ".doctor"
    try:
        lab.data.make()
        probe.write_bytes(b"x")
        probe.unlink()
    except (OSError, UserError) as error:
        return Finding("lab folder", "fail", str(error), f"make {lab.data.root} writable")
    return Finding("lab folder", "pass", str(lab.root))


def registry(lab: LabFolder) -> Finding:
    """Check that the registry answers."""
    try:
        people = len(Registry.open(lab.registry_url).list())
    except UserError as error:
        return Finding("registry", "fail", str(error), "see the registry's line in lab.toml")
    return Finding("registry", "pass", f"{people} codes")


def fonts(lab: LabFolder) -> Finding:
    """Check that the typeface is there and has the signs of every language's words."""
    try:
        font_file("regular"), font_file("bold")
        lacking = [
            language
            for language in languages("accept_reject", lab.texts)
            if missing_signs("".join(load_words("accept_reject", language).words.values()))
        ]
    except UserError as error:
        return Finding("fonts", "fail", str(error), "install the requirements anew: lab.py setup")
    if lacking:
        found = f"{FAMILY} lacks signs of: {', '.join(lacking)}"
        return Finding("fonts", "warn", found, "don't run sessions in these languages")
    return Finding("fonts", "pass", FAMILY)


def calibration(rig: RigProfile, path: Path) -> Finding:
    """Check that the display's colours were measured."""
    if rig.display is not None and rig.display.calibrated:
        return Finding("calibration", "pass", f"{rig.display.name} {rig.display.measured_on}")
    return Finding(
        "calibration",
        "warn",
        "the display's colours were never measured; it is taken for sRGB",
        f"measure it before sessions of purpose main and write {path}",
    )


def geometry(rig: RigProfile, path: Path) -> Finding:
    """Check that the display's width and distance are known."""
    if rig.geometry is not None:
        found = f"{rig.geometry.width_cm:g} cm wide, {rig.geometry.distance_cm:g} cm away"
        return Finding("geometry", "pass", found)
    remedy = f"measure width and distance and write them into {path} under [geometry]"
    return Finding("geometry", "warn", "plates have no known visual angle here", remedy)


def pack_seal(folder: Path) -> Finding:
    """Check a pack's seal."""
    try:
        pack = open_pack(folder)
    except UserError as error:
        return Finding("pack", "fail", str(error), "copy the pack again, or build it anew")
    return Finding("pack", "pass", f"{pack.pack_id}, {len(pack.manifest.files)} files")


def keyboard(stage: Stage) -> Finding:
    """Say which backend stamps presses; another than the right one opens no stage."""
    found = f"backend {stage.keyboard.backend}, stamped by {stage.keyboard.clock.name}"
    return Finding("keyboard", "pass", found)


def priority(stage: Stage) -> Finding:
    """Check whether the process could be put before others."""
    if stage.priority == "realtime" or (stage.priority == "high" and sys.platform != "linux"):
        return Finding("priority", "pass", stage.priority)
    remedy = "allow this account real-time priority (Linux: rtprio in /etc/security/limits.conf)"
    return Finding("priority", "warn", stage.priority, remedy)


def framebuffer(stage: Stage) -> Finding:
    """Say how large the picture is."""
    width, height = stage.window.size_px
    found = f"{width} × {height} pixels"
    if height < 720:
        return Finding("framebuffer", "warn", found, "use a display of at least 720 lines")
    return Finding("framebuffer", "pass", found)


def refresh(stage: Stage) -> Finding:
    """Check what paces frames, and at which rate."""
    hz = 1 / stage.period_s
    found = f"{hz:.2f} Hz, {stage.pacing.name}"
    if not LOWEST_HZ <= hz <= HIGHEST_HZ:
        return Finding("refresh", "fail", found, "choose a video mode of 50 to 360 Hz")
    if stage.pacing.name == "vsync":
        return Finding("refresh", "pass", found)
    remedy = "switch on vertical sync in the graphics driver, and use full screen without scaling"
    return Finding("refresh", "warn", f"{found}: swaps don't wait for the display", remedy)


def jitter(stage: Stage, flips: int = JITTER_FLIPS) -> Finding:
    """Measure the intervals of paced frames and grade them."""
    stamps_s = np.array([stage.frame(None) for _ in range(flips + 1)])
    return graded(np.diff(stamps_s), stage.period_s)


def graded(intervals_s: np.ndarray, period_s: float) -> Finding:
    """Return the grade of frame intervals (seconds) at a refresh period."""
    sd_s = float(intervals_s.std(ddof=1))
    late = float(np.mean(intervals_s > period_s + LATE_S))
    dropped = int((intervals_s > 1.2 * period_s).sum())
    found = f"SD {sd_s * 1000:.3f} ms, {late:.1%} late, {dropped} of {len(intervals_s)} dropped"
    remedy = "close other programs, switch off compositing and power saving, check again"
    if sd_s > UNFIT_SD_S or late > UNFIT_LATE:
        return Finding("jitter", "fail", found, remedy)
    if sd_s > ACCEPTABLE_SD_S or late > ACCEPTABLE_LATE:
        return Finding("jitter", "warn", found, remedy)
    return Finding("jitter", "pass", found)


def attempted(name: str, check: Callable[[], Finding], remedy: str) -> Finding:
    """Return a check's finding; what it raises is a failure with that remedy."""
    try:
        return check()
    except UserError as error:
        what, _, todo = str(error).partition("; ")
        return Finding(name, "fail", what, todo or remedy)


def failures(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings that stop a session."""
    return [finding for finding in findings if finding.status == "fail"]
