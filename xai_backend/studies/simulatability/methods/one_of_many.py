"""A model of more than two classes as one that says the explained class, or another.

The explained class is the output on the input. Methods that are published for two classes (Anchor,
Decision boundary, LIME) are the same on this model.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, cast

import numpy as np
from scipy.special import expit, softmax

from xai_backend.studies.simulatability.trained import (
    AnyInput,
    AnyModel,
    ManyClasses,
    Reals,
    TaskModel,
    Trained,
    outputs_of,
)

LEAST: Final = 1e-9
"""The margin where the output is the explained class, but another has the same score."""


@dataclass(frozen=True, slots=True)
class OneOfMany:
    """A `TaskModel` whose positive class is one of a model's classes.

    Attributes
    ----------
    model
        The model.
    output
        The class.
    """

    model: ManyClasses
    output: str

    @property
    def classes(self) -> tuple[str, str]:
        """Any other class, then the explained one."""
        return (f"not {self.output}", self.output)

    def margins(self, inputs: Sequence[AnyInput]) -> Reals:
        """Return by how much the class's score exceeds the best of the others', shape (n,).

        It is above 0 exactly where the model says the class.
        """
        scores = np.asarray(self.model.scores(inputs))
        place = self.model.classes.index(self.output)
        best = np.delete(scores, place, axis=1).max(axis=1)
        margins = scores[:, place] - best
        is_said = scores.argmax(axis=1) == place
        return np.where(is_said, np.maximum(margins, LEAST), np.minimum(margins, 0))

    def latents(self, inputs: Sequence[AnyInput]) -> Reals:
        """Return the model's features, shape (n, d)."""
        return cast(TaskModel, self.model).latents(inputs)

    def margins_without(self, given: AnyInput) -> Reals:
        """Nobody leaves parts out of such a model."""
        raise NotImplementedError


def explained_model(trained: Trained, given: AnyInput) -> TaskModel:
    """Return a domain's model as one of two classes; of more, the output is the positive one."""
    if len(trained.classes) == 2:
        return trained.task
    (output,) = outputs_of(trained.model, [given])
    return OneOfMany(cast(ManyClasses, trained.model), output)


def explained_share(model: AnyModel, output: str) -> Callable[[Sequence[AnyInput]], Reals]:
    """Return what says the probability of the positive class of two, of more that of the output."""
    if len(model.classes) == 2:
        two = cast(TaskModel, model)
        return lambda inputs: expit(two.margins(inputs))
    many, place = cast(ManyClasses, model), model.classes.index(output)
    return lambda inputs: softmax(np.asarray(many.scores(inputs)), axis=1)[:, place]
