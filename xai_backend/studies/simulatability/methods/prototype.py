"""Prototype: the nearest one, and what in the input made it so (Hase & Bansal 2020, 3.3)."""

import numpy as np

from stimuli.studies.simulatability.explanations import Omission, Prototype, Weighted
from xai_backend.studies.simulatability.methods.naming import names_of, stated
from xai_backend.studies.simulatability.trained import AnyInput, PrototypeModel, Reals, TaskModel

SCALE = 10
"""Evidence and terms are shown so many times as large (published sheets)."""


def prototype(network: PrototypeModel, given: AnyInput, most: int) -> Prototype:
    """Return the prototype that an input is most alike, and importance scores.

    A score is by how much the margin changes when a word or a value is left out. The published code
    takes the logit of the prototype's class; a margin states both classes.

    Parameters
    ----------
    network
        The prototype network.
    given
        The input.
    most
        So many scores are shown at most: the lowest half and the highest half.
    """
    likeness = network.likeness([given])[0]
    nearest = int(np.argmax(likeness))
    label = network.prototype_labels[nearest]
    sign = 1 if label == network.classes[1] else -1
    scores = SCALE * terms_by_omission(network, given)
    names = names_of(given)
    return Prototype(
        prototype=network.prototypes[nearest],
        label=label,
        evidence=stated(sign * SCALE * likeness[nearest]),
        terms=tuple(
            Weighted(name=names[place], places=(place,), weight=stated(scores[place]))
            for place in shown_places(scores, most)
        ),
    )


def shown_places(scores: np.ndarray, most: int) -> list[int]:
    """Return the places whose scores are large enough, from the lowest score to the highest."""
    largest = np.abs(scores).max()
    least = min(0.1, 0.5 * largest) if largest > 0.1 else 0.03
    places = [int(place) for place in np.argsort(scores, kind="stable")]
    places = [place for place in places if abs(scores[place]) >= least]
    if len(places) <= most:
        return places
    low = most // 2
    return places[:low] + places[len(places) - (most - low) :]


def omission(model: TaskModel, given: AnyInput) -> Omission:
    """Return all terms of an input, from the lowest to the highest."""
    terms, names = terms_by_omission(model, given), names_of(given)
    return Omission(
        margin=stated(model.margins([given])[0]),
        terms=tuple(
            Weighted(name=names[place], places=(int(place),), weight=stated(terms[place]))
            for place in np.argsort(terms, kind="stable")
        ),
    )


def terms_by_omission(model: TaskModel, given: AnyInput) -> Reals:
    """Return the margin less the margin without each part, shape (parts,)."""
    return model.margins([given])[0] - model.margins_without(given)
