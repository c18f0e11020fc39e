"""Who is let in, what a refused start leaves, and who left for good."""

import re
from inspect import signature
from typing import get_args

import pytest

from experiments import cli
from experiments.session.booking import booked, checked_language, identify
from experiments.session.options import PersonOptions
from experiments.session.preflight import coming_back, stop_if_unfit
from experiments.session.request import RunRequest
from participants.cli import main as participants_main
from participants.overview.due import due
from participants.registry import NewSession, outbox
from participants.registry.records import records_of
from participants.session import LEFT_FOR_GOOD, SessionAborted
from stimuli.catalogue import studies_of
from stimuli.errors import UserError
from stimuli.maps.origin import PEOPLE
from stimuli.pack import open_pack
from tests.experiments.conftest import painted_pack
from tests.experiments.session.registered import dump, half_done, out_of_reach, write
from tests.participants.session.scripted import ScriptedPresenter

OTHER_PACK = "0" * 32


def places(registry):
    """Return how many places of the design are given, and how many sessions there are."""
    with registry._engine.begin() as connection:
        return tuple(
            connection.exec_driver_sql(f"SELECT count(*) FROM {name}").scalar_one()
            for name in ("assignments", "sessions")
        )


def begin_elsewhere(registry, code):
    new = NewSession("s", code, "lead", "accept_reject", OTHER_PACK, "main", "other")
    registry.start_session(new)


def broken_off(session, error, seen=lambda booking: None):
    """Let a session be booked, look at what was booked, and break off."""
    with session as booking:
        seen(booking)
        raise error


def test_a_start_that_is_refused_takes_no_place(lab, registry, code, mini_pack):
    begin_elsewhere(registry, code)
    request = RunRequest(str(mini_pack), person=PersonOptions(code))
    with (
        pytest.raises(UserError, match="at this moment"),
        booked(request, lab, registry, open_pack(mini_pack)),
    ):
        pytest.fail("was let in")
    assert places(registry) == (0, 1)


@pytest.mark.parametrize("error", [UserError("no display"), KeyboardInterrupt(), OSError("disk")])
def test_a_session_that_ends_before_its_journal_begins_takes_no_place(
    lab, registry, code, mini_pack, error
):
    request = RunRequest(str(mini_pack), person=PersonOptions(code))
    session = booked(request, lab, registry, open_pack(mini_pack))
    held = []
    with pytest.raises(type(error)):
        broken_off(session, error, lambda booking: held.append(places(registry)))
    assert held == [(1, 1)]
    assert places(registry) == (0, 0)


def test_a_place_that_another_session_holds_stays(lab, registry, mini_pack):
    """A code may run any number of tests; one that fails to start takes nothing from them."""
    tester = registry.enrol("lead", axis="deutan", rung=2, purpose="test")
    request = RunRequest(str(mini_pack), person=PersonOptions(tester, purpose="test"))
    pack = open_pack(mini_pack)
    with booked(request, lab, registry, pack) as first:
        write(lab, registry, first)
    with pytest.raises(OSError, match="disk"):
        broken_off(booked(request, lab, registry, pack), OSError("disk"))
    assert places(registry) == (1, 1)


def test_a_pilots_code_goes_on_as_pilot_where_the_purpose_is_forgotten(lab, registry, mini_pack):
    """It began a second session, as main, on the images that the pilot had shown."""
    pilot = registry.enrol("lead", axis="deutan", rung=2, purpose="pilot")
    half_done(lab, registry, mini_pack, PersonOptions(pilot, purpose="pilot"))
    again = RunRequest(str(mini_pack), person=PersonOptions(pilot))
    with booked(again, lab, registry, open_pack(mini_pack)) as booking:
        assert (booking.purpose, booking.resumed) == ("pilot", True)
    main = RunRequest(str(mini_pack), person=PersonOptions(pilot, purpose="main"))
    with (
        pytest.raises(UserError, match=r"purpose pilot, not main; .* enrol --purpose main"),
        booked(main, lab, registry, open_pack(mini_pack)),
    ):
        pytest.fail("was let in")
    assert places(registry) == (1, 1)


def test_a_session_goes_on_in_the_language_that_it_began_in(lab, registry, code, mini_pack):
    half_done(lab, registry, mini_pack, PersonOptions(code, language="de"))
    for said in (None, "de"):
        again = RunRequest(str(mini_pack), person=PersonOptions(code, language=said))
        with booked(again, lab, registry, open_pack(mini_pack)) as booking:
            assert (booking.plan.language, booking.resumed) == ("de", True)
    other = RunRequest(str(mini_pack), person=PersonOptions(code, language="en"))
    with (
        pytest.raises(UserError, match="began in language de and continues in it"),
        booked(other, lab, registry, open_pack(mini_pack)),
    ):
        pytest.fail("was let in")
    assert registry.person(code).sessions == 1


