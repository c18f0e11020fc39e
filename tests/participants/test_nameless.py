"""What names somebody is refused in every note and reason."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from participants.notes import NamingError, check_nameless
from participants.registry.people import LENGTH, SIGNS
from stimuli.errors import UserError

CODE = "XF9NQZ9"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("write to jo@example.org", "e-mail"),
        ("jo.doe+x@uni.example", "e-mail"),
        ("call 030 123 4567", "telephone"),
        ("call +49 (0)30/1234567", "telephone"),
        ("01701234567", "telephone"),
        ("0170-123-45-67 in the evening", "telephone"),
        ("Mrs Miller felt dizzy", "a name"),
        ("Frau Müller war müde", "a name"),
        ("ask Dr. Smith", "a name"),
        (f"mixed up with {CODE}", "participant code"),
        (f"see 20261123T101530Z-{CODE}", "participant code"),
        ("  ", "1 to 500"),
        ("x" * 501, "1 to 500"),
    ],
)
def test_contacts_names_and_codes_are_refused(text, what):
    with pytest.raises(UserError, match=what):
        check_nameless(text)


@pytest.mark.parametrize(
    "text",
    [
        "paid 20.50 EUR", "fire alarm 10:15:30 on 2026-11-23", "23.11.2026: 45 of 120 trials",
        "session 20261123T101530Z stopped", "rig 12, 600 x 400 px, 1200 cd", "3 waited 20 min",
        "the Dr came", "a woman (Frau) asked",
    ],
)  # fmt: skip
def test_dates_times_and_amounts_are_no_contacts(text):
    assert check_nameless(f" {text} ") == text


@given(st.from_regex(r"\+?[0-9]{2,4}[ /-]?[0-9]{3,4}[ -]?[0-9]{3,5}", fullmatch=True))
def test_no_telephone_number_is_let_through(number):
    with pytest.raises(NamingError, match="telephone") as refusal:
        check_nameless(f"call {number} tomorrow")
    assert refusal.value.found == number


@given(st.text(SIGNS, min_size=LENGTH - 1, max_size=LENGTH - 1))
def test_codes_are_no_telephone_numbers(signs):
    assert check_nameless(f"seat of X{signs}", own=f"X{signs}")
