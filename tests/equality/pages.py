"""A report's page as lines: its text and structure, without style and drawings.

A line is an element and its text, such as ``h2: Methods`` or ``p.quiet: ...``. A table's row is one
line with its cells between bars. A drawing is a line that names its label.
"""

from html.parser import HTMLParser

BLOCKS = frozenset(
    ("title", "h1", "h2", "h3", "p", "li", "strong", "span", "figcaption", "caption", "a", "footer")
)
"""Elements whose text is a line."""
CELLS = frozenset(("td", "th"))
SKIPPED = frozenset(("style", "script", "svg"))
SECTION = "section"
DRAWING = "drawing"
METHODS = "section#methods"


def page_lines(html: str) -> list[str]:
    """Return the lines of a page, in its order."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.lines


def methods_text(lines: list[str]) -> list[str]:
    """Return the lines of the section of the methods; empty if the page has none."""
    if METHODS not in lines:
        return []
    begin = lines.index(METHODS)
    rest = lines[begin + 1 :]
    length = next((k for k, line in enumerate(rest) if line.startswith(f"{SECTION}#")), len(rest))
    return rest[:length]


class _Reader(HTMLParser):
    """Collects lines while the page is read; nested elements end the line around them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[str] = []
        self._open: list[str] = []
        self._text = ""
        self._row: list[str] | None = None
        self._skipped = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in SKIPPED:
            self._skipped += 1
        elif tag == SECTION:
            self.lines.append(f"{SECTION}#{given.get('id', '')}")
        elif tag == "tr":
            self._row = []
        elif tag == "div" and given.get("class") == DRAWING:
            self.lines.append(f"{DRAWING}: {given.get('aria-label', '')}")
        elif tag in BLOCKS and self._row is None:
            self._end_line()
            kind = ".".join(filter(None, (tag, (given.get("class") or "").replace(" ", "."))))
            self._open.append(kind + (given.get("href") or "" if tag == "a" else ""))

    def handle_endtag(self, tag: str) -> None:
        if tag in SKIPPED:
            self._skipped -= 1
        elif tag in CELLS and self._row is not None:
            self._row.append(_joined(self._text))
            self._text = ""
        elif tag == "tr" and self._row is not None:
            self.lines.append(f"row: {' | '.join(self._row)}")
            self._row = None
        elif tag in BLOCKS and self._row is None and self._open:
            self._end_line()
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if not self._skipped:
            self._text += data

    def _end_line(self) -> None:
        text, self._text = _joined(self._text), ""
        if text and self._open:
            self.lines.append(f"{self._open[-1]}: {text}")


def _joined(text: str) -> str:
    return " ".join(text.split())
