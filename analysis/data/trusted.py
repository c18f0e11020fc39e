"""Rows of sessions that can be trusted."""

from pathlib import Path

import pandas as pd

from analysis.data.sessions import Sessions
from stimuli.errors import UserError


def trusted_trials(trials: pd.DataFrame, sessions: Sessions | None, folder: Path) -> pd.DataFrame:
    """Return the rows of sessions that can be trusted; UserError if there are none."""
    kept = trusted_rows(trials, sessions)
    if len(trials) and kept.empty:
        assert sessions is not None
        why = next(iter(sessions.suspect.values()), "everybody withdrew their data")
        raise UserError(
            f"{folder}: no session can be trusted, so nothing can be analysed; the first: {why}"
        )
    return kept


def trusted_rows(table: pd.DataFrame, sessions: Sessions | None) -> pd.DataFrame:
    """Return a table without rows of sessions that can't be trusted or were withdrawn."""
    if sessions is None or "session" not in table:
        return table
    withdrawn = {fact.session for fact in sessions.facts if fact.withdrawn}
    return table[~table["session"].isin({*sessions.suspect, *withdrawn})].reset_index(drop=True)
