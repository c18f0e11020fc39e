"""From the results of the assessment of accuracy to the report's sections."""

from collections.abc import Mapping
from typing import Any

from analysis.report.checks import checks_section
from analysis.report.flow import flow_picture, flow_table
from analysis.report.listing import MOST_LISTED
from analysis.report.methods import deviations_section, methods_section, software_section
from analysis.report.parts import Bullets, Fact, Paragraph, Picture, Report, Section
from analysis.report.timing import rig_tables
from analysis.report.wording import count, grouped, interval, number, percent, points
from analysis.studies.accept_reject.blinding_page import answers_table
from analysis.studies.accept_reject_accuracy import figures, page_tables
from analysis.studies.accept_reject_accuracy.methods import methods_paragraphs

Results = Mapping[str, Any]

FIGURE_NAMES = ("flow", "accuracy", "classes", "label_uncertainty")
"""Every figure that a report may have, by file stem."""


def build_report(results: Results) -> Report:
    """Return the report of accuracy, made from what stands in results.json alone."""
    data = results["data"]
    purpose = f"sessions of purpose {data['purpose']}" if data["purpose"] else "all sessions"
    return Report(
        title="accept_reject: how accurate is a classifier for the people who judge it?",
        subtitle=f"{purpose} from {data['source']}; protocol “{data['protocol']}”, "
        f"taken from {data['protocol_source']}",
        headline=tuple(results["headline"]),
        facts=_facts(results),
        sections=tuple(
            section
            for section in (
                methods_section(results, methods_paragraphs(results)),
                _people(results),
                _accuracy(results),
                _uncertainty(results),
                _beyond(results),
                _controls(results),
                _answers(results),
                _other_choices(results),
                _timing(results),
                checks_section(results["checks"], results["checks_by_state"]),
                _remarks(results),
                deviations_section(results),
                software_section(results, _resampling(results)),
            )
            if section.parts
        ),
    )


def _facts(results: Results) -> tuple[Fact, ...]:
    data, accuracy = results["data"], results["accuracy"]
    disputed = results["uncertainty"]["disputed"]
    leads = "leads" if data["participants"] != 1 else "lead"
    between = interval(accuracy["ci_low"], accuracy["ci_high"])
    return (
        Fact(grouped(data["participants"]), leads),
        Fact(grouped(data["trials"]), f"trials on {count(data['items'], 'image')}"),
        Fact(number(accuracy["estimate"], 3), f"acc_L of the system {between}"),
        Fact(number(accuracy["plain_accuracy"], 3), "plain accuracy on the same images"),
        Fact(percent(disputed["rate"]), "of the data set’s labels disputed"),
        Fact(results["comparison"]["verdict"], "S against E"),
    )


def _people(results: Results) -> Section:
    rules = results["exclusions"]
    text = (
        "Controls are wrong labels and no-solutions: whoever keeps the guidelines rejects them. "
        f"Who rejects fewer than {percent(rules['compliance_minimum'])} of them is left out of the "
        "second analysis only. All results below are by intention to treat unless they say "
        "otherwise."
    )
    parts: list[Any] = [Paragraph(results["data"]["purpose_words"], "quiet"), Paragraph(text)]
    parts += [flow_picture(results["flow"]), flow_table(results["flow"])]
    if rules["by_rule"]:
        parts.append(page_tables.exclusions(results))
    else:
        parts.append(Paragraph("No lead is left out by rule."))
    if len(results["participants"]) <= MOST_LISTED:
        parts.append(page_tables.leads(results))
    return Section("Participants and exclusions", tuple(parts))


