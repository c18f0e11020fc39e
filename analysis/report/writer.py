"""Write a report: one page, every number, every table and figure as files."""

import csv
import io
import json
import re
import tempfile
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from jinja2 import Environment, PackageLoader
from markupsafe import Markup, escape

from analysis.report.methods import MARKED
from analysis.report.parts import Picture, Report, Rows, Table
from analysis.report.style import WIDTH_IN, figure_style, outlines_alone
from stimuli.errors import UserError
from stimuli.io.files import is_left_over, make_private_folder, write_whole

SCHEMA_FILE = "results.schema.json"
_FOLDERS = ("tables", "figures", "refit")
_OWN = ("report.html", "results.json", SCHEMA_FILE, *_FOLDERS)
_REFIT = re.compile(r"([a-z]+_)?(table\.csv|estimates\.csv|refit\.R)")
FORMATS = ("svg", "png", "pdf")
"""Each figure is written in these; the first lays it out, and is in the page."""
SAVED: Mapping[str, Any] = {
    "svg": {"metadata": {"Date": None}},
    "png": {"pil_kwargs": {"compress_level": 4}},  # the last levels take long and save little
    "pdf": {"metadata": {"CreationDate": None}},
}
CLIP_ID = re.compile(rb'(id="|url\(#)(p[0-9a-f]{10})(?=["\)])')
"""The id of a clip path, where it is defined and where it is used."""
POINTS_AN_INCH = 72
NEARLY_WHOLE = 0.97
"""A figure of at least this share of the page's width fills it."""
_JSON: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
_DEEPEST = 3
_TRUTH: Final = {True: "true", False: "false"}


def check_folder(
    out: Path, stems: Mapping[str, Collection[str]], beside: Collection[str] = ()
) -> None:
    """Refuse, in one line, a folder that can't take a report; nothing in it is touched.

    An earlier report there may be replaced; anything else must not be.

    Parameters
    ----------
    out
        The folder; need not exist yet.
    stems
        Stems of the files that a report may hold in ``tables`` and in ``figures``.
    beside
        Names of further files that may stand beside the report.

    Raises
    ------
    UserError
        If it is a file, holds other things, or can't be written.
    """
    try:
        if out.exists() and not out.is_dir():
            raise UserError(f"--out {out}: is a file; name a folder")
        foreign = sorted(set(_foreign(out, stems)) - set(beside))
        if foreign:
            raise UserError(
                f"--out {out}: contains {foreign[0]}, no part of a report; name a new folder"
            )
        there = next(place for place in (out, *out.absolute().parents) if place.exists())
        tempfile.TemporaryFile(dir=there).close()
    except OSError as error:
        raise UserError(f"--out {out}: can't be written ({error.strerror})") from None


def write_report(
    out: Path,
    report: Report,
    results: Mapping[str, Any],
    schema: Mapping[str, Any] | None = None,
    refit: Mapping[str, str] = MappingProxyType({}),
) -> Path:
    """Write ``report.html``, ``results.json``, ``tables/*.csv``, ``figures/*`` and ``refit/*``.

    They show people's rows: only their owner may read them, like the data.

    Parameters
    ----------
    out
        A folder that passed `check_folder`; an earlier report there is replaced.
    report
        What the page shows, and its tables as files.
    results
        Every number, as plain JSON values.
    schema
        The JSON Schema of the results, which is written beside them; None if there is none.
    refit
        Files with which R fits the main models again, by name.

    Returns
    -------
    Path
        The page, which needs nothing beside it.
    """
    try:
        _clear(out)
        drawings = _save_figures(out / "figures", report)
        for name, rows in report.files.items():
            write_whole(out / "tables" / f"{name}.csv", _csv(rows))
        for name, text in refit.items():
            make_private_folder(out / "refit")
            write_whole(out / "refit" / name, text.encode("utf-8"))
        page = out / "report.html"
        write_whole(page, render(report, drawings).encode("utf-8"))
        write_whole(out / "results.json", f"{json_text(results)}\n".encode())
        if schema is not None:
            write_whole(out / SCHEMA_FILE, f"{json.dumps(schema, indent=1)}\n".encode())
    except OSError as error:
        raise UserError(f"--out {out}: can't be written ({error.strerror})") from None
    return page


def json_text(value: Any, depth: int = 0) -> str:
    """Return JSON with one line for each row of results: each table in a list.

    Python's own indentation of every value takes far longer if there are many rows.
    """
    rows = isinstance(value, list) and bool(value) and isinstance(value[0], Mapping)
    if depth == _DEEPEST or not value or not (rows or isinstance(value, Mapping)):
        return _JSON.encode(value)
    if rows:
        opened, closed, parts = "[", "]", [json_text(part, _DEEPEST) for part in value]
    else:
        opened, closed = "{", "}"
        parts = [f"{json.dumps(key)}: {json_text(part, depth + 1)}" for key, part in value.items()]
    line = "\n" + " " * (depth + 1)
    return f"{opened}{line}{f',{line}'.join(parts)}\n{' ' * depth}{closed}"


