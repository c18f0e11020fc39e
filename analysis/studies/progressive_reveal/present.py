"""From the results of progressive_reveal to the report's sections."""

from collections.abc import Mapping
from typing import Any

from analysis.report.checks import checks_section
from analysis.report.flow import flow_picture, flow_table
from analysis.report.methods import deviations_section, methods_section, software_section
from analysis.report.model import model_parts
from analysis.report.parts import Bullets, Fact, Paragraph, Part, Picture, Report, Section
from analysis.report.published import published_section
from analysis.report.timing import rig_tables
from analysis.report.wording import count, grouped, interval, number, percent
from analysis.studies.progressive_reveal import (
    figures,
    image_figures,
    page_tables,
    survival_tables,
)
from analysis.studies.progressive_reveal.methods import methods_paragraphs
from analysis.studies.progressive_reveal.sentences import (
    group_sentences,
    suits_sentences,
)
from analysis.studies.progressive_reveal.words import bare, method_name

Results = Mapping[str, Any]

FIGURE_NAMES = (
    "flow",
    "courses",
    "density",
    "both_views",
    "steps",
    "restricted_means",
    "correlation",
    "correlation_steps",
    "classes",
    "suits",
    "fits",
)
"""Every figure that a report may have, by file stem."""


def build_report(results: Results) -> Report:
    """Return the report of progressive_reveal, made from what stands in results.json alone."""
    data = results["data"]
    purpose = f"sessions of purpose {data['purpose']}" if data["purpose"] else "all sessions"
    sections = (
        methods_section(results, methods_paragraphs(results)),
        _people(results),
        _views(results),
        _needed(results),
        _steps(results),
        _tries(results),
        _images(results),
        _likeness(results),
        _suits(results),
        _other_choices(results),
        published_section(results["published"]),
        _models(results),
        _timing(results),
        checks_section(results["checks"], results["checks_by_state"]),
        _not_given(results),
        _remarks(results),
        deviations_section(results),
        software_section(results, _resampling(results)),
    )
    return Report(
        title="progressive_reveal: how much of an image must an explanation uncover?",
        subtitle=f"{purpose} from {data['source']}; protocol “{data['protocol']}”, "
        f"taken from {data['protocol_source']}",
        headline=tuple(results["headline"]),
        facts=_facts(results),
        sections=tuple(section for section in sections if section.parts),
    )


def _facts(results: Results) -> tuple[Fact, ...]:
    data = results["data"]
    facts = [
        Fact(grouped(data["participants"]), "people" if data["participants"] != 1 else "person"),
        Fact(grouped(data["rounds"]), f"rounds on {count(data['items'], 'image')}"),
    ]
    for row in results["survival"]["restricted"]["methods"]:
        if row["estimate"] is not None:
            limits = interval(row["ci_low"], row["ci_high"], bare)
            label = f"of the image, {method_name(row['method'])} {limits}"
            facts.append(Fact(percent(row["estimate"], 1), label))
    return tuple(facts[:6])


def _people(results: Results) -> Section:
    data = results["data"]
    text = (
        f"{count(data['participants'], 'person', 'people')} with "
        f"{number(data['rounds_a_person'], 1)} rounds on average; "
        f"{grouped(data['recognised_rounds'])} of {grouped(data['rounds'])} rounds were "
        f"recognised, {grouped(data['left_rounds'])} left midway."
    )
    return Section(
        "Participants and rounds",
        (
            Paragraph(data["purpose_words"], "quiet"),
            Paragraph(text),
            flow_picture(results["flow"]),
            flow_table(results["flow"]),
        ),
    )


def _views(results: Results) -> Section:
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


def _needed(results: Results) -> Section:
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
            "pointwise 95 % intervals over people and images.",
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


def _steps(results: Results) -> Section:
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


def _tries(results: Results) -> Section:
    if not results["first_attempts"]:
        return Section("First answers", ())
    return Section("First answers", (page_tables.first_attempts(results),))


def _images(results: Results) -> Section:
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


def _likeness(results: Results) -> Section:
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


def _suits(results: Results) -> Section:
    parts: list[Part] = []
    if results["models"]["suits"]:
        parts += [
            Paragraph(
                "Shrunken effects draw whoever was seen little towards the average: they are the "
                "model’s best guess for each person and each image, not their raw averages."
            ),
            Picture(
                "suits",
                "What each method adds to the reference for each person (left) and image (right) "
                "beyond what it adds for the average one. To the right: recognised sooner.",
                "Strips of points, one for each method",
                image_figures.suits_figure(results),
            ),
            Bullets(tuple(suits_sentences(results))),
        ]
    fits = results["fits"]
    if fits["pooled"]:
        parts.append(page_tables.laws(results))
    if fits["units"]:
        text = (
            f"As published, each person and each image with {fits['least_rounds']} recognised "
            "rounds or more has its own fit; "
            f"{grouped(fits['skipped'])} had fewer, {count(fits['unfit'], 'fit')} ran away to "
            f"parameters without meaning, {grouped(fits['beyond'])} were beyond the number that is "
            "fitted."
        )
        parts += [
            Paragraph(text, "quiet"),
            Picture(
                "fits",
                "Each person and each image: shapes of the two fitted distributions (location 0, "
                "logarithmic axes), and the mean and the standard deviation of the log share, in "
                "which groups are looked for.",
                "Three scatter plots",
                image_figures.fits_figure(results),
            ),
        ]
        sentences = group_sentences(results)
        if sentences:
            parts.append(Bullets(tuple(sentences)))
    return Section("Which method suits whom", tuple(parts))


def _other_choices(results: Results) -> Section:
    parts: list[Part] = []
    if results["sensitivity"]:
        parts.append(survival_tables.sensitivity(results))
    typing = results["models"]["typing"]
    if typing is not None and typing["fitted"]:
        row = typing["typing"]
        parts += [
            Paragraph(
                "Typing time (seconds a letter, from the copied words) in the hazard of "
                f"recognition: {number(row['estimate'])} log odds a second "
                f"{interval(row['ci_low'], row['ci_high'])}, over "
                f"{count(typing['people'], 'person', 'people')}."
            ),
            survival_tables.typing(results),
        ]
    return Section("The same result under other choices", tuple(parts))


def _models(results: Results) -> Section:
    titles = (
        ("hazard", "Discrete-time model of recognition."),
        ("per_pixel", "The same with the pixels uncovered at each step: quality per pixel."),
        ("tries", "Wrong tries."),
        ("times", "Times to recognition."),
    )
    parts: list[Part] = []
    for name, title in titles:
        model = results["models"][name]
        remarks = [model["coding"]]
        if model["fitted"]:
            remarks.append(model["rule"])
        parts += [Paragraph(title), *model_parts(model, remarks)]
    return Section("Mixed models", tuple(parts))


def _timing(results: Results) -> Section:
    timing = results["timing"]
    parts: list[Part] = []
    if timing["warnings"]:
        parts.append(Bullets(tuple(timing["warnings"])))
    if timing["rigs"]:
        parts += rig_tables(timing["rigs"])
    return Section("Timing quality", tuple(parts))


def _not_given(results: Results) -> Section:
    if not results["missing"]:
        return Section("What can’t be given", ())
    return Section("What can’t be given", (page_tables.missing(results),))


def _remarks(results: Results) -> Section:
    notes = tuple(results["notes"])
    return Section("Remarks", (Bullets(notes),) if notes else ())


def _resampling(results: Results) -> str:
    boot = results["bootstrap"]
    return (
        f"Intervals: percentile, {grouped(boot['replicates'])} replicates unless stated, people "
        f"and images drawn independently; seed {boot['seed']}."
    )
