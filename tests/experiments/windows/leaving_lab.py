"""Runs a verb as `lab` does, with robots who stop for today at the first break that lets them."""

import sys

from experiments.actor import RobotActor
from experiments.cli import main


def leave(robot, on, leave, from_s):
    """Press the key that leaves."""
    robot.turn(leave, from_s)


if __name__ == "__main__":
    RobotActor.go_on_or_leave = leave
    sys.exit(main(sys.argv[1:]))
