"""Runs a verb as `lab` does, with robots who stop for today at the first break that lets them."""

import sys


def leave(robot, on, leave, from_s):
    """Press the key that leaves."""
    robot.turn(leave, from_s)


def main(arguments):
    from experiments.robot_input.actor import RobotActor
    from tests.experiments.windows.lab import main as verb

    RobotActor.go_on_or_leave = leave
    return verb(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
