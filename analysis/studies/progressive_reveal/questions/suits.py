"""Which method suits whom: shrunken effects and distributions of participants and images."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from analysis.questions.estimates import Estimates
from analysis.questions.question import Lacking, Question
from analysis.report.about import about
from analysis.report.declared import ReportFigure, ReportTable
from analysis.report.parts import Bullets, Column, Paragraph
from analysis.report.style import INK, ORANGE, SOFT, WIDTH_IN, figure_style, subplots
from analysis.report.wording import NOTHING, count, grouped, listed, number, were
from analysis.studies.progressive_reveal.data import RevealData
from analysis.studies.progressive_reveal.fits import (
    BETA_PRIME,
    EXPONENTIATED_WEIBULL,
    LAWS,
    LEAST_ROUNDS,
    PUBLISHED,
    Fits,
    Groups,
    LawFit,
    fit_distributions,
)
from analysis.studies.progressive_reveal.model_fit import (
    ADVANTAGE_SD,
    BEST,
    CLEAR,
    CLEARLY_BEST,
    UnitEffect,
)
from analysis.studies.progressive_reveal.questions.participants import RevealView
from analysis.studies.progressive_reveal.words import Methods, draw_legend

KINDS: Final = (("participant", "o", INK, "participants"), ("item", "^", ORANGE, "images"))


@dataclass(frozen=True, slots=True)
class Suits(Estimates):
    """Which method suits whom."""

    effects: Annotated[
        tuple[UnitEffect, ...], about("Shrunken effects of participants, and of images.")
    ]
    clear_beyond: Annotated[float, about("Conditional standard errors that make it clear.")]
    fits: Annotated[Fits, about("Distributions of participants, and of images.")]


def compute(data: RevealData) -> Suits:
    """Return the model's effects of each participant and image, and their distributions."""
    model = data.results.model
    fits = fit_distributions(data.table, data.plan.seed)
    return Suits(model.suits, model.effects, CLEAR, fits)


SHRUNKEN = Paragraph(
    "Shrunken effects of participants and images with few rounds lie nearer the average: they "
    "are the model’s best guess for each of them, not their raw averages."
)


def _shrunken(here: RevealView[Suits]) -> Paragraph | None:
    return SHRUNKEN if here.answer.effects else None


def draw_effects(here: RevealView[Suits]) -> Figure:
    """Return what each method adds for each person and each image, by the shrunken effects."""
    units, methods = here.answer.effects, here.methods
    kinds = list(dict.fromkeys(unit.of for unit in units))
    with figure_style():
        figure, panels = subplots(
            1, len(kinds), figsize=(WIDTH_IN, 2.5), sharex=True, layout="constrained",
            squeeze=False,
        )  # fmt: skip
        rng = np.random.default_rng(1)
        for axes, kind in zip(panels[0], kinds, strict=True):
            effects = np.array([unit.effects for unit in units if unit.of == kind])
            for place, method in enumerate(reversed(methods.others)):
                gain = effects[:, methods.all.index(method)] - effects[:, 0]
                colour, _, marker = methods.look(method)
                axes.plot(
                    gain, place + rng.uniform(-0.25, 0.25, len(gain)), marker, color=colour,
                    markersize=3, alpha=0.6, markeredgewidth=0,
                )  # fmt: skip
            axes.axvline(0, color=SOFT, linewidth=0.8, zorder=0)
            names = [methods.panel_name(method) for method in reversed(methods.others)]
            axes.set_yticks(range(len(names)), names)
            axes.set_ylim(-0.6, len(names) - 0.4)
            axes.set_title("Participants" if kind == "participant" else "Images")
            axes.set_xlabel("own advantage over\nthe reference, log odds")
            axes.tick_params(axis="y", length=0)
    return figure


EFFECTS = ReportFigure(
    "suits",
    "What each method adds to the reference for each participant (left) and image (right) "
    "beyond what it adds for the average one. To the right: recognised sooner.",
    "Strips of points, one for each method",
    draw_effects,
    "answer.effects",
)


