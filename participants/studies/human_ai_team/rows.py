"""human_ai_team's tables of trials and people: their fields, and what its packs say."""

from collections.abc import Mapping
from typing import Final

from participants.dataset import fields
from participants.dataset.study_tables import ArmsTable, StudyTables
from participants.session import NO_CHOICE
from participants.studies.human_ai_team.events import TrialEnd
from participants.studies.human_ai_team.trial import NO, YES
from stimuli.io.tables import levels
from stimuli.pack import Pack
from stimuli.studies.human_ai_team import tables
from stimuli.studies.human_ai_team.protocol import HUMAN_ALONE

YES_NO: Final = levels("yes", "no", none="no answer within the time limit")
COUNTED: Final = ("validation", "main")
"""Phases whose trials have rows."""
BESIDE: Final = (tables.ARMS, tables.ARM_COUNTS, tables.METRICS, tables.AVAILABLE, tables.AI)
"""Tables of packs that lie beside the trials."""


def shown_in(pack: Pack) -> fields.ShownPack:
    """Return a pack's data on its presentations and on the AI alone."""
    presented = fields.presentations_in(pack, tables.ITEMS, tables.KEY)
    return fields.ShownPack(presented, {table.name: pack.table(table) for table in BESIDE})


@fields.derived()
def sheet(row: fields.TakenSession | fields.EndedTrial) -> str:
    """The person's sheet, a list of the pack."""
    return row.header["list"]


@fields.derived()
def method(row: fields.TakenSession | fields.EndedTrial) -> str:
    """The arm: the kind of help."""
    return row.header["order"]


@fields.derived()
def correct(trial: fields.EndedTrial) -> bool | None:
    """Whether the decision was right; empty without one."""
    right = YES if trial.item["ai_correct"] else NO
    return None if trial.end["decision"] == NO_CHOICE else trial.end["decision"] == right


@fields.derived()
def confidence_percent(trial: fields.EndedTrial) -> int | None:
    """The confidence that was shown, in per cent; empty if none was shown."""
    return None if trial.end["arm"] == HUMAN_ALONE else trial.item["confidence_percent"]


@fields.derived()
def pred_label(trial: fields.EndedTrial) -> str:
    """The shown label: the AI's, except where validation swaps labels (key.csv)."""
    return trial.item["shown_label"]


@fields.derived(levels=YES_NO)
def own_decision(trial: fields.EndedTrial) -> str | None:
    """The person's answer before advice and help; empty if there is one stage."""
    return trial.taken.of_trial("own_end", trial.end["trial"]).get("decision")


@fields.derived()
def own_rt_s(trial: fields.EndedTrial) -> float | None:
    """Response time of that answer, from its own onset."""
    return trial.taken.of_trial("own_end", trial.end["trial"]).get("rt_s")


@fields.derived(scale=(1, 4))
def confidence_rating(trial: fields.EndedTrial) -> int | None:
    """The person's confidence in the decision, 1 (a guess) to 4; empty if not asked."""
    return fields.sureness(trial)


@fields.derived(levels=YES_NO)
def prior_knowledge(trial: fields.EndedTrial) -> str | None:
    """Whether the person had seen what the label names before; empty if not asked."""
    return trial.taken.of_trial("prior_end", trial.end["trial"]).get("decision")


@fields.derived()
def qualified(row: fields.TakenSession | fields.EndedTrial) -> bool | None:
    """Whether the person qualified in the validation trials; empty before that was known."""
    return row.taken.qualification.get("qualified")


TRIAL: Final = fields.trial_fields(
    *fields.ended(
        TrialEnd,
        "phase",
        description="What the trial was for.",
        levels={phase: tables.PHASES[phase] for phase in COUNTED},
    ),
    *fields.ended(
        TrialEnd,
        "position",
        description="Number among all images (or texts) after practice, from 1.",
    ),
    *fields.ended(TrialEnd, "presentation"),
    sheet,
    method,
    *fields.in_pack(tables.KEY, "ai_correct"),
    *fields.ended(
        TrialEnd,
        "decision",
        description="The person's final answer: whether the AI's label is right.",
        levels=YES_NO,
    ),
    correct,
    *fields.ended(TrialEnd, "rt_corrected_s"),
    *fields.in_pack(tables.KEY, "level", "adversarial", "confidence"),
    confidence_percent,
    pred_label,
    *fields.in_pack(tables.KEY, "true_label"),
    own_decision,
    own_rt_s,
    confidence_rating,
    prior_knowledge,
    qualified,
    *fields.ended(TrialEnd, "help_shown_s"),
    fields.robot,
)

ANSWERED_AT_THE_END: Final[Mapping[str, str]] = {
    "relied_on": "What answers were mostly based on.",
    "noticed_altered": "Whether the person noticed images that looked altered.",
    "knows_ai": "What the person knows about artificial intelligence.",
}
"""Questions that are asked once, by the column."""


@fields.derived()
def trials(session: fields.TakenSession) -> int:
    """Number of finished main trials."""
    return len(session.ends("main"))


@fields.derived()
def validation(session: fields.TakenSession) -> int:
    """Number of finished validation trials."""
    return len(session.ends("validation"))


@fields.derived()
def validation_right(session: fields.TakenSession) -> int | None:
    """Number of right ones; empty before they were evaluated."""
    return session.qualification.get("right")


@fields.derived()
def validation_needed(session: fields.TakenSession) -> int | None:
    """Number of right ones needed to qualify; empty likewise."""
    return session.qualification.get("needed")


PERSON: Final = (
    *fields.WHOSE_SESSION,
    *fields.of_session("rig", description="The PC and display on which it began."),
    *fields.of_session("pack_id"),
    sheet,
    method,
    *fields.of_session("language"),
    fields.complete,
    trials,
    validation,
    validation_right,
    validation_needed,
    qualified,
    *fields.answer_fields(ANSWERED_AT_THE_END),
    fields.robot,
)

TABLES: Final = StudyTables(
    study="human_ai_team",
    role="participant",
    read_pack=shown_in,
    trial=TRIAL,
    person=PERSON,
    row="or validation trial",
    phases=COUNTED,
    of_packs={table.name: table for table in BESIDE},
    arms=ArmsTable("arms", ("arm",), "help_origin"),
    people_schema="team_people",
)
