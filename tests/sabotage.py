"""A lab that somebody tampers with: what each command then says, and how it ends."""

import csv
import io
import json
import shutil
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest

from analysis import run
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
from tests.analysis.asking import asking
from tests.participants.export.conftest import ABOUT, SIMULATED

COMMANDS: Final = ("tables", "analyse", "export", "merge", "backup", "restore", "doctor")
HOWS: Final = ("deleted", "cut", "changed", "copied from elsewhere")
SESSIONS: Final = 3
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
    """Make a lab of one study with two sessions and a tombstone."""
    made, lab = Lab(root, study), LabFolder.make(root / "lab")
    pack, robot = SIMULATED[study]
    (lab.root / "dataset.toml").write_text(ABOUT, encoding="utf-8")
    _fill(lab.data, pack(), robot, 1)
    _fill(made.elsewhere, pack(), robot, 2)
    *_, gone = lab.data.sessions()
    shutil.copytree(gone.folder, root / "old" / gone.session)
    with closing(Registry.of(lab, new=True)) as registry:
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
            # A refusal names the first that can't be trusted, of whichever lab.
            return (first.session, *(paths.session for paths in lab.elsewhere.sessions()))
        return (first.session, "it has no sessions")

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


SAME: Final = "same result (0)"
UNNOTICED: Final = "unnoticed"
RECORDS: Final = ("sessions", "packs", "withdrawn.csv")


def _tables(lab: Lab) -> tuple[int, object]:
    status = participants(["participants", "tables", lab.recorded, "--lab", str(lab.lab.root)])
    return status, {path.name: file_sha256(path) for path in lab.data.tables.glob("*.csv")}


class _WithoutPage:
    """An inquiry that asks who took part, and writes no page."""

    def __init__(self, inquiry: Any) -> None:
        self._inquiry = asking(inquiry)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inquiry, name)

    def build(self, results: object) -> None:
        """Build nothing: pages and figures take longer than all the rest."""

    def refit_files(self, data: object) -> dict[str, bytes]:
        return {}


def _analyse(lab: Lab) -> tuple[int, object]:
    found: list[str] = []

    def write(out: Path, built: None, results: object, *_: object) -> Path:
        found.append(json.dumps(results, default=repr, sort_keys=True))
        return out / "report.html"

    inquiry = _WithoutPage(studies_of("analysis")[lab.study].inquiry())
    study = SimpleNamespace(inquiry=lambda: inquiry)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "studies_of", lambda _: SimpleNamespace(require=lambda _: study))
        patch.setattr(run, "write_report", write)
        words = ["analyse", lab.study, "--data", str(lab.data.root), "--out"]
        status = analysis([*words, str(lab.root / "out" / "report")])
    return status, found


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
    status = participants(["backup", "--to", str(out), "--lab", str(lab.root / "lab")])
    return status, _tree(lab.data.root, *RECORDS)


def _restore(lab: Lab) -> tuple[int, object]:
    """Bring what was backed up after it was tampered with back to its place."""
    shutil.rmtree(lab.root / "lab")
    words = ["restore", str(lab.root / "out" / "backups"), "--lab", str(lab.root / "lab")]
    return participants(words), _tree(lab.root / "lab" / "data", *RECORDS)


def _doctor(lab: Lab) -> tuple[int, object]:
    return report([journals(lab.lab)], as_json=True), _tree(lab.data.root, *RECORDS)


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
        if named and self.status in (0, 2, 3):
            return f"{'refused' if self.status == 2 else 'named'} ({self.status})"
        if self.status == 0 and self.result == whole.result:
            return SAME
        return f"{UNNOTICED} ({self.status}): {self.said}"


def outcome_of(lab: Lab, command: str) -> Outcome:
    """Run a command on a lab as a user types it."""
    said = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(said), redirect_stderr(said):
        patch.setenv("PLAINSIGHT_LAB", str(lab.root / "lab"))
        status, result = RUN[command](lab)
    return Outcome(status, said.getvalue(), result)


def outcomes_of(lab: Lab, tamper: Tamper) -> tuple[tuple[str, ...], dict[str, Outcome]]:
    """Return what must be said of what was tampered with, and each command's outcome.

    Every command but `restore`, which brings back what `backup` kept, meets a lab that no other
    command has seen.
    """
    shutil.rmtree(lab.root / "out", ignore_errors=True)
    (lab.root / "out").mkdir()
    found, words = {}, ()
    for command in COMMANDS:
        if command != "restore":
            lab.set_right()
            words = tamper(lab)
        found[command] = outcome_of(lab, command)
    return words, found


def untouched(lab: Lab) -> dict[str, Outcome]:
    """Return each command's outcome where nobody tampered with anything."""
    return outcomes_of(lab, lambda _: ())[1]


def judged(lab: Lab, what: str, how: str, whole: Mapping[str, Outcome]) -> dict[str, str]:
    """Return the outcome of each command in a word; see `Outcome.word`."""
    words, found = outcomes_of(lab, CATALOGUE[what](how))
    return {command: one.word(words, whole[command]) for command, one in found.items()}
