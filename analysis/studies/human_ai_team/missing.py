"""Results that can't be given, and why."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from analysis.data.tables import Dataset
from analysis.report.missing import (
    FEW_PARTICIPANTS,
    absent_columns,
    lacking,
    no_protocol,
    unsound_model,
)
from analysis.studies.human_ai_team.alone import PACK
from analysis.studies.human_ai_team.model import once_sentence
from analysis.studies.human_ai_team.trials import Answers
from stimuli.studies.human_ai_team.protocol import HUMAN_ALONE

_ABSENT: Final = {
    "purpose": "selection of the main sessions",
    "adversarial": "separate results for natural and adversarial images",
    "prior_knowledge": "prior knowledge as a moderator",
    "rt_s": "response times",
    "frames_dropped": "dropped frames",
    "rig": "timing by rig",
}
_OF_THE_PAPER: Final = (
    ("the published accuracies and tests of lay users", "most of their answers aren't published"),
    (
        "the published correlations of metrics with accuracy",
        "the maps that were shown aren't published",
    ),
    (
        "the published accuracy of the AI alone and of teams on natural images",
        "the network's answers on all images, and most lay users' answers, aren't published",
    ),
)
"""Results that can't be computed again from published data."""


def _no_metrics(dataset: Dataset) -> str:
    if "metrics" not in dataset.beside:
        return "there is no table of metrics"
    return "no map with a metric was seen on natural images by two qualified participants"


def unavailable_results(
    dataset: Dataset, answers: Answers, results: Mapping[str, Any]
) -> list[dict[str, str]]:
    """Return results that can't be given, or not soundly, with the reason."""
    frame = answers.frame
    rows = absent_columns(dataset, _ABSENT)
    if once_sentence(answers):
        rows.append(lacking("effects of images, in the model", once_sentence(answers)))
    if not (frame["level"] != "").any():
        reason = "neither level, bin nor confidence is in the table"
        rows.append(lacking("accuracy by bin, and weighted accuracy", reason))
    elif all(row["weights"] != PACK for row in results["weighted"]):
        reason = "there is no table of available images; published weights are used instead"
        rows.append(lacking("weights of the bins from these images", reason))
    if not results["ai_alone"] or results["ai_alone"][0]["base"] != "all":
        rows.append(lacking("the AI alone over its threshold", "the AI's confidence isn't known"))
    elif "ai" not in dataset.beside:
        reason = "there is no table of the AI on all images; the shown images are used instead"
        rows.append(lacking("the AI alone on all images of the source", reason))
    if not results["metrics"]:
        rows.append(lacking("correlations of metrics with accuracy", _no_metrics(dataset)))
    if HUMAN_ALONE not in answers.arms:
        rows.append(lacking("complementarity", f"there is no arm {HUMAN_ALONE}"))
    if not np.isfinite(frame["own_followed"]).any():
        result = "switching, relative AI reliance (RAIR) and relative self-reliance (RSR)"
        rows.append(lacking(result, "there was one answer only (question.decision)"))
    if results["ratings"] is None:
        rows.append(
            lacking("calibration of confidence ratings", "participants weren't asked for them")
        )
    if all(row["known"] == 0 for row in results["exclusions"]["arms"]):
        reason = "there are neither validation trials nor a column qualified"
        rows.append(lacking("the second analysis, of the qualified", reason))
    if len(answers.arms) < 2:
        rows.append(lacking("comparisons of arms", "there is one arm"))
    elif answers.reference is None:
        reason = f"there is no arm {results['protocol']['analysis']['reference_arm']}"
        rows.append(
            lacking("the effect of each kind of help, compared with confidence alone", reason)
        )
    if frame["right"].nunique() < 2:
        which = "right" if frame["right"].iloc[0] else "wrong"
        rows.append(lacking("both over- and under-reliance", f"the AI is {which} on every image"))
    for name, model in results["models"].items():
        rows += unsound_model(model, f"the model of {name} images")
    rows += no_protocol(dataset, "the design in words, and deviations from the paper")
    if answers.participants < FEW_PARTICIPANTS:
        who = "participant" if answers.participants == 1 else "participants"
        reason = f"there are only {answers.participants} {who}: intervals are too narrow"
        rows.append(lacking("conclusions about other participants", reason))
    return [*rows, *(lacking(result, reason) for result, reason in _OF_THE_PAPER)]
