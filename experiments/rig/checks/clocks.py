"""Clocks: the one that stamps, the time of day, what sets it, and its zone."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final
from zoneinfo import ZoneInfo

from experiments.engine.clock import STEP_S, StimulusClock, wall_clock
from experiments.rig.checks.finding import Check, Finding

SPAN_S: Final = 0.0005
# Before the suite was written: a PC whose clock battery is empty starts in the past.
EARLIEST: Final = datetime(2026, 1, 1, tzinfo=UTC)
ANSWER_WITHIN_S: Final = 3.0

CLOCK = Check(
    "clock",
    "the time of day can be compared with the clock that stamps",
    warns="it was set just now, or reading both takes over 0.5 ms",
    fails="it is before 2026",
    every_session=True,
)
TIME_SERVICE = Check(
    "time service",
    "something keeps the time of day correct",
    warns="nothing does, or the system doesn't say",
)
TIME_ZONE = Check(
    "time zone",
    "the zone of local times; data are in UTC",
    warns="the variable TZ names none",
)

Answer = Callable[[list[str]], str | None]


def clock(wall: StimulusClock | None = None, now: datetime | None = None) -> Finding:
    """Check that the monotonic clock and the time of day can be compared."""
    wall, now = wall or wall_clock(), now or datetime.now(UTC)
    if now < EARLIEST:
        return CLOCK.failed("early", f"set_{sys.platform}", now=f"{now:%Y-%m-%d %H:%M}")
    if wall.measure():
        return CLOCK.warned("jumped", "settle")
    judged = CLOCK.passed if wall.span_s < SPAN_S else CLOCK.warned
    return judged("read", span=f"{wall.span_s / 2 * 1e6:.2g}", step=f"{STEP_S * 1000:g}")


def time_service(system: str = sys.platform, answer: Answer | None = None) -> Finding:
    """Check that a service keeps the time of day right.

    Parameters
    ----------
    system
        A value of `sys.platform`.
    answer
        Returns a command's output; None if it can't be run.
    """
    ask = answer or answer_of
    if system == "linux":
        return _on_linux(ask(["timedatectl", "show", "-p", "NTP", "-p", "NTPSynchronized"]))
    if system == "win32":
        known = ask(["w32tm", "/query", "/status"]) is not None
    else:
        known = "On" in (ask(["systemsetup", "-getusingnetworktime"]) or "")
    return TIME_SERVICE.passed("network") if known else TIME_SERVICE.warned("none", f"do_{system}")


def _on_linux(output: str | None) -> Finding:
    if output is None or "NTPSynchronized=" not in output:
        return TIME_SERVICE.warned("unknown", "do_unknown")
    if "NTPSynchronized=yes" in output:
        return TIME_SERVICE.passed("network")
    if "NTP=yes" in output:
        return TIME_SERVICE.warned("unreached", "do_unreached")
    return TIME_SERVICE.warned("off", "do_linux")


def time_zone(variable: str | None = None, now: datetime | None = None) -> Finding:
    """Check the zone of local times.

    Parameters
    ----------
    variable
        Value of TZ, empty if not set; the environment's by default.
    now
        The current time in the local zone.
    """
    named = os.environ.get("TZ", "") if variable is None else variable
    local = now or datetime.now().astimezone()
    zone = TIME_ZONE.passed("zone", zone=f"{local.tzname()}, UTC{local:%z}")
    if not named or not named[0].isalpha() or any(sign.isdigit() for sign in named):
        # The C library reads rules such as CET-1CEST or :/etc/localtime.
        return zone
    try:
        ZoneInfo(named)
    except (KeyError, ValueError, OSError):
        return TIME_ZONE.warned("odd", zone=repr(named))
    return zone


def answer_of(command: list[str]) -> str | None:
    """Return a command's output; None if it doesn't exist, fails or takes too long."""
    program = shutil.which(command[0])
    if program is None:
        return None
    try:
        done = subprocess.run(
            [program, *command[1:]],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=ANSWER_WITHIN_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
