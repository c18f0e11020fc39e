"""A participant's cases on a screen: looked at, rated, predicted."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from experiments.engine.picture import Picture
from experiments.engine.present import Leaves
from experiments.pages.presenting import WindowPresenter
from experiments.pages.timed_choice import ChoicePictures
from experiments.screens.parts import Hint
from experiments.screens.strokes import ToolHint
from experiments.studies.simulatability.cases import (
    AtHand,
    CaseChoice,
    CasePainter,
    CaseScreens,
    Deck,
    Task,
    choice_of,
)
from participants.session import Choice, SessionPlan
from participants.studies.simulatability.trial import (
    RATING_STEPS,
    Learn,
    Look,
    Predict,
    Rate,
    Rated,
)
from participants.texts import Words
from stimuli.devices import is_pointing
from stimuli.studies.simulatability.stimulus import (
    AnyExplanation,
    Boundary,
    CaseStimulus,
    Composite,
    Prototype,
    Weights,
)

NAMES: Final[Mapping[type, str]] = {Learn: "example", Rate: "rating", Predict: "prediction"}
"""Names of tasks in the album."""


def case_keys(plan: SessionPlan, words: Words) -> tuple[ToolHint, ...]:
    """Return what keys do in a case: predictions, ratings, pages and examples at hand."""
    hints: list[ToolHint] = []
    if not is_pointing(plan.device):
        caps = tuple(sorted(words.cap(key) for key in plan.keys.values()))
        hints.append(Hint(caps, words["question"]))
    if any(isinstance(step, Rate) for step in plan.steps):
        hints.append(Hint((f"1 … {RATING_STEPS}",), words["rating_question"]))
    again = {step.learning_key for step in plan.steps if isinstance(step, Predict)} - {""}
    hints += [Hint((words.cap(key),), words["look_again"]) for key in sorted(again)]
    hints.append(Hint((words.cap("left"), words.cap("right")), words["key_pages"]))
    return tuple(hints)


class CaseWindow(WindowPresenter[CasePainter]):
    """A `participants.studies.simulatability.trial.CasePresenter` with a real window."""

    def _prepare(self, plan: SessionPlan) -> None:
        """Refuse a question or an answer that doesn't fit."""
        self._screens = CaseScreens(self._settings, most_evidence(_stimuli(plan)))
        for step in plan.steps:
            if isinstance(step, Learn | Rate | Predict):
                self._screens.check(step)
        self._cases = self._choices("case")
        self._shown_before: tuple[CaseStimulus, ...] = ()
        self._at_hand = AtHand()
        self._lasting: tuple[Picture, ...] = ()

    def example(self, example: Learn) -> Look:
        """Show an example with its label and output until a press or its limit."""
        while True:
            choice = self._run(example)
            if choice.rt_s is not None:
                return Look(choice.rt_s, choice.presented)
            if example.limit_s is not None:
                return Look(example.limit_s, choice.presented)

    def rating(self, rate: Rate) -> Rated:
        """Show an explanation and ask how good it is, from 1 to 7."""
        while True:
            choice = self._run(rate)
            if choice.rt_s is not None:
                return Rated(int(choice.choice), choice.rt_s, choice.presented)

    def prediction(self, predict: Predict) -> Choice:
        """Ask what the model says."""
        return self._run(predict)

    def _run(self, task: Task) -> Choice:
        """Run a task; run it again if a chord interrupts it and the session continues."""
        self._begin((task.section, task.test_number))
        at_hand = self._examples(task) if isinstance(task, Predict) else AtHand()
        deck = self._screens.deck(task, at_hand)
        asked = choice_of(task, deck)
        return self._cases.run(
            asked,
            prepare=lambda: self._pictures(task, asked, deck),
            started=lambda: task.record_start(self._context.recorder),
        )

    def _pictures(self, task: Task, choice: CaseChoice, deck: Deck) -> ChoicePictures:
        """Upload what a task shows; the examples at hand are there already."""
        new_leaves = [leaf for leaf in deck.leaves if not leaf.at_hand]
        pages = tuple(
            self._kept(f"{_kind(task)}-{number}", self._screens.layers(task, leaf))
            for number, leaf in enumerate(new_leaves, start=1)
        )
        after = None
        if choice.exposure_s is not None:
            after = self._kept(f"{_kind(task)}-gone", self._screens.gone_layers(task))
        pictures = (*pages, *self._lasting)
        leaves = Leaves(pictures[: len(deck.leaves)], deck.turns, deck.answered)
        areas = self._screens.areas(task, deck)
        return ChoicePictures(
            leaves.pictures[0],
            after,
            areas=areas,
            leaves=leaves,
            names=[leaf.name for leaf in deck.leaves],
            lasting=self._lasting,
        )

    def _examples(self, predict: Predict) -> AtHand:
        """Return the examples at hand; they are drawn and uploaded once for all predictions."""
        if predict.learning != self._shown_before:
            self._shown_before = predict.learning
            for picture in self._lasting:
                picture.free()
            self._at_hand = self._screens.at_hand(predict)
            self._lasting = tuple(
                self._kept("trial-at-hand", self._screens.layers(predict, leaf))
                for leaf in self._at_hand.leaves
            )
        return self._at_hand


def _stimuli(plan: SessionPlan) -> list[CaseStimulus]:
    return [step.stimulus for step in plan.steps if isinstance(step, Learn | Rate | Predict)]


def _kind(task: Task) -> str:
    """Return the name of a task's pictures in the album."""
    explanation = task.stimulus.explanation
    if explanation is None:
        return f"trial-{task.stimulus.domain}-{NAMES[type(task)]}-plain"
    method = explanation.look if isinstance(explanation, Weights) else explanation.kind
    return f"trial-{task.stimulus.domain}-{NAMES[type(task)]}-{method}"


def most_evidence(stimuli: Iterable[CaseStimulus]) -> dict[str, float]:
    """Return the largest absolute evidence shown as a bar, by domain."""
    most: dict[str, float] = {}
    for stimulus in stimuli:
        for evidence in _evidence_in(stimulus.explanation):
            most[stimulus.domain] = max(most.get(stimulus.domain, 0.0), abs(evidence))
    return most


def _evidence_in(explanation: AnyExplanation | Composite | None) -> Iterator[float]:
    match explanation:
        case Composite():
            yield from _evidence_in(explanation.boundary)
            yield from _evidence_in(explanation.prototype)
        case Boundary():
            margins = (explanation.margin, *(step.margin for step in explanation.steps))
            yield from (margin for margin in margins if margin is not None)
        case Prototype(evidence=float(evidence)):
            yield evidence
