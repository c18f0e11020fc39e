"""From results to the report's sections, and to tables as files."""

from collections.abc import Mapping
from typing import Any

from analysis.report.checks import checks_section
from analysis.report.flow import flow_picture, flow_table
from analysis.report.listing import MOST_LISTED
from analysis.report.methods import deviations_section, methods_section, software_section
from analysis.report.model import model_parts
from analysis.report.parts import Bullets, Fact, Paragraph, Picture, Report, Section
from analysis.report.published import published_section
from analysis.report.timing import rig_tables
from analysis.report.wording import (
    count,
    grouped,
    interval,
    number,
    percent,
    points,
    shortened,
)
from analysis.studies.accept_reject import figures, model_tables, page_tables
from analysis.studies.accept_reject.blinding_page import blinding_section
from analysis.studies.accept_reject.crowd_figures import usefulness_crowd
from analysis.studies.accept_reject.explainers_page import explainers_section
from analysis.studies.accept_reject.methods import methods_paragraphs
from analysis.studies.accept_reject.times_page import times_section

Results = Mapping[str, Any]

MOST_NAMED = 12
_LAST = (
    " Leads whose acceptance comes from the explanation, or who don’t follow the guidelines, "
    "stand last."
)
FIGURE_NAMES = (
    "flow",
    "acceptance",
    "usefulness",
    "usefulness_by_lead",
    "contour_reading",
    "decision_times",
    "time_quantiles",
    "explanation_methods",
)
"""Every figure that a report may have, by file stem."""


def build_report(results: Results) -> Report:
    """Return the report of accept_reject, made from what stands in results.json alone."""
    data = results["data"]
    purpose = f"sessions of purpose {data['purpose']}" if data["purpose"] else "all sessions"
    return Report(
        title="accept_reject: do explanations help the lead who decides?",
        subtitle=f"{purpose} from {data['source']}; protocol “{data['protocol']}”, "
        f"taken from {data['protocol_source']}",
        headline=tuple(results["headline"]),
        facts=_facts(results),
        sections=tuple(
            section
            for section in (
                methods_section(results, methods_paragraphs(results)),
                _people(results),
                _acceptance(results),
                _usefulness(results),
                _contour(results),
                explainers_section(results),
                _controls(results),
                published_section(results["published"]),
                _model(results),
                _other_choices(results),
                times_section(results),
                blinding_section(results),
                _timing(results),
                checks_section(results["checks"], results["checks_by_state"]),
                _not_given(results),
                deviations_section(results),
                software_section(results, _resampling(results)),
            )
            if section.parts
        ),
    )


def _facts(results: Results) -> tuple[Fact, ...]:
    data = results["data"]
    gains = {(row["solver"], row["net"]): row for row in results["usefulness"]}
    cutoff = f"{data['cutoff_s']:g} s"
    facts = [
        Fact(grouped(data["participants"]), "leads" if data["participants"] != 1 else "lead"),
        Fact(grouped(data["trials"]), f"trials on {count(data['items'], 'plate')}"),
        Fact(cutoff, "primary decision time"),
    ]
    for solver in ("S", "E"):
        row = gains[solver, False]
        between = interval(row["ci_low"], row["ci_high"], points)
        facts.append(Fact(points(row["estimate"]), f"points: usefulness for {solver} {between}"))
    facts.append(Fact(results["comparison"]["verdict"], "S against E, explained"))
    return tuple(facts)


