"""Every check there is, in the order in which they are shown."""

from typing import Final

from experiments.rig.checks import (
    clocks,
    crashes,
    desktop,
    frames,
    measured,
    presses,
    records,
    versions,
    workload,
)
from experiments.rig.checks.finding import Check

DISPLAY: Final = Check(
    "display",
    "a window opens, and no other session uses the display",
    fails="it doesn't, or one does",
    every_session=True,
)
CHECKLIST: Final = Check(
    "checklist",
    "the experimenter's colour checklist (people's sessions)",
    warns="not answered, before a session of purpose pilot or test",
    fails="not answered before one of purpose main, or a point that must hold doesn't",
    every_session=True,
)
DECLINED: Final = Check(
    "declined",
    "the person hasn't declined to take part before (people's sessions)",
    fails="they have",
    every_session=True,
)
SITTING: Final = Check(
    "sitting",
    "the protocol's least gap since the last sitting is over (people's sessions)",
    fails="it isn't",
    every_session=True,
)
CHECKS: Final = (
    versions.PYTHON,
    versions.PACKAGES,
    versions.TORCH,
    clocks.CLOCK,
    clocks.TIME_SERVICE,
    clocks.TIME_ZONE,
    records.LAB_FOLDER,
    records.DISK,
    records.LOCAL_DISK,
    records.REGISTRY,
    records.JOURNALS,
    records.BACKUP,
    crashes.CRASHES,
    records.PACK,
    records.PEOPLE,
    records.SIGNS,
    records.LANGUAGE,
    records.FONTS,
    records.CONSENT,
    workload.MEMORY,
    workload.LOAD,
    workload.POWER,
    measured.CALIBRATION,
    measured.GEOMETRY,
    measured.TIMING,
    desktop.SESSION_TYPE,
    DISPLAY,
    desktop.SCALING,
    desktop.RESOLUTION,
    desktop.COMPOSITING,
    desktop.COVERS,
    desktop.LOOKUP_TABLE,
    presses.KEYBOARD,
    presses.KEYS,
    presses.MOUSE,
    presses.PAD,
    frames.PRIORITY,
    frames.REFRESH,
    frames.JITTER,
    CHECKLIST,
    DECLINED,
    SITTING,
)
