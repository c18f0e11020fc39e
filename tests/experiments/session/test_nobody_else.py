"""A session beside one that was killed: its files name nobody else."""

import os
import signal
from contextlib import closing

import pytest

from bench.parts.crash_session import run_one, sketch
from participants.anchor import Anchor
from participants.dataset.journals import write_session_sidecar
from participants.folder import LabFolder
from participants.journal import JournalWriter, read_journal
from participants.registry import Registry
from participants.study import session_kind_of
from stimuli.catalogue import studies_of
from stimuli.protocol import load_protocol
from stimuli.studies.accept_reject.sketch import sketch as plates
from tests.experiments.conftest import CHANGES, few_digits

EVENTS = 12
"""So many events of the killed session are in its journal."""


def pack_of(study):
    """Return a study's pack; few plates, since drawing them takes long."""
    if study != "accept_reject":
        return sketch(study)
    return plates(load_protocol(study, None, CHANGES), [("deutan", 2)], digits=few_digits())


def enrolled(lab, pack):
    kind = session_kind_of(pack)
    axis, rung = kind.load_robots().place(pack)
    with closing(Registry.open(lab.registry_url)) as registry:
        return registry.enrol(kind.role, axis=axis, rung=rung, purpose="robot")


def killed(lab, pack, code):
    """Run a session in a child that is killed in it; return the session's id."""
    if not (child := os.fork()):
        append, left = JournalWriter.append, [EVENTS]

        def dying(*arguments, **fields):
            append(*arguments, **fields)
            left[0] -= 1
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)

        JournalWriter.append = dying
        run_one(lab, pack, code)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    (paths,) = lab.data.sessions()
    return paths.session


def start_of(session):
    return session.partition("-")[0]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a forked child")
@pytest.mark.parametrize(
    "study",
    [
        pytest.param(name, marks=() if name == "accept_reject" else pytest.mark.slow)
        for name in sorted(studies_of("participants"))
    ],
)
def test_the_files_of_a_session_beside_a_killed_one_name_nobody_else(study, tmp_path):
    lab, pack = LabFolder.make(tmp_path / "lab"), pack_of(study)
    other, own = enrolled(lab, pack), enrolled(lab, pack)
    session = killed(lab, pack, other)
    with closing(Registry.open(lab.registry_url)) as registry:
        # As if lines had gone from its journal, which another check then names.
        registry.anchor_session(session, Anchor(10_000, "0" * 64))
    run_one(lab, pack, own)
    (paths,) = (one for one in lab.data.sessions() if one.session != session)
    write_session_sidecar(paths)
    (checks,) = read_journal(paths.journal).of("checks")
    found = {one["check"]: one["status"] for one in checks["findings"]}
    assert (found["broken off"], found["journals"]) == ("warn", "fail")
    # Both may begin in one second, and then a session's own files have it.
    names = {other, session, start_of(session)} - {start_of(paths.session)}
    for path in paths.folder.iterdir():
        for name in names:
            assert name.encode() not in path.read_bytes(), path
