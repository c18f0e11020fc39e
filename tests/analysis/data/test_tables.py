import pandas as pd
import pytest

from analysis.data.checked_table import NOT_NEGATIVE, TIMES, ExpectedTable, read_table, typed
from analysis.data.selected import read_exclusions, select_purpose
from analysis.data.table_text import read_text
from analysis.data.tables import read_folder, read_outside
from participants.dataset import study_tables
from participants.dataset.table_files import schema_of, write_table
from participants.folder import DataFolder
from stimuli.catalogue import studies_of
from stimuli.errors import UserError
from stimuli.io.tables import Column, TableSchema
from stimuli.versions import Schema
from tests.analysis.studies.accept_reject.simulate_table import simulate, write_csv, write_dataset

ANSWERED = {
    "participant": "CDF34HK", "session": "20260102T090000Z-CDF34HK-abcd", "purpose": "main",
    "rig": "rig-1", "trial": 13, "item": "i390483559c", "condition": "with", "rt_s": 2.5,
    "onset_s": 104.25, "frames_dropped": 1, "pack_id": "0" * 32, "protocol_hash": "f" * 64,
    "run": 1, "order": "with_first", "presentation": "p0119e426820a", "solver": "E",
    "method": "painting", "explained": True, "rung": 3, "axis": "deutan", "true_label": "3",
    "shown_label": "3", "decision": "accept", "cutoff_mode": "internal", "cutoff_s": 3.0,
    "in_time": True, "accepted": True, "list": "deutan-r3-l1", "position": 1, "counts": True,
}  # fmt: skip
SILENT = ANSWERED | {
    "trial": 14, "position": 2, "item": "i18e0fb03e1", "presentation": "p0252ace51eb6",
    "decision": "none", "rt_s": None, "in_time": False, "accepted": False,
}  # fmt: skip
REPEATED = ANSWERED | {"trial": 37, "rt_s": 1.5, "frames_dropped": 0, "repeat_of": 13}
LEFT_OUT = {"20260101T090000Z-GHK56MN-abcd": "sessions/…/journal.jsonl, line 7: was changed"}
ITEM = {"item": "i390483559c", "axis": "deutan", "rung": 3, "true_label": "3", "model_label": "8"}
LEAST = "participant,item,explained,solver,decision,rt_s\n"


def written(tmp_path, *rows):
    """Write tables of accept_reject, and return their data folder."""
    data = DataFolder(tmp_path / "data")
    for name, own, left_out in (("trials", rows, LEFT_OUT), ("items", [ITEM], None)):
        columns = schema_of("accept_reject", name).names
        whole = [{**dict.fromkeys(columns), **row} for row in own]
        write_table(data, "accept_reject", name, whole, left_out)
    return data.root


