"""The robots that can judge a pack: of plates, or of labelled images."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from participants.studies.accept_reject.robots.leads import ROBOTS, Robot
from participants.studies.accept_reject.robots.participant import RobotParticipant
from participants.studies.accept_reject_accuracy.robots.labellers import (
    LABELLERS,
    Labeller,
    LabellerParticipant,
)
from stimuli.pack import Pack
from stimuli.protocol.base import Protocol
from stimuli.studies.accept_reject_accuracy.protocol import AcceptRejectAccuracy
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal

LEADS: Final[Mapping[str, Robot | Labeller]] = MappingProxyType({**LABELLERS, **ROBOTS})
"""Every robot that takes a lead's place, by name; which of them fits is the pack's matter."""

AnyRobot = RobotParticipant | LabellerParticipant


def robot_of(name: str, pack: Pack, participant: str, seed: int) -> AnyRobot:
    """Return a robot of that name in front of a pack; UserError if none fits the pack."""
    if isinstance(pack.protocol, AcceptRejectAccuracy):
        return LabellerParticipant.of(name, pack, participant, seed)
    return RobotParticipant.of(name, pack, participant, seed)


def usual_robot(protocol: Protocol) -> str:
    """Return the robot that takes part where none is named."""
    if isinstance(protocol, ProgressiveReveal):
        return "viewer"
    return "exact_labels" if isinstance(protocol, AcceptRejectAccuracy) else "lead"
