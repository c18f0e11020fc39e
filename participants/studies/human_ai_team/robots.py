"""Response models of people who judge an AI's labels; each knows the pack's key.

A judge sums evidence in log-odds that the label is right. With s = +1 if it is and −1 if it isn't,
a person's own look gives a normal variable of mean s·d′/2 and SD 1, whose log-odds are d′ times it
(equal-variance signal detection). Help is a second look of this kind, with a sensitivity of its
own. The shown confidence p adds logit(p). So the final log-odds are

    leaning + own look + trust in confidence · logit(p) + trust in help · the help's look,

and the answer is yes if they are above 0. Before advice they are only leaning + own look. With
probability 1 − attention a judge doesn't look and answers by the toss of a coin. A judge doesn't
know the meaning of a share of the labels. Its own look is then worth half as much. Nobody who looks
mistakes the images of validation. All values are assumptions, not fitted to anybody.

A judge answers trials in a window, or without one (`SimulatedTeam`).
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

import numpy as np
from scipy.special import expit, logit

from participants.robots.choosing import ExGaussian, Response
from participants.session import NO_CHOICE, RATINGS, Choice, Question, confidence_step
from participants.simulate.presenters import SimulatedChoices
from participants.studies.human_ai_team.trial import NO, YES, Asked, Judgement, PriorQuestion
from participants.study import Robots
from stimuli.errors import UserError
from stimuli.io.canonical import seed_of
from stimuli.io.tables import Row
from stimuli.pack import Pack
from stimuli.studies.human_ai_team.protocol import HelpKind, help_kind
from stimuli.studies.human_ai_team.sketch import sketch
from stimuli.studies.human_ai_team.tables import ITEMS, KEY

HELP_SENSITIVITY: Final[Mapping[HelpKind, float]] = {
    "none": 0.0, "heatmap": 0.4, "examples": 1.0, "text": 0.6,
}  # fmt: skip
"""How well each kind of help tells right labels from wrong ones (d′)."""
UNMISTAKABLE: Final = 12.0
"""d′ of the robot's own look at validation images."""
UNKNOWN_SHARE: Final = 0.5
"""Share of that d′ that remains if the robot doesn't know what the label means."""
CONFIDENCE_LIMITS: Final = (0.01, 0.99)
"""Limits to which a confidence is clipped, since nobody takes 100 % as certain."""
SURE_FROM: Final = (0.6, 0.75, 0.9)
"""Chances of being right from which each step of the rating but the first is chosen."""
LOOK: Final = ExGaussian(1.4, 0.25, 0.6)
"""Time to look, judge and press: an assumption, not measured."""
HELP_TIME: Final = ExGaussian(0.6, 0.1, 0.3)
"""Time to look at help, likewise."""


@dataclass(frozen=True, slots=True)
class Judge:
    """A response model.

    Attributes
    ----------
    knowledge
        Share of labels whose meaning is known, 0…1.
    sensitivity
        d′ of the robot's own look at images that count.
    trust_confidence, trust_help
        Weights of the shown confidence and of the help; 1 takes them at face value.
    attention
        Share of trials in which it looks, 0…1.
    leaning
        Log-odds for yes before anything is seen.
    person_sd
        SD of the leaning between individuals.
    answers
        Whether it answers at all.
    """

    knowledge: float = 0.9
    sensitivity: float = 1.5
    trust_confidence: float = 0.5
    trust_help: float = 0.5
    attention: float = 0.98
    leaning: float = 0.0
    person_sd: float = 0.3
    answers: bool = True

    @property
    def waits(self) -> bool:
        """Whether it waits for help that comes later, or asks for it."""
        return self.trust_help >= 0.5

    def individual(self, rng: np.random.Generator) -> "Judge":
        """Return one individual of the kind."""
        return replace(self, leaning=self.leaning + self.person_sd * float(rng.standard_normal()))


JUDGES: Mapping[str, Judge] = MappingProxyType(
    {
        "careful": Judge(sensitivity=2.0, attention=1.0),
        "overtrusting": Judge(sensitivity=1.0, trust_confidence=1.5, trust_help=1.0, leaning=1.0),
        "undertrusting": Judge(sensitivity=1.0, trust_confidence=0.0, trust_help=0.0, leaning=-1.0),
        "guided_by_help": Judge(sensitivity=0.8, trust_confidence=0.2, trust_help=2.0),
        "careless": Judge(attention=0.0),
        "yes_sayer": Judge(attention=1.0, leaning=1000.0),
        "absent": Judge(answers=False),
    }
)


