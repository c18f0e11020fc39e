"""Whether Change is regression to the mean: accuracy after, given accuracy before."""

from typing import Any, Final

import numpy as np

from analysis.mixed import fit_linear
from analysis.mixed.outcome import fit_or_reason, model_row
from analysis.mixed.simplify import rule
from analysis.studies.simulatability.trials import Predictions

Row = dict[str, Any]

FORMULA: Final = "post ~ pre + C(method, Treatment({base!r})) * test + (1 | participant)"
CODING: Final = (
    "One row for each person and test: post and pre are per cent right, pre less its mean; test "
    "is +½ for "
    "counterfactual and −½ for forward; the base of method is the reference."
)


def regression_results(predictions: Predictions) -> list[Row]:
    """Return, by domain, how accuracy after depends on accuracy before and on the method.

    People with low accuracy before rise by chance alone. With accuracy before held equal, what
    remains between methods isn't that.

    Returns
    -------
    list of dict
        ``domain, people`` (person × test), ``slope`` of pre with limits (1: no regression to the
        mean), ``correlation`` of Change with pre, ``methods``: each method's difference to the
        first one's (the reference), in percentage points, at equal accuracy before; ``model``.
    """
    return [_of_domain(predictions.domain(name), name) for name in predictions.domains]


def _of_domain(own: Predictions, domain: str) -> Row:
    people = own.pairs.groupby(["participant", "method", "test"], as_index=False)[["pre", "post"]]
    frame = people.mean()
    frame[["pre", "post"]] *= 100
    change, before = frame["post"] - frame["pre"], frame["pre"]
    known = len(frame) > 2 and change.std() > 0 and before.std() > 0
    frame = frame.assign(
        pre=before - before.mean(), test=np.where(frame["test"] == "counterfactual", 0.5, -0.5)
    )
    outcome = fit_or_reason(fit_linear, _formula(own), frame)
    model = model_row(outcome, {"coding": CODING, "rule": rule("scale of per cent")}, "")
    fixed = {row.term: row for row in outcome.sound.fixed} if outcome.sound else {}
    return {
        "domain": domain,
        "people": len(frame),
        "slope": _limits(fixed["pre"]) if "pre" in fixed else None,
        "correlation": float(np.corrcoef(before, change)[0, 1]) if known else None,
        "base": own.methods[0],
        "methods": [
            {"method": method, **_limits(row)}
            for method in own.methods[1:]
            for term, row in fixed.items()
            if term.endswith(f"[{method}]") and ":" not in term
        ],
        "model": model,
    }


def _formula(own: Predictions) -> str:
    formula = FORMULA.format(base=own.methods[0])
    if len(own.methods) < 2:
        formula = "post ~ pre + test + (1 | participant)"
    if len(own.tests) < 2:
        # One row a person: nothing within people is left to tell from the residual.
        formula = formula.replace(" * test", "").replace(" + test", "")
        formula = formula.replace(" + (1 | participant)", "")
    return formula


def _limits(row: Any) -> Row:
    return {
        "estimate": row.estimate, "ci_low": row.ci_low, "ci_high": row.ci_high, "p": row.p,
    }  # fmt: skip
