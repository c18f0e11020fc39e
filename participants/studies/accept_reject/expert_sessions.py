"""Experts' sessions read back: answers, paintings, and how the controls were answered."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from participants.dataset.marking_sessions import Map, MarkingSession, marking_sessions
from participants.folder import DataFolder
from participants.journal import Event, Journal
from participants.strokes.acts import Act, act_from
from participants.strokes.painting import Mask, map_of, mask_of, mask_sha256
from participants.studies.accept_reject.annotation import CONTROLS, right_label
from participants.studies.accept_reject.plan import STUDY
from stimuli.errors import UserError
from stimuli.images.sets import NO_SOLUTION
from stimuli.io.tables import Row
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
        What was done with brush and eraser, and the hash of the mask that it left on screen.
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
            If that isn't what was on screen.
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
        """Return why the paintings shouldn't be used; empty if they may be."""
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
