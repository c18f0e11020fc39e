"""Workbooks hold what the tables hold, as numbers, truth values and texts."""

import io

import pytest
from openpyxl import load_workbook

from participants.cli import main
from participants.dataset.derive import derive
from participants.export.excel import workbook
from stimuli.io.tables import Column, TableSchema
from tests.participants.export.conftest import keep

ODD = ("Müller", "=1+1", "-2", "'", "@x", "2.5", "\x0bя", "👩\u200d💻", "true", "")


def test_a_text_stays_a_text_whatever_it_begins_with():
    schema = TableSchema("t", "", (Column("a", "text", "What was said.", unit="words"),))
    made = workbook({"said" * 12: (schema, [{"a": text} for text in ODD])})
    book = load_workbook(io.BytesIO(made))
    sheet, described = book.worksheets
    cells = [row[0] for row in sheet.iter_rows(min_row=2)]
    assert [cell.value or "" for cell in cells] == [text.replace("\x0b", " ") for text in ODD]
    assert {cell.data_type for cell in cells if cell.value} == {"s"}
    assert [cell.value for cell in described[2]] == ["said" * 12, "a", "words", "What was said."]


def test_each_study_is_a_workbook_with_the_rows_of_its_tables(tmp_path, lab):
    out = tmp_path / "out"
    studies = ("progressive_reveal", "simulatability")
    keep(lab, *studies)
    asked = ["export", "excel", "--out", str(out), "--purpose", "robot", "--lab", str(lab.root)]
    assert main(asked) == 0
    for study in studies:
        name = "".join(sign for sign in study if sign.isalnum())
        names, *rows = load_workbook(out / f"{name}.xlsx")["trials"].iter_rows(values_only=True)
        kept = [dict(zip(names, row, strict=True)) for row in rows]
        found = {(row["participant"], row["trial"]): row for row in kept}
        trials = derive(lab.data, study).trials
        assert len(kept) == len(found) == len(trials)
        for ours in trials:
            row = found[ours["participant"], ours["trial"]]
            shared = row.keys() & ours.keys() - {"session"}
            for name in shared:
                # A workbook has 16 digits of a number.
                is_real = isinstance(ours[name], float)
                wanted = pytest.approx(ours[name], rel=1e-14) if is_real else ours[name]
                assert row[name] == wanted
            assert ours.keys() - row.keys() <= {"session", "answers"}
