"""What a plate looks like, whatever digit it hides: sizes of dots and strokes, and colours.

Figure and ground have the same noise. Their colours lie on a confusion line, as far apart as the
contrast says.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from stimuli.colour.display import SRGB, DisplayProfile, linear_to_lms, lms_to_linear
from stimuli.colour.spaces import AXES, CONE_INDEX, Axis, Floats, lms_to_xyz, srgb_decode, xyz_to_uv
from stimuli.errors import UserError

Srgb = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class PlateSpec:
    """The look of a plate. Lengths are fractions of the plate's radius.

    Parameters
    ----------
    dot_radius_min, dot_radius_max
        Radii of the smallest and the largest dot.
    dot_gap
        Least clear space between two dots.
    density
        Share of the plate's disc that dots cover. Beyond about .57, random packing of these sizes
        fails.
    mask_span
        How far from the centre a digit reaches.
    min_stroke_dots
        Least width of a digit's stroke, in diameters of the mean dot.
    base_srgb
        Colour midway between figure and ground, before noise, as 8-bit sRGB.
    luminance_levels_cd_m2
        Luminances that dots take at random, as ratios to their mean: the base colour's
        own luminance stands at the mean (on a display whose white has mean ÷ base, about
        49 cd/m² for the default, they are the literal cd/m² of the Cambridge Colour Test).
    s_jitter_sigma
        Standard deviation of the natural logarithm of the S cone's noise factor.
    ground_srgb
        Colour between the dots and around the plate, 8-bit sRGB.

    Raises
    ------
    ValueError
        If a value is impossible; the message names it.
    """

    dot_radius_min: float = 0.0104
    dot_radius_max: float = 0.0278
    dot_gap: float = 0.003
    density: float = 0.55
    mask_span: float = 0.93
    min_stroke_dots: float = 2.5
    base_srgb: Srgb = (165, 140, 75)
    luminance_levels_cd_m2: tuple[float, ...] = (8.0, 10.0, 12.0, 14.0, 16.0, 18.0)
    s_jitter_sigma: float = 0.15
    ground_srgb: Srgb = (30, 30, 30)

    def __post_init__(self) -> None:
        _require(self.dot_radius_min >= 0.005, "dot_radius_min", self.dot_radius_min, "≥ 0.005")
        _require(
            self.dot_radius_min <= self.dot_radius_max <= 0.2,
            "dot_radius_max",
            self.dot_radius_max,
            "between dot_radius_min and 0.2",
        )
        _require(0 <= self.dot_gap <= 0.05, "dot_gap", self.dot_gap, "0 to 0.05")
        _require(0.05 <= self.density <= 0.57, "density", self.density, "0.05 to 0.57")
        _require(0.2 <= self.mask_span <= 1, "mask_span", self.mask_span, "0.2 to 1")
        _require(
            0 <= self.min_stroke_dots <= 10, "min_stroke_dots", self.min_stroke_dots, "0 to 10"
        )
        _require(0 <= self.s_jitter_sigma <= 0.5, "s_jitter_sigma", self.s_jitter_sigma, "0 to 0.5")
        levels = tuple(float(level) for level in self.luminance_levels_cd_m2)
        _require(bool(levels) and min(levels) > 0, "luminance_levels_cd_m2", levels, "all > 0")
        object.__setattr__(self, "luminance_levels_cd_m2", levels)
        for field in ("base_srgb", "ground_srgb"):
            colour = tuple(int(value) for value in getattr(self, field))
            _require(
                len(colour) == 3 and all(0 <= value <= 255 for value in colour),
                field,
                colour,
                "three values of 0 to 255",
            )
            object.__setattr__(self, field, colour)
        _require(any(self.base_srgb), "base_srgb", self.base_srgb, "brighter than black")

    @property
    def dot_radius_mean(self) -> float:
        """Root of the mean squared radius, the size of the mean dot."""
        return ((self.dot_radius_min**2 + self.dot_radius_max**2) / 2) ** 0.5


def _require(holds: bool, field: str, value: object, rule: str) -> None:
    if not holds:
        raise ValueError(f"{field} is {value}, must be {rule}")


JITTER_LIMIT_SIGMA = 3.0
"""S noise is cut here, so that every dot is sure to fit the display."""

FIGURE_SIGN: dict[Axis, int] = {"protan": +1, "deutan": -1, "tritan": +1}
"""Figure dots have more L, less M or more S than ground dots: redder, or bluer."""

TRITAN_BASE_SRGB = (140, 140, 140)
"""Grey base for tritan plates: the default has so little S that a pair soon leaves the gamut."""
TRITAN_S_JITTER_SIGMA = 0.05
"""S noise hides what a red–green dichromat's S cones might see. On tritan plates it would be noise
on the digit itself, so only a little is used."""


def spec_for_axis(axis: Axis) -> PlateSpec:
    """Return the default look for plates of an axis: tritan plates stand on grey."""
    if axis != "tritan":
        return PlateSpec()
    return PlateSpec(base_srgb=TRITAN_BASE_SRGB, s_jitter_sigma=TRITAN_S_JITTER_SIGMA)


@lru_cache(maxsize=64)
def base_lms(spec: PlateSpec = PlateSpec()) -> tuple[float, float, float]:
    """Return the cone excitations of the base colour, relative to white's L + M = 1."""
    low, middle, short = linear_to_lms(srgb_decode(np.array(spec.base_srgb) / 255), SRGB)
    return float(low), float(middle), float(short)


