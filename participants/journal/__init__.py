"""Journals: what happened in a session, append-only, chained by hashes, one file a session."""

from participants.clock import SystemClock
from participants.journal.chain import JournalError
from participants.journal.reader import Event, Journal, read_journal
from participants.journal.recorder import Recorder
from participants.journal.writer import JournalWriter

__all__ = [
    "Event",
    "Journal",
    "JournalError",
    "JournalWriter",
    "Recorder",
    "SystemClock",
    "read_journal",
]
