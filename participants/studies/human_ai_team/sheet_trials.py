"""The trials of a sheet in an arm, part by part, and who qualifies by them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from participants.session import (
    Break,
    Later,
    Page,
    Qualification,
    Question,
    Step,
    trial_step,
)
from participants.studies.human_ai_team.columns import RATINGS
from participants.studies.human_ai_team.shown import Sheet
from participants.studies.human_ai_team.trial import (
    Feedback,
    Judgement,
    PriorQuestion,
    Stage,
    feedback_step,
    own_step,
    prior_step,
    rating_step,
)
from stimuli.studies.human_ai_team.protocol import HUMAN_ALONE, HumanAiTeam, help_kind
from stimuli.studies.human_ai_team.stimulus import TeamStimulus


@dataclass(frozen=True, slots=True)
class SheetTrials:
    """Makes the trials of a sheet in an arm.

    Attributes
    ----------
    protocol, arm, shown
        The rules, the arm, and what the sheet shows in it.
    keys
        Keys (or buttons) by answer.
    """

    protocol: HumanAiTeam
    arm: str
    shown: Sheet
    keys: Mapping[str, str]

    @property
    def speaks_of_ai(self) -> bool:
        """Whether the person is told that the labels are an AI's."""
        return self.arm != HUMAN_ALONE

    @property
    def two_stages(self) -> bool:
        """Whether there is an answer of one's own first; where nothing follows, it is the only."""
        return self.protocol.question.decision == "two_stage" and self.speaks_of_ai

    @property
    def later(self) -> Later | None:
        """When the help comes, where it isn't there from the onset."""
        help_ = self.protocol.help
        if help_.when == "at_once" or help_kind(self.arm) == "none":
            return None
        return Later(key=help_.key) if help_.when == "on_demand" else Later(help_.delay_s)

    def practice(self) -> Iterator[Step]:
        """Yield the trials of practice, each followed by feedback."""
        for number, name in enumerate(self.shown.of("practice"), start=1):
            yield from self._trial(name, number, number)

    def images(self, values: Mapping[str, str]) -> Iterator[Step]:
        """Yield what comes after practice.

        Validation as a block is looked back at before the sheet's own images, mixed at their end.

        Parameters
        ----------
        values
            Of the texts between.
        """
        rules, shown = self.protocol.validation, self.shown
        before, names = len(shown.of("practice")), shown.of("validation", "main")
        numbers = {name: before + place for place, name in enumerate(names, start=1)}
        checks = shown.of("validation")
        look = Qualification(
            "qualification",
            tuple(numbers[name] for name in checks),
            rules.pass_right,
            self._is_right,
        )
        if not checks or rules.placed == "mixed":
            yield Page("before_main", "before_main", values)
            yield from self._block(numbers)
            yield from (look,) if checks else ()
            return
        of_main = {name: numbers[name] for name in shown.of("main")}
        main = (Page("before_more", "before_more", values), *self._block(of_main))
        skips = frozenset(step.step for step in main) if rules.then == "end" else frozenset()
        yield Page("before_main", "before_main", values)
        yield from self._block({name: numbers[name] for name in checks})
        yield replace(look, skips=skips)
        yield from main

    def _block(self, numbers: Mapping[str, int]) -> Iterator[Step]:
        """Yield trials by their presentations and numbers, with breaks."""
        every, practised = self.protocol.session.break_every_trials, len(self.shown.of("practice"))
        total = len(self.shown.phases) - practised
        for place, (name, number) in enumerate(numbers.items(), start=1):
            yield from self._trial(name, number, number - practised)
            if place % every == 0 and place < len(numbers):
                yield Break(f"break-{number:04d}", "break", number - practised, total)

    def _trial(self, name: str, number: int, position: int) -> Iterator[Step]:
        """Yield the parts of a trial: what was known, the judgements, how sure, feedback."""
        question, phase = self.protocol.question, self.shown.phases[name]
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
        stimulus, fixation_s = self.shown.stimuli[name], question.fixation_s
        if self.protocol.prior.asked:
            prior = self.shown.prior[name]
            yield PriorQuestion(
                step=prior_step(number), stimulus=prior, fixation_s=fixation_s, **common
            )
        stage: Stage = "only"
        if self.two_stages:
            bare = without_advice(stimulus)
            yield Judgement(
                step=own_step(number), stimulus=bare, stage="own", fixation_s=fixation_s, **common
            )
            # The image is there already: a fixation between would tear the two answers apart.
            stage, fixation_s = "final", 0.0
        yield Judgement(
            step=trial_step(number),
            stimulus=stimulus,
            stage=stage,
            fixation_s=fixation_s,
            later=self.later,
            **common,
        )
        if question.confidence_steps:
            yield Question(rating_step(number), "confidence", RATINGS)
        if phase == "practice":
            yield Feedback(
                step=feedback_step(number),
                about=number,
                expected=self.shown.right[name],
                feedback_s=question.feedback_s,
                limit_s=question.limit_s,
            )

    def _is_right(self, end: Mapping[str, Any]) -> bool:
        return bool(end["decision"] == self.shown.right[end["presentation"]])


def without_advice(stimulus: TeamStimulus) -> TeamStimulus:
    """Return what is judged before advice: without confidence and help."""
    return replace(stimulus, confidence_percent=None, help_files=(), help_text=None)
