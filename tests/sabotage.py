"""A lab that somebody tampers with: what each command then says, and how it ends."""

import csv
import io
import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from analysis.cli import main as analysis
from experiments.rig.checks.records import journals
from experiments.rig.verdict import report
from participants.cli import main as participants
from participants.dataset.journals import write_session_sidecar
from participants.folder import DataFolder, LabFolder, SessionPaths
from participants.journal.storage import CHAIN, FIRST_LINK, line_text, link
from participants.rebuild import rebuild
from participants.registry import Registry
from participants.replaced_codes import REPLACED
from participants.simulate.run import simulate
from participants.withdrawal.withdraw import known_of, withdraw
from stimuli.catalogue import studies_of
from stimuli.io.canonical import file_sha256
from stimuli.pack import Pack
from stimuli.protocol import load_protocol
from tests.analysis.asking import analysing, asking
from tests.participants.export.conftest import ABOUT, SIMULATED

COMMANDS: Final = ("tables", "analyse", "export", "merge", "backup", "restore", "doctor")
HOWS: Final = ("deleted", "cut", "changed", "copied from elsewhere")
SESSIONS: Final = 4
"""Sessions of a lab before one of its people withdraws."""


@dataclass(frozen=True)
class Lab:
    """A lab with a registry and a data folder, and what others have of the same pack.

    Attributes
    ----------
    root
        The folder of all this; the lab is always in `lab` within it, where its registry knows it.
    study
        By its name in the catalogue.
    """

    root: Path
    study: str

    @property
    def lab(self) -> LabFolder:
        return LabFolder.open(self.root / "lab")

    @property
    def data(self) -> DataFolder:
        return self.lab.data

    @property
    def recorded(self) -> str:
        return load_protocol(self.study).study

    @property
    def elsewhere(self) -> DataFolder:
        return DataFolder(self.root / "elsewhere")

    @property
    def old(self) -> Path:
        """A copy of the folder of the session of the person who withdrew."""
        return next((self.root / "old").iterdir())

    def sessions(self) -> list[SessionPaths]:
        return list(self.data.sessions())

    def set_right(self) -> None:
        """Put the lab as it was before anybody tampered with it."""
        shutil.rmtree(self.root / "lab", ignore_errors=True)
        shutil.copytree(self.root / "whole", self.root / "lab")

    def registry(self) -> sqlite3.Connection:
        return sqlite3.connect(self.root / "lab" / "registry.sqlite")


def make_lab(root: Path, study: str) -> Lab:
    """Make a lab of one study with three sessions and a tombstone."""
    made, lab = Lab(root, study), LabFolder.make(root / "lab")
    pack, robot = SIMULATED[study]
    (lab.root / "dataset.toml").write_text(ABOUT, encoding="utf-8")
    _fill(lab.data, pack(), robot, 1)
    _fill(made.elsewhere, pack(), robot, 2)
    *_, gone = lab.data.sessions()
    shutil.copytree(gone.folder, root / "old" / gone.session)
    with closing(Registry.open(lab.registry_url)) as registry:
        rebuild(registry, [lab.data])
        code = next(person.code for person in registry.list() if person.code in gone.session)
        known = known_of(lab, registry, (), code)
        withdraw(lab, registry, (), known, delete_built=False)
    lab.root.rename(root / "whole")
    made.set_right()
    return made


def _fill(data: DataFolder, pack: Pack, robot: str, seed: int) -> None:
    simulate(data, pack, [robot] * SESSIONS, seed)
    for paths in data.sessions():
        write_session_sidecar(paths)


# What is tampered with, and how. Each returns words of which one must be said.

Tamper = Callable[[Lab], tuple[str, ...]]


def _table(path: Path, change: Callable[[list[dict]], list[dict]]) -> None:
    with path.open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream)
        rows, names = list(reader), list(reader.fieldnames or ())
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(change(rows))


def _trials(lab: Lab) -> Path:
    return lab.data.tables / "trials.csv"


def _row(how: str) -> Tamper:
    def tamper(lab: Lab) -> tuple[str, ...]:
        path = _trials(lab)
        with path.open(encoding="utf-8", newline="") as stream:
            last = list(csv.DictReader(stream))[-1]["session"]
        words = (last, "trials.csv")
        if how == "cut":
            content = path.read_bytes().rstrip(b"\n")
            path.write_bytes(content[: content.rfind(b"\n") + 20])
        elif how == "deleted":
            _table(path, lambda rows: rows[:-1])
        elif how == "changed":
            _table(path, lambda rows: [*rows[:-1], {**rows[-1], "onset_s": "1.5"}])
        else:
            with (lab.elsewhere.tables / "trials.csv").open(encoding="utf-8", newline="") as stream:
                strange = next(csv.DictReader(stream))
            words = (strange["session"],)
            _table(path, lambda rows: [*rows, strange])
        return words

    return tamper


