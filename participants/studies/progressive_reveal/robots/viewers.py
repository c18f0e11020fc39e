"""Response models of people who name an image while it is uncovered step by step.

What a robot does in a round follows from how much of the object is uncovered, from a reaction time
and from its typing (`participants.studies.progressive_reveal.robots.typists`). What is expected of
each robot is in `tests.participants.studies.progressive_reveal.robots.viewer_truth`. They test the
software and the analysis. None is fitted to people. Experiment: Dawoud et al. (2023), section III.

A robot recognises an object at the first step at which the uncovered share of the object's own
pixels reaches a threshold. The threshold's logarithm is the sum of a constant, of effects of the
person, of the item and of the person with the method (all normal), and of a logistic variable of
each round. In some rounds nothing is recognised whatever is seen (a lapse). So what is expected of
any pack is known: given the effects in closed form, over people by an integral over one normal
variable.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import accumulate
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from participants.robots.choosing import WHOLE, ExGaussian
from participants.session import Question
from participants.session.typed_line import Entered
from participants.studies.progressive_reveal.entry import AnswerEntry
from participants.studies.progressive_reveal.robots.typists import Confirm, KeyPress, Typed, Typist
from stimuli.errors import UserError
from stimuli.io.canonical import keyed_order, seed_of
from stimuli.io.tables import Row, whole_number
from stimuli.names import folded
from stimuli.pack import Pack
from stimuli.studies.progressive_reveal.classes import Classes
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal
from stimuli.studies.progressive_reveal.tables import CLASSES, CURVES, KEY

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Psychometric:
    """The chance of recognition given the share of the object that is uncovered.

    Attributes
    ----------
    threshold
        Share of the object's own pixels at which the typical person recognises the typical item
        in half of the rounds without a lapse, 0…1.
    spread
        Scale of the logistic function, in log share: small is steep.
    person_sd, item_sd, method_person_sd
        SDs of the effects on the threshold's logarithm, between people, between items, and between
        the methods for the same person.
    lapse
        Share of rounds in which nothing is recognised.
    """

    threshold: float = 0.25
    spread: float = 0.25
    person_sd: float = 0.25
    item_sd: float = 0.30
    method_person_sd: float = 0.15
    lapse: float = 0.06

    def item_effect(self, seed: int, item: str) -> float:
        """Return an item's effect, which is the same for all robots of a seed."""
        return self.item_sd * _normal("item", seed, item)

    def people_effect(self, seed: int, participant: str, method: str) -> float:
        """Return a person's effect under a method: their own plus that with the method."""
        general = self.person_sd * _normal("person", seed, participant)
        return general + self.method_person_sd * _normal("method", seed, participant, method)

    def step_of(
        self, shares: Sequence[float], effect: float, rng: np.random.Generator
    ) -> int | None:
        """Return the first step (from 1) at which a round's object is recognised; None if never."""
        lapses, chance = rng.random() < self.lapse, rng.random()
        threshold = np.log(self.threshold) + effect + self.spread * np.log(chance / (1 - chance))
        reached = np.flatnonzero(np.asarray(shares, dtype=float) >= np.exp(threshold))
        return None if lapses or not len(reached) else int(reached[0]) + 1


def _normal(*key: str | int) -> float:
    """Return a standard normal draw that depends only on the key."""
    seed = seed_of("psychometric", *key)
    return float(np.random.Generator(np.random.PCG64(seed)).standard_normal())


TYPED: Final = "text"
DOWN: Final = "down"


@dataclass(frozen=True, slots=True)
class RoundView:
    """A round as a robot sees it.

    Attributes
    ----------
    presentation, item, method
        The opaque id, and the item and method that it is made from.
    object_shares
        Shares of the object's own pixels that are uncovered at step 1, 2, …, each 0…1.
    step_s
        How long a step lasts.
    right_class
        Id of the image's class.
    classes
        All classes, in the language in which they are typed.
    suggestions_most
        Number of lines in the list of suggestions.
    """

    presentation: str
    item: str
    method: str
    object_shares: tuple[float, ...]
    step_s: float
    right_class: str
    classes: Classes
    suggestions_most: int

    @property
    def steps(self) -> int:
        """Number of steps."""
        return len(self.object_shares)

    def typed_name(self, class_id: str) -> str:
        """Return the letters that are typed for a class: its name without case and accents."""
        return folded(next(name.name for name in self.classes.names if name.class_id == class_id))

    def downs(self, class_id: str, typed: str) -> int | None:
        """Return the number of arrow presses to a class after a text, before Return confirms it.

        None if the class isn't in the list of suggestions then.
        """
        return downs_to(self.classes, self.suggestions_most, class_id, typed)


