"""What a person goes through who marks by bubbles what makes images recognisable."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from participants.planning import minutes_told, plan_of, rules_of
from participants.registry import Assignment
from participants.session import (
    RENEWED,
    Consent,
    Page,
    SessionPlan,
    Step,
    StrokeKind,
    StrokeResult,
    StrokeTask,
    with_breaks,
)
from participants.session.strokes import AREA_DECIMALS
from participants.studies.progressive_reveal.bubbles import (
    BUBBLE_BRUSH,
    BUBBLE_MS,
    BUBBLE_PX,
    bubble_counts,
    counts_sha256,
)
from participants.studies.progressive_reveal.plan import STUDY
from stimuli.io.canonical import keyed_order
from stimuli.io.tables import Row
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
    """Return why an image can't be left yet, or None if it can."""
    return None if marked else NOTHING_MARKED


def _started(task: StrokeTask, image_sha256: str) -> dict[str, Any]:
    return {"image_sha256": image_sha256}


def _ended(result: StrokeResult) -> dict[str, Any]:
    counts = bubble_counts(result.acts)
    return {
        "bubble_px": BUBBLE_PX,
        "bubble_ms": BUBBLE_MS,
        "counts_sha256": counts_sha256(counts),
        "area": round(float((counts > 0).mean()), AREA_DECIMALS),
    }


BUBBLING: Final = StrokeKind(BUBBLE_BRUSH, refusal, _started, _ended)
"""An image is marked by bubbles."""


def plan_bubbling(
    pack: Pack, given: Assignment | None, language: str, participant: str
) -> SessionPlan:
    """Return the plan of a bubbling session.

    Consent, instructions, every image once in an order of the person's own, breaks,
    debrief, renewed consent.

    Parameters
    ----------
    pack
        A task pack of the study.
    given
        None: everybody is shown the same images.
    language
        Of the texts and of the classes' names.
    participant
        The person's code; decides on the order.

    Raises
    ------
    UserError
        If the pack holds no tasks of this study, or the language is not offered.
    """
    protocol: ProgressiveReveal = rules_of(pack, STUDY, "tasks", "a bubbling", language)
    steps = _steps(pack, protocol, language, participant)
    return plan_of(pack, given, language, steps, device="mouse", welcome_back="bubble_welcome_back")


def _steps(
    pack: Pack, protocol: ProgressiveReveal, language: str, participant: str
) -> tuple[Step, ...]:
    names = {one.class_id: one.name for one in Classes.of(pack.table(CLASSES), language).names}
    rows = {str(row["item"]): row for row in pack.table(TASKS)}
    order = keyed_order(rows, "bubbling", pack.pack_id, participant)
    tasks = [
        _task(rows[item], names, place, len(order)) for place, item in enumerate(order, start=1)
    ]
    minutes = minutes_told(len(tasks), protocol.session.expected_marking_s)
    values = {"images": str(len(tasks)), "minutes": minutes}
    return (
        Consent("bubble_consent", values),
        Page("bubble_instructions", "bubble_instructions"),
        Page("bubble_tools", "bubble_tools"),
        Page("bubble_start", "bubble_start", values),
        *with_breaks(tasks, protocol.session.break_every_rounds, "bubble_break", "progress_marked"),
        Page("bubble_debrief", "bubble_debrief"),
        Consent(RENEWED, renewed=True),
        Page("bubble_end", "bubble_end"),
    )


def _task(row: Row, names: Mapping[str, str], place: int, total: int) -> StrokeTask:
    return StrokeTask(
        trial=place,
        phase="main",
        position=place,
        total=total,
        item=str(row["item"]),
        stimulus=NamedImage(str(row["image_file"]), names[str(row["class"])]),
        kind=BUBBLING,
    )
