"""Results that can't be given, and why."""

from typing import Any

from analysis.data.tables import Dataset
from analysis.report.missing import (
    FEW_PARTICIPANTS,
    absent_columns,
    lacking,
    no_protocol,
    unsound_model,
)
from analysis.studies.progressive_reveal.fits import LEAST_ROUNDS
from analysis.studies.progressive_reveal.trials import RoundTable

_ABSENT = {
    "purpose": "selection of the main sessions",
    "attempts": "tries in Table III and their model",
    "first_attempt_right": "recognition at the first attempt, raw and corrected for guessing",
    "guess_rate": "recognition at the first attempt, corrected for guessing",
    "step_first_key": "the same at the first key of the right answer",
    "pixels_first_key": "the same at the first key of the right answer",
    "keystrokes": "the exclusion rule on rounds without a key",
    "table_walk": "the exclusion rule on walks through the table of classes",
    "rt_s": "times to recognition and their model",
    "typing_s": "typing time as a covariate",
    "left": "which rounds were left early: all count as completed",
    "model_correct": "the result on images that the model classifies correctly",
    "final_pixels": "the final pixel count of an image, except from rounds that reached it",
    "frames_dropped": "dropped frames",
    "rig": "timing by rig",
}
_MODELS = {
    "hazard": "the discrete-time model, and recognition averaged from it",
    "per_pixel": "the model with log pixels",
    "tries": "the model of wrong tries",
    "times": "the model of times",
}


def unavailable_results(
    dataset: Dataset, table: RoundTable, results: dict[str, Any], with_curves: bool
) -> list[dict[str, str]]:
    """Return results that can't be given, or not soundly, with the reason."""
    rows = absent_columns(dataset, _ABSENT, ("final_pixels",) if with_curves else ())
    if not with_curves:
        result = (
            "similarity to the reference maps at each step (Figure 9), and exact counts of steps "
            "at which no round ended"
        )
        rows.append(lacking(result, "there is no table of curves"))
    if not results["correlation"]["last"]:
        reason = (
            "there is no item table"
            if dataset.items is None
            else "there are no reference maps for these maps"
        )
        rows.append(lacking("similarity to the reference maps (Figure 8)", reason))
    if table.frame["method"].nunique() < 2:
        rows.append(lacking("comparisons of methods", "there is one method"))
    if not table.frame["recognised"].any():
        rows.append(lacking("results from recognised rounds", "there are none"))
    if not results["table4"] or not results["table4"][0]["compared"]:
        reason = "no image was seen by every method in completed rounds"
        rows.append(lacking("Table IV", reason))
    if not results["fits"]["units"]:
        result = "beta-prime and exponentiated-Weibull fits of participants and images"
        rows.append(lacking(result, f"none has {LEAST_ROUNDS} recognised rounds that allow a fit"))
    for name, what in _MODELS.items():
        rows += unsound_model(results["models"][name], what)
    rows += no_protocol(dataset, "the design in words, and deviations from the paper")
    if table.participants < FEW_PARTICIPANTS:
        who = "one participant" if table.participants == 1 else f"{table.participants} participants"
        reason = f"there are only {who}: intervals are too narrow"
        rows.append(lacking("conclusions about other participants", reason))
    return rows
