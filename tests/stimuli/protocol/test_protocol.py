import json
from pathlib import Path

import pytest
from pydantic import BaseModel

from stimuli.errors import UserError
from stimuli.protocol import (
    load_protocol,
    protocol_hash,
)


def own(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "own.toml"
    path.write_text('schema = "protocol/1.0"\nstudy = "accept_reject"\n' + text, encoding="utf-8")
    return path


def test_a_lab_file_changes_only_what_it_names(tmp_path):
    default = load_protocol("accept_reject")
    changed = load_protocol("accept_reject", own(tmp_path, "[trial]\ncutoff_s = 2.5\n"))
    assert changed.trial.cutoff_s == 2.5
    assert changed.trial.limit_s == default.trial.limit_s
    assert protocol_hash(changed) != protocol_hash(default)


def test_whole_numbers_and_fractions_of_one_value_hash_alike(tmp_path):
    one = load_protocol("accept_reject", own(tmp_path, "[trial]\ncutoff_s = 3\n"))
    assert protocol_hash(one) == protocol_hash(load_protocol("accept_reject"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[trial]\ncutoff_ms = 3000\n", ["trial.cutoff_ms", "unknown key", "cutoff_s"]),
        ("[trial]\ncutof_s = 3\n", ["trial.cutof_s", "cutoff_s"]),
        ("[trail]\ncutoff_s = 3\n", ["trail", "unknown key", "trial"]),
        ("[trial]\ncutoff_s = 40\n", ["cutoff_s (40.0) exceeds limit_s"]),
        ("[trial]\ncutoff_s = 3000\n", ["trial.cutoff_s", "120"]),
        ("[trial]\ncutoff_s = -1\n", ["trial.cutoff_s", "must be above 0"]),
        ('[trial]\ncutoff_s = "3 s"\n', ["trial.cutoff_s", "'3 s'"]),
        ('[trial]\ncutoff_mode = "hidden"\n', ["cutoff_mode", "internal", "visible"]),
        ("[solutions.shares]\nS = 0.9\n", ["solutions.shares", "1.6"]),
        ("[plates]\nladder_deutan = [0.04, 0.02]\n", ["ladder_deutan must rise"]),
        ("[plates]\nbase_srgb = [165, 140, 300]\n", ["plates.base_srgb.3", "255"]),
        ('[plates]\naxes = ["protan"]\n[experts]\naxis = "deutan"\n', ["experts.axis 'deutan'"]),
        ("[experts]\nrung = 9\n", ["experts.rung is 9", "8 rungs"]),
        ("[solutions]\nrungs = [3, 9]\n", ["solutions.rungs is 9", "8 rungs"]),
        ('[session]\nleft_key = "j"\n', ["must differ"]),
        ("[trial\n", ["not valid TOML"]),
    ],
)
def test_a_mistake_is_one_line_with_file_key_and_reason(tmp_path, text, words):
    path = own(tmp_path, text)
    with pytest.raises(UserError) as caught:
        load_protocol("accept_reject", path)
    message = str(caught.value)
    assert all(word in message for word in [*words, "own.toml"])


def test_an_unknown_assessment_is_told_with_its_file(tmp_path):
    with pytest.raises(UserError, match=r"own\.toml: no study 'accept_reject_speed'"):
        load_protocol("accept_reject", own(tmp_path, 'assessment = "speed"\n'))


def test_the_wrong_study_a_missing_file_and_a_newer_file_are_told(tmp_path):
    with pytest.raises(UserError, match="no study 'acept_reject'"):
        load_protocol("acept_reject")
    with pytest.raises(UserError, match="can't be read"):
        load_protocol("accept_reject", tmp_path / "none.toml")
    (tmp_path / "new.toml").write_text('schema = "protocol/1.7"\nstudy = "accept_reject"\n')
    with pytest.raises(UserError, match="newer"):
        load_protocol("accept_reject", tmp_path / "new.toml")
    (tmp_path / "other.toml").write_text('schema = "protocol/1.0"\nstudy = "human_ai"\n')
    with pytest.raises(UserError, match="no study 'human_ai'"):
        load_protocol("accept_reject", tmp_path / "other.toml")
    (tmp_path / "bare.toml").write_text('schema = "protocol/1.0"\n')
    with pytest.raises(UserError, match=r"bare\.toml: names no study"):
        load_protocol("accept_reject", tmp_path / "bare.toml")


def models(model: type[BaseModel]):
    yield model
    for field in model.model_fields.values():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from models(field.annotation)


@pytest.mark.parametrize(
    "name",
    ["a/b", "a\\b", "a:b", "..", "../up", ".hidden", "dot.", "end ", " start", "", "a\tb", "a\nb",
     'say "x"', "what?", "x" * 61, "-option"],
)  # fmt: skip
def test_a_name_that_could_not_stand_in_a_folders_name_is_refused(tmp_path, name):
    text = f"name = {json.dumps(name)}\n"
    with pytest.raises(UserError, match=r"own\.toml: name: stands in the names of folders") as said:
        load_protocol("accept_reject", own(tmp_path, text))
    assert "\n" not in str(said.value)


@pytest.mark.parametrize("name", ["default", "visible cutoff 2.5 s", "Größe+1", "a", "x" * 60])
def test_other_names_stay(tmp_path, name):
    text = f"name = {json.dumps(name)}\n"
    assert load_protocol("accept_reject", own(tmp_path, text)).name == name
