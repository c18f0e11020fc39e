"""Who takes part in a simulation: codes, sessions' ids, times, and how their journals begin."""

from datetime import datetime, timedelta
from typing import Any, Final

from participants.registry.codes import LENGTH, LETTERS, SIGNS, check_sign
from participants.session import SessionPlan
from participants.simulate.clock import EPOCH
from stimuli.io.canonical import seed_of

RIG: Final = "simulation"


def simulated_code(study: str, seed: int, number: int) -> str:
    """Return a participant's code that study, seed and number give.

    Two studies have other people, so that their data folders can be merged.

    Parameters
    ----------
    study
        As the catalogue names it.
    seed, number
        Of the simulation, and of the participant, from 0.
    """
    draw = seed_of("simulated code", study, seed, number)
    body = LETTERS[draw % len(LETTERS)]
    for _ in range(LENGTH - 2):
        draw //= len(SIGNS)
        body += SIGNS[draw % len(SIGNS)]
    return body + check_sign(body)


def session_id(participant: str, number: int) -> str:
    """Return the id of the session of the participant with a number, from 0."""
    return f"{start_of(number):%Y%m%dT%H%M%SZ}-{participant}"


def start_of(number: int) -> datetime:
    """Return when the participant with a number comes, from 0."""
    return EPOCH + timedelta(hours=2 * number)


def journal_header(
    plan: SessionPlan, role: str, robot: str, participant: str, session: str
) -> dict[str, Any]:
    """Return the fields of a simulated session's ``session`` event.

    Parameters
    ----------
    plan
        The session.
    role
        ``lead`` or ``participant``.
    robot
        Kind of robot.
    participant, session
        Its code, and the session's id.
    """
    return {
        "session": session,
        "participant": participant,
        "role": role,
        "study": plan.study,
        "purpose": "robot",
        "pack_id": plan.pack_id,
        "protocol_hash": plan.protocol_hash,
        "list": plan.list_id,
        "order": plan.order,
        "language": plan.language,
        "rig": RIG,
        "robot": robot,
        "refresh_hz": None,
        "pacing": "none",
        "keyboard_backend": "none",
        "clock": "simulated",
        "clock_resolution_s": 0.0,
        "display": {"profile_hash": "", "calibrated": False},
        "versions": {},
        "accept_key": plan.keys.get("accept", ""),
        "reject_key": plan.keys.get("reject", ""),
        "time_zone": "UTC",
    }
