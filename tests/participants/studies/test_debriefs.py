"""The debrief says who made the explanations of that pack: people, robots, or a file."""

import re
from dataclasses import replace

import pytest

from participants.lists import Assignment
from participants.planning import sources_page
from participants.session import Page
from participants.study import session_kind_of
from participants.texts import load_text, text_names
from stimuli.maps.origin import IMPORTED, NETWORK, PEOPLE, RESPONSE_MODEL, Origin
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import load_protocol, protocol_hash
from stimuli.studies.progressive_reveal.compose import compose
from stimuli.studies.progressive_reveal.protocol import HUMAN
from stimuli.studies.progressive_reveal.sketch import sketch_material
from tests.participants.studies.accept_reject.packs import bare_pack, tiny_sketch
from tests.stimuli.studies.progressive_reveal.small import protocol_of

LANGUAGES = ("en", "de")
TOLD = {
    ("accept_reject", "debrief_people"): ("came from people with normal", "stammte von Menschen"),
    ("accept_reject", "debrief_simulated"): ("simulated people", "simulierten Menschen"),
    ("accept_reject", "debrief_imported"): ("from elsewhere", "von anderer Seite"),
    ("progressive_reveal", "debrief_people"): ("people did, who had marked", "Menschen, die mark"),
    ("progressive_reveal", "debrief_simulated"): ("simulated people", "simulierte Menschen"),
    ("progressive_reveal", "debrief_imported"): ("from elsewhere", "von anderer Seite"),
}


@pytest.mark.parametrize(("study", "text"), list(TOLD))
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_text_says_what_is_so(study, text, language):
    said = load_text(study, language, text).markdown.replace("**", "")
    for (other_study, other), words in TOLD.items():
        if other_study == study and words[LANGUAGES.index(language)] in said:
            assert other == text
    assert TOLD[study, text][LANGUAGES.index(language)] in said


LEARNED = {
    "simulatability": {"method_prototype", "method_composite"},
    "human_ai_team": {"help_learned", "debrief_learned"},
    "accept_reject_accuracy": set(),
}
"""Texts that are shown only of an AI that is known to have learned from the cases shown."""


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("study", LEARNED)
def test_what_is_said_of_the_ai_is_true_of_recorded_answers_too(study, language):
    """As of a chat model's or of a rule's: nobody knows what it has learned from."""
    claims = re.compile(
        r"learned from|has learned|gelernt|trained|trainiert|network|Netz|usually [gr]"
    )
    for name in set(text_names(study)) - LEARNED[study]:
        said = load_text(study, language, name).markdown
        assert not claims.search(said), name


@pytest.mark.parametrize(
    ("origin", "text"),
    [
        (PEOPLE, "debrief_people"),
        (RESPONSE_MODEL, "debrief_simulated"),
        (IMPORTED, "debrief_imported"),
        (NETWORK, "debrief_imported"),
        ("", "debrief_people"),
    ],
)
def test_who_made_it_decides_which_text_is_shown(origin, text):
    assert sources_page(Origin(origin)) == Page("debrief_sources", text)


def reveal_pack(origin):
    """Return a pack whose human maps somebody made; without the method where None."""
    alone = {"methods": ["lrp"], "reference": "none"}
    changes = {} if origin else {"reveal": alone, "analysis": {"reference": "lrp"}}
    protocol = protocol_of(**changes)
    material = sketch_material(protocol)
    methods = dict(material.methods)
    if origin:
        methods[HUMAN] = replace(methods[HUMAN], origin=Origin(origin))
    files = compose(protocol, replace(material, methods=methods))
    return pack_in_memory(protocol, protocol_hash(protocol), "solutions", files)


@pytest.mark.parametrize(
    ("pack", "text"),
    [
        (tiny_sketch, "debrief_simulated"),
        (bare_pack, "debrief_people"),
        (lambda: reveal_pack(PEOPLE), "debrief_people"),
        (lambda: reveal_pack(RESPONSE_MODEL), "debrief_simulated"),
        (lambda: reveal_pack(IMPORTED), "debrief_imported"),
        (lambda: reveal_pack(None), "debrief_methods"),
    ],
)
def test_a_session_ends_with_who_made_the_explanations_before_what_it_was_about(pack, text):
    made = pack()
    kind = session_kind_of(made)
    protocol = load_protocol(made.manifest.study)
    order = kind.orders(protocol)[0]
    name = min(_lists(made))
    plan = kind.plan(made, Assignment(name, order), "en", "P")
    pages = [step for step in plan.steps if isinstance(step, Page)]
    assert [page.text for page in pages][-3:] == [text, "debrief", "end"]


def _lists(pack):
    lines = pack.asset("lists.csv").decode("utf-8").splitlines()[1:]
    return {line.split(",")[0] for line in lines}
