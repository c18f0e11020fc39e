"""Made-up applications for loans, granted and denied: a small table that comes with the suite.

Nobody's data: a rule with noise decides. So a model is right on most of them, and wrong on enough.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from stimuli.io.canonical import seed_of

LOANS: Final = 6000
NOISE: Final = 0.9
"""Standard deviation of what the decision adds to the rule."""
CLASSES: Final = ("denied", "granted")
WORK: Final = {"permanent": 0.9, "temporary": -0.6, "own business": 0.1, "student": -0.8,
               "retired": 0.3}  # fmt: skip
HOME: Final = {"own": 0.6, "rent": -0.3, "family": 0.0}
EARLIER: Final = {"none": 0.0, "repaid": 0.9, "one late": -0.7, "several late": -1.5}
PURPOSE: Final = {"car": 0.1, "home": 0.4, "studies": 0.2, "travel": -0.6}
COLUMNS: Final = (
    "Age", "Income", "Savings", "Loan", "Work", "Home", "Earlier loans", "Purpose", "label",
)  # fmt: skip


def loans(count: int = LOANS) -> list[tuple[str, ...]]:
    """Return rows with the columns of `COLUMNS`; the same for the same number.

    Age is in years; income a month, savings and the loan's sum are in thousands.
    """
    rng = np.random.Generator(np.random.PCG64(seed_of("loans")))
    age = rng.integers(19, 76, count)
    income = np.round(rng.gamma(4.0, 0.7, count) + 0.6, 1)
    savings = np.round(rng.gamma(1.2, 6.0, count), 1)
    wanted = np.round(rng.gamma(2.0, 6.0, count) + 1.0)
    named = [rng.choice(list(levels), count) for levels in (WORK, HOME, EARLIER, PURPOSE)]
    rule = (
        0.9 * np.tanh((income - 3.2) / 1.2)
        + 0.7 * np.tanh((savings - 6.0) / 5.0)
        - 0.9 * np.tanh((wanted - 12.0) / 8.0)
        + 0.3 * np.where((age > 28) & (age < 65), 1, -1)
        + sum(
            _weights(values, levels)
            for values, levels in zip(named, (WORK, HOME, EARLIER, PURPOSE), strict=True)
        )
        # Savings make up for a late loan.
        + 0.6 * ((named[2] == "one late") & (savings > 8))
    )
    decided = rule - np.median(rule) + NOISE * rng.normal(size=count)
    label = np.where(decided > 0, *CLASSES[::-1])
    columns = (age, income, savings, wanted.astype(int), *named, label)
    return [tuple(map(str, row)) for row in zip(*columns, strict=True)]


def _weights(values: NDArray[np.str_], levels: dict[str, float]) -> NDArray[np.float64]:
    return np.array([levels[value] for value in values])
