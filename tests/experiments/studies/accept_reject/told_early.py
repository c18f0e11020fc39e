"""Nothing that a person reads on a screen tells too early who solved the tasks, or how.

Modules with the fixtures ``screens`` and ``spoken``, their language, collect it.
"""

import re

from participants.texts import discloses, named_sources

FILE = re.compile(
    r"[\\/]\w+[\\/.]|\.(?:png|plate|region|csv|jsonl?|toml|md|py)\b|\b\w*[0-9a-f]{10}\b"
)


def words_on(screen):
    """Return all that stands on a screen; labels of a data set are the data set's own words."""
    return " ".join(text.text for text in screen.texts)


def tells(screen):
    """Whether a screen shows a text or question that may name sources in one of the studies."""
    text = screen.name.partition("-")[0]
    return any(discloses(study, text) for study in ("accept_reject", "accept_reject_accuracy"))


def test_no_screen_before_the_question_of_the_source_names_one(screens, spoken):
    told = [screen for screen in screens if tells(screen)]
    early = [screen for screen in screens if not tells(screen)]
    assert len(early) > 10
    shown = {screen.name: named_sources(words_on(screen), spoken) for screen in early
             if not screen.name.startswith(("trial-", "example_"))}  # fmt: skip
    assert {name: found for name, found in shown.items() if found} == {}
    # The list can fail: pages that may disclose the source are full of its words.
    assert any(named_sources(words_on(screen), spoken) for screen in told)


def test_no_screen_shows_a_files_name_or_an_id(screens):
    found = {screen.name: FILE.findall(words_on(screen)) for screen in screens}
    assert {name: names for name, names in found.items() if names} == {}
