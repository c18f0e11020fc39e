"""What any study asks of a pack before it plans a session from it."""

from collections.abc import Collection

from stimuli.errors import UserError
from stimuli.io.tables import Row, TableSchema
from stimuli.pack import Pack
from stimuli.pack.model import PackKind
from stimuli.protocol import Protocol


def require_pack(pack: Pack, study: str, kind: PackKind, whose: str) -> None:
    """Raise UserError if a pack isn't one of a study and kind, naming whose session needs it."""
    manifest = pack.manifest
    if (manifest.study, manifest.kind) != (study, kind):
        raise UserError(
            f"pack {pack.pack_id}: is a pack of {manifest.kind} of {manifest.study}; "
            f"{whose} session needs {kind} of {study}"
        )


def require_language(protocol: Protocol, language: str) -> None:
    """Raise UserError if a protocol doesn't offer a language."""
    if language not in protocol.languages:
        raise UserError(f"language {language!r}: the protocol has {', '.join(protocol.languages)}")


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
