"""The tables of a study from a table: their fields, and what its packs say."""

from collections.abc import Mapping
from typing import Any

from participants.dataset import fields
from participants.dataset.study_tables import ArmsTable, StudyTables
from participants.journal import Event
from participants.table_study.plan import choices_of
from participants.table_study.trial import rating_step
from stimuli.io.tables import Column, Row
from stimuli.table_study.protocol import TableStudy
from stimuli.table_study.tables import (
    EXPLANATIONS,
    METRICS,
    answers_of,
    is_among,
    items_schema,
    meanings_of,
)

ADVISED = (
    Column("advice", "text", "The AI's answer; empty if none was shown.", optional=True),
    Column("ai_correct", "boolean", "Whether it is right.", optional=True),
    Column("agrees", "boolean", "Whether it is the answer.", optional=True),
    Column("own_decision", "text", "The answer before the advice.", optional=True),
    Column("own_rt_s", "real", "Time to this answer.", unit="s", optional=True),
    Column("advice_shown_s", "real", "Time from onset to advice that a key asked for.", unit="s",
           optional=True),
)  # fmt: skip

MOST_CHOICES = 9
"""A question's choices have the digits as keys."""


@fields.derived()
def place(trial: fields.EndedTrial) -> int | None:
    """Place of the chosen answer, 1 on the left."""
    answers, decision = answers_of(trial.item), trial.end["decision"]
    return answers.index(decision) + 1 if decision in answers else None


@fields.derived()
def stands_for(trial: fields.EndedTrial) -> str | None:
    """What the chosen answer stands for."""
    chosen = dict(zip(answers_of(trial.item), meanings_of(trial.item), strict=True))
    return chosen.get(trial.end["decision"])


@fields.derived()
def correct(trial: fields.EndedTrial) -> bool | None:
    """Whether the right answer was given."""
    known = trial.item["right"] is not None and trial.end["rt_s"] is not None
    return is_among(trial.end["decision"], trial.item["right"], trial.item) if known else None


@fields.derived()
def qualified(trial: fields.EndedTrial) -> bool | None:
    """Whether enough catch items were right."""
    return trial.taken.qualification.get("qualified")


def own_fields(protocol: TableStudy) -> tuple[fields.Field[fields.EndedTrial], ...]:
    """Return the fields that a study's trials have beside those of every timed choice."""
    items = items_schema(protocol)
    return (
        *fields.in_pack(items, "answers"),
        place,
        stands_for,
        *fields.in_pack(items, "right"),
        correct,
        *(() if protocol.advice is None else _advice_fields(protocol)),
        *fields.in_pack(items, *protocol.factors),
        *(_rating_field(protocol, name) for name in protocol.trial.ratings),
        *((qualified,) if protocol.session.catch_right else ()),
    )


def person_fields(protocol: TableStudy) -> tuple[fields.Field[Any], ...]:
    """Return the fields of ``people.csv``."""
    asked = (*protocol.session.before, *protocol.session.after)
    return (
        *fields.WHOSE_SESSION,
        *fields.LIST,
        fields.Field(
            Column("arm", "text", "The person's levels of the factors between people, or all."),
            lambda person: person.header["order"],
        ),
        fields.complete,
        fields.Field(
            Column("trials", "integer", "Main trials that ended."),
            lambda person: len(person.ends("main")),
        ),
        *(
            fields.Field(
                Column(name, "text", "The choice of the question of this name.", optional=True),
                lambda person, name=name: person.answers.get(name),
            )
            for name in asked
        ),
        fields.robot,
    )


def table_study_tables(protocol: TableStudy) -> StudyTables:
    """Return the tables of a study."""
    items = items_schema(protocol)
    trial = fields.trial_fields(
        *fields.CHOICE,
        *own_fields(protocol),
        fields.robot,
        condition=lambda trial: (
            "+".join(str(trial.item[name]) for name in protocol.factors) or "all"
        ),
    )
    return StudyTables(
        study=protocol.study,
        role="participant",
        read_pack=lambda pack: fields.ShownPack(
            fields.presentations_in(pack, items),
            {
                "items": pack.table(items),
                **{table.name: pack.table_if_any(table) for table in (EXPLANATIONS, METRICS)},
            },
        ),
        trial=trial,
        of_packs={"items": items, "explanations": EXPLANATIONS, "metrics": METRICS},
        person=person_fields(protocol),
        arms=ArmsTable("explanations", ("method",), "origin"),
    )


def _advice_fields(protocol: TableStudy) -> tuple[fields.Field[fields.EndedTrial], ...]:
    def cell(trial: fields.EndedTrial, name: str) -> Any:
        own_end = trial.taken.of_trial("own_end", trial.end["trial"])
        return _advice_cells(protocol, trial.end, trial.item, own_end)[name]

    return tuple(
        fields.Field(column, lambda trial, name=column.name: cell(trial, name))
        for column in ADVISED
    )


def _advice_cells(protocol: TableStudy, end: Event, item: Row, own_end: Mapping[str, Any]) -> Row:
    """Return the cells on advice; advice that nobody asked for wasn't shown."""
    advice, decision = item["advice"], end["decision"]
    if protocol.moment_of(item) == "on_key" and end["advice_shown_s"] is None:
        advice = None
    answered = advice is not None and end["rt_s"] is not None
    known = advice is not None and item["right"] is not None
    return {
        "advice": advice,
        "ai_correct": is_among(advice, item["right"], item) if known else None,
        "agrees": is_among(decision, advice, item) if answered else None,
        "own_decision": own_end.get("decision"),
        "own_rt_s": own_end.get("rt_s"),
        "advice_shown_s": end["advice_shown_s"],
    }


def _rating_field(protocol: TableStudy, name: str) -> fields.Field[fields.EndedTrial]:
    def rating(trial: fields.EndedTrial) -> int | None:
        choice = trial.taken.answers.get(rating_step(name, trial.end["trial"]))
        return None if choice is None else choices_of(protocol.study, name).index(choice) + 1

    column = Column(
        name,
        "integer",
        "The choice of the question of this name, from 1.",
        scale=(1, MOST_CHOICES),
        optional=True,
    )
    return fields.Field(column, rating)
