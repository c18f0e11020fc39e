"""Which signs the typeface lacks, against the definition: sign by sign."""

from stimuli.typeface import font_file, missing_signs


def test_signs_are_missing_that_are_printable_and_not_in_the_file():
    from fontTools.ttLib import TTFont

    known = TTFont(font_file("regular")).getBestCmap()
    text = "zß漢a\u200b\n漢😀字\x07é" + "".join(map(chr, range(0x2E00, 0x3400)))
    wanted = []
    for sign in text:
        if sign.isprintable() and ord(sign) not in known and sign not in wanted:
            wanted.append(sign)
    assert missing_signs(text) == "".join(wanted)
    assert missing_signs("plain text, with an ümlaut") == ""
