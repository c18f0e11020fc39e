"""What pages of words say of keys: in the screen's order, by their names."""

from types import SimpleNamespace

import pytest

from experiments.pages import stopping
from experiments.pages.settings import ScreenSettings
from experiments.pages.sides import left_first
from experiments.screens.look import Look
from participants.texts import load_text, load_words, text_names
from stimuli.protocol import load_protocol
from tests.experiments.rehearsal import noted_texts

CHOICES = {
    "accept_reject": ("accept", "reject"),
    "accept_reject_accuracy": ("accept", "reject"),
    "human_ai_team": ("yes", "no"),
    "simulatability": ("negative", "positive"),
}


def settings_of(study: str, language: str) -> ScreenSettings:
    painter = SimpleNamespace(protocol=load_protocol(study, None))
    look, words = Look((1280, 720), (30, 30, 30), language), load_words(study, language)
    return ScreenSettings(painter, None, look, words, {})


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("study", CHOICES)
def test_every_list_of_two_keys_begins_with_the_left_one(study, language):
    settings, choices = settings_of(study, language), CHOICES[study]
    session = settings.painter.protocol.session
    left, right = (settings.words.key(key) for key in (session.left_key, session.right_key))
    lists = 0
    for name in text_names(study):
        text = load_text(study, language, name)
        if not {f"{choice}_key" for choice in choices} <= text.placeholders:
            continue
        lists += 1
        for spoken in ((left, right), (right, left)):
            named = {f"{choice}_key": key for choice, key in zip(choices, spoken, strict=True)}
            filled = text.filled(dict.fromkeys(text.placeholders, "2") | named)
            shown = left_first(settings, filled.markdown, "keyboard")
            assert shown.index(left) < shown.index(right), name
            assert sorted(shown.split("\n")) == sorted(filled.markdown.split("\n"))
    assert lists > 1


@pytest.mark.parametrize("language", ["en", "de"])
def test_who_may_stop_reads_the_names_of_the_keys_that_stop(language):
    settings, texts = settings_of("accept_reject", language), []
    with noted_texts(texts):
        stopping._layers(settings.look, settings.words)
    said = " ".join(text.text for text in texts)
    for key in (stopping.STOP_KEY, stopping.LEAVE_KEY):
        assert settings.words.key(key).split("\N{NO-BREAK SPACE}")[-1] in said
