"""LIME: a linear model of the model's probability around an input (Ribeiro et al. 2016).

captum's LIME asks about one perturbed tensor at a time, and has neither this selection of features
nor an intercept to show; so this is the method as the package ``lime`` has it. Features are chosen
by forward selection, as ``lime`` does for up to six. The settings are those of the published code.

Words: a feature is a word with all its occurrences, signs are none; a sample leaves out 1 to all
words. Tables: a feature is a value; a sample is a whole row of the training split (variant
``near_code``), or each column's value is drawn by its share there, as ``lime`` does
(``near_paper``).
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import Ridge

from stimuli.studies.simulatability.stimulus import Lime, TableInput, TextInput, Weighted, Weights
from xai_backend.studies.simulatability.methods.around import (
    CachedAnswers,
    Codes,
    coded,
    explained_share,
    names_of,
    stated,
    values_around,
)
from xai_backend.studies.simulatability.trained import AnyInput, Reals, Trained, outputs_of

SAMPLES = 5000
TEXT_WIDTH = 0.25
"""Width of the kernel over cosine distances."""
TABLE_WIDTH = 0.75
"""Width of the kernel over Euclidean distances, times the root of the number of columns."""
PENALTY = 1.0
"""Penalty of the ridge regression on the chosen features."""
HAS_LETTER = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Surrounding:
    """Samples around an input.

    Attributes
    ----------
    names, places
        Name and places of each feature.
    codes
        Samples as codes, shape (n, k); `inputs_of` makes inputs for the model from them.
    present
        Whether a feature is as in the input, shape (n, features).
    similarity
        Weight of each sample, shape (n,).
    """

    names: tuple[str, ...]
    places: tuple[tuple[int, ...], ...]
    codes: Codes
    inputs_of: Callable[[Codes], Sequence[AnyInput]]
    present: NDArray[np.bool_]
    similarity: Reals


def lime(
    trained: Trained, instance: AnyInput, features: int, variant: str, rng: np.random.Generator
) -> Lime | Weights | None:
    """Return the linear model around an input.

    Parameters
    ----------
    trained
        The domain.
    instance
        The input.
    features
        Number of features that are shown, from the highest weight to the lowest.
    variant
        ``near_code`` or ``near_paper``; it determines where a table's samples come from.
    rng
        Draws the samples.

    Returns
    -------
    Lime | Weights | None
        For a model of more than two classes, the weights for its output, without intercept and
        total: a total below one half can still be the largest. None for a sentence without words.
    """
    if isinstance(instance, TextInput):
        around = words_left_out(instance, rng)
    else:
        around = rows_drawn(trained, instance, variant, rng)
    if not around.names:
        return None
    (output,) = outputs_of(trained.model, [instance])
    ask = explained_share(trained.model, output)
    target = CachedAnswers(ask, around.inputs_of).values(around.codes)
    chosen = forward_selection(around.present, target, around.similarity, features)
    rows = around.present[:, chosen]
    fit = Ridge(alpha=PENALTY).fit(rows, target, around.similarity)
    order = np.lexsort((chosen, -fit.coef_))
    weighted = [
        Weighted(name=around.names[feature], places=around.places[feature], weight=stated(weight))
        for feature, weight in zip(chosen[order], fit.coef_[order], strict=True)
    ]
    if len(trained.classes) > 2:
        return Weights(target=output, terms=tuple(weighted))
    total = fit.coef_.sum()
    return Lime(
        features=tuple(weighted),
        baseline=stated(fit.intercept_),
        weights_sum=stated(total),
        total=stated(fit.intercept_ + total),
        fidelity=stated(fit.score(rows, target, around.similarity)),
    )


def words_left_out(sentence: TextInput, rng: np.random.Generator) -> Surrounding:
    """Return samples with 1 to all words of a sentence left out; the sentence comes first."""
    places: dict[str, list[int]] = {}
    for place, token in enumerate(sentence.tokens):
        if HAS_LETTER.search(token):
            places.setdefault(token, []).append(place)
    left = np.ones((SAMPLES, len(sentence.tokens)), np.int8)
    present = np.ones((SAMPLES, len(places)), bool)
    if places:
        out = rng.integers(1, len(places) + 1, SAMPLES - 1)
        ranks = rng.permuted(np.tile(np.arange(len(places)), (SAMPLES - 1, 1)), axis=1)
        present[1:] = ranks >= out[:, None]
    for feature, word_places in enumerate(places.values()):
        left[:, word_places] = present[:, [feature]]
    keep = left.any(axis=1)
    distance = 1 - np.sqrt(present.mean(axis=1)) if places else np.zeros(SAMPLES)

    def inputs_of(codes: Codes) -> list[AnyInput]:
        return [sentence.kept(np.flatnonzero(row).tolist()) for row in codes]

    return Surrounding(
        tuple(places),
        tuple(map(tuple, places.values())),
        left[keep],
        inputs_of,
        present[keep],
        kernel(distance[keep], TEXT_WIDTH),
    )


def rows_drawn(
    trained: Trained, row: TableInput, variant: str, rng: np.random.Generator
) -> Surrounding:
    """Return rows of the training split (``near_code``), or rows drawn by its columns' shares."""
    space = trained.table
    around = values_around(row, space)
    if variant == "near_code":
        rows = coded(around, [example.instance for example in trained.splits["train"]])
        codes = rows[rng.integers(len(rows), size=SAMPLES)]
    else:
        codes = np.zeros((SAMPLES, len(around.options)), np.int16)
        for place, column in enumerate(row.columns):
            share = dict(zip(space.levels[column], space.shares[column], strict=True))
            chances = np.array([share.get(value, 0.0) for value in around.options[place]])
            codes[1:, place] = rng.choice(len(chances), SAMPLES - 1, p=chances / chances.sum())
    present = codes == 0
    distance = np.sqrt((~present).sum(axis=1))
    width = TABLE_WIDTH * np.sqrt(len(row.columns))
    places = tuple((place,) for place in range(len(row.columns)))
    return Surrounding(
        names_of(row), places, codes, around.inputs, present, kernel(distance, width)
    )


def kernel(distance: Reals, width: float) -> Reals:
    """Return the weights of samples: the root of exp(-d²/width²)."""
    return np.exp(-(distance**2) / (2 * width**2))


def forward_selection(
    present: NDArray[np.bool_], target: Reals, weight: Reals, most: int
) -> NDArray[np.intp]:
    """Choose features one by one, each time the one that explains most together with the others.

    Parameters
    ----------
    present
        Features, shape (n, features).
    target, weight
        The values to explain, and the samples' weights, shape (n,).
    most
        Number of features to choose; all if there are fewer.

    Returns
    -------
    NDArray
        Their indices, in the order in which they were chosen; among equal features, the first.
    """
    features = present - np.average(present, axis=0, weights=weight)
    products = features.T @ (features * weight[:, None])
    with_target = features.T @ ((target - np.average(target, weights=weight)) * weight)
    chosen: list[int] = []
    for _ in range(min(most, present.shape[1])):
        sets = np.array(
            [[*chosen, feature] for feature in range(present.shape[1]) if feature not in chosen]
        )
        inner = np.linalg.pinv(
            products[sets[:, :, None], sets[:, None, :]], rcond=1e-10, hermitian=True
        )
        set_products = with_target[sets]
        explained = np.einsum("si,sij,sj->s", set_products, inner, set_products)
        chosen.append(int(sets[np.argmax(explained), -1]))
    return np.array(chosen)
