"""Bar 5: the colours of the pairs, and the displays they fit."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.book import Effort, Measured, Part, table
from bench.eyes.deficiency import simulate_dichromat
from bench.parts.words import bar
from experiments.rig.profile import RIG_SCHEMA
from stimuli.colour.display import SRGB, DisplayProfile, linear_to_lms, lms_to_rgb8
from stimuli.colour.spaces import AXES, Axis
from stimuli.errors import UserError
from stimuli.io.canonical import seed_of
from stimuli.plates.spec import (
    check_gamut,
    largest_contrast,
    neutral_lms,
    spec_for_axis,
    with_contrast,
)
from tests.stimuli.colour.decoding import decode8
from tests.stimuli.plates.contrasts import DEFAULT_CONTRAST, contrast_ladder

Floats = NDArray[np.float64]
Figures = dict[str, Any]

DISPLAYS = (
    SRGB,
    DisplayProfile("Display P3", (0.680, 0.320), (0.265, 0.690), (0.150, 0.060), (0.3127, 0.3290)),
    DisplayProfile(
        "an office monitor, measured (example)",
        (0.632, 0.338),
        (0.312, 0.611),
        (0.152, 0.064),
        (0.309, 0.322),
        gamma=(2.17, 2.23, 2.20),
        calibrated=True,
    ),
    DisplayProfile(
        "a laptop's dull panel (example)",
        (0.580, 0.345),
        (0.335, 0.570),
        (0.158, 0.125),
        (0.313, 0.329),
        gamma=(2.2, 2.2, 2.2),
    ),
)
DISPLAY_HELP = """
The rig's file (`rigs/NAME.toml` of the lab folder) has the measurements of the display. A display
without measurements is assumed to be sRGB; `doctor` and the journal say so:

```toml
schema = "{schema}"

[display]
name = "left monitor"
red_xy = [0.632, 0.338]      # CIE 1931 chromaticities of the guns at full, and of white
green_xy = [0.312, 0.611]
blue_xy = [0.152, 0.064]
white_xy = [0.309, 0.322]
gamma = [2.17, 2.23, 2.20]   # of each gun; without it: the sRGB curve
calibrated = true
```

Instead of the four chromaticities, `spectra = "guns.csv"` names a file in the same folder with the
columns `wavelength_nm, red, green, blue`: radiance of the guns at full, in any unit. Plates are
then rendered for cones between those of a 2° and a 10° field, which hides the digit better from
both (see "A dichromat with other cones").
""".strip()
BARRED: tuple[Axis, ...] = ("deutan", "protan")
LEAST_NORMAL, MOST_DICHROMAT = 12.0, 1.0


def measure_colours(effort: Effort) -> Measured:
    """Measure how different the pair's means are, and which contrasts fit which display."""
    dots = 20_000 if effort.quick else 400_000
    pairs = [
        _pair(axis, contrast, dots)
        for axis in AXES
        for contrast in sorted({*contrast_ladder(), DEFAULT_CONTRAST[axis]})
    ]
    limits = {
        display.name: {axis: largest_contrast(axis, spec_for_axis(axis), display) for axis in AXES}
        for display in DISPLAYS
    }
    default = [p for p in pairs if p["axis"] in BARRED and p["default"]]
    figures: Figures = {
        "pairs": pairs,
        "limits": limits,
        "bars": [
            bar(
                5,
                f"ΔE00 of the pair's means at the default contrast: ≤ {MOST_DICHROMAT:g} "
                f"for the Brettel dichromat, ≥ {LEAST_NORMAL:g} for normals",
                "; ".join(
                    f"{p['axis']} {p['dichromat']:.2f} and {p['normal']:.1f}" for p in default
                ),
                all(
                    p["dichromat"] <= MOST_DICHROMAT and p["normal"] >= LEAST_NORMAL
                    for p in default
                ),
            )
        ],
    }
    return Measured(_colours_text(figures, dots), figures)


def _pair(axis: Axis, contrast: float, dots: int) -> Figures:
    """Return ΔE00 between the mean lights of figure and ground as an sRGB display shows them."""
    means = _mean_lights(axis, contrast, dots)
    return {
        "axis": axis,
        "contrast": contrast,
        "default": contrast == DEFAULT_CONTRAST[axis],
        **{eye: _delta_e(*lights) for eye, lights in means.items()},
        "codes": [_middle_codes(axis, contrast, figure) for figure in (True, False)],
    }