def _people(results: Results) -> Section:
    rules = results["exclusions"]
    text = (
        "Exclusion by rule rests only on controls whose right answer needs no colour vision: "
        "wrong digits, plates without a numeral and no-solution must not be accepted, "
        "high-contrast right digits must be. Who is right on fewer than "
        f"{percent(rules['compliance_minimum'])} of them, or accepts digit-shaped contours "
        f"without a numeral at least {points(rules['contour_reading_limit']).lstrip('+')} "
        "points more often than plates without a contour (with a 90 % interval above nought), is "
        "left out of the second analysis only. A right digit that a lead doesn’t see and rejects "
        "is never held against anyone. All results below are by intention to treat unless they "
        "say otherwise."
    )
    parts: list[Any] = [Paragraph(results["data"]["purpose_words"], "quiet"), Paragraph(text)]
    parts += [flow_picture(results["flow"]), flow_table(results["flow"])]
    if rules["by_rule"]:
        parts.append(page_tables.exclusions(results))
    else:
        parts.append(Paragraph("No lead is left out by rule."))
    if results["solutions"]:
        parts.append(page_tables.solutions(results))
    if results["items"]:
        parts.append(page_tables.items(results))
    return Section("Participants and exclusions", tuple(parts))


def _acceptance(results: Results) -> Section:
    parts: list[Any] = []
    if results["curves"]:
        parts.append(
            Picture(
                "acceptance",
                "Share of solutions accepted within a decision time, for every decision time. "
                "Solid: with explanation; dashed: without. Bands hold the whole curve with 95 % "
                "confidence (simultaneous). The dotted line is the primary decision time. "
                "Rejections and unanswered trials never count as accepted.",
                "Step curves of acceptance over decision time by solver and explanation",
                figures.acceptance_figure(results),
            )
        )
    parts += [page_tables.acceptance(results), _comparison(results)]
    return Section("Acceptance over decision time", tuple(parts))


def _comparison(results: Results) -> Paragraph:
    row, ratio = results["comparison"], results["ratio"]
    if row["difference"] is None:
        return Paragraph("S can’t be compared with E: one of them has no explained trials.")
    margin = points(row["margin"]).lstrip("+")
    text = (
        f"With explanations S against E: p_S − p_E = {points(row['difference'])} points "
        f"{interval(row['ci_low'], row['ci_high'], points)}, 90 % interval "
        f"{interval(row['ci90_low'], row['ci90_high'], points)}: {row['verdict']} at a margin of "
        f"{margin} points (like: the 90 % interval lies within the margin; worse or better: the "
        f"95 % interval lies wholly beyond it; else undecided). "
    )
    if ratio["estimate"] is None:
        return Paragraph(text + f"The ratio acc_L = p_S / p_E is {ratio['reason']}.")
    text += f"Ratio acc_L = p_S / p_E = {number(ratio['estimate'])}"
    if ratio["ci_low"] is None:
        return Paragraph(f"{text} ({ratio['reason']}).")
    between = interval(ratio["ci_low"], ratio["ci_high"])
    return Paragraph(f"{text} {between}, limits found on the log scale.")


def _usefulness(results: Results) -> Section:
    text = (
        "Usefulness is acceptance with explanation less acceptance without, within the primary "
        "decision time. Net of contour reading, the rise in accepting plates without a numeral "
        "that a digit-shaped contour brings is taken off: S-like contours for S, E-like for E."
    )
    crowd = len(results["participants"]) > MOST_LISTED
    parts: list[Any] = [
        Paragraph(text),
        page_tables.usefulness(results),
        Picture(
            "usefulness",
            "Usefulness of explanations with 95 % intervals: circles for the system’s, squares for "
            "the experts’ solutions; hollow marks are net of contour reading."
            + ("" if crowd else _LAST),
            "Dots and intervals of usefulness over all leads and for each lead",
            figures.usefulness_figure(results),
        ),
    ]
    if crowd:
        parts.append(
            Picture(
                "usefulness_by_lead",
                "Usefulness for each lead, raw, as counts of leads. Filled: answers from the "
                "plate; hatched: leads who accept from the explanation or don’t follow the "
                "guidelines.",
                "Histograms of leads’ usefulness for the system’s and the experts’ solutions",
                usefulness_crowd(results["participants"]),
            )
        )
    parts.append(page_tables.participants(results))
    return Section("Usefulness of explanations", tuple(parts))