def _best_methods(here: RevealView[Suits]) -> Bullets | None:
    kinds = here.answer.levels("unit", BEST)
    sentences = tuple(
        sentence for kind in kinds for sentence in suits_sentences(here.answer, kind, here.methods)
    )
    return Bullets(sentences) if sentences else None


def suits_sentences(answer: Suits, kind: str, methods: Methods) -> list[str]:
    """Return which method suits whom, and say so if participants, or images, don't differ."""
    unit = "participant" if kind == "participant" else "image"
    many = f"{unit}s"
    if not any(row.estimate for row in answer.rows(ADVANTAGE_SD, unit=kind)):
        return [
            f"By the model {many} don’t differ in the effects of methods: the best method is "
            f"the same for every {unit}."
        ]
    rows = answer.rows(BEST, unit=kind)
    best = listed([f"{methods.name(row.of['method'])} {grouped(row.estimate)}" for row in rows])
    clear = sum(row.estimate or 0.0 for row in answer.rows(CLEARLY_BEST, unit=kind))
    how_many = (
        f"for {grouped(clear)} of {rows[0].n} it is clearly better than the second"
        if clear
        else "for none is it clearly better than the second"
    )
    parts = [
        f"The best method by the shrunken effects, {many}: {best}; {how_many} "
        f"(beyond {number(answer.clear_beyond)} conditional standard errors)."
    ]
    if not clear:
        parts.append(
            f"So these data don’t support choosing a method for each {unit}: differences "
            f"between {many} are smaller than their uncertainty."
        )
    return parts


def _effect_rows(here: RevealView[Suits]) -> list[dict[str, Any]]:
    """Return a row for each participant and image, with a column for each method."""
    names = [f"effect_{method}" for method in here.methods.all]
    return [
        {"of": unit.of, "unit": unit.unit, "best": unit.best, "clear": unit.clear}
        | dict(zip(names, unit.effects, strict=True))
        for unit in here.answer.effects
    ]


def _law_columns(here: RevealView[Suits]) -> list[Column]:
    fits = {(row.law, row.unit): row for row in here.answer.fits.pooled}

    def written(method: str) -> Callable[[str], str]:
        return lambda law: _fit_words(fits.get((law, method)))

    methods = dict.fromkeys(row.unit for row in here.answer.fits.pooled)
    return [
        Column("Distribution", lambda law: LAWS[law]),
        *(
            Column(here.methods.name(method), written(method), str, "AIC (KS distance)")
            for method in methods
        ),
    ]


def _fit_words(row: LawFit | None) -> str:
    return NOTHING if row is None else f"{number(row.aic, 1)} ({number(row.ks, 3)})"


LAW_TABLE = ReportTable(
    "fits_pooled",
    "answer.fits.pooled",
    "Distributions of the uncovered share at recognition, per cent of the image.",
    _law_columns,
    "Recognised rounds only; lower is better. Without a value: the fit did not converge to "
    "plausible parameters.",
    shown=lambda here: list(LAWS) if here.answer.fits.pooled else [],
)


def _fits(here: RevealView[Suits]) -> Paragraph | None:
    fits = here.answer.fits
    if not fits.units:
        return None
    said = [
        f"As published, each participant and each image with {fits.least_rounds} recognised "
        f"rounds or more has its own fit; {grouped(fits.skipped)} had fewer rounds."
    ]
    if fits.unfit:
        said.append(f"{count(fits.unfit, 'fit')} did not converge to plausible parameters.")
    if fits.beyond:
        them = f"{grouped(fits.beyond)} more {were(fits.beyond)}"
        said.append(f"{them} not fitted, since the number of fits is limited.")
    return Paragraph(" ".join(said), "quiet")


def draw_fits(here: RevealView[Suits]) -> Figure:
    """Return the fitted shapes of people and of images, and their moments, one point each."""
    fits = here.answer.fits
    with figure_style():
        figure, panels = subplots(1, 3, figsize=(WIDTH_IN, 2.5), layout="constrained")
        for axes, law in zip(panels, (BETA_PRIME, EXPONENTIATED_WEIBULL), strict=False):
            shapes = [(row.of, row.shape1, row.shape2) for row in fits.units if row.law == law]
            _draw_units(axes, shapes)
            if shapes:
                _log_axes(axes)
            axes.set(title=PUBLISHED[law], xlabel="first shape", ylabel="second shape")
        _draw_units(panels[2], [(row.of, row.mean_log, row.sd_log) for row in fits.moments])
        panels[2].set(title="log share", xlabel="mean", ylabel="standard deviation")
        draw_legend(figure, panels[2])
    return figure


