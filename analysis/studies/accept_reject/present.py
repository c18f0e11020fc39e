"""The report of accept_reject on usefulness."""

from analysis.report.declared import ReportFigure, ReportModel, Results
from analysis.report.listing import MOST_LISTED
from analysis.report.parts import Bullets, Fact, Paragraph
from analysis.report.plan import ReportPlan, SectionPlan
from analysis.report.published import PUBLISHED
from analysis.report.who import plural
from analysis.report.wording import (
    count,
    grouped,
    interval,
    number,
    percent,
    points,
    shortened,
    unsigned_points,
)
from analysis.studies.accept_reject import control_tables, figures, page_tables
from analysis.studies.accept_reject.blinding_page import BLINDING
from analysis.studies.accept_reject.crowd_figures import usefulness_crowd
from analysis.studies.accept_reject.explainers_page import EXPLAINERS
from analysis.studies.accept_reject.harm import MIXED
from analysis.studies.accept_reject.methods import methods_paragraphs
from analysis.studies.accept_reject.seen_figures import SEEN
from analysis.studies.accept_reject.times_page import TIMES
from analysis.studies.accept_reject.words import (
    GROUPS,
    contour_rule,
    difference_words,
    experts_called,
    granted,
    too_few_words,
)

MOST_NAMED = 12


def _facts(results: Results) -> tuple[Fact, ...]:
    data = results["data"]
    gains = {(row["solver"], row["net"]): row for row in results["usefulness"]}
    cutoff = f"{data['cutoff_s']:g} s"
    facts = [
        Fact(grouped(data["participants"]), plural(data, "lead")),
        Fact(grouped(data["trials"]), f"trials on {count(data['items'], 'plate')}"),
        Fact(cutoff, "primary decision time"),
    ]
    for solver in ("S", "E"):
        row = gains[solver, False]
        between = interval(row["ci_low"], row["ci_high"], points)
        facts.append(Fact(points(row["estimate"]), f"points: usefulness for {solver} {between}"))
    facts.append(Fact(results["comparison"]["verdict"], "S against E, explained"))
    return tuple(facts)


def _people(results: Results) -> str:
    rules = results["exclusions"]
    least = [
        f"fewer than {percent(minimum)} of {GROUPS[name]}"
        for name, minimum in rules["compliance_minimums"].items()
    ]
    return (
        "Exclusion by rule rests only on controls whose right answer needs no colour vision. "
        f"{_groups(results)} Who is right on {' or '.join(least)}, or accepts digit-shaped "
        f"contours without a numeral at least {unsigned_points(rules['contour_reading_limit'])} "
        f"points more often than plates without a contour ({contour_rule(results)}), is left out "
        f"of the second analysis only.{too_few_words(rules['least_controls'])} A right digit that "
        "a lead doesn’t see and rejects is never held against anyone, and neither is a wrong digit "
        "that an explanation made a lead accept. "
        "All results below are by intention to treat unless they say otherwise."
    )


def _groups(results: Results) -> str:
    if "all" in results["exclusions"]["compliance_minimums"]:
        return (
            "Wrong digits, plates without a numeral and no-solution must not be accepted, "
            "high-contrast right digits must be."
        )
    return (
        "High-contrast right digits of both runs, which anyone sees, must be accepted; plates "
        "without a numeral and no-solution of the run without explanations must be rejected."
    )


def nobody_excluded(results: Results) -> Paragraph | None:
    """Return the sentence that stands in place of a table of exclusions."""
    return None if results["exclusions"]["by_rule"] else Paragraph("No lead is left out by rule.")


def _crowd(results: Results) -> bool:
    return len(results["participants"]) > MOST_LISTED


def _comparison(results: Results) -> Paragraph:
    row, ratio = results["comparison"], results["ratio"]
    if row["difference"] is None:
        return Paragraph("S can’t be compared with E: one of them has no explained trials.")
    text = (
        f"With explanations S against E: {difference_words(row)} (like: the 90 % interval lies "
        "within the margin; worse or better: the 95 % interval lies wholly beyond it; else "
        "undecided). "
    )
    if ratio["estimate"] is None:
        return Paragraph(text + f"The ratio acc_L = p_S / p_E is {ratio['reason']}.")
    text += f"Ratio acc_L = p_S / p_E = {number(ratio['estimate'])}"
    if ratio["ci_low"] is None:
        return Paragraph(f"{text} ({ratio['reason']}).")
    between = interval(ratio["ci_low"], ratio["ci_high"])
    return Paragraph(f"{text} {between}, limits found on the log scale.")


