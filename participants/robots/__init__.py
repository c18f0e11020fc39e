"""Response models: robots that take a person's place in sessions and simulations."""

from participants.robots.leads import ROBOTS, Response, Robot
from participants.robots.participant import RobotParticipant, reading_rates, robot_rung
from participants.robots.percept import PlatePercept, Sight

__all__ = [
    "ROBOTS",
    "PlatePercept",
    "Response",
    "Robot",
    "RobotParticipant",
    "Sight",
    "reading_rates",
    "robot_rung",
]
