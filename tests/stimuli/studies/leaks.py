"""Ways in which a pack may tell what it hides, and packs that do."""

from collections import defaultdict
from collections.abc import Callable, Mapping

from stimuli.io.tables import Row, TableSchema
from stimuli.pack import Pack
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import protocol_hash

Files = dict[str, bytes]
Hidden = Mapping[str, float]
"""By presentation: 1 if what is hidden is so, 0 if it isn't, a half if it is neither."""
Leak = Callable[[Files, Hidden], None]


def leaking(pack: Pack, leak: Leak, hidden: Hidden) -> Pack:
    """Return a pack whose files were changed so that they tell what is hidden."""
    files = {path: pack.read_asset(path) for path in pack.manifest.files}
    leak(files, hidden)
    return pack_in_memory(pack.protocol, protocol_hash(pack.protocol), "solutions", files)


def change(files: Files, table: TableSchema, changed: Callable[[list[Row]], list[Row]]) -> None:
    path = f"{table.name}.csv"
    files[path] = table.to_csv(changed(table.from_csv(files[path], path)))


def numbered_ids(*tables: TableSchema) -> Leak:
    """Ids of what is so begin with a zero."""

    def renamed(name: str, hidden: Hidden) -> str:
        return f"p0{name[2:]}" if hidden[name] == 1 else name

    def leak(files: Files, hidden: Hidden) -> None:
        for table in tables:
            change(files, table, lambda rows: [
                {**row, "presentation": renamed(row["presentation"], hidden)} for row in rows
            ])  # fmt: skip

    return leak


def grouped_lines(items: TableSchema) -> Leak:
    """What is so stands at the end of items.csv."""

    def leak(files: Files, hidden: Hidden) -> None:
        change(files, items, lambda rows: sorted(rows, key=lambda r: hidden[r["presentation"]]))

    return leak


def last_in_lists(lists: TableSchema, *parts: str) -> Leak:
    """What is so comes last in each part of a list, such as a run."""

    def moved(rows: list[Row], hidden: Hidden) -> list[Row]:
        by_part = defaultdict(list)
        for row in rows:
            by_part[tuple(str(row[name]) for name in ("list", *parts))].append(row)
        return [
            {**row, "position": place}
            for part in sorted(by_part)
            for place, row in zip(
                sorted(row["position"] for row in by_part[part]),
                sorted(by_part[part], key=lambda row: hidden[row["presentation"]]),
                strict=True,
            )
        ]

    return lambda files, hidden: change(files, lists, lambda rows: moved(rows, hidden))


def only_so(table: TableSchema) -> Leak:
    """A table has rows of what is so alone."""

    def leak(files: Files, hidden: Hidden) -> None:
        change(files, table, lambda rows: [r for r in rows if hidden[r["presentation"]] == 1])

    return leak


def longer_images(items: TableSchema) -> Leak:
    """Images of what is so once more, in files of sixteen bytes more, under names of their own."""

    def leak(files: Files, hidden: Hidden) -> None:
        def renamed(row: Row) -> Row:
            if hidden[row["presentation"]] != 1:
                return row
            old = row["image_file"]
            file = f"{old.rpartition('/')[0]}/{row['presentation'][1:]}.png"
            files[file] = files[old] + bytes(16)
            return {**row, "image_file": file}

        change(files, items, lambda rows: list(map(renamed, rows)))

    return leak


def named_files(items: TableSchema, column: str) -> Leak:
    """Files of what is so once more, under names that begin alike."""

    def leak(files: Files, hidden: Hidden) -> None:
        def renamed(row: Row) -> Row:
            if hidden[row["presentation"]] != 1 or row[column] is None:
                return row
            folder, _, name = row[column].rpartition("/")
            files[f"{folder}/00{name[2:]}"] = files[row[column]]
            return {**row, column: f"{folder}/00{name[2:]}"}

        change(files, items, lambda rows: list(map(renamed, rows)))

    return leak
