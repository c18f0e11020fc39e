"""Material that doesn't fit its protocol is refused in one line that says what and where."""

from dataclasses import replace

import pytest

from stimuli.errors import UserError
from stimuli.studies.simulatability.fitting import check
from stimuli.studies.simulatability.stimulus import (
    Anchor,
    Boundary,
    BoundaryStep,
    Condition,
    Edit,
    Lime,
    Prototype,
    Rationale,
    TableInput,
    TextInput,
    Weighted,
)
from tests.stimuli.studies.simulatability.small import (
    protocol_of,
    small_material,
    with_domain,
    with_items,
)

OTHER = {"negative": "positive", "positive": "negative"}
ROW = TableInput(columns=("a",), values=("b",))


def changed(use, **values):
    """Return material whose first text item of a use is changed; a function is called with it."""

    def change(item):
        return replace(item, **{k: v(item) if callable(v) else v for k, v in values.items()})

    return with_items(small_material(), use, change)


def explained(method, explanation):
    """Return material whose first example has an explanation in place of its own."""
    return changed("learning", explanations=lambda item: {**item.explanations, method: explanation})


def lime(**values):
    feature = Weighted(name="a", places=(0,), weight=1.0)
    whole = {"features": (feature,), "baseline": 0.0, "weights_sum": 1.0, "total": 1.0}
    return Lime(**{**whole, **values})


def test_what_fits_is_taken():
    check(protocol_of(), small_material())
    check(protocol_of(design={"methods": ["no_explanation"]}), small_material())


@pytest.mark.parametrize(
    ("use", "said"),
    [
        (
            "forward",
            r"text, forward: true_positive 1, false_positive 2, true_negative 2, "
            r"false_negative 3; items.per_test needs 2 of each",
        ),
        (
            "learning",
            r"text, learning: true_positive 0, false_positive 1, true_negative 1, "
            r"false_negative 2; items.learning needs 1 of each",
        ),
    ],
)
def test_an_outcome_too_few_is_refused_with_all_counts(use, said):
    # The first item is a true positive; with the other output it is a false negative.
    with pytest.raises(UserError, match=said):
        check(protocol_of(), changed(use, output=lambda item: OTHER[item.output]))


def test_flips_that_are_not_half_of_an_outcome_are_refused_with_all_counts():
    unflipped = changed("counterfactual", edited_output=lambda item: item.output)
    with pytest.raises(UserError, match=r"text, counterfactual: .*true_positive 0, false_positive"):
        check(protocol_of(), unflipped)


@pytest.mark.parametrize(
    ("material", "said"),
    [
        (lambda: changed("forward", true_label="neither"), "true label 'neither' isn't one of neg"),
        (lambda: changed("forward", output="?"), "output '\\?' isn't one of negative, positive"),
        (lambda: changed("counterfactual", edited_output="?"), "edited input '\\?' isn't one of"),
        (lambda: changed("counterfactual", edits=()), "counterfactual:.*: lacks edits"),
        (
            lambda: changed("forward", edits=(Edit(place=0, old="a", new="b"),)),
            "forward:.*: has edits",
        ),
        (
            lambda: changed("counterfactual", edits=(Edit(place=0, old="xyz", new="b"),)),
            "doesn't hold 'xyz' at place 0",
        ),
        (lambda: changed("forward", original=ROW), "is a table, but the domain is text"),
        (
            lambda: changed("forward", original=TextInput(tokens=("a", "\u4e00"))),
            r"text:test:forward:.*, the input: the typeface lacks '\u4e00' \(U\+4E00\)",
        ),
        (
            lambda: changed("forward", original=TextInput(tokens=("\u05d0", "\u05d1"))),
            "text:test:forward:.*: is written from right to left",
        ),
        (
            lambda: explained("mine", Rationale(text="well \u4e00")),
            r"text:validation:learning:.*, mine: the typeface lacks '\u4e00'",
        ),
        (
            lambda: with_domain(small_material(), class_names={("negative", ""): "\u4e00"}),
            "text, names: the typeface lacks",
        ),
        (
            lambda: replace(small_material(), domains=small_material().domains[:1]),
            "design.domains names tabular, but there are only items of text",
        ),
        (
            lambda: replace(
                small_material(), domains=[small_material().domains[0], *small_material().domains]
            ),
            "text: occurs twice",
        ),
    ],
)
def test_what_does_not_belong_together_is_refused(material, said):
    with pytest.raises(UserError, match=said):
        check(protocol_of(), material())


