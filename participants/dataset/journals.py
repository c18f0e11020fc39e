"""All journals of a data folder at once."""

import os

from participants.folder import DataFolder
from participants.journal import Journal, read_journal
from stimuli.errors import UserError


def read_journals(data: DataFolder) -> tuple[dict[str, Journal], dict[str, str]]:
    """Return the journals that ever began, and why others can't be read, by their sessions."""
    journals: dict[str, Journal] = {}
    unreadable: dict[str, str] = {}
    for paths in data.sessions():
        try:
            journal = read_journal(paths.journal)
        except UserError as error:
            unreadable[paths.session] = within(data, error)
            continue
        if journal.events:
            journals[paths.session] = journal
    return journals, unreadable


def within(data: DataFolder, error: UserError) -> str:
    """Say what is wrong without saying where on this machine the data folder is."""
    return str(error).replace(f"{data.root}{os.sep}", "")
