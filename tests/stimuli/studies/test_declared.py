"""Every field of a study's protocol is as published, declared as a deviation, or left open there.

The lists were made by reading the papers' method sections sentence by sentence. A field that is
added later fails here until somebody decides which of the three it is.
"""

import pytest

from stimuli.catalogue import studies_of
from stimuli.protocol import load_protocol

HOUSEKEEPING = {
    "schema_tag", "study", "name", "seed", "expected_minutes", "assessment", "deviations",
    "assignment.seed", "analysis.seed", "analysis.replicates", "analysis.margin_reason", "fonts",
}  # fmt: skip
"""What no paper has a word for: seeds, names, fonts, and how often is resampled."""

FOLLOWED = {
    "accept_reject": {
        # Footnote 3: who took longer is counted as a rejection internally.
        "trial.cutoff_mode": "internal",
        # Section 2.4: by repeating the experiment with different explanation methods.
        "system.further_methods": (),
        "session.sham_group": False,
        "solutions.probe_share": 0.0,
    },
    "accept_reject_accuracy": {"trial.cutoff_mode": "internal", "system.abstain_below": 0.0},
    "progressive_reveal": {
        # Section III.
        "images.classes": 17,
        "images.images_per_class": 6,
        "reveal.step_s": 4.0,
        "reveal.steps": 15,
        "reveal.methods": ("human", "lrp", "occlusion", "protopnet"),
        "reveal.relevant_share": 0.10,
        "reveal.follow_reference": True,
        "reveal.prototype_share": 1 / 6,
        "reveal.rules": (),
        "reveal.prototype_beside": False,
        "reveal.polarity": "positive",
        "system.network": "resnet50",
        "system.patch_px": 32,
        "system.stride_px": 8,
        # An incorrect answer clears the field, as often as somebody tries.
        "answering.tries": 0,
        # Section IV: gender, age, and what is known of machine learning.
        "session.survey": True,
    },
    "human_ai_team": {
        "cases": "images",
        "images.resize_px": 256,
        "images.least_side_px": 224,
        "images.drop_grey": True,
        "images.labels": (),
        "system.network": "resnet34",
        "system.layer": "layer4",
        # Section 3.3: confidence is the softmax's, and the bins' limits are numbers.
        "system.calibration": "none",
        "system.temperature": 1.0,
        "bins.limits": "fixed",
        "attack.epsilon_255": 16.0,
        "attack.steps": 40,
        # The published code saves with Pillow's defaults.
        "attack.jpeg_quality": 75,
        "attack.jpeg_subsampling": "4:2:0",
        "bins.low_below": 0.3,
        "bins.mid_from": 0.4,
        "bins.mid_below": 0.6,
        "bins.high_from": 0.8,
        "bins.per_bin": 50,
        "bins.adversarial_per_level": 50,
        "bins.sheets": 15,
        "bins.trials_per_sheet": 30,
        "help.neighbours": 3,
        "help.near_duplicate_distance": 100.0,
        "help.extremal_areas": (0.025, 0.05, 0.1, 0.2),
        "help.extremal_smoothing": 0.09,
        "help.extremal_variant": "published",
        "help.edge_share": 0.1,
        "help.when": "at_once",
        "question.decision": "one_stage",
        "question.confidence_steps": 0,
        "prior.asked": True,
        "prior.samples": 3,
        "prior.sample_from": 0.9,
        "validation.right_trials": 5,
        # The published answers on ImageNet.
        "validation.right_from": 0.96,
        "validation.wrong_from": 0.18,
        "validation.wrong_to": 0.31,
        "validation.trials": 10,
        "validation.placed": "block",
        "session.practice_trials": 5,
        "metrics.pointing_tolerance_px": 15.0,
        "metrics.iou_from": 0.05,
        "metrics.iou_to": 0.95,
        "metrics.iou_step": 0.05,
        "metrics.wsl_threshold": 0.05,
        "metrics.wsl_iou": 0.5,
    },
    "simulatability": {
        # Section 4.
        "design.domains": ("text", "tabular"),
        "design.tests": ("forward", "counterfactual"),
        "design.post_in_second_sitting": False,
        "items.learning": 16,
        # 16 "due to time constraints".
        "items.per_test": 32,
        "length.shorten": True,
        # "Users are not allowed to reference the learning data", and read "at their own pace".
        "question.learning_at_hand": False,
        "question.learning_limit_s": 0.0,
        "question.exposure_limit_s": 0.0,
        "question.rating_steps": 7,
        "question.confidence_steps": 0,
        "understanding.course": "required",
        # Sections 3 and A; the published code.
        "explained.lime_features": 5,
        "explained.anchor_precision": 0.95,
        "explained.boundary_steps": 4,
        "explained.prototype_terms": 6,
        "items.most_edits": 5,
        "items.most_edits_tabular": 3,
        "models.resample": "balanced",
    },
}

