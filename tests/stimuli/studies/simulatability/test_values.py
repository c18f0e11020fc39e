"""Inputs, edits, explanations, protocol: what goes in comes out, what can't be is refused."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stimuli.studies.simulatability.protocol import Simulatability, arm_of, cell_of
from stimuli.studies.simulatability.stimulus import (
    EXPLANATION,
    Anchor,
    Condition,
    Edit,
    Lime,
    TableInput,
    TextInput,
    Weighted,
    edited,
    edits_between,
)

FILE = Path("stimuli/studies/simulatability/protocol.toml")
WORDS = st.lists(st.text("abc,'", min_size=1, max_size=4), min_size=1, max_size=12)


def published(**changes):
    document = tomllib.loads(FILE.read_text(encoding="utf-8"))
    for place, value in changes.items():
        section, _, field = place.partition("__")
        document[section][field] = value
    return Simulatability.model_validate(document)


@given(WORDS, st.data())
def test_edits_lead_from_one_input_to_the_other(tokens, data):
    other = [data.draw(st.sampled_from([token, f"{token}x"])) for token in tokens]
    original, changed = TextInput(tokens=tokens), TextInput(tokens=other)
    edits = edits_between(original, changed)
    assert len(edits) == sum(a != b for a, b in zip(tokens, other, strict=True))
    assert edited(original, edits) == changed


def test_a_row_is_edited_by_column():
    row = TableInput(columns=("Age", "Sex"), values=("Age > 48.00", "Male"))
    edit = Edit(place=1, old="Male", new="Female")
    assert edited(row, [edit]).values == ("Age > 48.00", "Female")


@pytest.mark.parametrize("edit", [Edit(place=2, old="b", new="c"), Edit(place=0, old="b", new="c")])
def test_an_edit_of_what_is_not_there_is_refused(edit):
    with pytest.raises(ValueError, match="doesn't hold 'b'"):
        edited(TextInput(tokens=("a", "b")), [edit])


@pytest.mark.parametrize(
    "explanation",
    [
        Lime(
            features=(Weighted(name="too", places=(1, 3), weight=-0.15),),
            baseline=0.26,
            weights_sum=-0.28,
            total=-0.02,
        ),
        Anchor(outcome="neg", conditions=(Condition(name="too", places=(1,)),), precision=0.97),
    ],
)
def test_explanations_are_the_same_after_json(explanation):
    assert EXPLANATION.validate_json(explanation.model_dump_json()) == explanation


def test_arms_are_domains_and_methods():
    protocol = published()
    assert len(protocol.arms) == 12
    assert all(arm_of(*cell_of(arm)) == arm for arm in protocol.arms)
    assert cell_of("text_decision_boundary") == ("text", "decision_boundary")


def test_people_are_told_no_longer_session_than_is_planned():
    """Tests were halved for lack of time that everybody had been asked for."""
    assert published(length__session_s=4500.0).expected_minutes == 75
    with pytest.raises(ValueError, match=r"expected_minutes \(75\) is longer"):
        published(length__session_s=4499.0)
    published(length__session_s=4499.0, length__shorten=False)
