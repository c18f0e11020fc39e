"""Whether a column's stale name is noticed."""

import pandas as pd
import pytest

from tests.analysis.known_columns import STUDIES

FRAME = pd.DataFrame({"rt_s": [0.5], "axis": ["deutan"]})


@pytest.mark.parametrize("read", ["frame[{!r}]", "{!r} in frame", "frame.get({!r})"])
@pytest.mark.parametrize(
    ("study", "column", "known"),
    [
        ("human_ai_team", "rt_s", True),
        ("human_ai_team", "axis", False),
        ("accept_reject", "axis", True),
        ("accept_reject", "old_name", False),
    ],
)
def test_a_studys_analysis_reads_only_columns_that_are_recorded_or_made(read, study, column, known):
    module = compile(read.format(column), str(STUDIES / study / "trials.py"), "eval")
    frame = FRAME.assign(old_name=1)
    if known:
        eval(module, {"frame": frame})
    else:
        with pytest.raises(AssertionError, match=f"{study}/trials.py: line 1 reads {column!r}"):
            eval(module, {"frame": frame})


def test_levels_of_a_factor_may_be_columns_of_a_pivot_table():
    table = pd.DataFrame({"who": ["a"], "axis": ["deutan"], "rt_s": [1.0]})
    wide = table.pivot(index="who", columns="axis", values="rt_s")
    eval(
        compile("frame['deutan']", str(STUDIES / "human_ai_team" / "times.py"), "eval"),
        {"frame": wide},
    )
