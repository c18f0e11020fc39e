"""Texts of other scripts: signs of other fonts, breaks of lines, direction."""

import io

import numpy as np
import pytest
from bidi import get_display
from PIL import Image, ImageDraw, ImageFont

from experiments.screens.fitting import Room, atoms_of, fitted
from experiments.screens.headed import text_layers
from experiments.screens.look import Look
from experiments.screens.markdown import blocks_of
from experiments.screens.typeset import set_blocks
from stimuli.typed_text import runs_leftwards
from stimuli.typeface import font_file
from tests.fonts import made_font

GROUND = (30, 30, 30)
CHINESE = "这部电影很好看。我喜欢“它”的结尾,可是情节太慢!"
HEBREW = "הסרט של GPT four היה איטי מאוד 35 שעות ולא"


@pytest.fixture(scope="module")
def look(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fonts")
    signs = "".join(sorted(set(CHINESE)))
    paths = (made_font(signs, folder / "one.ttf"), made_font("✅👍好", folder / "other.ttf"))
    return Look((1280, 720), GROUND, "en", tuple(path.read_bytes() for path in paths))


@pytest.mark.parametrize("anchor", ["ls", "mm", "rs", "la"])
@pytest.mark.parametrize("left", [40.0, 41.5])
def test_each_font_draws_what_it_has(look, anchor, left):
    """Piece by piece, each by Pillow's own font, from where the one before it ends."""
    parts = [("a ", None), ("这", 0), (" b", None), ("✅👍", 1), ("c", None)]
    text = "".join(part for part, _ in parts)
    fonts = {None: ImageFont.truetype(font_file("regular"), 30)}
    fonts |= {k: ImageFont.truetype(io.BytesIO(data), 30) for k, data in enumerate(look.fonts)}
    widths = [fonts[which].getlength(part) for part, which in parts]
    assert look.font(30).getlength(text) == pytest.approx(sum(widths))
    ours, slow = (Image.new("L", (300, 90)) for _ in range(2))
    ImageDraw.Draw(ours).text((left, 45), text, 255, look.font(30), anchor)
    rise, drop = fonts[None].getmetrics()
    at = left - {"l": 0, "m": 0.5, "r": 1}[anchor[0]] * sum(widths)
    down = 45 + {"s": 0, "m": (rise - drop) / 2, "a": rise}[anchor[1]]
    for (part, which), width in zip(parts, widths, strict=True):
        ImageDraw.Draw(slow).text((at, down), part, 255, fonts[which], "ls")
        at += width
    np.testing.assert_array_equal(np.asarray(ours), np.asarray(slow))


@pytest.mark.parametrize("width", [120, 300, 700])
@pytest.mark.parametrize("balanced", [True, False])
def test_no_line_of_chinese_begins_with_a_closing_sign(look, width, balanced):
    rows = fitted(look, CHINESE, Room.of_size(width, 24), balanced=balanced).lines
    assert "".join(rows) == CHINESE
    assert all(look.font(24).getlength(row) <= width for row in rows)
    assert not any(row[0] in "。,!”" or row[-1] == "“" for row in rows)
    most = max(look.font(24).getlength("".join(part for _, part in atoms_of(CHINESE)[k : k + 3]))
               for k in range(len(atoms_of(CHINESE)) - 2))  # fmt: skip
    if not balanced:
        assert all(look.font(24).getlength(row) > width - most for row in rows[:-1])


def test_words_with_blanks_between_are_the_unbreakable_parts():
    assert atoms_of("well-made, it's 3.5") == ((" ", "well-made,"), (" ", "it's"), (" ", "3.5"))
    assert "".join(gap + part for gap, part in atoms_of("👍 好的ab c"))[1:] == "👍 好的ab c"


def test_a_page_of_chinese_is_broken_at_signs(look):
    lines = set_blocks(look, blocks_of(f"**很好** {CHINESE}"), 200)
    rows = ["".join(piece.text for piece in line.pieces) for line in lines]
    assert len(rows) > 2
    assert "".join(rows) == f"很好{CHINESE}"
    ends = (line.pieces[-1].left_px + line.pieces[-1].width_px for line in lines)
    assert all(end <= 200 for end in ends)


def test_a_text_from_right_to_left_is_in_its_order_at_the_right(look):
    """Word by word in the order of another library, from the right."""
    right, size = 1200 - look.px(0.03), look.body_px
    (panel,) = text_layers(look, (0, 0, 1200, 90), HEBREW)
    font = look.font(size)
    slow = Image.new("RGB", (1200, 90), look.surface)
    logical = {word[::-1] if runs_leftwards(word) else word: word for word in HEBREW.split()}
    for shown in reversed(get_display(HEBREW).split()):
        word = logical[shown]
        ImageDraw.Draw(slow).text((right, 45), word, look.text, font, "rm")
        right -= font.getlength(word) + font.getlength(" ")
    ink = [np.abs(np.asarray(one, int)[20:70, 30:-30, 0] - look.surface[0]).sum(axis=0)
           for one in (panel.pixels, slow)]  # fmt: skip
    # Within words letters are at fractions of a pixel.
    ours, theirs = (own.reshape(-1, 10).sum(axis=1) for own in ink)
    assert np.corrcoef(ours, theirs)[0, 1] > 0.99
    assert np.corrcoef(ours[::-1], theirs)[0, 1] < 0.5
