"""Rows of estimates: made by cells and contrasts, written as one list, shown as tables."""

import json
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.questions.cells import Cells
from analysis.questions.estimates import (
    Contrast,
    EstimateRow,
    Estimates,
    Quantity,
    estimate_row,
    family,
    levels,
)
from analysis.questions.pivot import adjusted_p_of, level_of, limits_of, pivot, value_of
from analysis.questions.question import Question
from analysis.questions.results_file import answer_as_json, as_table, gathered, read_back
from analysis.report.wording import percent
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.comparison import mann_whitney
from analysis.statistics.estimate import by_student

RIGHT = Quantity("right", "Right", "Right answers.", percent)
GAIN = Quantity("gain", "Gain", "Right answers of an arm less those of another.")
PLAN = Resampling(0, 1)
ARMS, PARTS = ("none", "map", "text"), ("early", "late")


def answers(seed: int = 1, people: int = 9, items: int = 6) -> pd.DataFrame:
    """Return each person's answers in one arm, to every item in both parts."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"p{person}", f"i{item}", ARMS[person % 3], part, bool(rng.random() < 0.6))
        for person, item, part in product(range(people), range(items), PARTS)
    ]
    return pd.DataFrame(rows, columns=["participant", "item", "method", "part", "right"])


def cells_of(frame: pd.DataFrame) -> Cells:
    return Cells.of(frame, "right", {"method": ARMS, "part": PARTS}, PLAN)


def test_cells_are_the_means_of_their_rows():
    frame = answers()
    expected = frame.groupby(["method", "part"])["right"].agg(["mean", "size"])
    for row in cells_of(frame).rows(RIGHT):
        assert row.estimate == pytest.approx(expected.loc[tuple(row.of.values()), "mean"])
        assert row.n == expected.loc[tuple(row.of.values()), "size"]
        assert row.count == round(row.estimate * row.n)
        assert row.ci_low < row.estimate < row.ci_high


def test_a_cell_without_answers_has_no_row_and_gives_no_contrast():
    frame = answers()
    cells = cells_of(frame[frame["method"] != "text"])
    assert levels(cells.rows(RIGHT), "method") == ("none", "map")
    (row,) = {c.row().estimate for c in cells.contrasts(GAIN, "method", [("text", "none")])}
    assert np.isnan(row)


def test_without_a_factor_there_is_one_cell():
    frame = answers()
    (row,) = Cells.of(frame, "right", {}, PLAN).rows(RIGHT)
    assert (row.of, row.n) == ({}, len(frame))
    assert row.estimate == pytest.approx(frame["right"].mean())


def test_cells_of_numbers_are_means_with_limits_inside_the_ends():
    """One arm's answers are all alike: its limits are the exact ones."""
    frame = answers().assign(gain=lambda rows: np.where(rows["right"], 1.0, -1.0))
    frame.loc[frame["method"] == "text", "gain"] = 1.0
    cells = Cells.of(frame, "gain", {"method": ARMS}, PLAN, (-1.0, 1.0))
    means = frame.groupby("method")["gain"].mean()
    for row in family(cells.tested(GAIN)):
        assert row.estimate == pytest.approx(means[row.of["method"]])
        assert -1 <= row.ci_low < row.ci_high <= 1
        assert row.p_adjusted >= row.p
    (row,) = (one.row() for one in cells.contrasts(GAIN, "method", [("text", "map")]))
    assert row.estimate == pytest.approx(means["text"] - means["map"])


def test_sums_over_a_factor_are_weighted_sums_of_its_cells():
    cells = cells_of(answers())
    share = {tuple(row.of.values()): row.estimate for row in cells.rows(RIGHT)}
    sums = cells.sums(RIGHT, "part", {"both": {"early": 0.25, "late": 0.75}})
    for row in sums:
        early, late = (share[row.of["method"], part] for part in PARTS)
        assert row.of["part"] == "both"
        assert row.estimate == pytest.approx(0.25 * early + 0.75 * late)


@settings(max_examples=20)
@given(st.integers(0, 10_000))
def test_limits_and_p_of_a_family_agree_on_zero_and_contrasts_turn_round(seed):
    cells = cells_of(answers(seed))
    there = cells.contrasts(GAIN, "method", [("map", "none"), ("text", "none")])
    back = cells.contrasts(GAIN, "method", [("none", "map"), ("none", "text")])
    for row, other in zip(family(there), family(back), strict=True):
        assert (row.of["method"], row.of["against"]) == (other.of["against"], other.of["method"])
        assert row.estimate == pytest.approx(-other.estimate)
        assert row.adjusted_low == pytest.approx(-other.adjusted_high)
        assert row.p_adjusted >= row.p
        assert (row.ci_low > 0 or row.ci_high < 0) == (row.p < 0.05)
        assert (row.adjusted_low > 0 or row.adjusted_high < 0) == (row.p_adjusted < 0.05)


def test_a_family_is_corrected_over_its_members_alone():
    values = [by_student(1.0, se, 20) for se in (0.2, 0.4, 0.45)]
    contrasts = [
        Contrast(GAIN, {"method": name}, value) for name, value in zip(ARMS, values, strict=True)
    ]
    rows = family(contrasts, margin=0.1, inside=lambda one: one.of["method"] != "none")
    assert [row.p_adjusted for row in rows] == pytest.approx(
        [None, 2 * values[1].p, max(2 * values[1].p, values[2].p)]
    )
    assert rows[0].verdict == values[0].verdict(0.1) == "better"
    assert rows[1].margin == 0.1
    assert rows[0].ci_low < rows[0].low_90 < rows[0].estimate


