"""Select the rows to analyse: of one study and one purpose, without people left out by hand.

Two studies whose protocols name the same study, such as two assessments, share one trial table and
one item table. Each has its own ``analyse`` command, which takes only its own rows.
"""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from stimuli.catalogue import studies_of
from stimuli.errors import UserError
from stimuli.io.given_files import read_text
from stimuli.protocol import load_protocol

PURPOSES = ("main", "pilot", "test", "robot")


def own_trials(
    trials: pd.DataFrame, study: str, where: str
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return a study's rows of a trial table, and a sentence on what was left out.

    Raises
    ------
    UserError
        If no row belongs to the study; it names `where`, and the command for the rows that exist.
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
    """Return a study's rows of a table beside the trials; all rows if none belongs to the study."""
    belongs = _belongs(table, stem, study)
    return table[belongs].reset_index(drop=True) if belongs.any() else table


def _belongs(table: pd.DataFrame, stem: str, study: str) -> pd.Series:
    rule = studies_of("analysis")[study].own_rows.get(stem)
    if rule is None or rule.column not in table:
        return pd.Series(True, index=table.index)
    return rule.belong(table[rule.column]).astype(bool)


def _others(trials: pd.DataFrame, study: str) -> Iterator[str]:
    """Yield the other studies that have rows in a trial table.

    Only studies of the suite share a table. Those outside aren't read: one may be half-written.
    """
    recorded = load_protocol(study).study
    for name in studies_of("analysis").shipped:
        shares = name != study and load_protocol(name).study == recorded
        if shares and _belongs(trials, "trials", name).any():
            yield name


def select_purpose(trials: pd.DataFrame, purpose: str | None) -> tuple[pd.DataFrame, str, str]:
    """Return the trials of one purpose, the purpose, and how it was chosen, in words.

    Main by default. If there are no trials of purpose main, the only other purpose is taken.

    Raises
    ------
    UserError
        If there are no trials of the wanted purpose, or several purposes but no main.
    """
    if "purpose" not in trials:
        if purpose is not None:
            raise UserError("--purpose: the table has no column purpose; leave the option out")
        return trials, "", "The table has no column purpose: all its trials were taken."
    counts = {str(name): n for name, n in trials["purpose"].value_counts().items()}
    have = ", ".join(f"{name} {counts[name]}" for name in sorted(counts))
    chosen = purpose or "main"
    reason = f"Trials of purpose {chosen} were taken (there are: {have})."
    if chosen not in counts:
        if purpose is not None:
            raise UserError(f"--purpose {purpose}: no such trials; there are: {have or 'none'}")
        if len(counts) != 1:
            raise UserError(
                f"no trials of purpose main, but of several others ({have}): choose with --purpose"
            )
        chosen = next(iter(counts))
        reason = f"There are no trials of purpose main; those of purpose {chosen} were taken."
    return rows_of(trials, trials["purpose"] == chosen), chosen, reason


def rows_of(trials: pd.DataFrame, keep: pd.Series) -> pd.DataFrame:
    """Return the trials that a mask keeps, numbered from 0; no copy is made if it keeps all."""
    numbered = isinstance(trials.index, pd.RangeIndex) and trials.index.start == 0
    if numbered and bool(keep.all()):
        return trials
    return trials[keep].reset_index(drop=True)


def read_exclusions(path: Path, trials: pd.DataFrame) -> tuple[str, ...]:
    """Return the participants that a file names, one per line; ``#`` begins a comment.

    Raises
    ------
    UserError
        If the file can't be read or names someone who isn't in the table.
    """
    codes = [line.partition("#")[0].strip() for line in read_text(path).splitlines()]
    codes = list(dict.fromkeys(code for code in codes if code))
    unknown = sorted(set(codes) - set(trials["participant"]))
    if unknown:
        raise UserError(f"{path}: not in the trial table: {', '.join(unknown)}")
    return tuple(codes)
