"""Runs a verb as `lab` does, with predictors, judges and experts who lose no time."""

import sys

HASTE = 0.1
"""What predictors and judges need of their usual time."""
PATIENCE_S = 5.0
"""How long an expert looks for a numeral."""


def hasty(times):
    from participants.robots.times import ExGaussian

    return ExGaussian(times.mean_s * HASTE, times.sd_s * HASTE, times.tail_s * HASTE)


def main(arguments):
    from participants.studies.accept_reject.robots import expert
    from participants.studies.human_ai_team.robots import judges
    from participants.studies.simulatability.robots import predictors
    from tests.experiments.windows.lab import main as verb

    for robots, names in (
        (predictors, ("LOOK", "RATE", "PREDICT")),
        (judges, ("LOOK", "HELP_TIME")),
    ):
        for name in names:
            setattr(robots, name, hasty(getattr(robots, name)))
    expert.PATIENCE_S = PATIENCE_S
    return verb(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
