"""The report's sections on recognition, images and maps."""

from collections.abc import Mapping
from typing import Any

from analysis.report.parts import Paragraph, Part, Picture, Section
from analysis.report.wording import number, percent
from analysis.studies.progressive_reveal import (
    figures,
    image_figures,
    page_tables,
    survival_tables,
)
from analysis.studies.progressive_reveal.words import bare

Results = Mapping[str, Any]


def averages(results: Results) -> Section:
    """Return Table III in both readings, and the restricted means beside it."""
    parts: list[Part] = [
        Paragraph(
            "The paper averages what was uncovered at recognition. A round that ends unrecognised "
            "has no such value; it is the method’s failure, and leaving it out flatters the method "
            "that fails more. Both views stand side by side here."
        ),
        page_tables.table3_pixels(results),
        page_tables.table3_rates(results),
        page_tables.dropping(results),
        Picture(
            "restricted_means",
            "Average share of the image by method, three ways: hollow, recognised rounds only; "
            "pale, all rounds with their last pixels; filled, the mean restricted to each image’s "
            "smallest final count. Bars: 95 % intervals over people and images.",
            "Three points with intervals for each method",
            figures.restricted_figure(results),
        ),
    ]
    return Section("Uncovered pixels, tries and recognition", tuple(parts))


def needed(results: Results) -> Section:
    """Return recognition over the uncovered share."""
    needed, found = results["survival"]["needed"], results["survival"]["restricted"]
    limits = found["limits"]
    parts: list[Part] = []
    if any(row["density"] is not None for row in results["densities"]):
        parts.append(
            Picture(
                "density",
                "Share of the image uncovered at recognition, recognised rounds only (Figure 6 of "
                "the paper).",
                "One density curve for each method",
                figures.density_figure(results),
            )
        )
    parts += [
        Picture(
            "both_views",
            "Recognition over the uncovered share. Left: recognised rounds only, which must end at "
            "100 % (Figure 7 of the paper). Right: all rounds by Turnbull’s estimate; bands are "
            "pointwise 95 % intervals over people and images. Curves end where the images of fewer "
            "than ten rounds uncover more.",
            "Two panels of recognition curves",
            figures.both_views_figure(results),
        ),
        survival_tables.asked(results),
        survival_tables.late(results),
        Paragraph(
            "Pooled over images, Turnbull’s estimate takes the final count at which a round was "
            "censored as unrelated to how hard the image is. Human maps end where people stopped "
            "to bubble, so this may not hold; the restricted mean doesn’t need it, for it compares "
            "methods image by image up to a common limit "
            f"({bare(limits['smallest'])} to {bare(limits['largest'])} per cent of the image)."
            if limits["smallest"] is not None
            else "No image’s course is known.",
            "quiet",
        ),
        survival_tables.restricted(results),
    ]
    if not needed["converged"]:
        parts.append(
            Paragraph("Turnbull’s estimate didn’t reach its maximum; its curves are rough.")
        )
    return Section("How much of the image recognition needs", tuple(parts))


def steps(results: Results) -> Section:
    """Return recognition step by step."""
    steps, contrasts = results["steps"], results["models"]["contrasts"]
    parts: list[Part] = []
    if results["courses"]:
        parts.append(
            Picture(
                "courses",
                "What each method uncovers at each step: median over images and the middle 80 % "
                "(Figure 4 of the paper). Source: " + results["data"]["schedule_source"] + ".",
                "One panel a method: uncovered share by step",
                figures.courses_figure(results),
            )
        )
    text = (
        f"Recognised rounds have their step of recognition at {number(steps['mean_step'])} on "
        f"average (median {number(steps['median_step'], 1)}); {percent(steps['rounds_between'])} "
        f"of them lie between the {steps['low']}th and the {steps['high']}th step, and so does the "
        f"average of {percent(steps['people_between'])} of the people."
    )
    markers = " Markers: the discrete-time model, averaged over people and images."
    parts += [
        Paragraph(text),
        Picture(
            "steps",
            "Left: recognition by the end of each step, all rounds (product-limit estimate with "
            "95 % bands over people and images)."
            + (markers if results["models"]["curves"] else "")
            + " Right: at which step the recognised rounds were recognised; shaded: steps 4 to 9.",
            "Recognition curves over steps, and the distribution of steps",
            figures.steps_figure(results),
        ),
        survival_tables.mean_steps(results),
    ]
    if contrasts:
        parts.append(survival_tables.contrasts(results))
    if results["cox"]["fitted"]:
        parts.append(survival_tables.cox(results))
    return Section("Recognition step by step", tuple(parts))


def first_answers(results: Results) -> Section:
    """Return recognition at the first answer."""
    if not results["first_attempts"]:
        return Section("First answers", ())
    return Section("First answers", (page_tables.first_attempts(results),))


def images(results: Results) -> Section:
    """Return Table IV, and methods by classes."""
    parts: list[Part] = []
    if results["table4"]:
        parts.append(page_tables.table4(results))
    known = sum(row["share"] is not None for row in results["classes"])
    if known > 1:
        parts.append(
            Picture(
                "classes",
                "Method × class: average share of the image uncovered in completed rounds, "
                "unrecognised ones with their last pixels, and the recognition rate. Darker is "
                "more; the easiest class stands first. Intervals are in tables/classes.csv.",
                "A table of shades, classes by methods",
                image_figures.classes_figure(results),
            )
        )
    return Section("Images and classes", tuple(parts))


def likeness(results: Results) -> Section:
    """Return how like the human maps the methods' maps are."""
    found = results["correlation"]
    parts: list[Part] = []
    if found["last"]:
        parts += [
            Picture(
                "correlation",
                "Rank correlation of each map with the human map of the same image, at the last "
                "step (Figure 8 of the paper).",
                "One histogram for each method",
                image_figures.correlation_figure(results),
            ),
            page_tables.correlation(results),
        ]
    if found["steps"]:
        parts.append(
            Picture(
                "correlation_steps",
                "The same at every step: median over images, middle half and middle 80 % (Figure 9 "
                "of the paper).",
                "One panel for each method: correlation by step",
                image_figures.correlation_steps_figure(results),
            )
        )
    return Section("Likeness to the human maps", tuple(parts))
