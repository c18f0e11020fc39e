"""The public data sets of tests/data."""

from pathlib import Path

import pandas as pd

from analysis.fit.command import read_any_table

FOLDER = Path(__file__).parents[2] / "data"


def public(name: str) -> pd.DataFrame:
    """Return one of them, as ``fit`` reads it."""
    return read_any_table(FOLDER / f"{name}.csv")
