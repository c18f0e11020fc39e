"""The study's protocol: the paper's numbers, and what it refuses."""

import tomllib
from pathlib import Path

import pytest
from pydantic import BaseModel

from stimuli.errors import UserError
from stimuli.protocol import load_protocol, protocol_from_resolved
from stimuli.studies.progressive_reveal.compose import rule_of
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal
from stimuli.studies.progressive_reveal.reveal import EVERY_RELEVANT, Rule

STUDY = "progressive_reveal"
FILE = Path("stimuli/studies/progressive_reveal/protocol.toml")

PUBLISHED = ("human", "lrp", "occlusion", "protopnet")


def changed(**changes):
    return load_protocol(STUDY, None, changes)


def models(model: type[BaseModel]):
    yield model
    for field in model.model_fields.values():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from models(field.annotation)


def test_the_defaults_are_the_published_design():
    """Dawoud et al. 2023, section III."""
    protocol = load_protocol(STUDY)
    assert protocol.rounds == 102
    assert (protocol.images.classes, protocol.images.images_per_class) == (17, 6)
    assert (protocol.reveal.steps, protocol.reveal.step_s) == (15, 4.0)
    assert protocol.reveal.methods == ("human", "lrp", "occlusion", "protopnet")
    assert protocol.reveal.relevant_share == 0.10
    assert protocol.reveal.prototype_share == 1 / 6
    assert protocol.reveal.polarity == "positive"
    assert (protocol.system.patch_px, protocol.system.stride_px) == (32, 8)
    assert protocol.system.network == "resnet50"


def test_an_image_of_256_pixels_a_side_is_what_the_papers_percentages_say():
    """Section IV-A: 2.5 % and 0.5 % more pixels than ClickMe's (Table III)."""
    pixels = load_protocol(STUDY).image_pixels
    clickme, lrp, protopnet = 3006.9, 3331.9, 4662.3
    assert round(100 * (protopnet - clickme) / pixels, 1) == 2.5
    assert round(100 * (lrp - clickme) / pixels, 1) == 0.5
    assert round(100 * (protopnet - clickme) / 224**2, 1) != 2.5


def test_every_field_is_documented_and_every_default_stands_in_the_file():
    defaults = tomllib.loads(FILE.read_text("utf-8"))
    assert load_protocol(STUDY).resolved().keys() == defaults.keys()
    for model in models(ProgressiveReveal):
        for name, field in model.model_fields.items():
            assert field.is_required() or name in {"demographics", "unfinished"}, name
            assert field.description or isinstance(field.annotation, type), name


def test_every_deviation_names_a_field():
    resolved = load_protocol(STUDY).resolved()
    for deviation in resolved["deviations"]:
        place = resolved
        for key in deviation["field"].split("."):
            place = place[key]


def test_the_resolved_form_is_the_same_protocol():
    protocol = load_protocol(STUDY)
    assert protocol_from_resolved(protocol.resolved(), "pack") == protocol


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"images": {"classes": 10}}, "60 rounds.*rounds_per_sitting must be 20"),
        ({"session": {"sittings": 103, "rounds_per_sitting": 1}}, "sittings exceeds the 102"),
        ({"reveal": {"methods": ["lrp", "lrp"], "reference": "lrp"}}, "names a method twice"),
        ({"reveal": {"methods": ["LRP"]}}, "reveal.methods.0"),
        ({"reveal": {"methods": ["none"]}}, "reserved word"),
        ({"reveal": {"reference": "eyes"}}, "reference 'eyes' is not among methods"),
        (
            {"reveal": {"methods": ["human", "lrp"], "prototype_beside": True}},
            "prototype_beside needs protopnet",
        ),
        (
            {"reveal": {"prototype_beside": True, "polarity": "negative_beside"}},
            "need the same place",
        ),
        ({"images": {"named_classes": ["tench"]}}, "names 1 classes, but classes is 17"),
        ({"images": {"named_classes": ["tench", "tench"]}}, "named_classes names a class twice"),
        (
            {"system": {"explained_class": "predicted"}, "reveal": {"methods": ["human"]}},
            "explained_class predicted: no network is explained",
        ),
        ({"reveal": {"steps": 128}}, "reveal.steps.*127"),
        ({"reveal": {"relevant_share": 0.0}}, "reveal.relevant_share"),
        ({"reveal": {"rules": [{"method": "cam", "share": 0.2}]}}, "rules: cam is not among"),
        ({"reveal": {"rules": [{"method": "human", "share": 0.2}]}}, "human is the reference"),
        ({"reveal": {"rules": [{"method": "lrp", "share": 0.2}] * 2}}, "two rules of one method"),
        ({"reveal": {"rules": [{"method": "lrp", "share": 2.0}]}}, "rules.0.share"),
        ({"analysis": {"reference": "cam"}}, "analysis.reference 'cam'"),
        ({"training": {"separation": -0.08}}, "training.separation"),
    ],
)
def test_what_cannot_be_is_refused_with_key_and_reason(changes, words):
    with pytest.raises(UserError, match=words):
        changed(**changes)


def test_rounds_that_do_not_divide_and_studies_without_human_maps_are_possible():
    assert changed(images={"classes": 20}, session={"rounds_per_sitting": 40}).rounds == 120
    uneven = changed(session={"sittings": 4, "rounds_per_sitting": 26})
    assert uneven.rounds == 102
    alone = changed(
        reveal={"methods": ["lrp", "occlusion"], "reference": "none"},
        analysis={"reference": "lrp"},
    )
    assert alone.reveal.reference == "none"


def test_a_method_may_have_a_rule_of_its_own():
    rules = [{"method": "lrp", "share": 0.2}, {"method": "protopnet", "share": 0.3, "follow": True}]
    found = {name: rule_of(changed(reveal={"rules": rules}), name) for name in PUBLISHED}
    assert found == {
        "human": EVERY_RELEVANT,
        "lrp": Rule(0.2),
        "occlusion": Rule(0.1, follows=True),
        "protopnet": Rule(0.3, follows=True),
    }


def test_what_the_paper_does_not_do_is_off_by_default():
    protocol = load_protocol(STUDY)
    assert protocol.system.explained_class == "true"
    assert not protocol.images.only_correct
    assert protocol.images.named_classes == ()
