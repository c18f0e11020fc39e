"""A rehearsal's plan: every kind of screen of a study once, in the order of a session."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Final

from participants.session.leaving import END_EARLY, FAREWELL, STOPPED
from participants.session.plan import SITTING_END, SessionPlan, Step
from participants.session.qualification import PracticeCheck, Qualification
from participants.session.steps import (
    UNATTENDED,
    Break,
    Check,
    Consent,
    Form,
    Page,
    Question,
    Report,
    SittingEnd,
)
from stimuli.images.sets import NO_SOLUTION

SHORT_BREAK_S: Final = 3.0
TELLING: Final = frozenset({"arm", "kind", "domain", "condition"})
"""Fields of a stimulus whose value changes how the screen looks."""
SHOWN_TO_FEW: Final[Mapping[str, bool]] = {
    STOPPED: True,
    UNATTENDED: False,
    END_EARLY: True,
    "declined": True,
    "withdrawn": True,
    FAREWELL: True,
}
"""Pages that no plan holds, and whether they stay until the experimenter comes.

After one that stays, the next can't be gone back from, as in a session.
"""


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of screen, and a step that shows it."""

    kind: Hashable
    step: Step


def rehearsed(plans: Sequence[SessionPlan], rare: Sequence[str] | None = None) -> SessionPlan:
    """Return a plan that shows each kind of screen of some plans once.

    Texts and questions are the same if their names are; a question is shown with the most choices
    that it has in a plan. Tasks are the same if they look alike: if they have the same type and
    phase (practice or not) and show the same parts of a stimulus. Breaks are short. Nothing is
    judged, so no part is skipped, and pages that follow a failure are shown too.

    Parameters
    ----------
    plans
        Plans of one pack and language, such as one for each arm. A screen that the first plan lacks
        comes where the others have it.
    rare
        Texts that only some plans' reports show. If given, they come after the last page, as do the
        pages that few people see.
    """
    merged: list[_Kind] = []
    for plan in plans:
        _merge(merged, _kinds_of(plan))
    steps = [_renamed(kind.step, number) for number, kind in enumerate(merged, start=1)]
    if rare is not None:
        # The last page of a plan stays until the experimenter comes, here too.
        steps[-1] = replace(steps[-1], reader="experimenter")
        steps += _rare_pages(plans[0], rare, {kind.kind for kind in merged})
    # No step is settled by its number, since the plan isn't resumed.
    return replace(plans[0], steps=tuple(steps), wait_after=0)


def _merge(merged: list[_Kind], kinds: Iterable[_Kind]) -> None:
    """Insert the kinds that are missing, each after the kind that it follows."""
    at = 0
    for kind in kinds:
        there = [number for number, known in enumerate(merged) if known.kind == kind.kind]
        if not there:
            merged.insert(at, kind)
        elif _choices(kind.step) > _choices(merged[there[0]].step):
            merged[there[0]] = kind
        at = max(at, there[0] + 1) if there else at + 1


def _choices(step: Step) -> int:
    """Return how many choices a question has; 0 of other steps."""
    return len(step.choices) if isinstance(step, Question) else 0


def _kinds_of(plan: SessionPlan) -> Iterator[_Kind]:
    for step in plan.steps:
        for screen in _screens_of(step):
            yield _Kind(kind_of(screen), screen)


def _screens_of(step: Any) -> Iterator[Step]:
    """Yield the screens that a step may show, as steps that do nothing else."""
    match step:
        case Page() | Consent() | Form():
            yield step
        case Question():
            yield replace(step, unless={})
        case Break():
            yield replace(step, minimum_s=min(step.minimum_s, SHORT_BREAK_S))
        case Check():
            yield step
            yield step.call
            yield step.again
        case SittingEnd():
            values = {"sitting": str(step.sitting), "sittings": str(step.sittings)}
            yield Page(step.step, SITTING_END, values, reader="experimenter")
        case PracticeCheck():
            if step.end is not None:
                yield replace(step.end, reader="experimenter")
        case Report():
            yield from step.examples
        case Qualification():
            return
        case _:
            # A check or a repeat shows nothing new; a task that shows several kinds of screen names
            # them.
            if hasattr(step, "rehearsed"):
                yield from step.rehearsed()
            elif not hasattr(step, "skips") and getattr(step, "repeat_of", None) is None:
                yield step


def kind_of(step: Any) -> Hashable:
    """Return a key that is equal for steps that show the same kind of screen."""
    match step:
        case Page() | Consent() | Form():
            return "text", step.text
        case Break():
            return "break", step.text, step.may_leave, step.progress
        case Question():
            return "question", step.question, step.about is not None
        case Check():
            return "check", tuple(question.question for question in step.questions)
    task = (
        type(step).__name__,
        getattr(step, "phase", "") == "practice",
        getattr(step, "stage", ""),
    )
    return *task, _look(getattr(step, "stimulus", None))


def _look(stimulus: Any) -> Hashable:
    """Return which parts a stimulus has, and the values that change its look."""
    if not is_dataclass(stimulus):
        return ()
    return tuple(_part(field.name, getattr(stimulus, field.name)) for field in fields(stimulus))


def _part(name: str, value: Any) -> Hashable:
    if name in TELLING or value == NO_SOLUTION:
        return str(value)
    if value is None:
        return None
    return getattr(value, "look", getattr(value, "kind", "there"))


def _renamed(step: Any, number: int) -> Any:
    """Return a step with a unique id; a consent's id is its text."""
    return step if isinstance(step, Consent) else replace(step, step=f"rehearsed-{number:04d}")


def _rare_pages(plan: SessionPlan, rare: Sequence[str], kinds: set[Hashable]) -> list[Step]:
    pages: list[Step] = [Page(text, text) for text in (plan.welcome_back, *rare)]
    pages += [
        Page(text, text, reader="experimenter" if stays else "participant")
        for text, stays in SHOWN_TO_FEW.items()
        if text != UNATTENDED or plan.wait_after
    ]
    return [page for page in pages if kind_of(page) not in kinds]
