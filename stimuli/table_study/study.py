"""What a study from a table declares to this room."""

from collections.abc import Mapping
from pathlib import Path

from stimuli.catalogue import TABLE_FILE
from stimuli.names import ShownText
from stimuli.pack import Pack
from stimuli.study import Study
from stimuli.table_study.items import TableReader
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


def pack_files(protocol: TableStudy, folder: Path) -> Mapping[str, bytes]:
    """Return the files of a pack by path; UserError if the table has a mistake."""
    reader = TableReader(protocol, folder)
    items = reader.read()
    names = {str(row[name]) for row in items for name in PICTURE_COLUMNS if row[name]}
    return {
        "items.csv": items_schema(protocol).to_csv(items),
        "lists.csv": LISTS.to_csv(list_rows(protocol, items, str(reader.table))),
        **{name: (folder / name).read_bytes() for name in sorted(names)},
    }


def texts_shown(pack: Pack, language: str) -> tuple[ShownText, ...]:
    """Return the texts that items show; they count as being in the session's language."""
    protocol = pack.protocol
    assert isinstance(protocol, TableStudy)
    items = pack.table(items_schema(protocol))
    names = ("question", "text", "answers", "advice_text")
    texts = tuple(str(row[name]) for row in items for name in names if row[name])
    return (ShownText("the items", texts, language),)
