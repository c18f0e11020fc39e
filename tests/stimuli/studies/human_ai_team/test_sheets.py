"""Sheets: every image as often as any other, never twice in one; checks in a block or mixed."""

from collections import Counter
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from stimuli.protocol import load_protocol
from stimuli.studies.human_ai_team.compose import Entry, dealt, sheets_of, spread
from tests.stimuli.studies.human_ai_team.small import protocol_of

MAIN = [f"image-{nth:03d}" for nth in range(450)]


def test_the_published_images_are_in_one_sheet_each():
    protocol = load_protocol("human_ai_team")
    sheets = dealt(MAIN, protocol, "key")
    assert [len(sheet) for sheet in sheets] == [30] * 15
    assert sorted(item for sheet in sheets for item in sheet) == MAIN
    assert sheets == dealt(MAIN[::-1], protocol, "key")
    assert sheets != dealt(MAIN, protocol, "another key")


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 4), st.integers(0, 4), st.integers(1, 12), st.data())
def test_images_come_equally_often_and_never_twice_in_a_sheet(per_bin, attacked, sheets, data):
    images = 6 * per_bin + 3 * attacked
    least = -(-images // sheets)
    protocol = protocol_of(
        bins={
            "per_bin": per_bin,
            "adversarial_per_level": attacked,
            "sheets": sheets,
            "trials_per_sheet": data.draw(st.integers(least, images)),
        }
    )
    dealt_out = dealt(MAIN[:images], protocol, "key")
    times = Counter(item for sheet in dealt_out for item in sheet)
    assert len(times) == images
    assert max(times.values()) - min(times.values()) <= 1
    assert all(len(set(sheet)) == protocol.bins.trials_per_sheet for sheet in dealt_out)


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 12), st.integers(1, 40), st.integers())
def test_mixed_checks_keep_both_orders_and_spread_out(checks, own, key):
    asked = [Entry("validation", f"check-{nth}") for nth in range(checks)]
    main = [Entry("main", item) for item in MAIN[:own]]
    mixed = spread(asked, main, str(key))
    assert [one for one in mixed if one.phase == "main"] == main
    assert [one for one in mixed if one.phase == "validation"] == asked
    assert mixed[0].phase == "main"
    places = [nth for nth, one in enumerate(mixed) if one.phase == "validation"]
    widest = max(1, -(-own // max(1, checks)))
    assert all(after - before <= 2 * widest + 1 for before, after in pairwise(places))


def test_practice_comes_first_and_validation_is_the_same_for_all():
    protocol = protocol_of()
    sheets = sheets_of(protocol, MAIN[:18], ["v1", "v2", "v3", "v4"], ["one", "two"], "key")
    assert list(sheets) == ["sheet-01", "sheet-02", "sheet-03"]
    starts = [sheet[:6] for sheet in sheets.values()]
    assert starts[0] == starts[1] == starts[2]
    phases = ["practice"] * 2 + ["validation"] * 4 + ["main"] * 6
    assert [entry.phase for entry in sheets["sheet-01"]] == phases
    assert {entry.item for entry in starts[0][:2]} == {"one", "two"}
    mixed = protocol_of(validation={"placed": "mixed"})
    for sheet in sheets_of(mixed, MAIN[:18], ["v1", "v2"], ["one", "two"], "key").values():
        assert [entry.phase for entry in sheet[:3]] == ["practice", "practice", "main"]
        assert sum(entry.phase == "validation" for entry in sheet) == 2
