"""Bar 6: no overlap, no dot outside, every colour shown as asked, the same plate everywhere."""

import hashlib
import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from bench.book import Effort, Measured, Part, table
from bench.parts.words import bar
from stimuli.colour.display import linear_to_lms, lms_to_linear, lms_to_rgb8
from stimuli.colour.spaces import AXES, Axis, lms_to_xyz, xyz_to_uv
from stimuli.images.digits import load_digits
from stimuli.io.canonical import seed_of
from stimuli.plates import packing
from stimuli.plates.masks import digit_mask
from stimuli.plates.plate import make_plate, plate_bytes
from stimuli.plates.render import render
from stimuli.plates.spec import modulation, neutral_lms, spec_for_axis, with_contrast
from tests.stimuli.colour.decoding import decode8
from tests.stimuli.plates.contrasts import DEFAULT_CONTRAST, contrast_ladder

Floats = NDArray[np.float64]
Figures = dict[str, Any]


def measure_soundness(effort: Effort) -> Measured:
    """Measure overlap, edge, gamut and determinism over many seeds and every rung."""
    seeds, twins = (20, 4) if effort.quick else (1000, 60)
    effort.say(f"{seeds} packings, {seeds} plates on every rung of three axes")
    gaps, reaches = zip(*(_gap_and_reach(seed) for seed in range(seeds)), strict=True)
    light = {axis: [_light(axis, rung, seeds) for rung in contrast_ladder()] for axis in AXES}
    here = [_fingerprint(seed) for seed in range(twins)]
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as elsewhere:
        equal = sum(
            a == b for a, b in zip(here, elsewhere.map(_fingerprint, range(twins)), strict=True)
        )
    engines = sum(_engines_agree(seed) for seed in range(min(twins, 20)))
    rounding = [_rounding(axis, rung) for axis in AXES for rung in contrast_ladder()]
    figures: Figures = {
        "seeds": seeds,
        "least_gap": min(gaps),
        "asked_gap": spec_for_axis("deutan").dot_gap,
        "largest_reach": max(reaches),
        "light": light,
        "twins": twins,
        "equal_twins": equal,
        "equal_engines": engines,
        "compared_engines": min(twins, 20),
        "rounding": rounding,
    }
    figures["bars"] = [_soundness_bar(figures)]
    return Measured(_soundness_text(figures), figures)


def _gap_and_reach(seed: int) -> tuple[float, float]:
    """Return the least space between two dots, and how far the outermost dot's edge lies."""
    dots = packing.pack_dots(seed)
    at = np.stack([dots.x, dots.y], axis=1).astype(np.float64)
    radius = dots.radius.astype(np.float64)
    pairs = cKDTree(at).query_pairs(4 * radius.max(), output_type="ndarray")
    apart = np.hypot(*(at[pairs[:, 0]] - at[pairs[:, 1]]).T)
    return (
        float((apart - radius[pairs].sum(axis=1)).min()),
        float((np.hypot(*at.T) + radius).max()),
    )


def _light(axis: Axis, contrast: float, seeds: int) -> dict[str, float]:
    """Return the least and the most linear light that a dot asks of any gun."""
    spec = spec_for_axis(axis)
    ends = []
    for seed in range(seeds):
        rng = np.random.Generator(np.random.PCG64(seed_of("light", seed)))
        neutral = neutral_lms(1249, rng, spec)
        figure = rng.random(1249) < 0.3
        linear = lms_to_linear(with_contrast(neutral, figure, axis, contrast, spec))
        ends.append((float(linear.min()), float(linear.max())))
    return {
        "contrast": contrast,
        "least": min(low for low, _ in ends),
        "most": max(high for _, high in ends),
    }


@cache
def _masks() -> tuple[NDArray[np.bool_], ...]:
    digits = load_digits("uci")
    return tuple(digit_mask(digits.images[index]) for index in range(10))


def _fingerprint(seed: int) -> str:
    """Return the SHA-256 of a plate and its pictures on every axis."""
    digest = hashlib.sha256()
    for axis in AXES:
        spec = spec_for_axis(axis)
        plate = make_plate(_masks()[seed % 10], seed, seed, spec)
        digest.update(plate_bytes(plate))
        digest.update(render(plate, axis, DEFAULT_CONTRAST[axis], 112, spec=spec).tobytes())
    return digest.hexdigest()


def _engines_agree(seed: int) -> bool:
    spec = spec_for_axis("deutan")
    fast, slow = packing.pack_dots(seed, spec), packing.pack_by(seed, spec, packing.fill_numpy)
    return all(
        getattr(fast, name).tobytes() == getattr(slow, name).tobytes()
        for name in ("x", "y", "radius")
    )