def _accuracy(results: Results) -> Section:
    row, comparison = results["accuracy"], results["comparison"]
    parts: list[Any] = [
        Paragraph(
            "p_S and p_E are the shares of the system’s and of the data set’s labels that leads "
            "accept, each image counting once; where both gave the same label a judgement counts "
            "for both. acc_L(S) = p_S / p_E."
        ),
        Picture(
            "accuracy",
            "Acceptance of the system’s and of the data set’s labels, and their ratio. Bars: 95 % "
            "intervals over leads and images. Dashed: plain accuracy on the same images.",
            "Three points with intervals: p_S, p_E and acc_L; a line at plain accuracy",
            figures.accuracy_figure(results),
        ),
        page_tables.acceptance(results),
    ]
    if row["equal_to_plain"]:
        parts.append(
            Paragraph(
                f"acc_L = {row['exact']} equals plain accuracy ({row['plain_exact']}) exactly, as "
                "it must where leads accept exactly the data set’s labels."
            )
        )
    if comparison["difference"] is not None:
        margin = points(comparison["margin"]).lstrip("+")
        parts.append(
            Paragraph(
                f"S against E: p_S − p_E = {points(comparison['difference'])} points "
                f"{interval(comparison['ci_low'], comparison['ci_high'], points)}, 90 % interval "
                f"{interval(comparison['ci90_low'], comparison['ci90_high'], points)}: "
                f"{comparison['verdict']} at a margin of {margin} points."
            )
        )
    if results["set_accuracy"] is not None:
        whole = results["set_accuracy"]
        parts.append(
            Paragraph(
                f"Over all {grouped(whole['items'])} images of the pack plain accuracy is "
                f"{number(whole['rate'], 3)}.",
                "quiet",
            )
        )
    if 1 < len(results["classes"]) <= figures.MOST_CLASSES:
        parts.append(
            Picture(
                "classes",
                "Class by class, with the number of judged images: circles, accepted labels of the "
                "system; squares, accepted labels of the data set; strokes, plain accuracy.",
                "For each class p_S, p_E and plain accuracy",
                figures.classes_figure(results),
            )
        )
    return Section("Accuracy with the leads", tuple(parts))


def _uncertainty(results: Results) -> Section:
    own = results["uncertainty"]
    text = (
        f"Of the data set’s {own['labels']} judged labels, {own['judged_twice']} were judged by "
        f"two leads or more. Leads disagree on {figures.rate_words(own['disputed'])}; the mean "
        f"entropy of a label is {number(own['mean_entropy_bits'])} bit (0: all agree, 1: split in "
        f"halves). Most leads reject {figures.rate_words(own['rejected'])}: these are candidates "
        "for a wrong label."
    )
    parts = [
        Paragraph(text),
        Picture(
            "label_uncertainty",
            "How many leads accept a label. Left: the data set’s labels; whatever lies left of the "
            "dotted line is rejected by most. Right: the system’s labels where they differ.",
            "Two histograms of the share of leads who accept a label",
            figures.uncertainty_figure(results),
        ),
        page_tables.agreement(results),
        Paragraph(
            "Alpha is agreement beyond what chance gives at these shares; where nearly all labels "
            "are accepted it is low even with few disputes, so that plain agreement stands beside "
            "it. Fleiss’ kappa needs equally many judgements of every label.",
            "quiet",
        ),
    ]
    if any(row["disputed"] for row in results["pairs"]):
        parts.append(page_tables.disputed(results))
    return Section("Label uncertainty", tuple(parts))


def _beyond(results: Results) -> Section:
    found = results["beyond_labels"]
    if not found["labels"]:
        return Section("Answers beyond the data set’s labels", ())
    text = (
        f"On {count(found['labels'], 'judged image')} the system’s label differs from the data "
        f"set’s. Leads accept {percent(found['accepted']['rate'], 1)} of these "
        f"{interval(found['accepted']['ci_low'], found['accepted']['ci_high'], percent)}; most "
        f"leads accept {found['accepted_by_most']} of them. Against the data set each counts as "
        "an error."
    )
    parts: list[Any] = [Paragraph(text)]
    if found["better_than_label"]:
        parts.append(page_tables.better(results))
    return Section("Answers beyond the data set’s labels", tuple(parts))


def _controls(results: Results) -> Section:
    if not results["controls"]:
        return Section("Controls", (Paragraph("No control was shown."),))
    return Section("Controls", (page_tables.controls(results),))


def _answers(results: Results) -> Section:
    parts = (answers_table(results["answers"]),) if results["answers"] else ()
    return Section("What leads noticed", parts)


def _other_choices(results: Results) -> Section:
    return Section("The same result under other choices", (page_tables.sensitivity(results),))


def _timing(results: Results) -> Section:
    timing = results["timing"]
    parts: list[Any] = []
    if timing["warnings"]:
        parts.append(Bullets(tuple(timing["warnings"])))
    if timing["rigs"]:
        parts += rig_tables(timing["rigs"])
    return Section("Timing quality", tuple(parts))


def _remarks(results: Results) -> Section:
    notes = tuple(results["notes"])
    return Section("Remarks", (Bullets(notes),) if notes else ())


def _resampling(results: Results) -> str:
    boot = results["bootstrap"]
    return (
        f"Intervals of p_S, p_E and acc_L: percentile, {grouped(boot['replicates'])} replicates, "
        "leads and images drawn independently (two-way bootstrap); of single labels and shares, "
        f"and where nothing can vary: Wilson’s. Bootstrap seed {boot['seed']}."
    )