def _cut_all(paths: SessionPaths, lines: int) -> None:
    """Cut a journal at its end, and write the sidecar anew."""
    whole = paths.journal.read_bytes().splitlines(keepends=True)
    paths.journal.write_bytes(b"".join(whole[:-lines]))
    paths.sidecar.unlink()
    write_session_sidecar(paths)


def _forget(lab: Lab, session: str, *, rows: bool = True) -> None:
    """Take a session out of the tables and their sidecar."""
    for path in lab.data.tables.glob("*.csv") if rows else ():
        if "session" in path.read_text(encoding="utf-8").partition("\n")[0].split(","):
            _table(path, lambda found: [row for row in found if row["session"] != session])
    beside = lab.data.tables / "trials.json"
    stated = json.loads(beside.read_text(encoding="utf-8"))
    del stated["sessions"][session]
    beside.write_text(json.dumps(stated), encoding="utf-8")


def _code_of(paths: SessionPaths) -> str:
    return str(json.loads(paths.journal.read_bytes().splitlines()[0])["participant"])


def _person(how: str) -> Tamper:
    def tamper(lab: Lab) -> tuple[str, ...]:
        paths = lab.sessions()[0]
        if how == "deleted":
            shutil.rmtree(paths.folder)
            _forget(lab, paths.session)
        elif how == "cut":
            _cut_all(paths, 10)
            _forget(lab, paths.session)
        elif how == "changed":
            code = _code_of(paths)
            for path in lab.data.tables.glob("*.csv"):
                path.write_text(path.read_text("utf-8").replace(f"{code},", "ZZZZZZZ,"), "utf-8")
        else:
            strange = next(lab.elsewhere.sessions())
            shutil.copytree(strange.folder, lab.data.session(strange.session).folder)
            return (strange.session, "registry doesn't know 1 of")
        return (paths.session,)

    return tamper


def _session(how: str) -> Tamper:
    def tamper(lab: Lab) -> tuple[str, ...]:
        paths = lab.sessions()[1]
        if how == "deleted":
            shutil.rmtree(paths.folder)
        elif how == "cut":
            _cut_all(paths, 10)
        elif how == "changed":
            paths.folder.rename(paths.folder.with_name(f"{paths.session}-x"))
        else:
            strange = next(lab.elsewhere.sessions())
            shutil.copytree(strange.folder, paths.folder, dirs_exist_ok=True)
        return (paths.session,)

    return tamper


def _folder(how: str) -> Tamper:
    def tamper(lab: Lab) -> tuple[str, ...]:
        first, *_ = sessions = lab.sessions()
        folder = first.folder.parent
        if how == "deleted":
            shutil.rmtree(folder)
        elif how == "cut":
            for paths in sessions[:-1]:
                shutil.rmtree(paths.folder)
        elif how == "changed":
            folder.rename(folder.with_name("sessions-old"))
        else:
            shutil.rmtree(folder)
            shutil.copytree(lab.elsewhere.root / "sessions", folder)
        return (first.session, "sessions")

    return tamper


def _rechained(paths: SessionPaths) -> None:
    """Make each answer a second slower, and chain the journal and its sidecar anew."""
    lines, chain = [], FIRST_LINK
    for text in paths.journal.read_text("utf-8").splitlines():
        line = {key: value for key, value in json.loads(text).items() if key != CHAIN}
        if line["event"] == "trial_end":
            line["t_monotonic_s"] += 1.0
        chain = link(chain, line)
        lines.append(line_text({**line, CHAIN: chain}))
    paths.journal.write_bytes(b"".join(lines))
    paths.sidecar.unlink()
    write_session_sidecar(paths)


def _journal(how: str) -> Tamper:
    def tamper(lab: Lab) -> tuple[str, ...]:
        paths, other, *_ = lab.sessions()
        if how == "deleted":
            paths.journal.unlink()
        elif how == "cut":
            whole = paths.journal.read_bytes().splitlines(keepends=True)
            paths.journal.write_bytes(b"".join(whole[:-10]))
        elif how == "changed":
            _rechained(paths)
        else:
            shutil.copy(other.journal, paths.journal)
        return (paths.session,)

    return tamper


