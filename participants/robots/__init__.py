"""Response models: robots that take a person's place in sessions and simulations."""

from participants.robots.expert import Annotation, annotate
from participants.robots.leads import ROBOTS, Response, Robot
from participants.robots.of_pack import LEADS, AnyRobot, robot_of, usual_robot
from participants.robots.participant import RobotParticipant
from participants.robots.percept import PlatePercept, Sight
from participants.robots.titration import ROBOT_AXIS, robot_rung

__all__ = [
    "LEADS",
    "ROBOTS",
    "ROBOT_AXIS",
    "Annotation",
    "AnyRobot",
    "PlatePercept",
    "Response",
    "Robot",
    "RobotParticipant",
    "Sight",
    "annotate",
    "robot_of",
    "robot_rung",
    "usual_robot",
]
