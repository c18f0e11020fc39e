"""Where records are kept: folder, disk, registry; and the pack and typeface that are shown."""

import ctypes
import shutil
import sys
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import psutil

from experiments.rig.checks.finding import Check, Finding
from participants.backup.record import CLOCKS_DIFFER, Record
from participants.dataset.custody import Roll
from participants.dataset.journals import suspect_in
from participants.folder import LabFolder
from participants.lab_settings import SQLITE, left_blank
from participants.registry import Registry
from participants.texts import RIG, all_that_is_read, languages, studies
from stimuli.catalogue import LAB_FILE
from stimuli.errors import UserError
from stimuli.languages import language_name
from stimuli.pack import Pack
from stimuli.pack.folder import damage_of, read_manifest
from stimuli.study import foreign_text, simulated_people, unshowable
from stimuli.typeface import FAMILY, font_file, missing_signs, unset_script

MIB, GIB = 1024**2, 1024**3
LEAST_DISK_BYTES, SCANT_DISK_BYTES = 200 * MIB, 2 * GIB
SHARES: Final = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "afpfs", "webdav", "davfs", "davfs2", "fuse.sshfs"}
)
DRIVE_REMOTE: Final = 4
MOST_SIGNS: Final = 8
OLDEST_BACKUP: Final = timedelta(days=7)

LAB_FOLDER = Check("lab folder", "data can be written", fails="they can't", every_session=True)
DISK = Check(
    "disk",
    "free space on the data's disk",
    warns="less than 2 GiB",
    fails="less than 200 MiB",
    every_session=True,
)
LOCAL_DISK = Check(
    "local disk",
    "data and the registry's file are on a disk of this PC",
    warns="the data are on a network share",
    fails="the registry's file is: two PCs can destroy it",
    every_session=True,
)
REGISTRY = Check("registry", "the registry answers", fails="it doesn't", every_session=True)
JOURNALS = Check(
    "journals",
    "all sessions that the registry and the tables know of are here, as they were recorded",
    warns="the registry doesn't know one; somebody who withdrew still has one here",
    fails="one is missing, or was cut or changed; so was a pack's copy or a tombstone",
)
BACKUP = Check(
    "backup",
    "the age of the last backup in a second place (`backup` in `lab.toml`)",
    warns="it is over 7 days old, is dated in the future, or there is none; the last attempt "
    "failed; somebody who withdrew is still in a backup",
)
FONTS = Check(
    "fonts",
    "the typeface is there, with all signs of every text that may be shown",
    warns="it lacks signs of a language or of the lab's name, or a text can't be read",
    fails="it is missing",
    every_session=True,
)
CONSENT = Check(
    "consent",
    "`lab.toml` fills the blanks of the consent: institution, contact and `[consent.LANGUAGE]`",
    warns="one of them is empty, for any purpose but main",
    fails="one of them is empty, for purpose main; no reason overrides this",
    every_session=True,
)
LANGUAGE = Check(
    "language",
    "what a pack's stimuli say is in the language of the session",
    warns="it is in another one",
    every_session=True,
)
SIGNS = Check(
    "signs",
    "the typeface has all signs that a pack's stimuli show (`--pack`; before a session always)",
    fails="it lacks one: people would read an empty box",
    every_session=True,
)
PACK = Check("pack", "the pack's seal (`--pack`; before a session always)", fails="it is broken")

PEOPLE = Check(
    "people",
    "people made what the pack shows as people's (`--pack`; before a session always)",
    warns="robots made it, for any purpose but main",
    fails="robots made it, before a session of purpose main",
    every_session=True,
)


