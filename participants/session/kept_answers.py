"""Questions with answers that outlast the session: personal details, and recorded choices.

On an optional form people state something about themselves, which is kept apart from their data. A
recorded choice binds the lab.
"""

from collections.abc import Mapping
from typing import Final

from participants.session.steps import Form, Question

DEMOGRAPHICS: Final = "demographics"
"""Name of the form, its step and its page."""
SKIP: Final = "skip"
"""The choice by which a question is skipped."""
FORM_FIELDS: Final = {
    "about_age": "age_band", "about_gender": "gender", "about_glasses": "glasses",
    "about_language": "language", "about_acuity": "acuity",
}  # fmt: skip
"""Questions of the form, in order, with the registry's columns for the answers."""
FORM_CHOICES: Final = {
    "about_age": ("18_24", "25_34", "35_44", "45_54", "55_64", "65_up", SKIP),
    "about_gender": ("woman", "man", "other", SKIP),
    "about_glasses": ("none", "glasses", "contact_lenses", SKIP),
    "about_language": ("german", "english", "other", SKIP),
    "about_acuity": ("below_0_5", "0_5", "0_63", "0_8", "1_0", "1_25_up", SKIP),
}
TOLD_RESULT: Final = "told_result"
"""Question whether the person wants to be told the result of the colour vision screening."""
YES: Final = "yes"
NO: Final = "no"
RECORDED_CHOICES: Final = frozenset({TOLD_RESULT})
"""All recorded choices by question; the registry keeps the answers too."""


def demographics_form() -> Form:
    """Return the form: age, gender, glasses, first language, and acuity by the experimenter."""
    questions = tuple(Question(name, name, choices) for name, choices in FORM_CHOICES.items())
    return Form(DEMOGRAPHICS, DEMOGRAPHICS, questions)


def told_of_oneself(answers: Mapping[str, str]) -> dict[str, str | None]:
    """Return a form's answers by the registry's columns; None for a skipped question."""
    return {
        column: None if answers[question] == SKIP else answers[question]
        for question, column in FORM_FIELDS.items()
    }


def told_result() -> Question:
    """Return the question whether to be told the result, which the consent promises."""
    return Question(TOLD_RESULT, TOLD_RESULT, (YES, NO))
