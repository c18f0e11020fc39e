"""Response models of people who name an image while it is uncovered step by step.

What each of them does with a round follows from how much of the object is uncovered
(`participants.robots.psychometric`), from a reaction time and from their typing
(`participants.studies.progressive_reveal.robots.typists`); what is expected of them is in
`tests.participants.studies.progressive_reveal.robots.viewer_truth`. They try the machinery and the
analysis; none is fitted to people. Experiment: Dawoud et al. (2023), section III.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from types import MappingProxyType
from typing import Final

import numpy as np

from participants.robots.psychometric import Psychometric
from participants.robots.times import WHOLE, ExGaussian
from participants.session import Question
from participants.studies.progressive_reveal.robots.rounds_seen import RoundView, views_of
from participants.studies.progressive_reveal.robots.typists import Confirm, KeyPress, Typed, Typist
from stimuli.errors import UserError
from stimuli.io.canonical import keyed_order, seed_of
from stimuli.pack import Pack

REACTION: Final = ExGaussian(0.65, 0.12, 0.30)
"""From a step's onset to the first key: choice reactions of people who have to find a word take
about 0.5 s (Dawoud et al. 2023, section III), and this is one among many classes."""
PLAUSIBLE: Final = 3
"""So many other classes are like an item's; those are tried first."""


@dataclass(frozen=True, slots=True)
class Typing:
    """An answer as it is typed, or a word as it is copied.

    Attributes
    ----------
    start_s
        Of its first key, since the onset of the round or the word.
    keys
        That enter it.
    confirm, confirm_delay_s
        Return, or a click on the class's suggestion in the list as it then stands; when, after
        the last key.
    meant
        Id of the class that it names, or the word that it copies.
    """

    start_s: float
    keys: tuple[KeyPress, ...]
    confirm: Confirm
    confirm_delay_s: float
    meant: str

    @property
    def times_s(self) -> tuple[float, ...]:
        """When each key goes down, since the onset."""
        return tuple(accumulate((key.delay_s for key in self.keys), initial=self.start_s))[1:]

    @property
    def done_s(self) -> float:
        """When it is confirmed, since the onset."""
        return self.times_s[-1] + self.confirm_delay_s


@dataclass(frozen=True, slots=True)
class Viewer:
    """A response model.

    Attributes
    ----------
    name
        As in the journal.
    sight
        When an object is recognised.
    typist
        How answers are typed.
    try_rate
        Chance at each step before that of a class that comes to mind; it becomes a try if it can
        be confirmed before the next step.
    guesses
        Whether tries are blind: at any step, any class not tried yet, so the right one too.
        Else they are wrong ones, plausible classes first, and never before anything of the
        object is uncovered.
    in_order
        Whether blind tries go through the table of classes from its top.
    """

    name: str
    sight: Psychometric
    typist: Typist
    try_rate: float = 0.10
    guesses: bool = False
    in_order: bool = False

    def tempted_by(self, share: float) -> float:
        """Return the chance of a try at a step that shows a share of the object, 0…1."""
        return self.try_rate if self.guesses or share > 0 else 0.0


VIEWERS: Mapping[str, Viewer] = MappingProxyType(
    {
        "viewer": Viewer("viewer", Psychometric(), Typist()),
        "guesser": Viewer("guesser", Psychometric(), Typist(), try_rate=0.5, guesses=True),
        "walker": Viewer(
            "walker", Psychometric(), Typist(), try_rate=0.9, guesses=True, in_order=True
        ),
        "slow_typist": Viewer(
            "slow_typist", Psychometric(), Typist(words_per_min=14.0, slips=0.08, picks=0.3)
        ),
        "mistaken": Viewer("mistaken", Psychometric(lapse=1.0), Typist(), try_rate=0.5),
        "idle": Viewer("idle", Psychometric(lapse=1.0), Typist(), try_rate=0.0),
    }
)
"""Kinds by name; ``viewer`` is the usual one, ``walker`` tries class after class, ``mistaken``
gives wrong answers alone, ``idle`` none."""


