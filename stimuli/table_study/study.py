"""What a study from a table declares to this room."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from stimuli.catalogue import TABLE_FILE
from stimuli.io.tables import Row
from stimuli.names import ShownText
from stimuli.pack import Pack
from stimuli.study import Study
from stimuli.table_study.items import PICTURES, TableReader
from stimuli.table_study.lists import list_rows
from stimuli.table_study.protocol import TableStudy
from stimuli.table_study.tables import LISTS, PICTURE_COLUMNS, items_schema


def declare(folder: Path) -> Study:
    """Return the declaration of the study in a folder."""
    return Study(
        package=folder,
        protocol=TableStudy,
        ground_srgb=lambda protocol: protocol.trial.ground_srgb,
        texts=texts_shown,
        files=lambda protocol: pack_files(protocol, folder),
        design=TABLE_FILE,
    )


def pack_files(
    protocol: TableStudy, folder: Path, made: Mapping[str, bytes] = MappingProxyType({})
) -> Mapping[str, bytes]:
    """Return the files of a pack by path.

    Parameters
    ----------
    protocol, folder
        The rules, and the study's folder.
    made
        The maps that the table names as ``METHOD:FILE``, by the pack's path. In a sketch the
        picture itself stands for a map.

    Raises
    ------
    UserError
        If the table has a mistake.
    """
    reader = TableReader(protocol, folder)
    items = reader.read()
    return {
        "items.csv": items_schema(protocol).to_csv(items),
        "lists.csv": LISTS.to_csv(list_rows(protocol, items, str(reader.table))),
        **{
            name: made.get(name) or (folder / PICTURES / Path(name).name).read_bytes()
            for name in sorted(_shown(items))
        },
    }


def explained_pictures(protocol: TableStudy, folder: Path) -> Mapping[str, frozenset[str]]:
    """Return the pictures of which the table names a map, by the method."""
    maps = [path.split("/")[1:] for path in _shown(TableReader(protocol, folder).read())]
    methods = {parts[0] for parts in maps if len(parts) > 1}
    return {one: frozenset(parts[1] for parts in maps if parts[0] == one and len(parts) > 1)
            for one in sorted(methods)}  # fmt: skip


def _shown(items: Sequence[Row]) -> set[str]:
    """Return the paths of all pictures in the pack."""
    return {str(row[name]) for row in items for name in PICTURE_COLUMNS if row[name]}


def texts_shown(pack: Pack, language: str) -> tuple[ShownText, ...]:
    """Return the texts that items show; they count as being in the session's language."""
    protocol = pack.protocol
    assert isinstance(protocol, TableStudy)
    items = pack.table(items_schema(protocol))
    names = ("question", "text", "answers", "advice_text")
    texts = tuple(str(row[name]) for row in items for name in names if row[name])
    return (ShownText("the items", texts, language),)
