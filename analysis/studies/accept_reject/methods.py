"""The methods paragraph, ready to take over into a paper."""

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.report.wording import listed, percent, points
from stimuli.protocol.accept_reject import AcceptReject

Results = Mapping[str, Any]


def methods_paragraph(results: Results, protocol: AcceptReject) -> str:
    """Return what was done in one paragraph, with every number that a reader needs."""
    return " ".join(
        [
            _task(results, protocol),
            _controls(protocol),
            _analysis(results, protocol),
            _origin(results),
        ]
    )


def _task(results: Results, protocol: AcceptReject) -> str:
    data = results["data"]
    who = _lead_words(results)
    method = listed(data["methods"]) if data["methods"] else "the explanation"
    experts = len(data["experts"])
    order = _order_words(data["orders"])
    cutoff = (
        f"An acceptance counted when it came within {data['cutoff_s']:g} s of the plate’s onset; "
        "no clock was shown"
        if data["cutoff_mode"] == "internal"
        else f"The plate left the screen after {data['cutoff_s']:g} s; an acceptance counted "
        "whenever it was given"
    )
    return (
        f"{who} decided on {data['trials']} task–solution pairs made "
        f"from {data['items']} pseudoisochromatic plates. Solutions came from a classifier (S) and "
        f"from {experts or 'an unstated number of'} expert"
        f"{'' if experts == 1 else 's'} with normal colour vision (E); the lead wasn’t told which. "
        f"There were two runs, without and with explanations, {order}; explanations were regions "
        f"from {method}, drawn alike for S and E. The lead was to accept only a digit that the "
        f"lead saw in the plate. {cutoff}, and no trial lasted longer than "
        f"{protocol.trial.limit_s:g} s."
    )


def _lead_words(results: Results) -> str:
    one = results["data"]["participants"] == 1
    many = f"In all {results['data']['participants']} "
    if all(row["robot"] for row in results["participants"]):
        return "One simulated lead (a response model)" if one else f"{many}simulated leads"
    return "One lead" if one else f"{many}leads"


def _order_words(orders: Sequence[str]) -> str:
    if not orders:
        return "in an order that the table doesn’t state"
    if len(orders) == 1:
        return f"in one order ({orders[0].replace('_', ' ')})"
    return "in an order counterbalanced over leads"


def _controls(protocol: AcceptReject) -> str:
    shares = protocol.solutions.shares
    controls = {
        "wrong digits": shares.wrong_digit,
        "right digits": shares.right_digit,
        "plates without a numeral": shares.no_numeral,
        "high-contrast right digits": shares.high_contrast,
        "no-solution": shares.no_solution,
    }
    said = listed([f"{name} {percent(value)}" for name, value in controls.items()])
    return f"Planned shares of controls were the same in both runs: {said}."


def _analysis(results: Results, protocol: AcceptReject) -> str:
    rules = protocol.analysis
    model = results["model"]
    text = (
        "Usefulness is the acceptance rate with less that without explanation, given raw and net "
        "of acceptance that a digit-shaped contour brings on plates without a numeral. S was "
        f"compared with E at an equivalence margin of {points(rules.margin).lstrip('+')} "
        f"percentage points. Intervals are {results['intervals']}."
    )
    if model["fitted"]:
        text += (
            f" Acceptance of S’s and E’s solutions was modelled by mixed logistic regression, "
            f"{model['formula']}, fitted with {model['engine']}."
            if model["random"]
            else f" Acceptance of S’s and E’s solutions was modelled by logistic regression, "
            f"{model['formula']}, fitted with {model['engine']}."
        )
    return text


def _origin(results: Results) -> str:
    data, versions = results["data"], results["versions"]
    packs = f"pack {listed(data['pack_ids'])}, " if data["pack_ids"] else ""
    hashes = [f"{value[:12]}…" for value in data["protocol_hashes"]]
    known = f" (SHA-256 {listed(hashes)})" if hashes else ""
    software = ", ".join(f"{name} {version}" for name, version in versions.items())
    return (
        f"Materials and rules: {packs}protocol “{data['protocol']}”{known}; software: {software}."
    )