_ACCEPTANCE = SectionPlan(
    "Acceptance over decision time",
    (
        ReportFigure(
            "acceptance",
            "Above: share of solutions accepted within a decision time, for every decision time. "
            "Solid: with explanation; dashed: without. Below: the difference, with explanation "
            "minus without; its band holds the whole difference with 95 % confidence "
            "(simultaneous). The dotted line is the primary decision time. Rejections and "
            "unanswered trials never count as accepted.",
            "Step curves of acceptance over decision time by solver and explanation, and their "
            "difference with its band",
            figures.acceptance_figure,
            "curves",
        ),
        page_tables.ACCEPTANCE,
        _comparison,
    ),
)


def _usefulness_caption(results: Results) -> str:
    said = (
        "Usefulness of explanations with 95 % intervals: circles for the system’s, squares for the "
        f"{experts_called(results['data'])}’ solutions; hollow marks are net of contour reading."
    )
    last = (
        " Leads whose acceptance comes from the explanation, or who don’t follow the guidelines, "
        "stand last."
    )
    return said if _crowd(results) else said + last


_USEFULNESS = SectionPlan(
    "Usefulness of explanations",
    (
        Paragraph(
            "Usefulness is acceptance with explanation minus acceptance without, within the "
            "primary decision time. Net of contour reading, the rise in accepting plates without a "
            "numeral that a digit-shaped contour brings is taken off: S-like contours for S, "
            "E-like for E."
        ),
        page_tables.PRIMARY,
        page_tables.USEFULNESS,
        ReportFigure(
            "usefulness",
            _usefulness_caption,
            "Dots and intervals of usefulness over all leads and for each lead",
            figures.usefulness_figure,
        ),
        ReportFigure(
            "usefulness_by_lead",
            "Usefulness for each lead, raw, as counts of leads. Filled: answers from the plate; "
            "hatched: leads who accept from the explanation or don’t follow the guidelines.",
            "Histograms of leads’ usefulness for S’s and for E’s solutions",
            usefulness_crowd,
            _crowd,
        ),
        page_tables.PARTICIPANTS,
    ),
)


def _contour_readers(results: Results) -> Paragraph:
    flagged = [row["participant"] for row in results["participants"] if row["flagged"]]
    who = (
        f"It is so for {shortened(flagged, MOST_NAMED, 'lead')}."
        if flagged
        else "No lead accepts from the explanation."
    )
    return Paragraph(
        "Plates without a numeral carry a contour shaped like the shown digit. Who accepts them "
        "accepts from the explanation, not from the plate; such acceptance is never usefulness. "
        + who
    )


def _contour_caption(results: Results) -> str:
    if _crowd(results):
        return (
            "Accepted plates without a numeral that carry a digit-shaped contour, as counts of "
            "leads. Black: leads who accept from the explanation."
        )
    return (
        "Accepted plates without a numeral: diamonds with a digit-shaped contour (bar: 95 % "
        "interval), open circles without one."
    )


_CONTOUR = SectionPlan(
    "Reading the contour",
    (
        _contour_readers,
        page_tables.CONTOUR,
        ReportModel("contour_model", "contour_model", "How much leads differ in this:"),
        ReportFigure(
            "contour_reading",
            _contour_caption,
            "For each lead, acceptance of plates without a numeral with and without a contour",
            figures.contour_figure,
        ),
    ),
    lambda results: any(row["contour"]["with"]["n"] for row in results["participants"]),
)


