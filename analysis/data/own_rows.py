"""What belongs to a study in tables that it shares with another one.

Two studies whose protocols name the same study, such as two assessments, write into one trial
table and one item table. Each is analysed by a command of its own, which takes its own rows.
"""

from collections.abc import Iterator

import pandas as pd

from stimuli.catalogue import studies_of
from stimuli.errors import UserError
from stimuli.protocol import load_protocol


def own_trials(
    trials: pd.DataFrame, study: str, where: str
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return a study's rows of a trial table, and a sentence on what was left out.

    Raises
    ------
    UserError
        If no row is the study's: `where`, and the command for what there is.
    """
    belongs = _belongs(trials, "trials", study)
    dropped = int((~belongs).sum())
    if not dropped:
        return trials, ()
    others = list(_others(trials, study))
    if not belongs.any():
        commands = [f"; for those of {name}: python3 lab.py analyse {name}" for name in others]
        raise UserError(f"{where}: none of its trials is of {study}{''.join(commands)}")
    rows = "1 trial" if dropped == 1 else f"{dropped} trials"
    note = (
        f"{rows} of {', '.join(others)} in the same table {'was' if dropped == 1 else 'were'} left "
        "out; analyse has a command of that name for them."
    )
    return trials[belongs].reset_index(drop=True), (note,)


def own_rows(table: pd.DataFrame, stem: str, study: str) -> pd.DataFrame:
    """Return a study's rows of a table beside the trials; all rows if none is marked as its own."""
    belongs = _belongs(table, stem, study)
    return table[belongs].reset_index(drop=True) if belongs.any() else table


def _belongs(table: pd.DataFrame, stem: str, study: str) -> pd.Series:
    own = studies_of("analysis")[study].own_rows.get(stem)
    if own is None or own.column not in table:
        return pd.Series(True, index=table.index)
    return own.belong(table[own.column]).astype(bool)


def _others(trials: pd.DataFrame, study: str) -> Iterator[str]:
    """Yield the other studies that have rows in a trial table."""
    recorded = load_protocol(study).study
    for name in studies_of("analysis"):
        shares = name != study and load_protocol(name).study == recorded
        if shares and _belongs(trials, "trials", name).any():
            yield name
