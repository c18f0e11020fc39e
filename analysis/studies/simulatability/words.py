"""What domains, tests, methods and quantities are called, and how points are written."""

from collections.abc import Mapping
from typing import Any, Final

from analysis.report.wording import NOTHING, number, unknown
from stimuli.method_names import method_title

Row = Mapping[str, Any]

ALL: Final = "all"
"""In place of a domain or a test: both together."""
FORWARD, COUNTERFACTUAL, LEARNING = "forward", "counterfactual", "learning"
TESTS: Final = (FORWARD, COUNTERFACTUAL)
DOMAINS: Final = ("text", "tabular")
PRE, POST = "pre", "post"

DOMAIN_WORDS: Final[Mapping[str, str]] = {
    "text": "text", "tabular": "tabular", ALL: "both domains",
}  # fmt: skip
TEST_WORDS: Final[Mapping[str, str]] = {
    FORWARD: "forward", COUNTERFACTUAL: "counterfactual", ALL: "both tests",
}  # fmt: skip


def method_name(method: str | None) -> str:
    """Return what a method is called; one that isn't known by name as the table has it."""
    return method_title(method or "")


def domain_name(domain: str) -> str:
    """Return what a domain is called."""
    return DOMAIN_WORDS.get(domain, domain)


def where(row: Row) -> str:
    """Return which domain and test a row is about."""
    return f"{domain_name(row['domain'])}, {TEST_WORDS.get(row['test'], row['test'])}"


def signed(value: float | None, digits: int = 1) -> str:
    """Return percentage points with their sign, e.g. ``+3.2``; a dash where they aren't known."""
    if unknown(value):
        return NOTHING
    assert value is not None
    rounded = round(value, digits)
    said = number(abs(rounded), digits)
    return said if rounded == 0 else f"{'+' if rounded > 0 else '−'}{said}"


def share(value: float | None, digits: int = 1) -> str:
    """Return per cent without a sign; a dash where it isn't known."""
    return number(value, digits)
