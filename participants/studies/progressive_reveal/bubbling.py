"""What a person goes through who marks by bubbles what makes images recognisable."""

from collections.abc import Mapping, Sequence

from participants.planning import require_language, require_pack
from participants.session import (
    RENEWED,
    Break,
    BubbleTask,
    Consent,
    Page,
    SessionPlan,
    Step,
    trial_step,
)
from participants.studies.progressive_reveal.plan import STUDY
from stimuli.io.canonical import keyed_order
from stimuli.io.tables import Row
from stimuli.pack import Pack
from stimuli.studies.progressive_reveal.classes import Classes
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal
from stimuli.studies.progressive_reveal.tables import CLASSES
from stimuli.studies.progressive_reveal.tasks import TASKS


def plan_bubbling(pack: Pack, language: str, participant: str) -> SessionPlan:
    """Return the plan of a bubbling session.

    Consent, instructions, every image once in an order of the person's own, breaks,
    debrief, renewed consent.

    Parameters
    ----------
    pack
        A task pack of the study.
    language
        Of the texts and of the classes' names.
    participant
        The person's code; decides on the order.

    Raises
    ------
    UserError
        If the pack holds no tasks of this study, or the language is not offered.
    """
    protocol = _protocol_of(pack)
    require_language(protocol, language)
    return SessionPlan(
        study=STUDY,
        pack_id=pack.pack_id,
        protocol_hash=pack.manifest.protocol_hash,
        list_id="",
        order="",
        language=language,
        device="mouse",
        accept_key="",
        reject_key="",
        steps=_steps(pack, protocol, language, participant),
    )


def _protocol_of(pack: Pack) -> ProgressiveReveal:
    require_pack(pack, STUDY, "tasks", "a bubbling")
    protocol = pack.protocol
    assert isinstance(protocol, ProgressiveReveal)
    return protocol


def _steps(
    pack: Pack, protocol: ProgressiveReveal, language: str, participant: str
) -> tuple[Step, ...]:
    names = {one.class_id: one.name for one in Classes.of(pack.table(CLASSES), language).names}
    rows = {str(row["item"]): row for row in pack.table(TASKS)}
    order = keyed_order(rows, "bubbling", pack.pack_id, participant)
    tasks = [_task(rows[item], names, place) for place, item in enumerate(order, start=1)]
    values = {"images": str(len(tasks))}
    return (
        Consent("bubble_consent", values),
        Page("bubble_instructions", "bubble_instructions"),
        Page("bubble_tools", "bubble_tools"),
        Page("bubble_start", "bubble_start", values),
        *_with_breaks(tasks, protocol.session.break_every_rounds),
        Page("bubble_debrief", "bubble_debrief"),
        Consent(RENEWED, renewed=True),
        Page("bubble_end", "bubble_end"),
    )


def _task(row: Row, names: Mapping[str, str], place: int) -> BubbleTask:
    return BubbleTask(
        step=trial_step(place),
        trial=place,
        phase="main",
        position=place,
        item=str(row["item"]),
        image_file=str(row["image_file"]),
        name=names[str(row["class"])],
    )


def _with_breaks(tasks: Sequence[BubbleTask], every: int) -> list[Step]:
    steps: list[Step] = []
    for task in tasks:
        steps.append(task)
        at = task.position
        if at % every == 0 and at < len(tasks):
            steps.append(Break(f"break-{at:04d}", "bubble_break", at, len(tasks)))
    return steps
