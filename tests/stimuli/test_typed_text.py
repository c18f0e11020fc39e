"""Typed text: what can be shown stays, and nothing that a reader takes for one sign is cut."""

from hypothesis import given
from hypothesis import strategies as st

from stimuli.typed_text import fitting, signs_of, without_unprintable

CODER = "\N{WOMAN}\N{ZERO WIDTH JOINER}\N{PERSONAL COMPUTER}"
THUMB = "\N{THUMBS UP SIGN}\N{EMOJI MODIFIER FITZPATRICK TYPE-4}"
HEART = "\N{HEAVY BLACK HEART}\N{VARIATION SELECTOR-16}"
FLAG = "\N{REGIONAL INDICATOR SYMBOL LETTER D}\N{REGIONAL INDICATOR SYMBOL LETTER E}"
SCOTLAND = "\N{WAVING BLACK FLAG}" + "".join(chr(0xE0000 + ord(sign)) for sign in "gbsct\x7f")
MARKED = "q\N{COMBINING DOT ABOVE}\N{COMBINING DOT BELOW}"
WHOLE = (CODER, THUMB, HEART, FLAG, SCOTLAND, MARKED, "ä", "я", "字")
UNSHOWN = ("\x1b", "\n", "\r", "\N{RIGHT-TO-LEFT OVERRIDE}", "\x00", "\ud83d", "\x9b")

texts = st.lists(st.sampled_from([*WHOLE, *"ab "]), max_size=12)


@given(texts)
def test_signs_are_what_a_reader_takes_for_one(parts):
    assert signs_of("".join(parts)) == parts


@given(st.text())
def test_signs_together_are_the_text(text):
    assert "".join(signs_of(text)) == text


@given(texts, st.lists(st.sampled_from(UNSHOWN), max_size=4), st.randoms())
def test_only_what_shows_nothing_is_taken_out(parts, unshown, random):
    mixed = [*parts, *unshown]
    random.shuffle(mixed)
    shown = "".join(one for one in mixed if one not in UNSHOWN)
    assert without_unprintable("".join(mixed)) == shown


@given(texts, st.integers(0, 40))
def test_what_fits_is_the_longest_beginning_of_whole_signs(parts, longest):
    beginnings = ("".join(parts[:count]) for count in range(len(parts) + 1))
    fits = max((one for one in beginnings if len(one) <= longest), key=len)
    assert fitting("".join(parts), longest) == fits
