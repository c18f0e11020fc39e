"""Items fill exact cells; both models agree on them; a cell that can't be filled is refused."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from stimuli.errors import UserError
from stimuli.studies.simulatability.fitting import check
from stimuli.studies.simulatability.material import DomainMaterial, Material, answers_shown_before
from stimuli.studies.simulatability.stimulus import edited
from tests.stimuli.studies.simulatability.small import protocol_of
from tests.xai_backend.studies.simulatability.made_up import made_up
from xai_backend.studies.simulatability.gather import select

DESIGN = {"domains": ["tabular"], "methods": ["no_explanation"]}


def rules(**changes):
    """Return the published numbers of items, for a table."""
    return protocol_of(
        items={"learning": 16, "per_test": 32, **changes.get("items", {})},
        design={**DESIGN, **changes.get("design", {})},
    )


@pytest.fixture(scope="module")
def items():
    return select(made_up(), rules(), "key")


def outputs(model, inputs):
    return [model.classes[int(margin > 0)] for margin in model.margins(inputs)]


def test_items_fit_the_protocol(items):
    """The composer's own checks of balance, flips, ids and inputs, on the published numbers."""
    domain = DomainMaterial("tabular", made_up().classes, items)
    check(rules(), Material([domain]))
    assert Counter(item.use for item in items) == {
        "learning": 16,
        "forward": 32,
        "counterfactual": 32,
    }


def test_both_models_give_every_output_that_is_said(items):
    """On originals and on changed inputs, each asked alone."""
    for item in items:
        for model in (made_up().model, made_up().prototypes):
            assert outputs(model, [item.original]) == [item.output]
            if item.edits is not None:
                assert outputs(model, [edited(item.original, item.edits)]) == [item.edited_output]
                assert 1 <= len(item.edits) <= rules().items.most_edits_tabular


def test_items_come_from_their_split_and_no_input_twice(items):
    for item in items:
        assert item.split == ("validation" if item.use == "learning" else "test")
        (row,) = [r for r in made_up().splits[item.split] if r.source_id == item.source_id]
        assert (row.instance, row.label) == (item.original, item.true_label)
    shown = [item.original for item in items]
    shown += [edited(item.original, item.edits) for item in items if item.edits]
    assert len(set(shown)) == len(shown)
    assert not list(answers_shown_before(items, ("counterfactual", "forward")))


def test_the_original_does_not_say_whether_its_change_flips(items):
    """Its margin, which is what an original tells, is no smaller where the change flips."""
    sizes = {True: [], False: []}
    for seed in range(12):
        for item in select(made_up(), rules(), f"key {seed}"):
            if item.use == "counterfactual":
                margin = abs(made_up().model.margins([item.original])[0])
                sizes[item.flips].append(margin)
    flips, stays = (sorted(sizes[kind]) for kind in (True, False))
    # Mann-Whitney: within 3.3 standard errors of a half.
    wins = sum(a > b for a in flips for b in stays) / (len(flips) * len(stays))
    error = ((len(flips) + len(stays) + 1) / (12 * len(flips) * len(stays))) ** 0.5
    assert abs(wins - 0.5) < 3.3 * error


def test_an_input_that_no_change_can_flip_is_shown_where_none_is_to():
    """Whether a change flips is settled before it is drawn (appendix A.2); here of one value."""
    items = select(made_up(), rules(items={"most_edits_tabular": 1}), "key")
    changed = [item for item in items if item.use == "counterfactual"]
    assert all(flippable(item.original) for item in changed if item.flips)
    assert not all(flippable(item.original) for item in changed if not item.flips)


def flippable(given):
    """Return whether some other value in one column would turn the output round."""
    weights, margin = made_up().model.weights, made_up().model.margins([given])[0]
    toward = np.sign(margin) * weights
    own = toward[range(len(toward)), [int(value) for value in given.values]]
    return (own - toward.min(axis=1)).max() > abs(margin)


def test_the_choice_follows_from_the_key_alone(items):
    """Not from the order of the data; with another key, others are chosen."""
    turned = replace(
        made_up(), splits={name: rows[::-1] for name, rows in made_up().splits.items()}
    )
    assert select(turned, rules(), "key") == items
    assert select(made_up(), rules(), "other") != items


def test_a_banned_item_is_replaced_by_one_of_its_cell_and_no_other_changes(items):
    gone = next(item for item in items if item.use == "forward")
    again = select(made_up(), rules(), "key", {gone.key("tabular")})
    assert gone not in again
    assert len(again) == len(items)
    assert sum(item not in again for item in items) == 1


def test_a_cell_that_cannot_be_filled_is_refused_with_all_counts():
    with pytest.raises(UserError) as refused:
        select(made_up(rows=200), rules(), "key")
    line = str(refused.value)
    assert line.startswith("tabular: too few inputs on which both models agree (learning true_pos")
    assert "\n" not in line
    for use, needed in (("learning", 4), ("forward", 8), ("counterfactual", 8)):
        for outcome in ("true_positive", "false_positive", "true_negative", "false_negative"):
            found = int(line.partition(f"{use} {outcome} ")[2].partition(" of ")[0])
            assert f"{use} {outcome} {found} of {needed}" in line
