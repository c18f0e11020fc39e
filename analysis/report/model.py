"""The section of one fitted model: formula, engine, estimates, and how well it went in words."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from analysis.report.parts import Bullets, Column, Paragraph, Part, limits, table
from analysis.report.wording import count, freedom, number, p_value, rounded

Model = Mapping[str, Any]

# Scale of the estimates, and the name of their exponential with its key.
_SCALE: Mapping[str, tuple[str, str, str]] = {
    "binomial": ("log odds", "Odds ratio", "odds_ratio"),
    "probit": ("probits", "", ""),
    "poisson": ("log rate", "Rate ratio", "rate_ratio"),
}
_PLAIN = ("", "", "")
MOST_TERMS = 24


def model_parts(model: Model, remarks: Sequence[str] = (), file: str = "") -> tuple[Part, ...]:
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
    file
        Stem of the file that holds the fixed effects; a long list of them is left to it.
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
        parts.append(
            _fixed(model) if len(model["fixed"]) <= MOST_TERMS else _elsewhere(model, file)
        )
        if model["random"]:
            parts.append(_random(model))
    else:
        parts.append(Paragraph("The fit isn’t sound, so its estimates are not given."))
    return tuple(parts)


def _fixed(model: Model) -> Part:
    """Return coefficients with tests and intervals, and ratios where the link has them."""
    unit, ratio, key = _scale(model)
    columns = [
        Column("Term", "term"),
        Column("Estimate", "estimate", number, unit),
        replace(limits(), unit=unit),
        Column("SE", "se", number),
        *_test(model["fixed"]),
        Column("p", "p", p_value, "Wald"),
    ]
    if key and all(key in row for row in model["fixed"]):
        columns += [Column(ratio, key, number), limits(low=f"{key}_low", high=f"{key}_high")]
    return table("Fixed effects.", columns, model["fixed"])


def _test(rows: Sequence[Model]) -> tuple[Column, ...]:
    if all(row.get("statistic", "z") == "z" for row in rows):
        return (Column("z", "z", number),)
    return Column("t", "z", number), Column("df", "df", freedom)


def _random(model: Model) -> Part:
    """Return standard deviations of random effects, with correlations where there are any."""
    correlations = model.get("correlations") or ()
    rows = [
        *({**row, "r": None} for row in model["random"]),
        *(
            {**row, "term": f"{row['term1']} with {row['term2']}", "sd": None}
            for row in correlations
        ),
    ]
    if model.get("residual_sd") is not None:
        rows.append({"group": "residual", "term": "", "sd": model["residual_sd"], "r": None})
    columns = [
        Column("By", "group"),
        Column("Effect", "term"),
        Column("SD", "sd", rounded(number, 3), _scale(model)[0]),
    ]
    if not correlations:
        return table("Random effects, independent of each other.", columns, rows, row_headers=2)
    columns.append(Column("Correlation", "r", rounded(number, 3)))
    return table("Random effects.", columns, rows, row_headers=2)


def _scale(model: Model) -> tuple[str, str, str]:
    return tuple(model.get("scale") or _SCALE.get(model["family"], _PLAIN))


def _elsewhere(model: Model, file: str) -> Paragraph:
    terms = len(model["fixed"])
    text = f"Its {terms} coefficients are in tables/{file}.csv; the figure shows the estimates."
    return Paragraph(text, "quiet")


def _as_asked(model: Model) -> bool:
    return "".join(model["formula"].split()) == "".join(model["asked"].split())


def _size(model: Model) -> str:
    levels = "".join(f", {count(n, group)}" for group, n in model["groups"].items())
    return (
        f"{count(model['n'], *model.get('row', ('trial',)))}{levels}; log-likelihood "
        f"{number(model['log_likelihood'], 3)}; {model['engine']}."
    )
