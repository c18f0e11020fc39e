"""How accurate the system is for leads: acceptance of its labels and of the data set's."""

from collections.abc import Iterator
from fractions import Fraction
from operator import itemgetter
from typing import Any, cast

import pandas as pd

from analysis.questions.estimates import EstimateRow, estimate_row
from analysis.questions.question import Promise, Question, Whole, Within
from analysis.questions.registered import Hypothesis
from analysis.report.declared import ReportTable
from analysis.report.few_people import few_rule, these_people, why_wide
from analysis.report.methods import equivalence
from analysis.report.missing import holds_for
from analysis.report.parts import Column, Fact, Paragraph, share_with_limits
from analysis.report.results import called
from analysis.report.wording import (
    NOTHING,
    count,
    grouped,
    number,
)
from analysis.studies.accept_reject.against_experts import (
    AGAINST_E,
    alike,
    difference_words,
    in_general,
    of_all,
    verdict_sentence,
)
from analysis.studies.accept_reject_accuracy.accuracy_figures import CLASSES_FIGURE, FIGURE
from analysis.studies.accept_reject_accuracy.data import AccuracyData
from analysis.studies.accept_reject_accuracy.pairs import Judgements
from analysis.studies.accept_reject_accuracy.quantities import (
    ACC_L,
    ACCEPTED,
    IMAGES,
    PLAIN,
    PLAIN_OF_ALL,
    SOLVER_WORDS,
    Accuracy,
    ratio_words,
)
from analysis.studies.accept_reject_accuracy.questions.participants import NOUN
from analysis.studies.accept_reject_accuracy.rates import (
    SOLVERS,
    Rates,
    as_share,
    as_text,
    mean_rate,
    plain_accuracy,
)
from stimuli.studies.accept_reject_accuracy.protocol import AcceptRejectAccuracy


def compute(data: AccuracyData) -> Accuracy:
    """Return acceptance rates, their ratio and difference, and the same by class."""
    rates, judged = data.rates, data.judgements
    plain = _plain_accuracy(judged)
    fractions = {"p_S": rates.p["S"], "p_E": rates.p["E"], "acc_L": rates.ratio, "plain": plain}
    against = of_all(
        rates.difference,
        None if data.general is None else data.general.difference,
        data.protocol.analysis.margin,
        few=data.plan.people == "fixed",
    )
    return Accuracy(
        (
            *main_rows(rates),
            *(estimate_row(IMAGES, {"solver": name}, rates.tasks[name]) for name in SOLVERS),
            estimate_row(PLAIN, {}, as_share(plain), rates.tasks["S"]),
            *against,
            *_whole_set(data.dataset.items),
            *_class_rows(judged),
        ),
        {name: as_text(value) for name, value in fractions.items()},
        None if rates.ratio is None or plain is None else rates.ratio == plain,
        data.label_words,
    )


def main_rows(rates: Rates) -> Iterator[EstimateRow]:
    """Yield p_S, p_E and their ratio."""
    for solver in SOLVERS:
        n = rates.judgements[solver]
        yield estimate_row(ACCEPTED, {"solver": solver}, rates.rate(solver), n)
    yield estimate_row(ACC_L, {}, rates.ratio_interval, rates.tasks["S"])


def _plain_accuracy(judged: Judgements) -> Fraction | None:
    """Return plain accuracy over the tasks whose S's label was judged."""
    true = {pair.task: pair.true_label for pair in judged.pairs}
    tasks = {pair.task: pair.label for pair in judged.of("S")}
    return plain_accuracy((label, true[task]) for task, label in tasks.items())


def _whole_set(items: pd.DataFrame | None) -> Iterator[EstimateRow]:
    if items is not None and {"model_label", "true_label"} <= set(items):
        known = items.dropna(subset=["model_label", "true_label"])
        plain = plain_accuracy(zip(known["model_label"], known["true_label"], strict=True))
        yield estimate_row(PLAIN_OF_ALL, {}, as_share(plain), len(known))


def _class_rows(judged: Judgements) -> Iterator[EstimateRow]:
    """Yield how the labels of each class's images are accepted."""
    for label in sorted({pair.true_label for pair in judged.pairs}):
        pairs = [pair for pair in judged.pairs if pair.true_label == label]
        system = [pair for pair in pairs if pair.of_system]
        of_solver = {"S": system, "E": [pair for pair in pairs if pair.of_expert]}
        of = {"label": label}
        yield estimate_row(IMAGES, of, len({pair.task for pair in pairs}))
        for solver, solver_pairs in of_solver.items():
            yield estimate_row(ACCEPTED, of | {"solver": solver}, as_share(mean_rate(solver_pairs)))
        plain = plain_accuracy((pair.label, label) for pair in system)
        yield estimate_row(PLAIN, of, as_share(plain))


INTRODUCTION = Paragraph(
    "p_S and p_E are the shares of the system’s and of the data set’s labels that leads "
    "accept, each image counting once; where both gave the same label a judgement counts "
    "for both. acc_L(S) = p_S / p_E."
)

_RATE, _LIMITS = share_with_limits("", "estimate")


def _rows(here: Within[Accuracy]) -> list[tuple[Any, ...]]:
    """Return p_S, p_E, acc_L and plain accuracy: name, value, limits, images and judgements."""
    answer = here.answer
    shares = {name: answer.row(ACCEPTED, solver=name) for name in SOLVERS}
    ratio, plain = answer.row(ACC_L), answer.row(PLAIN)
    return [
        *(
            (f"p_{name}, {SOLVER_WORDS[name]}", _RATE.text(row), _LIMITS.text(row),
             answer.row(IMAGES, solver=name).estimate, row.n)
            for name, row in shares.items()
        ),
        ("acc_L(S) = p_S / p_E", *ratio_words(ratio), ratio.n, None),
        ("plain accuracy", number(plain.estimate, 3), NOTHING, plain.n, None),
    ]  # fmt: skip


