"""The consent's blanks: filled from lab.toml in every study's consent, else visible lines."""

import tomllib

import pytest

from participants.folder import LabFolder
from participants.lab_settings import (
    BLANK,
    ConsentBlanks,
    consent_examples,
    consent_template,
    consent_values,
    left_blank,
)
from participants.texts import load_text, studies, text_names
from stimuli.catalogue import LAB_FILE
from stimuli.errors import UserError

CONSENT_EXAMPLES = consent_examples()
CONSENTS = [
    (study, name, language)
    for study in studies()
    for name in text_names(study)
    if name.endswith("consent")
    for language in CONSENT_EXAMPLES
]


@pytest.mark.parametrize(("study", "name", "language"), CONSENTS)
def test_every_consent_says_all_that_an_ethics_board_asks_for(study, name, language):
    filled = ConsentBlanks(**CONSENT_EXAMPLES[language])
    told = {"institution": "A university", "contact": "lab@uni.example"}
    text = load_text(study, language, name)
    others = dict.fromkeys(text.placeholders, "7")
    shown = text.filled({**others, **consent_values(study, language, told, filled)}).markdown
    for said in (*CONSENT_EXAMPLES[language].values(), *told.values()):
        assert said in shown
    assert BLANK not in shown
    blank = text.filled({**others, **consent_values(study, language, {})}).markdown
    # Institution and contact share one.
    assert blank.count(BLANK) == len(ConsentBlanks.model_fields) + 1


def test_a_new_lab_has_every_blank_with_an_example_above_it(tmp_path):
    lab = LabFolder.make(tmp_path)
    assert set(lab.settings.consent) == set(CONSENT_EXAMPLES)
    for language in CONSENT_EXAMPLES:
        assert left_blank(lab.settings.blanks(language)) == list(ConsentBlanks.model_fields)
    assert left_blank(lab.settings.blanks("fr")) == list(ConsentBlanks.model_fields)


def test_a_lab_is_called_as_its_language_has_it(tmp_path):
    path = LabFolder.make(tmp_path).root / LAB_FILE
    text = path.read_text("utf-8").replace('contact = ""', 'contact = "lab@uni.example"')
    own = 'institution = "Universität X"\n'
    path.write_text(text.replace('institution = ""', 'institution = "University X"') + own, "utf-8")
    settings = LabFolder.open(tmp_path).settings
    english, german = (settings.named(language) for language in ("en", "de"))
    assert english == {"institution": "University X", "contact": "lab@uni.example"}
    assert german == {"institution": "Universität X", "contact": "lab@uni.example"}
    shown = consent_values("accept_reject", "de", german, settings.blanks("de"))
    assert "Universität X, lab@uni.example" in shown["terms"]
    assert left_blank(settings.blanks("de")) == list(ConsentBlanks.model_fields)


def test_the_examples_of_the_template_are_valid_where_they_stand():
    lines = consent_template().splitlines()
    filled = []
    for above, line in zip(["", *lines], lines, strict=False):
        example = above.removeprefix("# Such as: ")
        filled.append(line.replace('= ""', f'= "{example}"') if line.endswith('= ""') else line)
    tables = tomllib.loads("\n".join(filled))["consent"]
    assert {language: dict(said) for language, said in tables.items()} == CONSENT_EXAMPLES


def test_an_unknown_blank_is_one_line_with_those_there_are(tmp_path):
    path = LabFolder.make(tmp_path).root / LAB_FILE
    path.write_text(path.read_text("utf-8") + 'vote = "x"\n', encoding="utf-8")
    with pytest.raises(UserError, match=r"consent\.de\.vote: unknown key; known: responsible, pay"):
        LabFolder.open(tmp_path)
