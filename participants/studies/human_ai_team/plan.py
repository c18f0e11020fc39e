"""The plan of a participant's session, from consent to the end.

The trials are those of a sheet in an arm, part by part. Some of them decide whether a person
qualifies.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from participants import session
from participants.lists import Assignment
from participants.planning import given_place, plan_about_cases, plan_of, rules_of, sided_keys
from participants.session.feedback import Feedback, feedback_step
from participants.studies.human_ai_team.shown import ArmTexts, Sheet, shown_by, texts_of
from participants.studies.human_ai_team.trial import (
    ANSWERS,
    NO,
    SETTLES,
    YES,
    Judgement,
    PriorQuestion,
    Stage,
)
from participants.study import SIDES
from participants.texts import written_number
from stimuli.io.canonical import seed_of
from stimuli.pack import Pack
from stimuli.studies.human_ai_team.protocol import HUMAN_ALONE, HumanAiTeam, help_kind
from stimuli.studies.human_ai_team.stimulus import TeamStimulus


@dataclass(frozen=True, slots=True)
class SheetTrials:
    """Makes the trials for a sheet in an arm.

    Attributes
    ----------
    protocol, arm, content
        The rules, the arm, and what the sheet shows in it.
    keys
        Keys (or buttons) by answer.
    """

    protocol: HumanAiTeam
    arm: str
    content: Sheet
    keys: Mapping[str, str]

    @property
    def speaks_of_ai(self) -> bool:
        """Whether the person is told that the labels are an AI's."""
        return self.arm != HUMAN_ALONE

    @property
    def two_stages(self) -> bool:
        """Whether the person first answers without advice and help."""
        return self.protocol.question.decision == "two_stage" and self.speaks_of_ai

    @property
    def later(self) -> session.Later | None:
        """When the help appears, if it isn't there from the onset."""
        help_ = self.protocol.help
        if help_.when == "at_once" or help_kind(self.arm) == "none":
            return None
        return (
            session.Later(key=help_.key)
            if help_.when == "on_demand"
            else session.Later(help_.delay_s)
        )

    def practice(self) -> Iterator[session.Step]:
        """Yield the trials of practice, each followed by feedback."""
        for number, name in enumerate(self.content.of("practice"), start=1):
            yield from self._trial(name, number, number)

    def images(self, values: Mapping[str, str]) -> Iterator[session.Step]:
        """Yield the steps after practice.

        Validation in a block is checked before the sheet's images; mixed validation at their end.

        Parameters
        ----------
        values
            Of the texts between.
        """
        rules, content = self.protocol.validation, self.content
        before, names = len(content.of("practice")), content.of("validation", "main")
        numbers = {name: before + place for place, name in enumerate(names, start=1)}
        checks = content.of("validation")
        look = session.Qualification(
            "qualification",
            tuple(numbers[name] for name in checks),
            rules.pass_right,
            self._is_right,
        )
        if not checks or rules.placed == "mixed":
            yield session.Page("before_main", "before_main", values)
            yield from self._block(numbers)
            yield from (look,) if checks else ()
            return
        of_main = {name: numbers[name] for name in content.of("main")}
        main = (session.Page("before_more", "before_more", values), *self._block(of_main))
        skips = frozenset(step.step for step in main) if rules.then == "end" else frozenset()
        yield session.Page("before_main", "before_main", values)
        yield from self._block({name: numbers[name] for name in checks})
        yield replace(look, skips=skips)
        yield from main

    def _block(self, numbers: Mapping[str, int]) -> Iterator[session.Step]:
        """Yield trials by their presentations and numbers, with breaks."""
        every, practised = (
            self.protocol.session.break_every_trials,
            len(self.content.of("practice")),
        )
        total = len(self.content.phases) - practised
        for place, (name, number) in enumerate(numbers.items(), start=1):
            yield from self._trial(name, number, number - practised)
            if place % every == 0 and place < len(numbers):
                yield session.Break(f"break-{number:04d}", "break", number - practised, total)

    def _trial(self, name: str, number: int, position: int) -> Iterator[session.Step]:
        """Yield the parts of a trial: prior question, judgements, confidence rating, feedback."""
        question, phase = self.protocol.question, self.content.phases[name]
        common: dict[str, Any] = {
            "trial": number,
            "phase": phase,
            "position": position,
            "presentation": name,
            "options": {key: answer for answer, key in self.keys.items()},
            "device": self.protocol.session.device,
            "limit_s": question.limit_s,
            "annotated": phase == "practice",
        }
        stimulus, fixation_s = self.content.stimuli[name], question.fixation_s
        if self.protocol.prior.asked:
            prior = self.content.prior[name]
            yield PriorQuestion(
                step=session.part_step("prior", number),
                stimulus=prior,
                fixation_s=fixation_s,
                **common,
            )
        stage: Stage = "only"
        if self.two_stages:
            bare = without_advice(stimulus)
            yield Judgement(
                step=session.part_step("own", number),
                stimulus=bare,
                stage="own",
                fixation_s=fixation_s,
                **common,
            )
            # The image is already there; a fixation would separate the two answers.
            stage, fixation_s = "final", 0.0
        yield Judgement(
            step=session.trial_step(number),
            stimulus=stimulus,
            stage=stage,
            fixation_s=fixation_s,
            later=self.later,
            **common,
        )
        if question.confidence_steps:
            yield session.confidence_question(number)
        if phase == "practice":
            yield Feedback(
                step=feedback_step(number),
                about=number,
                expected=self.content.right[name],
                feedback_s=question.feedback_s,
                limit_s=question.limit_s,
            )

    def _is_right(self, end: Mapping[str, Any]) -> bool:
        return bool(end["decision"] == self.content.right[end["presentation"]])


