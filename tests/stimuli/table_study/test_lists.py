"""Lists: each shows each item once, versions and blocks are balanced over them, arms are alike."""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stimuli.errors import UserError
from stimuli.table_study.lists import list_rows
from stimuli.table_study.protocol import Factor, SessionRules, TableStudy


def study(lists, levels, vary="within", **session):
    return TableStudy(
        study="s", title="t", expected_minutes=1.0,
        session=SessionRules(lists=lists, **session),
        factors={"f": Factor(levels=levels, vary=vary)},
    )  # fmt: skip


def rows_of(items, levels):
    return [
        {"presentation": f"i{n}.{k}", "item": f"i{n}", "phase": "main", "f": level}
        for n in range(items)
        for k, level in enumerate(levels)
    ]


def lists_of(protocol, rows):
    shown = {}
    for row in list_rows(protocol, rows, "items.csv"):
        shown.setdefault(row["list"], []).append(row["presentation"])
    by_name = {row["presentation"]: row for row in rows}
    return {name: [by_name[one] for one in own] for name, own in shown.items()}


LEVELS = ("a", "b", "c")


@given(items=st.integers(1, 9), versions=st.integers(2, 3), turns=st.integers(1, 3))
def test_a_latin_square_shows_each_item_once_and_each_version_equally_often(items, versions, turns):
    levels = LEVELS[:versions]
    shown = lists_of(study(versions * turns, levels), rows_of(items, levels))
    for own in shown.values():
        assert Counter(row["item"] for row in own) == {f"i{n}": 1 for n in range(items)}
        per_level = Counter(row["f"] for row in own)
        assert max(per_level.values()) - min(per_level[one] for one in levels) <= 1
    seen = Counter(row["presentation"] for own in shown.values() for row in own)
    assert set(seen.values()) == {turns}


def test_practice_comes_first_and_in_one_version_too():
    rows = rows_of(3, LEVELS[:2])
    for row in rows[:4]:
        row["phase"] = "practice"
    for own in lists_of(study(4, LEVELS[:2]), rows).values():
        assert [row["item"] for row in own] == ["i0", "i1", "i2"]
        assert {row["f"] for row in own[:2]} == {"a", "b"}


@given(items=st.integers(2, 6), turns=st.integers(1, 2))
def test_blocks_come_in_every_order_equally_often(items, turns):
    levels = LEVELS[:2]
    protocol = study(4 * turns, levels, blocks="f")
    shown = lists_of(protocol, rows_of(items, levels))
    firsts = Counter(own[0]["f"] for own in shown.values())
    assert firsts == {"a": 2 * turns, "b": 2 * turns}
    for own in shown.values():
        changes = sum(one["f"] != two["f"] for one, two in pairwise(own))
        assert changes == 1


def test_all_versions_are_shown_if_wanted():
    shown = lists_of(study(3, LEVELS, versions="all"), rows_of(4, LEVELS))
    assert all(len({row["presentation"] for row in own}) == 12 for own in shown.values())


def test_items_have_the_same_places_in_every_arm():
    shown = lists_of(study(2, LEVELS, vary="between"), rows_of(5, LEVELS))
    for own in shown.values():
        arms = {level: [row["item"] for row in own if row["f"] == level] for level in LEVELS}
        assert arms["a"] == arms["b"] == arms["c"]


def test_blocks_need_a_list_for_each_order():
    with pytest.raises(UserError, match="must be a multiple of 4, not 2"):
        list_rows(study(2, LEVELS[:2], blocks="f"), rows_of(4, LEVELS[:2]), "items.csv")
