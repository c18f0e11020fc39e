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


def ordered(orders):
    """Return material with orders of its first domain's items by method and section."""
    return with_domain(small_material(), orders=orders)


def ids_of(use):
    return [item.source_id for item in small_material().domains[0].items if item.use == use]


def shown_as_an_example():
    """An example shows its output, so it can't be what is predicted too."""
    text = small_material().domains[0]
    example = next(item for item in text.items if item.use == "learning")
    return changed("forward", original=example.original)


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
            lambda: changed("forward", original=TextInput(tokens=("\u05d0", "\u05d1"))),
            "text:test:forward:.*: the script Hebrew is written from right to left",
        ),
        (
            lambda: explained("mine", Rationale(text="well \u0627")),
            "text:validation:learning:.*, mine: the script Arabic is written from right to left",
        ),
        (
            lambda: with_domain(small_material(), class_names={("negative", "he"): "\u05d0"}),
            "text, names: the script Hebrew is written from right to left",
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
        # The first item is a true positive; with the other output it is a false negative.
        (
            lambda: changed("forward", output=lambda item: OTHER[item.output]),
            r"text, forward: true_positive 1, false_positive 2, true_negative 2, "
            r"false_negative 3; items.per_test needs 2 of each",
        ),
        (
            lambda: changed("learning", output=lambda item: OTHER[item.output]),
            r"text, learning: true_positive 0, false_positive 1, true_negative 1, "
            r"false_negative 2; items.learning needs 1 of each",
        ),
        (
            lambda: changed("counterfactual", edited_output=lambda item: item.output),
            r"text, counterfactual: .*true_positive 0, false_positive",
        ),
        (lambda: explained("lime", Rationale(text="a")), "lime: is a rationale, not a lime"),
        (
            lambda: explained("lime", lime(total=float("nan"))),
            "lime: contains a number that isn't finite",
        ),
        (
            lambda: explained(
                "lime", lime(features=(Weighted(name="a", places=(99,), weight=1.0),))
            ),
            "lime: place 99 isn't in the input",
        ),
        (
            lambda: explained("mine", Rationale(text="a", places=(-1,))),
            "mine: place -1 isn't in the input",
        ),
        (
            lambda: explained(
                "mine", Anchor(outcome="great", conditions=(Condition(name="a", places=(0,)),))
            ),
            "mine: 'great' isn't one of negative, positive",
        ),
        (
            lambda: explained(
                "mine", Prototype(prototype=ROW, label="negative", evidence=0.0, terms=())
            ),
            "prototype must have the input's kind",
        ),
        (
            lambda: explained(
                "decision_boundary",
                Boundary(
                    target="negative",
                    margin=None,
                    steps=(BoundaryStep(edits=(Edit(place=0, old="xyz", new="a"),), margin=None),),
                ),
            ),
            "decision_boundary: the input doesn't hold 'xyz' at place 0",
        ),
        (
            lambda: changed("forward", source_id=ids_of("forward")[-1]),
            "text:test:forward:.*: occurs twice",
        ),
        (
            lambda: ordered({("lime", "forward_pre"): ["1", "2"]}),
            "text, lime, forward_pre: the given order must contain",
        ),
        (
            lambda: ordered(
                {
                    ("lime", "learning"): ids_of("learning"),
                    ("composite", "learning_again"): ids_of("learning")[::-1],
                }
            ),
            "composite, learning_again: the examples' order must be the same",
        ),
        (shown_as_an_example, "people predict its output, but text:validation:learning:"),
    ],
)
def test_what_does_not_belong_together_is_refused(material, said):
    with pytest.raises(UserError, match=said):
        check(protocol_of(), material())


def test_a_method_without_explanations_is_refused():
    with pytest.raises(UserError, match="methods names anchor, but no item of text has an expl"):
        check(protocol_of(design={"methods": ["anchor"]}), small_material())
    one = changed("counterfactual", explanations={})
    with pytest.raises(UserError, match="has no explanation by lime; 1 of 12 items of text"):
        check(protocol_of(), one)
    # Where nobody sees them, none is needed.
    check(protocol_of(design={"tests": ["forward"]}), one)
