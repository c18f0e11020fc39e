"""The event that opens a journal: who, what and when, on which display, by which programs."""

import importlib.metadata
import platform
from datetime import datetime
from typing import Any

from experiments.engine.stage import Stage
from experiments.pages.settings import Painter, ScreenSettings
from experiments.session.booking import Booking
from participants.clock import clock_name, clock_resolution_s
from stimuli.colour.display import profile_hash

VERSIONS_OF = ("psychopy", "psychtoolbox", "pyglet", "numpy", "pillow")


def journal_header(
    booking: Booking,
    stage: Stage,
    settings: ScreenSettings[Painter],
    *,
    robot: str | None,
    injection: str,
) -> dict[str, Any]:
    """Return the fields of a journal's first event.

    Parameters
    ----------
    booking
        The session.
    stage, settings
        The open window, and what its screens are made with.
    robot
        Its name; None for a person.
    injection
        How the robot's key events are made; empty for a person.
    """
    plan = booking.plan
    return {
        "session": booking.paths.session,
        "participant": booking.code,
        "role": booking.role,
        "study": plan.study,
        "purpose": booking.purpose,
        "pack_id": plan.pack_id,
        "protocol_hash": plan.protocol_hash,
        "list": plan.list_id,
        "order": plan.order,
        "language": plan.language,
        "rig": booking.rig,
        "robot": robot or "",
        "refresh_hz": 1 / stage.period_s,
        "pacing": stage.pacing.name,
        "keyboard_backend": stage.keyboard.backend,
        "clock": clock_name(),
        "clock_resolution_s": clock_resolution_s(),
        "display": {**_display(stage, settings), "injection": injection},
        "versions": _versions(),
        "accept_key": plan.keys.get("accept", ""),
        "reject_key": plan.keys.get("reject", ""),
        "time_zone": str(datetime.now().astimezone().tzinfo),
    }


def _display(stage: Stage, settings: ScreenSettings[Painter]) -> dict[str, Any]:
    """Return what is known of the display, and how frames were obtained."""
    rig = settings.rig
    return {
        "profile_hash": profile_hash(rig.colours),
        "calibrated": rig.colours.calibrated,
        "profile": rig.colours.name,
        "rig_hash": rig.hash(),
        "grade": "" if rig.timing is None else rig.timing.grade,
        "width_px": stage.window.size_px[0],
        "height_px": stage.window.size_px[1],
        "px_per_deg": rig.px_per_deg(stage.window.size_px[0]),
        "plate_px": settings.stimulus_px(),
        "refresh_sd_ms": stage.refresh.sd_s * 1000,
        "marker": stage.marker is not None,
        "triggers": stage.triggers.name,
        "priority": stage.priority,
    }


def _versions() -> dict[str, str]:
    parts = {name: importlib.metadata.version(name) for name in VERSIONS_OF}
    return {"python": platform.python_version(), "system": platform.platform(), **parts}
