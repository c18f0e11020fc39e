"""A report's words and tables as Markdown."""

from collections.abc import Iterator

from analysis.report.parts import Bullets, Paragraph, Part, Report, Table


def markdown_of(report: Report) -> str:
    """Return a report without figures as Markdown, with tables as pipes."""
    blocks = [f"# {report.title}", report.subtitle, _bullets(report.headline)]
    for section in report.sections:
        blocks += [
            f"## {section.title}",
            *(block for part in section.parts for block in _part(part)),
        ]
    return "\n\n".join([*blocks, report.footer]) + "\n"


def _part(part: Part) -> Iterator[str]:
    if isinstance(part, Paragraph):
        yield f"```\n{part.text}\n```" if part.kind == "formula" else part.text
    elif isinstance(part, Bullets):
        yield _bullets(part.items)
    elif isinstance(part, Table):
        yield f"**{part.caption}**"
        yield _table(part)
        if part.note:
            yield part.note


def _bullets(items: tuple[str, ...]) -> str:
    return "\n".join(f"- {item}" for item in items)


def _table(part: Table) -> str:
    heads = [f"{column.heading} ({column.unit})" if column.unit else column.heading
             for column in part.columns]  # fmt: skip
    lines = [heads, ["---"] * len(heads), *part.rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
