"""What an analysis says of each hypothesis of its preregistration: from the rows of its estimates.

A hypothesis is confirmed, isn't confirmed, or couldn't be tested. A test that couldn't be carried
out leaves a hypothesis open, unless the others decide it (Kleene's logic).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from analysis.questions.estimates import Quantity
from analysis.questions.registered import Criterion, Hypothesis
from analysis.report.frame import CriterionResult, HypothesisResult
from analysis.report.parts import Column, Table, table
from analysis.report.wording import estimated, p_equals, p_value

Row = Mapping[str, Any]

CONFIRMED, NOT_CONFIRMED, OPEN = "confirmed", "not confirmed", "couldn’t be tested"
UNKNOWN: Final = "unknown"
"""The verdict of a row from which nothing is concluded, such as that of an arm of few people."""
YES_NO: Final = {True: "yes", False: "no", None: "not tested"}


def plain_hypothesis(hypothesis: Hypothesis) -> dict[str, Any]:
    """Return a hypothesis as ``preregistration.json`` has it."""
    tests = [{**asdict(test), "quantity": test.quantity.id} for test in hypothesis.tests]
    return {
        **{name: getattr(hypothesis, name) for name in ("name", "text", "rule", "family", "note")},
        "tests": tests,
    }


def read_hypothesis(record: Mapping[str, Any], quantities: Mapping[str, Quantity]) -> Hypothesis:
    """Return a hypothesis from a record; a quantity that isn't known any more has its id alone."""
    words: dict[str, Any] = {
        **record,
        "tests": tuple(_read_test(test, quantities) for test in record["tests"]),
    }
    return Hypothesis(**words)


def _read_test(record: Mapping[str, Any], quantities: Mapping[str, Quantity]) -> Criterion:
    name = record["quantity"]
    words: dict[str, Any] = {
        **record,
        "quantity": quantities.get(name, Quantity(name, name, "")),
        "by": tuple(record["by"]),
    }
    return Criterion(**words)


def decide(hypothesis: Hypothesis, rows: Sequence[Row]) -> HypothesisResult:
    """Return what the rows of results.json say of a hypothesis."""
    tests = tuple(_tested(test, bool(hypothesis.family), rows) for test in hypothesis.tests)
    decisions = {test.shown for test in tests}
    enough = hypothesis.rule == "one"  # one that holds confirms it, or one that doesn't refutes
    if enough in decisions:
        outcome = CONFIRMED if enough else NOT_CONFIRMED
    elif None in decisions:
        outcome = OPEN
    else:
        outcome = NOT_CONFIRMED if enough else CONFIRMED
    return HypothesisResult(hypothesis.name, hypothesis.text, hypothesis.rule, outcome, tests)


def _tested(test: Criterion, corrected: bool, rows: Sequence[Row]) -> CriterionResult:
    """Return what a row shows of a test."""
    row = _row_of(test, rows)
    if row is None:
        row, why = {}, "the report has no such estimate"
    else:
        why = _why_not(row)
    ends = ("low_90", "high_90") if test.level == 90 else ("ci_low", "ci_high")
    if corrected and test.level == 95:
        ends = ("adjusted_low", "adjusted_high")
    value, low, high = (row.get(name) for name in ("estimate", *ends))
    if not why and (low is None or high is None or not low < high):
        why = row.get("note") or "it has no limits"
    return CriterionResult(
        estimate=test.estimate,
        question=test.question,
        quantity=test.quantity.id,
        of=dict(row.get("of", test.of)),
        value=value,
        level=test.level,
        low=low,
        high=high,
        p=row.get("p_adjusted" if corrected else "p") if test.value == 0 else None,
        needed=test.region,
        shown=None if why or low is None or high is None else test.holds(low, high),
        why=why,
        written="" if value is None else estimated(test.quantity.write, value, low, high),
    )


def _row_of(test: Criterion, rows: Sequence[Row]) -> Row | None:
    """Return the one row that a test names, by the first analysis that has it; None without one."""
    named = [
        row
        for row in rows
        if (row["question"], row["quantity"]) == (test.question, test.quantity.id)
        and test.of.items() <= row["of"].items()
    ]
    if test.by:
        known = {row["of"]["by"]: row for row in named if row.get("estimate") is not None}
        named = [known[name] for name in test.by if name in known][:1]
    return named[0] if len(named) == 1 else None


def _why_not(row: Row) -> str:
    if row.get("estimate") is None:
        return row.get("note") or "it can’t be estimated"
    return "too few participants, or nothing varies" if row.get("verdict") == UNKNOWN else ""


def sentences(results: Sequence[HypothesisResult]) -> Iterator[str]:
    """Yield what became of each hypothesis, and by which numbers."""
    for result in results:
        verb = result.outcome if result.outcome == OPEN else f"is {result.outcome}"
        yield f"{result.name} {verb}: {result.text} {_numbers(result)}"


def _numbers(result: HypothesisResult) -> str:
    """Return the numbers that decide, or why there is none."""
    decisive = {CONFIRMED: True, NOT_CONFIRMED: False, OPEN: None}[result.outcome]
    by_start: dict[str, list[str]] = {}
    for test in result.tests:
        if test.shown is decisive:
            start = f"Not tested, since {test.why}" if test.shown is None else _must(test)
            by_start.setdefault(start, []).append(_number(test))
    return " ".join(f"{start}: {'; '.join(numbers)}." for start, numbers in by_start.items())


def _must(test: CriterionResult) -> str:
    return f"The {test.level} % interval must lie {test.needed}"


def _number(test: CriterionResult) -> str:
    p = "" if test.p is None else f", {p_equals(test.p)}"
    return test.estimate if test.shown is None else f"{test.estimate} {test.written}{p}"


_COLUMNS: Final = (
    Column("Hypothesis", lambda row: f"{row[0].name} {row[0].outcome}", once=True),
    Column("Estimate", lambda row: row[1].estimate),
    Column("Found", lambda row: row[1].written or None),
    Column("By", lambda row: f"{row[1].level} % interval"),
    Column("p", lambda row: row[1].p, p_value),
    Column("Must lie", lambda row: row[1].needed),
    Column("Does", lambda row: YES_NO[row[1].shown]),
)


def outcome_table(results: Sequence[HypothesisResult]) -> Table:
    """Return the table of all tests and what became of the hypotheses."""
    rules = [
        f"{result.name} needs {'one' if result.rule == 'one' else 'all'} of its "
        f"{len(result.tests)} tests"
        for result in results
        if len(result.tests) > 1
    ]
    why = dict.fromkeys(
        f"{test.estimate}: {test.why}" for result in results for test in result.tests if test.why
    )
    note = [*rules, *why, "Not confirmed doesn’t mean that the contrary is shown"]
    return table(
        "The hypotheses, and the tests that decide them.",
        _COLUMNS,
        [(result, test) for result in results for test in result.tests],
        "".join(f"{text[0].upper()}{text[1:]}. " for text in note).strip(),
    )
