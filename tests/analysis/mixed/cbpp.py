"""Contagious bovine pleuropneumonia in 15 herds (Lesnoff et al. 2004), by herd and period."""

import pandas as pd
from scipy.special import gammaln

# herd: (incidence, size) in periods 1 to 4 (fewer where a herd wasn't seen)
HERDS = {
    1: {1: (2, 14), 2: (3, 12), 3: (4, 9), 4: (0, 5)},
    2: {1: (3, 22), 2: (1, 18), 3: (1, 21)},
    3: {1: (8, 22), 2: (2, 16), 3: (0, 16), 4: (2, 20)},
    4: {1: (2, 10), 2: (0, 10), 3: (2, 9), 4: (0, 6)},
    5: {1: (5, 18), 2: (0, 25), 3: (0, 24), 4: (1, 4)},
    6: {1: (3, 17), 2: (0, 17), 3: (0, 18), 4: (1, 20)},
    7: {1: (8, 16), 2: (1, 10), 3: (3, 9), 4: (0, 5)},
    8: {1: (12, 34)},
    9: {1: (2, 9), 2: (0, 6), 3: (0, 8), 4: (0, 6)},
    10: {1: (1, 22), 2: (1, 22), 3: (0, 18), 4: (2, 22)},
    11: {1: (0, 25), 2: (5, 27), 3: (3, 22), 4: (1, 22)},
    12: {1: (2, 10), 2: (1, 8), 3: (0, 6), 4: (0, 5)},
    13: {1: (1, 21), 2: (2, 24), 3: (0, 19), 4: (0, 23)},
    14: {1: (11, 19), 2: (0, 2), 3: (0, 3), 4: (0, 2)},
    15: {1: (1, 19), 2: (1, 15), 3: (1, 15), 4: (0, 15)},
}


def animals() -> pd.DataFrame:
    """Return one row an animal: herd, period, ill (0/1)."""
    return pd.DataFrame(
        [
            {"herd": f"h{herd:02d}", "period": str(period), "ill": int(animal < cases)}
            for herd, periods in HERDS.items()
            for period, (cases, size) in periods.items()
            for animal in range(size)
        ]
    )


def log_coefficients() -> float:
    """Return the sum of the log binomial coefficients, which grouped data add."""
    cells = [cell for periods in HERDS.values() for cell in periods.values()]
    return float(sum(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) for k, n in cells))
