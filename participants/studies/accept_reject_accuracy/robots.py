"""Robots that judge labels of images: response models of leads; each knows the pack's key.

They test the software and the analysis: what the analysis must find for each of them follows from
the key and from S's answers alone.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np

from participants.robots.choosing import ExGaussian, Response
from participants.session import Question, TimedChoice
from participants.studies.accept_reject.robots.leads import SimulatedLead
from participants.studies.accept_reject.trial import Decision
from participants.study import Robots
from stimuli.errors import UserError
from stimuli.images.sets import NO_SOLUTION
from stimuli.io.canonical import seed_of
from stimuli.io.tables import whole_number
from stimuli.pack import Pack
from stimuli.studies.accept_reject.tables import KEY, LABELLED
from stimuli.studies.accept_reject_accuracy.sketch import sketch
from stimuli.studies.accept_reject_accuracy.tables import PREDICTIONS

NEAR = 3
"""A lenient lead accepts S's answer if the true label is among this many of S's first answers."""
SLIP = 0.1
"""How often a noisy lead decides differently from an exact lead."""
LOOK = ExGaussian(0.9, 0.15, 0.35)
"""Time to look at an image, read a word and press: an assumption, not measured."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """What a presentation shows, and what is known about the image.

    Attributes
    ----------
    shown_label, true_label
        Ids of the labels.
    ranked
        S's answers to the image, the most confident first.
    """

    shown_label: str
    true_label: str
    ranked: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Labeller:
    """A response model: its name as in the journal, and ``accepts(labelled, rng)``.

    ``answers`` tells whether it answers at all.
    """

    name: str
    accepts: Callable[[Labelled, np.random.Generator], bool]
    answers: bool = True


def accepts_exactly(labelled: Labelled, rng: np.random.Generator) -> bool:
    """Accept exactly the data set's label: L(τ, σ) = [σ = y].

    Source: Saralajew et al. (2022), section 2.3.
    """
    return labelled.shown_label == labelled.true_label


def accepts_near(labelled: Labelled, rng: np.random.Generator) -> bool:
    """Accept S's answer also if the true label is among S's three most likely ones.

    So p_S is S's top-3 accuracy.
    """
    near = labelled.true_label in labelled.ranked[:NEAR]
    spoken = labelled.shown_label != NO_SOLUTION
    return labelled.shown_label == labelled.true_label or (
        spoken and near and labelled.shown_label == labelled.ranked[0]
    )


def accepts_with_slips(labelled: Labelled, rng: np.random.Generator) -> bool:
    """Decide like an exact lead, but now and then the other way."""
    return accepts_exactly(labelled, rng) != (rng.random() < SLIP)


def accepts_contrarily(labelled: Labelled, rng: np.random.Generator) -> bool:
    """Mix up the two keys: decide the opposite of an exact lead."""
    return not accepts_exactly(labelled, rng)


def accepts_all(labelled: Labelled, rng: np.random.Generator) -> bool:
    """Accept whatever is shown."""
    return True


def accepts_at_random(labelled: Labelled, rng: np.random.Generator) -> bool:
    """Accept by the toss of a coin."""
    return bool(rng.random() < 0.5)


LABELLERS: Mapping[str, Labeller] = MappingProxyType(
    {
        "exact_labels": Labeller("exact_labels", accepts_exactly),
        "lenient": Labeller("lenient", accepts_near),
        "noisy": Labeller("noisy", accepts_with_slips),
        "lazy": Labeller("lazy", accepts_all),
        "random": Labeller("random", accepts_at_random),
        "contrary": Labeller("contrary", accepts_contrarily),
        "absent": Labeller("absent", accepts_all, answers=False),
    }
)


@dataclass(frozen=True, slots=True)
class LabellerParticipant:
    """One individual of a kind of labeller, in front of a pack.

    Attributes
    ----------
    robot
        Its kind.
    labels
        What it knows, by presentation.
    seed, participant
        Root of its draws: the same trial always gets the same answer.
    """

    robot: Labeller
    labels: Mapping[str, Labelled]
    seed: int
    participant: str

    @classmethod
    def of(cls, name: str, pack: Pack, participant: str, seed: int) -> "LabellerParticipant":
        """Return a robot of that name; UserError if none of them judges labels."""
        if name not in LABELLERS:
            raise UserError(
                f"robot {name!r}: judges no labels of images; take one of {', '.join(LABELLERS)}"
            )
        return cls(LABELLERS[name], _known(pack), seed, participant)

    def answer(self, trial: TimedChoice) -> Response:
        """Return the response to a trial."""
        rng = _rng("answer", self.seed, self.participant, trial.trial, trial.presentation)
        rt_s = LOOK.draw(rng)
        accepts = self.robot.accepts(self.labels[trial.presentation], rng)
        decision: Decision = "accept" if accepts else "reject"
        answered = self.robot.answers and rt_s <= trial.limit_s
        return Response(decision, rt_s) if answered else Response("none", None)

    def choose(self, question: Question) -> str:
        """Return the choice of a question of the questionnaire."""
        rng = _rng("question", self.seed, self.participant, question.question)
        return question.choices[int(rng.integers(len(question.choices)))]


def _known(pack: Pack) -> dict[str, Labelled]:
    ranked: dict[str, list[str]] = {}
    for row in sorted(pack.table(PREDICTIONS), key=lambda row: whole_number(row["place"])):
        ranked.setdefault(str(row["item"]), []).append(str(row["label"]))
    shown_labels = {row["presentation"]: str(row["shown_label"]) for row in pack.table(LABELLED)}
    return {
        str(row["presentation"]): Labelled(
            shown_labels[row["presentation"]],
            str(row["true_label"]),
            tuple(ranked[str(row["item"])]),
        )
        for row in pack.table(KEY)
    }


def _rng(*key: str | int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed_of("labeller", *key)))


def labellers(pack: Pack, language: str) -> Callable[[str, str, int], LabellerParticipant]:
    """Return a function that makes a robot for a pack from its kind, its code and a seed."""
    return lambda name, code, seed: LabellerParticipant.of(name, pack, code, seed)


SESSION_ROBOTS: Final = Robots(make=labellers, simulated=SimulatedLead, sketch=sketch)
