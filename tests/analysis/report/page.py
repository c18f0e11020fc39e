"""The numbers of a page, and whether results.json holds each of them."""

import math
import re
from bisect import bisect_left, bisect_right
from html.parser import HTMLParser

_LOWERED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_SKIPPED = {"style", "svg", "nav", "title", "b"}
_NUMBER = re.compile(r"-?\d[\d\u202f]*(?:\.\d+)?(?:e-?\d+)?|-?\.\d+")
_ALONE = re.compile(rf"(?<![\w.])(?:{_NUMBER.pattern})(?![\w.]*[A-Za-z_])")
_NAMES = {"SHA-256"}  # of a method, not a number
_DRAWN_ONLY = {"headline", "curves", "curve_differences", "histogram"}
_SMALLEST_P, _LARGEST_P = 0.001, 0.999


class Words(HTMLParser):
    """Collects a page's text, without drawings, numbers of tables and figures, and style."""

    def __init__(self, text):
        super().__init__()
        self.words, self.open = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag in _SKIPPED or self.open:
            if tag not in ("meta", "br"):
                self.open.append(tag)
        else:
            self.words.append(" ")

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        if self.open:
            self.open.pop()
        elif tag not in ("sub", "i"):
            self.words.append(" ")

    def handle_data(self, data):
        if not self.open:
            self.words.append(data)


def text_of(page):
    """Return a page's text with plain minus signs."""
    text = "".join(Words(page).words).replace("−", "-").replace("\u00a0", " ")
    text = re.sub(r"(?<=\d)\u202f(?=\d)", "", text)
    return re.sub(r"×10([⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda found: "e" + found[1].translate(_LOWERED), text)


def leaves(value, key=""):
    """Yield every number and every text of results.json that isn't only drawn."""
    if key in _DRAWN_ONLY:
        return
    if isinstance(value, dict):
        for name, part in value.items():
            yield name
            yield from leaves(part, name)
    elif isinstance(value, list):
        yield len(value)
        for part in value:
            yield from leaves(part)
    elif value is not None:
        yield value


def unknown_numbers(page, results):
    """Return the numbers of a page that results.json doesn't hold, up to rounding."""
    numbers, texts = set(), set()
    for leaf in leaves(results):
        if isinstance(leaf, str):
            plain = leaf.replace("−", "-")
            texts.update(plain.split())
            texts.update(_ALONE.findall(plain))
        elif not isinstance(leaf, bool):
            numbers.add(abs(float(leaf)))
    in_order = sorted(numbers)
    return [
        word
        for word in text_of(page).split()
        if re.search(r"\d", word) and not _word_known(word, in_order, texts)
    ]


_WITH_LIMITS = re.compile(
    r"([+-]?[\d.]+)(?: %| points)?(?: of [^\[]{0,40})? \[([+-]?[\d.]+), ([+-]?[\d.]+)\]"
)


def too_fine(texts):
    """Return what stands before limits, and these, with more digits than two of their width.

    Where the limits aren't symmetric, the narrower side counts twice.
    """
    found = []
    for text in texts:
        for said in _WITH_LIMITS.finditer(text.replace("−", "-")):
            value, low, high = map(float, said.groups())
            narrow = 2 * min(value - low, high - value)
            most = max(0, 1 - math.floor(math.log10(narrow))) if narrow > 0 else 9
            if any(len(part.partition(".")[2]) > most for part in said.groups()):
                found.append(said[0])
    return found


def top_of(report):
    """Return the sentences and numbers at the top of a report."""
    strip = [f"{fact.value} [{fact.label.rpartition('[')[2]}" for fact in report.facts]
    return [*report.headline, *strip]


def _word_known(word, numbers, texts):
    bare = word.strip("“”.,;:()[]…’")
    if word in texts or bare in texts or bare in _NAMES:
        return True
    if re.search(r"[A-Za-z]{2}", bare) and any(bare in text for text in texts):
        return True  # part of a name
    if "…" in word and len(bare) > 8 and any(text.startswith(bare) for text in texts):
        return True  # a hash that is cut short
    parts = _NUMBER.findall(bare)
    return bool(parts) and all(part in texts or _known(part, numbers) for part in parts)


def _known(part, numbers):
    digits = len(part.partition("e")[0].partition(".")[2])
    value = abs(float(part))
    if value == _SMALLEST_P and any(number < _SMALLEST_P for number in numbers):
        return True
    # A word has lost its first point.
    if value in (_LARGEST_P, 1000 * _LARGEST_P) and any(_LARGEST_P < n <= 1 for n in numbers):
        return True
    if "e" in part:
        return any(f"{number:.1e}" == f"{value:.1e}" for number in numbers)
    half = 0.5000001 * 10**-digits
    return any(_is_between(numbers, (value - half) / s, (value + half) / s) for s in (1, 100, 1000))


def _is_between(numbers, low, high):
    return bisect_left(numbers, low) < bisect_right(numbers, high)
