"""What names a study and its files tells nothing of the solvers."""

import re

import pytest

from participants.texts import load_words, named_sources, studies
from stimuli.pack import open_pack
from stimuli.studies.accept_reject.tables import LISTS
from tests.experiments.studies.accept_reject.told_early import FILE

LANGUAGES = ("en", "de")


@pytest.fixture(scope="module", params=LANGUAGES)
def language(request):
    return request.param


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
