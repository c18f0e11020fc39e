"""Bubbling sessions read back: what was marked on each image."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from participants.dataset.marking_sessions import MarkingSession, marking_sessions
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
from participants.studies.progressive_reveal.plan import STUDY
from stimuli.errors import UserError
from stimuli.io.tables import Row
from stimuli.maps.map_set import MapRecord
from stimuli.pack import Pack
from stimuli.studies.progressive_reveal.tasks import TASKS


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
class BubblingSession(MarkingSession):
    """One person's bubbling session.

    Attributes
    ----------
    images
        In the order in which they were marked.
    """

    images: tuple[BubbledImage, ...]

    @property
    def remark(self) -> str:
        """What was done, in a few words."""
        return f"{len(self.images)} images marked by bubbles"

    def marks(self) -> Iterator[tuple[MapRecord, Counts | None]]:
        """Yield a record of each image, with the number of bubbles on each pixel."""
        for image in self.images:
            about = {"answer": image.class_id, "rt_s": image.done_s}
            yield self.record(image.item, "bubbles", axis=None, rung=None, **about), image.counts


def bubbling_sessions(data: DataFolder) -> tuple[list[BubblingSession], dict[str, str]]:
    """Return a data folder's bubbling sessions, and why others can't be read, by their ids.

    Sessions whose data were withdrawn are left out.
    """
    return marking_sessions(data, STUDY, _session)


def _session(journal: Journal, pack: Pack, about: dict[str, Any]) -> BubblingSession:
    rows = {str(row["item"]): row for row in pack.table(TASKS)}
    return BubblingSession(
        **about,
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
