"""What the report shows, in about three plain sentences."""

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.report.primary import MODEL
from analysis.report.who import called, counted, robots_first
from analysis.report.wording import (
    interval,
    listed,
    number,
    p_equals,
    percent,
    points,
    unknown,
    unsigned_points,
)
from analysis.studies.accept_reject.words import (
    GROUPS,
    VERDICTS,
    experts_called,
    granted,
    kept_words,
    lead_name,
)
from stimuli.maps.origin import RESPONSE_MODEL

FEW = 8
WIDEST_NET = 1.0
"""Width of the interval of net usefulness from which on the headline leaves it out."""

Row = Mapping[str, Any]


def headline_sentences(results: Mapping[str, Any]) -> list[str]:
    """Return plain sentences on who profits by how much, who doesn't, and who accepts
    from the explanation alone.

    Few leads (up to eight) are named one by one; more are counted, after the estimate for all
    of them.

    Parameters
    ----------
    results
        As in results.json.
    """
    people = results["participants"]
    by_outcome: dict[str, list[Row]] = {}
    for row in people:
        by_outcome.setdefault(row["outcome"], []).append(row)
    if len(people) <= FEW:
        when = granted(results["data"])
        said = [_named(outcome, by_outcome.get(outcome, []), when) for outcome in _ORDER]
        said = [*_who(results), *said, *_of_how_many(results), *_harm(results)]
        return [sentence for sentence in said if sentence]
    return [
        *_who(results),
        _overall(results),
        _counted(by_outcome, results["data"]),
        _against_experts(results),
        *_harm(results),
    ]


_ORDER = tuple(VERDICTS)


def _who(results: Mapping[str, Any]) -> list[str]:
    """Say first where robots stand for leads or for experts."""
    data, simulated = results["data"], results["data"]["expert_origins"]
    experts = f"E’s solutions and explanations come from {experts_called(data)} (response models)."
    said = [experts] if RESPONSE_MODEL in simulated else []
    return [*robots_first(data, "lead"), *said]


def _of_how_many(results: Mapping[str, Any]) -> list[str]:
    """Say among how many leads each was judged: with many, some verdicts are wrong by chance."""
    if len(results["participants"]) < 2:
        return []
    leads = counted(results["data"], "lead")
    return [f"Each of the {leads} is judged alone, without a correction for their number."]


def _named(outcome: str, rows: Sequence[Row], when: str) -> str:
    if not rows:
        return ""
    plural = len(rows) > 1
    names = listed([lead_name(row) for row in rows])
    if outcome == "not_compliant":
        verb = "don't" if plural else "doesn't"
        because = "; ".join(_compliance(row, plural) for row in rows)
        return (
            f"{names} {verb} follow the guidelines on plates that anyone can judge ({because}): "
            f"{'their' if plural else 'this lead’s'} acceptances may not be based on the plates, "
            f"and the second analysis excludes {'them' if plural else 'the lead'}."
        )
    if outcome == "sham":
        verb = "are" if plural else "is"
        return f"{names} {verb} in the sham group, which sees no explanations."
    if outcome == "unknown":
        return f"{names} can't be judged: a run has no trials of S or E."
    verb, rest, evidence = _SAID[outcome]
    because = "; ".join(evidence(row, when, plural) for row in rows)
    return f"{names} {verb if plural else verb + 's'} {rest}: {because}."


def _compliance(row: Row, plural: bool) -> str:
    """Return the groups of controls on which a lead decided rightly too seldom."""
    who = f"{row['participant']}: " if plural else ""
    groups = [own for own in row["compliance"] if not own["enough"]]
    return who + listed([f"right on {kept_words(own)} {GROUPS[own['name']]}" for own in groups])


def _gain(row: Row, when: str, plural: bool) -> str:
    gain, accepted = row["usefulness_pooled"], row["accepted_pooled"]
    without, with_ = accepted["without"]["rate"], accepted["with"]["rate"]
    who = f"{row['participant']}: " if plural else ""
    return (
        f"{who}{percent(with_)} of the solutions accepted {when} with "
        f"explanations, {percent(without)} without ({points(gain['estimate'])} points, 95 % "
        f"interval {_between(gain)})"
    )


def _reading(row: Row, when: str, plural: bool) -> str:
    with_, without = row["contour"]["with"], row["contour"]["without"]
    who = f"{row['participant']}: " if plural else ""
    said = (
        f"{who}{_of(with_)} plates without a numeral accepted when a digit-shaped contour was shown"
    )
    return said + (f", {_of(without)} without contour" if without["n"] else "")


_SAID = {
    "profits": ("profit", "from explanations", _gain),
    "hindered": ("accept", "less with explanations", _gain),
    "no_profit_shown": ("show", "no profit from explanations", _gain),
    "from_explanation": ("accept", "from the explanation, not from the plate", _reading),
    "perhaps_from_explanation": (
        "accept",
        "more with explanations, but perhaps by reading the contour",
        _reading,
    ),
    "indiscriminate": (
        "accept",
        "more with explanations, right and wrong digits alike",
        _gain,
    ),
}


