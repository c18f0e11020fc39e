"""Columns and rows of tables that are made from estimates."""

from analysis.mixed.marginal import Averaged
from analysis.questions.estimates import Contrast, Quantity, estimate_row
from analysis.questions.pivot import interval_of, limits_of, value_of, wide, with_limits_of
from analysis.report.parts import table
from analysis.report.wording import bare_percent, estimated_alike, number
from analysis.statistics.estimate import by_student

GAIN = Quantity("gain", "Gain", "A gain.", number)


def test_an_interval_of_its_own_leaves_the_digits_of_the_estimate_alone():
    rows = wide([estimate_row(GAIN, {"method": "a"}, Averaged(1.234, -50.0, 52.0))], ["method"])
    for column, cells in (
        (limits_of, ("1", "[−50, 52]")),
        (interval_of, ("1.23", "[−50.00, 52.00]")),
    ):
        shown = table("", (value_of(GAIN), column(GAIN)), rows, row_headers=0)
        assert shown.rows == (cells,)


def test_estimates_of_a_column_or_a_sentence_have_equally_many_decimals():
    """9.1 % [4.3, 18.3] stood over 13 % [7, 23], since each followed its own interval."""
    share = Quantity("share", "Share", "A share.", bare_percent, "%")
    values = [(0.0914, 0.0432, 0.1831), (0.1321, 0.0704, 0.2311)]
    cells = ["9.1 [4.3, 18.3]", "13.2 [7.0, 23.1]"]
    assert estimated_alike(bare_percent, values) == cells
    rows = wide(
        [
            estimate_row(share, {"arm": arm}, Averaged(*one))
            for arm, one in zip("ab", values, strict=True)
        ],
        ["arm"],
    )
    shown = table("", (with_limits_of(share),), rows, row_headers=0)
    assert [cell for (cell,) in shown.rows] == cells
    unknown = estimated_alike(bare_percent, [(0.1321, 0.0704, 0.2311), (0.5, None, None)])
    assert unknown == ["13 [7, 23]", "50"]


def test_a_row_of_a_table_has_the_limits_that_a_margin_is_read_by():
    row = Contrast(GAIN, {"method": "a", "against": "b"}, by_student(0.1, 0.02, 9)).row(0.05)
    (shown,) = wide([row], ["method", "against"])
    assert (shown["gain.low_90"], shown["gain.high_90"]) == (row.low_90, row.high_90)
    assert row.ci_low < row.low_90 < 0.1 < row.high_90 < row.ci_high
