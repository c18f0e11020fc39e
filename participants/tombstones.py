"""Tombstones: who took their data back, by code and date, beside the data themselves.

The file lies in the data folder, so that a copy of the folder knows without the registry whose
sessions may not be used.
"""

from collections.abc import Mapping

from participants.files import make_private, private_lock, write_file
from participants.folder import DataFolder
from stimuli.errors import UserError
from stimuli.io.tables import Column, TableSchema

TOMBSTONES = TableSchema(
    "withdrawn",
    "One row for each person who withdrew their data; nothing else about the person is kept.",
    (
        Column("code", "text", "Pseudonymous code."),
        Column("withdrawn_utc", "text", "When, ISO 8601 in UTC."),
    ),
)


def read_tombstones(data: DataFolder) -> dict[str, str]:
    """Return when people took their data back, by code; UserError if the file can't be read."""
    if not data.tombstones.exists():
        return {}
    try:
        rows = TOMBSTONES.read(data.tombstones)
    except UserError as error:
        raise UserError(
            f"{error}; delete it if this lab has a registry, which knows the same people and "
            "writes it anew; otherwise bring it back from a backup"
        ) from None
    return {str(row["code"]): str(row["withdrawn_utc"]) for row in rows}


def add_tombstones(data: DataFolder, withdrawn: Mapping[str, str]) -> None:
    """Add tombstones to a data folder; if there are two for a code, the earlier stays.

    Parameters
    ----------
    data
        The data folder; it is made if there is something to add.
    withdrawn
        When, by code.

    Raises
    ------
    UserError
        If the file can't be read or written.
    """
    # If nothing is new, nothing is written, so the folder may be read-only.
    if _together(data, withdrawn) == read_tombstones(data):
        return
    make_private(data.root)
    with private_lock(data.tombstones.with_suffix(".lock")):
        both = _together(data, withdrawn)
        rows = [{"code": code, "withdrawn_utc": both[code]} for code in sorted(both)]
        write_file(data.tombstones, TOMBSTONES.to_csv(rows))


def _together(data: DataFolder, more: Mapping[str, str]) -> dict[str, str]:
    known = read_tombstones(data)
    return known | {code: min(when, known.get(code, when)) for code, when in more.items()}
