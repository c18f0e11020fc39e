"""Decision boundary: the edits that change the output (Hase & Bansal 2020, 3.4 and A.2).

Inputs are drawn around the input. Of those with another output, the one with the fewest edits is
chosen, of several the nearest in the model's latent space. The path there makes one edit at a time:
of those left, the one that changes the evidence margin least. It ends where the output changes.
"""

from collections.abc import Iterator

import numpy as np

from stimuli.studies.simulatability.stimulus import (
    Boundary,
    BoundaryStep,
    Edit,
    TextInput,
    edited,
    edits_between,
)
from xai_backend.studies.simulatability.methods.around import (
    TRIES,
    Around,
    CachedAnswers,
    Codes,
    change_chance,
    drawn_values,
    drawn_words,
    explained_model,
    is_positive,
    stated,
    values_around,
    words_around,
)
from xai_backend.studies.simulatability.trained import (
    AnyInput,
    Reals,
    TaskModel,
    TextSpace,
    Trained,
    outputs_of,
)

TEXT_SAMPLES = 1000
TABLE_SAMPLES = 10_000
TABLE_EDITS = 3


def boundary(
    trained: Trained, instance: AnyInput, steps: int, rng: np.random.Generator
) -> Boundary | None:
    """Return the path to an input's decision boundary.

    Parameters
    ----------
    trained
        The domain.
    instance
        The input.
    steps
        Number of last steps that are shown.
    rng
        Draws the samples.

    Returns
    -------
    Boundary | None
        None if no sample crosses the boundary.
    """
    other = nearest_other(trained, instance, rng)
    if other is None:
        return None
    model = explained_model(trained, instance)
    path = path_to(model, instance, other)
    (target,) = outputs_of(trained.model, [edited(instance, path[-1][0])])
    of_two = len(trained.classes) == 2  # a margin between one class and the others isn't shown
    return Boundary(
        target=target,
        margin=stated(model.margins([instance])[0]) if of_two else None,
        steps=tuple(
            BoundaryStep(edits=edits, margin=stated(value) if of_two else None)
            for edits, value in path[-steps:]
        ),
    )


def nearest_other(
    trained: Trained, instance: AnyInput, rng: np.random.Generator
) -> AnyInput | None:
    """Return the nearest input among those with another output and the fewest edits, or None."""
    model = explained_model(trained, instance)
    positive = is_positive(model.margins([instance]))[0]
    if isinstance(instance, TextInput):
        tries = words_tries(instance, trained.words, rng)
    else:
        around = values_around(instance, trained.table)
        tries = iter([(around, drawn_values(around, TABLE_SAMPLES, TABLE_EDITS, rng))])
    for around, codes in tries:
        codes = np.unique(codes[codes.any(axis=1)], axis=0)
        margins = CachedAnswers(model.margins, around.inputs).values(codes)
        crossing = codes[is_positive(margins) != positive]
        if len(crossing):
            edits = (crossing != 0).sum(axis=1)
            fewest = around.inputs(crossing[edits == edits.min()])
            distance = squared_distances(model, instance, fewest)
            return fewest[int(np.argmin(distance))]
    return None


def path_to(
    model: TaskModel, instance: AnyInput, other: AnyInput
) -> list[tuple[tuple[Edit, ...], float]]:
    """Return the path's steps: all edits so far, by place, and the margin after them."""
    margin = float(model.margins([instance])[0])
    positive, left = margin > 0, list(edits_between(instance, other))
    edits: list[Edit] = []
    path = []
    while left and (margin > 0) == positive:
        candidates = [edited(instance, [*edits, edit]) for edit in left]
        margins = model.margins(candidates)
        least = int(np.argmin(np.abs(margins - margin)))
        edits.append(left.pop(least))
        margin = float(margins[least])
        path.append((tuple(sorted(edits, key=lambda edit: edit.place)), margin))
    return path


def squared_distances(model: TaskModel, instance: AnyInput, others: list[AnyInput]) -> Reals:
    """Return the squared Euclidean distances in latent space, shape (others,)."""
    return ((model.latents(others) - model.latents([instance])) ** 2).sum(axis=1)


def words_tries(
    sentence: TextInput, space: TextSpace, rng: np.random.Generator
) -> Iterator[tuple[Around, Codes]]:
    """Draw sentences that keep fewer words with each try (settings of the published code)."""
    around = words_around(sentence, space)
    for number in range(TRIES):
        chance = change_chance(len(sentence.tokens), number)
        yield around, drawn_words(around, TEXT_SAMPLES, chance, 0.8 + 0.4 * number, rng)
