"""A fit as JSON."""

from dataclasses import asdict
from typing import Any

from analysis.data.json_values import plain
from analysis.fit.command import Answer
from analysis.mixed.compare import Comparison
from analysis.mixed.contrasts import Margins
from analysis.mixed.marginal import Estimate


def as_json(done: Answer) -> dict[str, Any]:
    """Return a fit as the stable interface has it, with what was asked for besides."""
    result = done.result
    answer: dict[str, Any] = {
        "formula": result.formula,
        "family": result.family,
        "engine": result.engine,
        "n": result.n,
        "groups": result.groups,
        "fixed": [asdict(row) for row in result.fixed],
        "random": [asdict(row) for row in result.random],
        "correlations": [asdict(row) for row in result.correlations],
        "residual_sd": result.residual_sd,
        "log_likelihood": result.log_likelihood,
        "converged": result.converged,
        "criterion": result.criterion,
        "statistic": result.statistic,
        "parameters": result.parameters,
        "aic": result.aic,
        "bic": result.bic,
        "own": [asdict(row) for row in result.own],
        "notes": list(result.notes),
    }
    if done.margins:
        answer["margins"] = [_margins_json(part) for part in done.margins]
    if done.comparison is not None:
        answer["comparison"] = _comparison_json(done.comparison)
    if done.replicates is not None:
        answer["bootstrap"] = asdict(done.replicates)
    return plain(answer)


def _margins_json(part: Margins) -> dict[str, Any]:
    return {
        "term": part.term,
        "averages": [
            {"setting": label, **_limits(estimate)}
            for label, estimate in zip(part.labels, part.averages, strict=True)
        ],
        "contrasts": [
            {
                "setting": row.one,
                "against": row.other,
                **_limits(row.difference),
                "z": row.z,
                "p": row.p,
                "p_holm": row.p_holm,
            }
            for row in part.contrasts
        ],
    }


def _limits(part: Estimate) -> dict[str, float]:
    return {
        "estimate": part.estimate,
        "se": part.se,
        "ci_low": part.ci_low,
        "ci_high": part.ci_high,
        "df": part.df,
    }


def _comparison_json(part: Comparison) -> dict[str, Any]:
    return {
        "smaller": part.smaller.formula,
        "larger": part.larger.formula,
        "log_likelihoods": [part.smaller.log_likelihood, part.larger.log_likelihood],
        "statistic": part.statistic,
        "df": part.df,
        "p": part.p,
        "reference": part.reference,
        "notes": list(part.notes),
        "f": None if part.f is None else asdict(part.f),
    }
