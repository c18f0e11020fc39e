"""Map sets: relevance maps with what is known of each, one type for S, E and imports."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from stimuli.errors import UserError
from stimuli.io.files import make_private_folder, write_whole
from stimuli.io.inside import refuse_odd
from stimuli.io.tables import Column, TableSchema, TextColumns, levels
from stimuli.maps.origin import ORIGINS, Origin, note_column
from stimuli.versions import Schema

MAP_TENSORS = "maps.safetensors"
MAP_TABLE = "maps.csv"


MAPSET_SCHEMA: Final = Schema("mapset")
SMALLEST_SIDE_PX: Final = 16
"""Smallest side of a map; a coarser one can't follow a numeral's strokes or give a contour."""

MAPS = TableSchema(
    "maps",
    "One row for each map of a map set.",
    (
        Column("map", "text", "Key of the map in maps.safetensors."),
        Column("item", "text", "The item that was solved."),
        Column(
            "source",
            "text",
            "Where the map comes from.",
            levels=levels(
                model="a network's explanation",
                expert="painted or marked by hand",
                imported="a file",
            ),
        ),
        Column(
            "solver_id",
            "text",
            "Which network or which expert. Codes of expert robots begin with robot-.",
            optional=True,
        ),
        Column("method", "text", "Explanation method; painting for experts.", optional=True),
        Column("axis", "text", "Confusion axis of the plate that was solved.", optional=True),
        Column("rung", "integer", "Rung of the plate that was solved.", optional=True),
        Column("answer", "text", "The solver's answer; no_solution when it abstained."),
        Column("confidence", "real", "Probability that the solver gave its answer.", optional=True),
        Column("rt_s", "real", "Time to the answer.", unit="s", optional=True),
        Column("origin", "text", "Who made answer and map.", levels=ORIGINS),
        note_column("origin_note", "answer and map"),
    ),
)


@dataclass(frozen=True, slots=True)
class MapRecord:
    """One row of ``maps.csv``; attributes as its columns."""

    map: str
    item: str
    source: str
    solver_id: str | None
    method: str | None
    axis: str | None
    rung: int | None
    answer: str
    confidence: float | None
    rt_s: float | None
    origin: str
    origin_note: str | None = None

    @property
    def made_by(self) -> Origin:
        """Who made answer and map."""
        return Origin(self.origin, self.origin_note or "")


@dataclass(frozen=True, slots=True)
class MapSet:
    """Maps and their records.

    Attributes
    ----------
    records
        One per answer, in order. An abstention may come without a map.
    maps
        float32 arrays (H, W), row 0 on top, by the record's ``map``.
    """

    records: tuple[MapRecord, ...]
    maps: Mapping[str, NDArray[np.float32]]

    def files(self) -> dict[str, bytes]:
        """Return the map set's two files by name; the tensors' metadata holds the version."""
        tensors = {name: np.ascontiguousarray(self.maps[name]) for name in sorted(self.maps)}
        rows = [asdict(record) for record in self.records]
        version = {"schema": MAPSET_SCHEMA.tag}
        return {MAP_TABLE: MAPS.to_csv(rows), MAP_TENSORS: save(tensors, metadata=version)}


def map_set_from_bytes(table: bytes, tensors: bytes, where: str) -> MapSet:
    """Return a map set from the bytes of its two files.

    Raises
    ------
    UserError
        If it is of a newer version, a row is ill-typed, a map is not float32 H×W, finite and
        at least 16×16, or a map has no row.
    """
    try:
        maps = load(tensors)
    except SafetensorError as error:
        raise UserError(f"{where}: {MAP_TENSORS} can't be read ({error})") from None
    tag = _metadata(tensors).get("schema")

    def upgrade(columns: TextColumns) -> TextColumns:
        document = {"schema": tag, "columns": columns}
        return MAPSET_SCHEMA.upgrade(document, f"{where}: {MAP_TENSORS}")["columns"]

    rows = MAPS.from_csv(table, f"{where}: {MAP_TABLE}", upgrade)
    names = [field.name for field in fields(MapRecord)]
    records = tuple(_record({name: row[name] for name in names}) for row in rows)
    _check(records, maps, where)
    return MapSet(records, maps)


def read_map_set(folder: Path) -> MapSet:
    """Return the map set of a folder; UserError as `map_set_from_bytes`."""
    refuse_odd(folder / MAP_TABLE)
    refuse_odd(folder / MAP_TENSORS)
    try:
        table = (folder / MAP_TABLE).read_bytes()
        tensors = (folder / MAP_TENSORS).read_bytes()
    except OSError as error:
        raise UserError(
            f"{folder}: is not a map set ({error.strerror}: {error.filename})"
        ) from None
    return map_set_from_bytes(table, tensors, str(folder))


def write_map_set(folder: Path, map_set: MapSet) -> None:
    """Write a map set's two files into a folder; only their owner may read them."""
    make_private_folder(folder)
    for name, data in map_set.files().items():
        write_whole(folder / name, data)


def _metadata(tensors: bytes) -> Mapping[str, str]:
    """Return a safetensors file's metadata, which the library's reader for bytes leaves out.

    The format: 8 bytes of length, little-endian, then that much JSON.
    """
    length = int.from_bytes(tensors[:8], "little")
    return json.loads(tensors[8 : 8 + length]).get("__metadata__") or {}


def _record(row: Mapping[str, Any]) -> MapRecord:
    return MapRecord(**row)


def _check(
    records: tuple[MapRecord, ...], maps: Mapping[str, NDArray[np.float32]], where: str
) -> None:
    keys = [record.map for record in records]
    if len(set(keys)) != len(keys):
        raise UserError(f"{where}: {MAP_TABLE} names a map twice")
    orphans = sorted(set(maps) - set(keys))
    if orphans:
        raise UserError(f"{where}: map {orphans[0]!r} has no row in {MAP_TABLE}")
    for name, values in maps.items():
        if values.dtype != np.float32 or values.ndim != 2:
            raise UserError(
                f"{where}: map {name!r} is {values.dtype} {values.shape}, not float32 H×W"
            )
        if not values.size or not np.isfinite(values).all():
            raise UserError(
                f"{where}: map {name!r} is empty or contains numbers that aren't finite"
            )
        if min(values.shape) < SMALLEST_SIDE_PX:
            size = "×".join(map(str, values.shape))
            raise UserError(
                f"{where}: map {name!r} is {size} px, too coarse to show where anything is; "
                f"maps need at least {SMALLEST_SIDE_PX} px a side"
            )
