"""The D-15: colours of its caps and scores of known orders."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stimuli.colour.display import SRGB, lms_to_linear
from stimuli.colour.spaces import lms_to_xyz, xyy_to_xyz, xyz_to_uv
from stimuli.screening.d15 import CAPS_UV, LIGHTNESS, caps_lms, caps_rgb8, score

PERFECT = tuple(range(1, 16))
# Farnsworth's typical arrangements of dichromats (manual of 1947).
PROTAN = (15, 1, 14, 2, 13, 12, 3, 4, 11, 10, 5, 9, 6, 8, 7)
DEUTAN = (1, 15, 2, 3, 14, 13, 4, 12, 5, 11, 6, 10, 7, 9, 8)
TRITAN = (1, 2, 3, 4, 5, 6, 7, 15, 8, 14, 9, 13, 10, 11, 12)


def test_the_perfect_order_has_the_published_score() -> None:
    """Vingrys & King-Smith 1988: 61.98, 9.23, 6.71, 11.42, 1.38, 1.00."""
    found = score(PERFECT)
    assert found.angle_deg * 57.3 / np.degrees(1) == pytest.approx(61.98, abs=0.005)
    assert found.major_radius == pytest.approx(9.234669, abs=2e-6)
    assert found.minor_radius == pytest.approx(6.71, abs=0.005)
    assert found.total_error == pytest.approx(11.42, abs=0.005)
    assert found.selectivity_index == pytest.approx(1.38, abs=0.005)
    assert found.confusion_index == pytest.approx(1.00, abs=0.005)


@pytest.mark.parametrize(
    ("order", "angles"), [(PROTAN, (3, 17)), (DEUTAN, (-11, -4)), (TRITAN, (-90, -70))]
)
def test_typical_dichromats_lie_in_the_published_ranges(
    order: tuple[int, ...], angles: tuple[float, float]
) -> None:
    found = score(order)
    assert angles[0] <= found.angle_deg <= angles[1]
    assert found.selectivity_index >= 2
    assert found.confusion_index > 1.78


@settings(max_examples=30)
@given(st.permutations(PERFECT))
def test_radii_are_the_extremes_of_the_moment_over_all_angles(order: list[int]) -> None:
    """The slow way: turn an axis by small steps and take the moment about it."""
    u, v = np.diff(CAPS_UV[[0, *order]], axis=0).T
    angles = np.radians(np.arange(-90, 90, 0.05))
    moments = np.array([((v * np.cos(a) - u * np.sin(a)) ** 2).mean() for a in angles])
    found = score(order)
    assert found.major_radius == pytest.approx(np.sqrt(moments.max()), rel=1e-4)
    assert found.minor_radius == pytest.approx(np.sqrt(moments.min()), rel=1e-4)
    away = (found.angle_deg - np.degrees(angles[moments.argmin()]) + 90) % 180 - 90
    own = np.radians(found.angle_deg)
    least = ((v * np.cos(own) - u * np.sin(own)) ** 2).mean()
    assert abs(away) < 0.1 or least == pytest.approx(moments.min(), rel=1e-6)


@pytest.mark.parametrize("order", [PERFECT[:-1], (*PERFECT[:-1], 14), range(15)])
def test_what_is_no_order_of_the_caps_is_refused(order: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="each cap"):
        score(tuple(order))


def test_caps_keep_their_place_against_the_displays_white() -> None:
    lms = caps_lms()
    white = xyz_to_uv(xyy_to_xyz([*SRGB.white_xy, 1.0]))
    assert (xyz_to_uv(lms_to_xyz(lms)) - white) * 13 * LIGHTNESS == pytest.approx(CAPS_UV)
    assert lms[:, :2].sum(axis=1) == pytest.approx(0.1978, abs=1e-3)
    linear = lms_to_linear(lms)
    assert linear.min() >= 0
    assert linear.max() <= 1
    assert len(np.unique(caps_rgb8(), axis=0)) == 16
