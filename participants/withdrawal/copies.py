"""One person's withdrawal in backups: in each that can be reached, and noted for the others.

A backup isn't written over, but for this. What names the person is written out of it by the same
steps as in the lab itself; then the backup's list is replaced, and what no list refers to any more
is deleted. Tables aren't kept: `participants tables` makes them again from the journals.
"""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Final

from participants.backup.make import DATA, LAB, WORK
from participants.backup.record import Place, Record
from participants.backup.store import REGISTRY_COPY, Backup, BackupStore, Entry
from participants.clock import utc_text
from participants.files import private_lock
from participants.folder import DataFolder, LabFolder
from participants.lab_settings import SQLITE
from participants.registry import Registry
from participants.registry.database import compact
from participants.registry.records import bury, forget, records_of
from participants.replaced_codes import new_word
from participants.tombstones import add_tombstones
from participants.withdrawal.holdings import Holdings, holdings_of, mentioning, remove
from stimuli.errors import UserError
from stimuli.io.files import make_private_folder, write_private
from stimuli.io.inside import inside
from stimuli.pack.folder import MANIFEST

TOMBSTONES: Final = f"{DATA}/{DataFolder(Path()).tombstones.name}"


@dataclass(frozen=True, slots=True)
class Removed:
    """The result of removing people from the backups of one place.

    Attributes
    ----------
    backups
        How many of its backups named them and no longer do.
    left
        Files that still name them, such as packs with their paintings: backup and path.
    failed
        Why they couldn't be removed; empty if they were.
    reached
        Whether the place is there at all.
    """

    backups: int = 0
    left: tuple[str, ...] = ()
    failed: str = ""
    reached: bool = True

    def sentence(self, place: Path) -> str:
        """Return the result in one line."""
        if not self.reached:
            return (
                f"Still in the backups in {place}, which can't be reached; when it is there "
                f"again, type: python3 lab.py backup --to {place}"
            )
        if self.failed:
            return f"Not removed from the backups in {place}: {self.failed}"
        left = f"; look at {', '.join(self.left)}: it names the code" if self.left else ""
        number = f"{self.backups} {'backup' if self.backups == 1 else 'backups'}"
        return f"Removed from {number} in {place}{left}"


def note_withdrawal(lab: LabFolder, code: str, when: str, *, built: bool) -> None:
    """Note that a person is to be removed from all backups that were ever made.

    Parameters
    ----------
    lab
        The lab folder.
    code, when
        Who, and when they withdrew.
    built
        Whether sealed packs with the person's paintings are removed too.
    """
    with private_lock(lab.root / ".backup.lock"):
        record = Record.of(lab)
        for name, place in record.places.items():
            if place.made_utc is not None:
                packs = [*place.with_packs, *([code] if built else [])]
                to_remove = {**place.to_remove, code: when}
                more = replace(place, to_remove=to_remove, with_packs=packs)
                record = record.noting(Path(name), more)
        if record.places:
            record.write(lab)


def carry_out(lab: LabFolder, now: datetime) -> Mapping[Path, Removed]:
    """Remove all noted people from the backups of all places that can be reached.

    An interrupted run continues when it is repeated.

    Parameters
    ----------
    lab
        The lab folder.
    now
        The time of day.

    Returns
    -------
    mapping
        The results by place; only places where somebody is noted.
    """
    done: dict[Path, Removed] = {}
    with private_lock(lab.root / ".backup.lock"):
        for name, place in Record.of(lab).places.items():
            if place.to_remove:
                done[Path(name)] = _in_place(lab, Path(name), place, now)
    return done


def _in_place(lab: LabFolder, root: Path, place: Place, now: datetime) -> Removed:
    try:
        store = BackupStore.open(root, Record.of(lab).lab)
    except UserError as error:
        return Removed(failed=str(error), reached=False)
    total = Removed()
    for code, when in place.to_remove.items():
        built = code in place.with_packs
        try:
            removed = _Removal(lab, store, code, when, now, built).carry_out()
        except (OSError, UserError) as error:
            return replace(total, failed=str(error))
        total = Removed(total.backups + removed.backups, total.left + removed.left, removed.failed)
        if total.failed:
            return total
        record = Record.of(lab)
        left = record.place(root)
        others = {person: date for person, date in left.to_remove.items() if person != code}
        packs = [pack for pack in left.with_packs if pack != code]
        record.noting(root, replace(left, to_remove=others, with_packs=packs)).write(lab)
    return total