def _wrong_digits(results: Results) -> Paragraph | None:
    harm = results["controls"]["wrong_digits"]
    if harm["difference"] is None:
        return None
    margin = unsigned_points(harm["margin"])
    return Paragraph(
        f"Matched wrong digits were accepted {granted(results['data'])} in "
        f"{percent(harm['rate_without'], 1)} of the trials without and "
        f"{percent(harm['rate_with'], 1)} with explanations: {points(harm['difference'])} points "
        f"{interval(harm['ci_low'], harm['ci_high'], points)}. " + _judged(harm, margin)
    )


def _judged(harm: Results, margin: str) -> str:
    """Return whether a rise in accepting wrong digits is harm, and why."""
    if harm["harm"]:
        return f"This is harm: a rise beyond the margin of {margin} points, and beyond chance."
    if not harm["rises"]:
        return (
            f"A rise beyond the margin of {margin} points, and beyond chance, would be harm; it is "
            "not shown."
        )
    beyond = harm["right_beyond_wrong"]
    return (
        f"This is a rise beyond the margin of {margin} points, and beyond chance. It isn't called "
        "harm, because the acceptance of matched right digits rises by more: by "
        f"{points(beyond['difference'])} points "
        f"{interval(beyond['ci_low'], beyond['ci_high'], points)}."
    )


def _sensitivity(results: Results) -> Paragraph | None:
    change = results["controls"]["sensitivity"]
    if change["difference"] is None:
        return Paragraph(
            "Whether leads tell right from wrong digits less well with explanations can’t be said: "
            "matched right or wrong digits are missing in one of the runs."
        )
    source = (
        "by the mixed probit below, for an average lead"
        if change["method"] == MIXED
        else f"from pooled counts, since no model can be relied on: {change['reason']}"
    )
    return Paragraph(
        f"d′ of matched right against wrong digits is {number(change['d_prime_without'])} without "
        f"and {number(change['d_prime_with'])} with explanations, {source}: "
        f"{number(change['difference'])} {interval(change['ci_low'], change['ci_high'])}. "
        + (
            "The explanations do harm: with them leads tell right from wrong digits less well. "
            "More acceptance is not usefulness then."
            if change["harm"]
            else "The data don’t show that leads tell right from wrong digits less well with "
            "explanations."
        )
    )


def _agreement(results: Results) -> Bullets | Paragraph | None:
    said = results["disagreements"]
    if said:
        return Bullets(tuple(said))
    if not results["model"]["fitted"] or not results["model"].get("marginal_usefulness"):
        return None
    of_harm = " or of d′" if results["controls"]["sensitivity"]["method"] == MIXED else ""
    return Paragraph(
        f"Model and rates agree: no estimate of usefulness{of_harm} differs in sign, and no "
        "interval in whether it holds zero."
    )


def _resampling(results: Results) -> str:
    boot = results["bootstrap"]
    seed = f" Bootstrap seed {boot['seed']}." if boot["replicates"] else ""
    return f"Intervals: {results['intervals']}.{seed}"


REPORT = ReportPlan(
    title="accept_reject: do explanations help the lead who decides?",
    facts=_facts,
    methods=methods_paragraphs,
    people=_people,
    after_flow=(
        page_tables.EXCLUSIONS,
        nobody_excluded,
        page_tables.SOLUTIONS,
        page_tables.ITEMS,
    ),
    sections=(
        SEEN,
        _ACCEPTANCE,
        _USEFULNESS,
        _CONTOUR,
        EXPLAINERS,
        SectionPlan(
            "Controls and signal detection",
            (
                _sensitivity,
                _wrong_digits,
                control_tables.DETECTION,
                control_tables.DIAGNOSTICS,
                control_tables.CONTROLS,
                ReportModel("harm", "controls.model", "Harm, on matched right and wrong digits:"),
            ),
            "controls.kinds",
        ),
        SectionPlan(
            "Mixed model", (ReportModel("model", "model"), page_tables.MARGINAL, _agreement)
        ),
        SectionPlan(
            "The same result under other choices",
            (
                page_tables.SENSITIVITY,
                lambda results: Paragraph(results["run_effect"]["sentence"]),
                page_tables.PRACTICE,
            ),
        ),
        TIMES,
        BLINDING,
    ),
    resampling=_resampling,
    files=(PUBLISHED, *page_tables.FILES),
    empty_files=True,
)
"""What the report holds."""
