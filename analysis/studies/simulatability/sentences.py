"""What the study shows, in a few sentences."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from analysis.report.primary import WORDS
from analysis.report.who import counted, robots_first
from analysis.report.wording import count, grouped, interval, listed, number, p_equals
from analysis.studies.simulatability.contrasts import FALLS, HARMS, HELPS, RISES, SAME
from analysis.studies.simulatability.words import ALL, domain_name, method_name, signed, where

Results = Mapping[str, Any]
Row = Mapping[str, Any]

MOST_NAMED: Final = 4


def headline_sentences(results: Results) -> list[str]:
    """Return the headline, made from the results alone."""
    return [
        *robots_first(results["data"], "participant"),
        *(said for domain in results["data"]["domains"] for said in _verdicts(results, domain)),
        _people(results),
        *_published(results),
        *_ratings(results),
    ]


def _verdicts(results: Results, domain: str) -> list[str]:
    """Return what a domain's methods do beyond practice, and by how much."""
    rows = [row for row in results["contrasts"] if row["domain"] == domain]
    what = domain_name(domain).capitalize()
    if not rows:
        return [f"{what}: no method could be compared."]
    named = listed([f"{method_name(row['method'])} {points(row)}" for row in rows])
    reference = rows[0]["reference"]
    change = "Change (accuracy after explanations minus accuracy before)"
    effect = (
        f"{change} minus that of the arm “{method_name(reference)}”"
        if reference
        else f"{change}, which includes practice"
    )
    margin = 100 * results["protocol"]["analysis"]["margin"]
    return [
        f"{what}: {'; '.join(_said(rows, margin))}. {effect}, in percentage points "
        f"(by {WORDS[rows[0]['by']]}, p with Holm’s correction): {named}."
    ]


def _said(rows: Sequence[Row], margin: float) -> Iterator[str]:
    """Yield what is said of the methods with each verdict."""
    of = {
        verdict: listed([method_name(row["method"]) for row in own])
        for verdict in (HELPS, HARMS, RISES, FALLS, SAME)
        if (own := [row for row in rows if row["verdict"] == verdict])
    }
    words = {
        HELPS: "{} helped people predict the model",
        HARMS: "{} made people’s predictions of the model worse",
        RISES: "with {}, people predicted the model better after explanations than before; some of "
        "this may be practice",
        FALLS: "with {}, people predicted the model worse after explanations than before",
        SAME: "for {}, an effect of {margin:g} points or more can be ruled out",
    }
    if not {HELPS, HARMS, RISES, FALLS} & set(of):
        yield "the data don’t show that any method helps or harms people’s predictions of the model"
    for verdict, names in of.items():
        yield words[verdict].format(names, margin=margin)


def points(row: Row) -> str:
    """Return an estimate in percentage points with its interval and p."""
    limits = interval(row["ci_low"], row["ci_high"], signed)
    return f"{signed(row['estimate'])} {limits} ({p_equals(row['p_holm'])})"


def _people(results: Results) -> str:
    data = results["data"]
    again = data["tested_again"]
    twice = f", {count(again, 'of them', 'of them')} with several methods," if again else ""
    return (
        f"{counted(data, 'participant')}{twice} predicted {count(data['items'], 'item')} before "
        f"and after explanations: {grouped(data['pairs'])} pairs of predictions."
    )


def _published(results: Results) -> list[str]:
    """Return Change against zero by the published bootstrap, where it differs from zero."""
    data = results["data"]
    rows = [row for row in results["change"] if (row["test"] == ALL) != (row["domain"] == ALL)]
    rows = rows or results["change"]
    found = [row for row in rows if row["p"] is not None and row["p"] < 0.05]
    reference = data["reference"]
    practice = [
        row
        for row in results["means"]["change"]
        if row["method"] == reference
        and (row["test"] == ALL or len(data["tests"]) == 1)
        and row["domain"] != ALL
    ]
    named = [
        f"{method_name(row['method'])} ({where(row)}) {signed(row['published_change'])} "
        f"± {number(row['half_width'], 1)}"
        for row in sorted(found, key=lambda row: -abs(row["published_change"]))
    ]
    tests = "By the published bootstrap, without a correction, Change differs from zero in "
    if not named:
        said = [f"{tests}none of {count(len(rows), 'comparison')}."]
    elif len(named) <= MOST_NAMED:
        said = [f"{tests}{len(named)} of {count(len(rows), 'comparison')}: {listed(named)}."]
    else:
        said = [
            f"{tests}{len(named)} of {count(len(rows), 'comparison')}. The largest is {named[0]}."
        ]
    if practice:
        changed = [
            f"{signed(row['estimate'])} points "
            f"{interval(row['ci_low'], row['ci_high'], signed)} ({domain_name(row['domain'])})"
            for row in practice
        ]
        said.append(
            f"Without explanations, accuracy changed by {listed(changed)}. This is practice and "
            "regression to the mean. A test against zero counts it as an effect."
        )
    return said


def _ratings(results: Results) -> list[str]:
    ratings = results["ratings"]
    rows = [] if ratings is None else ratings["predicting"]
    own = [row for row in rows if row["scale"] == "absolute"]
    if not own:
        return []
    said = [
        f"{signed(row['points'])} points "
        f"{interval(row['ci_low'], row['ci_high'], signed)} ({domain_name(row['domain'])})"
        for row in own
    ]
    return [
        "If an explanation was rated 5 instead of 4, the share of right predictions in the "
        f"counterfactual test differed by {listed(said)}."
    ]
