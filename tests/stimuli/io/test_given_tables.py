"""Tables as people have them: what is unambiguous is read alike, all else is one line."""

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook

from stimuli.errors import UserError
from stimuli.io.given_tables import numbered_rows, rows_of

ROWS = [
    {"item": "a1", "answer": "ja, klar", "confidence": "0.5"},
    {"item": "a2", "answer": "größer; so", "confidence": ""},
    {"item": "a3", "answer": 'sie sagt "nein"', "confidence": "1"},
]
NEEDED = ("item", "answer")


def text_of(rows, separator):
    def cell(text):
        quoted = text.replace('"', '""')
        return f'"{quoted}"' if set(text) & {separator, '"', "\n"} else text

    return "\n".join(separator.join(map(cell, line)) for line in lines_of(rows)) + "\n"


def lines_of(rows):
    return [list(rows[0]), *(list(row.values()) for row in rows)]


def typed(rows):
    """Return rows with numbers for numbers, and None for nothing."""
    return [
        {**row, "confidence": float(row["confidence"]) if row["confidence"] else None}
        for row in rows
    ]


def workbook(path, sheets):
    book = Workbook()
    book.remove(book.active)
    for title, lines in sheets.items():
        sheet = book.create_sheet(title)
        for line in lines:
            sheet.append(line)
    book.save(path)


def parquet(path, rows):
    import pyarrow as pa
    from pyarrow.parquet import write_table

    write_table(pa.Table.from_pylist(rows), path)


WRITERS = {
    "commas.csv": lambda path: path.write_text(text_of(ROWS, ","), "utf-8"),
    "semicolons.csv": lambda path: path.write_text(text_of(ROWS, ";"), "utf-8"),
    "tabs.tsv": lambda path: path.write_text(text_of(ROWS, "\t"), "utf-8"),
    "mark.csv": lambda path: path.write_text(text_of(ROWS, ";"), "utf-8-sig"),
    "windows.csv": lambda path: path.write_bytes(text_of(ROWS, ",").replace("\n", "\r\n").encode()),
    "old_mac.csv": lambda path: path.write_bytes(text_of(ROWS, ",").replace("\n", "\r").encode()),
    "separator_line.csv": lambda path: path.write_text("sep=;\n" + text_of(ROWS, ";"), "utf-8"),
    "invisible.csv": lambda path: path.write_text(
        "\n".join(f"\ufeff{line}\u200b\x00" for line in text_of(ROWS, ",").splitlines()), "utf-8"
    ),
    "blank_lines.csv": lambda path: path.write_text(
        text_of(ROWS, ",").replace("\n", "\n\n"), "utf-8"
    ),
    "book.xlsx": lambda path: workbook(
        path, {"Sheet1": [list(ROWS[0]), *(list(row.values()) for row in typed(ROWS))], "empty": []}
    ),
    "list.json": lambda path: path.write_text(json.dumps(typed(ROWS)), "utf-8"),
    "lines.jsonl": lambda path: path.write_text(
        "\n".join(map(json.dumps, typed(ROWS))) + "\n", "utf-8"
    ),
    "table.parquet": lambda path: parquet(path, typed(ROWS)),
}


@pytest.mark.parametrize("name", WRITERS)
def test_the_same_table_is_read_from_each_kind_of_file(tmp_path, name):
    WRITERS[name](tmp_path / name)
    assert rows_of(tmp_path / name, NEEDED) == ROWS


