"""Recorded choices, what people told of themselves, and who left for good."""

import pytest
from sqlalchemy import select

from participants.lists import lists_of
from participants.registry import (
    NewSession,
    Place,
    PlaceRules,
)
from participants.registry.records import record_choice, record_demographics, records_of
from participants.registry.tables import demographics
from participants.session.kept_answers import (
    FORM_CHOICES,
    FORM_FIELDS,
    SKIP,
    TOLD_RESULT,
    told_of_oneself,
)
from participants.studies.progressive_reveal.plan import STUDY
from stimuli.errors import UserError
from tests.participants.registry.test_sittings import PROTOCOL, small_sketch


@pytest.fixture
def code(registry):
    return registry.enrol("participant")


def test_answers_about_oneself_are_replaced_and_skipped_ones_are_empty(registry, code):
    whole = {name: choices[0] for name, choices in FORM_CHOICES.items()}
    skipped = dict.fromkeys(FORM_CHOICES, SKIP)
    for answers in (whole, skipped):
        told = told_of_oneself(answers)
        assert set(told) == set(FORM_FIELDS.values())
        record_demographics(registry, code, told)
        rows = registry.transact(lambda connection: list(connection.execute(select(demographics))))
        assert len(rows) == 1
        for name, column in FORM_FIELDS.items():
            wanted = None if answers[name] == SKIP else answers[name]
            assert getattr(rows[0], column) == wanted


def begin(registry, code, session="s-1", purpose="main"):
    new = NewSession(session, code, "participant", STUDY, "pack", purpose, "rig-1")
    registry.start_session(new)
    rules = PlaceRules(lists_of(small_sketch()), ("as_listed",), PROTOCOL.assignment.seed, 1e9)
    return registry.assign(Place(code, STUDY, "pack", "rig-1", purpose), rules)


def leave(registry, session="s-1"):
    registry.finish_session(session, complete=False)
    registry.leave_session(session)


def test_who_left_frees_the_place_and_is_refused_in_one_line(registry, code):
    first = begin(registry, code)
    leave(registry)
    leave(registry)
    assert registry.unfinished(code, study=STUDY, pack_id="pack") is None
    with pytest.raises(UserError, match=f"code {code}: has left study {STUDY} for good"):
        begin(registry, code, "s-2")
    with pytest.raises(UserError, match="its person has left the study for good"):
        registry.resume_session("s-1", "rig-1")
    # The freed place is given again when each place was given once.
    places = len(lists_of(small_sketch()))
    later = [begin(registry, registry.enrol("participant"), f"s-{n + 3}") for n in range(places)]
    assert first not in later[:-1]
    assert later[-1] == first


@pytest.mark.parametrize("pack_id", ["screening-1", "pack"])
def test_who_left_for_good_in_a_screening_is_not_taken_again(registry, code, pack_id):
    registry.start_session(
        NewSession("s-1", code, "participant", STUDY, "screening-0", "main", "rig-1")
    )
    leave(registry)
    again = NewSession("s-2", code, "participant", STUDY, pack_id, "main", "rig-1")
    with pytest.raises(UserError, match=f"code {code}: has left study {STUDY} for good"):
        registry.start_session(again)


def test_who_left_a_pilot_has_read_the_debrief(registry, code):
    begin(registry, code, purpose="pilot")
    leave(registry)
    new = NewSession("s-2", code, "participant", STUDY, "other", "main", "rig-1")
    with pytest.raises(UserError, match="has read the debrief"):
        registry.start_session(new)


def test_who_only_stopped_keeps_the_place(registry, code):
    first = begin(registry, code)
    registry.finish_session("s-1", complete=False)
    assert registry.unfinished(code, study=STUDY, pack_id="pack").session == "s-1"
    assert begin(registry, registry.enrol("participant"), "s-3") != first


def told_result(registry, code):
    """Return what somebody chose, the first choice first."""
    rows = registry.transact(lambda connection: records_of(connection, code)).get("choices", ())
    return [row["value"] for row in rows if row["name"] == TOLD_RESULT]


def test_who_was_never_asked_has_not_chosen_and_the_last_choice_counts(registry, code):
    assert told_result(registry, code) == []
    record_choice(registry, code, TOLD_RESULT, "yes")
    record_choice(registry, code, TOLD_RESULT, "no", "s-1")
    assert told_result(registry, code) == ["yes", "no"]
    assert told_result(registry, registry.enrol("lead")) == []


def test_a_code_that_has_withdrawn_has_no_choices(registry, code):
    registry.record_withdrawal(code)
    with pytest.raises(UserError, match="has withdrawn"):
        record_choice(registry, code, TOLD_RESULT, "yes")
