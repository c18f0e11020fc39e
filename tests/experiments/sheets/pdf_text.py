"""The text of a PDF as reportlab writes it: every string that a page draws, decoded."""

import base64
import re
import zlib

OBJECT = re.compile(rb"(\d+) 0 obj(.*?)endobj", re.DOTALL)
LENGTH = re.compile(rb"/Length (\d+)")
FONT = re.compile(rb"/Type /Font\b")
NAMED = re.compile(rb"/(F\d+\+?\d*) (\d+) 0 R")
MAPPED = re.compile(rb"<([0-9A-Fa-f]{2})> <([0-9A-Fa-f]{4,})>")
SHOWN = re.compile(rb"/(F\d+\+?\d*) [\d.]+ Tf|\(((?:[^()\\]|\\.)*)\) Tj", re.DOTALL)
ESCAPED = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
LETTERS = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}


def pages_of(pdf: bytes) -> list[str]:
    """Return what each page says, its strings joined by spaces."""
    objects = {int(number): body for number, body in OBJECT.findall(pdf)}
    fonts = {
        name: _letters(objects, objects[int(number)])
        for body in objects.values()
        for name, number in NAMED.findall(body)
        if FONT.search(objects.get(int(number), b""))
    }
    contents = [re.search(rb"/Contents (\d+) 0 R", body) for body in objects.values()]
    return [
        _said(_stream(objects[number]), fonts)
        for number in sorted(int(found[1]) for found in contents if found)
    ]


def _stream(body: bytes) -> bytes:
    begin = body.index(b"stream") + len(b"stream\n")
    data = body[begin : begin + int(LENGTH.search(body)[1])]
    if b"/ASCII85Decode" in body:
        data = base64.a85decode(b"<~" + data.strip(), adobe=True)
    return zlib.decompress(data) if b"/FlateDecode" in body else data


def _letters(objects: dict[int, bytes], font: bytes) -> dict[int, str]:
    found = re.search(rb"/ToUnicode (\d+) 0 R", font)
    if found is None:
        return {}
    table = _stream(objects[int(found[1])])
    return {
        int(code, 16): bytes.fromhex(sign.decode()).decode("utf-16-be")
        for code, sign in MAPPED.findall(table)
    }


def _said(content: bytes, fonts: dict[bytes, dict[int, str]]) -> str:
    letters: dict[int, str] = {}
    said = []
    for name, drawn in SHOWN.findall(content):
        if name:
            letters = fonts[name]
        else:
            raw = ESCAPED.sub(_unescaped, drawn)
            said.append("".join(letters.get(code, chr(code)) for code in raw))
    return " ".join(" ".join(said).split())


def _unescaped(match: re.Match[bytes]) -> bytes:
    sign = match[1]
    return bytes([int(sign, 8)]) if len(sign) == 3 else LETTERS.get(sign, sign)
