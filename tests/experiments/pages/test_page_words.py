"""What pages of words say of keys: in the screen's order, by their names."""

import time
from functools import cache
from itertools import pairwise
from types import SimpleNamespace

import pytest

from experiments.engine.input import Press
from experiments.pages import interruptions
from experiments.pages.context import SessionContext
from experiments.pages.interruptions import Unsaved
from experiments.pages.settings import ScreenSettings
from experiments.pages.text_pages import Pages
from experiments.pages.timed_choice import left_first
from experiments.screens.look import Look
from participants.journal import JournalError
from participants.lists import Assignment
from participants.session import BACK, GO_ON, Page, SessionPlan
from participants.studies.simulatability.asked import Understood
from participants.studies.simulatability.plan import plan_session
from participants.texts import load_text, load_words, text_names
from stimuli.protocol import load_protocol
from stimuli.studies.simulatability.sketch import sketch
from tests.experiments.composing import composed
from tests.experiments.rehearsal import Paper, PaperStage, noted_texts
from tests.stimuli.studies.simulatability.small import protocol_of

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


@cache
def cases_plan(side: str, language: str) -> SessionPlan:
    place = Assignment("sheet-01", "text_lime", side)
    return plan_session(sketch(protocol_of()), place, language, "AAAAA")


def answers_of(spoken: tuple[str, str], language: str) -> str:
    """Return simulatability's own list of answers, on the side that gives these keys."""
    for side in ("left", "right"):
        found = next(
            step.values["answers"]
            for step in cases_plan(side, language).steps
            if "answers" in getattr(step, "values", {})
        )
        if found.index(spoken[0]) < found.index(spoken[1]):
            return found
    raise AssertionError(f"no side gives {spoken}")


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("study", CHOICES)
def test_every_list_of_two_keys_begins_with_the_left_one(study, language):
    settings, choices = settings_of(study, language), CHOICES[study]
    session = settings.painter.protocol.session
    left, right = (settings.words.key(key) for key in (session.left_key, session.right_key))
    lists = 0
    for name in text_names(study):
        text = load_text(study, language, name)
        keys_told = {f"{choice}_key" for choice in choices} <= text.placeholders
        if not keys_told and "answers" not in text.placeholders:
            continue
        lists += 1
        for spoken in ((left, right), (right, left)):
            named = {f"{choice}_key": key for choice, key in zip(choices, spoken, strict=True)}
            if not keys_told:
                named = {"answers": answers_of(spoken, language)}
            filled = text.filled(dict.fromkeys(text.placeholders, "2") | named)
            shown = left_first(settings, filled.markdown, "keyboard")
            assert shown.index(left) < shown.index(right), name
            assert sorted(shown.split("\n")) == sorted(filled.markdown.split("\n"))
    assert lists > 1


@pytest.mark.parametrize("language", ["en", "de"])
def test_who_may_stop_reads_the_names_of_the_keys_that_stop(language):
    settings, texts = settings_of("accept_reject", language), []
    with noted_texts(texts):
        interruptions._layers(settings.look, settings.words)
    said = " ".join(text.text for text in texts)
    for key in (interruptions.STOP_KEY, interruptions.LEAVE_KEY):
        assert settings.words.key(key).split("\N{NO-BREAK SPACE}")[-1] in said


@pytest.mark.parametrize("language", ["en", "de"])
def test_who_tries_again_in_vain_sees_that_it_was_tried(language):
    settings, shown = settings_of("accept_reject", language), []
    stage = PaperStage(Paper(), settings.look.size_px)
    album = SimpleNamespace(keep=lambda name, stage, picture: shown.append((name, picture.layers)))
    actor = SimpleNamespace(broken_off=lambda: None, patience_s=None)
    context = SessionContext(stage, actor, album, None)
    pauser = SimpleNamespace(pause_next=lambda reason: None)
    unsaved = Unsaved(pauser, context, settings.look, settings.words, "# Text")
    for tries in range(3):
        stage.pressed = [Press("return", time.perf_counter() + 10)]
        assert unsaved.ask(JournalError("full", "full"), tries)
    names, layers = zip(*shown, strict=True)
    assert names == ("unsaved-full", "unsaved-full-again", "unsaved-full-again")
    pictures = {composed(one, settings.look.size_px, (30, 30, 30)).tobytes() for one in layers}
    assert len(pictures) == 3


