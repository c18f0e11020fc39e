"""Where two ways to the same result differ: rates with their bootstrap, and mixed models."""

from collections.abc import Callable, Mapping
from typing import Any

from analysis.report.wording import interval, number, points, unknown
from analysis.studies.accept_reject.harm import MIXED

Row = Mapping[str, Any]

SLIGHT = 0.005
"""Estimates nearer to zero than this have no sign to disagree in: they are printed as 0."""
_SOLVERS = {"S": "Usefulness for S", "E": "Usefulness for E", "S-E": "Usefulness, S less E"}


def disagreements(results: Mapping[str, Any]) -> list[str]:
    """Return where mixed model and rates differ in sign or in what their intervals decide.

    Parameters
    ----------
    results
        With ``usefulness``, ``model`` and ``controls``.

    Returns
    -------
    list of str
        One sentence each; empty where they agree or there is no sound model.
    """
    said = []
    by_model = {row["solver"]: row for row in results["model"].get("marginal_usefulness", ())}
    for row in results["usefulness"]:
        other = by_model.get(row["solver"])
        if other is not None and not row["net"]:
            what = f"{_SOLVERS[row['solver']]} (percentage points)"
            said += _compared(what, "the rates", row, other, points)
    harm = results["controls"]["sensitivity"]
    if harm["method"] == MIXED:
        pooled = _estimate(results["controls"]["pooled"])
        what = "Change of d′ with explanations"
        said += _compared(what, "pooled counts", pooled, _estimate(harm), number)
    return said


def _estimate(row: Row) -> dict[str, Any]:
    return {"estimate": row["difference"], "ci_low": row["ci_low"], "ci_high": row["ci_high"]}


def _compared(
    what: str, source: str, raw: Row, model: Row, write: Callable[[float], str]
) -> list[str]:
    """Return the sentence, or nothing where both agree or one isn't known."""
    if any(unknown(row[name]) for row in (raw, model) for name in ("estimate", "ci_low")):
        return []
    opposite = raw["estimate"] * model["estimate"] < 0
    slight = min(abs(raw["estimate"]), abs(model["estimate"])) < SLIGHT
    if opposite and not slight:
        how = "they disagree in sign"
    elif _decided(raw) != _decided(model):
        how = "they disagree on whether it differs from zero"
    else:
        return []
    pair = [
        f"{write(row['estimate'])} {interval(row['ci_low'], row['ci_high'], write)}"
        for row in (raw, model)
    ]
    return [
        f"{what}: {source} with their bootstrap give {pair[0]}, the mixed model {pair[1]}; {how}."
    ]


def _decided(row: Row) -> int:
    """Return on which side of zero an interval lies; 0 where it holds zero."""
    return int(row["ci_low"] > 0) - int(row["ci_high"] < 0)
