"""Omission: how the margin changes when a word or a value is left out."""

import numpy as np

from stimuli.studies.simulatability.explanations import Omission, Weighted
from xai_backend.studies.simulatability.methods.naming import names_of, stated
from xai_backend.studies.simulatability.trained import AnyInput, Reals, TaskModel


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
