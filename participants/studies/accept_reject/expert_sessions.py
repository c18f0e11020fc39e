"""Read experts' sessions back: answers, paintings and answers to controls; write their tables.

The tables have every answer with its painting, and every expert's record.
"""

import io
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from statistics import median
from typing import Final

import numpy as np
from PIL import Image

from participants.dataset import fields
from participants.dataset.map_sets import Map, MarkingSession, marking_sessions
from participants.dataset.table_files import put_table, sidecar_bytes
from participants.files import make_private, safe_name, write_file
from participants.folder import DataFolder
from participants.journal import Event, Journal
from participants.strokes import Mask, act_from, map_of, mask_of, mask_sha256
from participants.studies.accept_reject.annotation import CONTROLS
from participants.studies.accept_reject.annotation import right_label as label_of
from participants.studies.accept_reject.events import AnnotationTrialEnd, AnnotationTrialStart
from participants.studies.accept_reject.plan import STUDY
from stimuli.errors import UserError
from stimuli.images.sets import NO_SOLUTION
from stimuli.io.tables import Row, TableSchema
from stimuli.maps.map_set import MapRecord
from stimuli.pack import Pack
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject.shares import FAINT
from stimuli.studies.accept_reject.tables import TASKS

REGIONS: Final = "regions"
HASH_DIGITS: Final = 8


@dataclass(frozen=True, slots=True, eq=False)
class PaintedPlate:
    """An expert's answer to a plate.

    Attributes
    ----------
    header, start, end
        The ``session`` event, and those of the trial.
    task
        The plate's row of ``tasks.csv``.
    """

    header: Event
    start: Event
    end: Event
    task: Row

    @property
    def item(self) -> str:
        """The plate."""
        return str(self.end["item"])

    @property
    def rung(self) -> int:
        """The rung on which it was shown."""
        return int(self.start["rung"])

    @property
    def use(self) -> str:
        """What it is for, as in ``tasks.csv``."""
        return str(self.task["use"])

    @property
    def label(self) -> str:
        """The answer."""
        return str(self.end["label"])

    @property
    def right_label(self) -> str:
        """The answer that would be right."""
        return label_of(self.task)

    @property
    def area(self) -> float:
        """Painted share of the plate's disc."""
        return float(self.end["area"])

    @property
    def region_file(self) -> str | None:
        """Where its drawing lies in the folder of tables; None without a painting."""
        if self.label == NO_SOLUTION:
            return None
        name = f"{self.header['participant']}-{self.item}-{self.end['mask_sha256'][:HASH_DIGITS]}"
        return f"{REGIONS}/{safe_name(name)}.png"

    @property
    def mask(self) -> Mask:
        """bool (256, 256): what was painted, rebuilt from the acts.

        Raises
        ------
        UserError
            If it isn't the mask that was on screen.
        """
        mask = mask_of([act_from(document) for document in self.end["acts"]])
        if mask_sha256(mask) != self.end["mask_sha256"]:
            raise UserError(
                f"plate {self.item}: the mask that follows from its acts is not the one that was "
                "on screen; update Plainsight on this PC"
            )
        return mask


@dataclass(frozen=True)
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
        of_uses = [plate for plate in self.plates if plate.use in uses]
        return sum(plate.label == plate.right_label for plate in of_uses) if right else len(of_uses)

    def marks(self) -> Iterator[tuple[MapRecord, Map | None]]:
        """Yield a record of each plate, with the painted share of each pixel."""
        for plate in self.plates:
            values = None if plate.label == NO_SOLUTION else map_of(plate.mask)
            place = {"axis": str(plate.start["axis"]), "rung": plate.rung}
            answered = {"answer": plate.label, "rt_s": float(plate.end["rt_s"])}
            yield self.record(plate.item, "painting", **place, **answered), values


def expert_sessions(data: DataFolder) -> tuple[list[ExpertSession], dict[str, str]]:
    """Return a data folder's expert sessions, and why others can't be read, by their ids.

    Sessions whose data were withdrawn are left out.
    """
    return marking_sessions(data, STUDY, _session)


def _session(journal: Journal, pack: Pack) -> ExpertSession:
    protocol = pack.protocol
    assert isinstance(protocol, AcceptReject)
    rows = {str(row["item"]): row for row in pack.table(TASKS)}
    starts = {event["item"]: event for event in journal.of("trial_start")}
    ends = {event["item"]: event for event in journal.of("trial_end") if event["phase"] == "main"}
    return ExpertSession(
        journal,
        plates=tuple(
            PaintedPlate(journal.header, starts[item], end, rows[item])
            for item, end in ends.items()
        ),
        least_share=protocol.analysis.compliance_minimum,
        least_faint=protocol.experts.low_contrast_minimum,
    )


