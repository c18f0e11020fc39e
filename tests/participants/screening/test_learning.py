"""What the registry learns of a screening, as it goes and afterwards from the journal."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import select

from participants.journal import Journal
from participants.registry import NewSession, Registry
from participants.registry.tables import people, screenings
from participants.screening.records import screened as results_of
from participants.screening.stages import learn_result, learn_screening
from stimuli.errors import UserError
from tests.participants.screening.screenings import event, whole

SESSION = "20260101T000000Z-X-abcd"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
STAMP = "2026-01-01T00:00:00.000000Z"


@pytest.fixture
def registry(tmp_path):
    return Registry.open(f"sqlite:///{tmp_path}/registry.sqlite", lambda: NOW)


def journal_of(code, recorder):
    header = event("session", session=SESSION, participant=code, pack_id="screening-x")
    return Journal((header, *recorder.events), b"", (), 0)


def rows(registry):
    return registry.transact(
        lambda c: [
            (row.procedure, row.result, row.session) for row in c.execute(select(screenings))
        ]
    )


def person(registry, code):
    return registry.transact(
        lambda c: c.execute(select(people).where(people.c.code == code)).first()
    )


@pytest.mark.parametrize(
    ("name", "role"),
    [
        pytest.param("normal", "expert", marks=pytest.mark.slow),
        ("tritan", "participant"),
        ("dichromat", "lead"),
    ],
)
def test_a_person_has_the_role_that_was_found_and_a_lead_the_rung(registry, name, role):
    code = registry.enrol("participant")
    ran = whole(name)
    for result in ran.recorder.of("screened"):
        registry.transact(
            lambda c, result=result: learn_result(c, code, SESSION, result.fields, STAMP)
        )
    found = person(registry, code)
    assert found.role == role
    if role == "lead":
        titration = ran.results["titration"]
        assert (found.axis, found.rung) == (titration["axis"], titration["rung"])
    last = [row for row in results_of(registry, code) if row.procedure == "decision"][-1]
    assert last.result.role == role
    assert last.session == SESSION


def test_the_journal_brings_the_registry_to_the_same_and_again_changes_nothing(registry):
    code = registry.enrol("participant")
    ran = whole("dichromat")
    results = ran.recorder.of("screened")
    journal = journal_of(code, ran.recorder)
    # It was told of the first result; then it was out of reach.
    registry.transact(lambda c: learn_result(c, code, SESSION, results[0].fields, STAMP))
    registry.transact(lambda c: learn_screening(c, journal))
    known, found = rows(registry), person(registry, code)
    assert found.role == "lead"
    assert [row[0] for row in known].count("trivector") == 1
    registry.transact(lambda c: learn_screening(c, journal))
    assert rows(registry) == known
    assert person(registry, code) == found


def test_a_screening_neither_hinders_the_study_nor_is_hindered_by_it(registry):
    code = registry.enrol("expert")

    def new(session, pack_id, purpose="main"):
        return NewSession(session, code, "expert", "accept_reject", pack_id, purpose, "rig")

    for number in (1, 2):
        registry.start_session(new(f"s{number}", f"screening-{number}"))
        registry.finish_session(f"s{number}")
    registry.start_session(new("main", "pack"))
    registry.finish_session("main")
    registry.require_free(new("s3", "screening-3"))
    with pytest.raises(UserError, match="has finished study"):
        registry.require_free(new("again", "pack"))
