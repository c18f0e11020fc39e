"""What a study from a table declares to this room."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from stimuli.catalogue import TABLE_FILE
from stimuli.io.tables import Row
from stimuli.maps.metrics import metrics_file
from stimuli.maps.origin import Origin, origin_cells, origin_in
from stimuli.names import ShownText
from stimuli.pack import Pack
from stimuli.study import Study
from stimuli.table_study.items import (
    MAPS,
    PICTURES,
    TableReader,
    asked_of,
    method_of_text,
    source_of,
)
from stimuli.table_study.lists import list_rows
from stimuli.table_study.protocol import TableStudy
from stimuli.table_study.tables import (
    EXPLANATIONS,
    LISTS,
    METRICS,
    PICTURE_COLUMNS,
    items_schema,
)


def declare(folder: Path) -> Study:
    """Return the declaration of the study in a folder."""
    return Study(
        package=folder,
        protocol=TableStudy,
        ground_srgb=lambda protocol: protocol.trial.ground_srgb,
        texts=texts_shown,
        files=lambda protocol: pack_files(protocol, folder),
        design=TABLE_FILE,
        origins=origins_of,
    )


@dataclass(frozen=True, slots=True)
class Made:
    """What methods made of a table's cells.

    Attributes
    ----------
    pictures
        What the table names as ``METHOD:FILE``, by the pack's path. In a sketch the picture itself
        stands for it.
    texts
        What it names as ``METHOD:text``, by the method and by what its model reads. In a sketch
        this stands for it.
    origins
        Who made them, by the method.
    metrics
        How well they foretell the model, by the method and the pack's path or what the model reads;
        empty if that wasn't asked for.
    """

    pictures: Mapping[str, bytes] = field(default_factory=dict)
    texts: Mapping[tuple[str, str], str] = field(default_factory=dict)
    origins: Mapping[str, Origin] = field(default_factory=dict)
    metrics: Mapping[tuple[str, str], Mapping[str, float]] = field(default_factory=dict)


NOTHING: Final = Made()


def pack_files(protocol: TableStudy, folder: Path, made: Made = NOTHING) -> Mapping[str, bytes]:
    """Return the files of a pack by path.

    Parameters
    ----------
    protocol, folder
        The rules, and the study's folder.
    made
        The explanations that methods made.

    Raises
    ------
    UserError
        If the table has a mistake.
    """
    reader = TableReader(protocol, folder)
    rows = reader.read()
    items = [_explained(protocol, row, made) for row in rows]
    origins = [
        {"method": method, **origin_cells("origin", origin)}
        for method, origin in sorted(made.origins.items())
    ]
    return {
        "items.csv": items_schema(protocol).to_csv(items),
        "lists.csv": LISTS.to_csv(list_rows(protocol, items, str(reader.table))),
        **{
            name: made.pictures.get(name) or (folder / PICTURES / source_of(name)).read_bytes()
            for name in sorted(_pictures_in(items))
        },
        **({f"{EXPLANATIONS.name}.csv": EXPLANATIONS.to_csv(origins)} if origins else {}),
        **metrics_file(METRICS, _metric_rows(protocol, rows, made)),
    }


def _metric_rows(protocol: TableStudy, items: Sequence[Row], made: Made) -> Iterator[Row]:
    """Yield the metrics of all that explains an item, each method once."""
    for row in items:
        paths = [str(row[name]) for name in PICTURE_COLUMNS if row[name]]
        keys = [(path.split("/")[1], path) for path in paths if path.startswith(f"{MAPS}/")]
        if method := method_of_text(row):
            keys.append((method, asked_of(protocol, row)))
        for key in dict(keys).items():
            if key in made.metrics:
                named = {"presentation": row["presentation"], "method": key[0]}
                yield {**named, **made.metrics[key]}


def explained_pictures(protocol: TableStudy, folder: Path) -> Mapping[str, frozenset[str]]:
    """Return the pictures of which the table names a map, by the method."""
    pictures = _pictures_in(TableReader(protocol, folder).read())
    maps = [path for path in pictures if path.startswith(f"{MAPS}/")]
    methods = sorted({path.split("/")[1] for path in maps})
    return {method: frozenset(source_of(path) for path in maps if path.split("/")[1] == method)
            for method in methods}  # fmt: skip


def explained_texts(protocol: TableStudy, folder: Path) -> Mapping[str, tuple[str, ...]]:
    """Return what models read for the explanations in words that the table names, by the method."""
    by_method: dict[str, dict[str, None]] = {}
    for row in TableReader(protocol, folder).read():
        if method := method_of_text(row):
            by_method.setdefault(method, {})[asked_of(protocol, row)] = None
    return {method: tuple(asked) for method, asked in by_method.items()}


def _explained(protocol: TableStudy, row: Row, made: Made) -> Row:
    """Return a row with the explanation in place of ``METHOD:text``."""
    method = method_of_text(row)
    if not method:
        return row
    asked = asked_of(protocol, row)
    return row | {"advice_text": made.texts.get((method, asked), asked)}


def origins_of(pack: Pack) -> dict[str, Origin]:
    """Return who made the explanations that a pack shows, by what they are in words."""
    return {
        f"the explanations by {row['method']}": origin_in(row, "origin")
        for row in pack.table_if_any(EXPLANATIONS)
    }


def _pictures_in(items: Sequence[Row]) -> set[str]:
    """Return the paths of all pictures in the pack."""
    return {str(row[name]) for row in items for name in PICTURE_COLUMNS if row[name]}


def texts_shown(pack: Pack, language: str) -> tuple[ShownText, ...]:
    """Return the texts that items show; they count as being in the session's language."""
    protocol = pack.protocol
    assert isinstance(protocol, TableStudy)
    items = pack.table(items_schema(protocol))
    names = ("question", "text", "answers", "right", "advice", "advice_text")
    texts = tuple(str(row[name]) for row in items for name in names if row[name])
    if (scale := protocol.trial.scale) is not None:
        texts += (scale.low, scale.high)
    return (ShownText("the items", texts, language),)
