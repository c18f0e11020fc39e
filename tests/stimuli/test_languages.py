"""A language is its files: no code outside a study's own material names one."""

import re
from pathlib import Path

from stimuli.languages import ENGLISH, LANGUAGES

ROOT = Path(__file__).parents[2]
ROOMS = ("stimuli", "participants", "xai_backend", "experiments", "analysis", "lab_environment")
TAG = re.compile(rf"""["']({"|".join(LANGUAGES)})["']""")


def test_only_one_constant_names_a_language():
    named = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for room in ROOMS
        for path in (ROOT / room).rglob("*.py")
        if "studies" not in path.parts
        for line in path.read_text(encoding="utf-8").splitlines()
        if TAG.search(line) and "<html" not in line
    ]
    assert named == [f'stimuli/languages/__init__.py: ENGLISH: Final = "{ENGLISH}"']


def test_every_language_says_the_digits_and_names_methods_that_english_names():
    assert next(iter(LANGUAGES)) == ENGLISH
    for language in LANGUAGES.values():
        assert len(set(language.digits)) == 10
        assert set(language.methods) <= set(LANGUAGES[ENGLISH].methods)
        assert all(
            not set(language.frequent) & set(other.frequent)
            for other in LANGUAGES.values()
            if other is not language
        )
