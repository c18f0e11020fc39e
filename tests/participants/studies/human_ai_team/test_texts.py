"""Texts of human_ai_team: whole in every language, and silent on what the debrief discloses."""

import re
from functools import cache

import pytest

from participants.session import Break, Check, Consent, Page, Question
from participants.studies.human_ai_team.plan import STUDY
from participants.studies.human_ai_team.trial import Judgement
from participants.texts import (
    discloses,
    languages,
    load_question,
    load_text,
    load_words,
    named_sources,
    text_names,
)
from stimuli.studies.human_ai_team.sketch import sketch
from tests.participants.studies.human_ai_team.taken import (
    ALL_ASKED,
    ARMS,
    of,
    pack_of,
    plan_of,
    taken,
)
from tests.stimuli.studies.human_ai_team.small import TEXTS, protocol_of

LANGUAGES = languages(STUDY)
LAB = {"institution": "I", "contact": "C", "terms": "T"}
DISCLOSED = re.compile(
    r"adversar|attack|Angriff|alter(?:ed|ation)|verändert|täusch|deceiv|on purpose|absichtlich"
    r"|Grad-?CAM|group|Gruppe|\beasy|\bleicht",
    re.IGNORECASE,
)
"""What nobody may read before the debrief."""
OF_IMAGES = re.compile(
    r"\b(?:images?|pictures?|Bild(?:er[ns]?|es|s)?)\b(?!- oder Ton)", re.IGNORECASE
)
OPTIONS = (
    {},
    {"question": ALL_ASKED, "help": {"when": "after_delay"}},
    {"question": ALL_ASKED, "help": {"when": "on_demand"}, "validation": {"placed": "mixed"}},
)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("arm", "changes"),
    [*((arm, OPTIONS[2]) for arm in ARMS), ("gradcam", OPTIONS[0]), ("our_maps", OPTIONS[1])],
)
def test_a_plan_has_all_it_says_and_tells_nothing_too_early(arm, changes, language):
    plan, disclosed = plan_of(pack_of(**changes), arm, language), False
    for step in plan.steps:
        read = []
        if isinstance(step, Page | Consent):
            read = [load_text(STUDY, language, step.text).filled({**LAB, **step.values}).markdown]
            disclosed = disclosed or step.step == "debrief"
        asked = [step] if isinstance(step, Question) else []
        for question in step.questions if isinstance(step, Check) else asked:
            words = load_question(STUDY, language, question.question)
            assert set(question.choices) <= set(words.choices)
            if question.question != "noticed_altered":
                read += [words.text, *words.choices.values()]
        if not disclosed:
            assert [DISCLOSED.findall(text) for text in read] == [[]] * len(read)
    assert disclosed


@cache
def pack_of_texts(when):
    changes = {**TEXTS, "help": {**TEXTS["help"], "when": when}, "question": ALL_ASKED}
    return sketch(protocol_of(**changes))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("arm", "when"),
    [*((arm, "on_demand") for arm in TEXTS["help"]["arms"]), ("confidence", "after_delay")],
)
def test_who_judges_texts_reads_nothing_of_images(arm, when, language):
    plan, words = plan_of(pack_of_texts(when), arm, language), load_words(STUDY, language)
    read, disclosed = [load_text(STUDY, language, plan.welcome_back).markdown], False
    for step in plan.steps:
        before = len(read)
        if isinstance(step, Page | Consent):
            disclosed = disclosed or step.step == "debrief"
            text = load_text(STUDY, language, step.text)
            read.append(text.filled({**LAB, **step.values}).markdown)
        if isinstance(step, Break):
            read.append(words[step.progress])
        asked = [step] if isinstance(step, Question) else []
        for question in step.questions if isinstance(step, Check) else asked:
            own = load_question(STUDY, language, question.question)
            read += [own.text, *(own.choices[choice] for choice in question.choices)]
        if not disclosed:
            assert not any(DISCLOSED.findall(text) for text in read[before:])
        if isinstance(step, Judgement):
            assert (step.stimulus.image_file, bool(step.stimulus.case_text)) == ("", True)
    assert disclosed
    assert not [text for text in read if OF_IMAGES.search(text)]
    robot = taken(plan, pack_of_texts(when))
    assert {event["value"] for event in of(robot, "answer") if event["step"] == "relied_on"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_debrief_says_what_was_hidden(language):
    texts = [load_text(STUDY, language, name).markdown
             for name in text_names(STUDY) if name.startswith("debrief")]  # fmt: skip
    assert len(texts) == 20
    assert len(DISCLOSED.findall("\n".join(texts))) > 8
    named = [name for name in text_names(STUDY)
             if named_sources(load_text(STUDY, language, name).markdown, language)]  # fmt: skip
    assert all(discloses(STUDY, name) for name in named)
    assert not discloses(STUDY, "consent")
