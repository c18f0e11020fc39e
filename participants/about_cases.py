"""What is read about the judged cases: a study's texts speak of images, or of texts.

A text, a question or a word about images may have a variant about texts, whose name ends in
``_texts``. What has none speaks of neither.
"""

from collections.abc import Container
from dataclasses import replace
from typing import Any, Final

from participants.session import Break, Check, Consent, Page, PracticeCheck, Question, SessionPlan
from participants.texts import load_words, question_names, text_names
from participants.texts.folders import reference_of
from stimuli.cases import Cases
from stimuli.protocol import Protocol

OF_TEXTS: Final = "_texts"
"""Ends the name of a text, a question or a word that speaks of texts in place of images."""


def judged_cases(protocol: Protocol) -> Cases:
    """Return what is judged under a protocol; only some studies have texts."""
    return getattr(protocol, "cases", "images")


def about_cases(name: str, cases: Cases, there: Container[str]) -> str:
    """Return the name of what is read about the judged cases.

    Parameters
    ----------
    name
        Of a text, a question or a word.
    cases
        What is judged.
    there
        All names.
    """
    variant = f"{name}{OF_TEXTS}"
    return variant if cases == "texts" and variant in there else name


def plan_about_cases(plan: SessionPlan, cases: Cases) -> SessionPlan:
    """Return a plan whose pages, questions and words speak of the judged cases."""
    if cases == "images":
        return plan
    folder = plan.text_folder
    texts, questions = text_names(folder), question_names(folder)
    words = load_words(folder, reference_of(folder)).words

    def of(step: Any) -> Any:
        if isinstance(step, Page | Consent):
            return replace(step, text=about_cases(step.text, cases, texts))
        if isinstance(step, Question):
            return replace(step, question=about_cases(step.question, cases, questions))
        if isinstance(step, Check):
            asked = tuple(map(of, step.questions))
            return replace(step, questions=asked, again=of(step.again), call=of(step.call))
        if isinstance(step, Break):
            progress = about_cases(step.progress, cases, words)
            return replace(step, text=about_cases(step.text, cases, texts), progress=progress)
        return replace(step, end=of(step.end)) if isinstance(step, PracticeCheck) else step

    return replace(
        plan,
        steps=tuple(map(of, plan.steps)),
        welcome_back=about_cases(plan.welcome_back, cases, texts),
        title=about_cases(plan.title, cases, words),
    )
