"""What domains, tests, methods and quantities are called, and how cells of tables write them."""

from collections.abc import Mapping
from typing import Any, Final

from analysis.report.parts import cell
from analysis.report.wording import estimated, number, rounded, signed
from stimuli.names import method_title

DESIGN, TWO_WAY = "Hase & Bansal 2020", "Cameron, Gelbach & Miller 2011"
SOURCES: Final[Mapping[str, str]] = {"design": DESIGN, "two_way": TWO_WAY}
"""What the methods rest on, as it is cited."""
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
tenth = rounded(number, 1)
"""Writes per cent with one decimal."""


def method_name(method: str | None) -> str:
    """Return what a method is called; one that isn't known by name as the table has it."""
    return method_title(method or "")


def domain_name(domain: str) -> str:
    """Return what a domain is called."""
    return DOMAIN_WORDS.get(domain, domain)


def condition_name(domain: str, test: str) -> str:
    """Return what a domain and a test are called."""
    return f"{domain_name(domain)}, {TEST_WORDS.get(test, test)}"


def signed_points(value: float | None, row: Any, unit: str = "") -> str:
    """Return an estimate in percentage points with a row's limits."""
    return estimated(signed, value, row.ci_low, row.ci_high, unit)


def domain(row: Any) -> str:
    """Return which domain a row is about."""
    return domain_name(cell(row, "domain"))


def test(row: Any) -> str:
    """Return which test a row is about."""
    return TEST_WORDS[cell(row, "test")]


def method(row: Any) -> str:
    """Return which method a row is about."""
    return method_name(cell(row, "method"))