def turned(page: Page, keys: list[str], markdown: str = "# Heading\n\nWords.") -> str:
    """Return what comes of a page whose reader presses keys, each as soon as it is waited for."""
    settings = settings_of("accept_reject", "en")

    def for_key(name, layers, awaited, tell):
        while keys:
            if (key := keys.pop(0)) in awaited.keys:
                return Press(key, 1.0, awaited.chord)
        raise EOFError

    waiting = SimpleNamespace(for_key=for_key, until_up=lambda key: None, now_s=time.perf_counter)
    pages = Pages(waiting, None, settings.look, settings.words)
    return pages.read(page, markdown).then


def test_a_page_that_follows_another_leads_back_to_it():
    alone, following = (Page("p", "p", may_return=may) for may in (False, True))
    assert turned(alone, ["left", "space"]) == GO_ON
    assert turned(following, ["left"]) == BACK
    assert turned(following, ["space"]) == GO_ON
    long = "\n\n".join(["# Heading", *["word " * 60] * 8])
    # From its second screenful a page leads back to its first.
    assert turned(following, ["space", *["left"] * 2], long) == BACK
    assert turned(Page("p", "p", may_return=True, from_end=True), ["left"] * 9, long) == BACK


def test_the_space_bar_turns_pages_but_does_not_begin_what_decides():
    deciding = Page("p", "p", confirmed=True)
    with pytest.raises(EOFError):
        turned(deciding, ["space"] * 9)
    assert turned(deciding, ["space", "return"]) == GO_ON
    plan = cases_plan("left", "en")
    looks = [step for step in plan.steps if isinstance(step, Understood) and step.skips]
    asked = {question for look in looks for question in look.right}
    for before, step in pairwise(plan.steps):
        if step.step in asked and isinstance(before, Page):
            assert before.confirmed, step.step


def test_a_page_waits_until_each_of_its_keys_was_pressed():
    """A key that doesn't work keeps the page: in a trial it would cost the answer."""
    trying = Page("p", "p", keys=("f", "h", "j"), may_return=True)
    for lacking in trying.keys:
        with pytest.raises(EOFError):
            turned(trying, [key for key in "fhjjhf" if key != lacking] + ["space"] * 9)
    assert turned(trying, ["space", "j", "j", "f", "space", "h", "space"]) == GO_ON
    assert turned(trying, ["f", "left"]) == BACK
    long = "\n\n".join(["# Heading", *["word " * 60] * 8])
    # Only its last screenful asks for them.
    assert turned(trying, ["f", "j", *["space"] * 2, "f", "h", "j", "space"], long) == GO_ON


def test_the_hint_names_the_keys_that_were_not_pressed_yet():
    settings, said = settings_of("accept_reject", "en"), []

    def for_key(name, layers, awaited, tell):
        said.append((" ".join(text.text for text in texts), awaited.since_s))
        texts.clear()
        return Press("fj "[len(said) - 1].replace(" ", "space"), float(len(said)))

    waiting = SimpleNamespace(for_key=for_key, until_up=lambda key: None, now_s=time.perf_counter)
    with noted_texts(texts := []):
        pages = Pages(waiting, None, settings.look, settings.words)
        pages.read(Page("p", "p", keys=("f", "j")), "Text")
    asked = settings.words["try_keys"]
    assert [told.split("Text ")[1] for told, _ in said] == [
        f"F J {asked}", f"J {asked}", f"Space {settings.words['continue']}",
    ]  # fmt: skip
    assert [since_s for _, since_s in said] == [None, 1.0, 2.0]
