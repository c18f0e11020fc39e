"""What a study from a table asks of its trials, and what it preregisters."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from analysis.questions.answers_by_arm import about_people_question
from analysis.questions.inquiry import Inquiry
from analysis.questions.question import Question
from analysis.questions.registered import Registered, Variable
from analysis.questions.trials import trial_inquiry
from analysis.table_study.data import ItemData, read_items
from analysis.table_study.questions.asked import ASKED
from analysis.table_study.questions.cells import CELLS
from analysis.table_study.questions.course import LEARNING, TIMES
from analysis.table_study.questions.reliance import RELIANCE
from analysis.table_study.questions.tests import TESTS
from stimuli.protocol import load_protocol
from stimuli.table_study.protocol import TableStudy


def _people(data: ItemData) -> tuple[pd.DataFrame, Sequence[str]]:
    """Return each analysed participant with their arm, and all arms."""
    pairs = data.answered[["participant", "session"]].drop_duplicates("participant")
    orders = data.dataset.beside.get("people")
    arms = {} if orders is None else dict(zip(orders["session"], orders["arm"], strict=True))
    known = pairs.assign(method=pairs["session"].map(arms))
    return known, data.protocol.arms


QUESTIONS = (
    TESTS, CELLS, RELIANCE, TIMES, LEARNING, ASKED,
    about_people_question("common", _people, lambda arm: arm),
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
        assignment="The registry deals lists and arms evenly to participants within each rig; the "
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
        primary="The planned comparisons by means; the mixed model is reported beside them.",
        exclusions=tuple(_exclusions(protocol)),
        multiplicity="Limits and p of the planned comparisons are corrected by Holm’s method.",
        missing="Nothing is imputed.",
    )


def _design(protocol: TableStudy) -> Iterator[str]:
    rules = protocol.session
    shown = "one version" if rules.versions == "one" else "all versions"
    yield "Participants see items one after the other, and choose an answer by a key."
    if protocol.factors:
        yield f"A participant sees {shown} of each item; there are {rules.lists} lists."
    if rules.blocks:
        yield f"Items come in blocks by {rules.blocks}, whose order changes from list to list."
    if protocol.advice is not None:
        yield {
            "with_item": "The AI’s advice is shown with the item.",
            "after_answer": "The AI’s advice is shown after a first answer, which may be changed.",
            "on_key": "The AI’s advice is shown when its key is pressed.",
        }[protocol.advice.when]


def _measured(protocol: TableStudy) -> Iterator[Variable]:
    yield Variable("decision", "the answer that was chosen", "the answers of the item")
    yield Variable("rt_s", "time from the onset to the answer", "seconds")
    for name in protocol.trial.ratings:
        yield Variable(name, "the question after each trial", "its steps, from 1")


def _exclusions(protocol: TableStudy) -> Iterator[str]:
    yield "Trials without an answer within the time limit are left out."
    if protocol.session.catch_right:
        yield (
            f"Participants with fewer than {protocol.session.catch_right} right catch items are "
            "left out; the report gives the comparisons with everybody, too."
        )
