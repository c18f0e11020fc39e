"""Codes and the people behind them."""

import itertools

import pytest

from participants.registry import (
    ConsentAnswer,
    check_code,
    new_code,
)
from participants.registry.people import LENGTH, LETTERS, SIGNS
from stimuli.errors import UserError
from tests.participants.registry.people import lead, session_of


def test_no_two_signs_look_alike():
    assert len(SIGNS) == len(set(SIGNS)) == 23
    for alike in ("0O", "0D", "1IL", "2Z", "5S", "6G", "8B", "UV"):
        assert sum(sign in SIGNS for sign in alike) <= 1


def test_every_single_wrong_sign_and_every_swap_is_caught():
    for code in {new_code() for _ in range(20)}:
        assert code[0] in LETTERS, "no spreadsheet takes it for a number"
        for at, sign in itertools.product(range(LENGTH), SIGNS):
            if sign != code[at]:
                with pytest.raises(UserError, match="typing error"):
                    check_code(code[:at] + sign + code[at + 1 :])
        for first, second in itertools.combinations(range(LENGTH), 2):
            signs = list(code)
            signs[first], signs[second] = signs[second], signs[first]
            if code[first] != code[second]:
                with pytest.raises(UserError, match="typing error"):
                    check_code("".join(signs))


@pytest.mark.parametrize("typed", ["", "K7", "0000000", "name@home", "K7RTMXF K7RTMXF"])
def test_what_is_no_code_is_refused(typed):
    with pytest.raises(UserError, match="not a participant code"):
        check_code(typed)


def test_case_spaces_and_hyphens_are_forgiven():
    code = new_code()
    assert check_code(f" {code[:3].lower()}-{code[3:].lower()} ") == code


@pytest.mark.parametrize(
    ("role", "changes", "message"),
    [
        ("king", {}, "no role 'king'"),
        ("lead", {"axis": "deutan"}, "go together"),
        ("lead", {"rung": 3}, "go together"),
        ("expert", {"axis": "deutan", "rung": 3}, "belong to leads"),
        ("lead", {"axis": "tritan", "rung": 3}, "no axis 'tritan'"),
        ("lead", {"axis": "deutan", "rung": 0}, "rungs count from 1"),
        ("lead", {"purpose": "fun"}, "no purpose 'fun'"),
    ],
)
def test_people_who_make_no_sense_are_refused(registry, role, changes, message):
    with pytest.raises(UserError, match=message):
        registry.enrol(role, **changes)
    assert registry.list() == ()


def test_the_list_counts_sessions_and_shows_the_last_consent(registry, clock):
    code = lead(registry)
    clock.wait(1)
    other = registry.enrol("expert", purpose="pilot")
    registry.start_session(session_of(code))
    answer = ConsentAnswer("consent", "1.0", "0" * 64, "en", agreed=True)
    registry.record_consent(code, answer, "s-1")
    registry.finish_session("s-1")
    first, second = registry.list()
    assert (first.code, first.sessions, first.complete, first.consent) == (code, 1, 1, True)
    assert (second.code, second.role, second.purpose) == (other, "expert", "pilot")
    assert second.consent is None
    assert not hasattr(first, "list")
    assert not hasattr(first, "order")
