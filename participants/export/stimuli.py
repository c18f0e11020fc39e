"""The files of packs that people were shown."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from participants.export.selection import ExportedSession, Selection
from stimuli.catalogue import studies_of
from stimuli.errors import UserError
from stimuli.io.tables import text_columns
from stimuli.pack import Pack, open_pack

ITEMS: Final = "items.csv"


@dataclass(frozen=True, slots=True)
class Shown:
    """Files that people were shown, of the packs that are at hand.

    Attributes
    ----------
    packs
        The packs, by id.
    by_presentation
        For each pack the path in it of each presentation that somebody in the selection saw.
    """

    packs: Mapping[str, Pack] = field(default_factory=dict)
    by_presentation: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def files_of(self, session: ExportedSession) -> dict[str, str]:
        """Return the path of what a session shows by presentation; empty without its pack."""
        paths = self.by_presentation.get(session.pack_id, {})
        return {name: f"{session.pack_id}/{path}" for name, path in paths.items()}

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Yield each file once, by its path."""
        for pack_id, paths in self.by_presentation.items():
            for path in sorted(set(paths.values())):
                yield f"{pack_id}/{path}", self.packs[pack_id].asset(path)


def shown_in(selection: Selection, folders: Sequence[Path]) -> Shown:
    """Return the files that a selection's people were shown, from whole packs.

    Parameters
    ----------
    selection
        What goes out.
    folders
        The packs.

    Raises
    ------
    UserError
        If a folder is no intact pack, nobody was shown it, or its study shows no files.
    """
    packs, paths = {}, {}
    for folder in folders:
        pack = open_pack(folder, "solutions")
        seen = {
            str(row["presentation"])
            for session in selection.sessions
            if session.pack_id == pack.pack_id
            for row in session.rows
        }
        if not seen:
            raise UserError(f"--pack {folder}: nobody in the export was shown pack {pack.pack_id}")
        packs[pack.pack_id] = pack
        paths[pack.pack_id] = _paths(pack, seen, folder)
    return Shown(packs, paths)


def _paths(pack: Pack, seen: set[str], folder: Path) -> dict[str, str]:
    column = studies_of("participants")[pack.protocol.catalogue_name].stimulus_file
    table = text_columns(pack.asset(ITEMS), f"{folder}: {ITEMS}")
    if not column or not any(table[column]):
        raise UserError(f"--pack {folder}: its study shows no files; leave out --pack")
    shown = zip(table["presentation"], table[column], strict=True)
    return {name: path for name, path in shown if name in seen}
