"""Whether explanations are useful: acceptance with them minus acceptance without."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.preregister.declared import Hypothesis
from analysis.questions.question import Lacking, Promise, Question, Whole, Within
from analysis.report.about import about
from analysis.report.declared import MOST_LISTED, ReportFigure, ReportTable, changes, cut, spelled
from analysis.report.estimates import MEANS, MODEL, THESE, WORDS, beside
from analysis.report.few_people import few_rule, these_people, why_wide
from analysis.report.missing import holds_for
from analysis.report.parts import Column, Fact, Paragraph, holm_limits, limits
from analysis.report.results import called, coded_name, counted
from analysis.report.style import SOFT, WIDTH_IN, draw_estimate, figure_style, points_axis, subplots
from analysis.report.wording import (
    grouped,
    interval,
    p_equals,
    p_value,
    percent,
    points,
    unknown,
    unsigned_points,
)
from analysis.studies.accept_reject.data import LeadData
from analysis.studies.accept_reject.leads import (
    count_verdicts,
    draw_crowd,
    draw_leads,
    gain_of,
    judge_each,
    lead_cells,
    ordered_leads,
)
from analysis.studies.accept_reject.people import LeadResult
from analysis.studies.accept_reject.questions.acceptance import ACCEPTANCE
from analysis.studies.accept_reject.questions.participants import (
    PARTICIPANTS,
    compliance_columns,
    time_granted,
)
from analysis.studies.accept_reject.rates import Gain, cells_of, usefulness_rows
from analysis.studies.accept_reject.repeated import gain_column
from analysis.studies.accept_reject.usefulness import (
    FAMILY,
    Primary,
    PrimaryRow,
    primary_analysis,
    unvarying_leads,
)
from analysis.studies.accept_reject.words import (
    FEW_LEADS,
    N_COLUMN,
    ODD_OUTCOMES,
    SOLVER_COLOUR,
    SOLVER_MARKER,
    experts_called,
    gain_words,
    granted,
    limits_words,
    solver_words,
)
from stimuli.studies.accept_reject.protocol import AcceptReject

WIDEST_NET = 1.0
"""Width of the interval of net usefulness from which the headline leaves it out."""

_STEP = 0.27  # inches a lead


def overall_sentence(primary: Primary, gains: Sequence[Gain], whole: Whole) -> str:
    """Return what explanations change for S and E, with p of the analysis that decides."""
    known = [solver for solver in FAMILY if gain_of(gains, solver).estimate is not None]
    if not known:
        return "Usefulness can't be given: there are no trials with and without explanations."
    said = [_change(solver, primary, gains, whole) for solver in known]
    data = whole.frame.data
    start = (
        f"For {these_people(data.participants, called(data, 'lead'))}, "
        if primary.used == THESE
        else f"Over {counted(data, 'lead')}, "
    )
    text = start + ". ".join(
        sentence if place == 0 else f"{sentence[0].upper()}{sentence[1:]}"
        for place, sentence in enumerate(said)
    )
    if not any(_tested(primary.deciding(solver)) for solver in known):
        return f"{text}."
    by = " The protocol names the mixed model, which decides." if primary.used == MODEL else ""
    return f"{text}.{by} Limits and p are by Holm over S and E."


def _change(solver: str, primary: Primary, gains: Sequence[Gain], whole: Whole) -> str:
    """Return what explanations change for a solver, with the means' estimate first."""
    sample = whole.of(PARTICIPANTS)
    rates = {row.explained: row.rate for row in whole.of(ACCEPTANCE).rates if row.solver == solver}
    raw, net = (gain_of(gains, solver, flag) for flag in (False, True))
    row = primary.deciding(solver)
    usefulness, limits = _decided(row, raw)
    inside = [f"{usefulness} points, 95 % interval {limits}{_tested(row)}"]
    if net.estimate is not None and tells_something(net):
        inside.append(f"net of contour reading {points(net.estimate)} {limits_words(net)}")
    inside.append(_beside(primary, solver, raw, called(whole.frame.data, "lead")))
    numbers, (without, with_) = (
        "; ".join(filter(None, inside)),
        map(percent, map(rates.get, (False, True))),
    )
    what = f"acceptance of {solver}'s solutions {granted(sample)}"
    direction = 0 if row is None else row.direction
    if direction:
        verb = "raise" if direction > 0 else "lower"
        return f"explanations {verb} {what} from {without} to {with_} ({numbers})"
    return f"no change in {what} is shown: {without} without explanations, {with_} with ({numbers})"


def _decided(row: PrimaryRow | None, raw: Gain) -> tuple[str, str]:
    """Return usefulness by the analysis that decides, and its corrected limits."""
    if row is None or unknown(row.p_holm):
        return points(raw.estimate), limits_words(raw)
    return points(row.estimate), interval(row.holm_low, row.holm_high, points)


