"""Kernel SHAP (Lundberg & Lee 2017): weights of a row's values that share what the model says.

A coalition of values is worth the mean probability of the explained class over rows of the
training split that take over these values. With up to 12 columns all coalitions are asked, and the
weights are exact Shapley values; with more, they are drawn. The explained class is the positive
one of two, else the output.
"""

from typing import Final

import numpy as np

from stimuli.studies.simulatability.stimulus import TableInput, Weights
from xai_backend.methods.kernel_shap import KernelShap, shapley_values
from xai_backend.studies.simulatability.methods.around import Asked, coded, values_around
from xai_backend.studies.simulatability.methods.naming import shown_weights
from xai_backend.studies.simulatability.methods.one_of_many import explained_share
from xai_backend.studies.simulatability.trained import Reals, Trained, outputs_of

BACKGROUND: Final = 50
"""Rows of the training split whose values stand for a value that isn't there."""
SAMPLES: Final = 4096
"""Coalitions at most; all of them with up to 12 columns."""


def kernel_shap(
    trained: Trained, given: TableInput, most: int, rng: np.random.Generator
) -> Weights:
    """Return the values that count most, from the highest weight to the lowest."""
    (output,) = outputs_of(trained.model, [given])
    target = trained.classes[1] if len(trained.classes) == 2 else output
    rows = [one.given for one in trained.splits["train"]]
    chosen = rng.permutation(len(rows))[:BACKGROUND]
    weights = value_weights(trained, given, target, [rows[place] for place in chosen], rng)
    return shown_weights(given, weights, target, most)


def value_weights(
    trained: Trained,
    given: TableInput,
    target: str,
    background: list[TableInput],
    rng: np.random.Generator,
) -> Reals:
    """Return the Shapley values of a row's values, shape (columns,).

    They sum to the probability of ``target`` less its mean over the background.
    """
    around = values_around(given, trained.table)
    others = coded(around, background)
    asked = Asked(explained_share(trained.model, target), around.inputs)
    count = len(given.columns)
    coalitions, chances = KernelShap(samples=SAMPLES).coalitions(count, rng)
    ends = np.array([np.zeros(count), np.ones(count)], bool)
    worth = np.array(
        [asked.values(np.where(here, 0, others)).mean() for here in np.vstack([ends, coalitions])]
    )
    return shapley_values(coalitions, chances, worth[2:] - worth[0], worth[1] - worth[0])
