"""Journals: what happened in a session, append-only, chained by hashes, one file a session."""

from participants.clock import SystemClock
from participants.journal.reader import read_journal
from participants.journal.recorded import Event, Journal
from participants.journal.storage import JournalError
from participants.journal.writer import JournalWriter, Recorder
