"""Each result that can't be given, and for want of what."""

from typing import Any

from analysis.data.tables import Dataset
from analysis.studies.progressive_reveal.fits import LEAST_ROUNDS
from analysis.studies.progressive_reveal.trials import RoundTable

FEW_PARTICIPANTS = 5

_ABSENT = {
    "purpose": "selection of the main sessions",
    "attempts": "tries in Table III and their model",
    "first_attempt_right": "recognition at the first attempt, raw and corrected for guessing",
    "guess_rate": "recognition at the first attempt, corrected for guessing",
    "step_first_key": "the same at the first key of the right answer",
    "pixels_first_key": "the same at the first key of the right answer",
    "rt_s": "times to recognition and their model",
    "typing_s": "typing time as a covariate",
    "left": "which rounds were left midway: all count as completed",
    "model_correct": "the result on images that the model classifies rightly",
    "final_pixels": "what an image uncovers in the end, other than from rounds that got there",
    "frames_dropped": "dropped frames",
    "rig": "timing by rig",
}


def unavailable_results(
    dataset: Dataset, table: RoundTable, results: dict[str, Any], with_curves: bool
) -> list[dict[str, str]]:
    """Return results that can't be given, or not soundly, with the reason."""
    rows = [
        {"result": result, "reason": f"the table has no column {column}"}
        for column, result in _ABSENT.items()
        if column in dataset.absent and not (column == "final_pixels" and with_curves)
    ]
    if not with_curves:
        rows.append(
            {
                "result": "likeness to the human maps step by step (Figure 9), and exact counts "
                "of the steps at which no round ended",
                "reason": "there is no table of curves",
            }
        )
    if not results["correlation"]["last"]:
        reason = (
            "there is no item table"
            if dataset.items is None
            else "no map has a human map beside it"
        )
        rows.append({"result": "likeness to the human maps (Figure 8)", "reason": reason})
    if table.frame["method"].nunique() < 2:
        rows.append({"result": "comparisons of methods", "reason": "there is one method"})
    if not table.frame["recognised"].any():
        rows.append({"result": "whatever rests on recognised rounds", "reason": "there are none"})
    if not results["table4"] or not results["table4"][0]["compared"]:
        rows.append(
            {
                "result": "Table IV",
                "reason": "no image was seen by every method in completed rounds",
            }
        )
    if not results["fits"]["units"]:
        rows.append(
            {
                "result": "beta-prime and exponentiated-Weibull fits of people and images",
                "reason": f"none has {LEAST_ROUNDS} recognised rounds that allow a fit",
            }
        )
    rows += _models(results)
    if not results["cox"]["fitted"]:
        rows.append({"result": "Cox’s model", "reason": results["cox"]["reason"]})
    if not dataset.protocol_known:
        rows.append(
            {
                "result": "the design in words, and deviations from the paper",
                "reason": "no protocol came with the data; the analysis follows the published one",
            }
        )
    if table.participants < FEW_PARTICIPANTS:
        who = "one participant" if table.participants == 1 else f"{table.participants} participants"
        reason = f"there are only {who}: intervals are too narrow"
        rows.append({"result": "conclusions about other people", "reason": reason})
    return rows


def _models(results: dict[str, Any]) -> list[dict[str, str]]:
    named = {
        "hazard": "the discrete-time model, and recognition averaged from it",
        "per_pixel": "the model with log pixels",
        "tries": "the model of wrong tries",
        "times": "the model of times",
    }
    rows = []
    for name, what in named.items():
        model = results["models"][name]
        if not model["fitted"]:
            rows.append({"result": what, "reason": model["reason"]})
        elif not model["converged"]:
            rows.append({"result": what, "reason": "the fit isn’t sound; see its notes"})
    return rows
