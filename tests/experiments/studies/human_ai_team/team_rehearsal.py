"""A participant's session on paper, in any arm."""

from dataclasses import replace
from functools import cache
from unittest.mock import patch

from experiments.engine.input import Press
from experiments.engine.pacing import FrameRecord
from experiments.engine.present import Shown
from experiments.pages import timed_choice
from participants.lists import Assignment
from participants.session import SessionPlan
from participants.session.feedback import Feedback
from participants.studies.human_ai_team.plan import plan_session
from participants.studies.human_ai_team.trial import Asked
from stimuli.pack import Pack
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import protocol_hash
from stimuli.studies.human_ai_team.compose import compose
from stimuli.studies.human_ai_team.sketch import sketch_material
from tests.experiments.rehearsal import Participant, Rehearsal, Screen, all_but, noted_texts
from tests.stimuli.studies.human_ai_team.small import TEXTS, protocol_of

ARMS = (
    "confidence", "gradcam", "salient_object", "nearest_neighbours", "human_alone", "text",
    "rationale", "our_maps",
)  # fmt: skip
NAMES = {
    "": (
        "American Staffordshire terrier, Staffordshire terrier, American pit bull terrier, "
        "pit bull terrier",
        "Chesapeake Bay retriever",
    ),
    "de": ("Weichhaariger Weizenfarbener Terrier", "Donaudampfschifffahrtsgesellschaftskapitän"),
}
"""The longest name in WordNet's words for ImageNet's labels, and other long ones."""
DEFINITION = (
    "an American breed of medium-sized dog with a short, dense, tightly curled coat that sheds "
    "water, bred at the Chesapeake Bay for retrieving ducks from cold water, with amber eyes and "
    "webbed feet"
)
HELP = (
    "The coat is brown, short and wavy, the ears hang, and the eyes are of a light amber, as this "
    "breed has them; behind it lies water. Against it speaks that the muzzle is longer than usual, "
    "and that no webbed feet can be seen. A Labrador’s coat would be smoother and shine more."
)
LONGEST = (HELP * 4)[:900]
"""As long as a rationale may be."""
ANSWER = "Take the medicine twice a day with a meal, and come again in a week if not"
"""As long as a text's label may be, but for a number."""
PARTS = ("prior-", "own-", "trial-", "confidence-", "feedback-")
"""What the ids of a trial's steps begin with."""
PRACTICE = 3
"""Answered rightly, wrongly, and not at all."""


@cache
def pack_of(when: str = "at_once", judged: str = "images", **question: object) -> Pack:
    """Return a small pack of every kind of arm, all of whose words are long."""
    of_texts = judged == "texts"
    changes = TEXTS if of_texts else {"help": {"arms": ARMS}}
    protocol = protocol_of(
        **{name: value for name, value in changes.items() if name != "help"},
        help={**changes["help"], "when": when},
        session={"practice_trials": PRACTICE, "break_every_trials": 4, "comprehension_attempts": 1},
        question={"feedback_s": 0.0, **question},
    )
    material = sketch_material(protocol)
    labels = sorted({label for label, _ in material.names})
    names = {
        (label, language): f"{NAMES[language][number % 2]} {number}"
        for number, label in enumerate(labels)
        for language in NAMES
    }
    if of_texts:
        names = {key: f"{ANSWER} {number}" for number, key in enumerate(names)}
        texts = {"": LONGEST[:700], "de": LONGEST[:700]}
        for name in ("main", "validation", "practice"):
            cases = [replace(case, texts=texts) for case in getattr(material, name)]
            material = replace(material, **{name: cases})
    material = replace(
        material,
        names=names,
        definitions=dict.fromkeys(names, DEFINITION),
        texts={
            "text": dict.fromkeys(material.texts["text"], HELP),
            "rationale": dict.fromkeys(
                material.texts["rationale"], LONGEST[: 700 if of_texts else 900]
            ),
        },
    )
    return pack_in_memory(
        protocol, protocol_hash(protocol), "solutions", compose(protocol, material)
    )


def plan_in(pack: Pack, arm: str, language: str) -> SessionPlan:
    """Return a plan of the first sheet in an arm."""
    return plan_session(pack, Assignment("sheet-01", arm, "left"), language, "AAAAA")


def rehearse_team(
    pack: Pack, arm: str, language: str, size_px: tuple[int, int], *, pages: bool
) -> list[Screen]:
    """Return every distinct screen of a session, in the order of their coming.

    Parameters
    ----------
    pack, arm, language, size_px
        What is shown, and where.
    pages
        Whether all is shown: the participant errs in the check until the experimenter must come,
        takes a pause, thinks of ending; comes back, declines, withdraws. Else only trials are.
    """
    plan = plan_in(pack, arm, language)
    rehearsal = Rehearsal.of(pack, plan, size_px)
    present = _Presented(plan)
    shown = [(Judge(rehearsal.stage, plan, present, errs=pages), _alike(plan, pages=pages))]
    if pages:
        declined = ("consent", frozenset()), ("consent_renewed", all_but(plan, "consent_renewed"))
        shown += [
            (Judge(rehearsal.stage, plan, present, declines={step}), done)
            for step, done in declined
        ]
    with noted_texts(rehearsal.paper.texts), patch.object(timed_choice, "present", present):
        for actor, done in shown:
            rehearsal.run(actor, done)
    return rehearsal.screens()


class _Presented:
    """Stands in for a presentation: answers practice rightly, wrongly, not at all; else yes."""

    def __init__(self, plan: SessionPlan) -> None:
        self.task: Asked | None = None
        feedback = (step for step in plan.steps if isinstance(step, Feedback))
        self._right = {step.about: step.expected for step in feedback}

    def __call__(self, stage: object, presentation: object, **watchers: object) -> Shown:
        task = self.task
        right = self._right.get(task.trial, "yes")
        wrong = "no" if right == "yes" else "yes"
        choice = (right, wrong, "none")[task.trial - 1] if task.phase == "practice" else right
        answer = None if choice == "none" else Press(task.key_of(choice), 1.0)
        return Shown(0.0, 1.0, answer, None, FrameRecord(None, 60, 0, 0.017), False, (0.0,), (0,))


class Judge(Participant):
    """Knows which task comes."""

    def __init__(self, stage, plan, presented: _Presented, **how: object) -> None:
        super().__init__(stage, plan, **how)
        self._presented = presented

    def expect(self, task: Asked, where: None = None) -> None:
        self._presented.task = task


def _alike(plan: SessionPlan, *, pages: bool) -> frozenset[str]:
    """Return the steps that show nothing new: most trials, and pages where they aren't wanted."""
    first = {}
    for step in plan.trials:
        first.setdefault(step.phase, step.trial)
    kept = {*range(1, PRACTICE + 1), first["main"]}
    of_trials = {
        step.step: int(step.step[-4:]) for step in plan.steps if step.step.startswith(PARTS)
    }
    wanted = {name for name, trial in of_trials.items() if trial in kept}
    return frozenset(
        step.step
        for step in plan.steps
        if (step.step in of_trials or not pages) and step.step not in wanted
    )