def _contour(results: Results) -> Section:
    if not any(row["contour"]["with"]["n"] for row in results["participants"]):
        return Section("Reading the contour", ())
    flagged = [row["participant"] for row in results["participants"] if row["flagged"]]
    text = (
        "Plates without a numeral carry a contour shaped like the shown digit. Who accepts them "
        "accepts from the explanation, not from the plate; such acceptance is never usefulness. "
    )
    text += (
        f"It is so for {shortened(flagged, MOST_NAMED, 'lead')}."
        if flagged
        else "No lead accepts from the explanation."
    )
    picture = Picture(
        "contour_reading",
        "Accepted plates without a numeral: diamonds with a digit-shaped contour (bar: 95 % "
        "interval), open circles without one."
        if len(results["participants"]) <= MOST_LISTED
        else "Accepted plates without a numeral that carry a digit-shaped contour, as counts of "
        "leads. Black: leads who accept from the explanation.",
        "For each lead, acceptance of plates without a numeral with and without a contour",
        figures.contour_figure(results),
    )
    return Section("Reading the contour", (Paragraph(text), page_tables.contour(results), picture))


def _controls(results: Results) -> Section:
    controls = results["controls"]
    if not controls["kinds"]:
        return Section("Controls", ())
    harm = controls["wrong_digits"]
    parts: list[Any] = []
    if harm["difference"] is not None:
        parts.append(
            Paragraph(
                f"Wrong digits were accepted in {percent(harm['rate_without'], 1)} of the trials "
                f"without and {percent(harm['rate_with'], 1)} with explanations: "
                f"{points(harm['difference'])} points "
                f"{interval(harm['ci_low'], harm['ci_high'], points)}. A rise here is harm"
                + (
                    ": wrong digits are accepted for the explanation's sake."
                    if harm["harm"]
                    else "; one beyond the margin, and beyond chance, is not shown."
                )
            )
        )
    change = controls["sensitivity"]
    if change["difference"] is not None:
        parts.append(
            Paragraph(
                f"d′ of right against wrong digits is {number(change['d_prime_without'])} without "
                f"and {number(change['d_prime_with'])} with explanations: "
                f"{number(change['difference'])} {interval(change['ci_low'], change['ci_high'])}. "
                + (
                    "The explanations do harm: leads tell right from wrong digits less well with "
                    "them. More acceptance is no usefulness then."
                    if change["harm"]
                    else "That leads tell right from wrong digits less well with explanations is "
                    "not shown."
                )
            )
        )
    parts.append(model_tables.control_kinds(results))
    if controls["detection"]:
        parts.append(model_tables.detection(results))
    return Section("Controls and signal detection", tuple(parts))


def _model(results: Results) -> Section:
    model = results["model"]
    if not model["fitted"]:
        return Section("Mixed model", model_parts(model))
    parts = [*model_parts(model, (model["coding"], model["rule"]))]
    if model["converged"] and model["marginal"]:
        parts.append(model_tables.marginal(results))
    return Section("Mixed model", tuple(parts))


def _other_choices(results: Results) -> Section:
    parts: list[Any] = []
    if len(results["sensitivity"]) > 1:
        parts.append(page_tables.sensitivity(results))
    effect = results["run_effect"]
    parts.append(Paragraph(effect["sentence"]))
    if effect["net"]:
        parts.append(page_tables.practice(results))
    return Section("The same result under other choices", tuple(parts))


def _timing(results: Results) -> Section:
    parts: list[Any] = []
    timing = results["timing"]
    if timing["warnings"]:
        parts.append(Bullets(tuple(timing["warnings"])))
    if timing["rigs"]:
        parts += rig_tables(timing["rigs"])
    return Section("Timing quality", tuple(parts))


def _not_given(results: Results) -> Section:
    items = [f"{row['result']}: {row['reason'].rstrip('.')}." for row in results["missing"]]
    items += results["notes"]
    return Section("What can’t be given, and remarks", (Bullets(tuple(items)),) if items else ())


def _resampling(results: Results) -> str:
    boot = results["bootstrap"]
    seed = f" Bootstrap seed {boot['seed']}." if boot["replicates"] else ""
    return f"Intervals: {results['intervals']}.{seed}"
