import json

import pytest

from participants import dictionary
from participants.dataset import study_tables, table_files
from participants.dataset.study_tables import version_of
from participants.dataset.table_files import (
    get_table,
    put_table,
    read_table,
    schema_of,
    write_table,
)
from participants.folder import DataFolder
from participants.journal.events import EVERY_STUDY
from participants.journal.reader import vocabulary
from participants.studies.accept_reject.expert_sessions import ANNOTATIONS
from stimuli.errors import UserError
from stimuli.protocol import load_protocol
from stimuli.versions import Schema

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


def put_annotations(data, rows):
    described = table_files.sidecar_bytes(ANNOTATIONS)
    put_table(data.tables, "annotations", ANNOTATIONS, rows, described)


@pytest.fixture
def data(tmp_path):
    return DataFolder(tmp_path)


def test_tables_come_back_as_they_were_written(data):
    rows = [a_row(schema_of(STUDY, "trials")), an_empty_row(schema_of(STUDY, "trials"))]
    assert write_table(data, STUDY, "trials", rows) == data.tables / "trials.csv"
    assert read_table(data, STUDY, "trials") == rows
    rows = [a_row(schema_of(STUDY, "items"))]
    assert write_table(data, STUDY, "items", rows) == data.tables / "items.csv"
    assert read_table(data, STUDY, "items") == rows
    rows = [a_row(ANNOTATIONS), an_empty_row(ANNOTATIONS)]
    put_annotations(data, rows)
    assert get_table(data.tables, "annotations", ANNOTATIONS) == rows


def test_every_column_is_in_the_sidecar(data):
    write_table(data, STUDY, "trials", [])
    described = json.loads((data.tables / "trials.json").read_text(encoding="utf-8"))
    header = (data.tables / "trials.csv").read_text(encoding="utf-8").splitlines()[0]
    assert (described["schema"], described["study"]) == (version_of("trials").tag, STUDY)
    columns = described["columns"]
    assert list(columns) == header.split(",")
    assert columns["rt_s"]["Units"] == "s"
    assert set(columns["decision"]["Levels"]) == {"accept", "reject", "none"}


def test_a_row_that_does_not_fit_leaves_the_old_table(data):
    good = a_row(schema_of(STUDY, "trials"))
    write_table(data, STUDY, "trials", [good])
    for change in ({"decision": "maybe"}, {"trial": None}, {"rt_s": "fast"}):
        with pytest.raises(ValueError, match=next(iter(change))):
            write_table(data, STUDY, "trials", [good, good | change])
    assert read_table(data, STUDY, "trials") == [good]


def test_a_missing_table_and_an_unknown_study_are_one_line(data):
    with pytest.raises(UserError, match=r"trials\.csv: can't be read"):
        read_table(data, STUDY, "trials")
    with pytest.raises(UserError, match="no study 'x'; take one of accept_reject"):
        write_table(data, "x", "trials", [])


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
    write_table(data, STUDY, "trials", [a_row(schema_of(STUDY, "trials"))])
    retagged(data, "trials", tag)
    with pytest.raises(UserError, match=message) as error:
        read_table(data, STUDY, "trials")
    assert "\n" not in str(error.value)


def test_an_older_table_is_read_through_its_steps(data, monkeypatch):
    """A 1.1 that renamed a column reads what 1.0 wrote; the file stays as it is."""
    row = a_row(ANNOTATIONS)
    put_annotations(data, [row])
    path = data.tables / "annotations.csv"
    before = path.read_bytes().replace(b"region_file", b"painting", 1)
    path.write_bytes(before)

    def renamed(document):
        columns = dict(document["columns"])
        columns["region_file"] = columns.pop("painting")
        return {**document, "columns": columns}

    with pytest.raises(UserError, match="column missing: region_file"):
        get_table(data.tables, "annotations", ANNOTATIONS)
    monkeypatch.setitem(study_tables.LATER, "annotations", Schema("annotations", (renamed,)))
    assert get_table(data.tables, "annotations", ANNOTATIONS) == [row]
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "beside",
    [None, b"", b"\xff", b"[1]", b"{", b"[" * 200_000, b'{"rt_s": {"Units": "s"}}',
     b'{"schema": "https://example.org/1.0"}', b'{"schema": {"a": 1}}'],
)  # fmt: skip
def test_a_table_without_a_sidecar_of_ours_is_of_the_present_version(data, beside):
    row = a_row(schema_of(STUDY, "trials"))
    write_table(data, STUDY, "trials", [row])
    place = data.tables / "trials.json"
    place.unlink() if beside is None else place.write_bytes(beside)
    assert read_table(data, STUDY, "trials") == [row]
    assert table_files.read_sidecar(data.tables / "trials.csv") == table_files.Sidecar()


def test_the_page_of_deviations_is_the_one_that_the_code_generates():
    assert (dictionary.DOCS / "deviations.md").read_text("utf-8") == dictionary.deviations(), (
        "run: python -m participants.dictionary"
    )


def events_of(study, role):
    """A study's events that are not those of every study."""
    known = vocabulary({"study": study, "role": role})
    return {name: model for name, model in known.items() if model is not EVERY_STUDY.get(name)}


def test_the_dictionary_has_every_column_event_and_field():
    text = dictionary.study_dictionary(STUDY)
    for schema in (schema_of(STUDY, "trials"), schema_of(STUDY, "items"), ANNOTATIONS):
        assert all(f"| `{name}` |" in text for name in schema.names)
    own = events_of(STUDY, "lead")
    text += dictionary.shared_dictionary()
    for event, model in (EVERY_STUDY | own).items():
        section = text.split(f"### `{event}`\n")[1].split("\n### ")[0]
        names = [field.alias or name for name, field in model.model_fields.items()]
        assert all(f"| `{name}` |" in section for name in names)


def test_the_protocol_reference_has_every_field_with_its_default():
    text = dictionary.protocol_reference(STUDY)
    resolved = load_protocol(STUDY).resolved()
    for section, fields in resolved.items():
        if isinstance(fields, dict):
            assert f"## `[{section}]`" in text
            assert all(f"| `{name}` |" in text for name in fields if name != "shares")
    assert "| `cutoff_s` | number > 0 and ≤ 120 | `3.0` |" in text