OPEN = {
    "accept_reject": {
        "analysis.few_people",
        # Section 2.4 proposes an experiment and leaves its details to who carries it out.
        "languages", "assignment.drop_after_s", "system.network", "system.input_px",
        "system.training_plates", "system.no_numeral_share", "system.patch_px",
        "system.stride_px", "experts.axis", "experts.rung", "experts.no_numeral_share",
        "experts.high_contrast_share", "experts.low_contrast_share", "experts.low_contrast",
        "experts.low_contrast_minimum", "experts.expected_plate_s", "solutions.trials_per_run",
        "solutions.practice_trials", "solutions.practice_plates", "solutions.rungs",
        "solutions.least_matched", "explanation.fixed_area", "explanation.region_px",
        "explanation.smoothing_px", "explanation.line_share", "trial.fixation_s",
        "trial.practice_feedback_s", "trial.repeat_dropped", "session.device",
        "session.left_key", "session.right_key", "session.break_every_trials",
        "session.comprehension_attempts", "session.wait_after_unanswered",
        "session.between_runs_s", "analysis.compliance_minimum",
        "analysis.anyone_minimum", "analysis.must_reject_minimum", "analysis.least_controls",
        "analysis.contour_reading_limit", "demographics", "unfinished",
        "screening",
    },
    "accept_reject_accuracy": {
        "analysis.few_people",
        # Section 2.3 defines a measure; it names no stimuli, times or people.
        "cases", "languages", "assignment.drop_after_s", "images.size_px", "images.size_deg",
        "images.ground_srgb", "trial.fixation_s", "trial.limit_s", "trial.practice_feedback_s",
        "trial.repeat_dropped", "analysis.compliance_minimum", "demographics", "unfinished",
    },
    "progressive_reveal": {
        "analysis.few_people",
        # Parts of what is declared as a whole: sittings, practice, the survey.
        "session.rounds_per_sitting", "session.expected_marking_s", "practice.answered_share",
        "practice.repeats", "practice.then", "session.least_gap_h",
        # The paper's optional survey is session.survey.
        "demographics",
    },
    "human_ai_team": {
        # Options that the published settings don't use.
        "images.only_labels", "system.calibration_share", "bins.quantiles",
        "help.delay_s", "help.key", "question.feedback_s", "session.device",
        "session.right_key", "session.wait_after_unanswered", "analysis.margin",
        "analysis.reference_arm", "demographics",
    },
    "simulatability": {
        "assignment.drop_after_s", "design.sheets", "length.session_s",
        "length.seconds_per_item", "question.learning_key",
        "look.ground_srgb", "look.text_deg", "session.device",
        "session.left_key", "session.right_key", "session.break_every_trials",
        "session.comprehension_attempts", "session.wait_after_unanswered",
        "session.least_gap_h", "analysis.margin", "analysis.reference_method", "demographics",
    },
}  # fmt: skip
"""Of which the paper says nothing, and which no published value can differ from."""

WITHOUT_FIELD = {
    "human_ai_team": {"images", "bins", "analysis"},
    "simulatability": {"explained", "items", "length", "look", "session", "assignment"},
}
"""Sections that a deviation names because no field stands for it: it decides none of them."""

STUDIES = sorted(FOLLOWED)


def leaves(document, before=""):
    """Yield a protocol's fields by their dotted names."""
    for name, value in document.items():
        if isinstance(value, dict) and value:
            yield from leaves(value, f"{before}{name}.")
        else:
            yield before + name, value


def test_every_study_was_read_against_its_paper():
    assert set(studies_of("stimuli")) == set(STUDIES) == set(OPEN)


@pytest.mark.parametrize("study", STUDIES)
def test_what_is_said_to_be_as_published_is(study):
    found = dict(leaves(load_protocol(study).model_dump()))
    expected = FOLLOWED[study]
    assert {name: found.get(name) for name in expected} == expected


@pytest.mark.parametrize("study", STUDIES)
def test_every_field_is_followed_declared_or_open(study):
    protocol = load_protocol(study)
    whole = WITHOUT_FIELD.get(study, set())
    declared = [one.field for one in protocol.deviations if one.field not in whole]
    undecided = {
        name
        for name, _ in leaves(protocol.model_dump())
        if name not in HOUSEKEEPING | FOLLOWED[study].keys()
        and not any(
            name == field or name.startswith(f"{field}.") for field in (*declared, *OPEN[study])
        )
    }
    assert undecided == set()


@pytest.mark.parametrize("study", STUDIES)
def test_the_lists_name_fields_that_there_are(study):
    protocol = load_protocol(study)
    names = {name for name, _ in leaves(protocol.model_dump())}
    sections = {name.rpartition(".")[0] for name in names} | names
    assert FOLLOWED[study].keys() <= names
    assert OPEN[study] <= sections
    for deviation in protocol.deviations:
        assert deviation.field in sections, deviation.field
