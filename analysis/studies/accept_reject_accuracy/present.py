"""The report of the assessment of accuracy."""

from analysis.report.declared import ReportFigure, ReportTable, Results
from analysis.report.parts import Fact, Paragraph
from analysis.report.plan import ReportPlan, SectionPlan
from analysis.report.who import plural
from analysis.report.wording import count, grouped, interval, number, percent
from analysis.studies.accept_reject.answers_table import answers_table
from analysis.studies.accept_reject.words import difference_words
from analysis.studies.accept_reject_accuracy import figures, page_tables
from analysis.studies.accept_reject_accuracy.methods import methods_paragraphs


def _facts(results: Results) -> tuple[Fact, ...]:
    data, accuracy = results["data"], results["accuracy"]
    disputed = results["uncertainty"]["disputed"]
    leads = plural(data, "lead")
    between = interval(accuracy["ci_low"], accuracy["ci_high"])
    return (
        Fact(grouped(data["participants"]), leads),
        Fact(grouped(data["trials"]), f"trials on {count(data['items'], 'image')}"),
        Fact(number(accuracy["estimate"], 3), f"acc_L of the system {between}"),
        Fact(number(accuracy["plain_accuracy"], 3), "plain accuracy on the same images"),
        Fact(percent(disputed["rate"]), "of the data set’s labels disputed"),
        Fact(results["comparison"]["verdict"], "S against E"),
    )


def _people(results: Results) -> str:
    return (
        "Controls are wrong labels and no-solutions: leads who keep the guidelines reject them. A "
        f"lead who rejects fewer than {percent(results['exclusions']['compliance_minimum'])} of "
        "them is left out of the second analysis only. All results below are by intention to treat "
        "unless they say otherwise."
    )


def nobody_excluded(results: Results) -> Paragraph | None:
    """Return the sentence that stands in place of a table of exclusions."""
    return None if results["exclusions"]["by_rule"] else Paragraph("No lead is left out by rule.")


def _identity(results: Results) -> Paragraph | None:
    row = results["accuracy"]
    if not row["equal_to_plain"]:
        return None
    return Paragraph(
        f"acc_L = {row['exact']} equals plain accuracy ({row['plain_exact']}) exactly, as it must "
        "where leads accept exactly the data set’s labels."
    )


def _comparison(results: Results) -> Paragraph | None:
    row = results["comparison"]
    if row["difference"] is None:
        return None
    return Paragraph(f"S against E: {difference_words(row)}.")


def _whole_set(results: Results) -> Paragraph | None:
    whole = results["set_accuracy"]
    if whole is None:
        return None
    return Paragraph(
        f"Over all {grouped(whole['items'])} images of the pack plain accuracy is "
        f"{number(whole['rate'], 3)}.",
        "quiet",
    )


_ACCURACY = SectionPlan(
    "Accuracy with the leads",
    (
        Paragraph(
            "p_S and p_E are the shares of the system’s and of the data set’s labels that leads "
            "accept, each image counting once; where both gave the same label a judgement counts "
            "for both. acc_L(S) = p_S / p_E."
        ),
        ReportFigure(
            "accuracy",
            "Acceptance of the system’s and of the data set’s labels, and their ratio. Bars: 95 % "
            "intervals over leads and images. Dashed: plain accuracy on the same images.",
            "Three points with intervals: p_S, p_E and acc_L; a line at plain accuracy",
            figures.accuracy_figure,
        ),
        page_tables.ACCEPTANCE,
        _identity,
        _comparison,
        _whole_set,
        ReportFigure(
            "classes",
            "Class by class, with the number of judged images: circles, accepted labels of the "
            "system; squares, accepted labels of the data set; strokes, plain accuracy.",
            "For each class p_S, p_E and plain accuracy",
            figures.classes_figure,
            lambda results: 1 < len(results["classes"]) <= figures.MOST_CLASSES,
        ),
    ),
)


def _certainty(results: Results) -> Paragraph:
    own = results["uncertainty"]
    return Paragraph(
        f"Of the data set’s {own['labels']} judged labels, {own['judged_twice']} were judged by "
        f"two leads or more. Leads disagree on {figures.rate_words(own['disputed'])}; the mean "
        f"entropy of a label is {number(own['mean_entropy_bits'])} bit (0: all agree, 1: split in "
        f"halves). Most leads reject {figures.rate_words(own['rejected'])}: these are candidates "
        "for a wrong label."
    )


_UNCERTAINTY = SectionPlan(
    "Label uncertainty",
    (
        _certainty,
        ReportFigure(
            "label_uncertainty",
            "How many leads accept a label. Left: the data set’s labels; whatever lies left of the "
            "dotted line is rejected by most. Right: the system’s labels where they differ.",
            "Two histograms of the share of leads who accept a label",
            figures.uncertainty_figure,
        ),
        page_tables.AGREEMENT,
        Paragraph(
            "Alpha is agreement beyond what chance gives at these shares; where nearly all labels "
            "are accepted it is low even with few disputes, so plain agreement stands beside it. "
            "Fleiss’ kappa needs equally many judgements of every label.",
            "quiet",
        ),
        page_tables.LABELS,
    ),
)


def _accepted_beyond(results: Results) -> Paragraph:
    found = results["beyond_labels"]
    return Paragraph(
        f"On {count(found['labels'], 'judged image')} the system’s label differs from the data "
        f"set’s. Leads accept {percent(found['accepted']['rate'], 1)} of these "
        f"{interval(found['accepted']['ci_low'], found['accepted']['ci_high'], percent)}; most "
        f"leads accept {found['accepted_by_most']} of them. Against the data set each counts as "
        "an error."
    )


def _no_control(results: Results) -> Paragraph | None:
    return None if results["controls"] else Paragraph("No control was shown.")


def _resampling(results: Results) -> str:
    return (
        f"Intervals of p_S, p_E and acc_L: {results['intervals']}; of single labels and shares: "
        f"Wilson’s. Seed of replicates {results['bootstrap']['seed']}."
    )


REPORT = ReportPlan(
    title="accept_reject: how accurate is a classifier for those who judge it?",
    facts=_facts,
    methods=methods_paragraphs,
    people=_people,
    after_flow=(page_tables.EXCLUSIONS, nobody_excluded, page_tables.LEADS),
    sections=(
        _ACCURACY,
        _UNCERTAINTY,
        SectionPlan(
            "Answers beyond the data set’s labels",
            (_accepted_beyond, page_tables.BETTER),
            "beyond_labels.labels",
        ),
        SectionPlan("Controls", (page_tables.CONTROLS, _no_control)),
        SectionPlan("What leads noticed", (answers_table("answers"),)),
        SectionPlan("The same result under other choices", (page_tables.SENSITIVITY,)),
    ),
    resampling=_resampling,
    files=(
        ReportTable("accuracy", lambda results: [results["accuracy"]]),
        ReportTable("classes", "classes"),
    ),
    empty_files=True,
)
"""What the report of accuracy holds."""