@dataclass(frozen=True, slots=True)
class _Removal:
    """One person, to be removed from the backups of one store."""

    lab: LabFolder
    store: BackupStore
    code: str
    when: str
    now: datetime
    built: bool
    word: str = field(default_factory=new_word)
    registries: dict[str, Entry] = field(default_factory=dict)

    def carry_out(self) -> Removed:
        """Remove the person from all backups of the store."""
        backups, damaged = self.store.backups()
        named = {path.name for path in mentioning([self.store.objects], self.code)}
        changed, left = 0, list[str]()
        for backup in backups:
            touched = [
                path
                for path, entry in backup.files.items()
                if entry.sha256 in named or self.code in path
            ]
            if touched:
                cleaned, others = self._cleaned(backup, touched)
                self.store.write(cleaned)
                changed += cleaned.files != backup.files
                left += [f"{backup.id}: {path}" for path in others]
        self.store.sweep()
        failed = next(iter(damaged.values()), "")
        return Removed(changed, tuple(left), failed)

    def _cleaned(self, backup: Backup, touched: list[str]) -> tuple[Backup, list[str]]:
        """Return a backup without the person, and the paths that still name them."""
        files = dict(backup.files)
        if REGISTRY_COPY in touched:
            files[REGISTRY_COPY] = self._registry_without(files[REGISTRY_COPY])
        touched = [path for path in touched if path != REGISTRY_COPY and path in files]
        with _work_folder(self.lab) as work:
            put = {path: files[path] for path in _needed(files, [*touched, TOMBSTONES])}
            for path, entry in put.items():
                write_private(inside(work, path), self.store.read(entry))
            holdings, left = self._remove_in(work)
            removed = {path for path in put if not (work / path).exists()}
            for folder in (*holdings.sessions, *(holdings.packs if self.built else ())):
                below = f"{folder.relative_to(work).as_posix()}/"
                removed |= {path for path in files if path.startswith(below)}
            if holdings.tables:
                removed |= {path for path in files if path.startswith(f"{DATA}/tables/")}
            for path in removed:
                files.pop(path, None)
            files |= self._changed(work, put, removed)
        return replace(backup, files=files), [path for path in left if path not in removed]

    def _remove_in(self, work: Path) -> tuple[Holdings, list[str]]:
        """Remove the person from a part of a lab; return what was found, and what is left."""
        paths = {"data": str(work / DATA), "registry": f"{SQLITE}{(work / 'none').as_posix()}"}
        lab = LabFolder(work / LAB, self.lab.settings.model_copy(update=paths))
        holdings = holdings_of(lab, (), self.code)
        if holdings.copies:
            # Without the tombstone, the word in the code's place would count as a change.
            add_tombstones(lab.data, {self.code: self.when})
        failed = remove(holdings, self.code, built=self.built, word=self.word)
        for path, reason in failed.items():
            raise UserError(f"{path.relative_to(work).as_posix()} of a backup: {reason}")
        left = [*holdings.others, *(() if self.built else holdings.packs)]
        return holdings, [path.relative_to(work).as_posix() for path in left]

    def _changed(
        self, work: Path, put: Mapping[str, Entry], removed: set[str]
    ) -> Iterator[tuple[str, Entry]]:
        for path in sorted(work.rglob("*")):
            name = path.relative_to(work).as_posix()
            if not path.is_file() or path.suffix == ".lock" or name in removed:
                continue
            entry = self.store.keep(path.read_bytes())
            if name not in put or entry.sha256 != put[name].sha256:
                yield name, entry

    def _registry_without(self, entry: Entry) -> Entry:
        """Return the entry of a registry's copy in which only the tombstone is left."""
        known = self.registries.get(entry.sha256)
        if known is None:
            with _work_folder(self.lab) as work:
                file = work / REGISTRY_COPY
                write_private(file, self.store.read(entry))
                known = entry
                if self._forgotten(f"{SQLITE}{file.as_posix()}"):
                    known = self.store.keep(file.read_bytes())
            self.registries[entry.sha256] = known
        return known

    def _forgotten(self, url: str) -> bool:
        """Remove the person from a registry; return whether anything but a tombstone was there."""
        stamp = utc_text(self.now)
        with closing(Registry.open(url)) as registry:
            if not registry.transact(lambda connection: records_of(connection, self.code)):
                return False
            bury(registry, {self.code: self.when})
            registry.transact(lambda connection: forget(connection, self.code, stamp))
        compact(url)
        return True


def _needed(files: Mapping[str, Entry], touched: list[str]) -> Iterator[str]:
    """Yield the files beside some files, and the manifests above them, which tell their packs."""
    above = {str(folder) for path in touched for folder in PurePosixPath(path).parents}
    inside = {str(PurePosixPath(path).parent) for path in touched}
    for path in files:
        folder, name = str(PurePosixPath(path).parent), PurePosixPath(path).name
        if folder in inside or (folder in above and name == MANIFEST):
            yield path


@contextmanager
def _work_folder(lab: LabFolder) -> Iterator[Path]:
    """Yield an empty private folder in the lab folder; a killed process's leftovers are deleted."""
    work = lab.root / WORK
    shutil.rmtree(work, ignore_errors=True)
    make_private_folder(work)
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)
