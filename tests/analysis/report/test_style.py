"""Figures can be read by everybody, on paper, too."""

import io
import re
import warnings
import zlib
from importlib.resources import files

import pytest

from analysis.report.style import (
    _RC,
    BLUE,
    GREY,
    INK,
    ORANGE,
    OTHER,
    WIDTH_IN,
    drawn_with,
    figure_style,
    outlines_alone,
    subplots,
)
from analysis.report.writer import FORMATS
from tests.fonts import made_font

PAGE = files("analysis.report") / "templates" / "report.html"
A4_MM = 210


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


def test_print_shows_figures_at_their_size_and_leaves_no_row_alone():
    """Figures were two thirds as wide, with letters of 5.6 points; a table ended with one row."""
    printed = (
        PAGE.read_text(encoding="utf-8").partition("@media print {")[2].partition("</style>")[0]
    )
    margin = int(re.search(r"@page { margin: \d+mm (\d+)mm; }", printed)[1])
    assert pytest.approx(A4_MM - 2 * margin, abs=1) == WIDTH_IN * 25.4
    assert not re.search(r"figure[^}]*max-width", printed)
    assert _RC["font.size"] >= 8
    rules = dict(re.findall(r"([^{}]+){ break-(?:before|after): (\w+); }", printed))
    avoided = " ".join(rule for rule, how in rules.items() if how == "avoid")
    assert "tr:nth-last-child(-n+2)" in avoided
    assert "tr:nth-child(-n+2)" in avoided


def content_of(pdf):
    """The drawing of a PDF's page, without its fonts."""
    streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL)
    return next(text for text in map(zlib.decompress, streams) if b" Tf" in text)


def test_letters_of_a_pdf_are_outlines_without_tables_that_place_them():
    def as_pdf():
        with figure_style():
            figure, axes = subplots(figsize=(3, 2))
            axes.set_title("Waffles fit AVATAR")
            held = io.BytesIO()
            figure.savefig(held, format="pdf", metadata={"CreationDate": None})
        return held.getvalue()

    whole = as_pdf()
    with outlines_alone():
        small = as_pdf()
    assert len(small) < len(whole)
    assert as_pdf() == whole
    assert content_of(small) == content_of(whole)


HAN = "\N{CJK UNIFIED IDEOGRAPH-5B57}\N{CJK UNIFIED IDEOGRAPH-6587}"


def labelled(name, kind):
    """A figure with a name in its ticks, title and legend, saved as reports save it."""
    with figure_style():
        figure, axes = subplots(figsize=(3, 2))
        axes.plot([0, 1], label=name)
        axes.set_xticks([0], [name])
        axes.set_title(f"Arm {name}")
        axes.legend()
        held = io.BytesIO()
        figure.savefig(held, format=kind)
    return held.getvalue()


def test_figures_draw_the_signs_of_a_packs_fonts(tmp_path):
    font = made_font(HAN, tmp_path / "han.ttf").read_bytes()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with drawn_with((font,), f"results {HAN}"):
            files = {kind: labelled(HAN, kind) for kind in FORMATS}
        # A font adds nothing where the usual ones have all signs.
        with drawn_with((font,), "results"):
            plain = labelled("lrp", "png")
        assert labelled("lrp", "png") == plain
    assert f"{OTHER} 0".replace(" ", "").encode() in files["pdf"]
    with pytest.warns(UserWarning, match="missing"):
        labelled(HAN, "svg")