def _beside(primary: Primary, solver: str, raw: Gain, noun: str) -> str:
    """Return what the analyses say that don't decide: of leads in general, and the model's."""
    means, model = primary.row(MEANS, solver), primary.row(MODEL, solver)
    few = primary.unvarying
    unvarying = "" if few is None else few.words("leads", "plates")
    if primary.used == THESE:
        return "" if means is None else f"for {noun}s in general {_limits(means)}"
    by = MEANS if primary.used == MODEL else MODEL
    return beside(raw, model, points, unvarying, by=by)


def _limits(row: PrimaryRow) -> str:
    known = not (unknown(row.holm_low) or unknown(row.holm_high))
    return interval(row.holm_low, row.holm_high, points) if known else "not known"


def tells_something(net: Gain) -> bool:
    """Return whether the interval of net usefulness is narrower than 100 points."""
    if net.ci_low is None or net.ci_high is None:
        return False
    return net.ci_high - net.ci_low < WIDEST_NET


def _tested(row: PrimaryRow | None) -> str:
    """Return p of a primary test, after Holm over S and E; empty if there is none."""
    return "" if row is None or unknown(row.p_holm) else f", {p_equals(row.p_holm)}"


@dataclass(frozen=True, slots=True)
class Usefulness:
    """Usefulness of explanations over all leads."""

    gains: Annotated[
        tuple[Gain, ...],
        about("By the means over plates and leads, raw and net; of these leads if they are few."),
    ]
    primary: Annotated[Primary, about("By the means, and by the mixed model beside them.")]


Here = Within[Usefulness]


def compute(data: LeadData) -> Usefulness:
    """Return usefulness by both analyses."""
    gains = usefulness_rows(data.rates, data.judged.cutoff_s)
    asked = data.protocol.analysis.primary_test
    by_model = data.model.marginal_usefulness
    unvarying = unvarying_leads(data.judged)
    few = data.plan.people == "fixed"
    primary = primary_analysis(asked, data.rates, data.general, by_model, unvarying, few=few)
    return Usefulness(gains, primary)


def _leads(here: Here) -> Sequence[LeadResult]:
    return here.found.of(PARTICIPANTS).leads


def _are_many(here: Here) -> bool:
    return len(_leads(here)) > MOST_LISTED


def _solvers(here: Here) -> dict[str, str]:
    return solver_words(here.found.of(PARTICIPANTS))


INTRODUCTION = Paragraph(
    "Usefulness is acceptance with explanation minus acceptance without, within the "
    "primary decision time. “Net of contour reading” subtracts how much more often plates "
    "without a numeral are accepted if they carry a digit-shaped contour: S-like contours for S, "
    "E-like for E."
)


def _by_words(here: Here) -> Callable[[PrimaryRow], str]:
    noun = called(here.found.frame.data, "lead")
    words = {
        THESE: f"means, for these {noun}s",
        MEANS: f"means, for {noun}s in general",
        MODEL: WORDS[MODEL],
    }
    return lambda row: words[row.by]


PRIMARY = ReportTable(
    "primary",
    "answer.primary.rows",
    lambda here: f"Usefulness of explanations by each analysis: {time_granted(here)}, all leads.",
    lambda here: (
        Column("Solutions of", spelled("solver", _solvers(here))),
        Column("By", _by_words(here)),
        Column("Role", lambda row: "primary" if row.primary else "for comparison"),
        Column("Usefulness", "estimate", points, "percentage points"),
        holm_limits(points),
        Column("p", "p_holm", p_value, "Holm"),
    ),
    "Limits and p are corrected over S’s and E’s explanations, the family of the primary analysis.",
    strong=changes("by"),
    row_headers=2,
)
GAINS = ReportTable(
    "usefulness",
    "answer.gains",
    lambda here: f"Usefulness of explanations: acceptance {time_granted(here)}, all leads.",
    lambda here: (
        Column("Solutions of", spelled("solver", {**_solvers(here), "S-E": "S less E"})),
        Column("", lambda row: "net of contour reading" if row.net else "raw"),
        Column("Usefulness", "estimate", points, "percentage points"),
        limits(points),
        N_COLUMN,
    ),
    lambda here: f"Intervals: {here.found.frame.intervals}.",
    strong=lambda _: (3,),
    row_headers=2,
)


