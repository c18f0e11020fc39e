"""What one list of a pack shows, in order."""

from collections.abc import Collection

from stimuli.errors import UserError
from stimuli.pack import Pack
from stimuli.tables import Row, TableSchema


def rows_of_list(pack: Pack, schema: TableSchema, list_id: str, part: str) -> list[Row]:
    """Return a list's rows of ``lists.csv``, in the order in which they are shown.

    Parameters
    ----------
    pack, schema
        The pack, and the schema of its lists.
    list_id
        Which list.
    part
        The column that says of which part of the session a row is, e.g. ``run``.

    Raises
    ------
    UserError
        If the pack has no such list.
    """
    rows = pack.table(schema)
    own = [row for row in rows if row["list"] == list_id]
    if not own:
        known = ", ".join(sorted({str(row["list"]) for row in rows}))
        raise UserError(f"pack {pack.pack_id}: has no list {list_id!r}; it has {known}")
    return sorted(own, key=lambda row: (row[part], row["position"]))


def require_shown(pack: Pack, wanted: Collection[str], there: Collection[str]) -> None:
    """Raise UserError if a list shows a presentation that ``items.csv`` doesn't have."""
    missing = sorted(set(wanted) - set(there))
    if missing:
        raise UserError(f"pack {pack.pack_id}: lists.csv shows {missing[0]!r}, items.csv has none")
