"""The plan of a bubbling session: a person marks with bubbles what makes images recognisable.

Also bubbling sessions read back: what was marked on each image.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from participants import session
from participants.dataset.map_sets import MarkingSession, marking_sessions
from participants.folder import DataFolder
from participants.journal import Event, Journal
from participants.lists import Assignment
from participants.planning import minutes_told, plan_of, rules_of
from participants.session.strokes import AREA_DECIMALS
from participants.strokes import act_from
from participants.studies.progressive_reveal.bubbles import (
    BUBBLE_BRUSH,
    BUBBLE_MS,
    BUBBLE_PX,
    Counts,
    bubble_counts,
    counts_sha256,
)
from participants.studies.progressive_reveal.plan import STUDY
from stimuli.errors import UserError
from stimuli.io.canonical import keyed_order
from stimuli.io.tables import Row
from stimuli.maps.map_set import MapRecord
from stimuli.pack import Pack
from stimuli.studies.progressive_reveal.classes import Classes
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal
from stimuli.studies.progressive_reveal.tables import CLASSES
from stimuli.studies.progressive_reveal.tasks import TASKS

NOTHING_MARKED: Final = "nothing_marked"


@dataclass(frozen=True, slots=True)
class NamedImage:
    """An image to be marked: its path in the pack, and what it shows in the session's language."""

    image_file: str
    name: str


def refusal(label: str | None, marked: bool) -> str | None:
    """Return why the person can't go on from an image yet, or None if they can."""
    return None if marked else NOTHING_MARKED


def _started(task: session.StrokeTask, image_sha256: str) -> dict[str, Any]:
    return {"image_sha256": image_sha256}


def _ended(result: session.StrokeResult) -> dict[str, Any]:
    counts = bubble_counts(result.acts)
    return {
        "bubble_px": BUBBLE_PX,
        "bubble_ms": BUBBLE_MS,
        "counts_sha256": counts_sha256(counts),
        "area": round(float((counts > 0).mean()), AREA_DECIMALS),
    }


BUBBLING: Final = session.StrokeKind(BUBBLE_BRUSH, refusal, _started, _ended)
"""An image is marked by bubbles."""


def plan_bubbling(
    pack: Pack, assignment: Assignment | None, language: str, participant: str
) -> session.SessionPlan:
    """Return the plan of a bubbling session.

    It has the consent, instructions, every image once in the person's own random order with breaks,
    debrief and renewed consent.

    Parameters
    ----------
    pack
        A task pack of the study.
    assignment
        None: everybody is shown the same images.
    language
        Of the texts and of the classes' names.
    participant
        The person's code; determines the order.

    Raises
    ------
    UserError
        If the pack holds no tasks of this study, or the language is not offered.
    """
    protocol: ProgressiveReveal = rules_of(pack, STUDY, "tasks", "a bubbling", language)
    steps = _steps(pack, protocol, language, participant)
    return plan_of(
        pack, assignment, language, steps, device="mouse", welcome_back="bubble_welcome_back"
    )


def _steps(
    pack: Pack, protocol: ProgressiveReveal, language: str, participant: str
) -> tuple[session.Step, ...]:
    names = {name.class_id: name.name for name in Classes.of(pack.table(CLASSES), language).names}
    rows = {str(row["item"]): row for row in pack.table(TASKS)}
    order = keyed_order(rows, "bubbling", pack.pack_id, participant)
    tasks = [
        _task(rows[item], names, place, len(order)) for place, item in enumerate(order, start=1)
    ]
    minutes = minutes_told(len(tasks), protocol.session.expected_marking_s)
    values = {"images": str(len(tasks)), "minutes": minutes}
    return (
        session.Consent("bubble_consent", values),
        session.Page("bubble_instructions", "bubble_instructions"),
        session.Page("bubble_tools", "bubble_tools"),
        session.Page("bubble_start", "bubble_start", values),
        *session.with_breaks(
            tasks, protocol.session.break_every_rounds, "bubble_break", "progress_marked"
        ),
        session.Page("bubble_debrief", "bubble_debrief"),
        session.Consent(session.RENEWED, renewed=True),
        session.Page("bubble_end", "bubble_end"),
    )


def _task(row: Row, names: Mapping[str, str], place: int, total: int) -> session.StrokeTask:
    return session.StrokeTask(
        trial=place,
        phase="main",
        position=place,
        total=total,
        item=str(row["item"]),
        stimulus=NamedImage(str(row["image_file"]), names[str(row["class"])]),
        kind=BUBBLING,
    )


@dataclass(frozen=True, slots=True, eq=False)
class BubbledImage:
    """What a person marked on an image.

    Attributes
    ----------
    end
        The trial's end, with all strokes, and the hash of the counts that they left.
    class_id
        What the image shows.
    """

    end: Event
    class_id: str

    @property
    def item(self) -> str:
        """The image."""
        return str(self.end["item"])

    @property
    def counts(self) -> Counts:
        """float32 (256, 256): bubbles on each pixel, rebuilt from the acts.

        Raises
        ------
        UserError
            If they aren't the counts that were on screen.
        """
        counts = bubble_counts([act_from(document) for document in self.end["acts"]])
        rule = (self.end["bubble_px"], self.end["bubble_ms"])
        if rule != (BUBBLE_PX, BUBBLE_MS) or counts_sha256(counts) != self.end["counts_sha256"]:
            raise UserError(
                f"image {self.item}: the bubbles that follow from its acts are not those that were "
                "on screen; update Plainsight on this PC"
            )
        return counts


@dataclass(frozen=True)
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
            about = {"answer": image.class_id, "rt_s": float(image.end["done_s"])}
            yield self.record(image.item, "bubbles", axis=None, rung=None, **about), image.counts


def bubbling_sessions(data: DataFolder) -> tuple[list[BubblingSession], dict[str, str]]:
    """Return a data folder's bubbling sessions, and why others can't be read, by their ids.

    Sessions whose data were withdrawn are left out.
    """
    return marking_sessions(data, STUDY, _session)


def _session(journal: Journal, pack: Pack) -> BubblingSession:
    classes = {row["item"]: str(row["class"]) for row in pack.table(TASKS)}
    ends = journal.of("trial_end")
    return BubblingSession(journal, tuple(BubbledImage(end, classes[end["item"]]) for end in ends))
