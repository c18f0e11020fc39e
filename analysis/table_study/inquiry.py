"""What a study from a table asks of its trials, and what it preregisters."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import pandas as pd

from analysis.data.selected import rows_of
from analysis.questions.answers_by_arm import about_people_question
from analysis.questions.inquiry import Inquiry
from analysis.questions.metrics import metric_r, metrics_question
from analysis.questions.question import Question
from analysis.questions.registered import Registered, Variable
from analysis.questions.screens import SCREENS
from analysis.questions.trials import trial_inquiry
from analysis.table_study.data import ItemData, read_items
from analysis.table_study.measures import value_of_test
from analysis.table_study.questions.asked import ASKED
from analysis.table_study.questions.cells import CELLS
from analysis.table_study.questions.course import LEARNING, TIMES
from analysis.table_study.questions.reliance import RELIANCE
from analysis.table_study.questions.tests import TESTS
from analysis.table_study.questions.typed import TYPED
from stimuli.devices import is_pointing
from stimuli.protocol import load_protocol
from stimuli.table_study.protocol import TableStudy


def _people(data: ItemData) -> tuple[pd.DataFrame, Sequence[str]]:
    """Return each analysed participant with their arm, and all arms."""
    # Another program's table has no sessions: then nobody's arm is known.
    pairs = data.answered.reindex(columns=["participant", "session"])
    pairs = pairs.drop_duplicates("participant")
    orders = data.dataset.beside.get("people")
    arms = {} if orders is None else dict(zip(orders["session"], orders["arm"], strict=True))
    known = pairs.assign(method=pairs["session"].map(arms))
    return known, data.protocol.arms


SHOWN: Final = {
    "with_item": "with the item",
    "after_answer": "after a first answer, which may be changed",
    "on_key": "when its key is pressed",
}
"""When advice is shown, in words."""
METRICS = metrics_question(
    metric_r("items"),
    lambda data: rows_of(data.answered, data.answered["correct"].notna()),
    item="presentation",
    note="Every answer of the analysis counts whose item has a right one.",
)
QUESTIONS = (
    TESTS, CELLS, TYPED, RELIANCE, METRICS, TIMES, LEARNING, ASKED,
    about_people_question("common", _people, lambda arm: arm), SCREENS,
)  # fmt: skip


def table_inquiry(study: str, more: Sequence[Question[Any, Any]] = ()) -> Inquiry[ItemData]:
    """Return what a study asks.

    Parameters
    ----------
    study
        By its name in the catalogue.
    more
        Questions of the study's own, which follow the general ones.
    """
    protocol = load_protocol(study)
    assert isinstance(protocol, TableStudy)
    inquiry = trial_inquiry(
        study,
        protocol.title,
        (*QUESTIONS, *more),
        limit_s=lambda protocol: protocol.trial.limit_s,
        read=read_items,
    )
    return replace(inquiry, registered=_registered)


def _registered(protocol: TableStudy) -> Registered:
    return Registered(
        question=protocol.title,
        people="participants",
        design=tuple(_design(protocol)),
        blinding="Participants are told what the study is about in the debrief.",
        assignment=f"The registry deals {'lists and arms' if protocol.of('between') else 'lists'} "
        "evenly to participants within each rig; the "
        f"seed {protocol.assignment.seed} breaks ties.",
        items="all items of the list that a participant is assigned to",
        manipulated=(
            *(
                Variable(name, f"a factor {factor.vary} participants", ", ".join(factor.levels))
                for name, factor in protocol.factors.items()
            ),
            Variable("item", "what is shown, within participants", "the items"),
        ),
        measured=tuple(_measured(protocol)),
        primary="The planned comparisons by means; the mixed model is reported beside them."
        + "".join(_outcomes(protocol)),
        exclusions=tuple(_exclusions(protocol)),
        multiplicity="Limits and p of the planned comparisons are corrected by Holm’s method.",
        missing="Nothing is imputed.",
    )


def _design(protocol: TableStudy) -> Iterator[str]:
    rules = protocol.session
    versions = "one version" if rules.versions == "one" else "all versions"
    how = "type an answer" if protocol.trial.typed else "choose an answer by a key"
    if is_pointing(protocol.trial.device):
        how = "click an answer"
    yield f"Participants see items one after the other, and {how}."
    between = " and ".join(f"one level of {name}" for name in protocol.of("between"))
    if between:
        yield f"A participant sees {between}."
    if protocol.of("within"):
        yield f"A participant sees {versions} of each item; there are {rules.lists} lists."
    if rules.blocks:
        yield f"Items come in blocks by {rules.blocks}, whose order changes from list to list."
    moments = [SHOWN[moment] for moment in protocol.moments]
    if len(moments) == 1:
        yield f"The AI’s advice is shown {moments[0]}."
    elif protocol.advice is not None:
        yield f"When the AI’s advice is shown is the factor {protocol.advice.when}: " + "; ".join(
            f"{moment}: {words}" for moment, words in zip(protocol.moments, moments, strict=True)
        ) + "."  # fmt: skip


def _measured(protocol: TableStudy) -> Iterator[Variable]:
    what = "any text" if protocol.trial.typed else "the answers of the item"
    last = "the answer after the AI’s advice, if it comes after a first answer; else the answer"
    decision = "the answer that was given" if protocol.advice is None else last
    yield Variable("decision", decision, what)
    yield Variable("rt_s", "time from the onset to the answer", "seconds")
    for name in protocol.trial.ratings:
        yield Variable(name, "the question after each trial", "its steps, from 1")


def _outcomes(protocol: TableStudy) -> Iterator[str]:
    """Yield what `value` is in the model of each test."""
    values = {value.id: value for value in map(partial(value_of_test, protocol), protocol.tests)}
    for value in values.values():
        about = value.kind.mean.about.removesuffix(".")
        yield f" Measured: {value.words} ({about[0].lower()}{about[1:]}); `value` in its model."


def _exclusions(protocol: TableStudy) -> Iterator[str]:
    yield "Trials without an answer within the time limit are left out."
    if protocol.session.catch_right:
        least = protocol.session.catch_right
        few = "no right catch item" if least == 1 else f"fewer than {least} right catch items"
        yield (
            f"Participants with {few} are "
            "left out; the report gives the comparisons with everybody, too."
        )
