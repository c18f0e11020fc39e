"""Omission: how the margin changes when a word or a value is left out."""

import numpy as np

from stimuli.studies.simulatability.explanations import Omission, Weighted
from xai_backend.studies.simulatability.methods.naming import names_of, stated
from xai_backend.studies.simulatability.trained import AnyInput, TaskModel


def omission(model: TaskModel, given: AnyInput) -> Omission:
    """Return all terms of an input, from the lowest to the highest."""
    margin, names = model.margins([given])[0], names_of(given)
    terms = margin - model.margins_without(given)
    return Omission(
        margin=stated(margin),
        terms=tuple(
            Weighted(name=names[place], places=(int(place),), weight=stated(terms[place]))
            for place in np.argsort(terms, kind="stable")
        ),
    )
