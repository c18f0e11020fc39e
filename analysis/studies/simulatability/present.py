"""The report of simulatability."""

from collections.abc import Callable, Sequence

from analysis.report.declared import ReportFigure, ReportModel, Results
from analysis.report.missing import MISSING
from analysis.report.parts import Bullets, Fact, Paragraph, Part
from analysis.report.plan import ReportPlan, SectionPlan
from analysis.report.primary import decides, disagreement
from analysis.report.published import PUBLISHED
from analysis.report.who import plural
from analysis.report.wording import count, grouped, interval, listed, number
from analysis.studies.simulatability import figures, page_tables, people_tables
from analysis.studies.simulatability.contrasts import UNDECIDED
from analysis.studies.simulatability.methods import methods_paragraphs
from analysis.studies.simulatability.words import DOMAINS, domain_name, method_name, signed


def _facts(results: Results) -> tuple[Fact, ...]:
    data = results["data"]
    facts = [
        Fact(grouped(data["participants"]), plural(data, "participant")),
        Fact(grouped(data["pairs"]), f"pairs of predictions on {count(data['items'], 'item')}"),
    ]
    shown = sorted(results["contrasts"], key=lambda row: row["verdict"] == UNDECIDED)
    for row in shown[:4]:
        limits = interval(row["ci_low"], row["ci_high"], signed)
        name = f"{method_name(row['method'])}, {domain_name(row['domain'])} {limits}"
        facts.append(Fact(f"{signed(row['estimate'])} points", name))
    return tuple(facts)


def _people(results: Results) -> str:
    found = results["exclusions"]
    said = [
        "Unless stated otherwise, all results include everybody who predicted an item in both "
        "phases (intention to treat)."
    ]
    known = [row for row in found["people"] if row["qualified"] is not None]
    if known:
        said.append(
            f"{found['not_qualified']} of {len(known)} didn’t qualify: they had too few right "
            "answers on the method and the balance of items, or no course in statistics or "
            "computer science."
        )
    timed = [row for row in found["people"] if row["too_fast"] is not None]
    if timed:
        said.append(
            f"{found['too_fast']} of {len(timed)} were too fast: their median time for a "
            f"prediction was below {found['too_fast_s']:g} s."
        )
    if found["without_items"]:
        who = count(found["without_items"], "participant")
        said.append(
            f"{who} answered no item in both phases. The tables list them, but no average includes "
            "them."
        )
    return " ".join(said)


def _primary(results: Results) -> Sequence[Part]:
    reference = results["data"]["reference"]
    first = (
        f"Change is the accuracy after explanations minus the accuracy before. The arm "
        f"“{method_name(reference)}” goes through the same phases without explanations, so its "
        "Change is practice and regression to the mean. What a method adds to it is the effect of "
        "its explanations."
        if reference
        else "Change is the accuracy after explanations minus the accuracy before. No arm went "
        "through the same phases without explanations. So Change includes practice and regression "
        "to the mean, and this report can’t separate them from the effect of explanations."
    )
    return (Paragraph(first), Paragraph(decides(results["protocol"]["analysis"]["primary_test"])))


def _disagreements(results: Results) -> Part | None:
    said = [
        sentence
        for row in results["contrasts"]
        if row["model"] and row["means"]
        for sentence in disagreement(
            f"{method_name(row['method'])}, {domain_name(row['domain'])}, points",
            "means",
            row["means"],
            row["model"],
            signed,
        )
    ]
    return Bullets(tuple(said)) if said else None


_PRIMARY = SectionPlan(
    "Whether explanations help people predict the model",
    (
        _primary,
        ReportFigure(
            "contrasts",
            "What each method adds to Change, over both tests, with 95 % intervals. Filled marks "
            "show the primary analysis.",
            "A row for each method with two points and intervals, a panel for each domain",
            figures.contrast_figure,
            "contrasts",
        ),
        page_tables.CONTRASTS,
        _disagreements,
        page_tables.MODEL_DIFFERENCES,
        page_tables.MEAN_CHANGE,
    ),
)
_CHANGE = SectionPlan(
    "Change as published",
    (
        ReportFigure(
            "change",
            "Change by method, which the published study compares with zero, with 95 % intervals "
            "of the published bootstrap. Hollow marks show the published values.",
            "Panels by domain and test; a row for each method with our value and the published one",
            figures.change_figure,
        ),
        page_tables.CHANGE,
        ReportFigure(
            "slopes",
            "Right predictions before and after explanations. The dotted line is chance.",
            "A line for each method from before to after, a panel for each domain and test",
            figures.slopes_figure,
        ),
    ),
)


