"""Each result that can't be given, and what is missing for it."""

from collections.abc import Mapping
from typing import Any, Final

from analysis.data.tables import Dataset
from analysis.report.missing import (
    FEW_PARTICIPANTS,
    absent_columns,
    lacking,
    no_protocol,
    unsound_model,
)
from analysis.report.wording import count
from analysis.studies.simulatability.trials import Predictions
from analysis.studies.simulatability.words import domain_name

_ABSENT: Final = {
    "purpose": "selection of the main sessions",
    "rt_s": "response times, and who was too fast",
    "frames_dropped": "dropped frames",
    "rig": "timing by rig",
}


def unavailable_results(
    dataset: Dataset, predictions: Predictions, results: Mapping[str, Any]
) -> list[dict[str, str]]:
    """Return results that can't be given, or not soundly, with the reason."""
    rows = absent_columns(dataset, _ABSENT)
    if predictions.reference is None:
        wanted = results["protocol"]["analysis"]["reference_method"]
        reason = f"no arm {wanted} can be compared with another; Change is compared with zero"
        rows.append(lacking("Change without practice", reason))
    if len(predictions.domains) < 2:
        rows.append(lacking("the other domain", f"all items are {predictions.domains[0]}"))
    if len(predictions.tests) < 2:
        rows.append(lacking("the other test", f"all items are of the {predictions.tests[0]} test"))
    ratings = results["ratings"]
    if ratings is None:
        rows.append(lacking("ratings of explanations", "the table has none"))
    else:
        if not ratings["by_model"]:
            reason = "the table doesn’t say when the model is right (outcome)"
            rows.append(lacking("ratings by the model’s correctness", reason))
        if not ratings["predicting"]:
            reason = "too few rated predictions of the counterfactual test"
            rows.append(lacking("right predictions by rating", reason))
    if results["confidence"] is None:
        rows.append(lacking("calibration of confidence", "nobody was asked for it"))
    if all(row["qualified"] is None for row in results["exclusions"]["people"]):
        reason = "there is neither a table of people nor a column qualified"
        rows.append(lacking("who understood the method", reason))
    for domain, model in results["models"].items():
        rows += unsound_model(model, f"the mixed model, {domain_name(domain)}")
    rows += no_protocol(dataset, "the design in words, and deviations from the paper")
    arms = predictions.pairs.groupby(["domain", "method"])["participant"].nunique()
    if arms.min() < FEW_PARTICIPANTS:
        who = count(int(arms.min()), "participant")
        reason = f"the smallest arm has {who}: intervals may be too narrow"
        rows.append(lacking("firm conclusions about other participants", reason))
    reason = "the answers of the published study were never published"
    return [*rows, lacking("the published results, computed again", reason)]
