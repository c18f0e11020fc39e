"""Noise, contrast, gamut."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stimuli.colour.display import lms_to_linear, lms_to_rgb8
from stimuli.colour.spaces import AXES, CONE_INDEX, COPUNCTAL_XY, lms_to_xyz, xyz_to_uv, xyz_to_xy
from stimuli.errors import UserError
from stimuli.plates.spec import (
    PlateSpec,
    base_lms,
    check_gamut,
    largest_contrast,
    neutral_lms,
    spec_for_axis,
    with_contrast,
)

colour = pytest.importorskip("colour")

axes = st.sampled_from(AXES)
PAIR = np.array([True, False])


def _pair(axis, contrast, spec):
    base = np.array([base_lms(spec)] * 2, dtype=np.float32)
    return with_contrast(base, PAIR, axis, contrast, spec)


@given(axes, st.floats(0.005, 0.06))
def test_contrast_is_the_pairs_distance_in_u_v(axis, contrast):
    """Oracle: chromaticities by colour-science."""
    xyz = lms_to_xyz(_pair(axis, contrast, spec_for_axis(axis)))
    u_v = colour.Luv_to_uv(colour.XYZ_to_Luv(xyz))
    assert np.linalg.norm(u_v[0] - u_v[1]) == pytest.approx(contrast, abs=1e-6)


@given(axes, st.floats(0.005, 0.06))
def test_figure_and_ground_lie_on_a_line_through_the_copunctal_point(axis, contrast):
    figure, ground = xyz_to_xy(lms_to_xyz(_pair(axis, contrast, spec_for_axis(axis))))
    to_figure, to_ground = figure - COPUNCTAL_XY[axis], ground - COPUNCTAL_XY[axis]
    sine = np.linalg.det([to_figure, to_ground])
    assert abs(sine) / np.linalg.norm(to_figure) / np.linalg.norm(to_ground) < 1e-6


@given(axes, st.floats(0, 0.06), st.integers(0, 2**31))
def test_only_the_cone_that_the_dichromat_lacks_changes(axis, contrast, seed):
    rng = np.random.default_rng(seed)
    spec = spec_for_axis(axis)
    neutral = neutral_lms(50, rng, spec)
    shown = with_contrast(neutral, rng.random(50) < 0.5, axis, contrast, spec)
    others = [cone for cone in range(3) if cone != CONE_INDEX[axis]]
    assert np.array_equal(shown[:, others], neutral[:, others])


def test_the_figure_is_the_redder_or_the_bluer():
    for axis in ("deutan", "protan"):
        figure, ground = lms_to_rgb8(_pair(axis, 0.05, PlateSpec())).astype(int)
        assert figure[0] > ground[0]
        assert figure[1] < ground[1]
    figure, ground = lms_to_rgb8(_pair("tritan", 0.05, spec_for_axis("tritan"))).astype(int)
    assert figure[2] > ground[2]


def test_luminance_levels_keep_chromaticity():
    still = PlateSpec(s_jitter_sigma=0.0)
    lms = neutral_lms(400, np.random.default_rng(2), still)
    assert np.allclose(
        xyz_to_uv(lms_to_xyz(lms)), xyz_to_uv(lms_to_xyz(base_lms(still))), atol=1e-6
    )


def test_luminances_stand_in_the_ratio_of_the_levels_around_the_base():
    levels = np.array(PlateSpec().luminance_levels_cd_m2)
    lms = neutral_lms(4000, np.random.default_rng(3))
    luminance, counts = np.unique(lms[:, :2].sum(axis=1).round(5), return_counts=True)
    base = sum(base_lms(PlateSpec())[:2])
    assert np.allclose(luminance, base * levels / levels.mean(), atol=1e-5)
    assert counts.min() > 0.8 * 4000 / len(levels)


def test_s_noise_is_log_normal_and_independent_of_luminance():
    lms = neutral_lms(20_000, np.random.default_rng(4)).astype(np.float64)
    luminance = lms[:, :2].sum(axis=1)
    base = base_lms(PlateSpec())
    noise = np.log(lms[:, 2] / luminance / (base[2] / sum(base[:2])))
    assert noise.mean() == pytest.approx(0, abs=0.005)
    assert noise.std() == pytest.approx(0.15, abs=0.005)
    assert abs(np.corrcoef(noise, np.log(luminance))[0, 1]) < 0.03
    assert np.abs(noise).max() <= 0.45 + 1e-6


@settings(max_examples=20, deadline=None)
@given(axes, st.integers(0, 2**31))
def test_at_the_largest_contrast_every_dot_fits_the_display(axis, seed):
    rng = np.random.default_rng(seed)
    spec = spec_for_axis(axis)
    largest = largest_contrast(axis, spec)
    lms = neutral_lms(1200, rng, spec)
    linear = lms_to_linear(with_contrast(lms, rng.random(1200) < 0.5, axis, largest, spec))
    assert linear.min() >= 0
    assert linear.max() <= 1


@pytest.mark.parametrize("axis", AXES)
def test_beyond_the_largest_contrast_the_outermost_dots_do_not_fit(axis):
    """Straight from the definition: all levels, S noise at its cuts, both colours."""
    spec = spec_for_axis(axis)
    levels = np.array(spec.luminance_levels_cd_m2)
    lms = np.array(base_lms(spec)) * (levels / levels.mean())[:, None, None]
    lms = np.repeat(lms, 2, axis=1)
    lms[:, :, 2] *= np.exp(np.array([-3, 3]) * spec.s_jitter_sigma)
    lms = np.repeat(lms.reshape(-1, 3), 2, axis=0).astype(np.float32)
    figure = np.arange(len(lms)) % 2 == 0
    for beyond, fits in ((0.0, True), (2e-4, False)):
        contrast = largest_contrast(axis, spec) + beyond
        linear = lms_to_linear(with_contrast(lms, figure, axis, contrast, spec))
        assert bool(linear.min() >= 0 and linear.max() <= 1) is fits


def test_a_contrast_out_of_gamut_is_refused_with_the_largest_that_fits():
    with pytest.raises(UserError, match=r"largest that fits is 0\.1882"):
        check_gamut("deutan", 0.2)
    check_gamut("deutan", 0.1882)


@pytest.mark.parametrize(
    ("axis", "contrast", "named"),
    [("daltan", 0.04, "daltan"), ("deutan", -0.1, "-0.1"), ("deutan", float("nan"), "nan")],
)
def test_what_is_no_axis_or_contrast_is_refused(axis, contrast, named):
    with pytest.raises(UserError, match=named):
        with_contrast(neutral_lms(2, np.random.default_rng(0)), PAIR, axis, contrast)
    with pytest.raises(UserError, match=named):
        check_gamut(axis, contrast)


def test_a_contrast_beyond_any_colour_is_refused():
    with pytest.raises(UserError, match="beyond any colour"):
        with_contrast(neutral_lms(2, np.random.default_rng(0)), PAIR, "tritan", 0.5)
