"""One person's withdrawal: what is there, its removal, and the packs to build again."""

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection

from participants.clock import utc_text
from participants.folder import DataFolder, LabFolder
from participants.registry import Registry
from participants.registry.database import compact
from participants.registry.records import (
    Export,
    Rows,
    bury,
    exports_of,
    forget,
    records_of,
    tombstones,
)
from participants.registry.sessions import RUNNING
from participants.tombstones import add_tombstones, read_tombstones
from participants.withdrawal.copies import Removed, carry_out, note_withdrawal
from participants.withdrawal.holdings import (
    Holdings,
    holdings_of,
    remove,
    require_idle,
    studies_with_tables,
    tables_anew,
)
from stimuli.errors import UserError
from stimuli.io.files import left_overs_of
from stimuli.maps.map_set import MAP_TABLE
from stimuli.pack import Pack
from stimuli.pack.folder import MANIFEST, PROVENANCE, read_manifest

UNKNOWN: Final = "STUDY"


@dataclass(frozen=True, slots=True)
class PersonData:
    """All data about a person.

    Attributes
    ----------
    code
        Who.
    withdrawn_utc
        The tombstone's date; None without a tombstone.
    rows
        The registry's rows by table.
    exports
        Exports with the person's data.
    holdings
        The data in folders.
    """

    code: str
    withdrawn_utc: str | None
    rows: Rows
    exports: tuple[Export, ...]
    holdings: Holdings

    @property
    def cut_off(self) -> tuple[Path, ...]:
        """What killed exports with the person's data left on this PC."""
        places = dict.fromkeys(Path(export.place) for export in self.exports)
        return tuple(path for place in places for path in left_overs_of(place))

    @property
    def elsewhere(self) -> Mapping[str, int]:
        """Number of the registry's sessions that lie in none of the searched folders, by rig."""
        here = {folder.name for folder in self.holdings.sessions}
        rigs = [row["rig"] for row in self.rows.get("sessions", ()) if row["session"] not in here]
        return {rig: rigs.count(rig) for rig in sorted(set(rigs))}


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """The result of a withdrawal.

    Attributes
    ----------
    withdrawn_utc
        The tombstone's date.
    left
        What the folders still hold.
    build_anew
        For each pack that holds or held the person's paintings, the command that builds it again,
        by the pack's folder.
    failed
        Why something couldn't be removed or written again, by path or study.
    copies
        The result in the lab's backups, by place.
    """

    withdrawn_utc: str
    left: Holdings
    build_anew: Mapping[str, str]
    failed: Mapping[str, str]
    copies: Mapping[Path, Removed]


def known_of(
    lab: LabFolder, registry: Registry, data: Sequence[DataFolder], code: str
) -> PersonData:
    """Return all data about a person.

    Parameters
    ----------
    lab, registry
        The lab.
    data
        Further data folders to search.
    code
        The person's code as stored.

    Raises
    ------
    UserError
        If nothing was ever known of the code, or one of the person's sessions is running.
    """

    def work(connection: Connection) -> tuple[dict[str, str], Rows, tuple[Export, ...]]:
        return tombstones(connection), records_of(connection, code), exports_of(connection, code)

    dates, rows, exports = registry.transact(work)
    for folder in data:
        dates |= read_tombstones(folder)
    holdings = holdings_of(lab, data, code)
    if not rows and not holdings and code not in dates:
        raise UserError(
            f"code {code}: is neither in this registry nor in the folders that were searched; "
            "name the data folder with --data"
        )
    require_idle(holdings)
    _require_ended(rows, holdings, utc_text(registry.now()))
    return PersonData(code, dates.get(code), rows, exports, holdings)


