"""Keys of a protocol: names of keys that every keyboard has, and no others."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from stimuli.errors import UserError
from stimuli.keys import KEYS, Key
from stimuli.protocol import load_protocol
from stimuli.table_study.protocol import TrialRules

NAMED = TypeAdapter(Key)
WRONG = (
    "", " ", "Enter", "return", "num_enter", "space", "escape", "Esc", "nonsense", "ü", "ß", "y",
    "z", "Q", "m", ";", "left", "f1", "ctrl+f", "lshift", "ff", "num_1", "f ",
)  # fmt: skip
FIELDS = (
    ("accept_reject", "session", "left_key"),
    ("accept_reject_accuracy", "session", "right_key"),
    ("human_ai_team", "session", "left_key"),
    ("human_ai_team", "help", "key"),
    ("simulatability", "session", "right_key"),
    ("simulatability", "question", "learning_key"),
)


@pytest.mark.parametrize(
    ("field", "key"), [*((FIELDS[0], key) for key in WRONG), *((one, "Esc") for one in FIELDS)]
)
def test_what_no_keyboard_reports_or_pages_use_is_refused_in_one_line(field, key):
    study, section, name = field
    with pytest.raises(UserError) as refused:
        load_protocol(study, changes={section: {name: key}})
    said = str(refused.value)
    assert said.startswith(f"{study}.toml: {section}.{name}: must be a key")
    assert "\n" not in said
    assert repr(key) in said


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: ".".join(field))
def test_case_does_not_matter(field):
    study, section, name = field
    changed = load_protocol(study, changes={section: {name: "X"}})
    assert getattr(getattr(changed, section), name) == "x"


def test_the_keys_of_a_study_of_choices_are_held_to_the_same():
    keys = TypeAdapter(TrialRules.model_fields["keys"].annotation)
    assert keys.validate_python(("F", "J")) == ("f", "j")
    with pytest.raises(ValidationError, match="must be a key"):
        keys.validate_python(("f", "Enter"))


@given(st.one_of(st.text(max_size=3), st.sampled_from([*string.printable, "F", "K"])))
def test_only_letters_and_digits_that_layouts_share_are_taken(name):
    try:
        key = NAMED.validate_python(name)
    except ValidationError:
        assert name.casefold() not in KEYS
    else:
        assert key in KEYS
        assert key == name.casefold()
