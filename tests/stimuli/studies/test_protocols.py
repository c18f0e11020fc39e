"""The studies' protocols: each is whole, and what can't be is refused by key and reason."""

import tomllib
from pathlib import Path

import pytest
from pydantic import BaseModel

from stimuli.errors import UserError
from stimuli.protocol import (
    catalogue_name,
    load_protocol,
    protocol_from_resolved,
    protocol_hash,
)
from stimuli.studies import STUDIES
from stimuli.studies.human_ai_team.protocol import help_kind
from stimuli.studies.progressive_reveal.compose import rule_of
from stimuli.studies.progressive_reveal.reveal import EVERY_RELEVANT, Rule
from tests.stimuli.studies.accept_reject.conftest import SMALL as PLATES
from tests.stimuli.studies.accept_reject.conftest import small_protocol
from tests.stimuli.studies.human_ai_team.small import protocol_of as team
from tests.stimuli.studies.progressive_reveal.small import protocol_of as small_reveal


def reveal(**changes):
    return load_protocol("progressive_reveal", None, changes)


def plates(**changes):
    return load_protocol("accept_reject", None, changes)


def labels(**changes):
    return load_protocol("accept_reject_accuracy", None, changes)


def cases(**changes):
    return load_protocol("simulatability", None, changes)


MAY_BE_LEFT_OUT = {"demographics", "unfinished", "fonts", "margin_reason"}
"""Fields that a lab's file needn't state. A reason doesn't outlive the margin that it is for."""


def models(model: type[BaseModel]):
    yield model
    for field in model.model_fields.values():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from models(field.annotation)


@pytest.mark.parametrize("study", list(STUDIES))
def test_a_study_s_defaults_stand_in_its_file_documented_and_are_the_same_resolved(study):
    protocol = load_protocol(study)
    assert protocol.catalogue_name == catalogue_name(protocol.resolved()) == study
    again = protocol_from_resolved(protocol.resolved(), "pack")
    assert again == protocol
    assert protocol_hash(again) == protocol_hash(protocol)
    defaults = tomllib.loads(Path(f"stimuli/studies/{study}/protocol.toml").read_text("utf-8"))
    assert protocol.resolved().keys() == defaults.keys()
    for model in models(type(protocol)):
        for name, field in model.model_fields.items():
            assert field.is_required() or name in MAY_BE_LEFT_OUT, name
            assert field.description or isinstance(field.annotation, type), name


