"""Texts that participants read: consent, instructions, questions, debrief, in each language."""

from participants.texts.folders import RIG, languages, studies, text_names
from participants.texts.load import (
    Question,
    Text,
    Words,
    all_that_is_read,
    discloses,
    load_question,
    load_text,
    load_words,
    named_sources,
    question_names,
    written_number,
)
from participants.texts.rig import ChecklistText, load_checklist
