"""Robots that predict a model, by what they know, read and remember.

Three follow a strategy that needs no explanation: `true_label` says what is right (it opens the
pack's key), `same_as_before` what the model said of the original, `majority` always the same
class. By the balance of the items each is right in half of a test.

`practice` learns from the examples: of each word or value, how often the model said which class
beside it (naive Bayes). The second time it answers with less noise. `reader` does the same and
reads explanations: it remembers the weights of words and values, and of a changed version it asks
whether the change touches what counts. With the chance 1 − attention a robot answers by the toss
of a coin. All values are assumptions, fitted to nobody.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import log
from statistics import mean
from types import MappingProxyType
from typing import Final

import numpy as np

from participants.robots.choosing import Response
from participants.robots.times import ExGaussian
from participants.session import NO_CHOICE, Question
from participants.studies.simulatability.asked import right_answers
from participants.studies.simulatability.columns import RATINGS
from participants.studies.simulatability.robots.reading import Feature, Reading, features_of, read
from participants.studies.simulatability.trial import (
    RATING_STEPS,
    Learn,
    Predict,
    Rate,
    confidence_step,
)
from stimuli.errors import UserError
from stimuli.io.canonical import seed_of
from stimuli.io.tables import Row
from stimuli.pack import Pack
from stimuli.studies.simulatability.inputs import TableInput, TextInput, edited
from stimuli.studies.simulatability.stimulus import CaseStimulus
from stimuli.studies.simulatability.tables import KEY

LOOK: Final = ExGaussian(6.0, 1.5, 3.0)
"""Time to read an example, in seconds: no measured one, an assumption."""
RATE: Final = ExGaussian(7.0, 1.5, 3.0)
"""Time to read an explanation and to rate it, likewise."""
PREDICT: Final = ExGaussian(4.0, 1.0, 2.5)
"""Time to predict, likewise."""
SURE_FROM: Final = (0.3, 0.8, 1.6)
"""Evidence from which each step of the confidence rating but the first is chosen."""
OF_OUTPUT: Final = 1.0
"""How much the output on the original speaks for the same output on its changed version."""
BROKEN_RULE: Final = -0.5
"""The same where a rule's condition is broken: the rule says nothing then, yet doubt is due."""
MIDDLE: Final = 4
"""The rating of a robot that doesn't read explanations."""

UNSEEN: int = 1
"""Added to each class's count of a feature, so that one example doesn't decide all."""


@dataclass(frozen=True, slots=True)
class Memory:
    """Examples of one domain.

    Attributes
    ----------
    outputs
        Examples by presentation: features, and the output's sign (1: the positive class).
    weights
        Weights of features as explanations gave them.
    """

    outputs: dict[str, tuple[frozenset[Feature], int]] = field(default_factory=dict)
    weights: dict[Feature, list[float]] = field(default_factory=lambda: defaultdict(list))

    def keep(self, name: str, given: TextInput | TableInput, sign: int) -> None:
        """Remember an example's output."""
        self.outputs[name] = frozenset(features_of(given)), sign

    def keep_reading(self, given: TextInput | TableInput, reading: Reading) -> None:
        """Remember what an explanation said."""
        features = features_of(given)
        for place, weight in reading.weights.items():
            self.weights[features[place]].append(weight)
        for (place, value), weight in reading.new.items():
            self.weights[features[place][0], value.lower()].append(weight)

    def by_examples(self, feature: Feature) -> float:
        """Return how much a feature speaks for the positive class by the examples' outputs.

        The log of the ratio of both classes' counts, as in naive Bayes with add-one smoothing.
        """
        signs = [sign for features, sign in self.outputs.values() if feature in features]
        positive = signs.count(1)
        return log((positive + UNSEEN) / (len(signs) - positive + UNSEEN))

    def by_explanations(self, feature: Feature) -> float:
        """Return how much a feature speaks for the positive class by explanations; 0: unknown."""
        weights = self.weights.get(feature)
        return mean(weights) if weights else 0.0


