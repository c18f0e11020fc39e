"""Each result that can't be given, and for want of what."""

from typing import Any

from analysis.data.tables import Dataset
from analysis.studies.accept_reject.rates import cells_of
from analysis.studies.accept_reject.trials import ScoredTrials

FEW_PARTICIPANTS = 5

_ABSENT = {
    "purpose": "selection of the main sessions",
    "order": "run and order in the model, and the first-run contrast",
    "control_kind": "controls, compliance, exclusion by rule, contour reading and net usefulness",
    "frames_dropped": "dropped frames",
    "rig": "timing by rig",
    "rt_corrected_s": "the result with times less the rig's lag",
    "true_label": "how good the shown solutions were",
    "shown_label": "how good the shown solutions were",
    "method": "the comparison of explanation methods",
    "guessed_source": "guesses of single solutions’ sources, and the blinding indices",
    "source_guess": "what leads suspected, and results split by it",
}


def unavailable_results(
    dataset: Dataset, judged: ScoredTrials, results: dict[str, Any]
) -> list[dict[str, str]]:
    """Return results that can't be given, or not soundly, with the reason."""
    rows = [
        {"result": result, "reason": f"the table has no column {column}"}
        for column, result in _ABSENT.items()
        if column in dataset.absent and not (column == "order" and "run" not in dataset.absent)
    ]
    for row in results["acceptance"]:
        if row["n"] == 0:
            what = f"{row['solver']} {'with' if row['explained'] else 'without'} explanation"
            rows.append(
                {
                    "result": f"acceptance of {what}, and what rests on it",
                    "reason": "there are no such trials",
                }
            )
    if "control_kind" not in dataset.absent:
        for kind, what in ((4, "no contour"), (5, "an S-like contour"), (6, "an E-like contour")):
            if not (cells_of(judged) == kind).any():
                rows.append(
                    {
                        "result": "usefulness net of contour reading",
                        "reason": f"there are no plates without a numeral with {what}",
                    }
                )
    if results["ratio"]["reason"]:
        rows.append(
            {"result": "the ratio p_S / p_E or its limits", "reason": results["ratio"]["reason"]}
        )
    if not results["model"]["fitted"]:
        rows.append({"result": "the mixed model", "reason": results["model"]["reason"]})
    elif not results["model"]["converged"]:
        rows.append(
            {
                "result": "inference from the mixed model, and averaged probabilities",
                "reason": "the fit isn't sound; see the model's notes",
            }
        )
    times = results["response_times"]["model"]
    if not times["fitted"] or not times["converged"]:
        reason = "the fit isn’t sound; see its notes" if times["fitted"] else times["reason"]
        rows.append({"result": "the model of decision times", "reason": reason})
    if not results["run_effect"]["told_apart"]:
        reason = results["run_effect"]["sentence"]
        rows.append({"result": "explanation apart from practice and fatigue", "reason": reason})
    if "guessed_source" not in dataset.absent and results["blinding"]["guesses"] is None:
        reason = "no lead was asked at the end who gave single solutions"
        rows.append({"result": "the blinding indices", "reason": reason})
    if dataset.items is None:
        rows.append(
            {
                "result": "what S and E made of all plates, and how alike their regions are",
                "reason": "there is no item table",
            }
        )
    if judged.frame["item"].nunique() == 1:
        reason = "there is one plate: results speak of it alone"
        rows.append({"result": "conclusions about other plates", "reason": reason})
    if not dataset.protocol_known:
        rows.append(
            {
                "result": "the design in words, planned trials, and deviations from the paper",
                "reason": "no protocol came with the data; the analysis follows the published one",
            }
        )
    if judged.participants < FEW_PARTICIPANTS:
        reason = f"there are only {judged.participants} participants: intervals are too narrow"
        if judged.participants == 1:
            reason = "there is one participant: intervals speak of this person on such plates"
        rows.append({"result": "conclusions about other people", "reason": reason})
    return rows
