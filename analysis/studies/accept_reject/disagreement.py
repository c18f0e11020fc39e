"""Where two ways to the same result differ: rates and mixed models."""

from collections.abc import Mapping
from typing import Any

from analysis.report.primary import decides, disagreement
from analysis.report.wording import number, points
from analysis.studies.accept_reject.harm import MIXED

Row = Mapping[str, Any]

_SOLVERS = {"S": "Usefulness for S", "E": "Usefulness for E", "S-E": "Usefulness, S less E"}


def disagreements(results: Mapping[str, Any]) -> list[str]:
    """Return where mixed model and rates differ in sign or in what their intervals decide.

    Parameters
    ----------
    results
        With ``usefulness``, ``model``, ``controls`` and ``protocol``.

    Returns
    -------
    list of str
        One sentence each, and why and which counts; empty where they agree or there is no sound
        model.
    """
    said = []
    by_model = {row["solver"]: row for row in results["model"].get("marginal_usefulness", ())}
    for row in results["usefulness"]:
        other = by_model.get(row["solver"])
        if other is not None and not row["net"]:
            what = f"{_SOLVERS[row['solver']]} (percentage points)"
            said += disagreement(what, "the rates", row, other, points)
    harm = results["controls"]["sensitivity"]
    if harm["method"] == MIXED:
        pooled = _estimate(results["controls"]["pooled"])
        what = "Change of d′ with explanations"
        said += disagreement(what, "pooled counts", pooled, _estimate(harm), number)
    return [*said, decides(results["protocol"]["analysis"]["primary_test"])] if said else []


def _estimate(row: Row) -> dict[str, Any]:
    return {"estimate": row["difference"], "ci_low": row["ci_low"], "ci_high": row["ci_high"]}
