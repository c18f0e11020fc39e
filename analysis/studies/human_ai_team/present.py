"""The report of human_ai_team."""

from collections.abc import Callable, Sequence

from analysis.report.declared import ReportFigure, ReportModel, Results
from analysis.report.missing import MISSING
from analysis.report.parts import Fact, Paragraph, Part
from analysis.report.plan import ReportPlan, SectionPlan
from analysis.report.published import PUBLISHED
from analysis.report.who import plural
from analysis.report.wording import count, grouped, interval, number, percent
from analysis.studies.human_ai_team import figures, page_tables, people_tables, trust_tables
from analysis.studies.human_ai_team.methods import methods_paragraphs
from analysis.studies.human_ai_team.seen_figures import SEEN
from analysis.studies.human_ai_team.words import arm_name, tenth


def _facts(results: Results) -> tuple[Fact, ...]:
    data = results["data"]
    facts = [
        Fact(grouped(data["participants"]), plural(data, "participant")),
        Fact(grouped(data["trials"]), f"main trials on {count(data['items'], 'image')}"),
    ]
    for row in results["per_user_accuracy"][:4]:
        limits = interval(row["ci_low"], row["ci_high"], lambda value: number(value, 1))
        facts.append(
            Fact(f"{number(row['mean'], 1)} %", f"right, {arm_name(row['method'])} {limits}")
        )
    return tuple(facts)


def _people(results: Results) -> str:
    found, data = results["exclusions"], results["data"]
    gone, told = len(found["by_rule"]), sum(row["known"] for row in found["arms"])
    first = (
        "All results are by intention to treat, with everybody who has main trials, unless they "
        "say otherwise."
        if found["primary"] == "all"
        else "All results are of those who qualified, unless they say otherwise."
    )
    said = [first]
    if told:
        rule = (
            f"Participants qualify with {found['needed']} of {found['of']} validation trials right"
            if data["protocol_known"]
            else "Validation trials, or the table’s own column, say who qualified"
        )
        said.append(f"{rule}: {gone} of {told} didn’t.")
    if found["without_main"]:
        who = count(found["without_main"], "participant")
        said.append(f"{who} without a main trial are counted, and averaged nowhere.")
    return " ".join(said)


_ACCURACY = SectionPlan(
    "Who is right, with which help",
    (
        ReportFigure(
            "accuracy",
            "Right answers by arm. Dots: participants; diamonds: means with 95 % intervals over "
            "participants and images. Dotted: chance. In brackets: participants.",
            "A row of dots for each arm, with its mean and interval",
            figures.accuracy_figure,
        ),
        page_tables.ACCURACY,
        page_tables.PAIRS,
        page_tables.OWN,
    ),
)


def _trust(results: Results) -> Paragraph:
    return Paragraph(
        "An arm can raise accuracy in two ways. People may discriminate better between right and "
        "wrong labels; only this is called help. Or they may accept more labels of an AI that is "
        "mostly right; this is over-reliance if they accept more wrong labels too. So this "
        "section gives the two errors separately."
    )


_RELIANCE = SectionPlan(
    "Whether trust is well placed",
    (
        _trust,
        ReportFigure(
            "reliance",
            "Over- and under-reliance by arm, all main trials, with 95 % intervals over "
            "participants and images.",
            "Two panels with a point and an interval for each arm",
            figures.reliance_figure,
            lambda results: results["data"]["ai_right"] not in (0, 1) and results["reliance"],
        ),
        page_tables.VERDICTS,
        ReportFigure(
            "differences",
            "By the mixed model: how each arm differs from the reference, with 95 % intervals. "
            "Discrimination: right labels accepted more often than wrong ones.",
            "Four panels: right answers, over-reliance, under-reliance, discrimination",
            figures.differences_figure,
            lambda results: results["data"]["reference"] and results["models"]["all"]["pairs"],
        ),
        page_tables.EFFECTS,
        trust_tables.RELIANCE,
        trust_tables.SWITCHED,
        trust_tables.DETECTION,
        trust_tables.COMPLEMENTARITY,
        page_tables.RATE_PAIRS,
        page_tables.MODEL_ARMS,
    ),
)


def _model_of(part: str) -> ReportModel:
    titles = {
        "all": "All main trials.",
        "natural": "Natural images alone.",
        "adversarial": "Adversarial images alone.",
    }
    names = {"all": "model", "natural": "model_natural", "adversarial": "model_adversarial"}
    return ReportModel(
        names[part],
        lambda results: results["models"].get(part, _NO_MODEL),
        titles[part],
        ("fixed", "random"),
    )


_NO_MODEL = {"fitted": False, "reason": "", "asked": ""}


def _model_parts(part: str) -> Callable[[Results], Sequence[Part] | None]:
    model = _model_of(part)
    return lambda results: model.parts(results) if part in results["models"] else None


