"""Whether explanations are useful: acceptance with them minus acceptance without."""

from collections.abc import Callable, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.questions.estimates import EstimateRow
from analysis.questions.pivot import (
    Wide,
    adjusted_limits_of,
    adjusted_p_of,
    bayes_of,
    level_of,
    limits_of,
    n_of,
    pivot,
    standardised_of,
    value_of,
)
from analysis.questions.question import Lacking, Promise, Question, Whole, Within
from analysis.questions.registered import Criterion, Hypothesis
from analysis.report.deciding import MEANS, MODEL, THESE, WORDS, deciders
from analysis.report.declared import MOST_LISTED, ReportFigure, ReportTable, changes, cut
from analysis.report.few_people import few_rule, these_people, why_wide
from analysis.report.missing import holds_for
from analysis.report.parts import Column, Fact, Paragraph
from analysis.report.results import called, coded_name, counted
from analysis.report.style import SOFT, WIDTH_IN, draw_estimate, figure_style, points_axis, subplots
from analysis.report.wording import grouped
from analysis.studies.accept_reject.against_experts import alike
from analysis.studies.accept_reject.data import LeadData
from analysis.studies.accept_reject.leads import (
    draw_crowd,
    draw_leads,
    lead_cells,
    ordered_leads,
    verdicts_of,
)
from analysis.studies.accept_reject.people import LeadResult
from analysis.studies.accept_reject.quantities import BOTH, GAIN, NET, RAW
from analysis.studies.accept_reject.questions.comparison import compared_sentences
from analysis.studies.accept_reject.questions.participants import (
    PARTICIPANTS,
    compliance_columns,
    leads_of,
    time_granted,
)
from analysis.studies.accept_reject.questions.usefulness_sentences import (
    decided,
    overall_sentence,
    tells_something,
)
from analysis.studies.accept_reject.rates import CONTOURS
from analysis.studies.accept_reject.usefulness import (
    FAMILY,
    Usefulness,
    primary_analysis,
)
from analysis.studies.accept_reject.words import (
    ODD_OUTCOMES,
    SOLVER_COLOUR,
    SOLVER_MARKER,
    experts_called,
    gain_words,
    solver_words,
)
from stimuli.studies.accept_reject.protocol import AcceptReject

_STEP = 0.27  # inches a lead


Here = Within[Usefulness]


def compute(data: LeadData) -> Usefulness:
    """Return usefulness by both analyses."""
    return primary_analysis(
        data.judged,
        data.protocol.analysis,
        data.plan,
        data.rates,
        data.general,
        data.model.usefulness,
    )


def _leads(here: Here) -> Sequence[LeadResult]:
    return leads_of(here.whole.of(PARTICIPANTS))


def _are_many(here: Here) -> bool:
    return len(here.whole.of(PARTICIPANTS).leads) > MOST_LISTED


def _solvers(here: Here) -> dict[str, str]:
    return solver_words(here.whole.of(PARTICIPANTS))


INTRODUCTION = Paragraph(
    "Usefulness is acceptance with explanation minus acceptance without, within the "
    "primary decision time. “Net of contour reading” subtracts how much more often plates "
    "without a numeral are accepted if they carry a digit-shaped contour: S-like contours for S, "
    "E-like for E."
)


def _by_words(here: Here) -> Callable[[Wide], str]:
    noun = called(here.whole.frame.data, "lead")
    words = {
        THESE: f"means, for these {noun}s",
        MEANS: f"means, for {noun}s in general",
        MODEL: WORDS[MODEL],
    }
    return lambda row: words[row["by"]]


def _by_analysis(here: Here) -> list[EstimateRow]:
    """Return raw usefulness of S's and of E's explanations by each analysis."""
    rows = here.answer.rows(GAIN, part=RAW)
    return [row for row in rows if row.of["solver"] in FAMILY]


