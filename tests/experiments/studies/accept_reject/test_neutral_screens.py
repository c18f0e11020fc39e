"""Nothing that a person can read on the screen tells too early who solved the tasks, or how."""

import re

import pytest

from participants.texts import discloses, load_words, named_sources, studies
from stimuli.pack import open_pack
from stimuli.studies.accept_reject.tables import LISTS
from tests.experiments.studies.accept_reject.expert_rehearsal import rehearse_expert
from tests.experiments.studies.accept_reject.lead_rehearsal import rehearse
from tests.experiments.studies.accept_reject_accuracy.test_accuracy_screens import shown_in

LANGUAGES = ("en", "de")
SIZE_PX = (480, 270)
"""Small, since words are read here, not places; lines break as on the usual screens."""
FILE = re.compile(
    r"[\\/]\w+[\\/.]|\.(?:png|plate|region|csv|jsonl?|toml|md|py)\b|\b\w*[0-9a-f]{10}\b"
)


@pytest.fixture(scope="module", params=LANGUAGES)
def language(request):
    return request.param


@pytest.fixture(scope="module", params=["lead", "expert", "lead of labels"])
def screens(request, language, mini_pack, all_tasks):
    if request.param == "lead":
        return rehearse(open_pack(mini_pack), language, SIZE_PX)
    if request.param == "expert":
        return rehearse_expert(open_pack(all_tasks), language, SIZE_PX)
    return shown_in(language, SIZE_PX)


def words_on(screen):
    """Return all that stands on a screen; labels of a data set are the data set's own words."""
    return " ".join(text.text for text in screen.texts)


def tells(screen):
    """Whether a screen shows a text or question that may name sources in one of the studies."""
    text = screen.name.partition("-")[0]
    return any(discloses(study, text) for study in ("accept_reject", "accept_reject_accuracy"))


def test_no_screen_before_the_question_of_the_source_names_one(screens, language):
    told = [screen for screen in screens if tells(screen)]
    early = [screen for screen in screens if not tells(screen)]
    assert len(early) > 10
    shown = {screen.name: named_sources(words_on(screen), language) for screen in early
             if not screen.name.startswith(("trial-", "example_"))}  # fmt: skip
    assert {name: found for name, found in shown.items() if found} == {}
    # The list can fail: pages that may disclose the source are full of its words.
    assert any(named_sources(words_on(screen), language) for screen in told)


def test_no_screen_shows_a_files_name_or_an_id(screens):
    found = {screen.name: FILE.findall(words_on(screen)) for screen in screens}
    assert {name: names for name, names in found.items() if names} == {}


@pytest.mark.parametrize("study", studies())
def test_a_window_is_called_by_a_neutral_word_of_its_study(study, language):
    title = load_words(study, language)["title"]
    assert title
    assert named_sources(title, language) == []
    assert not FILE.search(title)


def test_a_study_of_images_is_not_called_plates(language):
    titles = {study: load_words(study, language)["title"] for study in studies()}
    assert titles["accept_reject"] in ("Plates", "Tafeln")
    assert titles["accept_reject"] not in (
        titles["accept_reject_accuracy"], titles["progressive_reveal"]
    )  # fmt: skip


def test_names_of_files_that_a_session_opens_are_neutral(mini_pack, all_tasks):
    """A message of the system's (a file that can't be read) would show them."""
    for folder in (mini_pack, all_tasks):
        pack = open_pack(folder)
        paths = [*pack.paths("assets"), "items.csv", "lists.csv"]
        paths += [str(row["list"]) for row in pack.table(LISTS)] if folder == mini_pack else []
        words = [re.sub(r"[\W_]", " ", path) for path in paths]
        assert len(words) > 10
        assert [path for path in words if any(named_sources(path, own) for own in LANGUAGES)] == []


@pytest.mark.parametrize("text", ["assets/plates/1.plate", r"C:\data\s", "p0123456789ab", "a.png"])
def test_a_files_name_on_a_screen_would_be_found(text):
    assert FILE.search(f"It shows {text} here")
