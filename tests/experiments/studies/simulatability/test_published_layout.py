"""Explanations of the published study on pages; skipped where its sheets aren't there.

All 576 at both sizes are among the slow tests.
"""

from functools import cache

import pytest

from tests.experiments.studies.simulatability.laid import (
    SIZES,
    assert_says,
    assert_sound,
    pages_of,
    screens_at,
    texts_of,
)
from tests.experiments.studies.simulatability.made_cases import CLASSES, case, predicted, rated
from tests.xai_backend.studies.simulatability.published import published

METHODS = ("lime", "anchor", "prototype", "decision_boundary", "composite", "omission")
PER_METHOD = 96
MOST_PAGES = 4
screens = cache(screens_at)


@pytest.mark.parametrize(
    ("size_px", "every"),
    [
        (SIZES[0], 32),
        *(pytest.param(size_px, 1, marks=pytest.mark.slow) for size_px in SIZES),
    ],
)
@pytest.mark.parametrize("method", METHODS)
def test_every_explanation_is_laid_out_whole(size_px, every, method):
    at, count = screens(size_px), 0
    for domain in published().material.domains:
        classes = tuple(
            (own, name) for own, (_, name) in zip(domain.classes, CLASSES[domain.name], strict=True)
        )
        for item in domain.items:
            if method not in item.explanations:
                continue
            count += 1
            if count % every:
                continue
            stimulus = case(
                domain.name, None, original=item.original, classes=classes, edits=item.edits,
                label=item.true_label, output=item.output, explanation=item.explanations[method],
            )  # fmt: skip
            task = predicted(stimulus) if item.use == "counterfactual" else rated(stimulus)
            pages = pages_of(at, task)
            assert_sound(at, task, pages)
            assert_says(pages, texts_of(at, stimulus))
            assert len(pages) <= MOST_PAGES
    assert count == PER_METHOD
