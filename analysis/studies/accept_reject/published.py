"""What the paper states of this study, beside what was found."""

from collections.abc import Mapping
from typing import Any

from analysis.report.published import Beside, beside_rows
from analysis.report.wording import interval, listed, number, percent, unsigned_points
from analysis.studies.accept_reject.words import gain_words

Results = Mapping[str, Any]

REFERENCE = (
    "Saralajew et al. (2022), A Human-Centric Assessment Framework for AI, propose this "
    "experiment (section 2.4) and name carrying it out as their next step (section 4)."
)
REMARK = (
    "The paper reports no measured acceptance rate, usefulness or interval, so no result here has "
    "a published value to be compared with. What it does state, its one number and the direction "
    "of its expectations, stands beside ours."
)
_PLACE = "section 2.4"


def published_rows(results: Results) -> dict[str, Any]:
    """Return the paper's statements with ours, as they stand in results.json."""
    return {"reference": REFERENCE, "remark": REMARK, "rows": beside_rows(_beside(results))}


def _beside(results: Results) -> list[Beside]:
    rates = {(row["solver"], row["explained"]): row for row in results["acceptance"]}
    gains = {row["solver"]: row for row in results["usefulness"] if not row["net"]}
    return [
        Beside(
            "Short decision time",
            "3 s: normal colour vision must see the numeral within it (Ishihara 1972)",
            _PLACE,
            f"{results['data']['cutoff_s']:g} s",
            3.0,
            results["data"]["cutoff_s"],
        ),
        Beside(
            "Order of the runs",
            "without explanations, then with, for everyone",
            _PLACE,
            _orders(results),
        ),
        Beside(
            "Acceptance without explanations",
            "low for both S and E; no number",
            _PLACE,
            _both(rates, False),
        ),
        Beside(
            "Acceptance with explanations",
            "will increase if the explanation is human-understandable; no number",
            _PLACE,
            _both(rates, True),
        ),
        Beside(
            "Usefulness (with minus without)",
            "positive for a useful explanation; no number",
            _PLACE,
            f"S {gain_words(gains['S'])}, E {gain_words(gains['E'])} points",
        ),
        Beside(
            "S against E",
            "worse, like or better; no margin",
            "section 2.1",
            _against(results),
        ),
        Beside(
            "acc_L = p_S / p_E",
            "the plain accuracy of S where L accepts exactly the labelled class; no number",
            "section 2.3",
            _ratio(results["ratio"]),
        ),
    ]


def _orders(results: Results) -> str:
    orders = [order.replace("_", " ") for order in results["data"]["orders"]]
    if not orders:
        return "not stated in the table"
    return orders[0] if len(orders) == 1 else f"counterbalanced: {listed(orders)}"


def _both(rates: Mapping[tuple[str, bool], Mapping[str, Any]], explained: bool) -> str:
    return ", ".join(
        f"{solver} {percent(rates[solver, explained]['rate'])}" for solver in ("S", "E")
    )


def _against(results: Results) -> str:
    row = results["comparison"]
    if row["difference"] is None:
        return "can’t be compared"
    margin = unsigned_points(row["margin"])
    said = gain_words({**row, "estimate": row["difference"]})
    return f"{row['verdict']}: {said} points, margin {margin}"


def _ratio(row: Mapping[str, Any]) -> str:
    if row["estimate"] is None:
        return str(row["reason"])
    limits = f"({row['reason']})" if row["reason"] else interval(row["ci_low"], row["ci_high"])
    return f"{number(row['estimate'])} {limits}"