def test_the_help_that_run_points_to_names_every_robot(monkeypatch, capsys):
    (option,) = get_args(signature(cli.run).parameters["robot"].annotation)[1:]
    assert "simulate STUDY --help" in option.help
    monkeypatch.setenv("COLUMNS", "200")
    assert participants_main(["simulate", "simulatability", "--help"]) == 0
    robots = studies_of("participants")["simulatability"].sessions["solutions"].robot_names
    assert len(robots) > 3
    assert set(re.findall(r"\w+", capsys.readouterr().out)) >= set(robots)


class Leaver(ScriptedPresenter):
    """Leaves the study for good in a trial."""

    def trial(self, trial):
        if trial.step == "trial-0005":
            raise SessionAborted(LEFT_FOR_GOOD)
        return super().trial(trial)


def told_result(registry, code):
    """Return what somebody chose about being told, the first choice first."""
    rows = registry.transact(lambda connection: records_of(connection, code)).get("choices", ())
    return [row["value"] for row in rows if row["name"] == "told_result"]


def test_who_left_for_good_is_refused_even_where_the_registry_was_not_told(
    lab, registry, code, mini_pack
):
    request = RunRequest(str(mini_pack), person=PersonOptions(code))
    with booked(request, lab, registry, open_pack(mini_pack)) as booking:
        with out_of_reach(lab):
            write(lab, registry, booking, Leaver())
        registry.finish_session(booking.paths.session, complete=False)
    assert outbox.is_noted(lab.data, booking.paths.session)
    for _ in range(2):
        left = booked(request, lab, registry, open_pack(mini_pack))
        with pytest.raises(UserError, match="has left study accept_reject for good"), left:
            pass
    assert told_result(registry, code) == []
    outbox.catch_up(lab.data, registry)
    assert told_result(registry, code) == ["yes"]
    rows = [line for line in dump(lab) if '"choices"' in line]
    outbox.note(lab.data, booking.paths.session)
    outbox.catch_up(lab.data, registry)
    assert [line for line in dump(lab) if '"choices"' in line] == rows
    assert len(rows) == 2


def test_who_declined_frees_the_place_and_is_let_in_again_for_a_reason_alone(
    lab, registry, code, mini_pack
):
    """A declined consent was told as an interruption: due at once, and the place was kept."""
    request, pack = RunRequest(str(mini_pack), person=PersonOptions(code)), open_pack(mini_pack)

    def answer(agrees):
        with booked(request, lab, registry, pack) as booking:
            write(lab, registry, booking, ScriptedPresenter(agrees=agrees))

    answer(agrees=False)
    outbox.catch_up(lab.data, registry)
    assert due(lab, registry) == ()
    assert left_study(registry, code) == ["declined"]
    declined, _ = coming_back(request, lab, pack)
    with pytest.raises(UserError, match=f"declined: code {code} declined .*; enrol a new code"):
        stop_if_unfit([declined], None)
    stop_if_unfit([declined], "changed their mind")
    answer(agrees=True)
    assert left_study(registry, code) == []
    assert registry.person(code).complete == 1


def left_study(registry, code):
    """Return how somebody left a study."""
    rows = registry.transact(lambda connection: records_of(connection, code)).get("choices", ())
    return [row["value"] for row in rows if row["name"] == "left_study"]


def test_a_study_without_the_labs_language_is_in_its_own(lab, registry, code, tmp_path):
    folder = painted_pack(tmp_path / "german", "CDF34HK", PEOPLE, languages=("de",))
    request, pack = RunRequest(str(folder), person=PersonOptions(code)), open_pack(folder)
    assert (lab.settings.language, checked_language(request, lab, pack)) == ("en", "de")
    with booked(request, lab, registry, pack) as booking:
        assert booking.plan.language == "de"


def test_a_robots_code_stays_a_robots(registry, mini_pack):
    pack = open_pack(mini_pack)
    new = identify(PersonOptions(robot="lead"), registry, pack)
    assert (new.session_purpose, registry.person(new.participant).purpose) == ("robot", "robot")
    again = identify(PersonOptions(new.participant, robot="lead"), registry, pack)
    assert again.participant == new.participant
    with pytest.raises(UserError, match="is a robot's"):
        identify(PersonOptions(new.participant), registry, pack)
