"""Usefulness of explanations by means and by model, and net of practice.

The primary analysis is one family of two tests: usefulness of S's and of E's explanations.
`run_effect` says whether the effects of explanation and run can be separated, by what, and what
practice alone adds.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Final

import numpy as np
import pandas as pd

from analysis.report.about import about
from analysis.report.estimates import (
    MEANS,
    MODEL,
    THESE,
    HolmRow,
    Unvarying,
    holm_row,
    limits_row,
    used,
)
from analysis.report.wording import percent
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.estimate import Estimate, adjusted
from analysis.studies.accept_reject.model import MarginalGain
from analysis.studies.accept_reject.rates import (
    Rates,
    measure_cells,
)
from analysis.studies.accept_reject.trials import CELLS, ScoredTrials

FAMILY: Final = ("S", "E")
ALPHA: Final = 0.05

LEAST_PROBES = 0.15
"""Smallest share of probes in the run with explanations that separates explanation and run."""

_PROBES = {"S": len(CELLS), "E": len(CELLS) + 1}
_SHAM = (len(CELLS) + 2, len(CELLS) + 3)
_SIZE = len(CELLS) + 4
_PLACE = {"S": (0, 1), "E": (2, 3)}


@dataclass(frozen=True)
class UsefulnessTest:
    """Usefulness of a solver's explanations by one of the analyses."""

    solver: Annotated[str, about("Whose solutions: S or E.")]
    by: Annotated[
        str, about("The analysis: these (leads as given, plates at random), means or model.")
    ]
    estimate: Annotated[float | None, about("Difference of shares, −1 to 1.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]
    p: Annotated[float | None, about("p, two-sided.")]
    primary: Annotated[bool, about("Whether this is the primary analysis.")]


@dataclass(frozen=True)
class PrimaryRow(HolmRow, UsefulnessTest):
    """Usefulness by one of the analyses, with p and limits corrected over S and E."""

    @property
    def direction(self) -> int:
        """1 or −1 if acceptance was found to rise or to fall, else 0."""
        if self.estimate is None or not is_found(self.p_holm):
            return 0
        return 1 if self.estimate > 0 else -1


def is_found(p: float | None) -> bool:
    """Whether a test found a difference."""
    return p is not None and p < ALPHA


@dataclass(frozen=True, slots=True)
class Primary:
    """Usefulness by the means, and by the mixed model beside them."""

    asked: Annotated[str, about("The analysis that the protocol names: model or means.")]
    used: Annotated[
        str,
        about("The analysis that was used: these with few leads, the means if no model is sound."),
    ]
    rows: Annotated[tuple[PrimaryRow, ...], about("Usefulness, by the means first.")]
    unvarying: Annotated[
        Unvarying | None,
        about("Leads and plates that hardly vary; null in results of version 1."),
    ] = None

    def row(self, by: str, solver: str) -> PrimaryRow | None:
        """Return usefulness for a solver by one of the analyses; None if there is none."""
        return next((row for row in self.rows if (row.by, row.solver) == (by, solver)), None)

    def deciding(self, solver: str) -> PrimaryRow | None:
        """Return usefulness for a solver by the analysis that decides."""
        return self.row(self.used, solver)


def primary_analysis(
    asked: str,
    rates: Rates,
    general: Rates | None,
    by_model: Sequence[MarginalGain],
    unvarying: Unvarying,
    *,
    few: bool,
) -> Primary:
    """Return usefulness by all analyses, and which of them is primary.

    Parameters
    ----------
    asked
        What the protocol names: ``model`` or ``means``.
    rates
        Acceptance; of these leads alone if they are few, which is then primary.
    general
        Acceptance of leads in general, if they are few and more than one; else None.
    by_model
        Usefulness by the mixed model; none without a sound fit.
    unvarying
        Leads and plates that hardly vary.
    few
        Whether leads are so few that the results are about them.
    """
    taken = THESE if few else used(asked, bool(by_model))
    rows = _rows(THESE if few else MEANS, taken, _usefulness(rates))
    rows += [] if general is None else _rows(MEANS, taken, _usefulness(general))
    if by_model:
        modelled = {row.solver: row for row in by_model}
        rows += _rows(MODEL, taken, [modelled[name].tested for name in FAMILY])
    return Primary(asked, taken, tuple(rows), unvarying)


def _usefulness(rates: Rates) -> list[Estimate]:
    return [rates.usefulness(name) for name in FAMILY]


def unvarying_leads(judged: ScoredTrials) -> Unvarying:
    """Count leads and plates that hardly vary, over S's and E's solutions in both runs."""
    frame = judged.frame[judged.frame["solver"].isin(("S", "E")) & ~judged.aside]
    columns = (frame[name].to_numpy() for name in ("accepted", "participant", "item"))
    return Unvarying.count(*columns)


def _rows(by: str, taken: str, family: Sequence[Estimate]) -> list[PrimaryRow]:
    return [
        PrimaryRow(
            solver=name,
            by=by,
            **limits_row(row.of),
            p=row.of.p,
            **holm_row(row),
            primary=by == taken,
        )
        for name, row in zip(FAMILY, adjusted(family), strict=True)
    ]


def tested_difference(
    primary: Primary, rates: Rates, by_model: Sequence[MarginalGain]
) -> tuple[float | None, bool]:
    """Return S's usefulness less E's by the primary analysis, and whether a test found it.

    Parameters
    ----------
    primary, by_model
        What is primary, and usefulness by the mixed model.
    rates
        Acceptance, of these leads if they are few.
    """
    if primary.used == MODEL:
        row = next(row for row in by_model if row.solver == "S-E")
        return row.estimate, is_found(row.p)
    part = rates.usefulness("S-E")
    return part.estimate, is_found(part.p)


@dataclass(frozen=True, slots=True)
class PracticeRow:
    """What practice brings, or usefulness net of it."""

    by: Annotated[str, about("What separates the effects: probes or sham.")]
    solver: Annotated[str, about("Whose solutions: S, E, or S and E.")]
    estimate: Annotated[float | None, about("Difference of shares.")]
    ci_low: Annotated[float | None, about("Its lower 95 % limit.")]
    ci_high: Annotated[float | None, about("Its upper 95 % limit.")]
    n: Annotated[int, about("Trials that it is computed from.")]


@dataclass(frozen=True, slots=True)
class RunEffect:
    """Whether the effects of explanation and run can be separated, and what practice brings."""

    told_apart: Annotated[bool, about("Whether they can be separated.")]
    by: Annotated[list[str], about("By what: order, probes, sham.")]
    fixed_order: Annotated[
        bool | None, about("Whether everyone had the runs in one order; null if not known.")
    ]
    probe_share: Annotated[float, about("Share of probes in the run with explanations, 0 to 1.")]
    practice: Annotated[tuple[PracticeRow, ...], about("The second run less the first.")]
    net: Annotated[tuple[PracticeRow, ...], about("Usefulness net of practice.")]
    sentence: Annotated[str, about("The same in words.")]


def run_effect(judged: ScoredTrials, plan: Resampling) -> RunEffect:
    """Return what separates the effects of explanation and run, and what practice by itself brings.

    Practice is acceptance in a second run without explanation less that in a first one: of
    probes against the same leads' first run, or within the sham group. Net of it usefulness
    is with explanation less probes of the same run, or usefulness less the sham group's
    practice.

    Parameters
    ----------
    judged
        All trials.
    plan
        Of the resampling.
    """
    frame = judged.frame
    share, fixed, by = _probe_share(frame), _one_order(frame), separated_by(frame)
    rates = measure_cells(judged, _cells(frame), _SIZE, plan)
    practice: list[PracticeRow] = []
    net: list[PracticeRow] = []
    if frame["probe"].any() and fixed:
        weights = {solver: _weights(_PLACE[solver][0], _PROBES[solver]) for solver in ("S", "E")}
        practice += [_row(rates, w, by="probes", solver=s) for s, w in weights.items()]
        net += [
            _row(rates, _weights(_PROBES[s], _PLACE[s][1]), by="probes", solver=s)
            for s in ("S", "E")
        ]
    if "sham" in by:
        practised = _weights(*_SHAM)
        # The sham group is other leads: net of its practice nothing is about these leads alone.
        general = measure_cells(judged, _cells(frame), _SIZE, replace(plan, people="random"))
        practice.append(_row(rates, practised, by="sham", solver="S and E"))
        net += [
            _row(general, _weights(*_PLACE[s]) - practised, by="sham", solver=s) for s in ("S", "E")
        ]
    return RunEffect(
        told_apart=bool(by),
        by=by,
        fixed_order=fixed,
        probe_share=share,
        practice=tuple(practice),
        net=tuple(net),
        sentence=_sentence(by, fixed, share),
    )


def separated_by(frame: pd.DataFrame) -> list[str]:
    """Return what separates the effects of explanation and run: ``order``, ``probes``, ``sham``."""
    fixed = _one_order(frame)
    by = [] if fixed is None or fixed else ["order"]
    by += ["probes"] if _probe_share(frame) >= LEAST_PROBES else []
    return by + (["sham"] if frame["sham"].any() and not frame["sham"].all() else [])


def _cells(frame: pd.DataFrame) -> np.ndarray:
    """Return (n,) S and E without and with, probes of S and of E, sham first and second run."""
    cell = np.full(len(frame), -1)
    main = ~frame["sham"] & ~frame["probe"]
    for number, (solver, explained) in enumerate(CELLS):
        cell[main & (frame["solver"] == solver) & (frame["explained"] == explained)] = number
    for solver, number in _PROBES.items():
        cell[frame["probe"] & ~frame["sham"] & (frame["solver"] == solver)] = number
    solved = frame["sham"] & frame["solver"].isin(["S", "E"])
    first = frame["first_run"].fillna(False).astype(bool)
    cell[solved & first], cell[solved & ~first] = _SHAM
    return cell


def _weights(less: int, more: int) -> np.ndarray:
    weights = np.zeros(_SIZE)
    weights[less], weights[more] = -1.0, 1.0
    return weights


def _row(rates: Rates, weights: np.ndarray, by: str, solver: str) -> PracticeRow:
    return PracticeRow(by, solver, **limits_row(rates.sum_of(weights)), n=rates.n_of(weights))


def _probe_share(frame: pd.DataFrame) -> float:
    """Return the share of probes in the runs with explanations."""
    own = frame[~frame["sham"]]
    explained = own["explained"] | own["probe"]
    return float(own["probe"].sum() / explained.sum()) if explained.any() else 0.0


def _one_order(frame: pd.DataFrame) -> bool | None:
    """Return whether all leads with explanations had them in the same run; None if unknown."""
    own = frame[frame["explained"] & frame["first_run"].notna()]
    return None if own.empty else bool(own["first_run"].nunique() == 1)


def _sentence(by: list[str], fixed: bool | None, share: float) -> str:
    if fixed is None:
        return "The table doesn’t say which run came first: explanation and run are confounded."
    words = {
        "order": "the order of the runs differs between leads",
        "probes": f"{percent(share)} of the run with explanations are probes without one",
        "sham": "a sham group had two runs without explanations",
    }
    if by:
        return f"Explanation and run can be separated: {'; '.join(words[name] for name in by)}."
    few = f" ({percent(share)} probes are fewer than {percent(LEAST_PROBES)})" if share else ""
    return (
        "Everyone had the runs in one order, without enough probes or a sham group: explanation "
        f"and run are confounded{few}."
    )
