"""People who come back over days keep their place and their session; who doesn't frees it."""

from collections import Counter

import pytest

from participants.lists import lists_of
from participants.registry import (
    NewSession,
    Place,
    PlaceRules,
)
from participants.studies.progressive_reveal.plan import STUDY
from stimuli.errors import UserError
from stimuli.studies.progressive_reveal.tables import LISTS
from tests.stimuli.studies.progressive_reveal.small import small_sketch

DAY_S = 86_400.0
PROTOCOL = small_sketch().protocol
LISTS_THERE = sorted({row["list"] for row in small_sketch().table(LISTS)})


def enrol(registry):
    return registry.enrol("participant")


def assign(registry, code):
    given = PROTOCOL.assignment
    rules = PlaceRules(lists_of(small_sketch()), ("as_listed",), given.seed, given.drop_after_s)
    return registry.assign(Place(code, STUDY, "pack", "rig-1"), rules)


def sit(registry, code, *, complete):
    """Take part in a sitting: begin the session or go on with it."""
    unfinished = registry.unfinished(code, study=STUDY, pack_id="pack")
    session = f"s-{code}"
    if unfinished is None:
        registry.start_session(
            NewSession(session, code, "participant", STUDY, "pack", "main", "rig-1")
        )
    else:
        assert unfinished.session == session
        registry.resume_session(session, "rig-1")
    given = assign(registry, code)
    registry.finish_session(session, complete=complete)
    return given


def test_three_sittings_on_three_days_are_one_session_with_one_list(registry, clock):
    code = enrol(registry)
    given = []
    for sitting in (1, 2, 3):
        given.append(sit(registry, code, complete=sitting == 3))
        clock.wait(7 * DAY_S)
    assert len(set(given)) == 1
    assert given[0].order == "as_listed"
    assert given[0].accept_side is None
    assert (registry.person(code).sessions, registry.person(code).complete) == (1, 1)
    with pytest.raises(UserError, match="has finished study progressive_reveal"):
        sit(registry, code, complete=False)


def test_nobody_loses_a_place_between_sittings_a_week_apart(registry, clock):
    """Lists stay balanced over people who are in mid-study, come and go as they may."""
    people = [enrol(registry) for _ in range(2 * len(LISTS_THERE))]
    given = {}
    for code in people:
        given[code] = sit(registry, code, complete=False)
        clock.wait(DAY_S)
    assert set(Counter(place.list for place in given.values()).values()) == {2}
    for code in people:
        assert sit(registry, code, complete=True) == given[code]


def test_who_never_comes_back_frees_the_place_for_another(registry, clock):
    stayed = {sit(registry, enrol(registry), complete=True).list for _ in LISTS_THERE[1:]}
    gone = enrol(registry)
    empty = sit(registry, gone, complete=False).list
    assert stayed | {empty} == set(LISTS_THERE)
    clock.wait(PROTOCOL.assignment.drop_after_s + 1)
    assert sit(registry, enrol(registry), complete=True).list == empty
    assert sit(registry, gone, complete=False).list == empty
