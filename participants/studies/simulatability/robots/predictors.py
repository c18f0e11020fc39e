"""Robots that predict a model, by what they know, read and remember; with or without a window.

Three follow a strategy that needs no explanation. `true_label` answers what is right (it opens the
pack's key), `same_as_before` what the model said of the original, and `majority` always the same
class. Because the items are balanced, each is right in half of a test.

`practice` learns from the examples: for each word or value, how often the model said which class
(naive Bayes). The second time it answers with less noise. `reader` does the same and reads
explanations: it remembers the weights of words and values, and for a changed version it asks
whether the change affects what counts. With probability 1 − attention a robot answers by the toss
of a coin. All values are assumptions, not fitted to anybody.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, log
from statistics import mean
from types import MappingProxyType
from typing import Final

import numpy as np

from participants.robots.choosing import ExGaussian, Response
from participants.session import NO_CHOICE, RATINGS, Choice, Presented, Question, confidence_step
from participants.simulate.presenters import REFRESH_HZ, SimulatedChoices
from participants.studies.simulatability.asked import right_answers
from participants.studies.simulatability.trial import (
    RATING_STEPS,
    Learn,
    Look,
    Predict,
    Rate,
    Rated,
    ShownItem,
)
from participants.study import Robots
from stimuli.errors import UserError
from stimuli.io.canonical import seed_of
from stimuli.io.tables import Row
from stimuli.pack import Pack
from stimuli.studies.simulatability import stimulus
from stimuli.studies.simulatability.sketch import sketch
from stimuli.studies.simulatability.stimulus import CaseStimulus, TableInput, TextInput, edited
from stimuli.studies.simulatability.tables import KEY

Feature = tuple[str, str]
"""A part, whatever its place: a column (empty for texts) and a value or word."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a robot reads from an explanation.

    Attributes
    ----------
    weights
        Weights of the input's parts, by place.
    new
        Weights of values that replace a part, by place and value.
    needed
        Places of all parts that a rule needs; empty without a rule.
    """

    weights: Mapping[int, float] = field(default_factory=dict)
    new: Mapping[tuple[int, str], float] = field(default_factory=dict)
    needed: frozenset[int] = frozenset()


def features_of(instance: stimulus.TextInput | stimulus.TableInput) -> tuple[Feature, ...]:
    """Return an input's parts as features, by place."""
    columns = (
        instance.columns
        if isinstance(instance, stimulus.TableInput)
        else ("",) * len(instance.parts)
    )
    return tuple((c, part.lower()) for c, part in zip(columns, instance.parts, strict=True))


def read(explanation: stimulus.AnyExplanation, output: str, name: str, positive: str) -> Reading:
    """Return an explanation's reading for a class.

    Parameters
    ----------
    explanation
        The explanation.
    output
        The output that it explains.
    name
        The class.
    positive
        The class that weights without a class of their own are signed for; of two the positive one.
    """
    match explanation:
        case stimulus.Composite():
            parts = (explanation.lime, explanation.anchor, explanation.boundary)
            parts = (*parts, explanation.prototype)
            every = [read(part, output, name, positive) for part in parts]
            return _together(every)
        case stimulus.Anchor():
            sign = 1 if explanation.outcome == name else -1
            needed = _places(explanation.conditions)
            return Reading(dict.fromkeys(needed, float(sign)), needed=needed)
        case stimulus.Boundary():
            return _read_path(explanation, 1 if explanation.target == name else -1)
        case stimulus.Rationale():
            return Reading(dict.fromkeys(explanation.places, 1.0 if output == name else -1.0))
        case stimulus.Weights():
            signed_for = explanation.target or output
        case _:
            signed_for = positive
    terms = getattr(explanation, "features", None) or getattr(explanation, "terms", ())
    sign = 1 if signed_for == name else -1
    return Reading(_scaled({place: sign * weight for place, weight in _by_place(terms).items()}))


def _places(conditions: Iterable) -> frozenset[int]:
    return frozenset(place for condition in conditions for place in condition.places)


def _by_place(terms: Iterable[stimulus.Weighted]) -> dict[int, float]:
    """Return each place's share of its term's weight, since a term may stand in several places."""
    return {place: term.weight / len(term.places) for term in terms for place in term.places}


def _read_path(path: stimulus.Boundary, target: int) -> Reading:
    """Read a path: replaced parts speak for the output, their replacements for the target.

    Edits between two shown steps share the gain evenly. If margins aren't shown, each step gains 1.
    """
    weights: dict[int, float] = {}
    new: dict[tuple[int, str], float] = {}
    for edit, gain in _gains(path):
        weights[edit.place] = -target * gain
        new[edit.place, edit.new] = target * gain
    return Reading(_scaled(weights), _scaled(new))


