"""Which participants a model of a large table is fitted to."""

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from analysis.report.model import people_by_arm, people_within

COUNTS = st.dictionaries(st.text("abc", min_size=1), st.integers(1, 50), min_size=1)


@given(COUNTS, st.integers(0, 400), st.integers(0, 400))
def test_a_smaller_sample_is_part_of_a_larger_one_and_both_fit(rows, one, other):
    small, large = (people_within(rows, most) for most in sorted((one, other)))
    assert large[: len(small)] == small
    for drawn, most in ((small, min(one, other)), (large, max(one, other))):
        assert len(drawn) == 1 or sum(rows[code] for code in drawn) <= most


@given(COUNTS)
def test_everybody_is_taken_if_all_rows_fit_and_the_order_of_rows_is_nothing(rows):
    drawn = people_within(rows, sum(rows.values()))
    assert set(drawn) == set(rows)
    assert people_within(dict(reversed(rows.items())), sum(rows.values())) == drawn


def test_every_arm_is_in_the_sample_by_its_share():
    people = [f"p{n}" for n in range(100)]
    arms = ["large" if n < 90 else "small" for n in range(100)]
    answers = pd.DataFrame({"participant": people * 3, "method": arms * 3})
    drawn = people_by_arm(answers, 60)
    sizes = answers[answers["participant"].isin(drawn)]["method"].value_counts()
    assert sizes.to_dict() == {"large": 54, "small": 6}
    assert people_by_arm(answers, 300) == sorted(people)