def _draw_units(axes: Axes, points: Sequence[tuple[str, float, float | None]]) -> None:
    there = {of for of, *_ in points}
    for kind, marker, colour, label in (look for look in KINDS if look[0] in there):
        axes.plot(
            [x for of, x, _ in points if of == kind], [y for of, _, y in points if of == kind],
            marker, color=colour, markersize=3.5, alpha=0.65, markeredgewidth=0, label=label,
            linestyle="none",
        )  # fmt: skip
    if not points:
        axes.text(0.5, 0.5, "no fit", ha="center", transform=axes.transAxes, color=SOFT)
        axes.set(xticks=[], yticks=[])


def _log_axes(axes: Axes) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(LogLocator(numticks=4))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.set_minor_formatter(NullFormatter())


def _whose(here: RevealView[Suits]) -> str:
    """Return of whom there are points."""
    there = {row.of for row in (*here.answer.fits.units, *here.answer.fits.moments)}
    return " and ".join(
        words for kind, words in (("participant", "Each participant"), ("item", "Each image"))
        if kind in there
    ).replace(" and Each", " and each")  # fmt: skip


FITS = ReportFigure(
    "fits",
    lambda here: (
        f"{_whose(here)}: shapes of the two fitted distributions (location 0, logarithmic axes), "
        "and the mean and the standard deviation of the log share, in which groups are looked for."
    ),
    "Three scatter plots",
    draw_fits,
    "answer.fits.units",
)


def _groups(here: RevealView[Suits]) -> Bullets | None:
    fits = here.answer.fits
    if not (fits.units and fits.groups):
        return None
    return Bullets(tuple(_group_sentence(row, fits.clear_bic) for row in fits.groups))


def _group_sentence(row: Groups, clear_bic: float) -> str:
    """Return what the data say about clusters of people or of images."""
    what = "participants" if row.of == "participant" else "images"
    head = f"{row.units} {what} by the mean and the spread of their log shares: "
    if row.clear:
        return (
            f"{head}{row.best} groups fit better than one (BIC lower by "
            f"{number(row.gain, 1)}). Mixtures of normal distributions also split a "
            "single skewed group, so look at the figure before you conclude that there are "
            "groups."
        )
    gain = f"the best gains {number(row.gain, 1)}" if row.best > 1 else "none gains anything"
    return (
        f"{head}no clusters. No number of groups fits clearly better than one (the rule "
        f"requires a gain of BIC above {number(clear_bic, 0)}; {gain})."
    )


def _group_rows(here: RevealView[Suits]) -> list[dict[str, Any]]:
    """Return the rows of the file, without the criterion of each number of groups."""
    names = ("of", "units", "best", "gain", "clear")
    return [{name: getattr(row, name) for name in names} for row in here.answer.fits.groups]


FILES = (
    ReportTable("fits_units", "answer.fits.units"),
    ReportTable("moments", "answer.fits.moments"),
    ReportTable("groups", _group_rows),
    ReportTable("suits", _effect_rows),
)


def _lacking(_: RevealData, answer: Suits | None) -> list[Lacking]:
    assert answer is not None
    if answer.fits.units:
        return []
    result = "beta-prime and exponentiated-Weibull fits of participants and images"
    return [Lacking(result, f"none has {LEAST_ROUNDS} recognised rounds that allow a fit")]


SUITS = Question(
    id="suits",
    title="Which method suits whom",
    answer=Suits,
    quantities=(ADVANTAGE_SD, BEST, CLEARLY_BEST),
    compute=compute,
    step="fitting distributions to participants and images",
    parts=(_shrunken, EFFECTS, _best_methods, LAW_TABLE, _fits, FITS, _groups, *FILES),
    view=RevealView,
    lacking=_lacking,
)
"""Which method suits whom."""
