"""Response models: robots that take a person's place in sessions and simulations."""

from participants.robots.of_pack import LEADS, AnyRobot, robot_of, usual_robot
from participants.studies.accept_reject.robots.expert import Annotation, annotate
from participants.studies.accept_reject.robots.leads import ROBOTS, Response, Robot
from participants.studies.accept_reject.robots.participant import RobotParticipant
from participants.studies.accept_reject.robots.percept import PlatePercept, Sight
from participants.studies.accept_reject.robots.titration import ROBOT_AXIS, robot_rung
from participants.studies.progressive_reveal.robots.viewers import VIEWERS, ViewerParticipant

__all__ = [
    "LEADS",
    "ROBOTS",
    "ROBOT_AXIS",
    "VIEWERS",
    "Annotation",
    "AnyRobot",
    "PlatePercept",
    "Response",
    "Robot",
    "RobotParticipant",
    "Sight",
    "ViewerParticipant",
    "annotate",
    "robot_of",
    "robot_rung",
    "usual_robot",
]