def outside(tmp_path, text, name="trials.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_outside("accept_reject", path)


def test_the_datasets_own_table_comes_back_as_it_was_written(tmp_path):
    table = simulate(["lead", "dichromat"], per_solver=4, scale=0.3)
    found = read_folder("accept_reject", write_dataset(table, tmp_path))
    assert len(found.trials) == len(table)
    for column in ("participant", "decision", "control_kind", "true_label"):
        assert (
            found.trials[column].tolist()
            == table[column].astype(object).where(table[column].notna(), None).tolist()
        )
    pd.testing.assert_series_equal(found.trials["rt_s"], table["rt_s"], check_names=False)
    assert found.trials["explained"].astype(bool).tolist() == table["explained"].tolist()
    assert found.protocol_source.startswith("pack ")
    assert found.absent == ()


def test_of_a_trial_and_its_repeat_one_is_analysed_and_the_other_said(tmp_path):
    data = written(tmp_path, ANSWERED | {"counts": False}, SILENT, REPEATED)
    found = read_folder("accept_reject", data)
    assert found.trials["trial"].tolist() == [14, 37]
    assert any(note.startswith("1 row of a trial that lost a frame") for note in found.notes)
    alone = read_outside("accept_reject", data / "tables" / "trials.csv")
    assert alone.trials["trial"].tolist() == [14, 37]


def test_a_session_that_is_left_out_is_one_of_the_notes(tmp_path):
    found = read_folder("accept_reject", written(tmp_path, ANSWERED, SILENT))
    assert found.trials["trial"].tolist() == [13, 14]
    assert found.trials["rt_s"].isna().tolist() == [False, True]
    assert found.items["item"].tolist() == ["i390483559c"]
    assert any("GHK56MN" in note and "line 7: was changed" in note for note in found.notes)


@pytest.mark.parametrize("name", ["trials", "items"])
def test_a_newer_table_is_one_line(tmp_path, name):
    data = written(tmp_path, ANSWERED, SILENT)
    place = data / "tables" / f"{name}.json"
    place.write_text(place.read_text(encoding="utf-8").replace("/1.0", "/1.9"), encoding="utf-8")
    with pytest.raises(UserError, match=rf"{name}\.csv: written by a newer version"):
        read_folder("accept_reject", data)


def test_an_older_table_is_read_through_its_steps(tmp_path, monkeypatch):
    """A version that renamed a column reads what 1.0 wrote."""
    data = written(tmp_path, ANSWERED, SILENT)
    path = data / "tables" / "trials.csv"
    text = path.read_text(encoding="utf-8").replace(",decision,", ",choice,", 1)
    path.write_text(text, encoding="utf-8")

    def renamed(document):
        columns = {
            {"choice": "decision"}.get(name, name): cells
            for name, cells in document["columns"].items()
        }
        return {**document, "columns": columns}

    monkeypatch.setitem(study_tables.LATER, "trials", Schema("trials", (renamed,)))
    found = read_folder("accept_reject", data)
    assert found.trials["decision"].tolist() == ["accept", "none"]


def test_an_outside_table_needs_six_columns_and_keeps_others(tmp_path):
    found = outside(
        tmp_path,
        LEAST.replace("\n", ",mood\n") + "a,p1,TRUE,S,accept,1.5,fine\na,p2,0,E,none,NA,\n",
    )
    assert found.trials["mood"].tolist() == ["fine", ""]
    assert found.trials["explained"].tolist() == [True, False]
    assert found.trials["rt_s"].isna().tolist() == [False, True]
    assert {"order", "control_kind", "purpose"} <= set(found.absent)
    assert "published defaults" in found.protocol_source


def test_tabs_are_read_where_the_name_or_the_header_says_so(tmp_path):
    text = (LEAST + "a,p1,true,S,accept,1.5\n").replace(",", "\t")
    assert len(outside(tmp_path, text, "trials.tsv").trials) == 1
    assert len(outside(tmp_path, text, "trials.txt").trials) == 1


def test_every_missing_column_is_named_in_one_line(tmp_path):
    with pytest.raises(UserError, match="column missing: explained, solver, rt_s"):
        outside(tmp_path, "participant,item,decision\na,p1,accept\n")


def test_every_ill_typed_column_is_named_with_value_and_line(tmp_path):
    with pytest.raises(UserError) as error:
        outside(tmp_path, LEAST + "a,p1,true,S,accept,1.5\na,p2,maybe,X,accept,quick\n")
    said = str(error.value)
    assert "explained is 'maybe' in line 3, not true or false" in said
    assert "solver is 'X' in line 3, not one of S, E, control" in said
    assert "rt_s is 'quick' in line 3, not a number" in said
    assert "\n" not in said


@pytest.mark.parametrize("cell", ["inf", "-inf"])
def test_infinite_times_are_refused(tmp_path, cell):
    with pytest.raises(UserError, match="rt_s"):
        outside(tmp_path, LEAST + f"a,p1,true,S,accept,{cell}\n")


@pytest.mark.parametrize("cell", ["0", "8", "-3", "99"])
def test_ratings_off_the_scale_are_refused_with_their_line(tmp_path, cell):
    rating = Column("rating", "integer", "How good, 1 to 7.", optional=True, scale=(1, 7))
    path = tmp_path / "ratings.csv"
    path.write_text(f"rating\n1\n7\nNA\n{cell}\n", "utf-8")
    table = read_text(path, ["rating"])
    with pytest.raises(ValueError, match=f"rating is '{cell}' in line 5, not from 1 to 7"):
        typed(table.columns["rating"], rating, False, table)


def test_times_in_milliseconds_are_refused_with_the_line(tmp_path):
    """They gave verdicts: every answer came after the time limit."""
    rows = "".join(f"a,i{n},true,S,accept,{1200 + n}\n" for n in range(4))
    with pytest.raises(UserError, match=r"rt_s is 1200 in line 2.*divide milliseconds by 1000"):
        outside(tmp_path, LEAST + rows)
    times = (2, 3, 1200)
    rows = "".join(f"a,i{n},true,S,accept,{time}\n" for n, time in enumerate(times))
    slow = outside(tmp_path, LEAST + rows)
    assert slow.trials["rt_s"].max() == 1200


def test_copies_of_rows_are_refused_with_the_line(tmp_path):
    """Every row twice changed verdicts. A column that nobody knows doesn't tell copies apart."""
    header = LEAST.replace("\n", ",index\n")
    rows = [f"a,i{n},true,S,accept,1.{n}" for n in range(3)]
    text = header + "".join(f"{row},{n}\n" for n, row in enumerate(rows + rows))
    with pytest.raises(UserError, match=r"line 5 repeats line 2; copies of rows: 3.*column trial"):
        outside(tmp_path, text)
    numbered = LEAST.replace("\n", ",trial\n") + "".join(f"{rows[0]},{n}\n" for n in (1, 2))
    assert len(outside(tmp_path, numbered).trials) == 2
    data = write_dataset(simulate(["lead"], per_solver=4, scale=0.3), tmp_path / "data")
    table = data / "tables" / "trials.csv"
    table.write_text(table.read_text("utf-8") + table.read_text("utf-8").splitlines()[1] + "\n")
    with pytest.raises(UserError, match="repeats line 2"):
        read_folder("accept_reject", data)


def test_a_missing_file_or_folder_is_one_clear_line(tmp_path):
    with pytest.raises(UserError, match="can't be read"):
        read_outside("accept_reject", tmp_path / "none.csv")
    with pytest.raises(UserError, match=r"tables/trials\.csv"):
        read_folder("accept_reject", tmp_path)


def test_a_changed_pack_is_refused(tmp_path):
    folder = write_dataset(simulate(["lead"], per_solver=4, scale=0.3), tmp_path)
    manifest = next((folder / "packs").glob("*/pack.json"))
    manifest.write_text(
        manifest.read_text("utf-8").replace('"margin": 0.1', '"margin": 0.3'), "utf-8"
    )
    with pytest.raises(UserError, match="changed"):
        read_folder("accept_reject", folder)


def test_a_missing_pack_is_said_and_the_published_protocol_taken(tmp_path):
    write_csv(simulate(["lead"], per_solver=4, scale=0.3), tmp_path / "tables" / "trials.csv")
    found = read_folder("accept_reject", tmp_path)
    assert "is not in the dataset" in found.notes[0]
    assert "published" in found.protocol_source


def purposes(*names):
    return pd.DataFrame({"purpose": list(names)})


def test_main_is_taken_unless_told_otherwise():
    table = purposes("main", "robot", "main")
    assert len(select_purpose(table, None)[0]) == 2
    assert len(select_purpose(table, "robot")[0]) == 1


def test_the_one_purpose_that_there_is_is_taken_and_said():
    chosen, purpose, words = select_purpose(purposes("robot", "robot"), None)
    assert (len(chosen), purpose) == (2, "robot")
    assert words == "There are no trials of purpose main; those of purpose robot were taken."


def test_several_purposes_without_main_must_be_chosen():
    with pytest.raises(UserError, match="choose with --purpose"):
        select_purpose(purposes("pilot", "robot"), None)
    with pytest.raises(UserError, match="no such trials"):
        select_purpose(purposes("main"), "pilot")


def test_exclusions_are_codes_and_unknown_ones_are_named(tmp_path):
    table = pd.DataFrame({"participant": ["P001", "P002"]})
    path = tmp_path / "out.txt"
    path.write_text("P002  # fell asleep\n\n# nobody else\nP002\n", encoding="utf-8")
    assert read_exclusions(path, table) == ("P002",)
    path.write_text("P009\n", encoding="utf-8")
    with pytest.raises(UserError, match="P009"):
        read_exclusions(path, table)


def test_levels_are_read_in_any_case(tmp_path):
    found = outside(tmp_path, LEAST + "p,i,true,S,Accept,1\np,j,true,S, REJECT ,1\n")
    assert found.trials["decision"].tolist() == ["accept", "reject"]


@pytest.mark.parametrize("label", ["nan", "NA", "NaN", "N/A", "null", "None"])
def test_a_label_may_be_called_as_missing_values_are_elsewhere(tmp_path, label):
    """Only an empty cell stands for nothing; in other tables ``NA``, too."""
    schema = TableSchema(
        "items",
        "Labels.",
        (
            Column("item", "text", "The item."),
            Column("true_label", "text", "Its label."),
            Column("shown_label", "text", "The label that was shown.", optional=True),
        ),
    )
    rows = [
        {"item": "a", "true_label": label, "shown_label": None},
        {"item": "b", "true_label": "cat", "shown_label": label},
    ]
    (tmp_path / "items.csv").write_bytes(schema.to_csv(rows))
    found, _ = read_table(
        tmp_path / "items.csv", ExpectedTable(schema, schema.names, {"true_label"})
    )
    assert found.to_dict("records") == rows
    elsewhere = ExpectedTable(schema, schema.names, (), words={})
    found, notes = read_table(tmp_path / "items.csv", elsewhere)
    if label == "NA":  # R writes it where there is no value
        rows = [rows[0] | {"true_label": None}, rows[1] | {"shown_label": None}]
    assert found.to_dict("records") == rows
    said = [f"{label!r} in the column true_label (1 of 2 rows) was read as a name" in note
            for note in notes]  # fmt: skip
    assert said == ([True, False] if label in ("nan", "NaN", "N/A") else [])


def test_columns_that_are_checked_by_their_name_are_columns_of_a_study():
    tables = [study.tables for study in studies_of("participants").values() if study.tables]
    columns = {
        name for study in tables for table in study.schemas().values() for name in table.names
    }
    assert columns >= NOT_NEGATIVE | TIMES
