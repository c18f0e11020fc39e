"""An export from what is asked to a folder: selected, noted in the registry, written whole."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from participants.export.about import read_about
from participants.export.asked import Asked
from participants.export.bids import Files, bids_files
from participants.export.description import typed_columns
from participants.export.psych_ds import psych_ds_files
from participants.export.psych_ds_rules import faults_of
from participants.export.selecting import Wanted, select
from participants.export.selection import Selection
from participants.export.stimuli import shown_in
from participants.folder import DataFolder, LabFolder
from participants.new_person import PURPOSES
from participants.opened import opened_lab
from participants.registry import Registry
from participants.registry.exports import known_codes, note_export
from participants.registry.records import tombstones
from participants.registry_anchors import anchors_in, anchors_of
from stimuli.errors import UserError
from stimuli.io.files import whole_folder, write_private

BIDS, PSYCH_DS = "bids", "psych-ds"


@dataclass(frozen=True, slots=True)
class Exported:
    """A finished export.

    Attributes
    ----------
    out
        The dataset.
    participants, sessions
        How many are in it.
    left_out
        Why sessions are not, by their ids.
    noted
        Whether a registry knows of it.
    remarks
        What the experimenter should know, one sentence each.
    """

    out: Path
    participants: int
    sessions: int
    left_out: Mapping[str, str]
    noted: bool
    remarks: tuple[str, ...]


def export_bids(asked: Asked) -> Exported:
    """Write a BIDS dataset; UserError if nothing can be exported or the folder not be written."""

    def warnings(out: Path, lacking: Sequence[str]) -> list[str]:
        return [f"The validator of BIDS will warn of what isn't said: {', '.join(lacking)}; write "
                "it into dataset.toml (docs/exports.md)."] if lacking else []  # fmt: skip

    return _export(asked, BIDS, bids_files, warnings)


def export_psych_ds(asked: Asked) -> Exported:
    """Write a Psych-DS dataset; UserError as for BIDS.

    Raises
    ------
    ValueError
        If the dataset breaks a rule of the standard, which would be a fault of ours.
    """

    def check(out: Path, lacking: Iterable[str]) -> list[str]:
        if faults := faults_of(out):
            raise ValueError(f"the dataset breaks rules of Psych-DS: {'; '.join(faults)}")
        return []

    return _export(asked, PSYCH_DS, psych_ds_files, check)


def _export(
    asked: Asked,
    kind: str,
    files: Callable[..., Files],
    check: Callable[[Path, tuple[str, ...]], list[str]],
) -> Exported:
    out = asked.out.expanduser().absolute()
    _refuse_full(out)
    if asked.purpose not in PURPOSES:
        raise UserError(f"--purpose {asked.purpose!r}: not one of {', '.join(PURPOSES)}")
    with _lab(asked) as (lab, registry):
        about, selection = read_about(asked.about, lab), _selected(asked, lab, registry)
        shown = shown_in(selection, asked.packs)
        people = frozenset(session.participant for session in selection.sessions)
        try:
            with whole_folder(out) as aside:
                _write(aside, files(selection, about, shown, datetime.now(UTC).date()))
                remarks = check(aside, about.lacking())
                if registry:
                    # Noted before it appears: an export that nobody knows of can't be replaced.
                    experts = selection.people_of(known_codes(registry))
                    note_export(registry, kind, str(out), asked.purpose, people | experts)
        except OSError as error:
            raise UserError(f"--out {out}: can't be written ({error.strerror})") from None
    noted = registry is not None
    said = (*_remarks(selection, noted=noted), *remarks)
    return Exported(out, len(people), len(selection.sessions), selection.left_out, noted, said)


def _selected(asked: Asked, lab: LabFolder | None, registry: Registry | None) -> Selection:
    if asked.data is None:
        assert lab is not None
        folder = lab.data
    else:
        folder = DataFolder(asked.data.absolute())
    return select(
        folder,
        Wanted(asked.study, asked.purpose, asked.with_text, lab.texts if lab else None),
        withdrawn=registry.transact(tombstones) if registry else (),
        anchors=anchors_in(registry, folder) if registry else anchors_of(folder, asked.lab),
    )


@contextmanager
def _lab(asked: Asked) -> Iterator[tuple[LabFolder | None, Registry | None]]:
    """Give the lab and its registry; nothing where a data folder is named and there is no lab."""
    try:
        LabFolder.open(asked.lab)
    except UserError:
        if asked.data is None or asked.lab is not None:
            raise
        yield None, None
        return
    with opened_lab(asked.lab) as opened:
        yield opened


def _refuse_full(out: Path) -> None:
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UserError(f"--out {out}: is not empty; name a new folder")


def _write(folder: Path, files: Files) -> None:
    for path, content in files:
        write_private(folder / path, content)


def _remarks(selection: Selection, *, noted: bool) -> list[str]:
    said = [f"Left out: session {name}: {why}" for name, why in selection.left_out.items()]
    if selection.not_confirmed:
        said.append(selection.not_confirmed)
    if selection.with_text:
        said.append(
            f"Typed words are in it ({typed_columns(selection)}): read them before you hand it on."
        )
    if not noted:
        said.append(
            "There is no lab folder, so no registry notes this export: a withdrawal won't name it."
        )
    return said
