import json

import pytest

from participants.dataset import dictionary, sidecar
from participants.dataset.columns import (
    ANNOTATIONS,
    CURVE_TABLES,
    ITEM_TABLES,
    PEOPLE_TABLES,
    TRIALS,
    VERSIONS,
)
from participants.dataset.write import (
    read_annotations,
    read_items,
    read_trials,
    write_annotations,
    write_items,
    write_trials,
)
from participants.folder import DataFolder
from participants.journal.vocabulary import EVENTS
from stimuli.errors import UserError
from stimuli.io.schema import Schema
from stimuli.protocol import load_protocol

STUDY = "accept_reject"


def a_row(schema):
    """Some row that fits: the first level, or a value of the column's kind."""
    plain = {"text": 'Ä, "b"\nc', "integer": 3, "real": 0.1, "boolean": True}
    return {
        column.name: next(iter(column.levels)) if column.levels else plain[column.kind]
        for column in schema.columns
    }


def an_empty_row(schema):
    return a_row(schema) | {column.name: None for column in schema.columns if column.optional}


@pytest.fixture
def data(tmp_path):
    return DataFolder(tmp_path)


def test_tables_come_back_as_they_were_written(data):
    rows = [a_row(TRIALS[STUDY]), an_empty_row(TRIALS[STUDY])]
    assert write_trials(data, STUDY, rows) == data.tables / "trials.csv"
    assert read_trials(data, STUDY) == rows
    rows = [a_row(ITEM_TABLES[STUDY])]
    assert write_items(data, STUDY, rows) == data.tables / "items.csv"
    assert read_items(data, STUDY) == rows
    rows = [a_row(ANNOTATIONS), an_empty_row(ANNOTATIONS)]
    write_annotations(data, rows)
    assert read_annotations(data) == rows


def test_every_column_is_in_the_sidecar(data):
    write_trials(data, STUDY, [])
    described = json.loads((data.tables / "trials.json").read_text(encoding="utf-8"))
    header = (data.tables / "trials.csv").read_text(encoding="utf-8").splitlines()[0]
    assert (described["schema"], described["study"]) == (VERSIONS["trials"].tag, STUDY)
    columns = described["columns"]
    assert list(columns) == header.split(",")
    assert columns["rt_s"]["Units"] == "s"
    assert set(columns["decision"]["Levels"]) == {"accept", "reject", "none"}


def test_a_row_that_does_not_fit_leaves_the_old_table(data):
    good = a_row(TRIALS[STUDY])
    write_trials(data, STUDY, [good])
    for change in ({"decision": "maybe"}, {"trial": None}, {"rt_s": "fast"}):
        with pytest.raises(ValueError, match=next(iter(change))):
            write_trials(data, STUDY, [good, good | change])
    assert read_trials(data, STUDY) == [good]


def test_a_missing_table_and_an_unknown_study_are_one_line(data):
    with pytest.raises(UserError, match=r"trials\.csv: can't be read"):
        read_trials(data, STUDY)
    with pytest.raises(UserError, match="no study 'x'; there is: accept_reject"):
        write_trials(data, "x", [])


def retagged(data, name, tag):
    path = data.tables / f"{name}.json"
    described = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**described, "schema": tag}), encoding="utf-8")


@pytest.mark.parametrize(
    ("tag", "message"),
    [
        ("trials/1.9", r"trials\.csv: written by a newer version \(trials/1\.9\).*update"),
        ("trials/2.0", r"trials\.csv: written by a newer version"),
        ("items/1.0", r"trials\.csv: schema is 'items/1\.0', not 'trials/1\.\d'"),
    ],
)
def test_a_newer_table_and_a_sidecar_of_another_are_one_line(data, tag, message):
    write_trials(data, STUDY, [a_row(TRIALS[STUDY])])
    retagged(data, "trials", tag)
    with pytest.raises(UserError, match=message) as error:
        read_trials(data, STUDY)
    assert "\n" not in str(error.value)