def test_a_row_without_limits_says_why():
    ranks = mann_whitney(np.array([1.0, 2, 4]), np.array([7.0, 11, 12]))
    (row,) = family([Contrast.of_comparison(GAIN, {}, ranks)])
    assert "at most 90 %" in row.note
    assert np.isnan(row.ci_low)
    assert row.test == "Mann-Whitney U test"


QUESTION = Question(
    id="gains", title="Gains", answer=Estimates, quantities=(RIGHT, GAIN),
    compute=lambda _: Estimates(()),
)  # fmt: skip


def answer_of(seed: int = 1) -> Estimates:
    cells = cells_of(answers(seed))
    pairs = [("map", "none"), ("text", "none")]
    rows = (*cells.rows(RIGHT), *family(cells.contrasts(GAIN, "method", pairs)))
    return read_back(QUESTION, answer_as_json(Estimates(rows)))


def test_results_have_one_list_and_the_file_is_the_same():
    answer = answer_of()
    documents = {"gains": answer_as_json(answer)}
    results = json.loads(json.dumps(gathered(documents, [QUESTION])))
    assert results["gains"] == {}
    assert len(results["estimates"]) == len(answer.estimates)
    assert all(row["question"] == "gains" for row in results["estimates"])
    assert "p" not in results["estimates"][0]  # a share isn't tested
    rows = as_table(results)["estimates"]
    assert list(rows[0])[:5] == ["question", "quantity", "method", "part", "against"]
    for row, whole in zip(rows, answer.estimates, strict=True):
        assert row["estimate"] == whole.estimate
        assert row.get("against") == whole.of.get("against")
    assert as_table(gathered({"gains": None}, [QUESTION])) == {}


def test_a_count_is_a_number_as_other_estimates_are():
    assert repr(estimate_row(RIGHT, {}, 7).estimate) == "7.0"


def test_a_factor_called_as_a_field_keeps_its_levels_in_the_file():
    rows = [{"question": "q", "quantity": "x", "of": {"test": "2"}, "test": "Student’s", "p": 0.5}]
    (row,) = as_table({"estimates": rows})["estimates"]
    assert (row["of_test"], row["test"], row["p"]) == ("2", "Student’s", 0.5)


def test_a_quantity_that_its_question_does_not_declare_is_refused():
    answer = Estimates((EstimateRow(quantity="other"),))
    with pytest.raises(LookupError, match="gains doesn't declare other"):
        gathered({"gains": answer_as_json(answer)}, [QUESTION])


def test_a_row_is_found_by_quantity_and_levels_and_is_unknown_otherwise():
    answer = answer_of()
    assert answer.row(RIGHT, method="map", part="late").of == {"method": "map", "part": "late"}
    assert len(answer.rows(RIGHT, part="late")) == 3
    assert answer.row(RIGHT, method="nobody").estimate is None
    assert np.isnan(answer.row(RIGHT, method="nobody").interval.estimate)
    assert answer.levels("against") == ("none",)


TABLE = pivot(
    "Right answers.",
    (
        level_of("method", "Arm", str.upper),
        value_of(RIGHT, "early", "Early"),
        limits_of(RIGHT, "early"),
        value_of(RIGHT, "late", "Late"),
        adjusted_p_of(GAIN, "late"),
    ),
    by=("method",),
    over="part",
)


def test_a_pivot_puts_the_levels_of_a_factor_side_by_side():
    answer = answer_of()
    (shown,) = TABLE.parts(answer)
    assert [column.heading for column in shown.columns] == [
        "Arm", "Early", "95 % interval", "Late", "p",
    ]  # fmt: skip
    early = answer.row(RIGHT, method="map", part="early")
    row = dict(zip("abcde", next(row for row in shown.rows if row[0] == "MAP"), strict=True))
    assert row["b"] == percent(early.estimate)
    assert row["c"] == f"[{percent(early.ci_low)}, {percent(early.ci_high)}]"
    assert TABLE.files(answer) == {}


def test_d_is_the_difference_in_standard_deviations_of_single_answers():
    rng = np.random.default_rng(3)
    shares = {"a": 0.8, "b": 0.5}
    frame = pd.DataFrame(
        [
            {"participant": f"{arm}{person}", "item": item, "arm": arm,
             "right": rng.random() < share, "score": rng.normal(10 * share, 3)}
            for arm, share in shares.items()
            for person in range(9)
            for item in range(8)
        ]
    )  # fmt: skip
    for value, ends in (("right", None), ("score", (-50.0, 50.0))):
        cells = Cells.of(frame, value, {"arm": ("a", "b")}, Resampling(0, 1), ends)
        (contrast,) = cells.contrasts(GAIN, "arm", [("a", "b")])
        one, other = (frame.loc[frame["arm"] == arm, value].astype(float) for arm in "ab")
        pooled = np.sqrt((one.var(ddof=0) + other.var(ddof=0)) / 2)
        assert contrast.row().d == pytest.approx((one.mean() - other.mean()) / pooled)
    same = Cells.of(frame.assign(right=True), "right", {"arm": ("a", "b")}, Resampling(0, 1))
    assert same.contrasts(GAIN, "arm", [("a", "b")])[0].row().d is None