def lab_folder(lab: LabFolder) -> Finding:
    """Check that the data can be written."""
    probe = lab.data.root / ".doctor"
    try:
        lab.data.make()
        probe.write_bytes(b"x")
        probe.unlink()
    except (OSError, UserError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        return LAB_FOLDER.failed("unwritable", why=str(why), folder=str(lab.data.root))
    return LAB_FOLDER.passed("writable")


def disk(folder: Path, free_bytes: int | None = None) -> Finding:
    """Check that there is enough space for the data.

    Parameters
    ----------
    folder
        The data's folder.
    free_bytes
        Free space there; the system's value by default.
    """
    try:
        free = shutil.disk_usage(_existing(folder)).free if free_bytes is None else free_bytes
    except OSError as error:
        return DISK.failed("gone", "do_gone", folder=str(folder), why=str(error.strerror))
    values = {"free": f"{free / GIB:.1f}", "folder": str(folder)}
    if free < LEAST_DISK_BYTES:
        return DISK.failed("free", **values)
    if free < SCANT_DISK_BYTES:
        return DISK.warned("free", "do_soon", **values)
    return DISK.passed("free", **values)


def local_disk(lab: LabFolder, mounts: Sequence[tuple[str, str]] | None = None) -> Finding:
    """Check that files which must be on a local disk aren't on a network share.

    Parameters
    ----------
    lab
        The lab folder.
    mounts
        Mount points with their kind of file system; the system's by default.
    """
    url = lab.registry_url
    if url.startswith(SQLITE):
        registry = Path(url.removeprefix(SQLITE))
        if kind := share_of(registry, mounts):
            return LOCAL_DISK.failed("registry", "do_registry", share=kind)
    if kind := share_of(lab.data.root, mounts):
        return LOCAL_DISK.warned("data", "do_data", share=kind)
    return LOCAL_DISK.passed("local")


def share_of(path: Path, mounts: Sequence[tuple[str, str]] | None = None) -> str:
    """Return the kind of network share that holds a path; empty for a disk of this PC."""
    if sys.platform == "win32" and mounts is None:
        remote = path.drive.startswith("\\\\") or _drive_type(path.anchor) == DRIVE_REMOTE
        return "network drive" if remote else ""
    if mounts is None:
        mounts = [(part.mountpoint, part.fstype) for part in psutil.disk_partitions(all=True)]
    real = _existing(path).resolve()
    holding = [(point, kind) for point, kind in mounts if real.is_relative_to(point)]
    kind = max(holding, key=lambda mount: len(mount[0]), default=("", ""))[1]
    return kind if kind in SHARES else ""


def registry(lab: LabFolder) -> Finding:
    """Check that the registry answers."""
    try:
        with closing(Registry.of(lab)) as people:
            codes = len(people.list())
    except UserError as error:
        return REGISTRY.failed("refused", why=str(error))
    return REGISTRY.passed("codes", number=str(codes))


def journals(lab: LabFolder) -> Finding:
    """Check that the sessions that should be on this PC are here, as they were recorded."""
    try:
        roll = Roll.of(lab.data, lab.root)
        suspect = suspect_in(roll)
    except UserError as error:
        suspect = (str(error),)
    # What was found is recorded in the next session's journal, which must name nobody else.
    if suspect:
        return JOURNALS.failed("suspect", number=str(len(suspect)), why=" | ".join(suspect))
    if notes := roll.notes():
        return JOURNALS.warned("unconfirmed", "notes", notes=" | ".join(notes))
    return JOURNALS.passed("here", number=str(sum(1 for _ in roll.sessions())))


def backup(lab: LabFolder, now: datetime | None = None) -> Finding:
    """Check that the lab was backed up to a second place recently.

    Parameters
    ----------
    lab
        The lab folder.
    now
        The current time; the system's by default.
    """
    try:
        record = Record.of(lab)
    except UserError as error:
        return BACKUP.warned("refused", "do_refused", why=str(error))
    age = record.age(now or datetime.now(UTC))
    failed = next((entry for entry in record.places.items() if entry[1].reason), None)
    left = next((name for name, place in record.places.items() if place.to_remove), None)
    if failed is not None:
        return BACKUP.warned("failed", place=failed[0], why=failed[1].reason)
    if age is None:
        return BACKUP.warned("none", "do_none")
    if age < -CLOCKS_DIFFER:
        return BACKUP.warned("future", "do_future")
    if age > OLDEST_BACKUP:
        return BACKUP.warned("days", number=str(age.days))
    if left is not None:
        return BACKUP.warned("left", "do_left", place=left)
    return BACKUP.passed("hours", number=f"{age / timedelta(hours=1):.0f}")


def fonts(lab: LabFolder, others: Sequence[bytes] = ()) -> Finding:
    """Check that the typeface, or a pack's own fonts, can show all texts, questions and words."""
    try:
        font_file("regular"), font_file("bold")
    except UserError as error:
        return FONTS.failed("refused", why=str(error))
    try:
        texts = [
            (language, all_that_is_read(study, language, lab.texts))
            for study in (*studies(), RIG)
            for language in languages(study, lab.texts)
        ]
    except UserError as error:
        return FONTS.warned("refused", "do_text", why=str(error))
    settings = lab.settings
    blanks = (text for blank in settings.consent.values() for _, text in blank)
    read: dict[str, str] = {"lab.toml": "".join([settings.institution, settings.contact, *blanks])}
    for language, text in texts:
        read[language] = read.get(language, "") + text
    lacking = {where: missing_signs(text, others) for where, text in read.items()}
    if any(lacking.values()):
        pairs = sorted(lacking.items())
        signs_by_file = ", ".join(
            f"{where} ({signs[:MOST_SIGNS]})" for where, signs in pairs if signs
        )
        return FONTS.warned("lacking", "do_lacking", family=FAMILY, signs=signs_by_file)
    for where, text in sorted(read.items()):
        if why := unset_script(text):
            return FONTS.warned("unset", "do_unset", where=where, why=why)
    return FONTS.passed("whole", family=FAMILY)


def consent(lab: LabFolder, purpose: str | None = None, language: str | None = None) -> Finding:
    """Check that the consent form has no blanks.

    Parameters
    ----------
    lab
        The lab folder.
    purpose
        The session's purpose; a blank stops sessions of purpose main.
    language
        Language of the texts; the lab's by default.
    """
    settings = lab.settings
    language = language or settings.language
    empty = [key for key, value in settings.named(language).items() if not value.strip()]
    empty += [f"consent.{language}.{name}" for name in left_blank(settings.blanks(language))]
    if not empty:
        # Findings are recorded in journals, which must not contain names.
        return CONSENT.passed("whole")
    judged, do = (CONSENT.failed, "do_main") if purpose == "main" else (CONSENT.warned, "do")
    return judged("blank", do, keys=", ".join(empty), file=str(lab.root / LAB_FILE))


def pack_seal(folder: Path) -> Finding:
    """Check a pack's seal."""
    try:
        manifest = read_manifest(folder)
    except UserError as error:
        return PACK.refused(error)
    damage = damage_of(folder, manifest)
    if damaged := damage.phrases():
        what = f"{folder}: {', and '.join(damaged)}"
        return PACK.failed("refused", "todo", what=what, todo=damage.remedy)
    return PACK.passed("whole", pack=manifest.pack_id, number=str(len(manifest.files)))


def people(pack: Pack, purpose: str | None) -> Finding:
    """Check that data which a pack presents as people's were made by people.

    Parameters
    ----------
    pack
        The pack to show.
    purpose
        The session's purpose; with simulated people, sessions of purpose main fail.
    """
    simulated = simulated_people(pack)
    if not simulated:
        return PEOPLE.passed("people")
    if purpose == "robot":
        return PEOPLE.passed("robots", what=simulated)
    return (PEOPLE.failed if purpose == "main" else PEOPLE.warned)("robots", what=simulated)


def stimulus_signs(pack: Pack) -> Finding:
    """Check that screens can draw what the stimuli say."""
    if lacking := unshowable(pack):
        return SIGNS.failed("lacking", what=lacking)
    return SIGNS.passed("whole", family=FAMILY)


def stimulus_language(pack: Pack, language: str) -> Finding:
    """Check that the stimuli are in the language of the session's texts."""
    foreign = foreign_text(pack, language)
    if not foreign:
        return LANGUAGE.passed("same")
    session = language_name(language)
    return LANGUAGE.warned("other", language=session, what=foreign)


def _existing(path: Path) -> Path:
    """Return a path, or its nearest existing parent folder; the path itself if none exists."""
    return next((place for place in (path, *path.parents) if place.exists()), path)


def _drive_type(root: str) -> int:
    assert sys.platform == "win32"
    return int(ctypes.WinDLL("kernel32").GetDriveTypeW(root))
