"""Anchor: a rule that is enough for the model's output (Ribeiro et al. 2018).

Sentences: a word that isn't in the rule is replaced with a chance of a half, by a neighbour of the
same part of speech, as in the published code (which knows more neighbours). Tables: a row is drawn
whole from the training split and takes over the rule's values; the published code draws from the
validation split. A word that can't be replaced is no condition, since it would say nothing.

The published code counts a shorter rule's draws for a longer one that they happen to meet. Where
rows are drawn whole these are other rows than the longer rule's own, since columns depend on each
other: on Adult most of its rules are less precise than it says. Here only sentences do so.

The published code means to extend four rules of a sentence and ten of a row, but passes the number
to nobody and extends one (variant ``near_code``). Variant ``near_paper`` extends as many as were
meant. The search for a sentence stops at the first precise rule, that for a row looks for coverage.
"""

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from stimuli.studies.simulatability.stimulus import Anchor, Condition, TableInput, TextInput
from xai_backend.studies.simulatability.methods.around import (
    Around,
    Asked,
    Codes,
    coded,
    drawn_words,
    is_positive,
    values_around,
    words_around,
)
from xai_backend.studies.simulatability.methods.beam import Rule, Search, Surroundings, find_rule
from xai_backend.studies.simulatability.methods.naming import names_of, stated
from xai_backend.studies.simulatability.methods.one_of_many import explained_model
from xai_backend.studies.simulatability.trained import AnyInput, TaskModel, Trained, outputs_of

CHANCE = 0.5
TEMPERATURE = 0.4
TEXT_WIDTH, TABLE_WIDTH = 4, 10
TEXT: Final = Search(precision=0.95, delta=0.1, tolerance=0.15, batch=100, first=True)
TABLE: Final = Search(precision=0.95, delta=0.05, tolerance=0.1, batch=50)


def anchor(
    trained: Trained, given: AnyInput, precision: float, variant: str, rng: np.random.Generator
) -> Anchor | None:
    """Return the rule of an input.

    Parameters
    ----------
    trained
        The domain.
    given
        The input.
    precision
        What the rule must have, 0…1.
    variant
        ``near_code`` or ``near_paper``: how many rules are extended.
    rng
        Draws the samples.

    Returns
    -------
    Anchor | None
        A table's conditions by column, a sentence's in the order in which the search added them.
        None where nothing in the input can be changed.
    """
    is_text = isinstance(given, TextInput)
    around = words(trained, given, rng) if is_text else rows(trained, given, rng)
    if not around.places:
        return None
    found = find_rule(around, settings(is_text, precision, variant))
    names = names_of(given)
    return Anchor(
        outcome=outputs_of(trained.model, [given])[0],
        conditions=tuple(
            Condition(name=names[place], places=(place,))
            for place in (found.rule if is_text else sorted(found.rule))
        ),
        precision=stated(found.precision),
        coverage=stated(found.coverage),
    )


def settings(is_text: bool, precision: float, variant: str) -> Search:
    """Return the settings of a search."""
    search = replace(TEXT if is_text else TABLE, precision=precision)
    meant = TEXT_WIDTH if is_text else TABLE_WIDTH
    return search if variant == "near_code" else replace(search, width=meant)


def words(trained: Trained, given: TextInput, rng: np.random.Generator) -> Surroundings:
    """Return the sentences around a sentence."""
    around = words_around(given, trained.words)

    def draw(rule: Rule, n: int) -> Codes:
        codes = drawn_words(around, n, CHANCE, TEMPERATURE, rng)
        codes[:, rule] = 0
        return codes

    return Surroundings(around.changeable.tolist(), draw, _same(trained, around), True)


def rows(trained: Trained, given: TableInput, rng: np.random.Generator) -> Surroundings:
    """Return the rows of the training split around a row."""
    around = values_around(given, trained.table)
    training = coded(around, [one.given for one in trained.splits["train"]])

    def draw(rule: Rule, n: int) -> Codes:
        codes = training[rng.integers(len(training), size=n)]
        codes[:, rule] = 0
        return codes

    return Surroundings(around.changeable.tolist(), draw, _same(trained, around), False)


def _same(trained: Trained, around: Around) -> "_Same":
    return _Same(explained_model(trained, around.given), around)


class _Same:
    """Whether a model says the same of changed inputs as of the input itself."""

    def __init__(self, model: TaskModel, around: Around) -> None:
        self._model = Asked(model.margins, around.inputs)
        original = np.zeros((1, len(around.options)), np.int16)
        self._positive = is_positive(self._model.values(original))[0]

    def __call__(self, codes: Codes) -> NDArray[np.bool_]:
        return is_positive(self._model.values(codes)) == self._positive
