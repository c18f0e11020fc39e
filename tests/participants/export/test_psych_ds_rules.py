"""Each rule of Psych-DS by a dataset that breaks it; the sound one breaks none."""

import json

import pytest

from participants.export.psych_ds import faults_of

METADATA = {
    "@context": "https://schema.org/",
    "@type": "Dataset",
    "name": "n",
    "description": "d",
    "variableMeasured": ["row_id", {"@type": "PropertyValue", "name": "rt_s"}],
}
FILE = "study-a_subject-B1_data.csv"
TABLE = "row_id,rt_s\n1,0.5\n2,0.6\n"


def dataset(root, metadata=METADATA, files=None):
    (root / "data").mkdir()
    text = metadata if isinstance(metadata, bytes) else json.dumps(metadata).encode()
    (root / "dataset_description.json").write_bytes(text)
    for name, content in (files or {FILE: TABLE}).items():
        path = root / "data" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def without(key):
    return {name: value for name, value in METADATA.items() if name != key}


def test_a_sound_dataset_breaks_no_rule(tmp_path):
    assert faults_of(dataset(tmp_path)) == ()


def test_data_files_may_lie_in_folders_of_data(tmp_path):
    assert faults_of(dataset(tmp_path, files={f"raw/{FILE}": TABLE})) == ()


@pytest.mark.parametrize(
    ("metadata", "fault"),
    [
        (b"{", "is no JSON"),
        (b"[]", "is no JSON object"),
        (b"\xff", "is not UTF-8"),
        (without("@context"), "@context is not"),
        (without("@type"), "@type is not Dataset"),
        ({**METADATA, "@type": "Thing"}, "@type is not Dataset"),
        (without("name"), "name is missing"),
        ({**METADATA, "description": ""}, "description is missing"),
        (without("variableMeasured"), "variableMeasured is missing"),
        ({**METADATA, "variableMeasured": "rt_s"}, "variableMeasured is no list"),
        ({**METADATA, "variableMeasured": ["rt_s"]}, "lacks the column row_id"),
        (
            {**METADATA, "variableMeasured": [*METADATA["variableMeasured"], "x"]},
            "has x, which is in no data file",
        ),
    ],
)
def test_a_fault_of_the_metadata_is_named(tmp_path, metadata, fault):
    assert any(fault in said for said in faults_of(dataset(tmp_path, metadata)))


@pytest.mark.parametrize(
    ("files", "fault"),
    [
        ({"study-a.csv": TABLE}, "is not named"),
        ({"Study-a_data.csv": TABLE}, "is not named"),
        ({"study-a_b_data.csv": TABLE}, "is not named"),
        ({"study-a-b_data.csv": TABLE}, "is not named"),
        ({"person-a_data.csv": TABLE}, "person is no keyword"),
        ({FILE: "row_id,rt_s\n1,0.5\n1,0.6\n"}, "row_id is not unique"),
        ({FILE: "row_id,rt_s\n1\n"}, "line 2: not as many cells"),
        ({FILE: "row_id,rt_s\n1,2,3\n"}, "line 2: not as many cells"),
        ({FILE: ""}, "has no header"),
        ({FILE: b"row_id,rt_s\n1,\xff\n"}, "is not UTF-8"),
        ({FILE: 'row_id,rt_s\n1,"0"5\n'}, "is not a CSV table"),
        ({FILE: "row_id,rt_s,rt_s\n1,2,3\n"}, "two columns of one name"),
        ({"notes.txt": "x"}, "has no data file"),
    ],
)
def test_a_fault_of_a_data_file_is_named(tmp_path, files, fault):
    assert any(fault in said for said in faults_of(dataset(tmp_path, files=files)))


def test_a_dataset_without_metadata_is_named(tmp_path):
    assert "dataset_description.json: is missing" in faults_of(tmp_path)
