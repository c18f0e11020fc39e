"""The tables of a study from a table, and their rows from a journal and what its pack says."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from participants.dataset.study_tables import (
    ROBOT,
    WHOSE_SESSION,
    RowMakers,
    ShownTable,
    StudyTables,
    choice_table,
)
from participants.dataset.table_files import choice_cells, main_trials
from participants.journal import Event, Journal
from participants.session import NO_CHOICE
from participants.session.qualification import QUALIFICATION
from participants.table_study.plan import choices_of
from participants.table_study.trial import rating_step
from stimuli.io.tables import Column, Row, TableSchema
from stimuli.pack import Pack
from stimuli.table_study.protocol import TableStudy
from stimuli.table_study.tables import answers_of, factor_columns, items_schema, meanings_of

ANSWERS = (
    Column("answers", "text", "The answers from left to right."),
    Column("place", "integer", "Place of the chosen answer, 1 on the left.", optional=True),
    Column("stands_for", "text", "What the chosen answer stands for.", optional=True),
    Column("right", "text", "The right answer.", optional=True),
    Column("correct", "boolean", "Whether the right answer was chosen.", optional=True),
)
ADVISED = (
    Column("advice", "text", "The AI's answer; empty if none was shown.", optional=True),
    Column("ai_correct", "boolean", "Whether it is right.", optional=True),
    Column("agrees", "boolean", "Whether it was chosen.", optional=True),
    Column("own_decision", "text", "The answer before the advice.", optional=True),
    Column("own_rt_s", "real", "Time to this answer.", unit="s", optional=True),
    Column("advice_shown_s", "real", "Time from onset to advice that a key asked for.", unit="s",
           optional=True),
)  # fmt: skip
QUALIFIED = Column("qualified", "boolean", "Whether enough catch items were right.", optional=True)

MOST_CHOICES = 9
"""A question's choices have the digits as keys."""


def own_columns(protocol: TableStudy) -> tuple[Column, ...]:
    """Return a study's own columns of ``trials.csv``."""
    return (
        *ANSWERS,
        *(ADVISED if protocol.advice is not None else ()),
        *factor_columns(protocol),
        *(Column(name, "integer", "The choice of the question of this name, from 1.",
                 scale=(1, MOST_CHOICES), optional=True)
          for name in protocol.trial.ratings),
        *((QUALIFIED,) if protocol.session.catch_right else ()),
    )  # fmt: skip


def people_schema(protocol: TableStudy) -> TableSchema:
    """Return the columns of ``people.csv``."""
    asked = (*protocol.session.before, *protocol.session.after)
    columns = (
        *WHOSE_SESSION,
        Column("list", "text", "The person's list of the pack."),
        Column("arm", "text", "The person's levels of the factors between people, or all."),
        Column("complete", "boolean", "Whether the session was finished."),
        Column("trials", "integer", "Main trials that ended."),
        *(Column(name, "text", "The choice of the question of this name.", optional=True)
          for name in asked),
        ROBOT,
    )  # fmt: skip
    return TableSchema("people", "One row a session.", columns)


def table_study_tables(protocol: TableStudy) -> StudyTables:
    """Return the tables of a study."""
    schema = items_schema(protocol)

    def shown(pack: Pack) -> Mapping[str, Row]:
        return {str(row["presentation"]): row for row in pack.table(schema)}

    return StudyTables(
        role="participant",
        trials=choice_table(protocol.study, own_columns(protocol)),
        load_makers=lambda: RowMakers(
            shown, partial(trial_rows, protocol), partial(person_row, protocol)
        ),
        of_packs={"items": ShownTable(schema, lambda shown: tuple(shown.values()))},
        people=people_schema(protocol),
    )


@dataclass(frozen=True, slots=True)
class _Session:
    """What a session's rows take from its journal beside the trial's end."""

    own: Mapping[int, Event]
    answers: Mapping[str, str]
    qualified: bool | None

    @classmethod
    def of(cls, journal: Journal) -> "_Session":
        looks = journal.of(QUALIFICATION)
        return cls(
            {event["trial"]: event for event in journal.of("own_end")},
            {event["step"]: event["value"] for event in journal.of("answer")},
            bool(looks[-1]["qualified"]) if looks else None,
        )


def trial_rows(protocol: TableStudy, journal: Journal, shown: Mapping[str, Row]) -> list[Row]:
    """Return a session's rows of ``trials.csv``: its main trials, in order."""
    session, names = _Session.of(journal), {column.name for column in own_columns(protocol)}
    rows = []
    for part, end, shown_s in main_trials(journal):
        item = shown[end["presentation"]]
        factors = {name: item[name] for name in protocol.factors}
        cells = {
            **choice_cells(part, end, shown_s),
            "item": item["item"],
            "condition": "+".join(map(str, factors.values())) or "all",
            **_answer_cells(end["decision"], item),
            **_advice_cells(protocol, end, item, session.own.get(end["trial"])),
            **factors,
            **dict(_rating_cells(protocol, end["trial"], session.answers)),
            "qualified": session.qualified,
        }
        rows.append({name: cell for name, cell in cells.items()
                     if name in names or name not in OPTIONAL})  # fmt: skip
    return rows


OPTIONAL = frozenset(column.name for column in (*ADVISED, QUALIFIED))


def _answer_cells(decision: str, item: Row) -> Row:
    answers = answers_of(item)
    place = answers.index(decision) if decision in answers else None
    known = item["right"] is not None and decision != NO_CHOICE
    return {
        "answers": item["answers"],
        "place": None if place is None else place + 1,
        "stands_for": None if place is None else meanings_of(item)[place],
        "right": item["right"],
        "correct": decision == item["right"] if known else None,
    }


def _advice_cells(protocol: TableStudy, end: Event, item: Row, own: Event | None) -> Row:
    """Return the cells on advice; advice that nobody asked for wasn't shown."""
    rules, advice, decision = protocol.advice, item["advice"], end["decision"]
    if rules is not None and rules.when == "on_key" and end["advice_shown_s"] is None:
        advice = None
    answered = advice is not None and decision != NO_CHOICE
    known = advice is not None and item["right"] is not None
    return {
        "advice": advice,
        "ai_correct": advice == item["right"] if known else None,
        "agrees": decision == advice if answered else None,
        "own_decision": None if own is None else own["decision"],
        "own_rt_s": None if own is None else own["rt_s"],
        "advice_shown_s": end["advice_shown_s"],
    }


def _rating_cells(
    protocol: TableStudy, trial: int, answers: Mapping[str, str]
) -> Iterator[tuple[str, int | None]]:
    for name in protocol.trial.ratings:
        choice = answers.get(rating_step(name, trial))
        choices = choices_of(protocol.study, name)
        yield name, None if choice is None else choices.index(choice) + 1


def person_row(protocol: TableStudy, journal: Journal) -> Row:
    """Return a session's row of ``people.csv``."""
    header, answers = journal.header, _Session.of(journal).answers
    asked = (*protocol.session.before, *protocol.session.after)
    return {
        **{name: header[name] for name in ("participant", "session", "purpose", "list")},
        "arm": header["order"],
        "complete": journal.complete,
        "trials": sum(end["phase"] == "main" for end in journal.of("trial_end")),
        **{name: answers.get(name) for name in asked},
        "robot": header["robot"] or None,
    }
