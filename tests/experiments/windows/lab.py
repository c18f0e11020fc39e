"""Runs a verb of the experiments room in a process of its own, with robots who read quickly."""

import sys

READING_S = 0.1
"""Longer than a robot holds a key, which it may press again on the next page."""


def main(arguments):
    # Not at the top: a robot's hand, a process of its own, begins by importing this file.
    from experiments.robot_input import actor

    actor.READING_S = READING_S
    from experiments.cli import main as verb

    return verb(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
