"""Runs a verb as `lab` does, with robots who stop for today at the first break that lets them."""

import sys

from experiments.cli import main
from experiments.robot_input.actor import RobotActor


def leave(robot, on, leave, from_s):
    """Press the key that leaves."""
    robot.turn(leave, from_s)


if __name__ == "__main__":
    RobotActor.go_on_or_leave = leave
    sys.exit(main(sys.argv[1:]))
