"""Checks of what the design of simulatability promises."""

import pandas as pd

from analysis.report.checks import Check, arm_sizes_check
from analysis.report.wording import count, percent
from analysis.studies.simulatability.trials import Predictions
from stimuli.studies.simulatability.protocol import Simulatability


def design_checks(
    predictions: Predictions, tests: pd.DataFrame, protocol: Simulatability, *, known: bool
) -> list[Check]:
    """Return whether the trials are those that the design plans."""
    return [
        _one_method(predictions),
        _same_items(predictions),
        _balanced(predictions),
        _complete(predictions, protocol, known),
        _answered(predictions),
        _one_output(tests),
    ]


def _one_method(predictions: Predictions) -> Check:
    methods = predictions.pairs.groupby(["participant", "domain"])["method"].nunique()
    both = int((methods > 1).sum())
    said = (
        f"{count(both, 'participant')} had several methods in one domain."
        if both
        else "Nobody had two methods in one domain."
    )
    state = "note" if both else "passed"
    return Check("Each person has one method in each domain", state, said, {"several": both})


def _same_items(predictions: Predictions) -> Check:
    """Arms that predict other items, or with other weights, aren't comparable."""
    name, pairs = "All arms of a domain predict the same items", predictions.pairs
    odd = 0
    for _, own in pairs.groupby(["domain", "test"]):
        sets = [frozenset(mine["item"]) for _, mine in own.groupby("method")]
        whole = frozenset().union(*sets)
        odd += sum(len(one) < len(whole) for one in sets)
    said = (
        f"In {count(odd, 'arm and test', 'arms and tests')}, some of the items weren’t predicted. "
        "The model adjusts for items; the means don’t."
    )
    return Check(
        name, "note" if odd else "passed", said if odd else "They do.", {"arms_with_fewer": odd}
    )


def _balanced(predictions: Predictions) -> Check:
    sizes = predictions.pairs.groupby(["domain", "method"])["participant"].nunique()
    return arm_sizes_check("Arms have about the same size", sizes)


def _complete(predictions: Predictions, protocol: Simulatability, known: bool) -> Check:
    name = "Everyone has all items in both phases"
    if not known:
        return Check(name, "not checked", "No protocol came with the data.")
    planned = protocol.items.per_test
    counts = predictions.pairs.groupby(["participant", "domain", "test"]).size()
    short = int((counts < planned).sum())
    half = int((counts == planned // 2).sum())
    said = (
        f"{count(short, 'test')} with fewer than the {planned} planned items. Of these, {half} had "
        "exactly half, as planned if time is short."
    )
    return Check(name, "note" if short else "passed", said, {"with_fewer": short, "half": half})


def _answered(predictions: Predictions) -> Check:
    shown = sum(row.shown for row in predictions.missing)
    silent = sum(row.unanswered for row in predictions.missing)
    said = (
        f"{count(silent, 'prediction')} without an answer ({percent(silent / max(shown, 1), 1)})."
    )
    return Check(
        "Every prediction was answered", "note" if silent else "passed", said, {"silent": silent}
    )


def _one_output(tests: pd.DataFrame) -> Check:
    """Arms whose items have other outputs predict other models."""
    name = "Every arm predicts the same model"
    if "output" not in tests:
        return Check(name, "not checked", "The table has no column output.")
    outputs = tests.groupby(["domain", "use", "item"])["output"].nunique()
    odd = int((outputs > 1).sum())
    said = f"The table gives several outputs for {count(odd, 'item')}."
    return Check(
        name,
        "warning" if odd else "passed",
        said if odd else "The table gives one output for each item.",
        {"odd_items": odd},
    )
