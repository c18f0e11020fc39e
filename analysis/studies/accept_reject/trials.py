"""From the trial table to judged trials: what counts as accepted, and by when."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from stimuli.errors import UserError
from stimuli.studies.accept_reject.assessment import LeadRules
from stimuli.studies.accept_reject.tables import CONTROL_KINDS

SIGNAL, NOISE = "right_digit", "wrong_digit"
"""Controls whose contour, if any, is like that of S's and E's solutions: harm is judged by them."""
MISLEADING: Mapping[str, str] = {
    kind: base
    for base in (SIGNAL, NOISE)
    for kind in CONTROL_KINDS
    if kind.startswith(base) and kind != base
}
"""Controls whose contour misleads on purpose, and the control that each varies."""
NO_CONTOUR = "no_numeral"
S_LIKE, E_LIKE = "no_numeral_s_like", "no_numeral_e_like"
ANYONE_SEES = ("high_contrast",)
MUST_REJECT = (NO_CONTOUR, "no_solution")
CELLS: tuple[tuple[str, bool], ...] = (("S", False), ("S", True), ("E", False), ("E", True))
"""Who solved a plate, and whether the solution is explained: the cells of the main comparison."""
OTHER_TIMES: Mapping[str, float] = {
    "decision time × 2/3": 2 / 3,
    "decision time × 1.5": 1.5,
}
"""Choices of another decision time, as parts of the primary one."""
_MEASURED = (
    "participant", "item", "solver", "explained", "control_kind", "accepted", "probe", "sham",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ScoredTrials:
    """Trials with their judgement.

    Attributes
    ----------
    frame
        One row for each trial; beside the table's columns ``accept_s`` (decision time of an
        acceptance, infinite for anything else), ``accepted`` (bool), ``first_run``
        (True, False, or missing where the order isn't known), ``probe`` (bool: shown without
        explanation in the lead's run with them), ``sham`` (bool: of a lead with two runs
        without explanations).
    cutoff_s
        The primary decision time.
    limit_s
        The longest decision time shown in curves.
    mode
        ``internal`` or ``visible``.
    notes
        What was decided about odd rows, one sentence each.
    stored
        How many stored judgements differ from ours, by column of the table.
    """

    frame: pd.DataFrame
    cutoff_s: float
    limit_s: float
    mode: str
    notes: tuple[str, ...]
    stored: Mapping[str, int] = field(default_factory=dict)

    @property
    def participants(self) -> int:
        """Number of participants."""
        return int(self.frame["participant"].nunique())

    @property
    def aside(self) -> np.ndarray:
        """(n,) whether a trial belongs to neither of the two runs that usefulness compares."""
        return (self.frame["probe"] | self.frame["sham"]).to_numpy(dtype=bool)

    def within(self, factor: float) -> "ScoredTrials | None":
        """Return the trials judged by another decision time; None if it changes no judgement.

        Parameters
        ----------
        factor
            Of the primary decision time.
        """
        accepted = self.frame["accept_s"] <= factor * self.cutoff_s
        if self.mode == "visible" or accepted.equals(self.frame["accepted"].astype(bool)):
            return None
        return replace(self, frame=self.frame.assign(accepted=accepted))

    def of(self, keep: pd.Series | np.ndarray) -> "ScoredTrials":
        """Return the trials that a mask keeps."""
        return self._of(keep, list(map(str, self.frame)))

    def measured(self, keep: pd.Series | np.ndarray) -> "ScoredTrials":
        """Return the trials that a mask keeps, with the columns that rates are computed from."""
        return self._of(keep, list(_MEASURED))

    def _of(self, keep: pd.Series | np.ndarray, columns: list[str]) -> "ScoredTrials":
        frame = self.frame.loc[np.asarray(keep, dtype=bool), columns]
        return replace(self, frame=frame.reset_index(drop=True))


def judge_trials(trials: pd.DataFrame, protocol: LeadRules, clock: str = "rt_s") -> ScoredTrials:
    """Judge every main trial by one clock.

    With an internal cutoff a trial is accepted when the lead accepted no later than the
    cutoff; with a visible one whenever the lead accepted.

    Parameters
    ----------
    trials
        Table of one purpose.
    protocol
        Gives cutoff and mode if the table doesn't.
    clock
        ``rt_s``, or ``rt_corrected_s`` for times less the rig's lag.

    Raises
    ------
    UserError
        If no main trial is left.
    """
    notes: list[str] = []
    frame = _main_trials(trials)
    cutoff_s = float(_stated(frame, "cutoff_s", protocol.trial.cutoff_s, notes))
    mode = str(_stated(frame, "cutoff_mode", protocol.trial.cutoff_mode, notes))
    frame = frame.assign(explained=frame["explained"].astype(bool))
    if "control_kind" not in frame:
        frame = frame.assign(control_kind=None)
    accepts = frame["decision"] == "accept"
    untimed = accepts & frame[clock].isna() & (mode == "internal")
    if untimed.any():
        notes.append(f"{int(untimed.sum())} acceptances without a time were left out.")
        frame, accepts = frame[~untimed], accepts[~untimed]
    accept_s = frame[clock].where(accepts, np.inf).fillna(0.0)
    accepted = accepts if mode == "visible" else accept_s <= cutoff_s
    stored = _compare_with_stored(frame, accepted, clock, notes)
    frame = frame.assign(
        accept_s=accept_s.astype(float),
        accepted=accepted,
        first_run=_first_run(frame),
        probe=_probe(frame),
        sham=_sham(frame),
    ).reset_index(drop=True)
    if frame.empty:
        raise UserError("the trial table has no main trials of this purpose")
    limit_s = max(protocol.trial.limit_s, cutoff_s)
    return ScoredTrials(frame, cutoff_s, limit_s, mode, tuple(notes), stored)


def _main_trials(trials: pd.DataFrame) -> pd.DataFrame:
    keep = pd.Series(True, index=trials.index)
    if "run" in trials:
        keep &= ~(trials["run"] == 0).fillna(False).astype(bool)
    return trials if keep.all() else trials[keep]


def _stated(frame: pd.DataFrame, column: str, otherwise: Any, notes: list[str]) -> Any:
    if column not in frame or frame[column].dropna().empty:
        notes.append(f"The table has no {column}; the protocol's, {otherwise}, was taken.")
        return otherwise
    counts = frame[column].value_counts()
    if len(counts) > 1:
        others = ", ".join(str(value) for value in counts.index[1:])
        notes.append(f"{column} differs between trials: {counts.index[0]} was taken, not {others}.")
    return counts.index[0]


def _first_run(frame: pd.DataFrame) -> pd.Series:
    """Return which trials were in the lead's first run: by the run's place, else by the order."""
    first = pd.Series(pd.NA, index=frame.index, dtype="boolean")
    if "order" in frame:
        by_order = (frame["order"] == "with_first") == frame["explained"]
        known = frame["order"].isin(["with_first", "without_first"])
        first = by_order.astype("boolean").where(known)
    if "run" in frame:
        by_run = (frame["run"] == 1).astype("boolean").where(frame["run"].notna())
        first = by_run.fillna(first)
    return first


def _sham(frame: pd.DataFrame) -> pd.Series:
    if "order" not in frame:
        return pd.Series(False, index=frame.index)
    return (frame["order"] == "sham").fillna(False).astype(bool)


def _probe(frame: pd.DataFrame) -> pd.Series:
    """Return which solutions were shown without explanation in the run with explanations."""
    if "run" not in frame:
        return pd.Series(False, index=frame.index)
    place = [frame["participant"], frame["run"]]
    run_explains = frame["explained"].groupby(place, dropna=False).transform("any")
    solved = frame["solver"].isin(["S", "E"])
    return solved & run_explains & ~frame["explained"] & frame["run"].notna()


def _compare_with_stored(
    frame: pd.DataFrame, accepted: pd.Series, clock: str, notes: list[str]
) -> dict[str, int]:
    if clock != "rt_s" or "accepted" not in frame:
        return {}
    stored = frame["accepted"]
    differing = int((stored.notna() & (stored.fillna(False).astype(bool) != accepted)).sum())
    if differing:
        notes.append(
            f"In {differing} trials the table's accepted differs from what decision, time and "
            "cutoff give; the latter was taken."
        )
    return {"accepted": differing}
