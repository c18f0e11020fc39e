"""Colour spaces, cones, displays, simulated deficiency."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.eyes.deficiency import simulate_dichromat
from stimuli.colour.display import (
    SRGB,
    DisplayProfile,
    encode8,
    linear_to_lms,
    lms_to_rgb8,
    profile_hash,
)
from stimuli.colour.spaces import (
    AXES,
    CONE_INDEX,
    COPUNCTAL_XY,
    lms_to_xyz,
    rgb_to_xyz_matrix,
    srgb_decode,
    srgb_encode,
    xyy_to_xyz,
    xyz_to_lms,
    xyz_to_uv,
    xyz_to_xy,
)
from tests.stimuli.colour.decoding import decode8

colour = pytest.importorskip("colour")

MEASURED = DisplayProfile(
    name="rig “A” \\ left",
    red_xy=(0.66, 0.32),
    green_xy=(0.28, 0.63),
    blue_xy=(0.15, 0.05),
    white_xy=(0.31, 0.33),
    gamma=(2.1, 2.2, 2.3),
    calibrated=True,
)
COLOURS = np.random.default_rng(0).random((200, 3))


def test_srgb_curve_is_that_of_colour_science():
    assert np.allclose(srgb_decode(COLOURS), colour.models.eotf_sRGB(COLOURS), atol=1e-7)
    assert np.allclose(srgb_encode(COLOURS), colour.models.eotf_inverse_sRGB(COLOURS), atol=1e-7)


def test_chromaticities_are_those_of_colour_science():
    xyz = COLOURS + 0.01
    assert np.allclose(xyz_to_xy(xyz), colour.XYZ_to_xy(xyz))
    assert np.allclose(xyz_to_uv(xyz), colour.Luv_to_uv(colour.XYZ_to_Luv(xyz)))
    assert np.allclose(xyy_to_xyz(colour.XYZ_to_xyY(xyz)), xyz)


def test_primaries_matrix_is_that_of_colour_science():
    space = colour.RGB_COLOURSPACES["sRGB"]
    ours = rgb_to_xyz_matrix([SRGB.red_xy, SRGB.green_xy, SRGB.blue_xy], SRGB.white_xy)
    theirs = colour.normalised_primary_matrix(space.primaries, space.whitepoint)
    assert np.allclose(ours, theirs, atol=1e-12)


def test_cones_are_smith_and_pokornys_as_printed():
    """Matrix of Smith & Pokorny (1975) in Judd's XYZ, as in Boynton (1996), S in units of Z."""
    printed = [[0.15516, 0.54308, -0.03287], [-0.15516, 0.45692, 0.03287], [0, 0, 1]]
    assert np.allclose(xyz_to_lms(np.eye(3)).T, printed, atol=2e-5)


@pytest.mark.parametrize("axis", AXES)
def test_a_colour_that_one_cone_alone_sees_is_that_cones_copunctal_point(axis):
    lms = np.zeros(3)
    lms[CONE_INDEX[axis]] = 1
    assert np.allclose(xyz_to_xy(lms_to_xyz(lms)), COPUNCTAL_XY[axis])


@pytest.mark.parametrize("display", [SRGB, MEASURED])
def test_white_has_unit_luminance_and_the_profiles_chromaticity(display):
    white = linear_to_lms(np.ones(3), display)
    assert white[:2].sum() == pytest.approx(1)
    assert np.allclose(xyz_to_xy(lms_to_xyz(white)), display.white_xy)


@pytest.mark.parametrize("display", [SRGB, MEASURED])
def test_every_code_survives_decoding_and_encoding(display):
    codes = np.repeat(np.arange(256, dtype=np.uint8)[:, None], 3, axis=1)
    # A table of 65,536 steps can't hold apart the lowest codes of a pure power law.
    codes = codes if display.gamma is None else codes[10:]
    assert np.array_equal(encode8(decode8(codes, display), display), codes)


