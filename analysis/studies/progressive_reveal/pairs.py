"""Contrasts between all pairs of methods, by model and by bootstrap, with Holm's correction.

The mixed model and the bootstrap over people and images answer the same two questions: how many
rounds are recognised by the end, and how many steps recognition takes. Where they differ in sign
or in what they decide, the page says so.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from analysis.mixed.marginal import Estimate
from analysis.report.declared import ReportTable, Results, changes
from analysis.report.estimates import limits_row
from analysis.report.parts import Bullets, Column, Paragraph, Part
from analysis.report.wording import interval, number, p_value, unknown
from analysis.statistics.bootstrap.resample import Bootstrap
from analysis.statistics.comparison import holm
from analysis.statistics.proportions import LEVEL
from analysis.studies.progressive_reveal.sentences import points_tenth
from analysis.studies.progressive_reveal.words import method_name

Row = Mapping[str, Any]

MODEL: Final = "model"
BOOTSTRAP: Final = "bootstrap"
OF_WORDS: Final[Mapping[str, tuple[str, Callable[[float | None], str]]]] = {
    "recognised": ("recognised by the end, points", points_tenth),
    "steps": ("mean steps", number),
    "restricted": ("restricted mean, points of the image", points_tenth),
}
ALPHA: Final = 1 - LEVEL


def wald_pair(of: str, method: str, other: str, part: Estimate) -> dict[str, Any]:
    """Return a contrast of the model's, with the two-sided p of its Wald test."""
    row = {"of": of, "by": MODEL, "method": method, "other": other, **limits_row(part)}
    return {**row, "p": part.p}


def drawn_pair(of: str, method: str, other: str, found: Bootstrap, place: int) -> dict[str, Any]:
    """Return a contrast of a bootstrap's, with its p by centring."""
    limits = limits_row(found.interval(place))
    row = {"of": of, "by": BOOTSTRAP, "method": method, "other": other, **limits}
    return {**row, "p": found.p(place)}


def to_reference(rows: Iterable[Row], reference: str, *names: str) -> list[dict[str, Any]]:
    """Return the contrasts to the reference, with their estimate, its limits and what is named."""
    kept = ("method", *names, "estimate", "ci_low", "ci_high")
    return [
        {"reference": reference, **{name: row[name] for name in kept}}
        for row in rows
        if row["other"] == reference
    ]


def with_holm(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Return contrasts with p corrected over all pairs of the same question and the same way."""
    rows = [dict(row) for row in rows]
    for of, by in dict.fromkeys((row["of"], row["by"]) for row in rows):
        own = [row for row in rows if (row["of"], row["by"]) == (of, by)]
        for row, p in zip(own, holm([row["p"] for row in own]), strict=True):
            row["p_holm"] = p
    return rows


def disagreements(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Return the contrasts in which model and bootstrap differ in sign or decision.

    A decision is whether there is a difference at 5 % after Holm's correction.
    """
    found: dict[tuple[str, str, str], dict[str, Row]] = {}
    for row in rows:
        found.setdefault((row["of"], row["method"], row["other"]), {})[row["by"]] = row
    differ = []
    for (of, method, other), ways in found.items():
        if set(ways) != {MODEL, BOOTSTRAP}:
            continue
        model, drawn = ways[MODEL], ways[BOOTSTRAP]
        if any(unknown(row[name]) for row in (model, drawn) for name in ("estimate", "p_holm")):
            continue
        decided = [row["p_holm"] < ALPHA for row in (model, drawn)]
        parts = {
            "sign": model["estimate"] * drawn["estimate"] < 0,
            "decision": decided[0] != decided[1],
        }
        if any(parts.values()):
            what = " and ".join(name for name, differs in parts.items() if differs)
            differ.append(
                {"of": of, "method": method, "other": other, "differ_in": what,
                 MODEL: dict(model), BOOTSTRAP: dict(drawn)}
            )  # fmt: skip
    return differ


def _pair(row: Row, results: Results) -> str:
    method, other = (method_name(row[name], results["data"]) for name in ("method", "other"))
    return f"{method} less {other}"


def _said(row: Row) -> str:
    write = OF_WORDS[row["of"]][1]
    return f"{write(row['estimate'])} (p {p_value(row['p_holm'])})"


def agreement(results: Results) -> Part | None:
    """Return where model and bootstrap differ, or that they don't; None without both."""
    rows = results["pairs"]["rows"]
    if {row["by"] for row in rows} != {MODEL, BOOTSTRAP}:
        return None
    differ = results["pairs"]["disagreements"]
    if not differ:
        return Paragraph(
            "Model and bootstrap agree in sign and decision on every pair that both compare."
        )
    return Bullets(
        tuple(
            f"Model and bootstrap disagree in {row['differ_in']} on {_pair(row, results)}, "
            f"{OF_WORDS[row['of']][0]}: the model has {_said(row[MODEL])}, the bootstrap "
            f"{_said(row[BOOTSTRAP])}. Neither is to be cited without the other."
            for row in differ
        )
    )


def _printed(row: Row, results: Results) -> dict[str, Any]:
    what, write = OF_WORDS[row["of"]]
    return {
        "of": what,
        "pair": _pair(row, results),
        "by": row["by"],
        "estimate": write(row["estimate"]),
        "limits": interval(row["ci_low"], row["ci_high"], write),
        "p": row["p"],
        "p_holm": row["p_holm"],
    }


PAIRS = ReportTable(
    "pairs",
    "pairs.rows",
    "Contrasts between all pairs of methods.",
    (
        Column("Of", "of", once=True),
        Column("Pair", "pair"),
        Column("By", "by"),
        Column("Difference", "estimate", str),
        Column("95 % interval", "limits", str),
        Column("p", "p", p_value),
        Column("p, corrected", "p_holm", p_value, "Holm"),
    ),
    "Model: the discrete-time model, random effects integrated out, Wald. Bootstrap: life tables "
    "and restricted means, participants and images drawn again. Holm’s correction is over all "
    "pairs of the same question by the same way; intervals aren’t corrected.",
    shown=lambda results: [_printed(row, results) for row in results["pairs"]["rows"]],
    strong=changes("of"),
    row_headers=3,
)