@dataclass(frozen=True, slots=True)
class Rating:
    """A rating, 1…7, and its time since the onset."""

    rating: int
    rt_s: float


@dataclass(frozen=True, slots=True)
class Mind:
    """How a kind of robot predicts.

    Attributes
    ----------
    strategy
        ``weigh`` weighs evidence; the others need none.
    reads
        Whether it reads explanations.
    noise_sd, practised
        SD of the noise added to the evidence, and the share of it that is left the second time.
    attention
        Share of predictions to which it attends, 0…1.
    answers
        Whether it predicts at all.
    """

    strategy: str = "weigh"
    reads: bool = False
    noise_sd: float = 0.8
    practised: float = 0.8
    attention: float = 0.98
    answers: bool = True


MINDS: Mapping[str, Mind] = MappingProxyType(
    {
        "reader": Mind(reads=True),
        "practice": Mind(),
        "true_label": Mind("true_label", attention=1.0),
        "same_as_before": Mind("same_as_before", attention=1.0),
        "majority": Mind("majority", attention=1.0),
        "careless": Mind(attention=0.0),
        "absent": Mind(answers=False),
    }
)


@dataclass(frozen=True, slots=True)
class Predictor:
    """One individual of a kind of robot, in front of a pack.

    Attributes
    ----------
    name, mind
        Its kind, and how it predicts.
    key
        Rows of the pack's key by presentation; only `true_label` looks into it.
    seed, participant
        Root of its draws.
    memories
        What it remembers, by domain. A robot that is started again remembers no example.
    evidence
        What it found for each prediction, by its number: how sure it was may be asked.
    """

    name: str
    mind: Mind
    key: Mapping[str, Row]
    seed: int
    participant: str
    memories: dict[str, Memory] = field(default_factory=dict, compare=False)
    evidence: dict[int, float] = field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, name: str, pack: Pack, participant: str, seed: int) -> "Predictor":
        """Return a robot of that name; UserError if there is none."""
        if name not in MINDS:
            raise UserError(f"robot {name!r}: unknown; use one of {', '.join(MINDS)}")
        key = {str(row["presentation"]): row for row in pack.table(KEY)}
        return cls(name, MINDS[name], key, seed, participant)

    def look(self, task: Learn) -> float:
        """Look at an example, remember it, and return how long that took, in seconds."""
        self._remember(task.presentation, task.stimulus)
        look_s = LOOK.draw(self._rng("look", task.presentation, task.section))
        return look_s if task.limit_s is None else min(look_s, task.limit_s)

    def rate(self, task: Rate) -> Rating:
        """Read an explanation, remember it, and return its rating.

        A reader rates by how many of the words that count speak for the output.
        """
        if task.ends:
            self._remember(task.presentation, task.stimulus)
        rng = self._rng("rate", task.presentation, task.section)
        rt_s = RATE.draw(rng)
        if not self.mind.answers or not self.mind.reads:
            return Rating(MIDDLE, rt_s)
        sign = _sign(task.stimulus)
        weights = self._reading(task.stimulus).weights.values()
        clear = sum(sign * weight for weight in weights) / max(1.0, sum(map(abs, weights)))
        rated = round(MIDDLE + 2 * clear + rng.normal(0, 1))
        return Rating(int(np.clip(rated, 1, RATING_STEPS)), rt_s)

    def answer(self, task: Predict) -> Response:
        """Return the prediction of a trial."""
        if not self.mind.answers:
            return Response(NO_CHOICE, None)
        # The evidence's noise doesn't depend on the phase: twice the same, more or less of it.
        noise, coin, attends = self._draws(task)
        rt_s = PREDICT.draw(self._rng("predict", task.presentation, task.section))
        odds = self._odds(task, noise) if attends < self.mind.attention else coin
        self.evidence[task.trial] = odds
        (negative, _), (positive, _) = task.stimulus.classes
        decision = positive if odds > 0 else negative
        return Response(decision, rt_s) if rt_s <= task.limit_s else Response(NO_CHOICE, None)

    def choose(self, question: Question) -> str:
        """Return the choice of a question: the right one where there is one and it attends."""
        sure = [o for trial, o in self.evidence.items() if question.step == confidence_step(trial)]
        if sure:
            return RATINGS[int(np.searchsorted(SURE_FROM, abs(sure[0]), side="right"))]
        right = right_answers().get(question.question)
        attends = self.mind.attention > 0 or question.question == "course"
        if right is not None and attends:
            return right
        rng = self._rng("question", question.step)
        return question.choices[int(rng.integers(len(question.choices)))]

    def _draws(self, task: Predict) -> tuple[float, float, float]:
        """Return the noise of an item, and a coin and a share for each of its predictions."""
        noise = float(self._rng("noise", task.presentation).standard_normal())
        coin, attends = self._rng("coin", task.presentation, task.section).random(2).tolist()
        return noise, coin - 0.5, attends

    def _odds(self, task: Predict, noise: float) -> float:
        """Return what speaks for the positive class."""
        shown = task.stimulus
        match self.mind.strategy:
            case "true_label":
                return 1.0 if self.key[task.presentation]["true_label"] == _positive(shown) else -1
            case "same_as_before":
                return float(_sign(shown))
            case "majority":
                return 1.0
        again = task.section.endswith("_post")
        sd = self.mind.noise_sd * (self.mind.practised if again else 1.0)
        return self._weighed(shown) + sd * noise

    def _weighed(self, shown: CaseStimulus) -> float:
        """Return the evidence from examples and explanations."""
        memory = self._memory(shown.domain)
        if shown.edits is None:
            return sum(self._known(memory, feature) for feature in features_of(shown.original))
        sign, reading = _sign(shown), self._reading(shown)
        if reading.needed:
            broken = any(edit.place in reading.needed for edit in shown.edits)
            return sign * (BROKEN_RULE if broken else OF_OUTPUT)
        before, after = (
            features_of(shown.original),
            features_of(edited(shown.original, shown.edits)),
        )
        support = sign * OF_OUTPUT
        for edit in shown.edits:
            old = reading.weights.get(edit.place, self._known(memory, before[edit.place]))
            known = reading.new.get((edit.place, edit.new))
            support += (self._known(memory, after[edit.place]) if known is None else known) - old
        return support

    def _known(self, memory: Memory, feature: tuple[str, str]) -> float:
        said = memory.by_explanations(feature) if self.mind.reads else 0.0
        return said or memory.by_examples(feature) / 2

    def _reading(self, shown: CaseStimulus) -> Reading:
        """Return what the explanation says; nothing if the robot doesn't read it."""
        if shown.explanation is None or not self.mind.reads:
            return Reading()
        return read(shown.explanation, _sign(shown), _positive(shown))

    def _remember(self, name: str, shown: CaseStimulus) -> None:
        memory = self._memory(shown.domain)
        memory.keep(name, shown.original, _sign(shown))
        memory.keep_reading(shown.original, self._reading(shown))

    def _memory(self, domain: str) -> Memory:
        return self.memories.setdefault(domain, Memory())

    def _rng(self, *key: str) -> np.random.Generator:
        seed = seed_of("predictor", self.seed, self.participant, self.name, *key)
        return np.random.Generator(np.random.PCG64(seed))


def predictors(pack: Pack, language: str) -> Callable[[str, str, int], Predictor]:
    """Return what makes a robot in front of a pack from its kind, its code and a seed."""
    return lambda name, code, seed: Predictor.of(name, pack, code, seed)


def _positive(shown: CaseStimulus) -> str:
    return shown.classes[1][0]


def _sign(shown: CaseStimulus) -> int:
    """Return 1 where the model's output on the original is the positive class, else −1.

    Where it isn't shown it is 1: who repeats what was said before has nothing to repeat.
    """
    return 1 if shown.output in (None, _positive(shown)) else -1
