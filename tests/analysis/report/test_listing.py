"""A long table is cut by a rule that is said below it."""

from analysis.report.declared import MOST_LISTED, cut


def test_a_long_table_is_cut_by_a_stated_rule():
    rows = list(range(MOST_LISTED + 1))
    shown, note = cut(rows, "leads", "participants", lambda row: row % 2 == 0, "even leads")
    assert shown == [row for row in rows if row % 2 == 0]
    assert note == "7 of 13 leads: even leads; tables/participants.csv has all."
    assert cut(rows[:-1], "leads", "participants", lambda _: False, "")[0] == rows[:-1]
    shown, note = cut(list(range(500)), "leads", "f", lambda _: True, "by code")
    assert len(shown) == MOST_LISTED
    assert note == f"The first {MOST_LISTED} of 500 leads, by code; tables/f.csv has all."
