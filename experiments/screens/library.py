"""A study's texts in one language, the lab's own before those that ship."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from participants.session import (
    END_EARLY,
    FAREWELL,
    STOPPED,
    UNATTENDED,
    Break,
    Check,
    Consent,
    Form,
    Page,
    PracticeCheck,
    SessionPlan,
    Step,
)
from participants.session import Question as Asked
from participants.texts import (
    Question,
    Text,
    Words,
    load_question,
    load_text,
    load_words,
    text_names,
)
from stimuli.errors import UserError
from stimuli.typeface import FAMILY, missing_signs, mixed_signs, unset_script

PAUSE_TEXTS = ("pause", "away", "note")
UNSAVED = "unsaved"
AT_ANY_TIME = (*PAUSE_TEXTS, UNSAVED, END_EARLY, FAREWELL, STOPPED)
"""The texts that no plan contains: a pause, and a note during it, may be requested at any time,
another window may take the keyboard's focus, the journal may become unwritable, and somebody may
stop or be led to the end."""


@dataclass(frozen=True, slots=True)
class Library:
    """The texts of a study in one language.

    Attributes
    ----------
    study, language
        The study and the language.
    lab_texts
        The lab's own texts.
    fonts
        A pack's fonts, for signs that the typeface lacks.
    """

    study: str
    language: str
    lab_texts: Path | None = None
    fonts: tuple[bytes, ...] = field(default=(), repr=False)

    def check(self, plan: SessionPlan, lab_values: Mapping[str, str]) -> None:
        """Read everything that a session may show, so that no mistake stops it half-way.

        Raises
        ------
        UserError
            If a text is missing or malformed, or a question lacks a choice.
        """
        values: dict[str, dict[str, str]] = {name: {} for name in AT_ANY_TIME}
        if plan.wait_after:
            values[UNATTENDED] = {}
        for step in plan.steps:
            for page in _pages_of(step):
                if isinstance(page, Page | Consent | Break | Form):
                    values.setdefault(page.text, {}).update(getattr(page, "values", {}))
            asked = step.questions if isinstance(step, Check | Form) else (step,)
            for question in asked:
                if isinstance(question, Asked):
                    self._check_choices(question)
        for name, page_values in values.items():
            self.text(name, {**lab_values, **page_values})
        for name in set(text_names(self.study)) - set(values):
            load_text(self.study, self.language, name, self.lab_texts)

    def _check_choices(self, question: Asked) -> None:
        lacking = sorted(set(question.choices) - set(self.question(question.question).choices))
        if lacking:
            raise UserError(
                f"question {question.question} ({self.language}): lacks the choice {lacking[0]}"
            )

    def text(self, name: str, values: Mapping[str, str]) -> Text:
        """Return a text with its placeholders filled.

        Raises
        ------
        UserError
            If there is no such text, or the typeface lacks one of its characters.
        """
        text = load_text(self.study, self.language, name, self.lab_texts).filled(values)
        self._require_signs(text.markdown, name)
        return text

    def question(self, name: str) -> Question:
        """Return a question and the words for its choices; errors as in `text`."""
        question = load_question(self.study, self.language, name, self.lab_texts)
        self._require_signs(" ".join([question.text, *question.choices.values()]), name)
        return question

    def words(self) -> Words:
        """Return the short words of the screen; errors as in `text`."""
        words = load_words(self.study, self.language, self.lab_texts)
        self._require_signs(" ".join(words.words.values()), "words")
        return words

    def _require_signs(self, text: str, name: str) -> None:
        where = f"text {name} ({self.language})"
        if why := unset_script(text):
            raise UserError(f"{where}: {why}")
        if missing := missing_signs(text, self.fonts):
            raise UserError(f"{where}: the typeface {FAMILY} has no sign {missing[0]!r}")
        if why := mixed_signs(text):
            raise UserError(f"{where}: {why}")


def _pages_of(step: Step) -> tuple[Any, ...]:
    """Return the possible pages of a step."""
    if isinstance(step, Check):
        return step.again, step.call
    return (step.end,) if isinstance(step, PracticeCheck) else (step,)