_MODELS = SectionPlan(
    "The mixed model",
    tuple(_model_parts(part) for part in ("all", "natural", "adversarial")),
)
_ADVERSARIAL = SectionPlan(
    "Adversarial images apart",
    (
        ReportFigure(
            "parts",
            "Right answers on natural and on adversarial images, means over participants with 95 % "
            "intervals over participants and images. Dotted: chance. The AI alone is right on no "
            "adversarial image.",
            "Two points with intervals for each arm",
            figures.parts_figure,
            lambda results: all(results["accuracy_by_part"].values()),
        ),
        page_tables.PARTS,
    ),
    lambda results: all(results["accuracy_by_part"].values()),
)


def _source(results: Results) -> Paragraph:
    source = results["ai_source"]
    if source is None:
        return Paragraph(
            "The AI’s confidence isn’t known. By the published weights of the bins the AI alone "
            "can still be given on the six bins."
        )
    return Paragraph(
        f"The AI judged {source['words']}, {count(source['images'], 'image')}, and is right on "
        f"{percent(source['right'], 1)} of them. The six bins contain "
        f"{grouped(source['in_bins'])} of these images and leave out those between the bins. So "
        "the figure has both bases. Teams are compared with the AI on the bins only."
    )


_ALONE = SectionPlan(
    "The AI alone, and teams on the same base",
    (
        _source,
        ReportFigure(
            "threshold",
            "The AI alone on natural images over its threshold T, on two bases; rings: the best T. "
            "At the right edge: teams, their bins weighted.",
            "Two lines over the threshold, teams at the right edge",
            figures.sweep_figure,
            lambda results: results["ai_source"],
        ),
        trust_tables.ALONE,
        trust_tables.WEIGHTED,
        page_tables.BINS,
    ),
)
_PRIOR = SectionPlan(
    "Prior knowledge",
    (
        people_tables.PRIOR,
        people_tables.GAINS,
        lambda results: Paragraph(results["prior"]["model"]["asked"], "formula"),
    ),
    "prior",
)
_RATINGS = SectionPlan(
    "How sure participants are",
    (
        ReportFigure(
            "ratings",
            "Right answers at each step of the rating, with Wilson’s 95 % intervals. Dotted: a "
            "calibrated participant.",
            "A panel for each arm: right answers over the rating",
            figures.ratings_figure,
            "ratings",
        ),
        people_tables.RATINGS,
        people_tables.RATING_STEPS,
    ),
    "ratings",
)
_METRICS = SectionPlan("Metrics of maps", (trust_tables.METRICS,), "metrics")
_TIMES = SectionPlan(
    "Time", (people_tables.TIMES, people_tables.HELP, people_tables.TIME_PAIRS), "times"
)


def _second(results: Results) -> Paragraph:
    found = results["second"]
    who = "Everybody" if found["of"] == "everybody" else "Those who qualified"
    changed = [
        f"{arm_name(row['method'])}: {row['verdict']}"
        for row, first in zip(found["verdicts"], results["verdicts"], strict=False)
        if row["verdict"] != first["verdict"]
    ]
    same = (
        "every verdict is the same"
        if not changed
        else f"verdicts that differ: {'; '.join(changed)}"
    )
    model = [
        f"{arm_name(row['first'])} less {arm_name(row['second'])} {tenth(row['estimate'])} "
        f"{interval(row['ci_low'], row['ci_high'], tenth)}"
        for row in found["model"]["pairs"]
        if row["quantity"] == "accuracy" and results["data"]["reference"] in (None, row["second"])
    ]
    said = f" By the model, in points of accuracy: {'; '.join(model)}." if model else ""
    verdicts = f"; {same}" if found["verdicts"] else ""
    return Paragraph(f"{who} alone: {count(found['participants'], 'participant')}{verdicts}.{said}")


_SECOND = SectionPlan(
    "The same for those who qualified",
    (_second, people_tables.SECOND, people_tables.SECOND_PAIRS),
    "second",
)


def _resampling(results: Results) -> str:
    boot = results["bootstrap"]
    alone = "" if boot["drawn"] == "both" else ", since no image was seen twice"
    return (
        f"Intervals: {results['intervals']}{alone}; of averaged probabilities by the model: delta "
        f"method, Student’s t; of single answers: Wilson’s. Seed of replicates "
        f"{boot['seed']}."
    )


REPORT = ReportPlan(
    title="human_ai_team: does help make a better team with an AI?",
    facts=_facts,
    methods=methods_paragraphs,
    people=_people,
    after_flow=(people_tables.EXCLUSIONS, people_tables.PEOPLE),
    sections=(
        _ACCURACY,
        _RELIANCE,
        _ALONE,
        _ADVERSARIAL,
        _PRIOR,
        _RATINGS,
        _METRICS,
        _TIMES,
        _SECOND,
        _MODELS,
        SEEN,
    ),
    resampling=_resampling,
    files=(PUBLISHED, MISSING, _model_of("all"), _model_of("natural"), _model_of("adversarial")),
)
"""What the report of human_ai_team holds."""
