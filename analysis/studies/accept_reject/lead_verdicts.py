"""What the headline says of each lead, and how many leads got each verdict."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from analysis.report.wording import listed, percent, points
from analysis.studies.accept_reject.people import LeadResult
from analysis.studies.accept_reject.rates import Share
from analysis.studies.accept_reject.words import (
    FEW_LEADS,
    GROUPS,
    VERDICTS,
    kept_words,
    lead_name,
    limits_words,
)


def judge_each(leads: Sequence[LeadResult], when: str) -> list[str]:
    """Return a sentence for each verdict, with the leads who got it and why.

    Parameters
    ----------
    leads
        All leads.
    when
        Within what time an acceptance counts.
    """
    by_outcome = _by_outcome(leads)
    return [
        _name(outcome, by_outcome[outcome], when) for outcome in _ORDER if outcome in by_outcome
    ]


def count_verdicts(leads: Sequence[LeadResult]) -> str:
    """Return how many leads got each verdict."""
    by_outcome = _by_outcome(leads)
    parts = []
    for outcome in _ORDER:
        own = by_outcome.get(outcome, ())
        if own:
            part = f"{len(own)} {_COUNTED[outcome][len(own) > 1]}"
            if outcome == "from_explanation" and len(own) <= FEW_LEADS:
                part += f" ({listed([lead_name(lead) for lead in own])})"
            parts.append(part)
    return "; ".join(parts)


_ORDER: Final = tuple(VERDICTS)
_COUNTED: Final[Mapping[str, tuple[str, str]]] = {
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


def _by_outcome(leads: Sequence[LeadResult]) -> dict[str, list[LeadResult]]:
    found: dict[str, list[LeadResult]] = {}
    for lead in leads:
        found.setdefault(lead.outcome, []).append(lead)
    return found


def _name(outcome: str, leads: Sequence[LeadResult], when: str) -> str:
    plural = len(leads) > 1
    names = listed([lead_name(lead) for lead in leads])
    if outcome == "not_compliant":
        verb = "don't" if plural else "doesn't"
        because = "; ".join(_compliance(lead, plural) for lead in leads)
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
    verb, rest, evidence = _NAMED[outcome]
    because = "; ".join(evidence(lead, when, plural) for lead in leads)
    return f"{names} {verb if plural else verb + 's'} {rest}: {because}."


def _compliance(lead: LeadResult, plural: bool) -> str:
    """Return the groups of controls on which a lead decided rightly too seldom."""
    groups = [own for own in lead.compliance if not own.enough]
    said = [f"right on {kept_words(own)} {GROUPS[own.name]}" for own in groups]
    return _whose(lead, plural) + listed(said)


def _gain(lead: LeadResult, when: str, plural: bool) -> str:
    gain, accepted = lead.usefulness_pooled, lead.accepted_pooled
    return (
        f"{_whose(lead, plural)}{percent(accepted.explained.rate)} of the solutions accepted "
        f"{when} with explanations, {percent(accepted.unexplained.rate)} without "
        f"({points(gain.estimate)} points, 95 % interval {limits_words(gain)})"
    )


def _reading(lead: LeadResult, when: str, plural: bool) -> str:
    with_, without = lead.contour.with_contour, lead.contour.without_contour
    said = (
        f"{_whose(lead, plural)}{_of(with_)} plates without a numeral accepted when a digit-shaped "
        "contour was shown"
    )
    return said + (f", {_of(without)} without contour" if without.n else "")


def _whose(lead: LeadResult, plural: bool) -> str:
    return f"{lead.participant}: " if plural else ""


def _of(part: Share) -> str:
    return f"{round((part.rate or 0) * part.n)} of {part.n}"


_NAMED: Final[Mapping[str, tuple[str, str, Callable[[LeadResult, str, bool], str]]]] = {
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
