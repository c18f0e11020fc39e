"""Which texts tell of an arm's help: of a lab's own maps, by who made them."""

import re
from dataclasses import replace

import pytest

from participants.studies.human_ai_team.shown import texts_of
from participants.texts import load_text, load_words
from stimuli.maps.origin import IMPORTED, NETWORK, PEOPLE, RESPONSE_MODEL, Origin
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import protocol_hash
from stimuli.studies.human_ai_team.compose import compose
from stimuli.studies.human_ai_team.sketch import sketch_material
from tests.participants.studies.human_ai_team.taken import plan_of
from tests.stimuli.studies.human_ai_team.small import protocol_of, small_material


def pack_with_files(files):
    protocol = protocol_of()
    return pack_in_memory(protocol, protocol_hash(protocol), "solutions", files)


def composed(material):
    return pack_with_files(compose(protocol_of(), material))


def pack_with(origin):
    protocol = protocol_of(help={"arms": ("confidence", "gradcam", "ours")})
    material = sketch_material(protocol)
    origins = {**material.origins, "ours": Origin(origin)}
    files = compose(protocol, replace(material, origins=origins))
    return pack_in_memory(protocol, protocol_hash(protocol), "solutions", files)


@pytest.mark.parametrize(
    ("origin", "text"),
    [
        (PEOPLE, "debrief_people"),
        (RESPONSE_MODEL, "debrief_simulated"),
        (IMPORTED, "debrief_maps"),
        (NETWORK, "debrief_maps"),
        ("", "debrief_maps"),
    ],
)
def test_the_debrief_says_who_made_a_labs_own_maps(origin, text):
    pack = pack_with(origin)
    assert texts_of(pack, "ours").debrief == text
    assert texts_of(pack, "gradcam").debrief == "debrief_heatmap"


@pytest.mark.parametrize("language", ["en", "de"])
def test_people_are_told_that_the_ai_learned_from_examples_only_where_it_has(language):
    said = {"en": "learned from|trained with", "de": "gelernt hat|trainiert wurde"}[language]
    for learned in (True, False):
        texts = texts_of(composed(replace(small_material(), learned=learned)), "nearest_neighbours")
        for name in (texts.help, texts.debrief):
            text = load_text("human_ai_team", language, name).markdown
            assert bool(re.search(said, text)) is learned
    assert not re.search(said, load_words("human_ai_team", language)["note_examples"])


def test_the_debrief_says_if_labels_in_validation_are_not_the_ais():
    material = small_material()
    assert texts_of(composed(material), "confidence").debrief_checks == "debrief_checks"
    wrong = [case for case in material.validation if not case.ai_correct]
    own = [case for case in material.validation if case.ai_correct]
    changed = [*own, replace(wrong[0], swapped=True), *wrong[1:]]
    pack = composed(replace(material, validation=changed))
    assert texts_of(pack, "confidence").swapped == 1
    plan = plan_of(pack, "confidence", sheet="sheet-01")
    (page,) = (step for step in plan.steps if step.step == "debrief_checks")
    text = load_text("human_ai_team", "en", page.text).filled(page.values).markdown
    assert "1 label didn’t come from the AI" in text
