"""The view of a session (`watch`) open beside what is timed, on a journal that grows."""

import os
import pty
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.parts.commands import command_environment
from bench.parts.robot_sessions import ROOT, workplace
from participants.folder import LabFolder
from participants.journal import JournalWriter
from participants.simulate.presenters import VirtualClock
from stimuli.protocol import protocol_hash
from tests.participants.journal.workers.journals import HEADER, TRIAL_END, TRIAL_START
from tests.participants.studies.accept_reject.packs import bare_pack

CODE, SESSION = "CDF34HK", "20260202T090000Z-CDF34HK"
TRIAL_S = 1.0


@contextmanager
def view_beside() -> Iterator[list[bytes]]:
    """Give what `watch` shows at a terminal of a session that has a trial every second."""
    with workplace() as folder:
        lab = folder / "lab"
        words = [sys.executable, "-m", "bench.parts.view_beside", str(lab)]
        env = command_environment(PYTHONPATH=str(ROOT))
        with subprocess.Popen(words, env=env, cwd=ROOT, stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            ours, theirs = pty.openpty()
            command = [sys.executable, str(ROOT / "lab.py"), "watch", "--lab", str(lab)]
            seen: list[bytes] = []
            with subprocess.Popen(
                command, env=env, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
            ) as view:
                os.close(theirs)
                reader = threading.Thread(target=_read, args=(ours, seen), daemon=True)
                reader.start()
                yield seen
                # The door may have started another process.
                os.killpg(view.pid, signal.SIGKILL)
            writer.kill()
            reader.join()
            os.close(ours)


def _read(terminal: int, seen: list[bytes]) -> None:
    """Take what is shown until the view ends: a full terminal would hold it up."""
    try:
        while shown := os.read(terminal, 65536):
            seen.append(shown)
    except OSError:
        return


def write(root: Path) -> None:
    """Write a session with a trial every second until killed."""
    lab, pack = LabFolder.make(root), bare_pack(lists=2)
    lab.data.copy_pack(pack)
    own = {"session": SESSION, "participant": CODE, "pack_id": pack.pack_id}
    own |= {"protocol_hash": protocol_hash(pack.protocol)}
    own |= {"list": "list-01", "order": "with_first"}
    path = lab.data.session(SESSION).journal
    with JournalWriter.create(path, HEADER | own, VirtualClock()) as journal:
        print("begun", flush=True)
        trial = 0
        while True:
            trial += 1
            shown = {"trial": trial, "position": trial, "presentation": f"p{trial}"}
            shown |= {"repeat_of": None}
            journal.append("trial_start", **shown, **TRIAL_START)
            time.sleep(TRIAL_S)
            journal.append("trial_end", **shown, **TRIAL_END)


if __name__ == "__main__":
    write(Path(sys.argv[1]))
