"""human_ai_team's tables of trials and people: their fields, and what its packs say."""

from collections.abc import Mapping
from typing import Final

from participants.dataset.fields import (
    WHOSE_SESSION,
    Ended,
    ShownPack,
    Taken,
    answer_fields,
    complete,
    derived,
    ended,
    in_pack,
    of_session,
    presentations_in,
    robot,
    sureness,
    table_of,
    trial_fields,
)
from participants.dataset.study_tables import (
    ArmsTable,
    StudyTables,
    row_makers,
    trial_table,
)
from participants.session import NO_CHOICE
from participants.studies.human_ai_team.events import TrialEnd
from participants.studies.human_ai_team.trial import NO, YES
from stimuli.io.tables import levels
from stimuli.pack import Pack
from stimuli.studies.human_ai_team import tables
from stimuli.studies.human_ai_team.origins import arm_counts
from stimuli.studies.human_ai_team.protocol import HUMAN_ALONE

YES_NO: Final = levels("yes", "no", none="no answer within the time limit")
COUNTED: Final = ("validation", "main")
"""Phases whose trials have rows."""


def shown_in(pack: Pack) -> ShownPack:
    """Return a pack's data on its presentations and on the AI alone."""
    beside = (tables.ARMS, tables.METRICS, tables.AVAILABLE, tables.AI)
    return ShownPack(
        presentations_in(pack, tables.ITEMS, tables.KEY),
        {one.name: pack.table(one) for one in beside} | {"arm_counts": arm_counts(pack)},
    )


@derived()
def sheet(one: Taken | Ended) -> str:
    """The person's sheet, a list of the pack."""
    return one.header["list"]


@derived()
def method(one: Taken | Ended) -> str:
    """The arm: the kind of help."""
    return one.header["order"]


@derived()
def correct(one: Ended) -> bool | None:
    """Whether the decision was right; empty without one."""
    right = YES if one.item["ai_correct"] else NO
    return None if one.end["decision"] == NO_CHOICE else one.end["decision"] == right


@derived()
def confidence_percent(one: Ended) -> int | None:
    """The confidence that was shown, in per cent; empty if none was shown."""
    return None if one.end["arm"] == HUMAN_ALONE else one.item["confidence_percent"]


@derived()
def pred_label(one: Ended) -> str:
    """The shown label: the AI's, except where validation swaps labels (key.csv)."""
    return one.item["shown_label"]


@derived(levels=YES_NO)
def own_decision(one: Ended) -> str | None:
    """The person's answer before advice and help; empty if there is one stage."""
    return one.taken.of_trial("own_end", one.end["trial"]).get("decision")


@derived()
def own_rt_s(one: Ended) -> float | None:
    """Response time of that answer, from its own onset."""
    return one.taken.of_trial("own_end", one.end["trial"]).get("rt_s")


@derived(scale=(1, 4))
def confidence_rating(one: Ended) -> int | None:
    """The person's confidence in the decision, 1 (a guess) to 4; empty if not asked."""
    return sureness(one)


@derived(levels=YES_NO)
def prior_knowledge(one: Ended) -> str | None:
    """Whether the person had seen what the label names before; empty if not asked."""
    return one.taken.of_trial("prior_end", one.end["trial"]).get("decision")


@derived()
def qualified(one: Taken | Ended) -> bool | None:
    """Whether the person qualified in the validation trials; empty before that was known."""
    return one.taken.qualification.get("qualified")


TRIAL: Final = trial_fields(
    *ended(
        TrialEnd,
        "phase",
        description="What the trial was for.",
        levels={phase: tables.PHASES[phase] for phase in COUNTED},
    ),
    *ended(
        TrialEnd,
        "position",
        description="Number among all images (or texts) after practice, from 1.",
    ),
    *ended(TrialEnd, "presentation"),
    sheet,
    method,
    *in_pack(tables.KEY, "ai_correct"),
    *ended(
        TrialEnd,
        "decision",
        description="The person's final answer: whether the AI's label is right.",
        levels=YES_NO,
    ),
    correct,
    *ended(TrialEnd, "rt_corrected_s"),
    *in_pack(tables.KEY, "level", "adversarial", "confidence"),
    confidence_percent,
    pred_label,
    *in_pack(tables.KEY, "true_label"),
    own_decision,
    own_rt_s,
    confidence_rating,
    prior_knowledge,
    qualified,
    *ended(TrialEnd, "help_shown_s"),
    robot,
)

ANSWERED_AT_THE_END: Final[Mapping[str, str]] = {
    "relied_on": "What answers were mostly based on.",
    "noticed_altered": "Whether the person noticed images that looked altered.",
    "knows_ai": "What the person knows about artificial intelligence.",
}
"""Questions that are asked once, by the column."""


@derived()
def trials(one: Taken) -> int:
    """Number of finished main trials."""
    return len(one.ends("main"))


@derived()
def validation(one: Taken) -> int:
    """Number of finished validation trials."""
    return len(one.ends("validation"))


@derived()
def validation_right(one: Taken) -> int | None:
    """Number of right ones; empty before they were evaluated."""
    return one.qualification.get("right")


@derived()
def validation_needed(one: Taken) -> int | None:
    """Number of right ones needed to qualify; empty likewise."""
    return one.qualification.get("needed")


PERSON: Final = (
    *WHOSE_SESSION,
    *of_session("rig", description="The PC and display on which it began."),
    *of_session("pack_id"),
    sheet,
    method,
    *of_session("language"),
    complete,
    trials,
    validation,
    validation_right,
    validation_needed,
    qualified,
    *answer_fields(ANSWERED_AT_THE_END),
    robot,
)

TABLES: Final = StudyTables(
    role="participant",
    trials=trial_table("human_ai_team", TRIAL, "or validation trial"),
    makers=row_makers(shown_in, TRIAL, PERSON, COUNTED),
    of_packs={
        one.name: one
        for one in (
            tables.ARMS,
            tables.ARM_COUNTS,
            tables.METRICS,
            tables.AVAILABLE,
            tables.AI,
        )
    },
    arms=ArmsTable("arms", ("arm",), "help_origin"),
    people=table_of("team_people", "One row for each person's session, finished or not.", PERSON),
)