def _gains(path: stimulus.Boundary) -> Iterator[tuple[stimulus.Edit, float]]:
    margin, seen = path.margin, frozenset[stimulus.Edit]()
    for step in path.steps:
        fresh = [edit for edit in step.edits if edit not in seen]
        known = margin is not None and step.margin is not None
        gain = abs(step.margin - margin) if known else 1.0
        for edit in fresh:
            yield edit, gain / len(fresh)
        margin, seen = step.margin, seen | set(step.edits)


def _scaled(weights: Mapping) -> dict:
    most = max((abs(weight) for weight in weights.values()), default=0.0)
    return {place: weight / most for place, weight in weights.items()} if most else dict(weights)


def _together(readings: Iterable[Reading]) -> Reading:
    """Return the mean of several readings; a reading without a place isn't counted there."""
    every = list(readings)
    weights = _means(reading.weights for reading in every)
    return Reading(weights, _means(reading.new for reading in every))


def _means(tables: Iterable[Mapping]) -> dict:
    by_place: dict = {}
    for table in tables:
        for place, weight in table.items():
            by_place.setdefault(place, []).append(weight)
    return {place: mean(weights) for place, weights in by_place.items()}


LOOK: Final = ExGaussian(6.0, 1.5, 3.0)
"""Time to read an example, in seconds: an assumption, not measured."""
RATE: Final = ExGaussian(7.0, 1.5, 3.0)
"""Time to read an explanation and to rate it, likewise."""
PREDICT: Final = ExGaussian(4.0, 1.0, 2.5)
"""Time to predict, likewise."""
SURE_FROM: Final = (0.3, 0.8, 1.6)
"""Least evidence for each step of the confidence rating except the first."""
OF_OUTPUT: Final = 1.0
"""Evidence that the output on the original gives for the same output on its changed version."""
BROKEN_RULE: Final = -0.5
"""The same if a rule's condition is broken: the rule then says nothing, but casts doubt."""
MIDDLE: Final = 4
"""The rating of a robot that doesn't read explanations."""

UNSEEN: int = 1
"""Added to each class's count of a feature, so that one example doesn't decide everything."""


