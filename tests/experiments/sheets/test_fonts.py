"""Signs that the typeface lacks are printed in a pack's fonts, of either kind of outlines."""

import io
from datetime import date

import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.boundsPen import BoundsPen
from fontTools.pens.t2CharStringPen import T2CharStringPen
from fontTools.ttLib import TTFont

from experiments.sheets import keys, read
from experiments.sheets.cards import card_sheet, receipt_sheet
from experiments.sheets.command import _issuer
from experiments.sheets.fonts import in_fonts, use_fonts
from experiments.sheets.paper import text_of
from experiments.sheets.read import consent_sheet
from participants.folder import LabFolder
from participants.payments.ledger import Account
from participants.texts import load_text
from participants.texts.rig import load_rig_words
from stimuli.errors import UserError
from stimuli.font_parts import true_type
from tests.experiments.sheets.pdf_text import pages_of
from tests.fonts import made_font
from tests.small_packs import SMALL_PACKS
from xai_backend.packs.sealed import sealed
from xai_backend.progress import Silent

HAN = "\N{CJK UNIFIED IDEOGRAPH-5B57}\N{CJK UNIFIED IDEOGRAPH-6587}"


@pytest.fixture
def lab(tmp_path, monkeypatch):
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path / "lab"))
    return LabFolder.make()


def consent_with(lab, text):
    """The consent in English with a text at its end."""
    own = lab.texts / "human_ai_team" / "en" / "consent.md"
    own.parent.mkdir(parents=True)
    shipped = load_text("human_ai_team", "en", "consent").markdown
    whole = f"---\nversion: 1\n---\n{shipped}\n\nRead {text} **here**.\n"
    own.write_text(whole, encoding="utf-8")
    words = load_rig_words("sheets.toml", "en")
    return consent_sheet(SMALL_PACKS["human_ai_team"](), lab, "en", words)


def test_a_consent_is_printed_with_the_signs_of_a_packs_font(lab, tmp_path, monkeypatch):
    font = made_font(HAN, tmp_path / "han.ttf").read_bytes()
    for module in (read, keys):
        monkeypatch.setattr(module, "fonts_in", lambda pack: (font,))
    sheet = consent_with(lab, HAN)
    assert sheet == consent_with(LabFolder.make(tmp_path / "again"), HAN)
    said = "".join("".join(pages_of(sheet)).split())
    assert f"Read{HAN}here." in said


def test_cards_and_receipts_name_a_lab_in_the_signs_of_a_packs_font(lab, tmp_path):
    """The institution in lab.toml: refused without the font, printed with it."""
    settings = lab.root / "lab.toml"
    text = settings.read_text(encoding="utf-8")
    settings.write_text(text.replace('institution = ""', f'institution = "{HAN} Lab"', 1), "utf-8")
    place, words = LabFolder.open(), load_rig_words("sheets.toml", "en")
    with pytest.raises(UserError, match=r"sheets: DejaVu Sans and the pack's fonts have no sign"):
        _issuer(place, words, None)
    small = SMALL_PACKS["human_ai_team"]()
    font = made_font(HAN, tmp_path / "han.ttf")
    rules = small.protocol.model_copy(update={"fonts": (str(font),)})
    files = {name: small.asset(name) for name in small.manifest.files}
    sealed(tmp_path / "pack", rules, "solutions", files, {}, Silent())
    issuer = _issuer(place, words, tmp_path / "pack")
    account = Account("K7RTMX8", "a", "s", date(2026, 1, 2), "ended", 9, 500, 0, "EUR", None)
    for sheet in (card_sheet(["K7RTMX8"], issuer, words), receipt_sheet([account], issuer, words)):
        assert f"{HAN}Lab" in "".join("".join(pages_of(sheet)).split())


def test_lines_without_blanks_end_between_signs(tmp_path):
    use_fonts((made_font(HAN, tmp_path / "han.ttf").read_bytes(),), HAN)
    heights = [text_of(HAN * times)[0].wrap(200, 1000)[1] for times in (1, 60)]
    assert heights[1] == 3 * heights[0]


def test_what_cannot_be_printed_is_refused(lab):
    with pytest.raises(UserError, match="has no sign"):
        consent_with(lab, HAN)
    for text, script in (("\N{HEBREW LETTER ALEF}", "Hebrew"), ("\u0915", "Devanagari")):
        with pytest.raises(UserError, match=f"sheets: the script {script} can't be printed here"):
            use_fonts((), f"Film {text}")


def test_plain_text_stays_plain():
    assert in_fonts("5 < 6 & ä") == "5 &lt; 6 &amp; ä"


def cubic_font(sign):
    """A font whose sign is an oval by cubic curves, as OpenType fonts of PostScript have them."""
    build = FontBuilder(1000, isTTF=False)
    build.setupGlyphOrder([".notdef", "oval"])
    build.setupCharacterMap({ord(sign): "oval"})
    pen = T2CharStringPen(700, None)
    pen.moveTo((100, 350))
    pen.curveTo((100, 550), (200, 700), (350, 700))
    pen.curveTo((500, 700), (600, 550), (600, 350))
    pen.curveTo((600, 150), (500, 0), (350, 0))
    pen.curveTo((200, 0), (100, 150), (100, 350))
    pen.closePath()
    empty = T2CharStringPen(500, None)
    strings = {".notdef": empty.getCharString(), "oval": pen.getCharString()}
    build.setupCFF("Oval", {"FullName": "Oval"}, strings, {})
    build.setupHorizontalMetrics({".notdef": (500, 0), "oval": (700, 100)})
    build.setupHorizontalHeader(ascent=800, descent=-200)
    build.setupNameTable({"familyName": "Oval", "styleName": "Regular"})
    build.setupOS2(sTypoAscender=800, sTypoDescender=-200)
    build.setupPost()
    held = io.BytesIO()
    build.save(held)
    return held.getvalue()


def test_cubic_outlines_become_those_of_truetype(tmp_path):
    plain = made_font(HAN, tmp_path / "han.ttf").read_bytes()
    for data in (cubic_font(HAN[0]), plain):
        made = true_type(data, HAN[0])
        assert made == true_type(data, HAN[0])
        bounds, widths = [], []
        for one in (data, made):
            font = TTFont(io.BytesIO(one))
            glyphs = font.getGlyphSet()
            glyph = glyphs[font.getBestCmap()[ord(HAN[0])]]
            pen = BoundsPen(glyphs)
            glyph.draw(pen)
            bounds.append(pen.bounds)
            widths.append(glyph.width)
        assert "glyf" in TTFont(io.BytesIO(made))
        assert widths[0] == widths[1]
        assert bounds[1] == pytest.approx(bounds[0], abs=2)
