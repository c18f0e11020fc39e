"""Tables of a page whose rows are named by domain, test and method."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from analysis.questions.estimates import EstimateRow
from analysis.questions.pivot import level_of, pivot
from analysis.report.declared import ReportTable, changes
from analysis.report.parts import Column
from analysis.studies.simulatability.words import TEST_WORDS, domain_name, method_name

DOMAIN: Final = level_of("domain", "Domain", domain_name, once=True)
TEST: Final = level_of("test", "Test", TEST_WORDS.__getitem__, once=True)
METHOD: Final = level_of("method", "Method", method_name)
_HEADS: Final = {"domain": DOMAIN, "test": TEST, "method": METHOD}


def table_by(
    by: Sequence[str],
    caption: str,
    columns: Sequence[Column],
    of: Callable[[Any], Iterable[EstimateRow]],
    note: str | Callable[[Any], str] = "",
    **more: Any,
) -> ReportTable:
    """Return a table of the page with a rule where the domain or the test changes.

    Parameters
    ----------
    by
        What names a row: ``domain``, ``test``, ``method``.
    caption, columns, note
        What the page says; columns after those that name the row.
    of
        Returns the estimates that it shows, from the answer.
    **more
        As in `pivot`.
    """
    heads = [_HEADS[name] for name in by]
    rules = changes(*(name for name in by if _HEADS[name].once))
    return pivot(
        caption, (*heads, *columns), by=by, of=of, note=note, strong=rules, row_headers=len(by),
        **more,
    )  # fmt: skip
