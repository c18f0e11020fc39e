"""Screening as a kind of session, for every study that has leads or experts by their eyes."""

from typing import Final

from participants.study import Robots, SessionKind
from stimuli.catalogue import Late

HERE = __package__
ROBOTS: Final = (
    "normal", "deutan_slight", "protan_slight", "between", "dichromat", "protan_dichromat",
    "tritan", "inattentive",
)  # fmt: skip

SCREENING: Final = SessionKind(
    role="candidate",
    plan=Late(f"{HERE}.plan:plan_screening"),
    events=Late(f"{HERE}.events:screening_events"),
    robots=Robots(names=ROBOTS, make=Late(f"{HERE}.participant:robots")),
    learns=Late(f"{HERE}.learning:learn_screening"),
    takes=("participant", "lead", "expert"),
)