def test_an_older_table_is_read_through_its_steps(data, monkeypatch):
    """A 1.2 that renamed a column reads what 1.1 wrote; the file stays as it is."""
    row = a_row(ANNOTATIONS)
    write_annotations(data, [row])
    path = data.tables / "annotations.csv"
    before = path.read_bytes().replace(b"region_file", b"painting", 1)
    path.write_bytes(before)

    def renamed(document):
        columns = dict(document["columns"])
        columns["region_file"] = columns.pop("painting")
        return {**document, "columns": columns}

    with pytest.raises(UserError, match="column missing: region_file"):
        read_annotations(data)
    newer = Schema("annotations", 1, 2, {1: renamed})
    monkeypatch.setattr(sidecar, "VERSIONS", {**VERSIONS, "annotations": newer})
    assert read_annotations(data) == [row]
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "beside",
    [None, b"", b"\xff", b"[1]", b"{", b"[" * 200_000, b'{"rt_s": {"Units": "s"}}',
     b'{"schema": "https://example.org/1.0"}', b'{"schema": {"a": 1}}'],
)  # fmt: skip
def test_a_table_without_a_sidecar_of_ours_is_of_the_present_version(data, beside):
    row = a_row(TRIALS[STUDY])
    write_trials(data, STUDY, [row])
    place = data.tables / "trials.json"
    place.unlink() if beside is None else place.write_bytes(beside)
    assert read_trials(data, STUDY) == [row]
    assert sidecar.read_sidecar(data.tables / "trials.csv") == sidecar.Sidecar()


def test_the_sidecar_says_which_sessions_are_left_out_and_why(data):
    write_trials(data, STUDY, [], {"s1": "line 7 was changed"})
    assert sidecar.read_sidecar(data.tables / "trials.csv") == sidecar.Sidecar(
        VERSIONS["trials"].tag, {"s1": "line 7 was changed"}, STUDY
    )


def test_the_committed_docs_are_those_that_the_code_generates():
    for name, text in dictionary.documents().items():
        assert (dictionary.DOCS / name).read_text(encoding="utf-8") == text, (
            "run: python -m participants.dictionary"
        )


def test_the_dictionary_has_every_column_event_and_field():
    text = dictionary.data_dictionary()
    for schema in (TRIALS[STUDY], ITEM_TABLES[STUDY], ANNOTATIONS):
        assert all(f"| `{name}` |" in text for name in schema.names)
    for event, model in EVENTS[STUDY].items():
        section = text.split(f"### `{event}`\n")[1].split("\n### ")[0]
        names = [field.alias or name for name, field in model.model_fields.items()]
        assert all(f"| `{name}` |" in section for name in names)


def test_the_dictionary_of_rounds_has_every_column_and_every_event_of_its_own():
    text = dictionary.reveal_dictionary()
    reveal = "progressive_reveal"
    for schema in (
        TRIALS[reveal],
        ITEM_TABLES[reveal],
        CURVE_TABLES[reveal],
        PEOPLE_TABLES[reveal],
    ):
        assert all(f"| `{name}` |" in text for name in schema.names)
    own = {name for name in EVENTS[reveal] if EVENTS[reveal][name] != EVENTS[STUDY].get(name)}
    assert own == {"trial_start", "flip", "trial_end", "copy"}
    for event in own:
        section = text.split(f"### `{event}`\n")[1].split("\n### ")[0]
        assert all(f"| `{name}` |" in section for name in EVENTS[reveal][event].model_fields)


def test_the_protocol_reference_has_every_field_with_its_default():
    text = dictionary.protocol_reference(STUDY)
    resolved = load_protocol(STUDY).resolved()
    for section, fields in resolved.items():
        if isinstance(fields, dict):
            assert f"## `[{section}]`" in text
            assert all(f"| `{name}` |" in text for name in fields if name != "shares")
    assert "| `cutoff_s` | number > 0 and ≤ 120 | `3.0` |" in text


def test_writing_the_docs_is_repeatable(tmp_path):
    dictionary.write(tmp_path)
    first = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    dictionary.write(tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == first
    assert set(first) == {
        "data_dictionary.md",
        "data_dictionary_progressive_reveal.md",
        "protocol_accept_reject.md",
        "protocol_accept_reject_accuracy.md",
        "protocol_progressive_reveal.md",
    }
