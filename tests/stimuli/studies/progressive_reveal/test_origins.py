"""A pack says who made each method's maps: in its key and item table."""

from dataclasses import replace

import pytest

from stimuli.maps.origin import IMPORTED, NETWORK, PEOPLE, RESPONSE_MODEL, Origin
from stimuli.pack import Pack
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import protocol_hash
from stimuli.studies.progressive_reveal.compose import compose
from stimuli.studies.progressive_reveal.sketch import sketch_material
from stimuli.studies.progressive_reveal.study import (
    arm_rows,
    maps_by_method,
)
from stimuli.studies.progressive_reveal.tables import ITEM_TABLE, KEY
from stimuli.study import simulated_people
from tests.stimuli.studies.progressive_reveal.small import protocol_of


def pack_by(origin) -> Pack:
    """Return a sketch whose human maps somebody made."""
    protocol = protocol_of()
    material = sketch_material(protocol)
    human = replace(material.methods["human"], origin=origin)
    material = replace(material, methods={**material.methods, "human": human})
    files = compose(protocol, material)
    return pack_in_memory(protocol, protocol_hash(protocol), "solutions", files)


@pytest.mark.parametrize("kind", [PEOPLE, RESPONSE_MODEL, IMPORTED])
def test_key_and_item_table_say_who_made_the_maps(kind):
    pack = pack_by(Origin(kind, "them"))
    for schema in (KEY, ITEM_TABLE):
        made = {(row["method"], row["map_origin"]) for row in pack.table(schema)}
        assert made == {
            ("human", kind), ("lrp", NETWORK), ("occlusion", NETWORK), ("protopnet", NETWORK),
        }  # fmt: skip
    assert maps_by_method(pack)["human"] == Origin(kind, "them")
    told = "the human maps come from response models (them)"
    assert simulated_people(pack) == (told if kind == RESPONSE_MODEL else "")


def test_the_table_of_arms_has_a_row_for_each_method():
    pack = pack_by(Origin(PEOPLE, "them"))
    assert [row["method"] for row in arm_rows(pack)] == list(pack.protocol.reveal.methods)
