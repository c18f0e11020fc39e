"""Prototype: the nearest one, and what in the input made it so (Hase & Bansal 2020, 3.3)."""

import numpy as np

from stimuli.studies.simulatability.stimulus import Omission, Prototype, Weighted
from xai_backend.studies.simulatability.methods.around import names_of, stated
from xai_backend.studies.simulatability.trained import AnyInput, PrototypeModel, TaskModel

SCALE = 10
"""Factor by which evidence and terms are shown larger (published sheets)."""


def prototype(network: PrototypeModel, instance: AnyInput, most: int) -> Prototype:
    """Return the prototype that is most similar to an input, and importance scores.

    Evidence is the score (logit) of the prototype's class. An importance score is the fall of the
    evidence when a word or a value is left out. Both are negative for the negative class (published
    code; Hase & Bansal 2020, 3.3).

    Parameters
    ----------
    network
        The prototype network.
    instance
        The input.
    most
        Most scores that are shown: half of them the lowest, half the highest.
    """
    nearest = int(np.argmax(network.likeness([instance])[0]))
    label = network.prototype_labels[nearest]
    number = network.classes.index(label)
    scale = SCALE if number else -SCALE
    score = network.scores([instance])[0, number]
    terms = scale * (score - network.scores_without(instance)[:, number])
    names = names_of(instance)
    return Prototype(
        prototype=network.prototypes[nearest],
        label=label,
        evidence=stated(scale * score),
        terms=tuple(
            Weighted(name=names[place], places=(place,), weight=stated(terms[place]))
            for place in shown_places(terms, most)
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


def omission(model: TaskModel, instance: AnyInput) -> Omission:
    """Return all terms of an input, from the lowest to the highest."""
    margin, names = model.margins([instance])[0], names_of(instance)
    terms = margin - model.margins_without(instance)
    return Omission(
        margin=stated(margin),
        terms=tuple(
            Weighted(name=names[place], places=(int(place),), weight=stated(terms[place]))
            for place in np.argsort(terms, kind="stable")
        ),
    )
