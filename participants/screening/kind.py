"""Screening as a kind of session, for every study that has leads or experts by their eyes."""

from typing import Final

from participants.study import SessionKind
from stimuli.catalogue import Later

ROBOTS: Final = (
    "normal", "deutan_slight", "protan_slight", "between", "dichromat", "protan_dichromat",
    "tritan", "inattentive",
)  # fmt: skip


SCREENING: Final = SessionKind(
    role="candidate",
    plan=Later(f"{__package__}.plan:plan_screening"),
    events=Later(f"{__package__}.events:screening_events"),
    robot_names=ROBOTS,
    load_robots=Later(f"{__package__}.robots:SESSION_ROBOTS").load,
    learns=Later(f"{__package__}.stages:learn_screening"),
    takes=("participant", "lead", "expert"),
)