def test_the_profile_hash_sees_every_field():
    changed = {
        "name": "other",
        "red_xy": (0.63, 0.33),
        "green_xy": (0.31, 0.6),
        "blue_xy": (0.15, 0.07),
        "white_xy": (0.3, 0.33),
        "gamma": (2.0, 2.0, 2.0),
        "calibrated": True,
        "guns_lms": ((0.2, 0.4, 0.05), (0.1, 0.2, 0.05), (0.02, 0.1, 0.9)),
    }
    assert set(changed) == {field.name for field in dataclasses.fields(DisplayProfile)}
    hashes = {profile_hash(dataclasses.replace(SRGB, **{k: v})) for k, v in changed.items()}
    assert len(hashes | {profile_hash(SRGB)}) == len(changed) + 1


@pytest.mark.parametrize(
    ("key", "value", "named"),
    [
        ("red_xy", [0.9, 0.33], "red_xy"),
        ("red_xy", [0.33], "red_xy"),
        ("gamma", [0.5, 2.2, 2.2], "gamma"),
        ("gamma", 2.2, "gamma 2.2 must be a list"),
        ("gamma", [2.2, 2.2], "three exponents"),
        ("gamma", [2.2, 2.2, None], "gamma .* must be a list of numbers"),
        ("red_xy", "red", "red_xy"),
        ("blue_xy", [float("nan"), 0.1], "blue_xy"),
        ("name", 5, "name"),
        ("calibrated", "yes", "calibrated"),
        ("white_xy", [0.7, 0.29], "white"),
        ("green_xy", [0.395, 0.195], "line"),
    ],
)
def test_an_impossible_profile_is_refused_by_key(key, value, named):
    with pytest.raises(ValueError, match=named):
        dataclasses.replace(SRGB, **{key: value})


@pytest.mark.parametrize("display", [SRGB, MEASURED])
def test_pixels_show_the_light_that_was_asked_for(display):
    """Round trip: cones → codes → colour-science's light of that display → cones."""
    lms = linear_to_lms(0.15 + 0.7 * COLOURS, display)
    space = colour.RGB_Colourspace(
        "rig", [display.red_xy, display.green_xy, display.blue_xy], display.white_xy
    )
    share = lms_to_rgb8(lms, display) / 255
    if display.gamma is None:
        light = colour.models.eotf_sRGB(share)
    else:
        light = colour.algebra.spow(share, np.array(display.gamma))
    shown = xyz_to_lms(light @ space.matrix_RGB_to_XYZ.T)
    assert np.abs(shown / lms - 1).max() < 0.02
    u_v = [xyz_to_uv(lms_to_xyz(v)) for v in (shown, lms)]
    assert np.linalg.norm(u_v[0] - u_v[1], axis=1).max() < 0.002


@given(st.sampled_from(AXES), st.integers(0, 2**31))
def test_a_dichromat_sees_greys_as_they_are(axis, seed):
    grey = np.full((1, 3), np.random.default_rng(seed).integers(256), dtype=np.uint8)
    seen = simulate_dichromat(grey, axis)
    assert np.abs(seen.astype(int) - grey).max() <= 1


@pytest.mark.parametrize("axis", AXES)
def test_colours_that_differ_in_the_missing_cone_alone_look_alike_to_the_dichromat(axis):
    pair = np.array([linear_to_lms(np.array([0.3, 0.3, 0.3]))] * 2)
    pair[1, CONE_INDEX[axis]] *= 1.15
    codes = lms_to_rgb8(pair).astype(int)
    seen = simulate_dichromat(codes.astype(np.uint8), axis).astype(int)
    # What is left is the rounding to 8 bits, which a dichromat sees too.
    assert np.abs(codes[0] - codes[1]).max() >= 10
    assert np.abs(seen[0] - seen[1]).max() <= 2


def test_srgb_pixels_are_those_of_colour_science():
    xyz = rgb_to_xyz_matrix([SRGB.red_xy, SRGB.green_xy, SRGB.blue_xy], SRGB.white_xy)
    lms = xyz_to_lms(COLOURS @ xyz.T)
    theirs = np.round(colour.models.eotf_inverse_sRGB(COLOURS) * 255)
    assert (lms_to_rgb8(lms) == theirs).mean() > 0.99
    assert np.abs(lms_to_rgb8(lms).astype(int) - theirs).max() <= 1
