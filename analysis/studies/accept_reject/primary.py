"""The primary analysis: usefulness of S's and of E's explanations, two tests of one family."""

from collections.abc import Mapping
from typing import Any

from analysis.report.primary import MEANS, MODEL, used
from analysis.statistics.comparison import holm
from analysis.statistics.two_way import TwoWayMeans
from analysis.studies.accept_reject.rates import USEFULNESS, Rates

FAMILY = ("S", "E")


def primary_results(results: Mapping[str, Any], rates: Rates) -> dict[str, Any]:
    """Return the primary analysis and the other one beside it.

    Parameters
    ----------
    results
        With ``protocol``, ``model`` and ``usefulness``.
    rates
        Gives the p values of the means.

    Returns
    -------
    dict
        ``asked`` and ``used`` (``model`` or ``means``); ``rows`` by solver and analysis: usefulness
        with limits, p, p by Holm over S and E, and whether it is the primary one.
    """
    asked = results["protocol"]["analysis"]["primary_test"]
    by_model = {row["solver"]: row for row in results["model"].get("marginal_usefulness", ())}
    taken = used(asked, bool(by_model))
    rows = [*_by_means(results, rates), *_by_model(by_model)]
    return {
        "asked": asked,
        "used": taken,
        "rows": [
            {**row, "primary": row["by"] == taken}
            for row in sorted(rows, key=lambda row: row["by"] != taken)
        ],
    }


def _by_means(results: Mapping[str, Any], rates: Rates) -> list[dict[str, Any]]:
    raw = {row["solver"]: row for row in results["usefulness"] if not row["net"]}
    weights = {name: own for name, net, own in USEFULNESS if not net}
    p = [
        rates.found.p(weights[name]) if isinstance(rates.found, TwoWayMeans) else float("nan")
        for name in FAMILY
    ]
    return _rows(MEANS, raw, p)


def _by_model(by_model: Mapping[str, Any]) -> list[dict[str, Any]]:
    if not by_model:
        return []
    return _rows(MODEL, by_model, [by_model[name]["p"] for name in FAMILY])


def _rows(by: str, found: Mapping[str, Any], p: list[float]) -> list[dict[str, Any]]:
    return [
        {
            "solver": name,
            "by": by,
            **{key: found[name][key] for key in ("estimate", "ci_low", "ci_high")},
            "p": own,
            "p_holm": adjusted,
        }
        for name, own, adjusted in zip(FAMILY, p, holm(p), strict=True)
    ]