def _sidecar(how: str) -> Tamper:
    def tamper(lab: Lab) -> tuple[str, ...]:
        paths, other, *_ = lab.sessions()
        text = paths.sidecar.read_text("utf-8")
        if how == "deleted":
            paths.sidecar.unlink()
        elif how == "cut":
            paths.sidecar.write_text(text[: len(text) // 2], "utf-8")
        elif how == "changed":
            paths.sidecar.write_text(text.replace('"robot",', '"main",', 1), "utf-8")
        else:
            shutil.copy(other.sidecar, paths.sidecar)
        return (paths.session,)

    return tamper


def _key(how: str) -> Tamper:
    def tamper(lab: Lab) -> tuple[str, ...]:
        (copy,) = lab.data.packs.iterdir()
        path = next(iter([*copy.glob("key.csv"), *sorted(copy.glob("*.csv"))]))
        lines = path.read_bytes().splitlines(keepends=True)
        if how == "deleted":
            path.unlink()
        elif how == "cut":
            path.write_bytes(b"".join(lines[:-1]))
        elif how == "changed":
            path.write_bytes(b"".join([lines[0], lines[-1], *lines[2:-1], lines[1]]))
            note = {"schema": "replaced/1.0", "why": "", "files": {path.name: [file_sha256(path)]}}
            (copy / REPLACED).write_text(json.dumps(note), "utf-8")
        else:
            shutil.copy(_trials(lab), path)
        return (path.name,)

    return tamper


def _anchor(how: str) -> Tamper:
    changes = {
        "deleted": "journal_lines = NULL, journal_chain = NULL",
        "cut": "journal_lines = journal_lines - 10",
        "changed": f"journal_chain = '{'0' * 64}'",
        "copied from elsewhere": (
            "journal_lines = (SELECT o.journal_lines FROM sessions o WHERE o.session = :other), "
            "journal_chain = (SELECT o.journal_chain FROM sessions o WHERE o.session = :other)"
        ),
    }

    def tamper(lab: Lab) -> tuple[str, ...]:
        own, other, *_ = (paths.session for paths in lab.sessions())
        with closing(lab.registry()) as registry, registry:
            words = {"own": own, "other": other}
            registry.execute(f"UPDATE sessions SET {changes[how]} WHERE session = :own", words)
        return (own, "registry doesn't know 1 of")

    return tamper


def _tombstone(how: str) -> Tamper:
    def tamper(lab: Lab) -> tuple[str, ...]:
        path = lab.data.tombstones
        text = path.read_text("utf-8")
        back = lab.data.session(lab.old.name).folder
        if how == "cut":
            path.write_text(text[: text.index("\n") + 5], "utf-8")
            return (path.name,)
        if how == "changed":
            code = _code_of(lab.sessions()[0])
            gone = text.splitlines()[1].partition(",")[0]
            path.write_text(text.replace(gone, code), "utf-8")
            return (code,)
        shutil.copytree(lab.old, back)
        if how == "deleted":
            path.unlink()
        else:
            path.write_text("code,withdrawn_utc\nZZZZZZZ,2026-01-01T00:00:00.000000Z\n", "utf-8")
        return (lab.old.name,)

    return tamper


CATALOGUE: Final = {
    "row": _row,
    "person": _person,
    "session": _session,
    "folder": _folder,
    "journal": _journal,
    "sidecar": _sidecar,
    "key": _key,
    "anchor": _anchor,
    "tombstone": _tombstone,
}


# What the commands make of it.


def _tree(folder: Path, *parts: str) -> dict[str, str]:
    """Return the hashes of files below some parts of a folder, but locks, by path."""
    places = [folder / part for part in parts] if parts else [folder]
    files = (path for place in places for path in (place, *place.rglob("*")) if path.is_file())
    return {
        str(path.relative_to(folder)): file_sha256(path) for path in files if path.suffix != ".lock"
    }


RECORDS: Final = ("sessions", "packs", "withdrawn.csv")


def _tables(lab: Lab) -> tuple[int, object]:
    status = participants(["participants", "tables", lab.recorded, "--lab", str(lab.lab.root)])
    return status, {path.name: file_sha256(path) for path in lab.data.tables.glob("*.csv")}


def _analyse(lab: Lab) -> tuple[int, object]:
    out = lab.root / "out" / "report"
    with analysing(asking(studies_of("analysis")[lab.study].inquiry())):
        words = ["analyse", lab.study, "--data", str(lab.data.root), "--out", str(out)]
        status = analysis(words)
    results = out / "results.json"
    return status, file_sha256(results) if results.exists() else None


def _export(lab: Lab) -> tuple[int, object]:
    out = lab.root / "out" / "bids"
    words = ["export", "bids", "--out", str(out), "--purpose", "robot", "--lab"]
    return participants([*words, str(lab.lab.root)]), _tree(out)


def _merge(lab: Lab) -> tuple[int, object]:
    out = lab.root / "out" / "all"
    status = participants(["participants", "merge", str(lab.data.root), "--into", str(out)])
    return status, _tree(out, *RECORDS, "tables")


def _backup(lab: Lab) -> tuple[int, object]:
    out = lab.root / "out" / "backups"
    out.parent.mkdir(exist_ok=True)
    status = participants(["backup", "--to", str(out), "--lab", str(lab.root / "lab")])
    return status, _tree(lab.data.root, *RECORDS)


def _restore(lab: Lab) -> tuple[int, object]:
    """Back up what was tampered with, and bring it back to its place."""
    _backup(lab)
    shutil.rmtree(lab.root / "lab")
    words = ["restore", str(lab.root / "out" / "backups"), "--lab", str(lab.root / "lab")]
    for stream in (_said.out, _said.err):
        stream.seek(0)
        stream.truncate()
    return participants(words), _tree(lab.data.root, *RECORDS)


def _doctor(lab: Lab) -> tuple[int, object]:
    return report([journals(lab.lab)], as_json=True), _tree(lab.data.root, *RECORDS)


@dataclass
class _Said:
    out: io.StringIO
    err: io.StringIO


_said = _Said(io.StringIO(), io.StringIO())

RUN: Final[dict[str, Callable[[Lab], tuple[int, object]]]] = {
    "tables": _tables,
    "analyse": _analyse,
    "export": _export,
    "merge": _merge,
    "backup": _backup,
    "restore": _restore,
    "doctor": _doctor,
}


@dataclass(frozen=True)
class Outcome:
    """What a command did with a lab.

    Attributes
    ----------
    status
        Its exit status.
    said
        What it printed.
    result
        What it made, in a form that can be compared.
    """

    status: int
    said: str
    result: object

    def word(self, words: tuple[str, ...], whole: "Outcome") -> str:
        """Return the outcome in a word, with the exit status.

        Parameters
        ----------
        words
            One of them must be said of what was tampered with.
        whole
            The outcome where nobody tampered with anything.
        """
        named = any(word in self.said for word in words)
        if self.status == 2 and named:
            return "refused (2)"
        if self.status == 3 and named:
            return "named (3)"
        if self.status == 0 and named:
            return "named (0)"
        if self.status == 0 and self.result == whole.result:
            return "same result (0)"
        return f"UNNOTICED ({self.status})"


def outcome_of(lab: Lab, command: str) -> Outcome:
    """Run a command on a lab as a user types it."""
    shutil.rmtree(lab.root / "out", ignore_errors=True)
    (lab.root / "out").mkdir()
    before = os.environ.get("PLAINSIGHT_LAB")
    os.environ["PLAINSIGHT_LAB"] = str(lab.root / "lab")
    _said.out, _said.err = io.StringIO(), io.StringIO()
    try:
        with redirect_stdout(_said.out), redirect_stderr(_said.err):
            status, result = RUN[command](lab)
    finally:
        if before is None:
            del os.environ["PLAINSIGHT_LAB"]
        else:
            os.environ["PLAINSIGHT_LAB"] = before
    return Outcome(status, _said.out.getvalue() + _said.err.getvalue(), result)


def outcomes(lab: Lab, commands: tuple[str, ...] = COMMANDS) -> Iterator[tuple[str, str, dict]]:
    """Yield what was tampered with, how, and the outcome of each command in a word."""
    whole = {}
    for command in commands:
        lab.set_right()
        whole[command] = outcome_of(lab, command)
    for what, tampers in CATALOGUE.items():
        for how in HOWS:
            found = {}
            for command in commands:
                lab.set_right()
                words = tampers(how)(lab)
                found[command] = outcome_of(lab, command).word(words, whole[command])
            yield what, how, found