@pytest.mark.parametrize(
    ("method", "explanation", "said"),
    [
        ("lime", Rationale(text="a"), "lime: is a rationale, not a lime"),
        ("lime", lime(total=float("nan")), "lime: contains a number that isn't finite"),
        (
            "lime",
            lime(features=(Weighted(name="a", places=(99,), weight=1.0),)),
            "lime: place 99 isn't in the input",
        ),
        ("mine", Rationale(text="a", places=(-1,)), "mine: place -1 isn't in the input"),
        (
            "mine",
            Anchor(outcome="great", conditions=(Condition(name="a", places=(0,)),)),
            "mine: 'great' isn't one of negative, positive",
        ),
        (
            "mine",
            Prototype(prototype=ROW, label="negative", evidence=0.0, terms=()),
            "prototype must have the input's kind",
        ),
        (
            "decision_boundary",
            Boundary(
                target="negative",
                margin=None,
                steps=(BoundaryStep(edits=(Edit(place=0, old="xyz", new="a"),), margin=None),),
            ),
            "decision_boundary: the input doesn't hold 'xyz' at place 0",
        ),
    ],
)
def test_an_explanation_that_does_not_fit_its_item_is_refused(method, explanation, said):
    with pytest.raises(UserError, match=said):
        check(protocol_of(), explained(method, explanation))


def test_a_method_without_explanations_is_refused():
    with pytest.raises(UserError, match="methods names anchor, but no item of text has an expl"):
        check(protocol_of(design={"methods": ["anchor"]}), small_material())
    one = changed("counterfactual", explanations={})
    with pytest.raises(UserError, match="has no explanation by lime; 1 of 12 items of text"):
        check(protocol_of(), one)
    # Where nobody sees them, none is needed.
    check(protocol_of(design={"tests": ["forward"]}), one)


def test_an_id_that_comes_twice_is_refused():
    first = next(i for i in small_material().domains[0].items if i.use == "forward")
    last = [i for i in small_material().domains[0].items if i.use == "forward"][-1]
    twice = with_items(
        small_material(), "forward", lambda item: replace(item, source_id=last.source_id)
    )
    assert first.source_id != last.source_id
    with pytest.raises(UserError, match=f"text:test:forward:{last.source_id}: occurs twice"):
        check(protocol_of(), twice)


def test_an_order_that_misses_an_item_is_refused():
    orders = {("lime", "forward_pre"): ["1", "2"]}
    with pytest.raises(UserError, match="text, lime, forward_pre: the given order must contain"):
        check(protocol_of(), with_domain(small_material(), orders=orders))


def test_orders_of_the_examples_that_differ_between_methods_are_refused():
    ids = [i.source_id for i in small_material().domains[0].items if i.use == "learning"]
    orders = {("lime", "learning"): ids, ("composite", "learning_again"): ids[::-1]}
    with pytest.raises(
        UserError, match="composite, learning_again: the examples' order must be the same"
    ):
        check(protocol_of(), with_domain(small_material(), orders=orders))


def test_an_input_whose_output_is_told_elsewhere_is_refused():
    """An example shows its output, so it can't be what is predicted too."""
    text = small_material().domains[0]
    example = next(item for item in text.items if item.use == "learning")
    forward = next(item for item in text.items if item.use == "forward")
    assert (forward.true_label, forward.output) == (example.true_label, example.output)
    with pytest.raises(UserError, match="people predict its output, but text:validation:learning:"):
        check(protocol_of(), changed("forward", original=example.original))
