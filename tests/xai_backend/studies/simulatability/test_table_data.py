from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stimuli.errors import UserError
from tests.xai_backend.given import real_data
from tests.xai_backend.studies.simulatability.published import published
from tests.xai_backend.studies.simulatability.tables import HEADER, small_rows, write_csv
from xai_backend.studies.simulatability.table_columns import binned, quartile_edges, readable
from xai_backend.studies.simulatability.table_data import read_table, split_table

ADULT_LINE = (
    "39, State-gov, 77516, 11th, 13, Married-AF-spouse, Tech-support, Not-in-family, White, Male, "
    "{gain}, 0, 41, Hong, {label}\n"
)


def adult_folder():
    return real_data("adult/adult.data") / "adult"


def test_the_published_sheets_items_stand_at_their_ids_in_the_splits_of_adult():
    tabular = next(d for d in published().material.domains if d.name == "tabular")
    data = read_table(adult_folder())
    splits = split_table(data, "balanced", seed=0)
    assert {name: len(rows) for name, rows in splits.items()} == {
        "train": 12_545, "validation": 1_568, "test": 1_569,
    }  # fmt: skip
    assert sum(map(len, data.levels.values())) == 66
    assert len(tabular.items) == 80
    for item in tabular.items:
        row = splits["validation" if item.use == "learning" else "test"][int(item.source_id)]
        assert (row.source_id, row.instance, row.label) == (
            item.source_id, item.original, item.true_label,
        )  # fmt: skip


def test_adults_values_are_merged_and_money_is_parted_at_the_median(tmp_path):
    gains = [0] * 100 + [10] * 50 + [20, 30] * 25
    lines = [
        ADULT_LINE.format(gain=gain, label=label) for gain in gains for label in ("<=50K", ">50K")
    ]
    (tmp_path / "adult.data").write_text("".join(lines) + "\n")
    data = read_table(tmp_path)
    assert data.rows[0].instance.values == (
        "37.00 < Age <= 48.00", "State-gov", "Dropout", "Married", "Other", "Not-in-family",
        "White", "Male", "No gains", "No losses", "40.00 < Hours per week <= 45.00", "China",
    )  # fmt: skip
    shown = Counter(row.instance.values[8] for row in data.rows)
    assert shown == {"No gains": 200, "Low gains": 100, "High gains": 100}
    (tmp_path / "adult.data").write_text("1,2,3\n")
    with pytest.raises(UserError, match=r"adult\.data, line 1: isn't a line of Adult"):
        read_table(tmp_path)


@given(
    st.lists(st.integers(-30, 30).map(lambda k: k / 4), min_size=4).filter(lambda v: len({*v}) > 1)
)
def test_a_bins_name_says_what_lies_in_it(numbers):
    edges = quartile_edges(numbers)
    assert set(edges) <= set(numbers)
    shown, levels = binned("x", numbers, edges)
    assert set(shown) == set(levels)  # none is empty
    for number, name in zip(numbers, shown, strict=True):
        said = name.replace("≤", "<=").replace("x", f"({number})")
        assert eval(said), name


def test_columns_read_as_people_do():
    ages = [*range(20, 60)] * 3
    assert readable("Age", [str(age) for age in ages])[1] == (
        "Age ≤ 29", "29 < Age ≤ 39", "39 < Age ≤ 49", "Age > 49",
    )  # fmt: skip
    assert readable("Children", ["10", "2", "0"] * 9)[1] == ("0", "2", "10")
    cells = ["b"] * 150 + ["a"] * 148 + ["rare", "rarer"]
    assert readable("Work", cells) == ((*["b"] * 150, *["a"] * 148, "other", "other"),
                                       ("a", "b", "other"))  # fmt: skip


def test_splits_are_balanced_disjoint_and_the_same_in_any_order_of_rows(tmp_path):
    rows = small_rows()
    data = read_table(write_csv(tmp_path / "a.csv", rows))
    splits = split_table(data, "balanced", seed=1)
    ids = [row.source_id for some in splits.values() for row in some]
    labels = Counter(row.label for some in splits.values() for row in some)
    assert len(set(ids)) == len(ids)
    assert labels["no"] == labels["yes"] == min(Counter(row[-1] for row in rows).values())
    held_out = int(np.ceil(0.2 * len(ids)))
    assert len(splits["validation"]) + len(splits["test"]) == held_out
    other = split_table(read_table(write_csv(tmp_path / "b.csv", rows[::-1])), "balanced", seed=1)
    assert other == splits
    assert split_table(data, "balanced", seed=2) != splits
    assert sum(map(len, split_table(data, "none", seed=1).values())) == len(rows)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda rows: [(*row[:-1], "maybe") if k < 3 else row for k, row in enumerate(rows)],
         r"small\.csv: has 3 classes \(maybe, no, yes\); two are needed"),
        (lambda rows: [(*row[:2], "none", *row[3:]) for row in rows],
         r"column Work: every row has 'none'; leave the column out"),
        (lambda rows: rows[:150], r"has \d\d rows of class \w+; 100 are needed"),
        (lambda rows: [(*rows[0][:2], "", *rows[0][3:]), *rows[1:]],
         r"row 2: Work is empty; write a value"),
        (lambda rows: [rows[1], *rows[1:]], "the id 1001 occurs twice"),
        (lambda rows: [(*row[:2], f"name {k}", *row[3:]) for k, row in enumerate(rows)],
         "column Work: none of its 400 different values occurs in at least 1% of the rows"),
    ],
)  # fmt: skip
def test_a_table_that_tells_too_little_is_refused_in_one_line(tmp_path, change, said):
    with pytest.raises(UserError, match=said) as refused:
        read_table(write_csv(tmp_path / "small.csv", change(small_rows())))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("header", "said"),
    [
        (("id", "Age", "Work", "Home", "Children", "class"), "column missing: label"),
        (("id", "Age", "Age", "Home", "Children", "label"), "names column Age twice"),
        (("", "Age", "Work", "Home", "Children", "label"), "column 1 has no name"),
    ],
)
def test_a_header_by_which_columns_cant_be_told_is_refused(tmp_path, header, said):
    assert len(header) == len(HEADER)
    with pytest.raises(UserError, match=said):
        read_table(write_csv(tmp_path / "small.csv", small_rows(), header))
