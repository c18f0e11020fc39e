"""The contact sheet of a method: all overlays on pages, with their classes."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from xai_backend.explain.legend import Entry, for_pages
from xai_backend.explain.working import Answered
from xai_backend.models.frame import Size
from xai_backend.pages import rendered

PER_PAGE = 100
"""Overlays on a page: more take a browser long."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a contact sheet is of.

    Attributes
    ----------
    method, network
        What they are called.
    caution
        What to know of the network; None without.
    legend
        What the colours mean.
    seen
        What the network sees of photographs.
    """

    method: str
    network: str
    caution: str | None
    legend: tuple[Entry, ...]
    seen: str

    def pages(
        self, answers: Mapping[str, Answered], folder: str, sizes: Mapping[str, Size]
    ) -> dict[str, str]:
        """Return the pages as HTML by the files' names.

        Parameters
        ----------
        answers
            What the network says, by photograph, in order.
        folder
            Where the overlays are, from the page.
        sizes
            Widths and heights of the overlays without their captions, by photograph.
        """
        images = list(answers)
        parts = [images[start : start + PER_PAGE] for start in range(0, len(images), PER_PAGE)]
        names = [self._file(number) for number in range(1, len(parts) + 1)]
        return {
            name: self._page(number, names, {one: answers[one] for one in part}, folder, sizes)
            for number, (name, part) in enumerate(zip(names, parts, strict=True), start=1)
        }

    def _file(self, number: int) -> str:
        method = re.sub(r"[^\w.-]+", "_", self.method)
        return f"sheet_{method}.html" if number == 1 else f"sheet_{method}_{number}.html"

    def _page(
        self,
        number: int,
        names: Sequence[str],
        shown: Mapping[str, Answered],
        folder: str,
        sizes: Mapping[str, Size],
    ) -> str:
        pictures = [
            {
                "name": name,
                "file": quote(f"{folder}/{name}.png"),
                "size": sizes[name],
                "label": one.label,
                "probability": one.share,
                "wrong": one.labelled,
            }
            for name, one in shown.items()
        ]
        return rendered(
            "sheet.html",
            legend=for_pages(self.legend),
            method=self.method,
            network=self.network,
            caution=self.caution,
            seen=self.seen,
            images=len(sizes),
            pages=names,
            number=number,
            shown=pictures,
        )