@dataclass(frozen=True, slots=True)
class JudgeParticipant:
    """One individual of a kind of judge, in front of a pack.

    Attributes
    ----------
    name, judge
        Its kind, and the individual.
    key
        Rows of the pack's key by presentation.
    label_of
        The proposed label of each presentation.
    seed, participant
        Root of its draws: the same trial always gets the same answer.
    odds
        Its log-odds for each trial, by number, since its confidence may be asked afterwards.
    """

    name: str
    judge: Judge
    key: Mapping[str, Row]
    label_of: Mapping[str, str]
    seed: int
    participant: str
    odds: dict[int, float] = field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, name: str, pack: Pack, participant: str, seed: int) -> "JudgeParticipant":
        """Return a robot of that name; UserError if there is none."""
        if name not in JUDGES:
            raise UserError(f"robot {name!r}: unknown; take one of {', '.join(JUDGES)}")
        judge = JUDGES[name].individual(_rng("individual", seed, participant, name))
        key = {str(row["presentation"]): row for row in pack.table(KEY)}
        labels = {str(row["presentation"]): str(row["shown_label"]) for row in pack.table(ITEMS)}
        return cls(name, judge, key, labels, seed, participant)

    def answer(self, task: Asked) -> Response:
        """Return the response to a question about a label or an image."""
        if not self.judge.answers:
            return Response(NO_CHOICE, None)
        rng = _rng("time", self.seed, self.participant, task.presentation, task.stage)
        rt_s = LOOK.draw(rng)
        if isinstance(task, PriorQuestion):
            known = self._knows(self.label_of[task.presentation])
            return _in_time(task, Response(YES if known else NO, rt_s))
        assert isinstance(task, Judgement)
        help_s = self._help_s(task, rt_s)
        seen = bool(task.stimulus.help_files or task.stimulus.help_text)
        if task.later is not None:
            seen = help_s is not None and self.judge.waits
            if help_s is not None and seen:
                rt_s = max(rt_s, help_s) + HELP_TIME.draw(rng)
        odds = self._odds(task, with_help=seen)
        self.odds[task.trial] = odds
        return _in_time(task, Response(YES if odds > 0 else NO, rt_s, help_s))

    def choose(self, question: Question) -> str:
        """Return the answer to a question of the questionnaire, or the confidence in a trial."""
        asked = question.step
        rated = [odds for trial, odds in self.odds.items() if asked == confidence_step(trial)]
        if rated:
            return RATINGS[bisect_right(SURE_FROM, float(expit(np.abs(rated[0]))))]
        rng = _rng("question", self.seed, self.participant, question.step)
        return question.choices[int(rng.integers(len(question.choices)))]

    def _help_s(self, task: Judgement, rt_s: float) -> float | None:
        """Return the time of delayed help; None if it doesn't appear before the answer.

        If it must be asked for, the judge asks after looking.
        """
        if task.later is None:
            return None
        if task.later.after_s is None:
            return rt_s if self.judge.waits else None
        return task.later.after_s if self.judge.waits or task.later.after_s < rt_s else None

    def _knows(self, label: str) -> bool:
        rng = _rng("knows", self.seed, self.participant, label)
        return bool(rng.random() < self.judge.knowledge)

    def _odds(self, task: Judgement, *, with_help: bool) -> float:
        """Return the log-odds that the label is right, as this individual sees them."""
        judge, key = self.judge, self.key[task.presentation]
        looks = _rng("looks", self.seed, self.participant, task.presentation)
        side = 1 if key["ai_correct"] else -1
        own_noise, help_noise = looks.standard_normal(2).tolist()
        attends, coin = looks.random(2).tolist()
        if attends >= judge.attention:
            return coin - 0.5
        d_prime = UNMISTAKABLE if task.phase == "validation" else judge.sensitivity
        if task.phase != "validation" and not self._knows(task.stimulus.shown_label):
            d_prime *= UNKNOWN_SHARE
        odds = judge.leaning + d_prime * (side * d_prime / 2 + own_noise)
        if task.stimulus.confidence_percent is not None:
            confidence = np.clip(task.stimulus.confidence_percent / 100, *CONFIDENCE_LIMITS)
            odds += judge.trust_confidence * float(logit(confidence))
        if with_help:
            helps = HELP_SENSITIVITY[help_kind(task.stimulus.arm)]
            odds += judge.trust_help * helps * (side * helps / 2 + help_noise)
        return odds


def _in_time(task: Asked, response: Response) -> Response:
    """Return a response, or none if the limit passed before it."""
    assert response.rt_s is not None
    if response.rt_s <= task.limit_s:
        return response
    came = response.help_s is not None and response.help_s < task.limit_s
    return Response(NO_CHOICE, None, response.help_s if came else None)


def _rng(*key: str | int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed_of("judge", *key)))


def judges(pack: Pack, language: str) -> Callable[[str, str, int], JudgeParticipant]:
    """Return a function that makes a robot for a pack from its kind, its code and a seed."""
    return lambda name, code, seed: JudgeParticipant.of(name, pack, code, seed)


class SimulatedTeam(SimulatedChoices):
    """A `TeamPresenter` whose participant is a robot."""

    def prior(self, question: PriorQuestion) -> Choice:
        """Answer whether the robot has ever seen such a thing."""
        return self._choice(question, "samples")

    def judgement(self, judgement: Judgement) -> Choice:
        """Answer whether a label is right."""
        return self._choice(judgement, "image")

    def _choice(self, task: Asked, stimulus: str) -> Choice:
        task.record_start(self.recorder, image_sha256="")
        return self.answer(task, stimulus)


SESSION_ROBOTS: Final = Robots(make=judges, simulated=SimulatedTeam, sketch=sketch)
