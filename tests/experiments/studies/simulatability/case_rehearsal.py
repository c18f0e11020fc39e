"""A session of simulatability on paper, in any arm."""

from unittest.mock import patch

from experiments.engine.input import Press
from experiments.engine.pacing import FrameRecord
from experiments.engine.present import Presentation, Shown
from experiments.pages import timed_choice
from participants.lists import Assignment
from participants.studies.simulatability.plan import plan_session
from stimuli.pack import Pack
from tests.experiments.rehearsal import Participant, Rehearsal, Screen, noted_texts

SOME = 1
"""So many cases of each section are looked at: the layout of all is tested by itself."""


def rehearse_cases(pack: Pack, arm: str, language: str, size_px: tuple[int, int]) -> list[Screen]:
    """Return every distinct screen of a session, in the order of their coming.

    The participant errs in the check until the experimenter must come, pauses, thinks of ending.
    """
    plan = plan_session(pack, Assignment("sheet-01", arm, "left"), language, "AAAAA")
    seen: dict[tuple[str, str], int] = {}
    alike = set()
    for step in plan.trials:
        kind = step.section, type(step).__name__
        seen[kind] = seen.get(kind, 0) + 1
        if seen[kind] > SOME:
            alike.add(step.step)
    rehearsal = Rehearsal.of(pack, plan, size_px)
    with noted_texts(rehearsal.paper.texts), patch.object(timed_choice, "present", _answered):
        rehearsal.run(Participant(rehearsal.stage, plan, errs=True), frozenset(alike))
    return rehearsal.screens()


def _answered(stage: object, presentation: Presentation, **watchers: object) -> Shown:
    """Stand in for a presentation: the first of the keys answers at once."""
    answer = Press(min(presentation.answer_keys), 1.0)
    return Shown(0.0, 1.0, answer, None, FrameRecord(None, 60, 0, 0.017), False, (0.0,), (0,))
