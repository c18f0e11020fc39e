"""All journals of a data folder at once."""

import os
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from participants.anchor import Anchor, refuse_unless_kept
from participants.folder import DataFolder, SessionPaths
from participants.journal import Journal, read_journal
from participants.registry.people import REHEARSAL
from stimuli.errors import UserError

NO_ANCHORS: Final[Mapping[str, Anchor]] = MappingProxyType({})

Readings = tuple[dict[str, Journal], dict[str, str]]
"""Journals, and why others can't be read, by their sessions."""


def read_journals(data: DataFolder, known: Mapping[str, Anchor] = NO_ANCHORS) -> Readings:
    """Return the journals that ever began, and why others can't be read, by their sessions.

    Those of rehearsals aren't among them, wherever they lie.

    Parameters
    ----------
    data
        The data folder.
    known
        Which lines of journals the registry knows, by session.
    """
    journals: dict[str, Journal] = {}
    unreadable: dict[str, str] = {}
    for paths in known_sessions(data, known):
        try:
            journal = read_known_journal(paths, known)
        except UserError as error:
            unreadable[paths.session] = within(data, error)
            continue
        if journal.events and journal.header["purpose"] != REHEARSAL:
            journals[paths.session] = journal
    return journals, unreadable


def known_sessions(data: DataFolder, known: Mapping[str, Anchor]) -> Iterator[SessionPaths]:
    """Yield the sessions of a data folder that have a journal or should have one, oldest first."""
    for paths in data.session_folders():
        if paths.session in known or paths.began:
            yield paths


def read_known_journal(paths: SessionPaths, known: Mapping[str, Anchor]) -> Journal:
    """Return a session's journal if it still has the lines that the registry knows.

    Raises
    ------
    UserError
        As `read_journal`, or if these lines are missing or were changed.
    """
    journal = read_journal(paths.journal)
    refuse_unless_kept(journal.links, known.get(paths.session), paths.session, "the registry")
    return journal


def within(data: DataFolder, error: UserError) -> str:
    """Say what is wrong without saying where on this machine the data folder is."""
    return str(error).replace(f"{data.root}{os.sep}", "")
