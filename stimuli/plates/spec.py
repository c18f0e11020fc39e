"""What a plate looks like, whatever digit it hides."""

from dataclasses import dataclass

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
        Share of the plate's disc that dots cover. Beyond about .57 random packing of
        these sizes comes to a standstill.
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