def _mean_regression(results: Results) -> Sequence[Part]:
    parts: list[Part] = []
    for row in results["regression"]:
        slope, r = row["slope"], row["correlation"]
        if slope is None:
            continue
        limits = interval(slope["ci_low"], slope["ci_high"])
        parts.append(
            Paragraph(
                f"{domain_name(row['domain']).capitalize()}: a participant whose accuracy before "
                f"explanations is one point higher has an accuracy after them that is "
                f"{number(slope['estimate'])} points {limits} higher. Without regression to the "
                f"mean this would be 1. Change and the accuracy before correlate with r = "
                f"{number(r)}."
            )
        )
    return parts


_REGRESSION = SectionPlan(
    "Regression to the mean", (_mean_regression, page_tables.REGRESSION), "regression"
)
_RATINGS = SectionPlan(
    "Ratings of explanations",
    (
        ReportFigure(
            "ratings",
            "Mean ratings with 95 % intervals of the published bootstrap.",
            "A row for each method with its mean rating, a panel for each domain",
            figures.ratings_figure,
        ),
        people_tables.RATINGS,
        people_tables.BY_MODEL,
        people_tables.PREDICTING,
    ),
    "ratings",
)
_CONFIDENCE = SectionPlan(
    "How sure participants are",
    (
        ReportFigure(
            "confidence",
            "Right predictions at each step of confidence, with Wilson’s 95 % intervals. The "
            "dotted line shows a calibrated participant.",
            "A panel for each method: right predictions over confidence, before and after",
            figures.confidence_figure,
        ),
        people_tables.CONFIDENCE,
        people_tables.CONFIDENCE_STEPS,
    ),
    "confidence",
)
_SEEN = SectionPlan("What participants saw", (people_tables.SEEN,), "seen")
_NO_MODEL = {"fitted": False, "reason": "", "asked": ""}


def _model_of(domain: str) -> ReportModel:
    return ReportModel(
        f"model_{domain}",
        lambda results: results["models"].get(domain, _NO_MODEL),
        f"{domain_name(domain).capitalize()}.",
    )


def _model_parts(domain: str) -> Callable[[Results], Sequence[Part] | None]:
    model = _model_of(domain)
    return lambda results: model.parts(results) if domain in results["models"] else None


_MODELS = SectionPlan("The mixed model", tuple(_model_parts(domain) for domain in DOMAINS))


def _second(results: Results) -> Paragraph:
    found = results["second"]
    first = {(row["domain"], row["method"]): row["verdict"] for row in results["contrasts"]}
    changed = [
        f"{method_name(row['method'])} ({domain_name(row['domain'])}): {row['verdict']}"
        for row in found["contrasts"]
        if first.get((row["domain"], row["method"])) != row["verdict"]
    ]
    said = f"Verdicts that differ: {listed(changed)}." if changed else "No verdict differs."
    who = count(found["participants"], "participant")
    return Paragraph(f"Without those who didn’t qualify or were too fast, {who} remain. {said}")


_SECOND = SectionPlan("The same for those who qualified", (_second, page_tables.SECOND), "second")


def _resampling(results: Results) -> str:
    boot = results["bootstrap"]
    return (
        f"Intervals: {results['intervals']}. For probabilities that the model averages: delta "
        "method, Student’s t. Published bootstrap: "
        f"{grouped(boot['published_replicates'])} replicates of participants, then items. Seed of "
        f"the replicates: {boot['seed']}."
    )


REPORT = ReportPlan(
    title="simulatability: do explanations help people predict a model?",
    facts=_facts,
    methods=methods_paragraphs,
    people=_people,
    after_flow=(people_tables.ARMS, people_tables.PEOPLE),
    sections=(_PRIMARY, _CHANGE, _REGRESSION, _RATINGS, _CONFIDENCE, _SECOND, _MODELS, _SEEN),
    resampling=_resampling,
    files=(
        PUBLISHED,
        MISSING,
        page_tables.PRE,
        page_tables.MODEL_CHANGE,
        page_tables.MEAN_DIFFERENCES,
        *(_model_of(domain) for domain in DOMAINS),
    ),
)
"""The contents of the report."""