REFUSED = [
    (small_protocol, {"session": {"left_key": "J"}}, "must differ"),
    (small_protocol, {"experts": {**PLATES["experts"], "rung": 0}}, "rung"),
    (small_protocol, {"solutions": {**PLATES["solutions"], "rungs": [4]}},
     r"solutions.rungs is 4, but deutan has 3 rungs"),
    (small_protocol, {"solutions": {**PLATES["solutions"], "probe_share": 0.7}},
     "probe_share exceeds"),
    (plates, {"system": {"further_methods": ["lrp"]}},
     r"solutions\.lists is 4; with 2 methods .* multiple of 8"),
    (plates, {"system": {"further_methods": ["occlusion"]}}, "name a method twice"),
    (labels, {"solutions": {"shares": {
        "S": 0.5, "E": 0.4, "wrong_label": 0.08, "no_solution": 0.02,
    }}}, "must be alike"),
    (team, {"bins": {"low_below": 0.5}}, "must rise"),
    (team, {"bins": {"trials_per_sheet": 19}}, "exceeds the 18 images"),
    (team, {"bins": {"sheets": 2}}, "2 sheets of 6 show fewer than the 18 images"),
    (team, {"images": {"size_px": 40}}, "size_px .40. exceeds resize_px .28."),
    (team, {"help": {"arms": ["confidence", "confidence"]}}, "names an arm twice"),
    (team, {"help": {"arms": ["confidence", "Grad CAM"]}}, "help.arms.2"),
    (team, {"help": {"arms": ["gradcam"]}}, "reference_arm 'confidence' is not among"),
    (team, {"help": {"when": "on_demand", "key": "j"}}, "help.key 'j' is one of"),
    (team, {"validation": {"pass_right": 5}}, "pass_right .5. exceeds trials .4."),
    (team, {"validation": {"wrong_from": 0.4}}, r"wrong_from .0.4. exceeds wrong_to .0.31."),
    (team, {"question": {"confidence_steps": 3}}, "question.confidence_steps"),
    (team, {"session": {"right_key": "f"}}, "must differ"),
    (small_reveal, {"session": {"catch_rounds": 7}},
     "catch_rounds is 7, with 12 rounds at most 6"),
    (small_reveal, {"session": {"catch_rounds": 2}, "reveal": {"steps": 1}}, "needs reveal.steps"),
    (reveal, {"reveal": {"methods": ["human", "catch_me"]}}, "begins with catch_"),
    (reveal, {"images": {"classes": 10}}, "60 rounds.*rounds_per_sitting must be 20"),
    (reveal, {"session": {"sittings": 103, "rounds_per_sitting": 1}}, "sittings exceeds the 102"),
    (reveal, {"reveal": {"methods": ["lrp", "lrp"], "reference": "lrp"}}, "names a method twice"),
    (reveal, {"reveal": {"methods": ["LRP"]}}, "reveal.methods.1"),
    (reveal, {"reveal": {"methods": ["none"]}}, "reserved word"),
    (reveal, {"reveal": {"reference": "eyes"}}, "reference 'eyes' is not among methods"),
    (reveal, {"reveal": {"methods": ["human", "lrp"], "prototype_beside": True}},
     "prototype_beside needs protopnet"),
    (reveal, {"reveal": {"prototype_beside": True, "polarity": "negative_beside"}},
     "need the same place"),
    (reveal, {"images": {"named_classes": ["tench"]}}, "names 1 classes, but classes is 17"),
    (reveal, {"images": {"named_classes": ["tench", "tench"]}},
     "named_classes names a class twice"),
    (reveal, {"system": {"explained_class": "predicted"}, "reveal": {"methods": ["human"]}},
     "explained_class predicted: no network is explained"),
    (reveal, {"reveal": {"steps": 128}}, "reveal.steps.*127"),
    (reveal, {"reveal": {"relevant_share": 0.0}}, "reveal.relevant_share"),
    (reveal, {"reveal": {"rules": [{"method": "cam", "share": 0.2}]}}, "rules: cam is not among"),
    (reveal, {"reveal": {"rules": [{"method": "human", "share": 0.2}]}}, "human is the reference"),
    (reveal, {"reveal": {"rules": [{"method": "lrp", "share": 0.2}] * 2}},
     "two rules of one method"),
    (reveal, {"reveal": {"rules": [{"method": "lrp", "share": 2.0}]}}, "rules.1.share"),
    (reveal, {"analysis": {"reference": "cam"}}, "analysis.reference 'cam'"),
    (reveal, {"training": {"separation": -0.08}}, "training.separation"),
    (cases, {"items": {"learning": 17}}, "isn't a multiple of 2"),
    (cases, {"items": {"per_test": 18}}, "isn't a multiple of 4"),
    (cases, {"design": {"methods": ["lime", "lime"]}}, "methods contains a name twice"),
    (cases, {"design": {"second_test": True, "domains": ["text"]}}, "needs both domains"),
    (cases, {"question": {"learning_at_hand": True, "learning_key": "f"}}, "session's keys"),
    (cases, {"question": {"learning_at_hand": True, "learning_key": "3"}},
     "learning_key '3' is one of the session's keys"),
]  # fmt: skip


@pytest.mark.parametrize(("protocol_of", "changes", "words"), REFUSED)
def test_what_cannot_be_is_refused_with_key_and_reason(protocol_of, changes, words):
    with pytest.raises(UserError, match=words):
        protocol_of(**changes)


def test_any_map_set_is_an_arm():
    arms = ["confidence", "our_own_maps"]
    assert team(help={"arms": arms}).help.arms == tuple(arms)
    kinds = {"human_alone": "none", "text": "text", "nearest_neighbours": "examples"}
    assert {arm: help_kind(arm) for arm in kinds} == kinds
    assert help_kind("our_own_maps") == help_kind("gradcam") == "heatmap"


def test_an_image_of_256_pixels_a_side_is_what_the_papers_percentages_say():
    """Dawoud et al. 2023, section IV-A: 2.5 % and 0.5 % more pixels than ClickMe's (Table III)."""
    pixels = reveal().image_pixels
    clickme, lrp, protopnet = 3006.9, 3331.9, 4662.3
    assert round(100 * (protopnet - clickme) / pixels, 1) == 2.5
    assert round(100 * (lrp - clickme) / pixels, 1) == 0.5
    assert round(100 * (protopnet - clickme) / 224**2, 1) != 2.5


def test_rounds_that_do_not_divide_and_studies_without_human_maps_are_possible():
    assert reveal(images={"classes": 20}, session={"rounds_per_sitting": 40}).rounds == 120
    assert reveal(session={"sittings": 4, "rounds_per_sitting": 26}).rounds == 102
    methods = {"methods": ["lrp", "occlusion"], "reference": "none"}
    assert reveal(reveal=methods, analysis={"reference": "lrp"}).reveal.reference == "none"


def test_a_method_may_have_a_rule_of_its_own():
    rules = [{"method": "lrp", "share": 0.2}, {"method": "protopnet", "share": 0.3, "follow": True}]
    protocol = reveal(reveal={"rules": rules})
    assert {name: rule_of(protocol, name) for name in protocol.reveal.methods} == {
        "human": EVERY_RELEVANT,
        "lrp": Rule(0.2),
        "occlusion": Rule(0.1, follows=True),
        "protopnet": Rule(0.3, follows=True),
    }
