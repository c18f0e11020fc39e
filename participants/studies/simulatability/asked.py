"""Questions about the task, the balance and the method, with their right answers.

The published study's screening test isn't public; these questions were written anew.
"""

from collections.abc import Mapping
from typing import Final

from stimuli.studies.simulatability.protocol import NO_EXPLANATION, Simulatability

Asked = tuple[str, tuple[str, ...], str]
"""A question's name, its choices in order, and the right one."""

COURSE: Final = ("course", ("yes", "no"), "yes")
CHECKS: Final[tuple[Asked, ...]] = (
    ("check_predict", ("right_answer", "system_answer"), "system_answer"),
    ("check_told", ("yes", "no"), "no"),
)
"""What everybody must know before the first example."""
BALANCE: Final[tuple[Asked, ...]] = (
    ("balance_right", ("nearly_always", "half", "nearly_never"), "half"),
    ("balance_label", ("same", "opposite", "nothing"), "nothing"),
)
CHANGED: Final[Asked] = ("balance_changed", ("always", "never", "half"), "half")
"""Where changed versions are predicted."""
ANSWERS: Final[Asked] = ("balance_answers", ("equally", "one_more", "depends"), "equally")
"""Where none are."""

WEIGHTS_SIZE: Final[Asked] = ("weights_size", ("smaller", "larger", "equal"), "larger")
BOUNDARY_END: Final[Asked] = ("boundary_end", ("changes", "stays", "learns"), "changes")
OF_METHODS: Final[Mapping[str, tuple[Asked, Asked]]] = {
    "lime": (WEIGHTS_SIZE, ("weights_sign", ("same", "opposite", "unimportant"), "opposite")),
    "anchor": (
        ("anchor_kept", ("rule", "opposite", "unknown"), "rule"),
        ("anchor_broken", ("stays", "changes", "open"), "open"),
    ),
    "prototype": (
        ("prototype_what", ("corrected", "similar", "opposite"), "similar"),
        ("prototype_score", ("smaller", "larger", "equal"), "larger"),
    ),
    "decision_boundary": (
        BOUNDARY_END,
        ("boundary_margin", ("surer", "less_sure", "wrong"), "less_sure"),
    ),
    "composite": (WEIGHTS_SIZE, BOUNDARY_END),
    "omission": (("omission_what", ("often", "without", "place"), "without"), WEIGHTS_SIZE),
    NO_EXPLANATION: (
        ("again_what", ("same", "new", "corrected"), "same"),
        ("again_use", ("truth", "examples", "last_answer"), "examples"),
    ),
}
OF_OTHERS: Final[tuple[Asked, Asked]] = (
    ("rationale_about", ("right", "why", "truth"), "why"),
    ("rationale_wrong", ("corrects", "shows_why", "warns"), "shows_why"),
)
"""Of a lab's own explanations."""

AT_THE_END: Final = (
    ("relied_on", ("explanations", "examples", "own_answer", "guess", "other")),
    ("explanations_helped", ("not_at_all", "a_little", "a_lot", "hindered")),
    ("knows_ai", ("none", "heard", "basics", "works_with_it", "skip")),
)
OF_EXPLANATIONS: Final = frozenset({"explanations", "explanations_helped"})
"""The question and the choice that speak of explanations."""


def understanding_of(protocol: Simulatability, method: str) -> tuple[Asked, ...]:
    """Return the questions on balance and method; none where the protocol has no test."""
    if not protocol.understanding.pass_right:
        return ()
    changed = CHANGED if "counterfactual" in protocol.design.tests else ANSWERS
    return (*BALANCE, changed, *OF_METHODS.get(method, OF_OTHERS))


def right_answers() -> dict[str, str]:
    """Return the right choice of every question that has one, by the question's name."""
    of_methods = (asked for pair in (*OF_METHODS.values(), OF_OTHERS) for asked in pair)
    every = (COURSE, *CHECKS, *BALANCE, CHANGED, ANSWERS, *of_methods)
    return {name: right for name, _, right in every}