def _rounding(axis: Axis, contrast: float) -> Figures:
    """Return what rounding to 8 bits does to dots' chromaticities, Δu′v′."""
    rng = np.random.Generator(np.random.PCG64(seed_of("rounding", axis)))
    spec = spec_for_axis(axis)
    neutral = neutral_lms(20_000, rng, spec)
    pair = [
        with_contrast(neutral, np.full(len(neutral), figure), axis, contrast, spec)
        for figure in (True, False)
    ]
    shown = [linear_to_lms(decode8(lms_to_rgb8(lms))) for lms in pair]
    errors = np.concatenate(
        [np.linalg.norm(_u_v(s) - _u_v(w), axis=1) for s, w in zip(shown, pair, strict=True)]
    )
    realised = _u_v(shown[0].mean(axis=0)) - _u_v(shown[1].mean(axis=0))
    asked = _u_v(pair[0].mean(axis=0)) - _u_v(pair[1].mean(axis=0))
    return {
        "axis": axis,
        "contrast": contrast,
        "largest": float(errors.max()),
        "rms": float(np.sqrt((errors**2).mean())),
        "pair_error": float(np.linalg.norm(realised - asked)),
    }


def _u_v(lms: NDArray[np.floating]) -> Floats:
    return xyz_to_uv(lms_to_xyz(lms))


def _soundness_bar(figures: Figures) -> Figures:
    lights = [light for rungs in figures["light"].values() for light in rungs]
    sound = (
        figures["least_gap"] >= figures["asked_gap"] - 1e-9
        and figures["largest_reach"] <= 1
        and all(light["least"] >= 0 and light["most"] <= 1 for light in lights)
        and figures["equal_twins"] == figures["twins"]
        and figures["equal_engines"] == figures["compared_engines"]
    )
    return bar(
        6,
        "no overlap, no dot outside, in gamut, deterministic, at every rung",
        f"{figures['seeds']:,} seeds: least gap {figures['least_gap']:.4f}, outermost "
        f"edge {figures['largest_reach']:.4f}, light "
        f"{min(light['least'] for light in lights):.3f} to "
        f"{max(light['most'] for light in lights):.3f}, "
        f"{figures['equal_twins']} of {figures['twins']} plates alike in another process",
        sound,
    )


def _soundness_text(figures: Figures) -> str:
    rows = []
    for axis in AXES:
        lights = figures["light"][axis]
        least, most = min(v["least"] for v in lights), max(v["most"] for v in lights)
        rows.append([axis, f"{least:.4f}", f"{most:.4f}"])
    rounding = figures["rounding"]
    largest = max(row["largest"] for row in rounding) / contrast_ladder()[0]
    blocks = [
        f"Over {figures['seeds']:,} seeds the smallest gap between two dots is "
        f"{figures['least_gap']:.5f} of the plate's radius (asked: {figures['asked_gap']:g}) and "
        f"no dot's edge lies beyond {figures['largest_reach']:.5f}. Linear light that dots need "
        f"from an sRGB display, over {figures['seeds']:,} plates on each rung (between 0 and 1 "
        "the display can show it):",
        table(("axis", "least", "most"), rows),
        f"{figures['equal_twins']} of {figures['twins']} plates have the same SHA-256 of dots "
        f"and pixels in another process, and {figures['equal_engines']} of "
        f"{figures['compared_engines']} packings have the same bits with and without numba.",
        "Rounding to 8 bits moves a dot's chromaticity by at most "
        f"{_most(rounding, 'largest')} ({_most(rounding, 'rms')} root mean square; Δu′v′ ×10⁻⁴), "
        f"{largest:.0%} of the lowest rung's contrast, and the pair's mean by at most "
        f"{_most(rounding, 'pair_error')}. All checks of colours on this page read 8-bit codes, "
        "so they include differences that are due to rounding.",
        table(
            ("axis and rung", "largest", "RMS", "of the pair's mean"),
            [_rounding_row(row) for row in _lowest_and_highest(rounding)],
        ),
    ]
    return "\n\n".join(blocks)


def _most(rows: Sequence[Figures], key: str) -> str:
    return f"{max(row[key] for row in rows) * 1e4:.1f}"


def _lowest_and_highest(rows: Sequence[Figures]) -> list[Figures]:
    ends = (contrast_ladder()[0], contrast_ladder()[-1])
    return [row for row in rows if row["contrast"] in ends]


def _rounding_row(row: Figures) -> list[str]:
    values = (row["largest"], row["rms"], row["pair_error"])
    return [
        f"{row['axis']} {row['contrast'] * 1e4:.0f} (c = "
        f"{modulation(row['axis'], row['contrast'], spec_for_axis(row['axis'])):.3f})",
        *(f"{value * 1e4:.1f}" for value in values),
    ]


PARTS = (Part("soundness", "Dots, gamut, determinism, 8 bits", measure_soundness),)