@fields.derived()
def region_file(plate: PaintedPlate) -> str | None:
    """The painting, a PNG beside this table, white where painted; empty without one."""
    return plate.region_file


@fields.derived()
def right_label(plate: PaintedPlate) -> str:
    """The plate's digit; no_solution without a numeral."""
    return plate.right_label


EXPERT: Final = fields.of_session("participant", description="Pseudonymous code of the expert.")
ANNOTATION: Final = (
    *EXPERT,
    *fields.ended(AnnotationTrialEnd, "item", "label"),
    region_file,
    *fields.ended(AnnotationTrialEnd, "rt_s"),
    *fields.of_session("session", "purpose", "pack_id"),
    *fields.in_pack(TASKS, "use", of=attrgetter("task")),
    *fields.recorded(AnnotationTrialStart, "axis", "rung", of=attrgetter("start")),
    right_label,
    *fields.ended(AnnotationTrialEnd, "done_s", "area"),
    fields.robot,
)
ANNOTATIONS: Final = fields.table_of(
    "annotations", "One row for each answer of an expert in the annotation session.", ANNOTATION
)


@fields.derived()
def plates(session: ExpertSession) -> int:
    """Number of answered plates, without practice."""
    return len(session.plates)


@fields.derived()
def no_solution(session: ExpertSession) -> int:
    """Number of these answered with no solution."""
    return sum(plate.label == NO_SOLUTION for plate in session.plates)


@fields.derived()
def controls(session: ExpertSession) -> int:
    """Number of these that anyone should answer correctly.

    They are plates without a numeral, and known digits on the top rung.
    """
    return session.controls


@fields.derived()
def controls_right(session: ExpertSession) -> int:
    """Number of correctly answered controls."""
    return session.right


@fields.derived()
def failed(session: ExpertSession) -> bool:
    """Whether map sets exclude the expert.

    They do if the share of right controls is below the protocol's analysis.compliance_minimum, or
    that of digits at a low contrast below experts.low_contrast_minimum.
    """
    return session.failed


@fields.derived()
def rt_s(session: ExpertSession) -> float | None:
    """Median time to the answer."""
    return _median([plate.end["rt_s"] for plate in session.plates])


@fields.derived()
def area(session: ExpertSession) -> float | None:
    """Median painted share of the plate's disc."""
    return _median([plate.area for plate in session.plates if plate.label != NO_SOLUTION])


@fields.derived()
def low_contrast(session: ExpertSession) -> int:
    """Number of known digits at a contrast that only normal colour vision can read.

    They aren't among the controls above.
    """
    return session.faint


@fields.derived()
def low_contrast_right(session: ExpertSession) -> int:
    """Number of these read correctly."""
    return session.faint_right


RECORD: Final = (
    *EXPERT,
    *fields.WHOSE_SESSION[1:],
    *fields.of_session("pack_id"),
    fields.robot,
    fields.complete,
    plates,
    no_solution,
    controls,
    controls_right,
    failed,
    rt_s,
    area,
    low_contrast,
    low_contrast_right,
)
EXPERTS: Final = fields.table_of(
    "experts", "One row for each expert's session: how many controls were right.", RECORD
)


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
    sessions, left_out = expert_sessions(data)
    if not sessions and not (data.tables / f"{EXPERTS.name}.csv").exists():
        return
    folder = data.tables / REGIONS
    make_private(folder)
    experts = []
    for expert in sessions:
        try:
            drawn = _drawn(data, expert)
        except UserError as error:
            left_out[expert.session] = str(error)
            continue
        experts.append(expert)
        for path, content in drawn.items():
            write_file(path, content)
    rows = [fields.cells(ANNOTATION, plate) for expert in experts for plate in expert.plates]
    _clear_away(folder, {Path(str(row["region_file"])).name for row in rows})
    _write(data, ANNOTATIONS, rows, left_out)
    _write(data, EXPERTS, [fields.cells(RECORD, expert) for expert in experts])


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
    files = {plate: plate.region_file for plate in expert.plates}
    missing = {
        data.tables / file: plate
        for plate, file in files.items()
        if file is not None and not (data.tables / file).exists()
    }
    return {path: _png(plate.mask) for path, plate in missing.items()}


def _median(values: Sequence[float]) -> float | None:
    return float(median(values)) if values else None


def _png(mask: Mask) -> bytes:
    stream = io.BytesIO()
    Image.fromarray(mask.astype(np.uint8) * 255).save(stream, "PNG", optimize=True)
    return stream.getvalue()


def _clear_away(folder: Path, names: set[str]) -> None:
    """Delete paintings that no row names any more."""
    for path in folder.glob("*.png"):
        if path.name not in names:
            path.unlink(missing_ok=True)
