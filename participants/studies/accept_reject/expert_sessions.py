"""Read experts' sessions back: answers, paintings and answers to controls; write their tables.

The tables have every answer with its painting, and every expert's record.
"""

import io
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

import numpy as np
from PIL import Image

from participants.dataset.map_sets import Map, MarkingSession, marking_sessions
from participants.dataset.table_files import put_table, sidecar_bytes
from participants.files import make_private, safe_name, write_file
from participants.folder import DataFolder
from participants.journal import Event, Journal
from participants.strokes import Act, Mask, act_from, map_of, mask_of, mask_sha256
from participants.studies.accept_reject.annotation import CONTROLS, right_label
from participants.studies.accept_reject.columns import ANNOTATIONS, EXPERTS
from participants.studies.accept_reject.plan import STUDY
from stimuli.errors import UserError
from stimuli.images.sets import NO_SOLUTION
from stimuli.io.tables import Row, TableSchema
from stimuli.maps.map_set import MapRecord
from stimuli.pack import Pack
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject.shares import FAINT
from stimuli.studies.accept_reject.tables import TASKS


@dataclass(frozen=True, slots=True, eq=False)
class PaintedPlate:
    """An expert's answer to a plate.

    Attributes
    ----------
    item, axis, rung
        The plate, and how it was shown.
    use
        What it is for, as in ``tasks.csv``.
    label, right_label
        The answer, and the one that would be right.
    rt_s, done_s
        Times of the answer and of the confirmation since the onset.
    acts, mask_sha256
        The acts with brush and eraser, and the hash of the resulting mask on screen.
    area
        Painted share of the plate's disc.
    """

    item: str
    axis: str
    rung: int
    use: str
    label: str
    right_label: str
    rt_s: float
    done_s: float
    acts: tuple[Act, ...]
    mask_sha256: str
    area: float

    @property
    def mask(self) -> Mask:
        """bool (256, 256): what was painted, rebuilt from the acts.

        Raises
        ------
        UserError
            If it isn't the mask that was on screen.
        """
        mask = mask_of(self.acts)
        if mask_sha256(mask) != self.mask_sha256:
            raise UserError(
                f"plate {self.item}: the mask that follows from its acts is not the one that was "
                "on screen; update Plainsight on this PC"
            )
        return mask


@dataclass(frozen=True, slots=True)
class ExpertSession(MarkingSession):
    """One expert's session, the practice left out.

    Attributes
    ----------
    plates
        The answers, in the order in which they were given.
    least_share, least_faint
        The protocol's smallest shares of right answers: to controls, and to known digits at a
        contrast that normal colour vision alone can read.
    """

    plates: tuple[PaintedPlate, ...]
    least_share: float
    least_faint: float

    @property
    def controls(self) -> int:
        """Number of plates whose right answer anyone should give."""
        return self._count(CONTROLS)

    @property
    def right(self) -> int:
        """Number of these that were answered rightly."""
        return self._count(CONTROLS, right=True)

    @property
    def faint(self) -> int:
        """Number of known digits at a low contrast."""
        return self._count((FAINT,))

    @property
    def faint_right(self) -> int:
        """Number of these that were read rightly."""
        return self._count((FAINT,), right=True)

    @property
    def remark(self) -> str:
        """What was done, in a few words."""
        faint = f", {self.faint_right} of {self.faint} faint digits" if self.faint else ""
        controls = f"{self.right} of {self.controls} controls right"
        return f"{len(self.plates)} plates, {controls}{faint}"

    @property
    def failed(self) -> bool:
        """Whether too few controls or faint digits were answered rightly.

        Without such plates nobody fails.
        """
        return bool(self.refusal())

    def refusal(self) -> str:
        """Return why the paintings shouldn't be used; empty if they may be used."""
        if self.right < self.least_share * self.controls:
            return (
                f"{self.participant} answered {self.right} of {self.controls} controls rightly, "
                f"fewer than {100 * self.least_share:.0f} %"
            )
        if self.faint_right < self.least_faint * self.faint:
            return (
                f"{self.participant} read {self.faint_right} of {self.faint} digits at a low "
                f"contrast, fewer than {100 * self.least_faint:.0f} %: colour vision may not be "
                "normal"
            )
        return ""

    def _count(self, uses: Collection[str], *, right: bool = False) -> int:
        own = [plate for plate in self.plates if plate.use in uses]
        return sum(plate.label == plate.right_label for plate in own) if right else len(own)

    def marks(self) -> Iterator[tuple[MapRecord, Map | None]]:
        """Yield a record of each plate, with the painted share of each pixel."""
        for plate in self.plates:
            values = None if plate.label == NO_SOLUTION else map_of(plate.mask)
            shown = {"axis": plate.axis, "rung": plate.rung}
            answered = {"answer": plate.label, "rt_s": plate.rt_s}
            yield self.record(plate.item, "painting", **shown, **answered), values


def expert_sessions(data: DataFolder) -> tuple[list[ExpertSession], dict[str, str]]:
    """Return a data folder's expert sessions, and why others can't be read, by their ids.

    Sessions whose data were withdrawn are left out.
    """
    return marking_sessions(data, STUDY, _session)


