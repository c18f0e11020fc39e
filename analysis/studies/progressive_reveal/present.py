"""From the results of progressive_reveal to the report's sections."""

from collections.abc import Mapping
from typing import Any

from analysis.report.checks import checks_section
from analysis.report.flow import flow_picture, flow_table
from analysis.report.methods import deviations_section, methods_section, software_section
from analysis.report.model import model_parts
from analysis.report.parts import Bullets, Fact, Paragraph, Part, Picture, Report, Section, Table
from analysis.report.published import published_section
from analysis.report.timing import rig_tables
from analysis.report.wording import count, grouped, interval, number, percent
from analysis.studies.progressive_reveal import (
    image_figures,
    page_tables,
    sections,
    survival_tables,
)
from analysis.studies.progressive_reveal.methods import methods_paragraphs
from analysis.studies.progressive_reveal.sentences import (
    group_sentences,
    suits_sentences,
)
from analysis.studies.progressive_reveal.survey import sample_sentence, survey_table
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
MOST_TERMS = 24


def build_report(results: Results) -> Report:
    """Return the report of progressive_reveal, made from what stands in results.json alone."""
    data = results["data"]
    purpose = f"sessions of purpose {data['purpose']}" if data["purpose"] else "all sessions"
    parts = (
        methods_section(results, methods_paragraphs(results)),
        _people(results),
        sections.averages(results),
        sections.needed(results),
        sections.steps(results),
        sections.first_answers(results),
        sections.images(results),
        sections.likeness(results),
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
        sections=tuple(section for section in parts if section.parts),
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
    parts: list[Part] = [
        Paragraph(data["purpose_words"], "quiet"),
        Paragraph(text),
        flow_picture(results["flow"]),
        flow_table(results["flow"]),
    ]
    sample = results["sample"]
    if sample is not None:
        parts.append(Paragraph(sample_sentence(sample)))
        if sample["survey"]:
            parts.append(survey_table(sample))
    return Section("Participants and rounds", tuple(parts))


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
        parts += [Paragraph(title), *_shortened(name, model_parts(model, remarks), model)]
    return Section("Mixed models", tuple(parts))


def _shortened(name: str, parts: tuple[Part, ...], model: Mapping[str, Any]) -> list[Part]:
    """Leave a long list of coefficients to its file: what they come to is drawn."""
    terms = len(model["fixed"]) if model["fitted"] else 0
    if terms <= MOST_TERMS:
        return list(parts)
    said = f"Its {terms} coefficients stand in tables/{name}_fixed.csv; what they come to is drawn."
    return [Paragraph(said, "quiet") if _is_fixed(part) else part for part in parts]


def _is_fixed(part: Part) -> bool:
    return isinstance(part, Table) and part.caption == "Fixed effects."


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
