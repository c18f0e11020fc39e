"""Whether a journal's decisions are those of the keys that were pressed."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from participants.journal import Event, Journal
from participants.session import NO_CHOICE

Meant = tuple[str, int | None, str]
"""Kind of the answer's event, number of the test, where a session has several, and the key."""
_TIME_TOLERANCE_S = 2e-6
"""Stamps and response times are rounded to microseconds, each by itself."""


def contradicted_trials(journal: Journal) -> int:
    """Return how many decisions contradict their press, those before the one that counts too.

    The press of a decision is the one that came `rt_s` after the onset. In one session a key has
    one meaning: the one that the header states where it does, else that of most decisions; where a
    session holds several tests (``test_number``) it has one in each. A trial whose start states its
    ``options`` by key is judged by these. A trial whose journal has no press for its decision, such
    as one recorded before presses were, isn't counted.
    """
    presses: dict[int, list[Event]] = defaultdict(list)
    meanings: dict[Meant, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    judged: list[tuple[Meant, str]] = []
    stated: dict[str, str] = {}
    contradicted = 0
    options: dict[int, Mapping[str, str]] = {}
    for event in journal.events:
        if event.event == "session":
            # Stamps compare within a part alone.
            presses.clear()
            stated |= _stated(event)
        elif event.event == "response":
            presses[event["trial"]].append(event)
        elif event.event == "trial_start" and "options" in event.fields:
            options[event["trial"]] = event["options"]
        elif (key := _key(event, presses)) is None:
            continue
        elif event["trial"] in options:
            contradicted += options[event["trial"]].get(key) != event["decision"]
        else:
            meant = event.event, event.fields.get("test_number"), key
            judged.append((meant, event["decision"]))
            meanings[meant][event["decision"]] += 1
    usual = {key: max(counts, key=counts.__getitem__) for key, counts in meanings.items()}
    return contradicted + sum(
        stated.get(key[-1], usual[key]) != decision for key, decision in judged
    )


def _stated(header: Event) -> dict[str, str]:
    keys = {"accept": header["accept_key"], "reject": header["reject_key"]}
    return {key: decision for decision, key in keys.items() if key}


def _key(end: Event, presses: Mapping[int, list[Event]]) -> str | None:
    """Return the key by which a trial was decided; None where nothing tells."""
    fields: Mapping[str, Any] = end.fields
    rt_s, onset_s = fields.get("rt_s"), fields.get("onset_t_monotonic_s")
    if fields.get("decision", NO_CHOICE) == NO_CHOICE or rt_s is None or onset_s is None:
        return None
    return next(
        (
            press["key"]
            for press in presses.get(fields["trial"], ())
            if abs(press.t_monotonic_s - onset_s - rt_s) <= _TIME_TOLERANCE_S
        ),
        None,
    )
