"""Sessions of experts, read from their journals: of whatever study, each in its own type."""

import os
from collections.abc import Callable
from typing import TypeVar

from participants.folder import DataFolder
from participants.journal import Journal, read_journal
from participants.session import withdrawal_in
from stimuli.errors import UserError

Found = TypeVar("Found")


def expert_journals(
    data: DataFolder, study: str, make: Callable[[Journal], Found]
) -> tuple[list[Found], dict[str, str]]:
    """Return what is made of each expert's journal, and why others can't be read, by their ids.

    Parameters
    ----------
    data
        Where they are; sessions whose data were withdrawn are left out.
    study
        Whose experts.
    make
        Reads a journal; may raise UserError.
    """
    found: list[Found] = []
    unreadable: dict[str, str] = {}
    for paths in data.sessions():
        try:
            journal = read_journal(paths.journal)
            if journal.events and _is_experts(journal, study) and not withdrawal_in(journal):
                found.append(make(journal))
        except UserError as error:
            unreadable[paths.session] = str(error).replace(f"{data.root}{os.sep}", "")
    return found, unreadable


def _is_experts(journal: Journal, study: str) -> bool:
    return (journal.header["study"], journal.header["role"]) == (study, "expert")
