"""What the paper reports, beside what was found."""

from collections.abc import Iterator, Mapping
from typing import Any

from analysis.report.published import Beside, beside_rows
from analysis.report.wording import NOTHING, grouped, number, p_value
from analysis.studies.simulatability import published_values as paper
from analysis.studies.simulatability.words import method_name, signed, where
from stimuli.studies.simulatability.protocol import PUBLISHED_METHODS

Results = Mapping[str, Any]
Row = Mapping[str, Any]


def published_rows(results: Results) -> dict[str, Any]:
    """Return the paper's values with ours, as they stand in results.json."""
    rows = [*_changes(results), *_before(results), *_rated(results), *_by_model(results)]
    rows += _predicting(results)
    return {"reference": paper.REFERENCE, "remark": paper.REMARK, "rows": beside_rows(rows)}


def _found(results: Results, domain: str, test: str) -> dict[str, Row]:
    """Return our rows of a condition by method; a lone domain or test stands for both."""
    rows = [row for row in results["change"] if (row["domain"], row["test"]) == (domain, test)]
    return {row["method"]: row for row in rows}


def _changes(results: Results) -> Iterator[Beside]:
    for (domain, test), methods in paper.CHANGE.items():
        ours = _found(results, domain, test)
        for method, own in methods.items():
            row = ours.get(method)
            yield Beside(
                f"Change, {method_name(method)}, {where({'domain': domain, 'test': test})} (n, p)",
                _change(own.change, own.half_width, own.n, own.p),
                paper.TABLES[domain, test],
                NOTHING
                if row is None
                else _change(row["published_change"], row["half_width"], row["n"], row["p"]),
                own.change,
                None if row is None else row["published_change"],
            )


def _change(change: float | None, half: float | None, n: int, p: float | None) -> str:
    return f"{signed(change, 2)} ± {number(half)} ({grouped(n)}, {p_value(p)})"


def _before(results: Results) -> Iterator[Beside]:
    ours = {(row["domain"], row["test"]): row for row in results["pre_accuracies"]}
    for (domain, test), (n, value) in paper.PRE.items():
        row = ours.get((domain, test))
        yield Beside(
            f"Accuracy before explanations, {where({'domain': domain, 'test': test})} (n)",
            f"{number(value)} % ({grouped(n)})",
            paper.TABLES[domain, test],
            NOTHING if row is None else f"{number(row['pre'])} % ({grouped(row['n'])})",
            value,
            None if row is None else row["pre"],
        )


def _rated(results: Results) -> Iterator[Beside]:
    rows = (results["ratings"] or {}).get("methods", [])
    ours = {(row["domain"], row["method"]): row for row in rows}
    for domain, counts in paper.RATED.items():
        for method, n in zip(PUBLISHED_METHODS, counts, strict=True):
            row = ours.get((domain, method))
            said = NOTHING if row is None else f"{grouped(row['n'])} ({number(row['mean'])})"
            yield Beside(
                f"Ratings, {method_name(method)}, {domain} (mean)",
                f"{n} (not available)",
                "Table 3",
                said,
                n,
                None if row is None else row["n"],
            )


def _by_model(results: Results) -> Iterator[Beside]:
    rows = (results["ratings"] or {}).get("by_model", [])
    ours = {(row["domain"], row["model_right"]): row for row in rows}
    for (domain, right), own in paper.BY_MODEL.items():
        row = ours.get((domain, right))
        yield Beside(
            f"Mean rating, {domain}, model {'right' if right else 'wrong'} (n)",
            f"{number(own.mean)} ± {number(own.half_width)} ({own.n})",
            "Table 5",
            NOTHING
            if row is None
            else f"{number(row['mean'])} ± {number(row['half_width'])} ({grouped(row['n'])})",
            own.mean,
            None if row is None else row["mean"],
        )


def _predicting(results: Results) -> Iterator[Beside]:
    rows = (results["ratings"] or {}).get("predicting", [])
    ours = {row["domain"]: row for row in rows if row["scale"] == "absolute"}
    for domain, n in paper.PREDICTING.items():
        row = ours.get(domain)
        yield Beside(
            f"Predictions with a rating, counterfactual test after explanations, {domain}",
            str(n),
            "section 5.3",
            NOTHING if row is None else grouped(row["n"]),
            n,
            None if row is None else row["n"],
        )