def _session(journal: Journal, pack: Pack, about: dict[str, Any]) -> ExpertSession:
    protocol = pack.protocol
    assert isinstance(protocol, AcceptReject)
    rows = {str(row["item"]): row for row in pack.table(TASKS)}
    starts = {event["item"]: event for event in journal.of("trial_start")}
    ends = {event["item"]: event for event in journal.of("trial_end") if event["phase"] == "main"}
    return ExpertSession(
        **about,
        plates=tuple(_plate(end, starts[item], rows[item]) for item, end in ends.items()),
        least_share=protocol.analysis.compliance_minimum,
        least_faint=protocol.experts.low_contrast_minimum,
    )


def _plate(end: Event, start: Event, row: Row) -> PaintedPlate:
    return PaintedPlate(
        item=str(end["item"]),
        axis=str(start["axis"]),
        rung=int(start["rung"]),
        use=str(row["use"]),
        label=str(end["label"]),
        right_label=right_label(row),
        rt_s=float(end["rt_s"]),
        done_s=float(end["done_s"]),
        acts=tuple(act_from(document) for document in end["acts"]),
        mask_sha256=str(end["mask_sha256"]),
        area=float(end["area"]),
    )


REGIONS: Final = "regions"
HASH_DIGITS: Final = 8


def write_expert_tables(data: DataFolder) -> None:
    """Write ``annotations.csv``, ``experts.csv`` and the paintings, if there are experts.

    If the last expert withdrew, the tables are written again without rows. A painting is drawn
    once, since its file name identifies the mask. A session whose strokes don't give the mask that
    was on screen is left out, and named in the sidecar.

    Raises
    ------
    UserError
        If the folder can't be written.
    """
    found, left_out = expert_sessions(data)
    if not found and not (data.tables / f"{EXPERTS.name}.csv").exists():
        return
    folder = data.tables / REGIONS
    make_private(folder)
    experts = []
    for expert in found:
        try:
            drawn = _drawn(data, expert)
        except UserError as error:
            left_out[expert.session] = str(error)
            continue
        experts.append(expert)
        for path, content in drawn.items():
            write_file(path, content)
    rows = [_row(expert, plate) for expert in experts for plate in expert.plates]
    _clear_away(folder, {Path(str(row["region_file"])).name for row in rows})
    _write(data, ANNOTATIONS, rows, left_out)
    _write(data, EXPERTS, [_record(expert) for expert in experts])


def _write(
    data: DataFolder,
    schema: TableSchema,
    rows: Sequence[Row],
    left_out: Mapping[str, str] | None = None,
) -> None:
    described = sidecar_bytes(schema, left_out=left_out)
    put_table(data.tables, schema.name, schema, rows, described)


def _drawn(data: DataFolder, expert: ExpertSession) -> dict[Path, bytes]:
    """Return an expert's paintings that aren't drawn yet, by file."""
    files = {plate: _region_file(expert, plate) for plate in expert.plates}
    missing = {
        data.tables / file: plate
        for plate, file in files.items()
        if file is not None and not (data.tables / file).exists()
    }
    return {path: _png(plate.mask) for path, plate in missing.items()}


def _row(expert: ExpertSession, plate: PaintedPlate) -> Row:
    return {
        "participant": expert.participant,
        "item": plate.item,
        "label": plate.label,
        "region_file": _region_file(expert, plate),
        "rt_s": plate.rt_s,
        "session": expert.session,
        "purpose": expert.purpose,
        "pack_id": expert.pack_id,
        "use": plate.use,
        "axis": plate.axis,
        "rung": plate.rung,
        "right_label": plate.right_label,
        "done_s": plate.done_s,
        "area": plate.area,
        "robot": expert.robot or None,
    }


def _record(expert: ExpertSession) -> Row:
    plates = expert.plates
    painted = [plate.area for plate in plates if plate.label != NO_SOLUTION]
    return {
        "participant": expert.participant,
        "session": expert.session,
        "purpose": expert.purpose,
        "pack_id": expert.pack_id,
        "robot": expert.robot or None,
        "complete": expert.complete,
        "plates": len(plates),
        "no_solution": sum(plate.label == NO_SOLUTION for plate in plates),
        "controls": expert.controls,
        "controls_right": expert.right,
        "failed": expert.failed,
        "rt_s": _median([plate.rt_s for plate in plates]),
        "area": _median(painted),
        "low_contrast": expert.faint,
        "low_contrast_right": expert.faint_right,
    }


def _region_file(expert: ExpertSession, plate: PaintedPlate) -> str | None:
    if plate.label == NO_SOLUTION:
        return None
    name = f"{expert.participant}-{plate.item}-{plate.mask_sha256[:HASH_DIGITS]}"
    return f"{REGIONS}/{safe_name(name)}.png"


def _median(values: Sequence[float]) -> float | None:
    return float(median(values)) if values else None


def _png(mask: Mask) -> bytes:
    stream = io.BytesIO()
    Image.fromarray(mask.astype(np.uint8) * 255).save(stream, "PNG", optimize=True)
    return stream.getvalue()


def _clear_away(folder: Path, known: set[str]) -> None:
    """Delete paintings that no row names any more."""
    for path in folder.glob("*.png"):
        if path.name not in known:
            path.unlink(missing_ok=True)