LEADS = ReportTable(
    "participants",
    lambda here: [lead_cells(lead) for lead in _leads(here)],
    "Usefulness for each lead, raw, with 95 % intervals that take the lead’s trials as "
    "independent.",
    lambda here: [
        Column("Lead", coded_name),
        *compliance_columns(here.found.of(PARTICIPANTS)),
        gain_column("S"),
        gain_column("E"),
        Column("Together", "usefulness_pooled", gain_words, "points"),
        Column("Verdict", "verdict"),
    ],
    "“Profits” and “accepts less” rest on S’s and E’s solutions together, whose interval "
    "excludes zero; “no profit shown” is not evidence of none. Reading the contour and compliance "
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
        part = gain_of(here.answer.gains, solver, net)
        draw_estimate(axes, part, place, SOLVER_COLOUR[solver], SOLVER_MARKER[solver], net)
        labels.append(f"{words[solver]}, {'net' if net else 'raw'}")
    axes.set_ylim(3.6, -0.6)
    axes.set_yticks(range(4))
    axes.set_yticklabels(labels, fontsize=7.8)
    data = here.found.frame.data
    few = here.answer.primary.used == THESE
    noun = called(data, "lead")
    who = these_people(data.participants, noun) if few else f"All {noun}s"
    axes.set_title(f"{who[0].upper()}{who[1:]} (n = {grouped(data.participants)})")


def _caption(here: Here) -> str:
    said = (
        "Usefulness of explanations with 95 % intervals: circles for the system’s, squares for the "
        f"{experts_called(here.found.of(PARTICIPANTS))}’ solutions; hollow marks are net of "
        "contour reading."
    )
    last = (
        " Leads whose acceptance comes from the explanation, or who don’t follow the guidelines, "
        "are listed last."
    )
    return said if _are_many(here) else said + last


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
    lambda here: draw_crowd(_leads(here), here.found.of(PARTICIPANTS)),
    _are_many,
)


def _facts(found: Usefulness, _: Whole) -> list[Fact]:
    decided = {
        solver: _decided(found.primary.deciding(solver), gain_of(found.gains, solver))
        for solver in FAMILY
    }
    return [
        Fact(usefulness, f"points: usefulness for {solver} {limits}")
        for solver, (usefulness, limits) in decided.items()
    ]


def _headline(found: Usefulness, whole: Whole) -> list[str]:
    """Return the estimate, and each lead's verdict; of many leads, counts of verdicts."""
    sample, data = whole.of(PARTICIPANTS), whole.frame.data
    alone = holds_for(data.participants, data.items, "lead", "plate")
    said = [overall_sentence(found.primary, found.gains, whole)]
    if found.primary.used == THESE:
        said.append(why_wide(data.participants, called(data, "lead"), "plate"))
    if len(sample.leads) <= FEW_LEADS:
        each = judge_each(sample.leads, granted(sample))
        if len(sample.leads) > 1:
            # With many leads some verdicts are wrong by chance.
            leads = counted(data, "lead")
            each.append(
                f"Each of the {leads} is judged separately, without a correction for their number."
            )
        return [*said, *each, *alone]
    counts = count_verdicts(sample.leads)
    return [
        *said,
        f"Each of the {counted(data, 'lead')} individually, without a correction for their number: "
        f"{counts}.",
        *alone,
    ]


def _methods(found: Usefulness, _: Whole) -> list[str]:
    beside = (
        "; the mixed model’s is averaged over the same leads and plates, and is given beside it"
        if found.primary.row(MODEL, "S")
        else ""
    )
    return [
        "Usefulness is the acceptance rate with explanation minus the rate without. It "
        "is given raw, and after subtracting the increase in acceptance that a digit-shaped "
        "contour causes on plates without a numeral (net). The estimate is the difference of "
        f"means over leads and plates{beside}."
    ]


def _lacking(data: LeadData, found: Usefulness | None) -> list[Lacking]:
    assert found is not None
    rows = []
    if "control_kind" not in data.dataset.absent:
        cells = cells_of(data.judged)
        for kind, what in ((4, "no contour"), (5, "an S-like contour"), (6, "an E-like contour")):
            if not (cells == kind).any():
                reason = f"there are no plates without a numeral with {what}"
                rows.append(Lacking("usefulness net of contour reading", reason))
    for row in found.gains:
        if row.net and not tells_something(row):
            what = f"usefulness of {row.solver} net of contour reading, in the headline"
            reason = "too few plates without a numeral: its interval is wider than 100 points"
            rows.append(Lacking(what, reason))
    return rows


def _registered(protocol: AcceptReject) -> Promise:
    margin = unsigned_points(protocol.analysis.margin)
    return Promise(
        "primary",
        "Acceptance with explanations minus acceptance without, for S and for E; S against E "
        "by an equivalence test. Intervals hold for leads and plates drawn at random.",
        hypotheses=(
            Hypothesis(
                "H1",
                "Leads accept more solutions within the decision time with explanations than "
                "without.",
                "Usefulness of S's or of E's explanations is positive with p < .05 (two-sided) "
                f"after Holm's correction over the two, by {WORDS[protocol.analysis.primary_test]};"
                " both differences of probabilities are given with their 95 % intervals."
                + few_rule(protocol.analysis.few_people, "lead", "plate"),
            ),
            Hypothesis(
                "H2",
                "With explanations leads accept S's solutions as often as E's.",
                "p_S − p_E in the run with explanations lies within an equivalence "
                f"margin of {margin} percentage points: its 90 % interval lies within ± {margin}.",
            ),
        ),
    )


USEFULNESS = Question(
    id="usefulness",
    title="Usefulness of explanations",
    answer=Usefulness,
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
