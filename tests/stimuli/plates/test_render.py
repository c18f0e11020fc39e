"""Masks, plates, pictures."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stimuli.colour.display import SRGB, encode8, lms_to_linear, lms_to_rgb8
from stimuli.colour.spaces import AXES
from stimuli.errors import UserError
from stimuli.images.digits import load_digits
from stimuli.plates import masks
from stimuli.plates import render as rendering
from stimuli.plates.masks import (
    MASK_PX,
    _dilate,
    digit_mask,
    figure_dots,
    no_numeral_mask,
)
from stimuli.plates.packing import Packing, pack_dots
from stimuli.plates.plate import Plate, make_plate, plate_bytes, plate_from_bytes
from stimuli.plates.render import cover, recolour, render
from stimuli.plates.spec import PlateSpec, with_contrast
from tests.stimuli.colour.decoding import decode8

SPEC = PlateSpec()
UCI = load_digits("uci")
PLATE = make_plate(digit_mask(UCI.images[3], SPEC), plate_seed=1, packing_seed=2, spec=SPEC)


def _one_dot(x, y, radius):
    return Packing(*(np.array([value], dtype=np.float32) for value in (x, y, radius)))


def _distances(mask):
    at = (np.arange(len(mask)) + 0.5) / len(mask) * 2 - 1
    return np.hypot(at[:, None], at)[mask]


@pytest.mark.parametrize("index", [0, 7, 25, 40, 99])
def test_a_digit_reaches_just_to_the_span(index):
    reach = _distances(digit_mask(UCI.images[index], SPEC)).max()
    assert reach == pytest.approx(SPEC.mask_span, abs=0.02)


def test_a_digit_stands_upright_and_unmirrored():
    """An L: ink left and at the bottom, none at the top right."""
    image = np.zeros((9, 7), dtype=np.float32)
    image[:, 1] = 1
    image[8, 1:6] = 1
    mask = digit_mask(image, SPEC)
    half = MASK_PX // 2
    assert mask[:half, :half].any()
    assert mask[half:, half:].any()
    assert not mask[:half, half + 10 :].any()


@pytest.mark.parametrize("thickness", [1, 3])
def test_strokes_are_at_least_as_wide_as_asked(thickness):
    """A hairline and a fat stroke: widths measured across, against 2.5 mean dots."""
    image = np.zeros((101, 101), dtype=np.float32)
    image[10:91, 50 - thickness // 2 : 51 + thickness // 2] = 1
    mask = digit_mask(image, SPEC)
    width = mask[MASK_PX // 2].sum() / MASK_PX * 2
    asked = SPEC.min_stroke_dots * 2 * SPEC.dot_radius_mean
    assert width >= asked - 2 / MASK_PX * 2
    assert width <= asked + 3 / MASK_PX * 2
    assert _distances(mask).max() <= SPEC.mask_span + 0.02


@pytest.mark.parametrize("radius_px", [0.0, 1.0, 3.5, 5.0, 9.2])
def test_dilation_is_the_set_of_pixels_within_the_distance(radius_px):
    rng = np.random.default_rng(0)
    mask = rng.random((24, 24)) < 0.02
    mask[7, -1] = mask[0, 3] = True
    rows, columns = np.nonzero(mask)
    at = np.arange(24)
    near = (at[:, None, None] - rows) ** 2 + (at[None, :, None] - columns) ** 2 <= radius_px**2
    assert np.array_equal(_dilate(mask, radius_px), near.any(axis=2))


@pytest.mark.parametrize("image", [np.zeros((8, 8)), np.zeros((0, 0)), np.ones(8)])
def test_an_image_without_a_digit_is_refused(image):
    with pytest.raises(ValueError, match=r"ink|dimensions"):
        digit_mask(image, SPEC)


@settings(max_examples=4, deadline=None)
@given(st.integers(0, len(UCI) - 1), st.integers(0, 1000))
def test_figure_is_more_than_half_of_the_dot(index, seed):
    """Slow reference: 60 × 60 points a dot; only near-halves may be judged otherwise."""
    mask = digit_mask(UCI.images[index], SPEC)
    dots = pack_dots(seed, SPEC)
    some = np.random.default_rng(seed).choice(len(dots), 300, replace=False)
    at = (np.arange(60) + 0.5) / 30 - 1
    gx, gy = (g[np.hypot(*np.meshgrid(at, at)) <= 1] for g in np.meshgrid(at, at))
    column = ((dots.x[some, None] + dots.radius[some, None] * gx + 1) / 2 * MASK_PX).astype(int)
    row = ((1 - dots.y[some, None] - dots.radius[some, None] * gy) / 2 * MASK_PX).astype(int)
    share = mask[np.clip(row, 0, MASK_PX - 1), np.clip(column, 0, MASK_PX - 1)].mean(axis=1)
    clear = np.abs(share - 0.5) > 0.06
    assert clear.mean() > 0.9
    assert np.array_equal(figure_dots(dots, mask)[some][clear], share[clear] > 0.5)


@settings(max_examples=8, deadline=None)
@given(st.integers(0, len(UCI) - 1), st.integers(0, 1000))
def test_compiled_and_numpy_judge_every_dot_alike(index, seed):
    pytest.importorskip("numba")
    mask, dots = digit_mask(UCI.images[index], SPEC), pack_dots(seed, SPEC)
    slow = np.zeros(len(dots), dtype=bool)
    masks._judge_numpy((dots.x, dots.y, dots.radius), masks._disc_samples(), mask, slow)
    assert np.array_equal(figure_dots(dots, mask), slow)


def test_equal_seeds_for_noise_and_packing_do_not_tie_them_together():
    """Luminance must not follow from where a dot lies."""
    plate = make_plate(no_numeral_mask(SPEC), 9, 9, SPEC)
    luminance = plate.lms[:, :2].sum(axis=1)
    for values in (plate.packing.x, plate.packing.y, plate.packing.radius):
        assert abs(np.corrcoef(luminance, values)[0, 1]) < 0.1


def test_a_plate_survives_its_bytes():
    data = plate_bytes(PLATE)
    back = plate_from_bytes(data)
    for name in ("figure", "lms"):
        assert np.array_equal(getattr(back, name), getattr(PLATE, name))
    for name in ("x", "y", "radius"):
        assert np.array_equal(getattr(back.packing, name), getattr(PLATE.packing, name))
    assert plate_bytes(back) == data


def test_equal_seeds_give_equal_bytes_and_other_seeds_others():
    mask = digit_mask(UCI.images[3], SPEC)
    data = plate_bytes(PLATE)
    assert plate_bytes(make_plate(mask, 1, 2, SPEC)) == data
    assert plate_bytes(make_plate(mask, 2, 2, SPEC)) != data
    assert plate_bytes(make_plate(mask, 1, 1, SPEC)) != data


@pytest.mark.parametrize("damage", [lambda d: d[:-1], lambda d: b"", lambda d: b"\xff" + d[1:]])
def test_damaged_bytes_are_no_plate(damage):
    with pytest.raises(UserError, match="not a plate"):
        plate_from_bytes(damage(plate_bytes(PLATE)))


@pytest.mark.parametrize("size", [64, 112])
def test_coverage_matches_a_supersampled_reference(size):
    """48 × 48 points a pixel, straight from the definition, for dots of several sizes."""
    dots = Packing(
        *(
            np.array(values, dtype=np.float32)
            for values in ([0.11, -0.53, 0.7], [0.21, -0.4, 0.3], [0.0104, 0.0278, 0.0191])
        )
    )
    covered = cover(dots, size)
    picture = np.bincount(covered.pixel, covered.share, minlength=size**2).reshape(size, size)
    fine = (np.arange(size * 48) + 0.5) / (size * 48) * 2 - 1
    inside = np.zeros((size * 48, size * 48), dtype=bool)
    for x, y, r in zip(dots.x, dots.y, dots.radius, strict=True):
        columns = np.flatnonzero(np.abs(fine - x) <= r)
        rows = np.flatnonzero(np.abs(-fine - y) <= r)
        near = (fine[columns] - x) ** 2 + (-fine[rows, None] - y) ** 2 <= r * r
        inside[np.ix_(rows, columns)] |= near
    reference = inside.reshape(size, 48, size, 48).mean(axis=(1, 3))
    assert np.abs(picture - reference).max() < 0.025
    assert picture.sum() == pytest.approx(reference.sum(), rel=0.01)


def test_compiled_and_numpy_pictures_are_equal(monkeypatch):
    pytest.importorskip("numba")
    monkeypatch.setattr(rendering, "COMPILED_FROM_PX", 0)
    fast = render(PLATE, "deutan", 0.06, 65, SRGB, SPEC)
    monkeypatch.setattr(rendering, "compiled", lambda loop: None)
    assert np.array_equal(render(PLATE, "deutan", 0.06, 65, SRGB, SPEC), fast)


def test_no_pixel_is_covered_more_than_wholly():
    covered = cover(PLATE.packing, 112)
    total = np.bincount(covered.pixel, covered.share, minlength=112**2)
    assert total.max() <= 1 + 1e-6
    assert np.allclose(total + covered.bare, 1, atol=1e-6)
    area = (PLATE.packing.radius.astype(np.float64) ** 2).sum() * np.pi * 56**2
    assert total.sum() == pytest.approx(area, rel=5e-3)


def test_light_is_mixed_before_it_is_encoded():
    """A half-covered pixel shows the mean of the lights, not of the codes."""
    lms = np.array([[0.6, 0.3, 0.8]], dtype=np.float32)
    covered = cover(_one_dot(0.02, 0.0, 0.25), 64)
    picture = recolour(covered, lms, SRGB, SPEC).reshape(-1, 3)
    share = np.bincount(covered.pixel, covered.share, minlength=64**2)
    edge = np.flatnonzero((share > 0.3) & (share < 0.7))
    ground = decode8(np.array(SPEC.ground_srgb))
    light = share[edge, None] * lms_to_linear(lms)[0] + (1 - share[edge, None]) * ground
    assert len(edge) > 5
    assert np.abs(picture[edge].astype(int) - encode8(light)).max() <= 1


def test_the_middle_of_a_dot_has_the_dots_own_colour_and_the_corner_the_grounds():
    picture = render(PLATE, "deutan", 0.05, 512, SRGB, SPEC)
    lms = with_contrast(PLATE.lms, PLATE.figure, "deutan", 0.05, SPEC)
    columns = ((PLATE.packing.x + 1) * 256).astype(int)
    rows = ((1 - PLATE.packing.y) * 256).astype(int)
    assert np.array_equal(picture[rows, columns], lms_to_rgb8(lms))
    assert tuple(picture[0, 0]) == SPEC.ground_srgb


@pytest.mark.parametrize("axis", AXES)
def test_without_contrast_the_picture_does_not_know_the_digit(axis):
    hidden = render(PLATE, axis, 0.0, 112, SRGB, SPEC)
    blank = Plate(PLATE.packing, np.zeros(len(PLATE.packing), dtype=bool), PLATE.lms)
    assert np.array_equal(hidden, render(blank, axis, 0.0, 112, SRGB, SPEC))
