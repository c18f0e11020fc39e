"""Sessions without a window, and the registry around them."""

import sqlite3
from contextlib import closing, contextmanager

from experiments.session.booking import Booking, booked
from experiments.session.recording import RegisteredJournal
from experiments.session.request import RunRequest
from participants.journal import JournalWriter
from participants.session import run_session
from stimuli.pack import open_pack
from tests.participants.dataset.test_derive import header_of
from tests.participants.session.scripted import ScriptedPresenter


@contextmanager
def out_of_reach(lab):
    """Let another program keep the database to itself."""
    path = lab.registry_url.removeprefix("sqlite:///")
    with closing(sqlite3.connect(path, isolation_level=None)) as blocker:
        blocker.execute("BEGIN EXCLUSIVE")
        yield


def write(lab, registry, booking: Booking, presenter=None):
    """Run a session without a window."""
    header = header_of(booking.plan, booking.paths.session, purpose=booking.purpose)
    header |= {"participant": booking.code, "rig": booking.rig}
    begin = JournalWriter.resume if booking.resumed else JournalWriter.create
    with begin(booking.paths.journal, header) as journal:
        recorder = RegisteredJournal(journal, registry, lab.data, booking, 0)
        everybody = presenter or ScriptedPresenter()
        run_session(booking.plan, frozenset(), everybody, everybody, recorder)


def dump(lab):
    path = lab.registry_url.removeprefix("sqlite:///")
    with closing(sqlite3.connect(path)) as database:
        return [line for line in database.iterdump() if line.startswith("INSERT")]


def half_done(lab, registry, pack, person):
    """Let a session be booked and stop when its journal has begun."""
    request = RunRequest(str(pack), person=person)
    with booked(request, lab, registry, open_pack(pack)) as booking:
        header = header_of(booking.plan, booking.paths.session, purpose=booking.purpose)
        header |= {"participant": booking.code, "rig": booking.rig}
        header["language"] = booking.plan.language
        with JournalWriter.create(booking.paths.journal, header):
            pass
        registry.finish_session(booking.paths.session, complete=False)
