"""Runs a verb as `lab` does, with predictors who need a tenth of their time."""

import sys

from experiments.cli import main
from participants.robots.times import ExGaussian
from participants.studies.simulatability.robots import predictors

HASTE = 0.1


def hasty(times):
    return ExGaussian(times.mean_s * HASTE, times.sd_s * HASTE, times.tail_s * HASTE)


if __name__ == "__main__":
    for name in ("LOOK", "RATE", "PREDICT"):
        setattr(predictors, name, hasty(getattr(predictors, name)))
    sys.exit(main(sys.argv[1:]))