PRIMARY = pivot(
    lambda here: f"Usefulness of explanations by each analysis: {time_granted(here)}, all leads.",
    lambda here: (
        level_of("solver", "Solutions of", _solvers(here).__getitem__),
        Column("By", _by_words(here)),
        Column(
            "Role",
            lambda row: "primary" if row["by"] == here.answer.used else "for comparison",
        ),
        value_of(GAIN),
        adjusted_limits_of(GAIN),
        adjusted_p_of(GAIN),
        standardised_of(GAIN),
        bayes_of(GAIN),
    ),
    by=("by", "solver"),
    of=_by_analysis,
    note="Limits and p are corrected over S’s and E’s explanations, the family of the primary "
    "analysis.",
    strong=changes("by"),
    row_headers=2,
)
GAINS = pivot(
    lambda here: f"Usefulness of explanations: acceptance {time_granted(here)}, all leads.",
    lambda here: (
        level_of("solver", "Solutions of", {**_solvers(here), "S-E": "S less E"}.__getitem__),
        level_of("part", "", {RAW: "raw", NET: "net of contour reading"}.__getitem__),
        value_of(GAIN),
        limits_of(GAIN),
        n_of(GAIN, "n", "trials"),
    ),
    by=("part", "solver"),
    of=lambda here: here.answer.rows(GAIN, by=here.answer.means),
    note=lambda here: f"Intervals: {here.whole.frame.intervals}.",
    strong=lambda _: (3,),
    row_headers=2,
)


LEADS = ReportTable(
    "participants",
    lambda here: [lead_cells(lead) for lead in _leads(here)],
    "Usefulness for each lead, raw, with 95 % intervals that take the lead’s trials as "
    "independent.",
    (
        Column("Lead", coded_name),
        *compliance_columns(),
        *(
            Column(name, lambda lead, of=of: gain_words(lead.gain(of)), str, "points")
            for name, of in (("S", "S"), ("E", "E"), ("Together", BOTH))
        ),
        Column("Verdict", "verdict"),
    ),
    "“Profits” and “accepts less” rest on S’s and E’s solutions together, whose interval "
    "excludes zero; “undecided” is no evidence against it. Reading the contour and compliance "
    "are judged first.",
    shown=_leads,
    cut=lambda rows: cut(
        rows,
        "leads",
        "participants",
        lambda lead: lead.outcome in ODD_OUTCOMES,
        "leads whose answers don’t come from the plate",
    ),
)


def draw(here: Here) -> Figure:
    """Draw usefulness for S and E over all leads, and for each lead if they can be named."""
    leads = [] if _are_many(here) else ordered_leads(_leads(here))
    height = 1.25 + (_STEP * len(leads) + 0.9 if leads else 0.2)
    with figure_style():
        figure, panels = subplots(
            2 if leads else 1,
            1,
            figsize=(WIDTH_IN, height),
            sharex=True,
            squeeze=False,
            layout="constrained",
            height_ratios=[1.0, max(len(leads) * _STEP, 0.4)] if leads else [1.0],
        )
        _draw_overall(panels[0, 0], here)
        if leads:
            draw_leads(panels[1, 0], leads)
        for panel in panels[:, 0]:
            panel.axvline(0, color=SOFT, linewidth=0.7, zorder=0)
            panel.spines["left"].set_visible(False)
            panel.tick_params(axis="y", length=0)
        last = panels[-1, 0]
        last.set_xlabel("usefulness: acceptance with minus acceptance without (percentage points)")
        low, high = last.get_xlim()
        last.set_xlim(max(low, -1.05), min(high, 1.05))
        points_axis(last.xaxis)
    return figure


def _draw_overall(axes: Axes, here: Here) -> None:
    labels, words = [], _solvers(here)
    for place, (solver, net) in enumerate((("S", False), ("S", True), ("E", False), ("E", True))):
        part = here.answer.gain(solver, NET if net else RAW)
        draw_estimate(axes, part, place, SOLVER_COLOUR[solver], SOLVER_MARKER[solver], net)
        labels.append(f"{words[solver]}, {'net' if net else 'raw'}")
    axes.set_ylim(3.6, -0.6)
    axes.set_yticks(range(4))
    axes.set_yticklabels(labels, fontsize=7.8)
    data = here.whole.frame.data
    noun, few = called(data, "lead"), here.answer.used == THESE
    who = these_people(data.participants, noun) if few else f"All {noun}s"
    axes.set_title(f"{who[0].upper()}{who[1:]} (n = {grouped(data.participants)})")


def _caption(here: Here) -> str:
    text = (
        "Usefulness of explanations with 95 % intervals: circles for the system’s, squares for the "
        f"{experts_called(here.whole.of(PARTICIPANTS))}’ solutions; hollow marks are net of "
        "contour reading."
    )
    last = (
        " Leads whose acceptance comes from the explanation, or who don’t follow the guidelines, "
        "are listed last."
    )
    return text if _are_many(here) else text + last


