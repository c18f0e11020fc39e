"""Runs a verb as `lab` does, with robots who lose no time."""

import sys

HASTE = 0.1
"""What robots need of their usual time."""
LEAST_FRAMES = 3
"""No robot answers sooner than so many frames: it has seen what it answers, such as help."""
PATIENCE_S = 5.0
"""How long an expert looks for a numeral."""


def main(arguments):
    from participants.robots.choosing import ExGaussian
    from tests.experiments.windows.lab import REFRESH_HZ
    from tests.experiments.windows.lab import main as verb

    if arguments[0] == "annotate":
        from participants.studies.accept_reject.robots import expert

        expert.PATIENCE_S = PATIENCE_S
    else:
        draw, shown_s = ExGaussian.draw, LEAST_FRAMES / REFRESH_HZ
        ExGaussian.draw = lambda times, rng: max(times.least_s, shown_s, HASTE * draw(times, rng))
    return verb(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
