"""Runs a verb of the experiments room in a process of its own, with robots who read quickly.

Its virtual display has a third of the usual refreshes a second. What these tests ask doesn't depend
on them, and frames take most of a session's processor time where the processor draws.
"""

import sys

READING_S = 0.1
"""Longer than a robot holds a key, which it may press again on the next page."""
REFRESH_HZ = 20.0
FLIPS = 60
"""So many tell the rate, which no refresh holds up here."""
NEVER = sys.maxsize
"""No plate is so large that machine code draws it: a hundred plates cost less than to load that."""


def main(arguments):
    # Not at the top: a robot's hand, a process of its own, begins by importing this file.
    from experiments.engine import pacing
    from experiments.rig.checks import frames
    from experiments.robot_input import actor
    from stimuli.plates import render

    actor.READING_S = READING_S
    pacing.NOMINAL_HZ, pacing.MOST_FLIPS = REFRESH_HZ, FLIPS
    pacing.LOWEST_HZ = REFRESH_HZ
    # A busy machine falls behind; that a slow display is refused has tests of its own.
    frames.LOWEST_HZ = REFRESH_HZ / 4
    render.COMPILED_FROM_PX = NEVER
    from experiments.cli import main as verb

    return verb(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