def withdraw(
    lab: LabFolder,
    registry: Registry,
    data: Sequence[DataFolder],
    person: PersonData,
    *,
    delete_built: bool,
) -> Withdrawn:
    """Remove a person, and leave the tombstone.

    The tombstone comes first. If the rest is interrupted, no table or map set uses the person's
    data any more, and the same command finishes.

    Parameters
    ----------
    lab, registry, data
        As for `known_of`.
    person
        What there is.
    delete_built
        Whether to delete sealed packs with the person's paintings.

    Raises
    ------
    UserError
        If the registry can't be reached or a tombstone can't be written.
    """
    code, folders = person.code, tuple(dict.fromkeys((lab.data, *data)))
    built = {str(pack): origin_of(lab, pack) for pack in person.holdings.packs}
    buried = bury(registry, {code: person.withdrawn_utc})
    for folder in folders:
        add_tombstones(folder, buried)
    note_withdrawal(lab, code, buried[code], built=delete_built)
    studies = {folder: studies_with_tables(folder) for folder in folders}
    failed: dict[str, str] = {}
    removed = remove(person.holdings, code, built=delete_built)
    for path in person.cut_off:
        shutil.rmtree(path, ignore_errors=True)
        if path.exists():
            failed[str(path)] = "can't be deleted; delete it by hand"
    failed |= {str(path): reason for path, reason in removed.items()}
    for folder in folders:
        again = tables_anew(folder, studies[folder])
        failed |= {f"tables of {study}": reason for study, reason in again.items()}
    now = utc_text(registry.now())
    registry.transact(lambda connection: forget(connection, code, now))
    compact(lab.registry_url)
    anew = {pack: origin.command(person.holdings.map_sets) for pack, origin in built.items()}
    copies = carry_out(lab, registry.now())
    failed |= {
        f"backups in {place}": copy.failed
        for place, copy in copies.items()
        if copy.reached and copy.failed
    }
    return Withdrawn(buried[code], holdings_of(lab, data, code), anew, failed, copies)


def _require_ended(rows: Rows, holdings: Holdings, now: str) -> None:
    """Refuse while a session runs on another PC; `require_idle` checks sessions in our folders."""
    here = {folder.name for folder in holdings.sessions}
    for row in rows.get("sessions", ()):
        if row["session"] not in here and row["state"] == RUNNING and _leased(row, now):
            raise UserError(
                f"code {row['code']}: is in a session on rig {row['rig']} at this moment; end it "
                "first, then withdraw"
            )


def _leased(row: Mapping[str, Any], now: str) -> bool:
    return (row["lease_until_utc"] or "") > now


@dataclass(frozen=True, slots=True)
class Origin:
    """What a pack was built from: its study, and its task pack's folder (None without one)."""

    study: str
    tasks: str | None = None

    def command(self, map_sets: Sequence[Path]) -> str:
        """Return the command that builds the pack again, as far as the pack tells it.

        Parameters
        ----------
        map_sets
            Map sets that the person was left out of; those that are gone aren't named.
        """
        words = [f"python3 lab.py build {self.study}"]
        words += [] if self.tasks is None else [f"--tasks {self.tasks}"]
        there = [str(folder) for folder in map_sets if (folder / MAP_TABLE).is_file()]
        words += [f"--human-maps {folder}" for folder in there or ["DIR"]]
        return " ".join([*words, "--out NEW"])


def origin_of(lab: LabFolder, pack: Path) -> Origin:
    """Return what a pack was built from.

    Parameters
    ----------
    lab
        The lab folder, in which its task pack may lie.
    pack
        The pack; nothing is known of a damaged one.
    """
    try:
        manifest = read_manifest(pack)
        study = Pack(manifest, lambda name: b"").protocol.catalogue_name
    except UserError:
        return Origin(UNKNOWN)
    return Origin(study, _task_pack(lab, pack))


def _task_pack(lab: LabFolder, pack: Path) -> str | None:
    """Return the folder of a pack's task pack, ``TASKS`` if it isn't in the lab, or None."""
    try:
        wanted = json.loads((pack / PROVENANCE).read_text(encoding="utf-8")).get("tasks")
    except (OSError, ValueError, AttributeError):
        return None
    if wanted is None:
        return None
    for path in sorted(lab.packs.glob(f"*/{MANIFEST}")):
        try:
            if read_manifest(path.parent).pack_id == wanted:
                return str(path.parent)
        except UserError:
            continue
    return "TASKS"