def _mean_lights(axis: Axis, contrast: float, dots: int) -> dict[str, tuple[Floats, Floats]]:
    rng = np.random.Generator(np.random.PCG64(seed_of("pairs", axis)))
    spec = spec_for_axis(axis)
    neutral = neutral_lms(dots, rng, spec)
    # The same noise on both sides: the pair's difference alone is left in the means.
    codes = [
        lms_to_rgb8(with_contrast(neutral, np.full(dots, figure), axis, contrast, spec))
        for figure in (True, False)
    ]
    return {
        "normal": tuple(decode8(c).mean(axis=0) for c in codes),
        "dichromat": tuple(decode8(simulate_dichromat(c, axis)).mean(axis=0) for c in codes),
    }


def _delta_e(first: Floats, second: Floats) -> float:
    import colour

    space = colour.RGB_COLOURSPACES["sRGB"]
    lab = [colour.XYZ_to_Lab(light @ space.matrix_RGB_to_XYZ.T) for light in (first, second)]
    return float(colour.delta_E(*lab, method="CIE 2000"))


def _middle_codes(axis: Axis, contrast: float, figure: bool) -> list[int]:
    spec = spec_for_axis(axis)
    base = linear_to_lms(decode8(np.array([spec.base_srgb])))
    shown = with_contrast(base.astype(np.float32), np.array([figure]), axis, contrast, spec)
    return lms_to_rgb8(shown)[0].tolist()


def _colours_text(figures: Figures, dots: int) -> str:
    blocks = [
        "Figure and ground differ in one cone only; on every axis the figure is the redder or "
        f"the bluer one. ΔE00 (colour-science) between the mean lights of {dots:,} figure and as "
        "many ground dots, as an sRGB display shows their 8-bit codes, for normals and for the "
        "dichromat of the axis (Brettel, Viénot & Mollon 1997, dot by dot). The codes are those "
        "of the pair without noise. The default contrast is set in bold.",
    ]
    for axis in AXES:
        base = ", ".join(map(str, spec_for_axis(axis).base_srgb))
        rows = [_pair_row(pair) for pair in figures["pairs"] if pair["axis"] == axis]
        headings = (f"{axis}, Δu′v′ ×10⁻⁴", "normal", "dichromat", "figure sRGB", "ground sRGB")
        blocks += [f"**{axis}**, on base sRGB {base}:", table(headings, rows)]
    blocks += [_limits_text(figures["limits"])]
    return "\n\n".join(blocks)


def _pair_row(pair: Figures) -> list[str]:
    label = f"{pair['contrast'] * 1e4:.0f}"
    return [
        f"**{label}**" if pair["default"] else label,
        f"{pair['normal']:.1f}",
        f"{pair['dichromat']:.2f}",
        *(" ".join(map(str, codes)) for codes in pair["codes"]),
    ]


def _limits_text(limits: dict[str, dict[str, float]]) -> str:
    rows = []
    for name, largest in limits.items():
        rungs = [sum(rung <= largest[axis] for rung in contrast_ladder()) for axis in AXES]
        rows.append(
            [
                name,
                *(f"{largest[axis] * 1e4:.0f}" for axis in AXES),
                " / ".join(map(str, rungs)),
            ]
        )
    return "\n\n".join(
        [
            "The largest contrast (Δu′v′ ×10⁻⁴) of which every dot fits the display, at every "
            "luminance level and up to the cut of the S noise, and how many of the ladder's "
            f"{len(contrast_ladder())} rungs fit:",
            table(("display", *AXES, "rungs"), rows),
            f"What doesn't fit is refused, never clipped. {_refusal()}",
            DISPLAY_HELP.format(schema=RIG_SCHEMA.tag),
        ]
    )


def _refusal() -> str:
    dull, contrast = DISPLAYS[-1], 0.2
    try:
        check_gamut("deutan", contrast, spec_for_axis("deutan"), dull)
    except UserError as mistake:
        return f"So says the suite when it is asked for one: “{mistake}”."
    return f"A deutan contrast of {contrast:g} fits even {dull.name}."


PARTS = (Part("colours", "Colours and displays", measure_colours),)
