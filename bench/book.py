"""A book of measurements: parts measured one by one, one page of docs made from them."""

import json
import os
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from stimuli.errors import UserError

Figures = Mapping[str, Any]

ON_A_CARD = "### On a graphics card"
"""What stands above figures of ``--set device=cuda``, which are kept beside those of a CPU."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is measured, and where pictures go.

    Attributes
    ----------
    quick
        A small form that shows that the part works; its figures don't count.
    pictures
        Folder of the book's pictures; made when the first is asked for.
    say
        Told what is being done.
    options
        What a part is asked for beside, such as another network; each says what it knows.
    """

    quick: bool
    pictures: Path
    say: Callable[[str], None]
    options: Mapping[str, str] = field(default_factory=dict)

    def picture(self, file: str) -> Path:
        """Return where a picture belongs."""
        self.pictures.mkdir(parents=True, exist_ok=True)
        return self.pictures / file

    def shown(self, file: str, alt: str) -> str:
        """Return the Markdown that shows a picture on the page."""
        return f"![{alt}](figures/{self.pictures.name}/{file})"


@dataclass(frozen=True, slots=True)
class Measured:
    """What a part found.

    Attributes
    ----------
    text
        Markdown, its sentences and tables made from the numbers.
    figures
        The numbers, as plain JSON values.
    """

    text: str
    figures: Figures


@dataclass(frozen=True, slots=True)
class Part:
    """One section of a page: its name on the command line, its heading, its measurement."""

    name: str
    title: str
    measure: Callable[[Effort], Measured]


@dataclass(frozen=True, slots=True)
class Book:
    """A page of docs.

    Attributes
    ----------
    name
        On the command line, and of its file of figures.
    title, intro
        Heading and what stands under it, in Markdown.
    parts
        Its sections, in order.
    summary
        Makes Markdown, to stand before the sections, from the figures of all parts measured
        so far, by part.
    page
        Of the page, ``docs/PAGE.md``; the name without it.
    """

    name: str
    title: str
    intro: str
    parts: tuple[Part, ...]
    summary: Callable[[Mapping[str, Figures]], str] | None = field(default=None)
    page: str = ""

    @property
    def file(self) -> str:
        """Name of the page's file."""
        return f"{self.page or self.name}.md"


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table; columns after the first are set to the right."""
    lines = [headings, ["---", *["---:"] * (len(headings) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def measure(
    book: Book,
    docs: Path,
    *,
    only: Sequence[str],
    quick: bool,
    say: Callable[[str], None],
    options: Mapping[str, str] = MappingProxyType({}),
) -> Path:
    """Measure a book's parts, keep what earlier calls found of the others, write the page.

    Parameters
    ----------
    book
        Which book.
    docs
        Folder of the page.
    only
        Names of the parts to measure; empty for all.
    quick
        The small form.
    say
        Told what is being done.
    options
        See `Effort`.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    UserError
        If a name is none of the parts'.
    """
    names = [part.name for part in book.parts]
    for name in only:
        if name not in names:
            raise UserError(f"--only {name}: {book.name} has the parts {', '.join(names)}")
    effort = Effort(quick, docs / "figures" / book.name, say, options)
    for number, part in enumerate(book.parts, start=1):
        if only and part.name not in only:
            continue
        say(f"{number} of {len(names)}: {part.name}")
        begun = time.monotonic()
        measured = part.measure(effort)
        _keep(book, docs, part, measured, time.monotonic() - begun, options)
    page = docs / book.file
    _write(page, render(book, read_results(book, docs)))
    return page


def read_results(book: Book, docs: Path) -> dict[str, Any]:
    """Return what has been found of each part, by name; empty where nothing has."""
    try:
        return json.loads(_results_file(book, docs).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}


def render(book: Book, results: Mapping[str, Any]) -> str:
    """Return the page of a book; parts that nobody measured yet are left out."""
    blocks = [f"# {book.title}", book.intro.strip()]
    if book.summary is not None:
        blocks.append(book.summary({name: found["figures"] for name, found in results.items()}))
    for part in book.parts:
        on_cpu, on_cuda = places(part)
        if on_cpu in results or on_cuda in results:
            blocks.append(f"## {part.title}")
        for place, headings in ((on_cpu, ()), (on_cuda, (ON_A_CARD,))):
            if place in results:
                found = results[place]
                blocks += [*headings, found["text"].strip(), _origin(book, part, found)]
    return "\n\n".join(blocks) + "\n"


def places(part: Part) -> tuple[str, str]:
    """Return what a part's results are kept by: those of a CPU, and those of a graphics card."""
    return part.name, f"{part.name} on cuda"


def _origin(book: Book, part: Part, found: Mapping[str, Any]) -> str:
    options = found.get("options", {})
    asked = "".join(f" --set {name}={value}" for name, value in options.items())
    command = f"python3 lab.py bench {book.name} --only {part.name}{asked}"
    return f"*`{command}`, {found['date']}, {found['machine']}, {_lasting(found['seconds'])}.*"


def _machine(device: str) -> str:
    machine = f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}"
    if device == "cpu":
        return machine
    import torch

    return f"one {torch.cuda.get_device_name(device)}, {machine}"


def _lasting(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} minutes"


def _keep(
    book: Book,
    docs: Path,
    part: Part,
    measured: Measured,
    seconds: float,
    options: Mapping[str, str],
) -> None:
    results = read_results(book, docs)
    on_cpu, on_cuda = places(part)
    device = options.get("device", "cpu")
    results[on_cpu if device == "cpu" else on_cuda] = {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": _machine(device),
        "seconds": round(seconds, 1),
        # Of files the name alone: a page knows no machine's folders.
        "options": {name: Path(value).name for name, value in options.items()},
        "text": measured.text,
        "figures": measured.figures,
    }
    order = [name for part in book.parts for name in places(part) if name in results]
    ordered = {name: results[name] for name in order}
    text = json.dumps(ordered, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    _write(_results_file(book, docs), text)


def _results_file(book: Book, docs: Path) -> Path:
    return docs / "figures" / f"{book.name}.json"


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    aside = file.with_name(file.name + ".part")
    aside.write_text(text, encoding="utf-8", newline="\n")
    aside.replace(file)