ACCEPTANCE = ReportTable(
    "",
    _rows,
    "Acceptance of labels, and accuracy.",
    (
        Column("Quantity", itemgetter(0)),
        Column("Value", itemgetter(1), str),
        Column("95 % interval", itemgetter(2), str),
        Column("Images", itemgetter(3), grouped, "n"),
        Column("Judgements", itemgetter(4), grouped, "n"),
    ),
    strong=lambda _: (2,),
)


def identity(here: Within[Accuracy]) -> Paragraph | None:
    """Return the sentence that acc_L is plain accuracy, if it is."""
    answer = here.answer
    if not answer.equal_to_plain:
        return None
    acc_l, plain = answer.exact["acc_L"], answer.exact["plain"]
    return Paragraph(
        f"acc_L = {acc_l} equals plain accuracy ({plain}) exactly, as it must "
        "where leads accept exactly the data set’s labels."
    )


def solvers_compared(here: Within[Accuracy]) -> Paragraph | None:
    """Return S against E; None if either isn't known."""
    row, general = here.answer.row(AGAINST_E), in_general(here.answer)
    if row.estimate is None:
        return None
    beyond = ""
    if general is not None:
        noun = called(here.whole.frame.data, NOUN)
        beyond = f" For {noun}s in general: {difference_words(general)}."
    return Paragraph(f"S against E: {difference_words(row)}.{beyond}")


def whole_set(here: Within[Accuracy]) -> Paragraph | None:
    """Return plain accuracy over all images."""
    whole = here.answer.row(PLAIN_OF_ALL)
    if whole.n is None:
        return None
    return Paragraph(
        f"Over all {grouped(whole.n)} images of the pack plain accuracy is "
        f"{number(whole.estimate, 3)}.",
        "quiet",
    )


def _facts(answer: Accuracy, _: Whole) -> list[Fact]:
    value, ends = ratio_words(answer.row(ACC_L))
    return [
        Fact(value, f"acc_L of the system {ends}"),
        Fact(number(answer.row(PLAIN).estimate, 3), "plain accuracy on the same images"),
    ]


def _headline(answer: Accuracy, whole: Whole) -> list[str]:
    ratio, data = answer.row(ACC_L), whole.frame.data
    if ratio.estimate is None:
        leads = f"{called(data, NOUN)}s"
        return [f"acc_L can’t be given: {leads} judged no label of S, or accepted none of E."]
    same = ", equal to it to the last digit" if answer.equal_to_plain else ""
    p_s, p_e = (_RATE.text(answer.row(ACCEPTED, solver=solver)) for solver in SOLVERS)
    verdict, general = verdict_sentence(answer.row(AGAINST_E)), in_general(answer)
    noun = called(data, NOUN)
    return [
        f"acc_L(S) = p_S / p_E = {' '.join(ratio_words(ratio))}, from p_S = "
        f"{p_s} and p_E = {p_e} on "
        f"{count(ratio.n, 'image')}; plain accuracy against the data set’s labels is "
        f"{number(answer.row(PLAIN).estimate, 3)}{same}.",
        f"For {these_people(data.participants, noun)}, {verdict}."
        if general
        else f"{verdict[0].upper()}{verdict[1:]}.",
        *_beyond(general, data.participants, noun),
        *holds_for(data.participants, data.items, NOUN, "image"),
    ]


def _beyond(general: EstimateRow | None, leads: int, noun: str) -> list[str]:
    """Return what is said of leads in general, and why it is vague; empty with many leads."""
    if general is None:
        return []
    known = general.ci_low is not None
    sentence = [f"For {noun}s in general, {verdict_sentence(general)}."] if known else []
    return [*sentence, why_wide(leads, noun, "image")]


def _methods(answer: Accuracy, whole: Whole) -> list[str]:
    rules = cast(AcceptRejectAccuracy, whole.protocol).analysis
    return [
        "p_S and p_E are means over images of the share of leads who accept S’s and E’s label; "
        "where both gave the same label a judgement counts for both. acc_L(S) = p_S / p_E.",
        f"Intervals are {whole.frame.intervals}. They are the primary analysis, as the protocol "
        "names it.",
        *equivalence(answer.row(AGAINST_E).margin, rules.margin_reason, "Calling S like E"),
    ]


def _registered(protocol: AcceptRejectAccuracy) -> Promise:
    rules = protocol.analysis
    return Promise(
        "p_S and p_E are means over images of the share of leads who accept S's and E's "
        "label; acc_L is p_S / p_E (Saralajew et al. 2022, section 2.3), given with its 95 % "
        "interval. Intervals hold for leads and images drawn at random.",
        hypotheses=(
            Hypothesis(
                "H1",
                "Leads accept the classifier's labels (S) as often as the data set's (E).",
                (alike(rules.margin, "accuracy"),),
                note=few_rule(rules.few_people, NOUN, "image"),
            ),
        ),
    )


ACCURACY = Question(
    id="accuracy",
    title="Accuracy with the leads",
    answer=Accuracy,
    quantities=(ACCEPTED, IMAGES, ACC_L, PLAIN, AGAINST_E, PLAIN_OF_ALL),
    compute=compute,
    step="measuring rates over leads and images",
    parts=(
        INTRODUCTION,
        FIGURE,
        ACCEPTANCE,
        identity,
        solvers_compared,
        whole_set,
        CLASSES_FIGURE,
    ),
    view=Within,
    facts=_facts,
    headline=_headline,
    methods=_methods,
    registered=_registered,
)
"""How accurate the system is for leads."""
