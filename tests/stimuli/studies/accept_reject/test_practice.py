"""Practice: easy and hard plates, each with what the guidelines ask of it."""

from collections import Counter

import pytest

from stimuli.plates.plate import is_lit, plate_from_bytes
from stimuli.studies.accept_reject.shares import EASY_AND_HARD, expected, practised, tasks_needed
from stimuli.studies.accept_reject.sketch import sketch
from stimuli.studies.accept_reject.tables import ITEMS, KEY, LISTS, NO_NUMERAL, PRACTICE_RUN
from tests.stimuli.studies.accept_reject.conftest import SMALL, small_protocol

TOP = 3


@pytest.fixture(scope="module")
def practice():
    """Rows of practice by list, with key and items: twelve trials, leads at two rungs."""
    solutions = SMALL["solutions"] | {
        "trials_per_run": 8, "practice_trials": 12, "rungs": [1, 2], "lists": 1,
    }  # fmt: skip
    pack = sketch(small_protocol(solutions=solutions))
    key = {row["presentation"]: row for row in pack.table(KEY)}
    items = {row["presentation"]: row for row in pack.table(ITEMS)}
    by_list = {}
    for row in pack.table(LISTS):
        if row["run"] == PRACTICE_RUN:
            name = row["presentation"]
            by_list.setdefault(row["list"], []).append(key[name] | items[name])
    return pack, by_list


def asked(row):
    return expected(row["control_kind"], is_true=row["shown_label"] == row["true_label"])


def test_half_is_easy_half_is_hard_and_half_has_contours():
    assert Counter(plate.hard for plate in EASY_AND_HARD) == {True: 6, False: 6}
    assert Counter(plate.explained for plate in EASY_AND_HARD) == {True: 6, False: 6}


def test_every_list_practises_at_its_own_rung(practice):
    _, by_list = practice
    assert sorted(by_list) == ["deutan-r1-l1", "deutan-r2-l1"]
    for name, rows in by_list.items():
        below = max(int(name[8]) - 1, 1)
        for row, plate in zip(rows, EASY_AND_HARD, strict=True):
            assert row["control_kind"] == plate.kind
            assert row["rung"] == (below if plate.hard else TOP)
            assert (row["region_file"] is not None) is plate.explained


def test_to_be_accepted_is_only_what_anyone_sees(practice):
    """Of a right digit at a low contrast nobody but the lead knows whether it is seen."""
    pack, by_list = practice
    for rows in by_list.values():
        assert Counter(map(asked, rows)) == {"accept": 4, "reject": 6, "as_seen": 2}
        for row in rows:
            lit = is_lit(plate_from_bytes(pack.asset(row["plate_file"])))
            true = row["shown_label"] == row["true_label"]
            assert (asked(row) == "accept") is lit
            assert (asked(row) == "as_seen") is (true and not lit)
            assert (row["true_label"] == NO_NUMERAL) is row["control_kind"].startswith("no_num")


def test_who_accepts_or_rejects_everything_misses_the_default_share():
    """Worked examples taken off: one to accept and one to reject."""
    protocol = small_protocol(solutions=SMALL["solutions"] | {"practice_trials": 12})
    kinds = Counter(expected(p.kind, is_true=p.kind == "high_contrast") for p in EASY_AND_HARD)
    accept, reject = kinds["accept"] - 1, kinds["reject"] - 1
    assert max(accept, reject) / (accept + reject) < protocol.practice.right_share


def test_packs_of_older_protocols_practise_right_and_wrong_digits_at_the_top():
    solutions = SMALL["solutions"] | {"practice_plates": "right_and_wrong"}
    protocol = small_protocol(solutions=solutions)
    plates = practised(protocol.solutions)
    assert [plate.kind for plate in plates] == ["right_digit", "wrong_digit"] * 2
    assert [plate.explained for plate in plates] == [False, False, True, True]
    assert not any(plate.hard for plate in plates)
    assert tasks_needed(protocol)["practice_no_numeral"] == 0
