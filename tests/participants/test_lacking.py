"""All that a language lacks is named at once, before a session is begun in it."""

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from participants.folder import DataFolder
from participants.lacking import lacking
from participants.simulate.run import simulate
from participants.texts import languages, studies
from stimuli.errors import UserError
from tests.stimuli.studies.progressive_reveal.small import small_sketch

TEXTS = Path("participants/texts/common/en"), Path("participants/studies/human_ai_team/texts/en")


@pytest.fixture
def own(tmp_path):
    """A lab's French texts, which are English ones so far."""
    for folder, name in zip(TEXTS, ("common", "human_ai_team"), strict=True):
        shutil.copytree(folder, tmp_path / name / "fr")
    return tmp_path


def test_nothing_is_lacking_in_what_ships():
    assert {one: lacking(study, one) for study in studies() for one in languages(study)} == {
        "de": (),
        "en": (),
    }


def test_files_questions_and_words_are_named_all_at_once(own):
    assert lacking("human_ai_team", "fr", own) == ()
    for name in ("end.md", "pause.md"):
        (own / "common" / "fr" / name).unlink()
    words = own / "common" / "fr" / "words.toml"
    kept = [line for line in words.read_text().splitlines() if not line.startswith("continue =")]
    words.write_text("\n".join(kept))
    questions = own / "human_ai_team" / "fr" / "questions.toml"
    text = questions.read_text()
    name = re.search(r"^\[(\w+)\]$", text, re.M)[1]
    questions.write_text(text.replace(f"[{name}", "[another"))
    said = lacking("human_ai_team", "fr", own)
    assert len(said) == len(set(said))
    for part in (
        "the texts in 'fr' lack end.md, pause.md",
        f"lacks the questions {name}",
        "lacks the word continue",
    ):
        assert any(part in sentence for sentence in said)


def test_a_simulation_in_a_language_without_texts_is_refused_at_once(tmp_path):
    small = small_sketch()
    protocol = dict(small.manifest.protocol) | {"languages": ["fr"]}
    french = replace(small, manifest=replace(small.manifest, protocol=protocol))
    with pytest.raises(UserError, match="has no texts in 'fr'"):
        simulate(DataFolder(tmp_path / "data"), french, ["viewer"], seed=1)
    assert not (tmp_path / "data").exists()