@pytest.mark.parametrize(
    ("name", "write", "last"),
    [
        ("t.csv", lambda path: path.write_text(
            'item,text\na,"one\ntwo\nthree"\nb,x\n\nc,\n', "utf-8"), 5),
        ("t.xlsx", lambda path: workbook(
            path, {"a": [["item", "text"], ["a", "one\ntwo\nthree"], ["b", "x"], [], ["c"]]}), 5),
        ("t.json", lambda path: path.write_text(
            '[{"item": "a", "text": "one\\ntwo"}, {"item": "b", "text": "x"}, {"item": "c"}]'), 4),
        ("t.parquet", lambda path: parquet(
            path, [{"item": "a", "text": "x"}, {"item": "b", "text": "x"}, {"item": "c"}]), 4),
    ],
)  # fmt: skip
def test_a_row_has_the_number_that_a_spreadsheet_shows(tmp_path, name, write, last):
    write(tmp_path / name)
    rows = numbered_rows(tmp_path / name, ("item",))
    assert [number for number, _ in rows] == [2, 3, last]
    with pytest.raises(UserError, match=f", row {last}: text is empty$"):
        rows_of(tmp_path / name, ("item", "text"))


REFUSED = {
    "empty.csv": (lambda path: path.write_text(""), "is empty$"),
    "blank.csv": (lambda path: path.write_text(" \n\n"), "is empty$"),
    "empty.xlsx": (lambda path: workbook(path, {"a": []}), "is empty$"),
    "empty.json": (lambda path: path.write_text("[]"), "is empty$"),
    "two.xlsx": (
        lambda path: workbook(path, {"a": [["item"]], "b": [["item"]]}),
        "has the sheets a, b; keep one in the file",
    ),
    "renamed.csv": (lambda path: workbook(path, {"a": [["item"]]}), r"let its name end in \.xlsx"),
    "old.xls": (lambda path: path.write_bytes(b"\xd0\xcf\x11\xe0old"), r"save it as \.xlsx"),
    "torn.xlsx": (lambda path: path.write_bytes(b"PK\x03\x04no"), "can't be read as a workbook"),
    "torn.parquet": (lambda path: path.write_bytes(b"PAR1"), "can't be read as Parquet"),
    "torn.json": (lambda path: path.write_text('[{"item": 1'), "is not valid JSON"),
    "torn.jsonl": (
        lambda path: path.write_text('{"item": 1}\n{"item"'),
        r"line 2: is not valid JSON",
    ),
    "object.json": (lambda path: path.write_text('{"item": 1}'), "is no list of objects"),
    "numbers.json": (lambda path: path.write_text("[1]"), "entry 1 is no object"),
    "latin.csv": (lambda path: path.write_bytes(b"item,answer\na,\xfc\n"), "is not UTF-8 text"),
    "twice.csv": (lambda path: path.write_text("item,item,answer\n"), "names column item twice"),
    "lacks.csv": (lambda path: path.write_text("item;text\na;b\n"), "column missing: answer"),
    "short.csv": (lambda path: path.write_text("item,answer\na\n"), "row 2: not as many cells"),
    "hole.jsonl": (
        lambda path: path.write_text('{"item": "a", "answer": null}\n'),
        "row 2: answer is empty",
    ),
    "no file.csv": (lambda path: None, "can't be read"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_one_line_that_says_what_it_is(tmp_path, name):
    write, told = REFUSED[name]
    write(tmp_path / name)
    with pytest.raises(UserError, match=told) as refused:
        rows_of(tmp_path / name, NEEDED)
    assert "\n" not in str(refused.value)


def test_parquet_where_its_library_is_missing_is_one_line(tmp_path, monkeypatch):
    """A PC that only runs sessions has no pyarrow."""
    parquet(tmp_path / "a.parquet", ROWS)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UserError, match=r"needs pyarrow; python3 lab\.py setup"):
        rows_of(tmp_path / "a.parquet", NEEDED)


CELLS = st.text(st.characters(exclude_categories=["C"]), max_size=8).map(str.strip)


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=5), st.sampled_from(",;\t"))
def test_any_cells_come_back_whatever_separates_them(tmp_path_factory, cells, separator):
    rows = [{"item": one, "answer": other} for one, other in cells]
    path = tmp_path_factory.mktemp("t") / "t.csv"
    path.write_text(text_of(rows, separator), "utf-8")
    assert rows_of(path, ()) == [row for row in rows if any(row.values()) or len(row) > 1]
