"""Dots on a disc."""

import inspect

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stimuli.plates import packing
from stimuli.plates.packing import pack_dots
from stimuli.plates.spec import PlateSpec

SPEC = PlateSpec()
COARSE = PlateSpec(dot_radius_min=0.05, dot_radius_max=0.1, dot_gap=0.01, density=0.5)
seeds = st.integers(0, 2**64)


def _clear_space(dots):
    """Return the least space between any two dots, straight from the definition."""
    x, y, r = (getattr(dots, name).astype(np.float64) for name in ("x", "y", "radius"))
    between = np.hypot(x[:, None] - x, y[:, None] - y) - r[:, None] - r
    np.fill_diagonal(between, np.inf)
    return between.min()


@settings(max_examples=6, deadline=None)
@given(seeds)
def test_no_dot_touches_another_or_leaves_the_disc(seed):
    dots = pack_dots(seed, SPEC)
    assert _clear_space(dots) >= SPEC.dot_gap - 1e-12
    reach = np.hypot(dots.x.astype(np.float64), dots.y) + dots.radius
    assert reach.max() <= 1


@settings(max_examples=8, deadline=None)
@given(seeds)
def test_compiled_and_numpy_packers_give_equal_bits(seed):
    pytest.importorskip("numba")
    fast = packing.pack_by(seed, COARSE, packing.fill_compiled)
    slow = packing.pack_by(seed, COARSE, packing.fill_numpy)
    for name in ("x", "y", "radius"):
        assert getattr(fast, name).tobytes() == getattr(slow, name).tobytes()


def test_compiled_and_numpy_packers_give_equal_bits_at_full_size():
    pytest.importorskip("numba")
    fast = packing.pack_by(7, SPEC, packing.fill_compiled)
    slow = packing.pack_by(7, SPEC, packing.fill_numpy)
    assert fast.x.tobytes() + fast.y.tobytes() == slow.x.tobytes() + slow.y.tobytes()


def test_without_numba_the_numpy_packer_is_taken(monkeypatch):
    expected = pack_dots(3, COARSE)
    monkeypatch.setattr(packing, "compiled", lambda loop: None)
    assert np.array_equal(pack_dots(3, COARSE).x, expected.x)


def test_numpy_agrees_with_the_plain_loop():
    """The compiled function, run as Python, is the slow reference of the vectorised one."""
    spec = PlateSpec(dot_radius_min=0.08, dot_radius_max=0.15, dot_gap=0.01, density=0.45)
    with np.errstate(over="ignore"):
        slow = packing.pack_by(1, spec, packing.throw_all)
    assert np.array_equal(slow.x, packing.pack_by(1, spec, packing.fill_numpy).x)


def test_a_seed_gives_the_same_dots_for_ever():
    """Known answer: a pack that was built must be built alike years later."""
    dots = pack_dots(1, SPEC)
    assert len(dots) == 1249
    lattice = [int(v) for v in np.round(dots.x[:3].astype(np.float64) * 2**20)]
    assert lattice == [695986, -813914, 327781]
    assert not np.array_equal(dots.x, pack_dots(2, SPEC).x)


def test_about_1200_dots_cover_the_asked_share():
    dots = pack_dots(5, SPEC)
    assert 1100 <= len(dots) <= 1300
    assert (dots.radius.astype(np.float64) ** 2).sum() == pytest.approx(SPEC.density, abs=2e-3)
    assert dots.radius.min() >= SPEC.dot_radius_min - 2**-19
    assert dots.radius.max() <= SPEC.dot_radius_max


def test_the_packer_can_know_of_no_mask():
    assert list(inspect.signature(pack_dots).parameters) == ["seed", "spec"]


def test_an_impossible_density_is_refused_by_name():
    spec = PlateSpec(dot_radius_min=0.02, dot_radius_max=0.02, dot_gap=0.05, density=0.57)
    with pytest.raises(ValueError, match=r"density 0\.57 with gap 0\.05"):
        pack_dots(1, spec)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("dot_radius_min", 0.0),
        ("dot_radius_max", 0.001),
        ("dot_gap", -0.1),
        ("density", 0.9),
        ("mask_span", 1.2),
        ("min_stroke_dots", -1),
        ("s_jitter_sigma", 0.9),
        ("luminance_levels_cd_m2", ()),
        ("luminance_levels_cd_m2", (8, 0)),
        ("base_srgb", (0, 0, 0)),
        ("ground_srgb", (1, 2, 300)),
    ],
)
def test_an_impossible_look_is_refused_by_name(field, value):
    with pytest.raises(ValueError, match=field):
        PlateSpec(**{field: value})
