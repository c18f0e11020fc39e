"""The section of one fitted model: formula, engine, estimates, and how well it went in words."""

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.report.parts import Bullets, Paragraph, Part, Table, table
from analysis.report.wording import count, interval, number, p_value

Model = Mapping[str, Any]

# Scale of the estimates, and the name of their exponential with its key.
_SCALE: Mapping[str, tuple[str, str, str]] = {
    "binomial": ("log odds", "Odds ratio", "odds_ratio"),
    "poisson": ("log rate", "Rate ratio", "rate_ratio"),
}
_PLAIN = ("", "", "")


def model_parts(model: Model, remarks: Sequence[str] = ()) -> tuple[Part, ...]:
    """Return a model's parts of the page.

    Parameters
    ----------
    model
        ``fitted, reason`` where there is none; else ``asked, formula, family, engine, n,
        groups, log_likelihood, converged, fixed, random, notes`` and, where they are,
        ``correlations`` and ``residual_sd``. Rows of ``fixed`` may have ``odds_ratio``
        or ``rate_ratio`` with their ``_low`` and ``_high``. ``scale``, where it is there,
        names the estimates' unit, the ratio and its key in place of the family's; ``row``
        what a row of the model is, where it isn't a trial.
    remarks
        Sentences on coding and rules.
    """
    if not model["fitted"]:
        asked = (Paragraph("Asked for:", "quiet"), Paragraph(model["asked"], "formula"))
        return (Paragraph(model["reason"]), *asked)
    parts: list[Part] = [
        Paragraph("Asked for and fitted:" if _as_asked(model) else "Asked for:", "quiet"),
        Paragraph(model["asked"], "formula"),
    ]
    if not _as_asked(model):
        parts += [Paragraph("Fitted:", "quiet"), Paragraph(model["formula"], "formula")]
    parts.append(Paragraph(" ".join([_size(model), *remarks]), "quiet"))
    if model["notes"]:
        parts.append(Bullets(tuple(model["notes"])))
    if model["converged"]:
        parts.append(fixed_table(model))
        if model["random"]:
            parts.append(random_table(model))
    else:
        parts.append(Paragraph("The fit isn’t sound, so its estimates are not given."))
    return tuple(parts)


def fixed_table(model: Model) -> Table:
    """Return coefficients with tests and intervals, and ratios where the link has them."""
    unit, ratio, key = _scale(model)
    with_ratio = bool(key) and all(key in row for row in model["fixed"])
    columns = [
        ("Term", "", False),
        ("Estimate", unit, True),
        ("95 % interval", unit, True),
        ("SE", "", True),
        ("z", "", True),
        ("p", "Wald", True),
    ]
    if with_ratio:
        columns += [(ratio, "", True), ("95 % interval", "", True)]
    rows = []
    for row in model["fixed"]:
        cells = [
            row["term"],
            number(row["estimate"]),
            interval(row["ci_low"], row["ci_high"]),
            number(row["se"]),
            number(row["z"]),
            p_value(row["p"]),
        ]
        if with_ratio:
            cells += [number(row[key]), interval(row[f"{key}_low"], row[f"{key}_high"])]
        rows.append(cells)
    return table("Fixed effects.", columns, rows)


def random_table(model: Model) -> Table:
    """Return standard deviations of random effects, with correlations where there are any."""
    unit = _scale(model)[0]
    rows = [(row["group"], row["term"], number(row["sd"], 3)) for row in model["random"]]
    correlations = model.get("correlations") or ()
    rows += [
        (row["group"], f"correlation of {row['term1']} and {row['term2']}", number(row["r"], 3))
        for row in correlations
    ]
    if model.get("residual_sd") is not None:
        rows.append(("residual", "", number(model["residual_sd"], 3)))
    caption = "Random effects." if correlations else "Random effects, independent of each other."
    columns = [("By", "", False), ("Effect", "", False), ("SD", unit, True)]
    return table(caption, columns, rows, row_headers=2)


def _scale(model: Model) -> tuple[str, str, str]:
    return tuple(model.get("scale") or _SCALE.get(model["family"], _PLAIN))


def _as_asked(model: Model) -> bool:
    return "".join(model["formula"].split()) == "".join(model["asked"].split())


def _size(model: Model) -> str:
    levels = "".join(f", {count(n, group)}" for group, n in model["groups"].items())
    return (
        f"{count(model['n'], *model.get('row', ('trial',)))}{levels}; log-likelihood "
        f"{number(model['log_likelihood'], 3)}; {model['engine']}."
    )