@dataclass(frozen=True, slots=True)
class ViewerParticipant:
    """One individual of a kind of viewer, in front of a pack.

    Attributes
    ----------
    robot
        The individual.
    views
        What it sees in each presentation.
    seed, participant
        Root of its draws: the same round is answered alike whenever it is shown.
    """

    robot: Viewer
    views: Mapping[str, RoundView]
    seed: int
    participant: str

    @classmethod
    def among(
        cls, views: Mapping[str, RoundView], name: str, participant: str, seed: int
    ) -> "ViewerParticipant":
        """Return a robot of that name in front of rounds; UserError if there is none."""
        if name not in VIEWERS:
            raise UserError(f"robot {name!r}: unknown; take one of {', '.join(VIEWERS)}")
        kind = VIEWERS[name]
        typist = kind.typist.individual(_rng("typist", seed, participant))
        return cls(replace(kind, typist=typist), views, seed, participant)

    def script(self, presentation: str) -> tuple[Typing, ...]:
        """Return what is typed in a round, in order; no typing begins before the last one's end.

        Times go on past the round's end: who plays it cuts them off there.
        """
        view, robot = self.views[presentation], self.robot
        rng = _rng("round", self.seed, self.participant, presentation)
        effect = robot.sight.item_effect(self.seed, view.item)
        effect += robot.sight.people_effect(self.seed, self.participant, view.method)
        seen_at = robot.sight.step_of(view.object_shares, effect, rng)
        candidates = list(reversed(self._candidates(view, rng)))
        script: list[Typing] = []
        for step, share in enumerate(view.object_shares[: (seen_at or view.steps + 1) - 1], 1):
            if not candidates or rng.random() >= robot.tempted_by(share):
                continue
            typing = self._typing(view, candidates.pop(), step, rng)
            if typing.done_s < step * view.step_s:
                script.append(typing)
                if typing.meant == view.right_class:
                    return tuple(script)
        if seen_at is not None:
            script.append(self._typing(view, view.right_class, seen_at, rng))
        return tuple(script)

    def copy_words(self, words: Sequence[str]) -> tuple[Typing, ...]:
        """Return how words are copied, one by one; Return ends each."""
        copied = []
        for number, word in enumerate(words):
            rng = _rng("copy", self.seed, self.participant, number, word)
            start_s = WHOLE.draw(rng)
            typed = self.robot.typist.copy(word, rng)
            copied.append(Typing(start_s, typed.keys, typed.confirm, typed.confirm_delay_s, word))
        return tuple(copied)

    def choose(self, question: Question) -> str:
        """Return the choice of a question of the survey."""
        rng = _rng("question", self.seed, self.participant, question.question)
        return question.choices[int(rng.integers(len(question.choices)))]

    def _candidates(self, view: RoundView, rng: np.random.Generator) -> list[str]:
        """Return the classes of tries, in the order in which they come to mind."""
        classes = [name.class_id for name in view.classes.names]
        if self.robot.in_order:
            return classes
        if self.robot.guesses:
            return [classes[number] for number in rng.permutation(len(classes))]
        others = [name for name in classes if name != view.right_class]
        alike = alike_first(others, view.item, self.seed)
        first, rest = alike[:PLAUSIBLE], alike[PLAUSIBLE:]
        return [part[number] for part in (first, rest) for number in rng.permutation(len(part))]

    def _typing(
        self, view: RoundView, class_id: str, step: int, rng: np.random.Generator
    ) -> Typing:
        start_s = (step - 1) * view.step_s + REACTION.draw(rng)
        typed = typed_answer(self.robot.typist, view, class_id, rng)
        return Typing(start_s, typed.keys, typed.confirm, typed.confirm_delay_s, class_id)


def alike_first(others: Sequence[str], item: str, seed: int) -> list[str]:
    """Return classes with the `PLAUSIBLE` ones for an item first, the same for everybody."""
    return keyed_order(others, "alike", seed, item)


def typed_answer(typist: Typist, view: RoundView, class_id: str, rng: np.random.Generator) -> Typed:
    """Return how somebody enters the name of a class into the field of a round."""
    return typist.answer(view.typed_name(class_id), partial(view.downs, class_id), rng)


def _rng(*key: str | int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed_of("viewer", *key)))


def viewers(pack: Pack, language: str) -> Callable[[str, str, int], ViewerParticipant]:
    """Return what makes a robot in front of a pack from its kind, its code and a seed."""
    views = views_of(pack, language)
    return lambda name, code, seed: ViewerParticipant.among(views, name, code, seed)
