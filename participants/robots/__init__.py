"""Response models: robots that take a person's place in sessions and simulations."""

from participants.robots.leads import ROBOTS, Response, Robot
from participants.robots.participant import RobotParticipant
from participants.robots.percept import PlatePercept, Sight
from participants.robots.titration import ROBOT_AXIS, robot_rung

__all__ = [
    "ROBOTS",
    "ROBOT_AXIS",
    "PlatePercept",
    "Response",
    "Robot",
    "RobotParticipant",
    "Sight",
    "robot_rung",
]
