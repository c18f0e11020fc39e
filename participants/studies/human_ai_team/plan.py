"""What a participant goes through, from consent to the end."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from participants.planning import given_place, plan_of, rules_of, sided_keys
from participants.registry import Assignment
from participants.session import (
    NO_CHOICE,
    RENEWED,
    Break,
    Consent,
    Later,
    Page,
    Phase,
    Qualification,
    Question,
    SessionPlan,
    Step,
    comprehension_check,
    trial_step,
)
from participants.studies.human_ai_team.columns import RATINGS
from participants.studies.human_ai_team.shown import Sheet, shown_by
from participants.studies.human_ai_team.trial import (
    ANSWERS,
    NO,
    YES,
    Feedback,
    Judgement,
    PriorQuestion,
    feedback_step,
    own_step,
    prior_step,
    rating_step,
    settled_trials,
)
from participants.texts import written_number
from stimuli.io.canonical import keyed_order
from stimuli.pack import Pack
from stimuli.studies.human_ai_team.protocol import HumanAiTeam

STUDY: Final = "human_ai_team"
HELP_KEYS: Final = {"keyboard": "h", "mouse": "middle"}
"""What asks for help that is shown on demand."""


def plan_session(
    pack: Pack, given: Assignment | None, language: str, participant: str
) -> SessionPlan:
    """Return the plan of a participant's session.

    Consent, instructions of the arm, comprehension check, practice with feedback, validation,
    the sheet's trials with breaks, questionnaire, debrief, renewed consent.

    Parameters
    ----------
    pack
        A solution pack of the study.
    given
        The participant's sheet (list), arm (order) and the side on which yes lies.
    language
        Of the texts and of the labels' words.
    participant
        The participant's code; the order of the images hangs on it.

    Raises
    ------
    UserError
        If the pack is not one of this study, or has no such sheet; if the arm or the language is
        not offered.
    """
    raise NotImplementedError


def orders_of(protocol: HumanAiTeam) -> tuple[str, ...]:
    """Return the arms that a protocol assigns people to."""
    return tuple(protocol.help.arms)


def was_answered(end: Mapping[str, Any]) -> bool:
    """Return whether a trial was answered, by the fields of its ``trial_end``."""
    return bool(end["decision"] != NO_CHOICE)
