"""Explanations in words."""

from analysis.studies.simulatability.questions.seen import (
    MOST_CONDITIONS,
    explanation_sentences,
)
from stimuli.studies.simulatability.stimulus import (
    Anchor,
    Boundary,
    BoundaryStep,
    Condition,
    Edit,
    Rationale,
)


def words(explanation):
    return " ".join(explanation_sentences(explanation))


def test_a_long_rule_says_how_many_conditions_it_has_more():
    conditions = [Condition(name=f"c{n}", places=(n,)) for n in range(MOST_CONDITIONS + 25)]
    told = words(Anchor(outcome="granted", conditions=conditions, precision=0.97))
    assert told.startswith("If c0, c1")
    assert told.endswith("c7 and 25 more, then granted (precision 97 %).")
    always = Anchor(outcome="granted", conditions=())
    assert words(always) == "Whatever the input, granted."


def test_a_path_names_each_steps_edits_and_its_margin():
    one, two = Edit(place=0, old="a", new="b"), Edit(place=2, old="c", new="d")
    steps = (BoundaryStep(edits=(one,), margin=-0.5), BoundaryStep(edits=(one, two), margin=None))
    told = words(Boundary(target="negative", margin=1.0, steps=steps))
    assert told == "Towards negative: a → b (margin −0.50); a → b, c → d."
    assert words(Rationale(text="Because.")) == "Because."