def without_advice(stimulus: TeamStimulus) -> TeamStimulus:
    """Return the stimulus before advice, without confidence and help."""
    return replace(stimulus, confidence_percent=None, help_files=(), help_text=None)


STUDY: Final = "human_ai_team"
CHECKS: Final = (
    ("check_fits", ANSWERS, YES),
    ("check_other", ANSWERS, NO),
    ("check_sure", ANSWERS, YES),
)
OF_AI: Final = "check_sure"
"""The question of the check that speaks of an AI."""
OF_ATTACKS: Final = "noticed_altered"
"""The question that is omitted if texts are judged."""
QUESTIONS: Final = (
    ("relied_on", ("image", "confidence", "help", "both", "guess", "other")),
    ("noticed_altered", ("yes", "no", "unsure")),
    ("knows_ai", ("none", "heard", "basics", "works_with_it", "skip")),
)


def plan_session(
    pack: Pack, assignment: Assignment | None, language: str, participant: str
) -> session.SessionPlan:
    """Return the plan of a participant's session.

    Consent, instructions of the arm, comprehension check, practice with feedback, validation,
    the sheet's trials with breaks, questionnaire, debrief, renewed consent.

    Parameters
    ----------
    pack
        A solution pack of the study.
    assignment
        The participant's sheet (list), arm (order) and the side on which yes lies.
    language
        Of the texts and of the labels' words.
    participant
        The participant's code; determines the side of yes if none was given.

    Raises
    ------
    UserError
        If the pack is not one of this study, or has no such sheet; if the arm or the language is
        not offered.
    """
    protocol: HumanAiTeam = rules_of(pack, STUDY, "solutions", "a participant's", language)
    place = given_place(assignment, protocol.help.arms)
    side = place.accept_side or SIDES[seed_of("yes side", pack.pack_id, participant) % 2]
    keys = sided_keys(protocol.session, ANSWERS, side)
    content = shown_by(pack, place.list, place.order, language)
    texts = texts_of(pack, place.order)
    sheet = SheetTrials(protocol, place.order, content, keys)
    plan = plan_of(
        pack,
        place,
        language,
        _steps(sheet, language, texts),
        device=protocol.session.device,
        keys=keys,
        settled=partial(session.settled_parts, SETTLES),
        answered=session.was_answered,
        wait_after=protocol.session.wait_after_unanswered,
    )
    return plan_about_cases(plan, protocol.cases)


def _steps(sheet: SheetTrials, language: str, texts: ArmTexts) -> Iterator[session.Step]:
    """Yield all steps."""
    values = _values(sheet, language)
    yield from _opening(sheet, values, texts)
    if sheet.content.of("practice"):
        yield session.Page("practice", "practice", values)
        yield from sheet.practice()
    yield from sheet.images(values)
    yield session.Page("before_questions", "before_questions")
    yield from _questions(sheet)
    yield from _closing(sheet, texts)


def _opening(
    sheet: SheetTrials, values: Mapping[str, str], texts: ArmTexts
) -> Iterator[session.Step]:
    """Yield what comes before practice."""
    rules = sheet.protocol
    yield session.Consent("consent", {"minutes": f"{rules.expected_minutes:.0f}"})
    instructions = "instructions" if sheet.speaks_of_ai else "instructions_alone"
    yield session.Page("instructions", instructions, values)
    if rules.prior.asked:
        yield session.Page("prior", "prior", values)
    if help_kind(sheet.arm) != "none":
        yield session.Page("help", texts.help, values)
    if sheet.later is not None:
        yield session.Page("help_later", f"help_{rules.help.when}", values)
    if sheet.two_stages:
        yield session.Page("two_stage", "two_stage", values)
    if rules.question.confidence_steps:
        yield session.Page("rating", "rating", values)
    asked = [check for check in CHECKS if sheet.speaks_of_ai or check[0] != OF_AI]
    attempts = rules.session.comprehension_attempts
    yield session.comprehension_check(asked, attempts, "instructions_again")


def _questions(sheet: SheetTrials) -> Iterator[session.Question]:
    """Yield the questions at the end, only about things that the arm shows."""
    helped = help_kind(sheet.arm) != "none"
    missing = {
        "confidence": not sheet.speaks_of_ai,
        "help": not helped,
        "both": not helped,
    }
    for name, choices in QUESTIONS:
        if name != OF_ATTACKS or sheet.protocol.cases == "images":
            asked = tuple(choice for choice in choices if not missing.get(choice))
            yield session.Question(name, name, asked)


def _closing(sheet: SheetTrials, texts: ArmTexts) -> Iterator[session.Step]:
    """Yield the debrief and what follows it."""
    yield session.Page("debrief", "debrief")
    yield session.Page("debrief_help", texts.debrief)
    if sheet.protocol.bins.adversarial_per_level:
        yield session.Page("debrief_altered", "debrief_altered")
    if sheet.content.of("validation"):
        swapped = {"swapped": str(texts.swapped)} if texts.swapped else {}
        yield session.Page("debrief_checks", texts.debrief_checks, swapped)
    yield session.Consent(session.RENEWED, renewed=True)
    yield session.Page("end", "end")


def _values(sheet: SheetTrials, language: str) -> dict[str, str]:
    """Return the values of texts."""
    help_ = sheet.protocol.help
    return {
        **{f"{answer}_key": key for answer, key in sheet.keys.items()},
        "help_key": help_.key,
        "delay_seconds": written_number(help_.delay_s, language),
        "examples": str(help_.neighbours),
    }
