"""What a participant goes through, from consent to the end."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from participants.about_cases import plan_about_cases
from participants.planning import given_place, plan_of, rules_of, sided_keys
from participants.registry import Assignment
from participants.session import (
    NO_CHOICE,
    RENEWED,
    Consent,
    Page,
    Question,
    SessionPlan,
    Step,
    comprehension_check,
)
from participants.studies.human_ai_team.arms import ArmTexts, texts_of
from participants.studies.human_ai_team.sheet_trials import SheetTrials
from participants.studies.human_ai_team.shown import shown_by
from participants.studies.human_ai_team.trial import (
    ANSWERS,
    NO,
    YES,
    settled_trials,
)
from participants.study import SIDES
from participants.texts import written_number
from stimuli.io.canonical import seed_of
from stimuli.pack import Pack
from stimuli.studies.human_ai_team.protocol import (
    HumanAiTeam,
    help_kind,
)

STUDY: Final = "human_ai_team"
CHECKS: Final = (
    ("check_fits", ANSWERS, YES),
    ("check_other", ANSWERS, NO),
    ("check_sure", ANSWERS, YES),
)
OF_AI: Final = "check_sure"
"""The question of the check that speaks of an AI."""
OF_ATTACKS: Final = "noticed_altered"
"""The question that asks nothing where texts are judged."""
QUESTIONS: Final = (
    ("relied_on", ("image", "confidence", "help", "both", "guess", "other")),
    ("noticed_altered", ("yes", "no", "unsure")),
    ("knows_ai", ("none", "heard", "basics", "works_with_it", "skip")),
)


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
        The participant's code; decides on the side of yes where none was given.

    Raises
    ------
    UserError
        If the pack is not one of this study, or has no such sheet; if the arm or the language is
        not offered.
    """
    protocol: HumanAiTeam = rules_of(pack, STUDY, "solutions", "a participant's", language)
    place = given_place(given, protocol.help.arms)
    side = place.accept_side or SIDES[seed_of("yes side", pack.pack_id, participant) % 2]
    keys = sided_keys(protocol.session, ANSWERS, side)
    shown = shown_by(pack, place.list, place.order, language)
    texts = texts_of(pack, place.order)
    sheet = SheetTrials(protocol, place.order, shown, keys)
    plan = plan_of(
        pack,
        place,
        language,
        _steps(sheet, language, texts),
        device=protocol.session.device,
        keys=keys,
        settled=settled_trials,
        answered=was_answered,
        wait_after=protocol.session.wait_after_unanswered,
    )
    return plan_about_cases(plan, protocol.cases)


def was_answered(end: Mapping[str, Any]) -> bool:
    """Return whether a trial was answered, by the fields of its ``trial_end``."""
    return bool(end["decision"] != NO_CHOICE)


def _steps(sheet: SheetTrials, language: str, texts: ArmTexts) -> Iterator[Step]:
    """Yield all steps."""
    values = _values(sheet, language)
    yield from _opening(sheet, values, texts)
    if sheet.shown.of("practice"):
        yield Page("practice", "practice", values)
        yield from sheet.practice()
    yield from sheet.images(values)
    yield Page("before_questions", "before_questions")
    yield from _questions(sheet)
    yield from _closing(sheet, texts)


def _opening(sheet: SheetTrials, values: Mapping[str, str], texts: ArmTexts) -> Iterator[Step]:
    """Yield what comes before practice."""
    rules = sheet.protocol
    yield Consent("consent", {"minutes": f"{rules.expected_minutes:.0f}"})
    told = "instructions" if sheet.speaks_of_ai else "instructions_alone"
    yield Page("instructions", told, values)
    if rules.prior.asked:
        yield Page("prior", "prior", values)
    if help_kind(sheet.arm) != "none":
        yield Page("help", texts.help, values)
    if sheet.later is not None:
        yield Page("help_later", f"help_{rules.help.when}", values)
    if sheet.two_stages:
        yield Page("two_stage", "two_stage", values)
    if rules.question.confidence_steps:
        yield Page("rating", "rating", values)
    asked = [one for one in CHECKS if sheet.speaks_of_ai or one[0] != OF_AI]
    attempts = rules.session.comprehension_attempts
    yield comprehension_check(asked, attempts, "instructions_again")


def _questions(sheet: SheetTrials) -> Iterator[Question]:
    """Yield the questions at the end; what an arm doesn't show isn't asked about."""
    helped = help_kind(sheet.arm) != "none"
    missing = {
        "confidence": not sheet.speaks_of_ai,
        "help": not helped,
        "both": not helped,
    }
    for name, choices in QUESTIONS:
        if name != OF_ATTACKS or sheet.protocol.cases == "images":
            asked = tuple(choice for choice in choices if not missing.get(choice))
            yield Question(name, name, asked)


def _closing(sheet: SheetTrials, texts: ArmTexts) -> Iterator[Step]:
    """Yield the debrief and what follows it."""
    yield Page("debrief", "debrief")
    yield Page("debrief_help", texts.debrief)
    if sheet.protocol.bins.adversarial_per_level:
        yield Page("debrief_altered", "debrief_altered")
    if sheet.shown.of("validation"):
        swapped = {"swapped": str(texts.swapped)} if texts.swapped else {}
        yield Page("debrief_checks", texts.debrief_checks, swapped)
    yield Consent(RENEWED, renewed=True)
    yield Page("end", "end")


def _values(sheet: SheetTrials, language: str) -> dict[str, str]:
    """Return the values of texts."""
    help_ = sheet.protocol.help
    return {
        **{f"{answer}_key": key for answer, key in sheet.keys.items()},
        "help_key": help_.key,
        "delay_seconds": written_number(help_.delay_s, language),
        "examples": str(help_.neighbours),
    }
