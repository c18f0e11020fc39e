"""accept_reject's table of trials: its fields, and what its packs say."""

from typing import Final, cast

from participants.dataset import fields
from participants.dataset.study_tables import ArmsTable, StudyTables
from participants.studies.accept_reject.events import TrialEnd
from participants.studies.accept_reject.expert_sessions import write_expert_tables
from participants.studies.accept_reject.plan import SOURCE_OF
from stimuli.io.tables import levels
from stimuli.pack import Pack
from stimuli.studies.accept_reject.assessment import LeadRules
from stimuli.studies.accept_reject.origins import arm_rows
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject.tables import ARMS, ITEM_TABLE, ITEMS, KEY, LABELLED, METRICS


def solutions_of(pack: Pack) -> fields.ShownPack:
    """Return a pack's data on its presentations."""
    protocol = pack.protocol
    rules = cast(LeadRules, protocol).trial
    on_all = {"cutoff_mode": rules.cutoff_mode, "cutoff_s": rules.cutoff_s}
    schema = ITEMS if isinstance(protocol, AcceptReject) else LABELLED
    no_plate = {"axis": None, "rung": None}
    return fields.ShownPack(
        {
            name: on_all | no_plate | row
            for name, row in fields.presentations_in(pack, schema, KEY).items()
        },
        {
            "items": pack.table(ITEM_TABLE),
            "arms": arm_rows(pack),
            "metrics": pack.table_if_any(METRICS),
        },
    )


@fields.derived(
    levels=levels(
        internal="late acceptances count as rejections, no clock is shown",
        visible="the plate leaves at the cutoff",
    )
)
def cutoff_mode(trial: fields.EndedTrial) -> str:
    """How the cutoff works."""
    return trial.item["cutoff_mode"]


@fields.derived()
def cutoff_s(trial: fields.EndedTrial) -> float:
    """The primary decision time."""
    return trial.item["cutoff_s"]


@fields.derived(levels=levels("person", "machine", "cannot_say"))
def guessed_source(trial: fields.EndedTrial) -> str | None:
    """The lead's guess at the end who gave this solution; empty if not asked."""
    return trial.taken.answers.get(f"{SOURCE_OF[0]}-{trial.end['presentation']}")


TRIAL: Final = fields.trial_fields(
    *fields.ended(TrialEnd, "run"),
    *fields.of_session(
        "order",
        description="Which run came first.",
        levels=levels(
            "without_first",
            "with_first",
            sham="both runs were without explanations",
            one_run="the session has one run, without explanations",
        ),
    ),
    *fields.ended(TrialEnd, "presentation"),
    *fields.in_pack(KEY, "solver", "solver_id", "method", "explained"),
    *fields.in_pack(ITEM_TABLE, "rung", "axis", "true_label"),
    *fields.in_pack(
        ITEMS, "shown_label", description="The solution's digit or label, or no_solution."
    ),
    *fields.in_pack(KEY, "control_kind"),
    *fields.ended(
        TrialEnd,
        "decision",
        levels=levels("accept", "reject", none="no answer within the long limit"),
    ),
    cutoff_mode,
    cutoff_s,
    *fields.ended(TrialEnd, "rt_corrected_s", "in_time", "accepted"),
    *fields.LIST,
    *fields.ended(TrialEnd, "position"),
    fields.robot,
    guessed_source,
    *fields.answer_fields(
        {
            "relied_on": "What the lead's decisions were mostly based on.",
            "noticed_kinds": "Whether the lead noticed different kinds of solutions.",
            "source_guess": "Who gave the solutions.",
            "source_which": "Which solutions a machine gave, if not all or none.",
        }
    ),
    *fields.in_pack(KEY, "solver_origin"),
    condition=lambda trial: "with" if trial.item["explained"] else "without",
    counts=lambda trial: trial.end["trial"] in trial.taken.counting,
)

TABLES: Final = StudyTables(
    study="accept_reject",
    role="lead",
    read_pack=solutions_of,
    trial=TRIAL,
    of_packs={"items": ITEM_TABLE, "arms": ARMS, "metrics": METRICS},
    arms=ArmsTable("arms", ("solver", "method"), "solver_origin"),
    also=write_expert_tables,
)
