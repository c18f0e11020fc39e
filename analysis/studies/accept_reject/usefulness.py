"""Usefulness of explanations by means and by model, and net of practice.

The primary analysis is one family of two tests: usefulness of S's and of E's explanations.
`run_effect` says whether the effects of explanation and run can be separated, by what, and what
practice alone adds.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Final

import numpy as np
import pandas as pd

from analysis.questions.cells import Cells, Weights
from analysis.questions.estimates import (
    Contrast,
    EstimateRow,
    Estimates,
    Quantity,
    estimate_row,
    family,
)
from analysis.report.about import about
from analysis.report.deciding import MEANS, MODEL, THESE, Unvarying, used
from analysis.report.wording import percent, points
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.estimate import Estimate
from analysis.studies.accept_reject.quantities import BOTH, GAIN, RAW
from analysis.studies.accept_reject.rates import GAINS, SOLVED, less, measure_cells
from analysis.studies.accept_reject.trials import CELLS, ScoredTrials
from stimuli.studies.accept_reject.protocol import Analysis

FAMILY: Final = ("S", "E")
ALPHA: Final = 0.05

LEAST_PROBES = 0.15
"""Smallest share of probes in the run with explanations that separates explanation and run."""

_PROBE: Final = {"S": "S probe", "E": "E probe"}
_SHAM: Final = ("sham first", "sham second")
_CELLS: Final = (*SOLVED, *_PROBE.values(), *_SHAM)

PRACTICE = Quantity(
    "practice", "Difference",
    "Acceptance in a second run without explanation less that in a first one.",
    points, "percentage points",
)  # fmt: skip
NET_OF_PRACTICE = Quantity(
    "net_of_practice", "Difference", "Usefulness net of practice.", points, "percentage points"
)


def is_found(p: float | None) -> bool:
    """Whether a test found a difference."""
    return p is not None and p < ALPHA


@dataclass(frozen=True, slots=True)
class Usefulness(Estimates):
    """Usefulness of explanations: by the means, and by the mixed model beside them."""

    asked: Annotated[str, about("The analysis that the protocol names: model or means.")]
    used: Annotated[
        str,
        about("The analysis that was used: these with few leads, the means if no model is sound."),
    ]
    unvarying: Annotated[Unvarying, about("Leads and plates that hardly vary.")]

    @property
    def means(self) -> str:
        """The analysis by means: of these leads if they are few."""
        return THESE if self.used == THESE else MEANS

    def gain(self, solver: str, part: str = RAW) -> EstimateRow:
        """Return usefulness for a solver by the means."""
        return self.row(GAIN, solver=solver, part=part, by=self.means)

    def deciding(self, solver: str) -> EstimateRow:
        """Return usefulness for a solver by the analysis that decides."""
        return self.row(GAIN, solver=solver, part=RAW, by=self.used)


def direction(row: EstimateRow) -> int:
    """Return 1 or −1 if acceptance was found to rise or to fall, else 0."""
    if row.estimate is None or not is_found(row.p_adjusted):
        return 0
    return 1 if row.estimate > 0 else -1


def primary_analysis(
    judged: ScoredTrials,
    rules: Analysis,
    plan: Resampling,
    rates: Cells,
    general: Cells | None,
    by_model: Mapping[str, Estimate],
) -> Usefulness:
    """Return usefulness by all analyses, and which of them is primary.

    Parameters
    ----------
    judged, rules, plan
        The trials; the protocol's analysis, which names the primary one; how intervals are found.
    rates
        Acceptance; of these leads alone if they are few, which is then primary.
    general
        Acceptance of leads in general, if they are few and more than one; else None.
    by_model
        Usefulness by the mixed model, by solver; none without a sound fit.
    """
    few = plan.people == "fixed"
    means = _of_means(THESE if few else MEANS, rates)
    rows = _tested(means)
    if general is not None:
        beyond = zip(_of_means(MEANS, general), means, strict=True)
        rows += _tested(
            [
                replace(contrast, value=contrast.value.no_narrower(mean.value))
                for contrast, mean in beyond
            ]
        )
    rows += gains_by_model(by_model)
    taken = THESE if few else used(rules.primary_test, bool(by_model))
    return Usefulness(rows, rules.primary_test, taken, _unvarying(judged))


def gain_rows(by: str, rates: Cells) -> tuple[EstimateRow, ...]:
    """Return usefulness by the means of these people or of people in general."""
    return _tested(_of_means(by, rates))


def gains_by_model(by_model: Mapping[str, Estimate]) -> tuple[EstimateRow, ...]:
    """Return usefulness by the mixed model, from its estimates by solver."""
    return _tested([Contrast(GAIN, _of(name, RAW, MODEL), part) for name, part in by_model.items()])


def _of(solver: str, part: str, by: str) -> dict[str, str]:
    return {"solver": solver, "part": part, "by": by}


def _of_means(by: str, rates: Cells) -> list[Contrast]:
    return [rates.contrast(GAIN, _of(*name, by), weights) for name, weights in GAINS.items()]


def _tested(contrasts: list[Contrast]) -> tuple[EstimateRow, ...]:
    """Return usefulness by one of the analyses, corrected over S and E."""
    return family(
        contrasts,
        inside=lambda contrast: contrast.of["part"] == RAW and contrast.of["solver"] in FAMILY,
    )


def _unvarying(judged: ScoredTrials) -> Unvarying:
    """Count leads and plates that hardly vary, over S's and E's solutions in both runs."""
    frame = judged.frame[judged.frame["solver"].isin(("S", "E")) & ~judged.aside]
    columns = (frame[name].to_numpy() for name in ("accepted", "participant", "item"))
    return Unvarying.count(*columns)


@dataclass(frozen=True, slots=True)
class RunEffect(Estimates):
    """Whether the effects of explanation and run can be separated, and what practice brings."""

    told_apart: Annotated[bool, about("Whether they can be separated.")]
    by: Annotated[list[str], about("By what: order, probes, sham.")]
    fixed_order: Annotated[
        bool | None, about("Whether everyone had the runs in one order; null if not known.")
    ]
    probe_share: Annotated[float, about("Share of probes in the run with explanations, 0 to 1.")]
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
    cells = measure_cells(judged, _cells(frame), _CELLS, plan)
    sums: list[tuple[Quantity, str, str, Weights]] = []
    with_ = {solver: f"{solver} with" for solver in FAMILY}
    without = {solver: f"{solver} without" for solver in FAMILY}
    if frame["probe"].any() and fixed:
        sums += [(PRACTICE, "probes", s, less(_PROBE[s], without[s])) for s in FAMILY]
        sums += [(NET_OF_PRACTICE, "probes", s, less(with_[s], _PROBE[s])) for s in FAMILY]
    if "sham" in by:
        practised = less(_SHAM[1], _SHAM[0])
        sums.append((PRACTICE, "sham", BOTH, practised))
        sums += [
            (NET_OF_PRACTICE, "sham", s, less(less(with_[s], without[s]), practised))
            for s in FAMILY
        ]
    # The sham group is other leads: net of its practice nothing is about these leads alone.
    general = measure_cells(judged, _cells(frame), _CELLS, replace(plan, people="random"))
    rows = []
    for quantity, separator, solver, weights in sums:
        of = general if (quantity, separator) == (NET_OF_PRACTICE, "sham") else cells
        named = {"solver": solver, "by": separator}
        rows.append(estimate_row(quantity, named, of.estimate(weights), of.n(weights)))
    return RunEffect(
        tuple(rows),
        told_apart=bool(by),
        by=by,
        fixed_order=fixed,
        probe_share=share,
        sentence=_sentence(by, fixed, share),
    )


def separated_by(frame: pd.DataFrame) -> list[str]:
    """Return what separates the effects of explanation and run: ``order``, ``probes``, ``sham``."""
    fixed = _one_order(frame)
    by = [] if fixed is None or fixed else ["order"]
    by += ["probes"] if _probe_share(frame) >= LEAST_PROBES else []
    return by + (["sham"] if frame["sham"].any() and not frame["sham"].all() else [])


def _cells(frame: pd.DataFrame) -> np.ndarray:
    """Return (n,) the cell of each trial by its place in `_CELLS`, -1 for none."""
    cell = np.full(len(frame), -1)
    main = ~frame["sham"] & ~frame["probe"]
    for place, (solver, explained) in enumerate(CELLS):
        cell[main & (frame["solver"] == solver) & (frame["explained"] == explained)] = place
    for solver, name in _PROBE.items():
        probes = frame["probe"] & ~frame["sham"] & (frame["solver"] == solver)
        cell[probes] = _CELLS.index(name)
    solved = frame["sham"] & frame["solver"].isin(["S", "E"])
    first = frame["first_run"].fillna(False).astype(bool)
    for name, run in zip(_SHAM, (first, ~first), strict=True):
        cell[solved & run] = _CELLS.index(name)
    return cell


def _probe_share(frame: pd.DataFrame) -> float:
    """Return the share of probes in the runs with explanations."""
    rows = frame[~frame["sham"]]
    explained = rows["explained"] | rows["probe"]
    return float(rows["probe"].sum() / explained.sum()) if explained.any() else 0.0


def _one_order(frame: pd.DataFrame) -> bool | None:
    """Return whether all leads with explanations had them in the same run; None if unknown."""
    rows = frame[frame["explained"] & frame["first_run"].notna()]
    return None if rows.empty else bool(rows["first_run"].nunique() == 1)


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
