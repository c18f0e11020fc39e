"""Response models: robots that take a person's place in sessions and simulations."""

from participants.robots.accept_reject.expert import Annotation, annotate
from participants.robots.accept_reject.leads import ROBOTS, Response, Robot
from participants.robots.accept_reject.participant import RobotParticipant
from participants.robots.accept_reject.percept import PlatePercept, Sight
from participants.robots.accept_reject.titration import ROBOT_AXIS, robot_rung
from participants.robots.of_pack import LEADS, AnyRobot, robot_of, usual_robot
from participants.robots.progressive_reveal.viewers import VIEWERS, ViewerParticipant

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
