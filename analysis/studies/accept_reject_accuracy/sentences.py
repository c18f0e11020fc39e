"""What the assessment of accuracy shows, in a few sentences."""

from collections.abc import Mapping
from typing import Any

from analysis.report.results import simulated_sentence
from analysis.report.wording import count, interval, number, percent

Results = Mapping[str, Any]


def headline_sentences(results: Results) -> list[str]:
    """Return the headline, made from the results alone."""
    return [
        _accuracy(results),
        _labels(results),
        _agreement(results),
        *simulated_sentence(results["data"], "lead"),
    ]


def _accuracy(results: Results) -> str:
    row = results["accuracy"]
    rates = {part["solver"]: part for part in results["acceptance"]}
    if row["estimate"] is None:
        return "acc_L can’t be given: leads judged no label of S, or accepted none of the data set."
    same = ", equal to it to the last digit" if row["equal_to_plain"] else ""
    return (
        f"acc_L(S) = p_S / p_E = {number(row['estimate'], 3)} "
        f"{interval(row['ci_low'], row['ci_high'], lambda v: number(v, 3))}, from "
        f"p_S = {percent(rates['S']['rate'], 1)} and p_E = {percent(rates['E']['rate'], 1)} on "
        f"{count(row['tasks'], 'image')}; plain accuracy against the data set’s labels is "
        f"{number(row['plain_accuracy'], 3)}{same}."
    )


def _labels(results: Results) -> str:
    own = results["uncertainty"]
    disputed, rejected = own["disputed"], own["rejected"]
    twice = (
        f"leads disagree on {disputed['count']} of the {disputed['n']} labels of the data set that "
        "two or more judged"
        if disputed["n"]
        else "no label of the data set was judged by two leads"
    )
    return (
        f"{twice[0].upper()}{twice[1:]}; most leads reject {rejected['count']} of its "
        f"{rejected['n']} labels."
    )


def _agreement(results: Results) -> str:
    row = results["agreement"][0]
    if row["alpha"] is None:
        return (
            "Agreement between leads beyond chance can’t be given: nothing was judged twice, or "
            "all judgements are alike."
        )
    return (
        f"Agreement between leads: Krippendorff’s alpha {number(row['alpha'])} "
        f"{interval(row['ci_low'], row['ci_high'])} over {count(row['pairs'], 'label')}."
    )
