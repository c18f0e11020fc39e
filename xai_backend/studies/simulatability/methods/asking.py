"""A model is asked about many inputs at once, and about the same input only once."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from xai_backend.studies.simulatability.trained import AnyInput, Reals, TaskModel

Codes = NDArray[np.integer]
"""Inputs as numbers: one row for each input. What a number means is the caller's."""
BATCH = 1024
"""Inputs that a model is given in one call at most."""


class Asked:
    """A model's margins on coded inputs; each distinct input is asked once.

    Parameters
    ----------
    model
        Who is asked.
    inputs_of
        Makes inputs from codes, shape (n, places).
    """

    def __init__(self, model: TaskModel, inputs_of: Callable[[Codes], Sequence[AnyInput]]) -> None:
        self._model = model
        self._inputs_of = inputs_of
        self._known: dict[bytes, float] = {}

    def margins(self, codes: Codes) -> Reals:
        """Return the evidence margins of codes of shape (n, places), shape (n,)."""
        codes = np.ascontiguousarray(codes)
        keys = [row.tobytes() for row in codes]
        new = {key: place for place, key in enumerate(keys) if key not in self._known}
        names, places = list(new), list(new.values())
        for start in range(0, len(new), BATCH):
            some = slice(start, start + BATCH)
            values = self._model.margins(self._inputs_of(codes[places[some]]))
            self._known.update(zip(names[some], values.tolist(), strict=True))
        return np.array([self._known[key] for key in keys])


def is_positive(margins: Reals) -> NDArray[np.bool_]:
    """Return where a model says the positive class: margins above 0."""
    return margins > 0


def output_of(model: TaskModel, given: AnyInput) -> str:
    """Return the class that a model says."""
    return model.classes[int(is_positive(model.margins([given]))[0])]
