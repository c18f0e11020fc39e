"""The study's protocol: the paper's numbers, and what it refuses."""

import tomllib
from pathlib import Path

import pytest
from pydantic import BaseModel

from stimuli.errors import UserError
from stimuli.protocol import load_protocol, protocol_from_resolved
from stimuli.studies.human_ai_team.protocol import HumanAiTeam, help_kind
from tests.stimuli.studies.human_ai_team.small import protocol_of

STUDY = "human_ai_team"
FILE = Path("stimuli/studies/human_ai_team/protocol.toml")
GOLDEN = Path("tests/golden/protocol-1.6/human_ai_team.toml")
LATER = {
    "wait_after_unanswered", "demographics", "unfinished", "primary_test",
    "jpeg_subsampling", "extremal_variant", "right_from", "wrong_from", "wrong_to",
    "only_labels", "calibration", "calibration_share", "temperature", "limits", "quantiles",
    "cases",
}  # fmt: skip
"""Fields that older packs don't have."""


def models(model: type[BaseModel]):
    yield model
    for field in model.model_fields.values():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from models(field.annotation)


def test_the_defaults_are_the_published_design():
    """Nguyen, Kim & Nguyen 2021, sections 2 and 3; sheets from the published code."""
    protocol = load_protocol(STUDY)
    assert protocol.help.arms == (
        "confidence",
        "gradcam",
        "extremal_perturbation",
        "salient_object",
        "nearest_neighbours",
    )
    assert (protocol.images.resize_px, protocol.images.size_px) == (256, 224)
    bins = protocol.bins
    assert (bins.low_below, bins.mid_from, bins.mid_below, bins.high_from) == (0.3, 0.4, 0.6, 0.8)
    assert (bins.per_bin, bins.adversarial_per_level, bins.images) == (50, 50, 450)
    assert (bins.sheets, bins.trials_per_sheet, protocol.trials) == (15, 30, 45)
    attack = protocol.attack
    assert (attack.epsilon_255, attack.steps, attack.relative_step) == (16, 40, 1 / 30)
    assert (protocol.help.neighbours, protocol.help.near_duplicate_distance) == (3, 100)
    assert protocol.help.extremal_areas == (0.025, 0.05, 0.1, 0.2)
    check = protocol.validation
    assert (check.trials, check.right_trials, check.pass_right) == (10, 5, 10)
    assert (protocol.prior.samples, protocol.prior.sample_from) == (3, 0.9)
    assert protocol.session.practice_trials == 5
    assert protocol.metrics.pointing_tolerance_px == 15


def test_what_the_paper_does_not_do_is_off_by_default():
    protocol = load_protocol(STUDY)
    assert not {"human_alone", "text"} & set(protocol.help.arms)
    assert (protocol.question.decision, protocol.question.confidence_steps) == ("one_stage", 0)
    assert (protocol.help.when, protocol.validation.placed) == ("at_once", "block")
    assert protocol.validation.then == "go_on"


def test_every_field_is_documented_and_every_default_stands_in_the_file():
    defaults = tomllib.loads(FILE.read_text("utf-8"))
    assert load_protocol(STUDY).resolved().keys() == defaults.keys()
    for model in models(HumanAiTeam):
        for name, field in model.model_fields.items():
            assert field.is_required() or name in LATER, name
            assert field.description or isinstance(field.annotation, type), name


def test_every_deviation_names_a_field():
    resolved = load_protocol(STUDY).resolved()
    for deviation in resolved["deviations"]:
        place = resolved
        for key in deviation["field"].split("."):
            place = place[key]


def test_the_resolved_form_is_the_same_protocol_and_the_golden_one_reads():
    protocol = load_protocol(STUDY)
    assert protocol_from_resolved(protocol.resolved(), "pack") == protocol
    assert load_protocol(STUDY, GOLDEN).bins == protocol.bins


def test_the_means_decide_by_default_and_the_model_in_packs_from_before():
    older = load_protocol(STUDY).resolved()
    assert older["analysis"].pop("primary_test") == "means"
    assert protocol_from_resolved(older, "pack").analysis.primary_test == "model"
    assert load_protocol(STUDY, GOLDEN).analysis.primary_test == "model"


def test_any_map_set_is_an_arm():
    arms = ["confidence", "our_own_maps"]
    assert protocol_of(help={"arms": arms}).help.arms == tuple(arms)
    kinds = {"human_alone": "none", "text": "text", "nearest_neighbours": "examples"}
    assert {arm: help_kind(arm) for arm in kinds} == kinds
    assert help_kind("our_own_maps") == help_kind("gradcam") == "heatmap"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"bins": {"low_below": 0.5}}, "must rise"),
        ({"bins": {"trials_per_sheet": 19}}, "exceeds the 18 images"),
        ({"bins": {"sheets": 2}}, "2 sheets of 6 show fewer than the 18 images"),
        ({"images": {"size_px": 40}}, "size_px .40. exceeds resize_px .28."),
        ({"help": {"arms": ["confidence", "confidence"]}}, "names an arm twice"),
        ({"help": {"arms": ["confidence", "Grad CAM"]}}, "help.arms.1"),
        ({"help": {"arms": ["gradcam"]}}, "reference_arm 'confidence' is not among"),
        ({"help": {"when": "on_demand", "key": "j"}}, "help.key 'j' is one of"),
        ({"validation": {"pass_right": 5}}, "pass_right .5. exceeds trials .4."),
        ({"validation": {"wrong_from": 0.4}}, r"wrong_from .0.4. exceeds wrong_to .0.31."),
        ({"question": {"confidence_steps": 3}}, "question.confidence_steps"),
        ({"session": {"right_key": "f"}}, "must differ"),
    ],
)
def test_what_cannot_be_is_refused_with_key_and_reason(changes, words):
    with pytest.raises(UserError, match=words):
        protocol_of(**changes)
