"""Sessions of this PC that broke off: named until they have gone on."""

from datetime import datetime
from typing import Final

from experiments.rig.checks.finding import Check, Finding
from experiments.rig.crash_report import BrokenOff, broken_off
from participants.folder import LabFolder

CRASHES: Final = Check(
    "broken off",
    "no session of this PC was ended by a signal in the last seven days and still has to go on",
    warns="one was: the program crashed, it was killed, or the PC went off",
    every_session=True,
)


def crashes(lab: LabFolder) -> Finding:
    """Check that no session waits since it broke off; name each with its last event."""
    found = broken_off(lab)
    if not found:
        return CRASHES.passed("none")
    return CRASHES.warned(
        ", ".join(map(_description, found)),
        "run it again with the same command, it continues; if it says a signal, send the report "
        f"to whoever maintains this PC (in {found[-1].report.parent})",
    )


def _description(one: BrokenOff) -> str:
    """Say how a session ended and what its journal has."""
    how = f"ended by a signal ({one.signal})" if one.signal else "was killed, or the PC went off"
    if one.last_event is None:
        return f"session {one.session} {how} before its first event"
    at = datetime.fromisoformat(one.last_event.t_utc).astimezone()
    return (
        f"session {one.session} {how} after {one.trials_done} trials; last event: "
        f"{one.last_event.event}, {at:%Y-%m-%d %H:%M:%S}"
    )