def neutral_lms(
    count: int, rng: np.random.Generator, spec: PlateSpec = PlateSpec()
) -> NDArray[np.float32]:
    """Draw the colours of dots before a digit is added.

    Parameters
    ----------
    count
        Number of dots, N.
    rng
        Where the noise comes from.
    spec
        Base colour, luminance levels, S noise.

    Returns
    -------
    float32 (N, 3)
        The base's L, M, S times one of the luminance levels (all three cones alike, so
        that chromaticity stays), S also times log-normal noise cut at ±3 σ.
    """
    levels = np.array(spec.luminance_levels_cd_m2)
    level = (levels / levels.mean())[rng.integers(len(levels), size=count)]
    noise = np.clip(rng.standard_normal(count), -JITTER_LIMIT_SIGMA, JITTER_LIMIT_SIGMA)
    lms = np.array(base_lms(spec)) * level[:, None]
    lms[:, 2] *= np.exp(spec.s_jitter_sigma * noise)
    return lms.astype(np.float32)


def with_contrast(
    lms: NDArray[np.float32],
    figure: NDArray[np.bool_],
    axis: Axis,
    contrast: float,
    spec: PlateSpec = PlateSpec(),
) -> NDArray[np.float32]:
    """Return colours (N, 3) in which the figure differs from the ground in one cone only.

    Parameters
    ----------
    lms
        Neutral cone excitations, float32 (N, 3).
    figure
        Which dots lie on the digit, (N,).
    axis
        Whose confusion line: the cone that this dichromat lacks is modulated,
        × (1 ± c/2), figure and ground in opposite directions.
    contrast
        Δu′v′ between the pair that the spec's base colour turns into, ≥ 0.
    spec
        Gives the base colour.

    Raises
    ------
    UserError
        If the axis is unknown, or the contrast negative or beyond any colour.
    """
    half = modulation(axis, contrast, spec) / 2 * FIGURE_SIGN[axis]
    coloured = lms.copy()
    factor = np.where(figure, 1 + half, 1 - half).astype(np.float32)
    coloured[:, CONE_INDEX[axis]] *= factor
    return coloured


@lru_cache(maxsize=1024)
def modulation(axis: Axis, contrast: float, spec: PlateSpec = PlateSpec()) -> float:
    """Return c of the pair's cone factors 1 ± c/2 that makes a contrast of Δu′v′."""
    if axis not in AXES:
        raise UserError(f"axis {axis!r} is unknown; take one of {', '.join(AXES)}")
    if not contrast >= 0:
        raise UserError(f"contrast is {contrast}, must be 0 or more (Δu′v′)")
    low, high = 0.0, 2.0
    if contrast > pair_distance(axis, high, spec):
        limit = pair_distance(axis, high, spec)
        raise UserError(f"{axis} contrast {contrast:g} is beyond any colour (largest {limit:.4f})")
    for _ in range(60):
        middle = (low + high) / 2
        if pair_distance(axis, middle, spec) < contrast:
            low = middle
        else:
            high = middle
    return high if contrast else 0.0


def pair_distance(axis: Axis, c: float, spec: PlateSpec = PlateSpec()) -> float:
    """Return Δu′v′ between the base with one cone × (1 + c/2) and × (1 − c/2)."""
    pair = np.array([base_lms(spec)] * 2)
    pair[:, CONE_INDEX[axis]] *= (1 + c / 2, 1 - c / 2)
    first, second = xyz_to_uv(lms_to_xyz(pair))
    return float(np.sqrt(((first - second) ** 2).sum()))


def _extremes(axis: Axis, c: float, spec: PlateSpec) -> Floats:
    """Return the outermost colours of a plate: gamut is convex, so the rest lie between."""
    levels = np.array(spec.luminance_levels_cd_m2)
    span = JITTER_LIMIT_SIGMA * spec.s_jitter_sigma
    colours = []
    for sign in (-1, 1):
        for level in (levels.min() / levels.mean(), levels.max() / levels.mean()):
            for jitter in (np.exp(-span), np.exp(span)):
                lms = np.array(base_lms(spec)) * level * (1, 1, jitter)
                lms[CONE_INDEX[axis]] *= 1 + sign * c / 2
                colours.append(lms)
    return np.array(colours)


def _fits(axis: Axis, c: float, spec: PlateSpec, display: DisplayProfile) -> bool:
    linear = lms_to_linear(_extremes(axis, c, spec), display)
    return bool(linear.min() >= 0 and linear.max() <= 1)


@lru_cache(maxsize=256)
def largest_contrast(
    axis: Axis, spec: PlateSpec = PlateSpec(), display: DisplayProfile = SRGB
) -> float:
    """Return the largest Δu′v′ at which every dot's colour fits the display (0: none).

    Rounded down to 1e-4, for every luminance level and S noise up to its cut.
    """
    if not _fits(axis, 0.0, spec, display):
        return 0.0
    low, high = 0.0, 2.0
    for _ in range(50):
        middle = (low + high) / 2
        if _fits(axis, middle, spec, display):
            low = middle
        else:
            high = middle
    return float(np.floor(pair_distance(axis, low, spec) * 1e4) / 1e4)


def check_gamut(
    axis: Axis, contrast: float, spec: PlateSpec = PlateSpec(), display: DisplayProfile = SRGB
) -> None:
    """Refuse a contrast with which some dot's colour doesn't fit the display.

    Raises
    ------
    UserError
        With the largest contrast that fits.
    """
    if axis not in AXES:
        raise UserError(f"axis {axis!r} is unknown; take one of {', '.join(AXES)}")
    largest = largest_contrast(axis, spec, display)
    if contrast > largest:
        raise UserError(
            f"{axis} contrast {contrast:g} doesn't fit display {display.name!r}; "
            f"the largest that fits is {largest:g}"
        )
    modulation(axis, contrast, spec)
