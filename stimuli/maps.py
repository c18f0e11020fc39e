"""Map sets: relevance maps with what is known of each, one type for S, E and imports."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from stimuli.errors import UserError
from stimuli.tables import Column, TableSchema, levels

MAP_TENSORS = "maps.safetensors"
MAP_TABLE = "maps.csv"

MAPS = TableSchema(
    "maps",
    "One row a map of a map set.",
    (
        Column("map", "text", "Key of the map in maps.safetensors."),
        Column("item", "text", "The item that was solved."),
        Column(
            "source",
            "text",
            "Where the map comes from.",
            levels=levels(
                model="a network's explanation", expert="painted by an expert", imported="a file"
            ),
        ),
        Column("solver_id", "text", "Which network or which expert.", optional=True),
        Column("method", "text", "Explanation method; painting for experts.", optional=True),
        Column("axis", "text", "Confusion axis of the plate that was solved.", optional=True),
        Column("rung", "integer", "Rung of the plate that was solved.", optional=True),
        Column("answer", "text", "The solver's answer; no_solution when it abstained."),
        Column("confidence", "real", "Probability that the solver gave its answer.", optional=True),
        Column("rt_s", "real", "Time to the answer.", unit="s", optional=True),
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
        """Return the map set's two files by name."""
        tensors = {name: np.ascontiguousarray(self.maps[name]) for name in sorted(self.maps)}
        rows = [asdict(record) for record in self.records]
        return {MAP_TABLE: MAPS.to_csv(rows), MAP_TENSORS: save(tensors)}


def map_set_from_bytes(table: bytes, tensors: bytes, where: str) -> MapSet:
    """Return a map set from the bytes of its two files.

    Raises
    ------
    UserError
        If a row is ill-typed, a map is not float32 H×W and finite, or a map has no row.
    """
    rows = MAPS.from_csv(table, f"{where}: {MAP_TABLE}")
    names = [field.name for field in fields(MapRecord)]
    records = tuple(_record({name: row[name] for name in names}) for row in rows)
    try:
        maps = load(tensors)
    except SafetensorError as error:
        raise UserError(f"{where}: {MAP_TENSORS} can't be read ({error})") from None
    _check(records, maps, where)
    return MapSet(records, maps)


def read_map_set(folder: Path) -> MapSet:
    """Return the map set of a folder; UserError as `map_set_from_bytes`."""
    try:
        table = (folder / MAP_TABLE).read_bytes()
        tensors = (folder / MAP_TENSORS).read_bytes()
    except OSError as error:
        raise UserError(
            f"{folder}: is not a map set ({error.strerror}: {error.filename})"
        ) from None
    return map_set_from_bytes(table, tensors, str(folder))


def write_map_set(folder: Path, map_set: MapSet) -> None:
    """Write a map set's two files into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in map_set.files().items():
        (folder / name).write_bytes(data)


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
            raise UserError(f"{where}: map {name!r} is empty or holds numbers that aren't finite")
