"""Robots that answer the items of a study from a table."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np

from participants.robots.choosing import MOTOR, Chances, ChoosingRobot, Response
from participants.session import NO_CHOICE, Choice, Question, TimedChoice
from participants.session.typed_line import RETURN, Entered
from participants.simulate.presenters import SimulatedChoices
from participants.table_study.trial import ItemTrial, text_entry
from stimuli.io.canonical import seed_of
from stimuli.io.tables import Row
from stimuli.pack import Pack
from stimuli.table_study.protocol import OF_ADVICE, PlannedTest, TableStudy
from stimuli.table_study.tables import is_among, meanings_of

USUAL, OFTEN, SELDOM = 0.65, 0.8, 0.5
KEY_S: Final = 0.12
"""Time from one typed letter to the next."""
NOTHING: Final = Response(NO_CHOICE, None)
RATED: Final = 0.6
"""Mean rating, as a share of the scale."""


def chances_of(name: str, protocol: TableStudy, task: TimedChoice) -> dict[str, float]:
    """Return the chances of each answer of a trial."""
    answers = list(task.choices)
    if name == "guesser":
        return dict.fromkeys(answers, 1 / len(answers))
    if name == "first":
        return _towards(answers, answers[0], OFTEN)
    item, unseen = task.stimulus, isinstance(task, ItemTrial) and task.stage == "own"
    if name == "follower" and item["advice"] is not None and not unseen:
        return _towards(answers, item["advice"], OFTEN)
    if name == "follower":
        return dict.fromkeys(answers, 1 / len(answers))
    if task.phase != "main" and item["right"] is not None:
        return _towards(answers, _right(item, answers), 1.0)
    test = next((test for test in protocol.tests if test.measure != "time"), None)
    if test is None or (unseen and item["right"] is not None):
        return _towards(answers, _right(item, answers), OFTEN)
    return _as_expected(protocol, test, item, answers)


def _towards(answers: list[str], answer: str, chance: float) -> dict[str, float]:
    others = (1 - chance) / max(1, len(answers) - 1)
    return {label: chance if label == answer else others for label in answers}


def _as_expected(
    protocol: TableStudy, test: PlannedTest, item: Row, answers: list[str]
) -> dict[str, float]:
    """Return the chances of somebody who answers as a test expects."""
    chance = _chance(test, item)
    if test.measure == "rating":
        if protocol.trial.scale is None:
            return _towards(answers, _right(item, answers), OFTEN)
        steps = np.arange(len(answers))
        weights = np.exp(-0.5 * ((steps - chance * (len(answers) - 1)) / 1.2) ** 2)
        return dict(zip(answers, (weights / weights.sum()).tolist(), strict=True))
    if test.measure == "under_reliance":
        chance = 1 - chance
    wanted = item["advice"] if test.measure in OF_ADVICE else _right(item, answers)
    if test.measure == "choice":
        meanings = meanings_of(item)
        named = test.answer or answers[0]
        wanted = answers[meanings.index(named)] if named in meanings else named
    return _towards(answers, str(wanted) if wanted in answers else answers[0], chance)


def _right(item: Row, answers: Sequence[str]) -> str:
    """Return the right answer, or the first one if none is known."""
    return next((answer for answer in answers if is_among(answer, item["right"], item)), answers[0])


def _chance(test: PlannedTest, item: Row) -> float:
    """Return how often what a test measures happens, as it is expected for an item."""
    if not test.factor:
        return 1 - OFTEN if test.expect == "less" else OFTEN
    level, (first, second) = item[test.factor], test.levels
    favoured = second if test.expect == "less" else first
    return OFTEN if level == favoured else SELDOM if level in (first, second) else USUAL


@dataclass(frozen=True, slots=True)
class ItemRobot(ChoosingRobot):
    """A robot that draws answers, ratings, and the answers to questions.

    Attributes
    ----------
    scales
        The questions that follow a trial.
    """

    scales: frozenset[str] = frozenset()

    def answer(self, task: TimedChoice) -> Response:
        """Return the choice and its time, and when it asks for advice."""
        response = super(ItemRobot, self).answer(task)
        if isinstance(task, ItemTrial) and task.typed and response.rt_s is not None:
            done_s = response.rt_s + KEY_S * (len(response.decision) + 1)
            return Response(response.decision, done_s) if done_s <= task.limit_s else NOTHING
        if task.later is None or response.rt_s is None:
            return response
        help_s = MOTOR.draw(self._rng("asks", task.presentation))
        rt_s = response.rt_s + help_s
        if rt_s > task.limit_s:
            return Response(NO_CHOICE, None, help_s if help_s < task.limit_s else None)
        return Response(response.decision, rt_s, help_s)

    def drawn_for(self, task: TimedChoice) -> str:
        """Return what the draw of a trial is seeded with; each of two answers has its own."""
        first = isinstance(task, ItemTrial) and task.stage == "own"
        return f"{task.presentation}-own" if first else task.presentation

    def choose(self, question: Question) -> str:
        """Return a choice: about the middle of a scale, or any answer to another question."""
        rng, last = self._rng("asked", question.step), len(question.choices) - 1
        if question.question in self.scales:
            return question.choices[int(rng.binomial(last, RATED))]
        return question.choices[int(rng.integers(last + 1))]

    def _rng(self, *parts: str) -> np.random.Generator:
        seed = seed_of(self.study, self.seed, self.participant, *parts)
        return np.random.Generator(np.random.PCG64(seed))


def robots_of(
    robots: Mapping[str, Chances],
) -> Callable[[Pack, str], Callable[[str, str, int], ItemRobot]]:
    """Return what makes robots for a pack; ``robots`` has what those of the study's own prefer."""

    def of_pack(pack: Pack, language: str) -> Callable[[str, str, int], ItemRobot]:
        protocol = pack.protocol
        assert isinstance(protocol, TableStudy)
        scales = frozenset(protocol.trial.ratings)

        def robot(name: str, code: str, seed: int) -> ItemRobot:
            chances = robots.get(name) or partial(chances_of, name, protocol)
            return ItemRobot(chances, protocol.study, name, code, seed, scales)

        return robot

    return of_pack


def typed_at(text: str, done_s: float) -> list[tuple[str, float]]:
    """Return the letters of a text with the time of each, if it is confirmed at a time."""
    first_s = done_s - KEY_S * len(text)
    return [(sign, first_s + KEY_S * nth) for nth, sign in enumerate(text)]


def key_of(sign: str) -> str:
    """Return the name of the key that types a sign."""
    return "space" if sign == " " else sign


class SimulatedItems(SimulatedChoices):
    """An `ItemPresenter` whose participant is a robot."""

    def choose(self, trial: ItemTrial) -> Choice:
        """Run a trial."""
        trial.record_start(self.recorder)
        chosen = self.answer(trial, "stimulus")
        if not trial.typed or chosen.rt_s is None:
            return chosen
        field, texts = text_entry(), typed_at(chosen.choice, chosen.rt_s)
        events = [Entered(at_s, key_of(sign), "text", sign) for sign, at_s in texts]
        events.append(Entered(chosen.rt_s, RETURN, "edit", RETURN))
        return replace(chosen, keystrokes=tuple(field.take(event)[0] for event in events))