FIGURE = ReportFigure(
    "usefulness",
    _caption,
    "Dots and intervals of usefulness over all leads and for each lead",
    draw,
)
CROWD_FIGURE = ReportFigure(
    "usefulness_by_lead",
    "Usefulness for each lead, raw, as counts of leads. Filled: answers from the plate; "
    "hatched: leads who accept from the explanation or don’t follow the guidelines.",
    "Histograms of leads’ usefulness for S’s and for E’s solutions",
    lambda here: draw_crowd(_leads(here), here.whole.of(PARTICIPANTS)),
    _are_many,
)


def _facts(answer: Usefulness, _: Whole) -> list[Fact]:
    by_solver = {solver: decided(answer.deciding(solver), answer.gain(solver)) for solver in FAMILY}
    return [
        Fact(usefulness, f"points: usefulness for {solver} {limits}")
        for solver, (usefulness, limits) in by_solver.items()
    ]


def _headline(answer: Usefulness, whole: Whole) -> list[str]:
    """Return what explanations change, S against E, and then the verdicts on single leads."""
    data, leads = whole.frame.data, leads_of(whole.of(PARTICIPANTS))
    few = answer.used == THESE
    alone = (
        f"Each of the {counted(data, 'lead')} by itself, without a correction for their number: "
        if len(leads) > 1
        else ""
    )
    return [
        overall_sentence(answer, whole),
        *compared_sentences(whole),
        *([why_wide(data.participants, called(data, "lead"), "plate")] if few else []),
        f"{alone}{verdicts_of(leads)}.",
        *holds_for(data.participants, data.items, "lead", "plate"),
    ]


def _methods(answer: Usefulness, _: Whole) -> list[str]:
    beside = (
        "; the mixed model’s is averaged over the same leads and plates, and is given beside it"
        if answer.rows(GAIN, solver="S", by=MODEL)
        else ""
    )
    return [
        "Usefulness is the acceptance rate with explanation minus the rate without. It "
        "is given raw, and after subtracting the increase in acceptance that a digit-shaped "
        "contour causes on plates without a numeral (net). The estimate is the difference of "
        f"means over leads and plates{beside}."
    ]


def _lacking(data: LeadData, answer: Usefulness | None) -> list[Lacking]:
    assert answer is not None
    rows = []
    if "control_kind" not in data.dataset.absent:
        kinds = ("no contour", "an S-like contour", "an E-like contour")
        for name, what in zip(CONTOURS, kinds, strict=True):
            if not data.rates.counts[name,].n:
                reason = f"there are no plates without a numeral with {what}"
                rows.append(Lacking("usefulness net of contour reading", reason))
    for row in answer.rows(GAIN, part=NET, by=answer.means):
        if not tells_something(row):
            what = f"usefulness of {row.of['solver']} net of contour reading, in the headline"
            reason = "too few plates without a numeral: its interval is wider than 100 points"
            rows.append(Lacking(what, reason))
    return rows


def _registered(protocol: AcceptReject) -> Promise:
    rules = protocol.analysis
    tests = [
        Criterion(
            f"usefulness of {solver}'s explanations",
            GAIN, {"solver": solver, "part": RAW}, "above",
            by=deciders(rules.primary_test, few=True),
        )
        for solver in FAMILY
    ]  # fmt: skip
    return Promise(
        "Acceptance with explanations minus acceptance without, for S and for E; S against E "
        "by an equivalence test. Intervals hold for leads and plates drawn at random.",
        hypotheses=(
            Hypothesis(
                "H1",
                "Leads accept more solutions within the decision time with explanations than "
                "without: more of S's, or of E's.",
                tuple(tests),
                "one",
                "S's and E's explanations",
                few_rule(rules.few_people, "lead", "plate"),
            ),
            Hypothesis(
                "H2",
                "With explanations leads accept S's solutions as often as E's.",
                (alike(rules.margin, "comparison"),),
            ),
        ),
    )


USEFULNESS = Question(
    id="usefulness",
    title="Usefulness of explanations",
    answer=Usefulness,
    quantities=(GAIN,),
    compute=compute,
    step="fitting the mixed models",
    parts=(INTRODUCTION, PRIMARY, GAINS, FIGURE, CROWD_FIGURE, LEADS),
    view=Within,
    facts=_facts,
    headline=_headline,
    methods=_methods,
    lacking=_lacking,
    registered=_registered,
)
"""Whether explanations are useful."""