def _foreign(out: Path, stems: Mapping[str, Collection[str]]) -> Iterator[str]:
    """Yield what a folder holds that isn't from a report."""
    if not out.is_dir():
        return
    there = (path for path in out.iterdir() if not is_left_over(path))
    yield from (path.name for path in there if path.name not in _OWN)
    for folder in (out / name for name in _FOLDERS):
        if folder.exists():
            held = (path for path in folder.iterdir() if not is_left_over(path))
            others = (path.name for path in held if not _is_own(path, stems))
            yield from (f"{folder.name}/{name}" for name in others)


def _is_own(path: Path, stems: Mapping[str, Collection[str]]) -> bool:
    if path.parent.name == "refit":
        return _REFIT.fullmatch(path.name) is not None
    return path.stem in stems[path.parent.name]


def _clear(out: Path) -> None:
    """Make the folder of a report, and remove what an earlier report left in it."""
    for folder in (out / name for name in _FOLDERS):
        for old in folder.iterdir() if folder.exists() else ():
            old.unlink()
    for name in ("tables", "figures"):
        make_private_folder(out / name)
    for old in filter(is_left_over, out.iterdir()):
        old.unlink()


def render(report: Report, drawings: Mapping[str, str]) -> str:
    """Return the page; `drawings` holds each figure's SVG by name."""
    environment = Environment(
        loader=PackageLoader("analysis.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["set"] = _set
    numbers = _numbers(report)
    return environment.get_template("report.html").render(
        report=report,
        kind_of=lambda part: type(part).__name__,
        number_of=lambda part: numbers[id(part)],
        # Made by matplotlib with every letter as a path, so nothing in it is anyone's text.
        svg_of=lambda part: Markup(drawings[part.name]),
    )


def _set(text: str) -> Markup:
    """Set text as a printer would: curled apostrophes, no break in p = .012, p_S lowered."""
    text = re.sub(r"(?<=\w)'(?=\w)", "’", text)
    text = re.sub(r"(?<=\d) (?=(?:%|s|Hz|ms|points)(?!\w))", "\u00a0", text)
    unbroken = r"\bp [=<>] (?=[.\d])|\[[−+\d.,% \u00a0]+\]"
    text = re.sub(unbroken, lambda match: match[0].replace(" ", "\u00a0"), text)
    lowered = re.sub(r"\b(p|acc)_([SEL])\b", r"<i>\1</i><sub>\2</sub>", str(escape(text)))
    marked = MARKED.sub(r"<mark>\g<0></mark>", lowered)
    # Safe: escaped above, and only the tags of these lines were put in.
    return Markup(marked)


def _numbers(report: Report) -> dict[int, int]:
    numbers: dict[int, int] = {}
    counts = {Table: 0, Picture: 0}
    for section in report.sections:
        for part in section.parts:
            if isinstance(part, Table | Picture):
                kind = Table if isinstance(part, Table) else Picture
                counts[kind] += 1
                numbers[id(part)] = counts[kind]
    return numbers


def _save_figures(folder: Path, report: Report) -> dict[str, str]:
    drawings = {}
    pictures = [part for s in report.sections for part in s.parts if isinstance(part, Picture)]
    with figure_style(), outlines_alone():
        for picture in pictures:
            for kind in FORMATS:
                drawn = io.BytesIO()
                picture.drawing.savefig(drawn, format=kind, **SAVED.get(kind, {}))
                data = drawn.getvalue()
                write_whole(
                    folder / f"{picture.name}.{kind}", numbered(data) if kind == "svg" else data
                )
                # Keep the layout: the other formats would compute it again, with the same result.
                picture.drawing.set_layout_engine(None)
            drawings[picture.name] = _inline(folder / f"{picture.name}.svg", picture.name)
    return drawings


def numbered(svg: bytes) -> bytes:
    """Return an SVG in which clip paths have numbers, in their order, for ids.

    matplotlib makes the ids from coordinates to the last bit, and these may differ if a figure is
    laid out again.
    """
    ids: dict[bytes, bytes] = {}
    return CLIP_ID.sub(
        lambda match: match[1] + ids.setdefault(match[2], b"clip%d" % (len(ids) + 1)), svg
    )


def _inline(path: Path, name: str) -> str:
    """Return an SVG for the page: no prologue, ids of its own, its share of the page's width."""
    text = path.read_text(encoding="utf-8")
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r'\bid="', f'id="{name}-', text)
    text = re.sub(r'(xlink:href="#|url\(#)', rf"\g<1>{name}-", text)
    text = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", text, count=1)
    return re.sub(r'(<svg[^>]*?) width="([^"]*)pt"', _as_share, text, count=1)


def _as_share(tag: re.Match[str]) -> str:
    """Return an SVG's tag whose width is a share of a whole figure's."""
    share = float(tag[2]) / (WIDTH_IN * POINTS_AN_INCH)
    return tag[1] if share > NEARLY_WHOLE else f'{tag[1]} style="--share: {share:.2f}"'


def _csv(rows: Rows) -> bytes:
    stream = io.StringIO(newline="")
    names = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(
        [_TRUTH[cell] if isinstance(cell, bool) else cell for cell in map(row.get, names)]
        for row in rows
    )
    return stream.getvalue().encode("utf-8")
