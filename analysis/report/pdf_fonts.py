"""Fonts in PDF figures: each is cut down once for all figures, not once for each.

Journals want fonts embedded as TrueType (type 42). To cut one down takes three quarters of the
time of a PDF figure, and figures use much the same letters.
"""

from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from io import BytesIO
from typing import Any
from unittest.mock import patch

from matplotlib.backends import _backend_pdf_ps
from matplotlib.font_manager import get_font

USUAL = "".join(map(chr, range(32, 127))) + "−–—×·±≤≥’“”…"
"""What nearly every figure is written with."""


class _SavedFont:
    """A font that was cut down, as matplotlib asks for it."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def save(self, file: BytesIO, reorderTables: bool | None = None) -> None:  # noqa: N803
        """Write the font, as fontTools' own do."""
        del reorderTables
        file.write(self._data)


@contextmanager
def shared_fonts() -> Iterator[None]:
    """Save figures as PDF with the same cut-down fonts."""
    cut_down = _backend_pdf_ps.get_glyphs_subset

    @cache
    def font_with(font: Any, glyphs: frozenset[int]) -> _backend_pdf_ps.SubsetResults:
        with cut_down(font, set(glyphs)) as subset:
            data = _backend_pdf_ps.font_as_file(subset.font).getvalue()
        return _backend_pdf_ps.SubsetResults(_SavedFont(data), subset.glyph_index_map)  # ty: ignore

    def shared(font: Any, glyphs: Collection[int]) -> AbstractContextManager[Any]:
        index_of = get_font(font).get_char_index
        usual = {index_of(ord(letter)) for letter in USUAL}
        return nullcontext(font_with(font, frozenset(usual.union(glyphs))))

    with patch.object(_backend_pdf_ps, "get_glyphs_subset", shared):
        yield