def _overall(results: Mapping[str, Any]) -> str:
    gains = {(row["solver"], row["net"]): row for row in results["usefulness"]}
    by = "by the mixed model " if results["primary"]["used"] == MODEL else ""
    primary = {row["solver"]: row for row in results["primary"]["rows"] if row["primary"]}
    rates = {(row["solver"], row["explained"]): row["rate"] for row in results["acceptance"]}
    parts = []
    for solver in ("S", "E"):
        gain, net = gains[solver, False], gains[solver, True]
        if gain["estimate"] is None:
            continue
        gain = primary.get(solver, gain)
        part = (
            f"of {solver}'s solutions from {percent(rates[solver, False])} to "
            f"{percent(rates[solver, True])} ({by}{points(gain['estimate'])} points, 95 % interval "
            f"{_between(gain)}{_tested(gain)}"
        )
        if net["estimate"] is not None and tells_something(net):
            part += f"; net of contour reading {points(net['estimate'])}, {_between(net)}"
        parts.append(part + ")")
    if not parts:
        return "Usefulness can't be given: there are no trials with and without explanations."
    leads, when = counted(results["data"], "lead"), granted(results["data"])
    holm = "; p by Holm over S and E" if any(map(_tested, primary.values())) else ""
    return f"Over {leads} explanations change acceptance {when} {listed(parts)}{holm}."


def tells_something(net: Row) -> bool:
    """Return whether the interval of net usefulness is narrower than 100 points."""
    return bool(net["ci_high"] - net["ci_low"] < WIDEST_NET)


def _tested(row: Row) -> str:
    """Return p of a primary test, after Holm over S and E; empty where there is none."""
    return "" if unknown(row.get("p_holm")) else f", {p_equals(row['p_holm'])}"


def _counted(by_outcome: Mapping[str, Sequence[Row]], data: Row) -> str:
    words = {
        "profits": ("profits", "profit"),
        "hindered": ("accepts less with explanations", "accept less with explanations"),
        "no_profit_shown": ("shows no profit", "show no profit"),
        "from_explanation": ("accepts from the explanation", "accept from the explanation"),
        "perhaps_from_explanation": (
            "accepts more, perhaps by reading the contour",
            "accept more, perhaps by reading the contour",
        ),
        "indiscriminate": (
            "accepts more, right and wrong digits alike",
            "accept more, right and wrong digits alike",
        ),
        "not_compliant": ("doesn't follow the guidelines", "don't follow the guidelines"),
        "sham": ("is in the sham group", "are in the sham group"),
        "unknown": ("can't be judged", "can't be judged"),
    }
    parts = []
    for outcome in _ORDER:
        rows = by_outcome.get(outcome, ())
        if rows:
            part = f"{len(rows)} {words[outcome][len(rows) > 1]}"
            if outcome == "from_explanation" and len(rows) <= FEW:
                part += f" ({listed([lead_name(row) for row in rows])})"
            parts.append(part)
    return (
        f"Each of the {counted(data, 'lead')} individually, without a correction for their number: "
        f"{'; '.join(parts)}."
    )


def _harm(results: Mapping[str, Any]) -> list[str]:
    """Say that explanations do harm, where matched controls show it."""
    change, wrong = results["controls"]["sensitivity"], results["controls"]["wrong_digits"]
    lead = called(results["data"], "lead")
    shown = []
    if change["harm"]:
        shown.append(
            f"{lead}s tell right from wrong digits less well with them (d′ "
            f"{number(change['d_prime_with'])} with, {number(change['d_prime_without'])} without, "
            f"difference {number(change['difference'])}, 95 % interval "
            f"{interval(change['ci_low'], change['ci_high'])}; {change['method']})"
        )
    if wrong["harm"]:
        shown.append(_more_wrong(lead, wrong, "more often with them"))
    when = granted(results["data"])
    if shown:
        return [f"The explanations do harm: {listed(shown)}, {when}."]
    if wrong["rises"]:
        more = _more_wrong(lead, wrong, f"more often {when}, too")
        return [f"With explanations {more}, but their acceptance of right digits rises by more."]
    return []


def _more_wrong(lead: str, wrong: Row, how: str) -> str:
    return (
        f"{lead}s accept wrong digits {how} ({percent(wrong['rate_with'])} with, "
        f"{percent(wrong['rate_without'])} without, {points(wrong['difference'])} points, 95 % "
        f"interval {_between(wrong)})"
    )


def _against_experts(results: Mapping[str, Any]) -> str:
    row = results["comparison"]
    if row["difference"] is None:
        return "S can't be compared with E: one of them has no explained trials."
    like = row["verdict"] == "like"
    decides = interval(row["ci90_low"], row["ci90_high"], points) if like else _between(row)
    numbers = (
        f"(p_S − p_E = {points(row['difference'])} points, {90 if like else 95} % interval "
        f"{decides}, margin {unsigned_points(row['margin'])})"
    )
    if row["verdict"] == "undecided":
        return f"Whether S is worse than, like or better than E is undecided {numbers}."
    words = {"worse": "worse than E", "like": "like E", "better": "better than E"}
    return f"With explanations S is {words[row['verdict']]} {numbers}."


def _between(row: Row) -> str:
    return interval(row["ci_low"], row["ci_high"], points)


def _of(part: Row) -> str:
    return f"{round(part['rate'] * part['n'])} of {part['n']}"
