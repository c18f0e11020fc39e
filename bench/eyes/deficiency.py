"""Pictures as people with a colour-vision deficiency might see them.

For pictures and checks only; nothing that is measured rests on them.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from stimuli.colour.display import SRGB, encode8, linear_to_lms, lms_to_linear
from stimuli.colour.spaces import CONE_INDEX, Axis, Floats, xyy_to_xyz, xyz_to_lms
from stimuli.errors import UserError
from tests.stimuli.colour.decoding import decode8

_MACHADO_NAME: dict[Axis, str] = {
    "protan": "Protanomaly",
    "deutan": "Deuteranomaly",
    "tritan": "Tritanomaly",
}

# Chromaticities (CIE 1931) of the two lights that look alike to normals and to dichromats.
_ANCHORS_XY: dict[Axis, tuple[tuple[float, float], tuple[float, float]]] = {
    "protan": ((0.4788, 0.5202), (0.1096, 0.0868)),  # 575 and 475 nm
    "deutan": ((0.4788, 0.5202), (0.1096, 0.0868)),
    "tritan": ((0.7300, 0.2700), (0.0687, 0.2007)),  # 660 and 485 nm
}
# Which of two cones' ratio decides on which side of the neutral plane a colour lies.
_RATIO: dict[Axis, tuple[int, int]] = {"protan": (2, 1), "deutan": (2, 0), "tritan": (1, 0)}


def simulate_machado(
    rgb8: NDArray[np.uint8], deficiency: Axis, severity: float
) -> NDArray[np.uint8]:
    """Return an sRGB picture as an anomalous trichromat sees it.

    Parameters
    ----------
    rgb8
        uint8 (…, 3), sRGB.
    deficiency
        Which kind.
    severity
        0 (normal) … 1 (dichromat).

    Raises
    ------
    UserError
        If colour-science is not installed.
    ValueError
        If the severity is beyond 0…1.

    Notes
    -----
    Machado, Oliveira & Fernandes (2009), IEEE TVCG 15(6), on linear RGB, by colour-science.
    """
    if not 0 <= severity <= 1:
        raise ValueError(f"severity is {severity}, must be 0 to 1")
    matrix = _machado_matrix()(_MACHADO_NAME[deficiency], severity)
    return encode8(decode8(rgb8) @ np.asarray(matrix).T)


def _machado_matrix() -> Callable[[str, float], Floats]:
    try:
        from colour.blindness import matrix_cvd_Machado2009
    except ImportError:
        raise UserError(
            "simulated pictures need colour-science: pip install colour-science"
        ) from None
    return matrix_cvd_Machado2009


def simulate_dichromat(rgb8: NDArray[np.uint8], deficiency: Axis) -> NDArray[np.uint8]:
    """Return an sRGB picture as a dichromat sees it, in colours that a normal sees alike.

    Parameters
    ----------
    rgb8
        uint8 (…, 3), sRGB.
    deficiency
        Which cone is missing.

    Notes
    -----
    Brettel, Viénot & Mollon (1997), J. Opt. Soc. Am. A 14, 2647–2655: the missing cone's
    excitation is chosen so that the colour lies on one of two half-planes through the
    neutral axis (here the display's white). Cones are those of `stimuli.colour.spaces`.
    """
    lms = linear_to_lms(decode8(rgb8))
    white = linear_to_lms(np.ones(3))
    missing = CONE_INDEX[deficiency]
    upper, lower = _RATIO[deficiency]
    beyond = lms[..., upper] * white[lower] > lms[..., lower] * white[upper]
    replaced = [
        _on_plane(lms, np.cross(white, xyz_to_lms(xyy_to_xyz([*anchor, 1.0]))), missing)
        for anchor in _ANCHORS_XY[deficiency]
    ]
    seen = lms.copy()
    seen[..., missing] = np.where(beyond, replaced[1], replaced[0])
    return encode8(lms_to_linear(seen, SRGB))


def _on_plane(lms: Floats, normal: Floats, missing: int) -> Floats:
    """Return the missing cone's excitation that puts a colour on the plane of a normal."""
    others = [cone for cone in range(3) if cone != missing]
    return -(lms[..., others] @ normal[others]) / normal[missing]
