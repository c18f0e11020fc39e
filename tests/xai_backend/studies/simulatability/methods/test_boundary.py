"""The path to the decision boundary against brute force and a slow reference."""

import itertools

import numpy as np
import pytest

from stimuli.studies.simulatability.stimulus import edited, edits_between
from tests.xai_backend.studies.simulatability.stand_ins import (
    LEVELS,
    TAGS,
    every_row,
    row,
    sentence,
    table_domain,
    text_domain,
)
from xai_backend.studies.simulatability.methods.around import drawn_values, values_around
from xai_backend.studies.simulatability.methods.boundary import (
    boundary,
    nearest_other,
    path_to,
    squared_distances,
)

PAIR = ("Male", "High gains", -2.5)


def rng(number=0):
    return np.random.default_rng(number)


@pytest.mark.parametrize("number", range(0, 36, 3))
def test_the_chosen_row_is_the_nearest_of_all_with_another_output(number):
    domain = table_domain(pair=PAIR)
    one = every_row()[number]
    said = domain.model.margins([one])[0] > 0
    others = [
        other
        for other in every_row()
        if (domain.model.margins([other])[0] > 0) != said and len(edits_between(one, other)) <= 3
    ]
    distance = squared_distances(domain.model, one, others)
    nearest = [
        (len(edits_between(one, other)), own) for other, own in zip(others, distance, strict=True)
    ]
    found = nearest_other(domain, one, rng(number))
    (own,) = squared_distances(domain.model, one, [found])
    assert (len(edits_between(one, found)), own) == min(nearest)


def slow_path(model, one, other):
    """Of all orders of edits: at each step the smallest change, the earliest place if equal."""
    left, made, margin = list(edits_between(one, other)), [], model.margin(one.parts)
    positive, steps = margin > 0, []
    while left and (margin > 0) == positive:
        changes = []
        for edit in left:
            after = model.margin(edited(one, [*made, edit]).parts)
            changes.append((abs(after - margin), edit.place, after, edit))
        _, _, margin, edit = min(changes, key=lambda change: change[:2])
        left.remove(edit)
        made.append(edit)
        steps.append((frozenset(made), margin))
    return steps


def test_each_step_changes_the_margin_least():
    domain = table_domain(pair=PAIR)
    pairs = itertools.product(every_row()[::5], every_row()[::7])
    for one, other in pairs:
        if one != other:
            path = path_to(domain.model, one, other)
            found = [(frozenset(edits), pytest.approx(margin)) for edits, margin in path]
            assert slow_path(domain.model, one, other) == found


def test_steps_lead_from_the_input_across_the_boundary():
    domain = text_domain()
    one = sentence("the great cast is good , the plot is good .")
    found = boundary(domain, one, 4, rng())
    assert found.target == "neg"
    assert found.margin == pytest.approx(domain.model.margins([one])[0])
    margins = [step.margin for step in found.steps]
    assert all(margin > 0 for margin in margins[:-1])
    assert margins[-1] <= 0
    for before, after in itertools.pairwise(found.steps):
        assert set(before.edits) < set(after.edits)
        assert len(after.edits) == len(before.edits) + 1
    for step in found.steps:
        assert domain.model.margins([edited(one, step.edits)])[0] == pytest.approx(step.margin)
        places = [edit.place for edit in step.edits]
        assert places == sorted(places)
        assert all(TAGS[edit.old] == TAGS[edit.new] != "DET" for edit in step.edits)


def test_an_input_without_a_way_out_has_no_boundary():
    assert boundary(text_domain(), sentence("the , a ."), 4, rng()) is None
    sure = table_domain()
    sure.model.bias = 50.0
    assert boundary(sure, every_row()[0], 4, rng()) is None


def test_rows_have_one_to_three_new_values_drawn_evenly():
    domain = table_domain()
    one = row("Age > 48.00", "Male", "Sales", "No gains")
    around = values_around(one, domain.space)
    codes = drawn_values(around, 10_000, 3, rng())
    edits = np.bincount((codes != 0).sum(axis=1), minlength=4)
    assert edits[0] == 0
    assert edits[1:] / len(codes) == pytest.approx(np.full(3, 1 / 3), abs=0.02)
    ages = [new for new in around.options[0] if new != "Age > 48.00"]
    assert set(ages) == set(LEVELS["Age"]) - {"Age > 48.00"}
    counts = np.bincount(codes[:, 0], minlength=3)[1:]
    assert counts[0] / counts.sum() == pytest.approx(0.5, abs=0.03)
    places = (codes != 0).mean(axis=0)
    assert places == pytest.approx(np.full(4, places.mean()), abs=0.02)
