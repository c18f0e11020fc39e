from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stimuli.protocol import load_protocol
from stimuli.studies.accept_reject.protocol import Shares
from stimuli.studies.accept_reject.shares import (
    ENOUGH_MATCHED,
    EXPLAINED_KINDS,
    WITH,
    WITHOUT,
    matched_remark,
    run_slots,
    share_counts,
)
from tests.stimuli.studies.accept_reject.conftest import small_protocol

NAMES = tuple(Shares.model_fields)


@given(st.integers(1, 400), st.lists(st.integers(0, 20), min_size=7, max_size=7))
def test_counts_add_up_and_stay_within_one_of_the_share(total, weights):
    whole = sum(weights)
    if whole == 0:
        return
    exact = dict(zip(NAMES, (w / whole for w in weights), strict=True))
    counts = share_counts(total, Shares(**exact))
    assert sum(counts.values()) == total
    assert all(abs(counts[name] - total * exact[name]) < 1 for name in NAMES)


def base(kind: str) -> str:
    return next((name for name, kinds in EXPLAINED_KINDS.items() if kind in kinds), kind)


@pytest.mark.parametrize("number", range(5))
def test_both_runs_have_the_same_shares(protocol, number):
    first, second = (
        Counter((slot.solver, base(slot.control_kind)) for slot in run_slots(protocol, run, number))
        for run in (WITHOUT, WITH)
    )
    assert first == second


def test_kinds_of_a_control_are_split_evenly_over_the_lists(protocol):
    slots = [slot for number in range(12) for slot in run_slots(protocol, WITH, number)]
    counts = Counter(slot.control_kind for slot in slots)
    for kinds in EXPLAINED_KINDS.values():
        assert max(counts[k] for k in kinds) - min(counts[k] for k in kinds) <= 1


def test_by_default_a_lead_sees_six_matched_right_digits_in_each_run():
    """In every list; the misleading kinds come too, and as often over the lists."""
    protocol = load_protocol("accept_reject")
    kinds = Counter()
    for number in range(protocol.solutions.lists):
        for run in (WITHOUT, WITH):
            own = Counter(slot.control_kind for slot in run_slots(protocol, run, number))
            assert own["right_digit"] >= ENOUGH_MATCHED
            assert own["wrong_digit"] >= ENOUGH_MATCHED
            assert own["no_numeral_s_like"] == own["no_numeral_e_like"]
            kinds += own
    misleading = EXPLAINED_KINDS["right_digit"][1:]
    assert {kinds[kind] for kind in misleading} == {protocol.solutions.lists}
    assert matched_remark(protocol) == ""


@given(st.integers(0, 30), st.integers(0, 9), st.integers(0, 7))
def test_as_many_are_matched_as_asked_and_the_rest_is_even(trials, least, number):
    shares = dict.fromkeys(NAMES, 0.0) | {"right_digit": 1.0}
    solutions = {"trials_per_run": trials + 4, "shares": shares, "least_matched": least}
    slots = run_slots(small_protocol(solutions=solutions), WITH, number)
    counts = Counter(slot.control_kind for slot in slots)
    assert counts["right_digit"] >= min(least, trials + 4)
    others = [counts[kind] for kind in EXPLAINED_KINDS["right_digit"][1:]]
    assert max(others) - min(others) <= 1


def test_a_protocol_with_too_few_matched_right_digits_is_told():
    solutions = {"trials_per_run": 40, "least_matched": 0}
    said = matched_remark(load_protocol("accept_reject", changes={"solutions": solutions}))
    assert "harm" in said
    assert "least_matched" in said