@lru_cache(maxsize=4096)
def downs_to(classes: Classes, most: int, class_id: str, typed: str) -> int | None:
    """Return what `RoundView.downs` does, for a field with a list of some lines."""
    field = AnswerEntry(classes, most)
    field.take(Entered(0.0, TYPED, "text", typed))
    if class_id not in [suggestion.class_id for suggestion in field.state.suggestions]:
        return None
    downs = 0
    while field.state.choice is None or field.state.choice.class_id != class_id:
        field.take(Entered(0.0, DOWN, "edit", DOWN))
        downs += 1
    return downs


def views_of(pack: Pack, language: str) -> dict[str, RoundView]:
    """Return the view of each presentation of a pack, by id.

    It reads the key, since robots know what they may recognise. If neither the object's outline nor
    what is relevant to people is known, the share of all finally uncovered pixels is used instead.
    """
    protocol = pack.protocol
    assert isinstance(protocol, ProgressiveReveal)
    aliases = protocol.answering.accept_aliases
    classes = Classes.of(pack.table(CLASSES), language, aliases=aliases)
    shares = _shares(pack)
    return {
        str(row["presentation"]): RoundView(
            presentation=str(row["presentation"]),
            item=str(row["item"]),
            method=str(row["method"]),
            object_shares=shares[str(row["item"]), str(row["method"])],
            step_s=protocol.reveal.step_s,
            right_class=str(row["class"]),
            classes=classes,
            suggestions_most=protocol.session.suggestions_most,
        )
        for row in pack.table(KEY)
    }


def _shares(pack: Pack) -> Mapping[tuple[str, str], tuple[float, ...]]:
    curves: dict[tuple[str, str], list[Row]] = {}
    for row in sorted(pack.table(CURVES), key=lambda row: whole_number(row["step"])):
        curves.setdefault((str(row["item"]), str(row["method"])), []).append(row)
    return {key: tuple(map(partial(_share, rows[-1]), rows)) for key, rows in curves.items()}


def _share(last: Row, row: Row) -> float:
    if row["object_share"] is not None:
        return float(row["object_share"])
    return whole_number(row["pixels"]) / max(1, whole_number(last["pixels"]))


REACTION: Final = ExGaussian(0.65, 0.12, 0.30)
"""From a step's onset to the first key: choice reactions of people who have to find a word take
about 0.5 s (Dawoud et al. 2023, section III), and this is one among many classes."""
PLAUSIBLE: Final = 3
"""Number of other classes that are like an item's; they are tried first."""


@dataclass(frozen=True, slots=True)
class Typing:
    """An answer as it is typed, or a word as it is copied.

    Attributes
    ----------
    start_s
        Time of its first key since the onset of the round or the word.
    keys
        The keys that enter it.
    confirm, confirm_delay_s
        The Return key, or a click on the class's suggestion in the list at that time; and the delay
        after the last key.
    target
        Id of the class that it names, or the word that it copies.
    """

    start_s: float
    keys: tuple[KeyPress, ...]
    confirm: Confirm
    confirm_delay_s: float
    target: str

    @property
    def times_s(self) -> tuple[float, ...]:
        """Time of each key press since the onset."""
        return tuple(accumulate((key.delay_s for key in self.keys), initial=self.start_s))[1:]

    @property
    def done_s(self) -> float:
        """Time of the confirmation since the onset."""
        return self.times_s[-1] + self.confirm_delay_s


@dataclass(frozen=True, slots=True)
class Viewer:
    """A response model.

    Attributes
    ----------
    name
        As in the journal.
    sight
        The psychometric function of recognition.
    typist
        How answers are typed.
    try_rate
        Chance, at each step before recognition, that a class comes to mind. It becomes a try if it
        can be confirmed before the next step.
    guesses
        Whether tries are blind: any class not tried yet, even the right one, at any step. Otherwise
        they are wrong classes, plausible ones first, and never before any part of the object is
        uncovered.
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
        Its view of each presentation.
    seed, participant
        Root of its draws: the same round always gets the same answer.
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
        """Return what is typed in a round, in order; typings don't overlap.

        Times may exceed the round's end; the caller cuts them off there.
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
                if typing.target == view.right_class:
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
    """Return classes with an item's `PLAUSIBLE` ones first, in the same order for everybody."""
    return keyed_order(others, "alike", seed, item)


def typed_answer(typist: Typist, view: RoundView, class_id: str, rng: np.random.Generator) -> Typed:
    """Return how a person types the name of a class into a round's field."""
    return typist.answer(view.typed_name(class_id), partial(view.downs, class_id), rng)


def _rng(*key: str | int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed_of("viewer", *key)))


def viewers(pack: Pack, language: str) -> Callable[[str, str, int], ViewerParticipant]:
    """Return a function that makes a robot for a pack from its kind, its code and a seed."""
    views = views_of(pack, language)
    return lambda name, code, seed: ViewerParticipant.among(views, name, code, seed)
