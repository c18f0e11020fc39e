"""The report's sections on recognition, images and maps."""

from analysis.report.declared import ReportFigure, Results
from analysis.report.parts import Paragraph
from analysis.report.plan import SectionPlan
from analysis.report.wording import bare_percent, number, percent
from analysis.studies.progressive_reveal import (
    figures,
    image_figures,
    page_tables,
    survival_tables,
)
from analysis.studies.progressive_reveal.difference_figure import difference_figure
from analysis.studies.progressive_reveal.pairs import PAIRS as PAIR_TABLE
from analysis.studies.progressive_reveal.pairs import agreement
from analysis.studies.progressive_reveal.words import human_map, method_name

AVERAGES = SectionPlan(
    "Uncovered pixels, tries and recognition",
    (
        Paragraph(
            "The paper averages what was uncovered at recognition. A round that ends unrecognised "
            "has no such value; it is the method’s failure, and leaving it out flatters the method "
            "that fails more. Both views stand side by side here."
        ),
        page_tables.TABLE3,
        page_tables.TABLE3_RATES,
        page_tables.DROPPING,
        ReportFigure(
            "restricted_means",
            "Average share of the image by method, three ways: hollow, recognised rounds only; "
            "pale, all rounds with their last pixels; filled, the mean restricted to each image’s "
            "smallest final count. Bars: 95 % intervals over participants and images.",
            "Three points with intervals for each method",
            figures.restricted_figure,
        ),
    ),
)


def _pooled(results: Results) -> Paragraph:
    limits = results["survival"]["restricted"]["limits"]
    if limits["smallest"] is None:
        return Paragraph("No image’s course is known.", "quiet")
    return Paragraph(
        "Pooled over images, Turnbull’s estimate takes the final count at which a round was "
        "censored as unrelated to how hard the image is. Maps of bubbles end where bubbling "
        "stopped, so this may not hold; the restricted mean doesn’t need it, for it compares "
        "methods image by image up to a common limit "
        f"({bare_percent(limits['smallest'])} to {bare_percent(limits['largest'])} per cent of the "
        "image).",
        "quiet",
    )


def _rough(results: Results) -> Paragraph | None:
    if results["survival"]["needed"]["converged"]:
        return None
    return Paragraph("Turnbull’s estimate didn’t reach its maximum; its curves are rough.")


NEEDED = SectionPlan(
    "How much of the image recognition needs",
    (
        ReportFigure(
            "density",
            "Share of the image uncovered at recognition, recognised rounds only (Figure 6 of the "
            "paper).",
            "One density curve for each method",
            figures.density_figure,
            lambda results: any(row["density"] is not None for row in results["densities"]),
        ),
        ReportFigure(
            "both_views",
            "Recognition over the uncovered share. Left: recognised rounds only, which must end at "
            "100 % (Figure 7 of the paper). Right: all rounds by Turnbull’s estimate; bands are "
            "pointwise 95 % intervals over participants and images. Curves end where the images "
            "of fewer than ten rounds uncover more. Pixels come in steps: how recognition rises "
            "within one of Turnbull’s intervals the data can’t say; the curve is drawn evenly "
            "across it.",
            "Two panels of recognition curves",
            figures.both_views_figure,
        ),
        survival_tables.ASKED,
        survival_tables.LATE,
        _pooled,
        survival_tables.RESTRICTED,
        _rough,
    ),
)


def _courses_caption(results: Results) -> str:
    return (
        "What each method uncovers at each step: median over images and the middle 80 % (Figure 4 "
        f"of the paper). Source: {results['data']['schedule_source']}."
    )


def _recognised(results: Results) -> Paragraph:
    steps = results["steps"]
    return Paragraph(
        f"Recognised rounds have their step of recognition at {number(steps['mean_step'])} on "
        f"average (median {number(steps['median_step'], 1)}); {percent(steps['rounds_between'])} "
        f"of them lie between the {steps['low']}th and the {steps['high']}th step, and so does the "
        f"average of {percent(steps['people_between'])} of the participants."
    )


def _steps_caption(results: Results) -> str:
    markers = " Markers: the discrete-time model, averaged over participants and images."
    return (
        "Left: recognition by the end of each step, all rounds (product-limit estimate with 95 % "
        f"bands over participants and images).{markers if results['models']['curves'] else ''} "
        "Right: at which step the recognised rounds were recognised; shaded: steps 4 to 9."
    )


PAIRS = SectionPlan(
    "Methods compared pair by pair",
    (
        ReportFigure(
            "differences",
            lambda results: (
                "Recognition by each method less that by "
                f"{method_name(results['data']['reference'], results['data'])}, with pointwise "
                "95 % bands of the difference over participants and images. Above: by the end of "
                "each step (product-limit estimates); below: over the uncovered share (Turnbull’s "
                "estimates, even within an interval), as far as both are known."
            ),
            "A column of panels for each method: difference of recognition over steps and share",
            difference_figure,
            lambda results: len(results["data"]["methods"]) > 1,
        ),
        PAIR_TABLE,
        agreement,
    ),
    "pairs.rows",
)
STEPS = SectionPlan(
    "Recognition step by step",
    (
        ReportFigure(
            "courses",
            _courses_caption,
            "One panel a method: uncovered share by step",
            figures.courses_figure,
            "courses",
        ),
        _recognised,
        ReportFigure(
            "steps",
            _steps_caption,
            "Recognition curves over steps, and the distribution of steps",
            figures.steps_figure,
        ),
        survival_tables.MEAN_STEPS,
    ),
)
IMAGES = SectionPlan(
    "Images and classes",
    (
        page_tables.TABLE4,
        ReportFigure(
            "classes",
            "Method × class: average share of the image uncovered in completed rounds, "
            "unrecognised ones with their last pixels, and the recognition rate. Darker is more; "
            "the easiest class stands first. Intervals are in tables/classes.csv.",
            "A table of shades, classes by methods",
            image_figures.classes_figure,
            lambda results: sum(row["share"] is not None for row in results["classes"]) > 1,
        ),
    ),
)
LIKENESS = SectionPlan(
    "Likeness to the reference",
    (
        ReportFigure(
            "correlation",
            lambda results: (
                f"Rank correlation of each map with the {human_map(results['data'])} of the same "
                "image, at the last step (Figure 8 of the paper)."
            ),
            "One histogram for each method",
            image_figures.correlation_figure,
            "correlation.last",
        ),
        page_tables.CORRELATION,
        ReportFigure(
            "correlation_steps",
            "The same at every step: median over images, middle half and middle 80 % (Figure 9 of "
            "the paper).",
            "One panel for each method: correlation by step",
            image_figures.correlation_steps_figure,
            "correlation.steps",
        ),
    ),
)
