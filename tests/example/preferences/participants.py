"""What people go through, what their journals hold, and what becomes of them."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from participants.dataset.columns import ROBOT, trial_table
from participants.dataset.rows import main_trials, shared_cells
from participants.dataset.study_tables import ShownTable, StudyTables
from participants.journal import Journal, Recorder
from participants.journal.events import Count, Ordinal, Recorded, Seconds
from participants.planning import given_place, plan_of, rows_of_list, rules_of
from participants.registry import Assignment
from participants.session import (
    RENEWED,
    Choice,
    Consent,
    Page,
    Question,
    SessionPlan,
    TimedChoice,
    settled_by,
    settled_choices,
    to_microseconds,
    trial_step,
)
from participants.simulate.timed_choice import simulated_choice
from participants.study import Robots, SessionKind, Study
from preferences.stimuli import ITEMS, LISTS, Questions, compose
from stimuli.io.canonical import seed_of
from stimuli.io.tables import Column, Row, TableSchema
from stimuli.pack import Pack
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import protocol_hash

NAME = "preferences"
LEFT_SHARE = {"leftish": 0.8, "fair": 0.5}
"""How often each kind of robot chooses what stands on the left."""


class TrialStart(Recorded):
    """A question is about to be shown."""

    durable: ClassVar[bool] = False

    trial: Ordinal = Field(description="Place in the session, from 1.")
    presentation: str = Field(description="The question.")


class TrialEnd(Recorded):
    """A question was answered, or its time was over."""

    trial: Ordinal = Field(description="Place in the session, from 1.")
    repeat_of: None = Field(description="Null: nothing is repeated.")
    phase: Literal["main"] = Field(description="Main: there is no practice.")
    presentation: str = Field(description="The question.")
    choice: Literal["left", "right", "none"] = Field(description="The answer.")
    rt_s: float | None = Field(description="Press minus onset; null without a press.")
    onset_t_monotonic_s: float = Field(description="Onset of the words' first frame.")
    frames_planned: Count | None = Field(description="Null: the answer ends it.")
    frames_shown: Count = Field(description="Frames the words stayed.")
    frames_dropped: Count = Field(description="Refreshes missed meanwhile.")
    longest_interval_s: Seconds = Field(description="Longest time between two flips.")
    flagged: bool = Field(description="Whether a frame was lost or a clock was set.")


@dataclass(frozen=True, slots=True)
class Words:
    """What is shown: the answers on the left and on the right."""

    left: str
    right: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference(TimedChoice):
    """One question; a task of this study."""

    def perform(self, presenter: Any, recorder: Recorder) -> frozenset[str]:
        """Ask the question and record the answer."""
        chosen: Choice = presenter.ask(self)
        recorder.append(
            "trial_end",
            durable=True,
            trial=self.trial,
            repeat_of=None,
            phase=self.phase,
            presentation=self.presentation,
            choice=chosen.choice,
            rt_s=None if chosen.rt_s is None else to_microseconds(chosen.rt_s),
            **asdict(chosen.presented),
        )
        return settled_by(self.trial, None, flagged=chosen.presented.flagged)

    def record_start(self, recorder: Recorder) -> None:
        """Record that the question is about to be shown."""
        recorder.append("trial_start", trial=self.trial, presentation=self.presentation)


def plan(pack: Pack, given: Assignment | None, language: str, code: str) -> SessionPlan:
    """Return a person's plan: consent, instructions, ten questions, debrief, renewed consent."""
    protocol = rules_of(pack, NAME, "solutions", "a participant's", language)
    place = given_place(given, ("as_listed",))
    steps = (
        Consent("consent"),
        Page("instructions", "instructions"),
        *_questions(pack, protocol.questions, place.list),
        Page("debrief", "debrief"),
        Consent(RENEWED, renewed=True),
        Page("end", "end"),
    )
    return plan_of(pack, place, language, steps, settled=settled_choices)


def _questions(pack: Pack, asked: Questions, list_id: str) -> list[Preference]:
    words = {row["item"]: Words(str(row["left"]), str(row["right"])) for row in pack.table(ITEMS)}
    return [
        Preference(
            step=trial_step(place),
            trial=place,
            phase="main",
            position=place,
            presentation=str(row["item"]),
            stimulus=words[row["item"]],
            options={asked.left_key: "left", asked.right_key: "right"},
            device="keyboard",
            fixation_s=asked.fixation_s,
            limit_s=asked.limit_s,
        )
        for place, row in enumerate(rows_of_list(pack, LISTS, list_id, "list"), start=1)
    ]


@dataclass(frozen=True, slots=True)
class Response:
    """What a robot answers, and when."""

    decision: str
    rt_s: float


@dataclass(frozen=True, slots=True)
class Robot:
    """A robot that prefers a side."""

    name: str
    participant: str
    seed: int

    def answer(self, task: Preference) -> Response:
        """Return the answer to a question; the same whenever it is asked."""
        draw = seed_of(NAME, self.seed, self.participant, task.presentation)
        rng = np.random.Generator(np.random.PCG64(draw))
        side = "left" if rng.random() < LEFT_SHARE[self.name] else "right"
        return Response(side, float(0.2 + 0.2 * rng.random()))

    def choose(self, question: Question) -> str:
        """Return the first choice."""
        return question.choices[0]


@dataclass(frozen=True, slots=True)
class SimulatedQuestions:
    """Asks a robot without a window."""

    robot: Robot
    clock: Any
    recorder: Recorder

    def ask(self, task: Preference) -> Choice:
        """Ask a question."""
        task.record_start(self.recorder)
        return simulated_choice(
            task, lambda: self.robot.answer(task), self.clock, self.recorder, "words"
        )


OWN = TableSchema(
    "trials",
    "Columns of preferences.",
    (
        Column("choice", "text", "The side that was chosen; none without an answer."),
        Column("list", "text", "The person's list of the pack."),
        ROBOT,
    ),
)


def rows(journal: Journal, shown: Any) -> list[Row]:
    """Return a session's rows of ``trials.csv``."""
    return [
        {
            **shared_cells(part, end),
            "choice": end["choice"],
            "rt_s": end["rt_s"],
            "item": end["presentation"],
            "condition": "all",
            "repeat_of": None,
            "counts": True,
        }
        for part, end in main_trials(journal)
    ]


def _robots(pack: Pack, language: str) -> Callable[[str, str, int], Robot]:
    return Robot


STUDY = Study(
    package=__package__,
    sessions={
        "solutions": SessionKind(
            role="participant",
            plan=plan,
            events=lambda: {"trial_start": TrialStart, "trial_end": TrialEnd},
            robots=Robots(
                names=tuple(LEFT_SHARE),
                make=_robots,
                simulated=lambda robot, habits, clock, recorder: SimulatedQuestions(
                    robot, clock, recorder
                ),
                sketch=lambda protocol: pack_in_memory(
                    protocol, protocol_hash(protocol), "solutions", compose(protocol)
                ),
            ),
            orders=lambda protocol: ("as_listed",),
        ),
    },
    tables=StudyTables(
        role="participant",
        trials=trial_table(NAME, OWN, "question"),
        shown=lambda pack: tuple(pack.table(ITEMS)),
        rows=rows,
        of_packs={"items": ShownTable(ITEMS, lambda shown: shown)},
    ),
    outside=("participant", "item", "choice"),
)
