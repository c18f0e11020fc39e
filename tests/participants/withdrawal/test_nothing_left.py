"""After a withdrawal a search of bytes finds the tombstone, wherever a lab leaves something.

That is: the lab folder with its logs, the journals of others, backups, exports that were killed,
the folder of temporary files, and the folder of locks of the displays.
"""

import os
import re
import signal
from contextlib import closing

import pytest

from bench.parts.crash_session import run_one, sketch
from experiments.engine import display
from experiments.engine.display import display_taken
from experiments.rig.checks import crashes
from experiments.rig.checks.crashes import crash_report
from experiments.rig.verdict import keep_examination
from participants.anchor import Anchor
from participants.backup.make import back_up
from participants.cli import main
from participants.dataset.journals import write_session_sidecar
from participants.export import run
from participants.registry import Registry
from stimuli.io.files import write_private
from tests.participants.backup.comparing import NOW
from tests.participants.withdrawal.test_copies import only_tombstones
from tests.participants.withdrawal.test_withdraw import only_a_tombstone

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked children")


def in_a_killed_child(work):
    """Do some work in a child that ends with SIGKILL."""
    if not (child := os.fork()):
        work()
        os._exit(0)
    assert os.WIFSIGNALED(os.waitpid(child, 0)[1])


def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)


def naming(folders, code):
    """Return the files that name a code in any spelling: slow and plain."""
    written = re.compile(rb"[ -]*".join(re.escape(sign.encode()) for sign in code), re.IGNORECASE)
    return {
        path
        for folder in folders
        for path in folder.rglob("*")
        if written.search(os.fsencode(path))
        or (path.is_file() and written.search(path.read_bytes()))
    }


@pytest.fixture
def left_behind(lab, people, tmp_path, monkeypatch):
    """What kills, checks, exports and another's session leave, all below tmp_path."""
    monkeypatch.setenv("DISPLAY", f":{os.getpid()}07")
    monkeypatch.setattr(display, "_runtime_folder", lambda: tmp_path / "locks")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    code, data = people.participant, lab.data
    paths = next(one for one in data.sessions() if code in one.session)
    write_session_sidecar(paths)

    def session():
        with display_taken("a session"), crash_report(lab, paths):
            die()

    for _ in range(2):
        in_a_killed_child(session)
    with closing(Registry.open(lab.registry_url)) as registry:
        registry.anchor_session(paths.session, Anchor(10_000, "0" * 64))
        other = registry.enrol("participant", purpose="robot")
    run_one(lab, sketch("human_ai_team"), other)
    keep_examination(lab, [crashes.crashes(lab)])

    def exporting():
        def write(path, content):
            write_private(path, content)
            if code.encode() in content:
                die()

        run.write_private = write
        main(["export", "psych-ds", "--out", str(tmp_path / "out")])

    in_a_killed_child(exporting)
    assert main(["export", "bids", "--out", str(tmp_path / "handed-on")]) == 0
    back_up(lab, tmp_path / "backups", NOW, thorough=False)


def test_a_search_of_bytes_finds_the_tombstone_and_nothing_else(
    left_behind, lab, people, tmp_path, capsys
):
    code = people.participant
    found = {path.relative_to(tmp_path).parts[0] for path in naming([tmp_path], code)}
    assert found >= {"lab", ".out-.part", "handed-on", "backups"}
    assert main(["participants", "withdraw", code, "--yes", "--delete-built"]) == 0
    said = capsys.readouterr().out
    assert f"delete unfinished export: {tmp_path / '.out-.part'}" in said
    assert f"(bids, {tmp_path / 'handed-on'}" in said
    only_a_tombstone(lab, code)
    only_tombstones(tmp_path / "backups", code)
    found = {path.relative_to(tmp_path).parts[0] for path in naming([tmp_path], code)}
    assert found == {"lab", "backups", "handed-on"}
    # What was handed on is made anew.
    assert main(["export", "bids", "--out", str(tmp_path / "anew")]) == 0
    assert not naming([tmp_path / "anew"], code)
