"""What a study from a table declares to this room."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from stimuli.catalogue import TABLE_FILE
from stimuli.io.tables import Row
from stimuli.names import ShownText
from stimuli.pack import Pack
from stimuli.study import Study
from stimuli.table_study.items import MAPS, PICTURES, TableReader, method_of_words, source_of
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


Marked = Mapping[tuple[str, str], str]
"""Texts with the words marked that counted, by the method and the text as the table has it."""


def pack_files(
    protocol: TableStudy,
    folder: Path,
    made: Mapping[str, bytes] = MappingProxyType({}),
    marked: Marked = MappingProxyType({}),
) -> Mapping[str, bytes]:
    """Return the files of a pack by path.

    Parameters
    ----------
    protocol, folder
        The rules, and the study's folder.
    made
        The maps that the table names as ``METHOD:FILE``, by the pack's path. In a sketch the
        picture itself stands for a map.
    marked
        What the table names as ``METHOD:text``. In a sketch the text itself stands for it.

    Raises
    ------
    UserError
        If the table has a mistake.
    """
    reader = TableReader(protocol, folder)
    items = [with_marked_words(row, marked) for row in reader.read()]
    return {
        "items.csv": items_schema(protocol).to_csv(items),
        "lists.csv": LISTS.to_csv(list_rows(protocol, items, str(reader.table))),
        **{
            name: made.get(name) or (folder / PICTURES / source_of(name)).read_bytes()
            for name in sorted(_shown(items))
        },
    }


def explained_pictures(protocol: TableStudy, folder: Path) -> Mapping[str, frozenset[str]]:
    """Return the pictures of which the table names a map, by the method."""
    shown = _shown(TableReader(protocol, folder).read())
    maps = [path for path in shown if path.startswith(f"{MAPS}/")]
    methods = sorted({path.split("/")[1] for path in maps})
    return {method: frozenset(source_of(path) for path in maps if path.split("/")[1] == method)
            for method in methods}  # fmt: skip


def explained_texts(protocol: TableStudy, folder: Path) -> Mapping[str, tuple[str, ...]]:
    """Return the texts of which the table names the marked words, by the method."""
    rows = TableReader(protocol, folder).read()
    found: dict[str, dict[str, None]] = {}
    for row in rows:
        if method := method_of_words(row):
            found.setdefault(method, {})[str(row["text"])] = None
    return {method: tuple(texts) for method, texts in found.items()}


def with_marked_words(row: Row, marked: Marked) -> Row:
    """Return a row whose explanation has the item's text in place of ``METHOD:text``."""
    method = method_of_words(row)
    if not method:
        return row
    text = str(row["text"])
    return row | {"advice_text": marked.get((method, text), text)}


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
