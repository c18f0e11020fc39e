"""What names somebody is refused in every note and reason."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from participants.notes import LEFT_OUT, NamingError, check_nameless, without_people
from participants.registry.people import LENGTH, SIGNS, new_code
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
        (f"mixed up with {CODE.lower()}", "participant code"),
        ("mixed up with xf9-nqz9", "participant code"),
        ("PC 3 of X F 9 N Q Z 9 again", "participant code"),
        ("Xf9 - Nqz9, again", "participant code"),
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
        "the Dr came", "a woman (Frau) asked", "pcs 3 4 7 n 7 9 had no mouse",
    ],
)  # fmt: skip
def test_dates_times_and_amounts_are_no_contacts(text):
    assert check_nameless(f" {text} ") == text


@given(st.from_regex(r"\+?[0-9]{2,4}[ /-]?[0-9]{3,4}[ -]?[0-9]{3,5}", fullmatch=True))
def test_no_telephone_number_is_let_through(number):
    with pytest.raises(NamingError, match="telephone") as refusal:
        check_nameless(f"call {number} tomorrow")
    assert refusal.value.named == number


@given(st.text(SIGNS, min_size=LENGTH - 1, max_size=LENGTH - 1))
def test_codes_are_no_telephone_numbers(signs):
    assert check_nameless(f"seat of X{signs}", own_code=f"X{signs}")


@given(st.data())
def test_a_code_is_refused_and_left_out_however_it_is_written(data):
    """Who reads it out or types it groups it as they like, and `check_code` takes it."""
    code = new_code()
    between = st.sampled_from(["", "", "", " ", "-", " - "])
    signs = (data.draw(st.sampled_from([sign, sign.lower()])) for sign in code)
    written = "".join(sign + data.draw(between) for sign in signs).strip(" -")
    text = f"seat of {written}, by 9"
    with pytest.raises(NamingError, match="participant code") as refusal:
        check_nameless(text)
    assert refusal.value.named == written
    assert without_people(text) == f"seat of {LEFT_OUT}, by 9"
    assert check_nameless(text, own_code=code) == text
