"""The page of the day as one local HTML file that loads itself again; it needs no network."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Final

from participants.day.day import Day
from participants.day.sections import (
    Figure,
    Section,
    clock_time,
    figures_of,
    heading,
    sections_of,
)
from participants.listing import NOTHING
from participants.texts.rig import RigWords

STYLE: Final = """
:root { color-scheme: light dark; --ground: #f5f5f2; --card: #fff; --ink: #1b1d1f;
  --quiet: #5c6166; --line: #dddcd6; --alarm: #a3310b; }
@media (prefers-color-scheme: dark) { :root { --ground: #15171a; --card: #1f2226; --ink: #e8e8e4;
  --quiet: #a2a8ae; --line: #353a40; --alarm: #ff9d73; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 1.5rem clamp(1rem, 3vw, 3rem) 3rem; background: var(--ground);
  color: var(--ink); font: 16px/1.5 system-ui, "Noto Sans", sans-serif; }
header { display: flex; flex-wrap: wrap; gap: 0 1rem; align-items: baseline; }
h1 { font-size: 1.5rem; margin: 0; }
h2 { font-size: 1.05rem; margin: 0 0 .5rem; }
header p, section p { color: var(--quiet); margin: .25rem 0; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .75rem;
  margin: 1rem 0; }
dl div, section { background: var(--card); border: 1px solid var(--line); border-radius: 8px;
  padding: .75rem 1rem; }
dt { color: var(--quiet); font-size: .875rem; }
dd { margin: 0; font-size: 1.6rem; line-height: 1.25; font-variant-numeric: tabular-nums; }
main { columns: 34rem; column-gap: .75rem; }
section { break-inside: avoid; margin-bottom: .75rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
th, td { text-align: left; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line);
  white-space: nowrap; vertical-align: top; }
th { color: var(--quiet); font-weight: 600; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
td.prose { white-space: normal; min-width: 10rem; }
td.time { white-space: normal; min-width: 5.5rem; }
@media (max-width: 600px) {
  table { font-size: .8125rem; }
  th, td { padding-right: .4rem; white-space: normal; }
  td.prose { min-width: 6rem; }
  td.time { min-width: 3.2rem; }
}
.alarm h2, .alarm dd, td.alarm { color: var(--alarm); }
.alarm h2::before, .alarm dt::before { content: "! "; color: var(--alarm); font-weight: 700; }
""".strip()
KINDS: Final = {"text": "prose", "from": "time", "until": "time", "began": "time", "when": "time"}


def page_of(day: Day, every_s: int, words: RigWords) -> str:
    """Return the page of the day.

    Parameters
    ----------
    day
        Its numbers.
    every_s
        After how many seconds a browser loads it again.
    words
        Of the day, in the page's language.
    """
    title, when = escape(words["title"]), clock_time(day.now, words)
    figures = "".join(map(_figure, figures_of(day, words)))
    sections = "\n".join(_section(section, words) for section in sections_of(day, words))
    return f"""<!doctype html>
<html lang="{words.language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="{every_s}">
<title>{title}</title>
<style>
{STYLE}
</style>
<header><h1>{title}</h1><p>{escape(when)}, {escape(day.rig)}</p></header>
<dl>{figures}</dl>
<main>
{sections}
</main>
</html>
"""


def _figure(figure: Figure) -> str:
    kind = ' class="alarm"' if figure.alarm else ""
    return f"<div{kind}><dt>{escape(figure.name)}</dt><dd>{escape(figure.value)}</dd></div>"


def _section(section: Section, words: RigWords) -> str:
    kind = ' class="alarm"' if section.alarm else ""
    lines = "".join(f"<p>{escape(line)}</p>" for line in section.lines)
    table = _table(section.rows, words)
    return f"<section{kind}><h2>{escape(section.title)}</h2>{table}{lines}</section>"


def _table(rows: Sequence[Mapping[str, Any]], words: RigWords) -> str:
    if not rows:
        return ""
    numbers, late = number_columns(rows), words["when_overdue"]
    kinds = {name: "number" if name in numbers else KINDS.get(name, "") for name in rows[0]}
    heads = "".join(
        _cell("th", heading(name, words), "number" if name in numbers else "") for name in rows[0]
    )
    body = "".join(
        "<tr>"
        + "".join(
            _cell("td", value, "alarm" if value == late else kinds[name])
            for name, value in row.items()
        )
        + "</tr>"
        for row in rows
    )
    return f'<div class="scroll"><table><tr>{heads}</tr>{body}</table></div>'


def _cell(tag: str, value: Any, kind: str) -> str:
    shown = NOTHING if value is None else str(value)
    return f"<{tag}{f' class={kind!r}' if kind else ''}>{escape(shown)}</{tag}>"


def number_columns(rows: Sequence[Mapping[str, Any]]) -> set[str]:
    """Return the names of the columns that hold nothing but numbers, or nothing."""
    return {name for name in rows[0] if all(_is_number(row[name]) for row in rows)}


def _is_number(value: Any) -> bool:
    return value is None or str(value).replace(".", "").isdecimal()
