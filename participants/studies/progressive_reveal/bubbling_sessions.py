"""Bubbling sessions read back: what was marked on each image."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from participants.dataset.expert_journals import expert_journals
from participants.dataset.pack_copy import open_pack_copy
from participants.folder import DataFolder
from participants.journal import Event, Journal
from participants.strokes.acts import Act, act_from
from participants.studies.progressive_reveal.bubbles import (
    BUBBLE_MS,
    BUBBLE_PX,
    Counts,
    bubble_counts,
    counts_sha256,
)
from stimuli.errors import UserError
from stimuli.io.tables import Row
from stimuli.maps.map_set import MapRecord
from stimuli.studies.progressive_reveal.tasks import TASKS

STUDY = "progressive_reveal"


@dataclass(frozen=True, slots=True, eq=False)
class BubbledImage:
    """What a person marked on an image.

    Attributes
    ----------
    item, class_id
        The image, and what it shows.
    done_s
        Time of the confirming press since the onset.
    acts, counts_sha256
        Strokes, undos and clears, and the hash of the counts that they left.
    rule
        Side of a bubble in pixels, and milliseconds from bubble to bubble, as they were then.
    area
        Share of the image under at least one bubble.
    """

    item: str
    class_id: str
    done_s: float
    acts: tuple[Act, ...]
    counts_sha256: str
    rule: tuple[int, int]
    area: float

    @property
    def counts(self) -> Counts:
        """float32 (256, 256): bubbles on each pixel, rebuilt from the acts.

        Raises
        ------
        UserError
            If that isn't what was on screen.
        """
        counts = bubble_counts(self.acts)
        if self.rule != (BUBBLE_PX, BUBBLE_MS) or counts_sha256(counts) != self.counts_sha256:
            raise UserError(
                f"image {self.item}: the bubbles that follow from its acts are not those that were "
                "on screen; update Plainsight on this PC"
            )
        return counts


@dataclass(frozen=True, slots=True)
class BubblingSession:
    """One person's bubbling session.

    Attributes
    ----------
    session, participant, purpose, pack_id, robot
        As in its journal.
    complete
        Whether it came to its end.
    images
        In the order in which they were marked.
    """

    session: str
    participant: str
    purpose: str
    pack_id: str
    robot: str
    complete: bool
    images: tuple[BubbledImage, ...]

    @property
    def told(self) -> str:
        """What was done, in a few words."""
        return f"{len(self.images)} images marked by bubbles"

    def refusal(self) -> str:
        """Return nothing: bubbling has no controls."""
        return ""

    def marks(self) -> Iterator[tuple[MapRecord, Counts | None]]:
        """Yield a record of each image, with the number of bubbles on each pixel."""
        for image in self.images:
            yield _record(self.participant, image), image.counts


def bubbling_sessions(data: DataFolder) -> tuple[list[BubblingSession], dict[str, str]]:
    """Return a data folder's bubbling sessions, and why others can't be read, by their ids.

    Sessions whose data were withdrawn are left out.
    """
    return expert_journals(data, STUDY, partial(_session, data))


def _session(data: DataFolder, journal: Journal) -> BubblingSession:
    header = journal.header
    pack = open_pack_copy(data, str(header["pack_id"]))
    rows = {str(row["item"]): row for row in pack.table(TASKS)}
    return BubblingSession(
        session=str(header["session"]),
        participant=str(header["participant"]),
        purpose=str(header["purpose"]),
        pack_id=pack.pack_id,
        robot=str(header["robot"]),
        complete=journal.complete,
        images=tuple(_image(end, rows[str(end["item"])]) for end in journal.of("trial_end")),
    )


def _image(end: Event, row: Row) -> BubbledImage:
    return BubbledImage(
        item=str(end["item"]),
        class_id=str(row["class"]),
        done_s=float(end["done_s"]),
        acts=tuple(act_from(document) for document in end["acts"]),
        counts_sha256=str(end["counts_sha256"]),
        rule=(int(end["bubble_px"]), int(end["bubble_ms"])),
        area=float(end["area"]),
    )


def _record(participant: str, image: BubbledImage) -> MapRecord:
    return MapRecord(
        map=f"{participant}-{image.item}",
        item=image.item,
        source="expert",
        solver_id=participant,
        method="bubbles",
        axis=None,
        rung=None,
        answer=image.class_id,
        confidence=None,
        rt_s=image.done_s,
    )
