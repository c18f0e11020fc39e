"""The colours of figures can be told apart by everybody."""

import pytest

from analysis.report.style import BLUE, GREY, INK, ORANGE


@pytest.mark.filterwarnings("ignore::colour.utilities.ColourUsageWarning")
@pytest.mark.parametrize("deficiency", ["Protanomaly", "Deuteranomaly", "Tritanomaly", "grey"])
def test_the_figures_colours_stay_apart_for_every_eye(deficiency):
    """Machado, Oliveira & Fernandes 2009 at full severity; CIE 1976 differences."""
    import colour

    pairs = [(BLUE, ORANGE), (BLUE, GREY), (ORANGE, INK), (GREY, INK)]
    for pair in pairs:
        lab = []
        for name in pair:
            rgb = colour.cctf_decoding(colour.notation.HEX_to_RGB(name))
            if deficiency == "grey":
                rgb = [float(rgb @ [0.2126, 0.7152, 0.0722])] * 3
            else:
                rgb = colour.matrix_cvd_Machado2009(deficiency, 1.0) @ rgb
            lab.append(colour.XYZ_to_Lab(colour.RGB_to_XYZ(rgb, "sRGB")))
        assert abs(lab[0][0] - lab[1][0]) > 12, pair
        assert colour.delta_E(*lab, method="CIE 1976") > 15, pair
