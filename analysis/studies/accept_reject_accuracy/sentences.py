"""What the assessment of accuracy shows, in a few sentences."""

from collections.abc import Mapping
from typing import Any

from analysis.report.who import called, robots_first
from analysis.report.wording import count, interval, number, percent

Results = Mapping[str, Any]


def headline_sentences(results: Results) -> list[str]:
    """Return the headline, made from the results alone."""
    return [
        *robots_first(results["data"], "lead"),
        _accuracy(results),
        _labels(results),
        _agreement(results),
    ]


def _accuracy(results: Results) -> str:
    row = results["accuracy"]
    rates = {part["solver"]: part for part in results["acceptance"]}
    if row["estimate"] is None:
        leads = f"{called(results['data'], 'lead')}s"
        return f"acc_L can’t be given: {leads} judged no label of S, or accepted none of E."
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
    lead = called(results["data"], "lead")
    twice = (
        f"{lead}s disagree on {disputed['count']} of the {disputed['n']} labels of the data set "
        "that two or more judged"
        if disputed["n"]
        else f"no label of the data set was judged by two {lead}s"
    )
    return (
        f"{twice[0].upper()}{twice[1:]}; most {lead}s reject {rejected['count']} of its "
        f"{rejected['n']} labels."
    )


def _agreement(results: Results) -> str:
    row, lead = results["agreement"][0], called(results["data"], "lead")
    if row["alpha"] is None:
        return (
            f"Agreement between {lead}s beyond chance can’t be given: nothing was judged twice, or "
            "all judgements are alike."
        )
    return (
        f"Agreement between {lead}s: Krippendorff’s alpha {number(row['alpha'])} "
        f"{interval(row['ci_low'], row['ci_high'])} over {count(row['pairs'], 'label')}."
    )
