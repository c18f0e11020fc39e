"""Who took part, what they predicted, and who understood the method."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Final, cast

from analysis.questions.estimates import Estimates
from analysis.questions.pivot import value_of
from analysis.questions.question import Question, Whole
from analysis.report.about import about
from analysis.report.declared import ReportTable, cut, spelled
from analysis.report.parts import Column
from analysis.report.results import counted, robots_first, sample_facts
from analysis.report.wording import count, grouped, listed, number, were
from analysis.studies.simulatability.data import SimulatabilityData
from analysis.studies.simulatability.people import OF_ARM, Person, arm_rows
from analysis.studies.simulatability.tables import table_by
from analysis.studies.simulatability.words import (
    COUNTERFACTUAL,
    DESIGN,
    FIRST_WORDS,
    FORWARD,
    domain_name,
    method_name,
    tenth,
)
from stimuli.studies.simulatability.protocol import Simulatability, cell_of

NOUN: Final = "participant"
TESTS: Final[Mapping[str, str]] = {
    FORWARD: "the output on a new input (forward test)",
    COUNTERFACTUAL: "the output on a changed input (counterfactual test)",
}


@dataclass(frozen=True, slots=True)
class Participants(Estimates):
    """Who took part, and what they predicted."""

    pairs: Annotated[int, about("Items × participants, answered in both phases.")]
    methods: Annotated[tuple[str, ...], about("The methods, the reference first.")]
    domains: Annotated[tuple[str, ...], about("The domains.")]
    tests: Annotated[tuple[str, ...], about("The tests.")]
    reference: Annotated[
        str | None,
        about("The method whose Change is subtracted from the others'; null without one."),
    ]
    tested_again: Annotated[int, about("Participants with several methods or domains.")]
    unanswered: Annotated[int, about("Predictions without an answer.")]
    by_hand: Annotated[tuple[str, ...], about("Participants who were left out by hand.")]
    people: Annotated[tuple[Person, ...], about("Everybody in the tables.")]
    not_qualified: Annotated[int, about("Participants who didn't qualify.")]
    too_fast: Annotated[int, about("Participants who were too fast.")]
    without_items: Annotated[int, about("Participants without an item answered in both phases.")]
    assigned_known: Annotated[
        bool, about("Whether everybody who was assigned is known, with and without predictions.")
    ]
    no_course: Annotated[int, about("Of these without items, those who had no course.")]
    failed: Annotated[
        int, about("Of these without items, those who had too few right answers about the method.")
    ]
    needed: Annotated[
        int, about("Right answers about the method and the balance of items needed to qualify.")
    ]
    too_fast_s: Annotated[
        float, about("Median time for a prediction below which a participant is too fast, seconds.")
    ]


def compute(data: SimulatabilityData) -> Participants:
    """Return who took part in what the report rests on, and everybody in the tables."""
    predictions, people, rules = data.predictions, data.people, data.protocol
    without = [row for row in people if not row.items]
    cells = predictions.pairs.groupby("participant")[["domain", "method"]].nunique()
    return Participants(
        tuple(arm_rows(people, predictions)),
        pairs=len(predictions.pairs),
        methods=predictions.methods,
        domains=predictions.domains,
        tests=predictions.tests,
        reference=predictions.reference,
        tested_again=int((cells.max(axis=1) > 1).sum()),
        unanswered=sum(row.unanswered for row in predictions.missing),
        by_hand=data.left_out,
        people=people,
        not_qualified=sum(row.qualified is False for row in people),
        too_fast=sum(row.too_fast is True for row in people),
        without_items=len(without),
        assigned_known=data.sessions is not None,
        no_course=sum(
            row.qualified is False and row.understanding_right is None for row in without
        ),
        failed=sum(
            row.qualified is False and row.understanding_right is not None for row in without
        ),
        needed=rules.understanding.pass_right,
        too_fast_s=rules.analysis.too_fast_s,
    )


BY_ARM = table_by(
    ("domain", "method"),
    "Participants and missing predictions by arm. The second analysis leaves out those who didn’t "
    "qualify or were too fast.",
    [value_of(quantity) for quantity in OF_ARM],
    lambda answer: answer.estimates,
)


def _flat(answer: Participants) -> list[dict[str, Any]]:
    return [asdict(row) | {"arms": " ".join(row.arms)} for row in answer.people]


def _arms(row: Person) -> str:
    """Return the arms of a person in words."""
    cells = map(cell_of, row.arms)
    return "; ".join(f"{domain_name(domain)}, {method_name(method)}" for domain, method in cells)


_YES_NO = {True: "yes", False: "no", None: ""}
PEOPLE = ReportTable(
    "participants",
    _flat,
    "Participants.",
    (
        Column("Participant", "participant"),
        Column("Arms", _arms),
        Column("Qualified", spelled("qualified", _YES_NO)),
        Column("Too fast", spelled("too_fast", _YES_NO)),
        Column("Median time", "median_s", number, "s"),
        Column("Items", "items", grouped, "n"),
        Column("Before", "pre", tenth, "%"),
        Column("After", "post", tenth, "%"),
    ),
    shown="people",
    cut=lambda rows: cut(
        rows, "participants", "participants", lambda row: row.left_out, "those who are left out"
    ),
)


def people(answer: Participants, _: Whole) -> str:
    """Return who is analysed, who qualified, and who was too fast."""
    sentences = [f"Unless stated otherwise, all results include {included(answer)}."]
    known = [row for row in answer.people if row.qualified is not None]
    if known:
        sentences.append(
            f"{answer.not_qualified} of {len(known)} didn’t qualify: they had too few right "
            "answers on the method and the balance of items, or no course in statistics or "
            "computer science."
            if answer.not_qualified
            else "Everybody qualified."
        )
    timed = [row for row in answer.people if row.too_fast is not None]
    if timed:
        fast = answer.too_fast
        who = f"{fast} of {len(timed)} {were(fast)}" if fast else "Nobody was"
        sentences.append(
            f"{who} too fast (median time for a prediction below {answer.too_fast_s:g} s)."
        )
    return " ".join(sentences)


def included(answer: Participants) -> str:
    """Return whom the first analysis includes, and whether that is everybody who was assigned."""
    everybody = "everybody who predicted an item in both phases"
    if not answer.assigned_known:
        return f"{everybody}; the data don’t say who else was assigned"
    if not answer.without_items:
        return "everybody who was assigned to an arm and began a session (intention to treat)"
    began, left = len(answer.people), answer.without_items - answer.no_course - answer.failed
    parts = (
        (answer.no_course, "had taken no course"),
        (answer.failed, "had too few right answers, some of them about their method"),
        (left, "left before, or gave no answer"),
    )
    reasons = listed([f"{n} {why}" for n, why in parts if n])
    return (
        f"{everybody}. This isn’t an analysis by intention to treat: {answer.without_items} of "
        f"{began} people who began a session are missing ({reasons}). Table 1 counts them by arm"
        if answer.failed or left
        else f"{everybody}. {answer.without_items} of {began} people who began a session aren’t "
        f"eligible ({reasons}); they were asked before anything depended on their arm. All others "
        "are analysed as assigned (intention to treat)"
    )


def _methods(answer: Participants, whole: Whole) -> Sequence[str]:
    data, protocol = whole.frame.data, cast(Simulatability, whole.protocol)
    sentences = [
        f"{counted(data, NOUN)} predicted what a model says (design of {DESIGN}): "
        f"{listed([TESTS[test] for test in answer.tests])}, before and after explanations.",
        f"Domains: {listed([domain_name(name) for name in answer.domains])}. Methods: "
        f"{listed([method_name(name) for name in answer.methods])}.",
        f"{count(data.items, 'item')} gave {grouped(answer.pairs)} pairs of predictions.",
    ]
    if not data.protocol_known:
        return sentences
    items = protocol.items
    if len(answer.tests) > 1:
        sentences.append(FIRST_WORDS[protocol.design.first_test])
    sentences.append(
        f"There were {items.learning} examples to learn from and {items.per_test} items in "
        "each test. Each output was equally frequent, and the model was right on half of the cases "
        "of each."
    )
    if answer.needed:
        sentences.append(
            f"To qualify, participants had to answer at least {count(answer.needed, 'question')} "
            "on the method and the balance of items correctly."
        )
    if answer.tested_again:
        sentences.append(f"{count(answer.tested_again, NOUN)} had several methods or domains.")
    return sentences


PARTICIPANTS = Question(
    id="participants",
    title="Participants",
    answer=Participants,
    quantities=OF_ARM,
    compute=compute,
    parts=(BY_ARM, PEOPLE),
    facts=lambda answer, whole: sample_facts(
        whole.frame.data, NOUN, answer.pairs, "pairs of predictions", "item"
    ),
    headline=lambda _, whole: robots_first(whole.frame.data, NOUN),
    methods=_methods,
    needs={
        "purpose": "selection of the main sessions",
        "rt_s": "response times, and who was too fast",
    },
)
"""Who took part."""