@dataclass(frozen=True, slots=True)
class Memory:
    """Examples of one domain.

    Attributes
    ----------
    outputs
        Examples by presentation: features, and the output.
    weights
        Weights of features for a class, as explanations gave them.
    """

    outputs: dict[str, tuple[frozenset[Feature], str | None]] = field(default_factory=dict)
    weights: dict[tuple[str, Feature], list[float]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def keep(self, name: str, instance: TextInput | TableInput, output: str | None) -> None:
        """Remember an example's output."""
        self.outputs[name] = frozenset(features_of(instance)), output

    def keep_reading(self, instance: TextInput | TableInput, reading: Reading, name: str) -> None:
        """Remember the weights that an explanation gave for a class."""
        features = features_of(instance)
        for place, weight in reading.weights.items():
            self.weights[name, features[place]].append(weight)
        for (place, value), weight in reading.new.items():
            self.weights[name, (features[place][0], value.lower())].append(weight)

    def by_examples(self, feature: Feature, name: str) -> float:
        """Return a feature's evidence for a class from the examples' outputs.

        It is the log of the ratio of counts, as in naive Bayes with add-one smoothing.
        """
        outputs = [output for features, output in self.outputs.values() if feature in features]
        of_class = outputs.count(name)
        return log((of_class + UNSEEN) / (len(outputs) - of_class + UNSEEN))

    def by_explanations(self, feature: Feature, name: str) -> float:
        """Return a feature's evidence for a class from explanations; 0 if unknown."""
        weights = self.weights.get((name, feature))
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
        SD of the noise added to the evidence, and the share of it that remains the second time.
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
        Rows of the pack's key by presentation; only the strategy `true_label` reads it.
    seed, participant
        Root of its draws.
    memories
        What it remembers, by domain. A robot that is started again remembers no example.
    evidence
        Its evidence for each prediction, by number, since its confidence may be asked.
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
        output = task.stimulus.output or _last(task.stimulus)
        weights = self._reading(task.stimulus, output).weights.values()
        clear = sum(weights) / max(1.0, sum(map(abs, weights)))
        rated = round(MIDDLE + 2 * clear + rng.normal(0, 1))
        return Rating(int(np.clip(rated, 1, RATING_STEPS)), rt_s)

    def answer(self, task: Predict) -> Response:
        """Return the prediction of a trial."""
        if not self.mind.answers:
            return Response(NO_CHOICE, None)
        # The noise doesn't depend on the phase: the same draw, scaled differently.
        noise, coin, attends = self._draws(task)
        rt_s = PREDICT.draw(self._rng("predict", task.presentation, task.section))
        names = [name for name, _ in task.stimulus.classes]
        if attends >= self.mind.attention:
            odds, decision = coin, names[int((coin + 0.5) * len(names))]
        elif len(names) == 2:
            odds = self._odds(task, noise, names[1])
            decision = names[odds > 0]
        else:
            odds, decision = self._strongest(task, names)
        self.evidence[task.trial] = odds
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

    def _strongest(self, task: Predict, names: Sequence[str]) -> tuple[float, str]:
        """Return the lead of the class with the most evidence over the next one, and that class."""
        evidence = []
        for name in names:
            noise = float(self._rng("noise", task.presentation, name).standard_normal())
            evidence.append((self._odds(task, noise, name), name))
        (second, _), (first, decision) = sorted(evidence, key=lambda pair: pair[0])[-2:]
        return first - second, decision

    def _odds(self, task: Predict, noise: float, name: str) -> float:
        """Return the evidence for a class."""
        case = task.stimulus
        match self.mind.strategy:
            case "true_label":
                return 1.0 if self.key[task.presentation]["true_label"] == name else -1
            case "same_as_before":
                # If no output is shown, there is nothing to repeat.
                return float(_sign(case, name) if case.output else name == _last(case))
            case "majority":
                return float(name == _last(case))
        again = task.section.endswith("_post")
        sd = self.mind.noise_sd * (self.mind.practised if again else 1.0)
        return self._weighed(case, name) + sd * noise

    def _weighed(self, case: CaseStimulus, name: str) -> float:
        """Return the evidence for a class from examples and explanations."""
        memory = self._memory(case.domain)
        if case.edits is None:
            features = features_of(case.original)
            return sum(self._known(memory, feature, name) for feature in features)
        sign, reading = _sign(case, name), self._reading(case, name)
        if reading.needed:
            broken = any(edit.place in reading.needed for edit in case.edits)
            return sign * (BROKEN_RULE if broken else OF_OUTPUT)
        before, after = (
            features_of(case.original),
            features_of(edited(case.original, case.edits)),
        )
        support = sign * OF_OUTPUT
        for edit in case.edits:
            old = reading.weights.get(edit.place, self._known(memory, before[edit.place], name))
            known = reading.new.get((edit.place, edit.new))
            if known is None:
                known = self._known(memory, after[edit.place], name)
            support += known - old
        return support

    def _known(self, memory: Memory, feature: tuple[str, str], name: str) -> float:
        evidence = memory.by_explanations(feature, name) if self.mind.reads else 0.0
        return evidence or memory.by_examples(feature, name) / 2

    def _reading(self, case: CaseStimulus, name: str) -> Reading:
        """Return the explanation's reading for a class; empty if the robot doesn't read it."""
        if case.explanation is None or not self.mind.reads:
            return Reading()
        return read(case.explanation, case.output or name, name, _last(case))

    def _remember(self, presentation: str, case: CaseStimulus) -> None:
        memory = self._memory(case.domain)
        memory.keep(presentation, case.original, case.output)
        for name, _ in case.classes if len(case.classes) > 2 else case.classes[1:]:
            memory.keep_reading(case.original, self._reading(case, name), name)

    def _memory(self, domain: str) -> Memory:
        return self.memories.setdefault(domain, Memory())

    def _rng(self, *key: str) -> np.random.Generator:
        seed = seed_of("predictor", self.seed, self.participant, self.name, *key)
        return np.random.Generator(np.random.PCG64(seed))


def predictors(pack: Pack, language: str) -> Callable[[str, str, int], Predictor]:
    """Return a function that makes a robot for a pack from its kind, its code and a seed."""
    return lambda name, code, seed: Predictor.of(name, pack, code, seed)


def _last(case: CaseStimulus) -> str:
    """Return the last class, which is the positive one of two."""
    return case.classes[-1][0]


def _sign(case: CaseStimulus, name: str) -> int:
    """Return 1 if the model's output on the original is a class or isn't told, else −1."""
    return 1 if case.output in (None, name) else -1


class SimulatedCases(SimulatedChoices):
    """A `CasePresenter` whose participant is a robot."""

    def example(self, example: Learn) -> Look:
        """Look at an example."""
        look_s = self.robot.look(example)
        return Look(look_s, self._shown(example, look_s))

    def rating(self, rate: Rate) -> Rated:
        """Rate an explanation."""
        rated = self.robot.rate(rate)
        return Rated(rated.rating, rated.rt_s, self._shown(rate, rated.rt_s))

    def prediction(self, predict: Predict) -> Choice:
        """Predict an output."""
        predict.record_start(self.recorder)
        return self.answer(predict, "case")

    def _shown(self, task: ShownItem, seconds: float) -> Presented:
        """Show something for a time in whole frames; a press ends it."""
        task.record_start(self.recorder)
        onset_s, frames = self.clock.monotonic_s(), ceil(seconds * REFRESH_HZ)
        self.recorder.append("flip", what="case_on", trial=task.trial, frame=0)
        self.clock.advance(frames / REFRESH_HZ)
        self.recorder.append("flip", what="case_off", trial=task.trial, frame=frames)
        return Presented(onset_s, None, frames, 0, 1 / REFRESH_HZ, False)


SESSION_ROBOTS: Final = Robots(make=predictors, simulated=SimulatedCases, sketch=sketch)
