"""Plates with a gap."""

import numpy as np
import pytest

from stimuli.colour.display import SRGB, DisplayProfile
from stimuli.colour.spaces import AXES, CONE_INDEX, Axis, lms_to_xyz, xyz_to_uv
from stimuli.errors import UserError
from stimuli.plates.plate import is_lit
from stimuli.screening.gap_plates import (
    GAPS,
    Gap,
    catch_plate,
    check_excursion,
    gap_dots,
    gap_plate,
    landolt_c,
    neutral_gap_plate,
    picture,
)


@pytest.mark.parametrize("gap", GAPS)
def test_the_gap_points_where_it_says(gap: Gap) -> None:
    mask = landolt_c(gap)
    missing = np.argwhere(landolt_c(None) & ~mask)
    row, column = missing.mean(axis=0) / len(mask) * 2 - 1
    towards = {"right": (0, 1), "up": (-1, 0), "left": (0, -1), "down": (1, 0)}[gap]
    assert (row, column) == pytest.approx(np.array(towards) * 0.325, abs=0.02)


def test_a_gap_holds_about_as_many_dots_as_the_tests() -> None:
    counts = np.array([gap_dots(neutral_gap_plate("up", k).packing).sum(axis=0) for k in range(30)])
    assert 13 < counts.mean() < 19
    assert counts.min() >= 6


def test_all_gaps_share_the_packing_of_a_seed() -> None:
    first, second = neutral_gap_plate("up", 7), neutral_gap_plate("left", 7)
    np.testing.assert_array_equal(first.packing.x, second.packing.x)
    np.testing.assert_array_equal(first.lms, second.lms)
    assert (first.figure != second.figure).any()


@pytest.mark.parametrize("axis", AXES)
def test_c_and_ground_differ_in_one_cone_by_the_excursion(axis: Axis) -> None:
    neutral, plate = neutral_gap_plate("up", 3), gap_plate(axis, "up", 400, 3)
    factor = plate.lms / neutral.lms
    others = [cone for cone in range(3) if cone != CONE_INDEX[axis]]
    assert factor[:, others] == pytest.approx(1)
    # At the level and the S noise of the mean dot the two colours lie 400 · 10⁻⁴ apart.
    base = neutral.lms.mean(axis=0) * [[1], [1]]
    own = CONE_INDEX[axis]
    base[0, own] *= factor[plate.figure, own].mean()
    base[1, own] *= factor[~plate.figure, own].mean()
    first, second = xyz_to_uv(lms_to_xyz(base))
    assert np.hypot(*(first - second)) == pytest.approx(400e-4, rel=0.05)


def test_anyone_sees_the_gap_of_a_catch_plate() -> None:
    plate = catch_plate("down", 5)
    assert is_lit(plate)
    pixels = picture(plate, 128)
    assert pixels.shape == (128, 128, 3)
    np.testing.assert_array_equal(pixels, picture(catch_plate("down", 5), 128))


def test_an_excursion_beyond_the_display_is_refused() -> None:
    check_excursion(1000, SRGB)
    pale = DisplayProfile("pale", (0.45, 0.33), (0.32, 0.42), (0.26, 0.25), SRGB.white_xy)
    with pytest.raises(UserError, match="largest that fits"):
        check_excursion(1000, pale)
