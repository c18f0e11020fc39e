"""Every text of a report, as its readers meet it."""

from matplotlib.text import Text

from analysis.report.parts import Bullets, Paragraph, Picture, Table


def texts_of(report, without=None):
    """Yield every text: of the page, of its drawings, of its tables' cells.

    A section whose title begins with `without` is left out.
    """
    yield from (report.title, report.subtitle, *report.warnings, *report.headline)
    yield from (text for fact in report.facts for text in (fact.value, fact.label))
    for section in report.sections:
        if without and section.title.startswith(without):
            continue
        yield section.title
        for part in section.parts:
            yield from _texts_of_part(part)


def said_by(report):
    """Return every text of a report in one."""
    return " ".join(texts_of(report))


def _texts_of_part(part):
    if isinstance(part, Paragraph):
        yield part.text
    elif isinstance(part, Bullets):
        yield from part.items
    elif isinstance(part, Table):
        yield from (part.caption, part.note, *(column.heading for column in part.columns))
        yield from (str(cell) for row in part.rows for cell in row)
    elif isinstance(part, Picture):
        yield from (part.caption, part.alt)
        yield from (text.get_text() for text in part.drawing.findobj(Text))
