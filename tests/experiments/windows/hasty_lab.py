"""Runs a verb as `lab` does, with robots who lose no time."""

import sys

HASTE = 0.1
"""What robots need of their usual time."""
PATIENCE_S = 5.0
"""How long an expert looks for a numeral."""


def main(arguments):
    from participants.robots.choosing import ExGaussian
    from tests.experiments.windows.lab import main as verb

    if arguments[0] == "annotate":
        from participants.studies.accept_reject.robots import expert

        expert.PATIENCE_S = PATIENCE_S
    else:
        draw = ExGaussian.draw
        ExGaussian.draw = lambda times, rng: max(times.least_s, HASTE * draw(times, rng))
    return verb(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
