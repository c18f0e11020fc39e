"""Which list shows which version of which item, in which order."""

from collections import defaultdict
from collections.abc import Sequence

from stimuli.errors import UserError
from stimuli.io.canonical import keyed_order
from stimuli.io.tables import Row
from stimuli.table_study.protocol import TableStudy

Versions = dict[str, list[Row]]
"""The rows of each item that one person may see, by the item."""


def list_rows(protocol: TableStudy, items: Sequence[Row], where: str) -> list[Row]:
    """Return the rows of ``lists.csv``.

    Practice comes first, in the table's order; main and catch items follow in the order that the
    protocol asks for. A list has the items of all arms: each person is shown those of their own.
    So in all arms a list has the same order.

    Parameters
    ----------
    protocol
        The rules.
    items
        Rows of ``items.csv``.
    where
        The table, for messages.

    Raises
    ------
    UserError
        If versions can't be dealt to as many lists evenly.
    """
    rules, rows = protocol.session, []
    count = _versions_of(protocol, items, where)
    if rules.versions == "one" and rules.lists % count:
        raise UserError(
            f"{where}: items have {count} versions; session.lists of study.toml must be a multiple "
            f"of {count}, not {rules.lists}"
        )
    turns = len(protocol.factors[rules.blocks].levels) if rules.blocks else 1
    if rules.lists % (count * turns) and turns > 1:
        raise UserError(
            f"{where}: with blocks in {turns} orders and {count} versions of an item, "
            f"session.lists of study.toml must be a multiple of {count * turns}, not {rules.lists}"
        )
    for number in range(1, rules.lists + 1):
        dealt = _dealt(protocol, items, number)
        practice = [row for row in dealt if row["phase"] == "practice"]
        later = [row for row in dealt if row["phase"] != "practice"]
        ordered = [*practice, *_ordered(protocol, later, number, (number - 1) // count)]
        rows += [
            {"list": f"list{number}", "position": place, "presentation": row["presentation"]}
            for place, row in enumerate(ordered, start=1)
        ]
    return rows


def _by_item(protocol: TableStudy, items: Sequence[Row]) -> dict[tuple[str, ...], list[Row]]:
    """Return the versions that differ within people, by item and levels between people."""
    between = protocol.of("between")
    versions: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in items:
        versions[str(row["item"]), *(str(row[name] or "") for name in between)].append(row)
    return versions


def _versions_of(protocol: TableStudy, items: Sequence[Row], where: str) -> int:
    """Return how many versions each item has within people; 1 if only some levels differ."""
    counts = {key[0]: len(rows) for key, rows in _by_item(protocol, items).items()
              if rows[0]["phase"] == "main"}  # fmt: skip
    several = {item: count for item, count in counts.items() if count > 1}
    if several and protocol.session.versions == "one" and len(set(counts.values())) > 1:
        most = max(several.values())
        item = next(item for item, count in counts.items() if count != most)
        raise UserError(
            f"{where}: {item} has {counts[item]} of {most} versions; write a line "
            'for each, or session.versions = "all"'
        )
    return 1 if protocol.session.versions == "all" else max(counts.values())


def _dealt(protocol: TableStudy, items: Sequence[Row], number: int) -> list[Row]:
    """Return the versions that a list shows: in a Latin square, each list shows the next one."""
    dealt: list[Row] = []
    place = {item: n for n, item in enumerate(dict.fromkeys(str(row["item"]) for row in items))}
    for key, rows in _by_item(protocol, items).items():
        if protocol.session.versions == "all":
            dealt += rows
        else:
            dealt.append(rows[(place[key[0]] + number - 1) % len(rows)])
    return dealt


def _ordered(protocol: TableStudy, rows: Sequence[Row], number: int, turn: int) -> list[Row]:
    """Return rows in a list's order; versions of an item in other arms have the same place."""
    rules = protocol.session
    keys = list(dict.fromkeys(_place_of(protocol, row) for row in rows))
    if rules.order == "shuffled":
        keys = keyed_order(keys, "list", protocol.seed, number)
    place = {key: nth for nth, key in enumerate(keys)}
    ordered = sorted(rows, key=lambda row: place[_place_of(protocol, row)])
    if not rules.blocks:
        return ordered
    levels = protocol.factors[rules.blocks].levels
    turn %= len(levels)
    blocks = {level: nth for nth, level in enumerate((*levels[turn:], *levels[:turn]))}
    # A catch item without a level keeps the last block company.
    return sorted(ordered, key=lambda row: blocks.get(str(row[rules.blocks]), len(blocks)))


def _place_of(protocol: TableStudy, row: Row) -> str:
    """Return the name by which a row is put in order: the same in every arm."""
    if protocol.session.versions == "one":
        return str(row["item"])
    return str(row["presentation"])
