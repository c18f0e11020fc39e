"""What is read out of each kind of explanation, worked out by hand."""

import pytest

from participants.studies.simulatability.robots.predictors import Memory, Reading, features_of, read
from stimuli.studies.simulatability.stimulus import (
    Anchor,
    Boundary,
    BoundaryStep,
    Composite,
    Condition,
    Edit,
    Lime,
    Omission,
    Prototype,
    Rationale,
    TableInput,
    TextInput,
    Weighted,
    Weights,
)

A_DULL_FILM = TextInput(tokens=("a", "dull", "Film", "a"))
TERMS = (
    Weighted(name="dull", places=(1,), weight=-2.0),
    Weighted(name="a", places=(0, 3), weight=1.0),
)
LIME = Lime(features=TERMS, baseline=0.5, weights_sum=-1.0, total=-0.5)
FIRST = Edit(place=1, old="dull", new="fine")
SECOND = Edit(place=2, old="Film", new="treat")
PATH = Boundary(
    target="pos",
    margin=-4.0,
    steps=(
        BoundaryStep(edits=(FIRST,), margin=-1.0),
        BoundaryStep(edits=(FIRST, SECOND), margin=0.5),
    ),
)
RULE = Anchor(outcome="neg", conditions=(Condition(name="dull", places=(1,)),))
SIMILAR = Prototype(prototype=A_DULL_FILM, label="neg", evidence=-9.0, terms=TERMS)
BY_WEIGHT = Reading({0: 0.25, 1: -1.0, 3: 0.25})


@pytest.mark.parametrize(
    ("explanation", "reading"),
    [
        (LIME, BY_WEIGHT),
        (Omission(margin=-3.0, terms=TERMS), BY_WEIGHT),
        (SIMILAR, BY_WEIGHT),
        (RULE, Reading({1: -1.0}, needed=frozenset({1}))),
        (Rationale(text="dull", places=(1, 2)), Reading({1: -1.0, 2: -1.0})),
        (PATH, Reading({1: -1.0, 2: -0.5}, {(1, "fine"): 1.0, (2, "treat"): 0.5})),
        (
            Composite(lime=LIME, anchor=RULE, boundary=PATH, prototype=SIMILAR),
            Reading({0: 0.25, 1: -1.0, 2: -0.5, 3: 0.25}, {(1, "fine"): 1.0, (2, "treat"): 0.5}),
        ),
    ],
    ids=lambda one: getattr(one, "kind", ""),
)
def test_weights_are_signed_for_the_positive_class(explanation, reading):
    assert read(explanation, "neg", "pos", "pos") == reading


def test_weights_speak_for_their_own_class():
    """Of more than two classes, what speaks for one speaks against each of the others."""
    own = Weights(target="b", terms=TERMS)
    assert read(own, "b", "b", "c") == BY_WEIGHT
    against = {place: -weight for place, weight in BY_WEIGHT.weights.items()}
    assert read(own, "b", "a", "c").weights == against
    assert read(Weights(target=None, terms=TERMS), "a", "a", "c") == BY_WEIGHT


def test_a_path_without_margins_counts_every_edit_alike():
    bare = PATH.model_copy(update={"steps": (BoundaryStep(edits=(FIRST, SECOND), margin=None),)})
    assert read(bare, "neg", "pos", "pos").weights == {1: -1.0, 2: -1.0}


def test_an_explanation_without_terms_says_nothing():
    assert read(Omission(margin=0.0, terms=()), "pos", "pos", "pos") == Reading()


def test_a_value_counts_in_its_column_and_a_word_anywhere():
    row = TableInput(columns=("Sex", "Age"), values=("Male", "Old"))
    assert features_of(row) == (("Sex", "male"), ("Age", "old"))
    assert features_of(A_DULL_FILM)[2] == ("", "film")


def test_examples_speak_by_the_ratio_of_their_outputs():
    """Twice positive beside one word and never negative: log(3/1)."""
    memory = Memory()
    memory.keep("1", TextInput(tokens=("a", "treat")), "pos")
    memory.keep("2", TextInput(tokens=("the", "treat")), "pos")
    memory.keep("2", TextInput(tokens=("the", "treat")), "pos")
    memory.keep("3", A_DULL_FILM, "neg")
    assert memory.by_examples(("", "treat"), "pos") == pytest.approx(1.0986, abs=1e-4)
    assert memory.by_examples(("", "a"), "pos") == 0
    assert memory.by_examples(("", "unknown"), "pos") == 0
    memory.keep_reading(A_DULL_FILM, read(PATH, "neg", "pos", "pos"), "pos")
    assert memory.by_explanations(("", "fine"), "pos") == 1.0
    assert memory.by_explanations(("", "dull"), "pos") == -1.0
    assert memory.by_explanations(("", "a"), "pos") == 0
