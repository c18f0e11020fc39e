"""Questions about the task, the balance and the method, with their right answers.

The published study's screening test isn't public, so these questions were written anew. The
answers, also the one about a course, decide who takes part.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from participants.session import Attended
from participants.session.qualification import QUALIFICATION
from stimuli.studies.simulatability.protocol import Simulatability

Asked = tuple[str, tuple[str, ...], str]
"""A question's name, its choices in order, and the right one."""

COURSE: Final = ("course", ("yes", "no"), "yes")
CHECKS: Final[tuple[Asked, ...]] = (
    ("check_predict", ("right_answer", "system_answer"), "system_answer"),
    ("check_told", ("yes", "no"), "no"),
)
"""Questions on what everybody must know before the first example."""
BALANCE: Final[tuple[Asked, ...]] = (
    ("balance_right", ("nearly_always", "half", "nearly_never"), "half"),
    ("balance_label", ("same", "opposite", "nothing"), "nothing"),
)
CHANGED: Final[Asked] = ("balance_changed", ("always", "never", "half"), "half")
"""Asked if changed versions are predicted."""
ANSWERS: Final[Asked] = ("balance_answers", ("equally", "one_more", "depends"), "equally")
"""Asked if none are."""
BALANCE_OF_MANY: Final[tuple[Asked, ...]] = (
    BALANCE[0],
    ("balance_each", ("equally", "one_more", "depends"), "equally"),
)
"""Replacements for the first two if there are more than two classes."""
OTHER_ANSWERS: Final[Asked] = ("balance_wrong", ("right_one", "another", "none"), "another")
"""Replaces the third if there are more than two, and no changed versions are predicted."""

WEIGHTS_SIZE: Final[Asked] = ("weights_size", ("smaller", "larger", "equal"), "larger")
BOUNDARY_END: Final[Asked] = ("boundary_end", ("changes", "stays", "learns"), "changes")
ABOUT: Final[Asked] = ("rationale_about", ("right", "why", "truth"), "why")
WEIGHTS_SIGN: Final[Asked] = ("weights_sign", ("same", "opposite", "unimportant"), "opposite")
OF_FORMS: Final[Mapping[str, tuple[Asked, Asked]]] = {
    "lime": (WEIGHTS_SIZE, WEIGHTS_SIGN),
    "weights": (WEIGHTS_SIZE, WEIGHTS_SIGN),
    "weights_many": (
        WEIGHTS_SIZE,
        ("weights_against", ("for", "against", "unimportant"), "against"),
    ),
    "attention": (
        ("attention_size", ("smaller", "larger", "equal"), "larger"),
        ("attention_what", ("attended", "answer", "often"), "attended"),
    ),
    "example": (("example_what", ("corrected", "similar", "opposite"), "similar"), ABOUT),
    "anchor": (
        ("anchor_kept", ("rule", "opposite", "unknown"), "rule"),
        ("anchor_broken", ("stays", "changes", "open"), "open"),
    ),
    "prototype": (
        ("prototype_what", ("corrected", "similar", "opposite"), "similar"),
        ("prototype_score", ("smaller", "larger", "equal"), "larger"),
    ),
    "boundary": (
        BOUNDARY_END,
        ("boundary_margin", ("surer", "less_sure", "wrong"), "less_sure"),
    ),
    "boundary_many": (BOUNDARY_END, ABOUT),
    "composite": (WEIGHTS_SIZE, BOUNDARY_END),
    "omission": (("omission_what", ("often", "without", "place"), "without"), WEIGHTS_SIZE),
    "": (
        ("again_what", ("same", "new", "corrected"), "same"),
        ("again_use", ("truth", "examples", "last_answer"), "examples"),
    ),
    "rationale": (
        ABOUT,
        ("rationale_wrong", ("corrects", "shows_why", "warns"), "shows_why"),
    ),
}
"""Questions by the form of explanations (`shown.Sheet.form`)."""

AT_THE_END: Final = (
    ("relied_on", ("explanations", "examples", "own_answer", "guess", "other")),
    ("explanations_helped", ("not_at_all", "a_little", "a_lot", "hindered")),
    ("knows_ai", ("none", "heard", "basics", "works_with_it", "skip")),
)
OF_EXPLANATIONS: Final = frozenset({"explanations", "explanations_helped"})
"""The question and the choice that speak of explanations."""


def understanding_of(protocol: Simulatability, form: str, classes: int) -> tuple[Asked, ...]:
    """Return the questions on balance and method; none where the protocol has no test.

    Parameters
    ----------
    form
        The form of explanations (`shown.Sheet.form`).
    classes
        How many answers the system can give.
    """
    if not protocol.understanding.pass_right:
        return ()
    balance, third = (BALANCE, ANSWERS) if classes == 2 else (BALANCE_OF_MANY, OTHER_ANSWERS)
    changed = CHANGED if "counterfactual" in protocol.design.tests else third
    return (*balance, changed, *OF_FORMS[form])


def right_answers() -> dict[str, str]:
    """Return the right choice of every question that has one, by the question's name."""
    of_forms = (asked for pair in OF_FORMS.values() for asked in pair)
    balance = (*BALANCE, *BALANCE_OF_MANY, CHANGED, ANSWERS, OTHER_ANSWERS)
    every = (COURSE, *CHECKS, *balance, *of_forms)
    return {name: right for name, _, right in every}


@dataclass(frozen=True, slots=True)
class Understood:
    """A check of questions with right answers.

    Attributes
    ----------
    step
        Unique in the plan.
    right
        The right choice of each question, by its step.
    needed
        Number of right answers that are needed.
    skips
        Ids of the steps that are skipped if too few were right.
    reports
        Ids of the pages that are skipped if enough were right.
    """

    step: str
    right: Mapping[str, str]
    needed: int
    skips: frozenset[str] = frozenset()
    reports: frozenset[str] = frozenset()

    def perform(self, presenter: Any, recorder: Attended) -> frozenset[str]:
        """Record whether the person qualified; return the ids of the steps that this settles."""
        # A question has one answer; if there were two, the first would count.
        answers: dict[str, str] = {}
        for answer in recorder.of("answer"):
            answers.setdefault(answer["step"], answer["value"])
        right = sum(answers.get(step) == choice for step, choice in self.right.items())
        qualified = right >= self.needed
        recorder.append(
            QUALIFICATION,
            durable=True,
            step=self.step,
            trials=len(self.right),
            right=right,
            needed=self.needed,
            qualified=qualified,
        )
        return self.settles(qualified=qualified)

    def settles(self, *, qualified: bool) -> frozenset[str]:
        """Return the ids of the steps that the check settles."""
        return frozenset({self.step}) | (self.reports if qualified else self.skips)
