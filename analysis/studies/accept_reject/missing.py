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
from analysis.studies.accept_reject.rates import cells_of
from analysis.studies.accept_reject.sentences import tells_something
from analysis.studies.accept_reject.trials import ScoredTrials

_ABSENT = {
    "purpose": "selection of the main sessions",
    "order": "run and order in the model, and the first-run contrast",
    "control_kind": "controls, compliance, exclusion by rule, contour reading and net usefulness",
    "frames_dropped": "dropped frames",
    "rig": "timing by rig",
    "rt_corrected_s": "the result with times minus the rig's lag",
    "true_label": "how good the shown solutions were",
    "shown_label": "how good the shown solutions were",
    "method": "the comparison of explanation methods",
    "guessed_source": "guesses of single solutions’ sources, and the blinding indices",
    "source_guess": "what leads suspected, and results by suspicion",
}


def unavailable_results(
    dataset: Dataset, judged: ScoredTrials, results: dict[str, Any]
) -> list[dict[str, str]]:
    """Return results that can't be given, or not soundly, with the reason."""
    rows = absent_columns(dataset, _ABSENT, () if "run" in dataset.absent else ("order",))
    for row in results["acceptance"]:
        if row["n"] == 0:
            what = f"{row['solver']} {'with' if row['explained'] else 'without'} explanation"
            result = f"acceptance of {what}, and results that depend on it"
            rows.append(lacking(result, "there are no such trials"))
    if "control_kind" not in dataset.absent:
        for kind, what in ((4, "no contour"), (5, "an S-like contour"), (6, "an E-like contour")):
            if not (cells_of(judged) == kind).any():
                reason = f"there are no plates without a numeral with {what}"
                rows.append(lacking("usefulness net of contour reading", reason))
    for row in results["usefulness"]:
        if row["net"] and row["estimate"] is not None and not tells_something(row):
            what = f"usefulness of {row['solver']} net of contour reading, in the headline"
            reason = "too few plates without a numeral: its interval is wider than 100 points"
            rows.append(lacking(what, reason))
    if results["ratio"]["reason"]:
        rows.append(lacking("the ratio p_S / p_E or its limits", results["ratio"]["reason"]))
    rows += unsound_model(
        results["model"],
        "the mixed model",
        "inference from the mixed model, and averaged probabilities",
        "the fit isn't sound; see the model's notes",
    )
    if results["controls"]["sensitivity"]["difference"] is None:
        reason = "matched right or wrong digits are missing in one of the runs"
        rows.append(lacking("harm: d′ with explanations against d′ without", reason))
    rows += unsound_model(results["response_times"]["model"], "the model of decision times")
    if not results["run_effect"]["told_apart"]:
        reason = results["run_effect"]["sentence"]
        rows.append(
            lacking("the effect of explanations, separate from practice and fatigue", reason)
        )
    if "guessed_source" not in dataset.absent and results["blinding"]["guesses"] is None:
        reason = "no lead was asked at the end who gave single solutions"
        rows.append(lacking("the blinding indices", reason))
    if dataset.items is None:
        result = "the solutions of S and E of all plates, and the overlap of their regions"
        rows.append(lacking(result, "there is no item table"))
    if judged.frame["item"].nunique() == 1:
        reason = "there is only one plate: results apply to it alone"
        rows.append(lacking("conclusions about other plates", reason))
    result = "the design in words, planned trials, and deviations from the paper"
    rows += no_protocol(dataset, result)
    if judged.participants < FEW_PARTICIPANTS:
        reason = f"there are only {judged.participants} participants: intervals are too narrow"
        if judged.participants == 1:
            reason = "there is only one participant: intervals apply to this person on such plates"
        rows.append(lacking("conclusions about other leads", reason))
    return rows
