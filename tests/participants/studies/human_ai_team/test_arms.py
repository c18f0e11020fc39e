"""Which texts tell of an arm's help: of a lab's own maps, by who made them."""

from dataclasses import replace

import pytest

from participants.studies.human_ai_team.arms import debrief_text, help_texts
from participants.texts import load_text
from stimuli.maps.origin import IMPORTED, NETWORK, PEOPLE, RESPONSE_MODEL, Origin
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import protocol_hash
from stimuli.studies.human_ai_team.compose import compose
from stimuli.studies.human_ai_team.sketch import sketch_material
from tests.participants.studies.human_ai_team.taken import ARMS, pack_of
from tests.stimuli.studies.human_ai_team.small import protocol_of


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
    assert debrief_text(pack, "ours") == text
    assert debrief_text(pack, "gradcam") == "debrief_heatmap"


@pytest.mark.parametrize("arm", ARMS)
def test_every_arm_has_its_texts(arm):
    pack = pack_of()
    load_text("human_ai_team", "en", debrief_text(pack, arm))
    if help_texts(arm) not in ("none", "alone"):
        load_text("human_ai_team", "en", f"help_{help_texts(arm)}")
