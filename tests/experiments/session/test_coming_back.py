"""Who comes too early or declined before is let in for a stated reason alone."""

from datetime import datetime, timedelta
from functools import cache

import pytest

from experiments.session.options import PersonOptions
from experiments.session.preflight import coming_back, stop_if_unfit
from experiments.session.request import RunRequest
from participants.journal import JournalWriter, read_journal
from participants.lists import Assignment
from participants.registry import NewSession
from participants.session import run_session
from participants.studies.progressive_reveal.plan import STUDY, plan_session
from stimuli.errors import UserError
from stimuli.studies.progressive_reveal.sketch import sketch
from tests.participants.studies.progressive_reveal.test_dataset import header_of
from tests.participants.studies.progressive_reveal.viewing import ScriptedViewer
from tests.stimuli.studies.progressive_reveal.small import protocol_of, small_sketch


@cache
def spaced():
    """Return a pack whose sittings lie 20 hours apart at least."""
    return sketch(protocol_of(session={"least_gap_h": 20.0}))


def sat_once(lab, registry, pack):
    """Let somebody take part in one sitting; return the code."""
    code = registry.enrol("participant")
    session = f"s-{code}"
    new = NewSession(session, code, "participant", STUDY, pack.pack_id, "main", lab.settings.rig)
    registry.start_session(new)
    plan = plan_session(pack, Assignment("l1", "as_listed"), "en", code)
    header = header_of(plan, session) | {"participant": code}
    with JournalWriter.create(lab.data.session(session).journal, header) as journal:
        viewer = ScriptedViewer(journal)
        assert not run_session(plan, frozenset(), viewer, viewer, journal)
    registry.finish_session(session, complete=False)
    return code


def finding(lab, pack, code, after_h, **more):
    path = lab.data.session(f"s-{code}").journal
    now = datetime.now().astimezone()
    if path.exists():
        now = datetime.fromisoformat(read_journal(path).events[-1].t_utc)
    request = RunRequest("pack", person=PersonOptions(code, **more))
    declined, sitting = coming_back(request, lab, pack, now + timedelta(hours=after_h))
    assert declined.status == "pass"
    return sitting


def test_who_comes_too_early_is_told_when_to_come(lab, registry):
    pack = spaced()
    code = sat_once(lab, registry, pack)
    early = finding(lab, pack, code, 19.9)
    assert early.status == "fail"
    with pytest.raises(UserError, match=r"sitting: .*20 h apart; come back from "):
        stop_if_unfit([early], None)
    stop_if_unfit([early], "the person lives far away")
    assert finding(lab, pack, code, 20.1).status == "pass"


def test_nobody_waits_without_a_gap_or_before_the_first_sitting(lab, registry):
    code = registry.enrol("participant")
    assert finding(lab, spaced(), code, 0).status == "pass"
    pack = small_sketch()
    assert finding(lab, pack, sat_once(lab, registry, pack), 0).found == "no gap is asked for"
    robot = finding(lab, spaced(), code, 0, robot="idle")
    assert robot.status == "pass"
