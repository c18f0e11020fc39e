"""A pack that was really built, network and robots' paintings: nothing on its lead's side tells."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from stimuli.pack import open_pack
from tests.stimuli.accept_reject.lead_side import guessing, lead_side, seconds_to_draw

DOOR = Path(__file__).parents[2] / "lab.py"
SMALL = """
schema = "protocol/1.1"
study = "accept_reject"
name = "small"
plates = { source = "uci", axes = ["deutan"], ladder_deutan = [0.03, 0.09] }
system = { training_plates = 4000, patch_px = 28, stride_px = 14 }
solutions = { trials_per_run = 60, practice_trials = 0 }
"""
KINDS = ("items", "size", "order", "area", "abstention")


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    folder = tmp_path_factory.mktemp("built")
    (folder / "small.toml").write_text(SMALL, encoding="utf-8")
    words = ["build", "accept_reject", "--protocol", str(folder / "small.toml"),
             "--robot-experts", "2", "--out", str(folder / "pack")]  # fmt: skip
    subprocess.run(
        [sys.executable, str(DOOR), *words],
        env={**os.environ, "PLAINSIGHT_LAB": str(folder / "lab")},
        check=True,
    )
    pack = open_pack(folder / "pack", "solutions")
    table = lead_side(pack)
    return pack, table[table["items_rung"] == 1].reset_index(drop=True)


@pytest.mark.slow
@pytest.mark.parametrize("kinds", [*((kind,) for kind in KINDS), KINDS], ids="+".join)
def test_no_feature_tells_the_solver_of_a_built_pack(seen, kinds):
    area, limit = guessing(seen[1], kinds)
    assert area < limit < 0.65


@pytest.mark.slow
def test_the_time_to_draw_a_contour_tells_nothing(seen):
    """What a lead might wait for between trials is no longer for one solver."""
    pack, table = seen
    drawn = table[table["explained"] & (table["abstention_no_region"] == 0)]
    drawn = drawn.reset_index(drop=True)
    timed = drawn.assign(timing_draw_s=seconds_to_draw(pack, drawn))
    area, limit = guessing(timed, ("timing",))
    assert area < limit < 0.70
    slower_for_one = timed["timing_draw_s"] * (1 + 0.5 * (timed["solver"] == "S"))
    area, limit = guessing(timed.assign(timing_draw_s=slower_for_one), ("timing",))
    assert area > limit


@pytest.mark.slow
def test_the_areas_of_a_plates_regions_are_equal(seen):
    table = seen[1]
    explained = table[table["explained"] & (table["abstention_no_region"] == 0)]
    by_item = explained.groupby("item")["area_pixels"].nunique()
    assert (by_item == 1).all()
