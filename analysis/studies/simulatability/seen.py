"""What participants saw: one example of each domain, with every method's explanation in words."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final

from analysis.data.tables import Dataset
from analysis.report.wording import listed, number, percent
from analysis.studies.simulatability.words import DOMAINS
from stimuli.pack import Pack
from stimuli.studies.simulatability.explanations import (
    EXPLANATION,
    Anchor,
    AnyExplanation,
    Boundary,
    Composite,
    Lime,
    Omission,
    Prototype,
    Rationale,
    Weighted,
)
from stimuli.studies.simulatability.inputs import INPUT, TableInput, TextInput
from stimuli.studies.simulatability.tables import EXPLANATIONS, ITEMS, KEY

Row = dict[str, Any]

MOST_CONDITIONS: Final = 8
"""Conditions of a rule that are written out."""


def seen_results(dataset: Dataset, methods: Sequence[str]) -> list[Row] | None:
    """Return an example of each domain, with its explanation by each method; None without a pack.

    Parameters
    ----------
    dataset
        Its pack, or the copy of the pack's tables in its folder.
    methods
        Those that were analysed, in order.

    Returns
    -------
    list of dict
        ``domain, item, input, label, output, method, explanation``, the last as sentences.
    """
    pack = _pack(dataset)
    if pack is None:
        return None
    key = {row["presentation"]: row for row in pack.table(KEY)}
    explained: dict[str, dict[str, str]] = {}
    for row in pack.table(EXPLANATIONS):
        explained.setdefault(row["presentation"], {})[row["method"]] = row["explanation"]
    rows: list[Row] = []
    items = [row for row in pack.table(ITEMS) if row["use"] == "learning"]
    for domain in DOMAINS:
        own = [row for row in items if row["domain"] == domain]
        if not own:
            continue
        chosen = min(
            own,
            key=lambda row: (
                key[row["presentation"]]["outcome"] != "true_positive",
                len(str(row["input"])),
                row["presentation"],
            ),
        )
        head = {
            "domain": domain,
            "item": key[chosen["presentation"]]["item"],
            "input": said_input(INPUT.validate_json(chosen["input"])),
            "label": chosen["shown_label"],
            "output": chosen["shown_output"],
        }
        found = explained.get(chosen["presentation"], {})
        rows += [
            {
                **head,
                "method": method,
                "explanation": " ".join(said(EXPLANATION.validate_json(found[method]))),
            }
            for method in methods
            if method in found
        ]
    return rows


def _pack(dataset: Dataset) -> Pack | None:
    return dataset.pack or next(iter(dataset.copies.values()), None)


def said_input(shown: TextInput | TableInput) -> str:
    """Return a sentence, or a row as ``column: value``."""
    if isinstance(shown, TextInput):
        return " ".join(shown.tokens)
    pairs = zip(shown.columns, shown.values, strict=True)
    return "; ".join(f"{column}: {value}" for column, value in pairs)


def said(explanation: AnyExplanation) -> Iterator[str]:
    """Yield what an explanation says, a sentence each."""
    match explanation:
        case Composite():
            for part in (
                explanation.lime, explanation.anchor, explanation.boundary, explanation.prototype,
            ):  # fmt: skip
                yield from said(part)
        case Lime():
            yield f"Weights: {_weights(explanation.features)}."
            yield f"Baseline {number(explanation.baseline)}, total {number(explanation.total)}."
        case Omission():
            yield f"Left out one by one: {_weights(explanation.terms)}."
        case Anchor():
            yield _rule(explanation)
        case Prototype():
            yield f"Most alike: “{said_input(explanation.prototype)}” ({explanation.label})."
            yield f"Evidence {number(explanation.evidence)}; {_weights(explanation.terms)}."
        case Boundary():
            yield _path(explanation)
        case Rationale():
            yield explanation.text


def _weights(terms: Sequence[Weighted]) -> str:
    said_terms = [f"{term.name} {_signed(term.weight)}" for term in terms]
    return ", ".join(said_terms) if said_terms else "none above the threshold"


def _signed(weight: float) -> str:
    written = number(weight)
    return written if weight < 0 else f"+{written}"


def _rule(anchor: Anchor) -> str:
    names = [condition.name for condition in islice(anchor.conditions, MOST_CONDITIONS)]
    more = len(anchor.conditions) - len(names)
    rest = f" and {more} more" if more else ""
    held = f"If {listed(names)}{rest}, then" if names else "Whatever the input,"
    known = [
        f"{name} {percent(share)}"
        for name, share in (("precision", anchor.precision), ("coverage", anchor.coverage))
        if share is not None
    ]
    told = f" ({', '.join(known)})" if known else ""
    return f"{held} {anchor.outcome}{told}."


def _path(boundary: Boundary) -> str:
    steps = [
        ", ".join(f"{edit.old} → {edit.new}" for edit in step.edits)
        + ("" if step.margin is None else f" (margin {number(step.margin)})")
        for step in boundary.steps
    ]
    return f"Towards {boundary.target}: {'; '.join(steps)}."
