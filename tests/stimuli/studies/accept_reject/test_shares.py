from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stimuli.studies.accept_reject.protocol import Shares
from stimuli.studies.accept_reject.shares import (
    EXPLAINED_KINDS,
    WITH,
    WITHOUT,
    run_slots,
    share_counts,
    tasks_needed,
)

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


def test_plates_suffice_for_one_list(protocol):
    needed = tasks_needed(protocol)
    assert needed["main"] + needed["no_numeral"] == 2 * protocol.solutions.trials_per_run
