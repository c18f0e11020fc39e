"""What keeps sessions from being in a language: all of it at once, before one is begun."""

from functools import partial
from pathlib import Path

from participants.texts.folders import text_names
from participants.texts.load import load_question, load_text, load_words, question_names
from stimuli.errors import UserError


def lacking(study: str, language: str, lab_texts: Path | None = None) -> tuple[str, ...]:
    """Return what is missing or wrong in a study's texts, a sentence each; none if all are there.

    Parameters
    ----------
    study, language
        Whose texts, and in which language.
    lab_texts
        The lab's own texts, which come before those that ship.
    """
    texts = [partial(load_text, study, language, name, lab_texts) for name in text_names(study)]
    asked = sorted(question_names(study))
    questions = [partial(load_question, study, language, name, lab_texts) for name in asked]
    faults = []
    for load in (*texts, *questions, partial(load_words, study, language, lab_texts)):
        try:
            load()
        except UserError as error:
            faults.append(str(error))
    return tuple(dict.fromkeys(faults))
