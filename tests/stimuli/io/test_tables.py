import pytest
from hypothesis import given
from hypothesis import strategies as st

from stimuli.errors import UserError
from stimuli.io.tables import Column, TableSchema, levels, sidecar

SCHEMA = TableSchema(
    "t",
    "A table.",
    (
        Column("name", "text", "A name."),
        Column("count", "integer", "How many.", optional=True),
        Column("time_s", "real", "How long.", unit="s", optional=True),
        Column("good", "boolean", "Whether."),
        Column("arm", "text", "Which.", levels=levels("a", b="the second")),
    ),
)

ROWS = st.fixed_dictionaries(
    {
        "name": st.text(
            st.characters(blacklist_categories=("Cs",), blacklist_characters="\r\0"), min_size=1
        ),
        "count": st.none() | st.integers(),
        "time_s": st.none() | st.floats(allow_nan=False, allow_infinity=False),
        "good": st.booleans(),
        "arm": st.sampled_from(["a", "b"]),
    }
)


FORMULAS = ["=1+1", "+1", "-1", "@a", "\t=1", "'", "'=1", "''", "'a"]


def test_two_columns_of_one_name_are_refused_where_the_table_is_declared():
    said = r"^table t: has two columns arm; leave out your own$"
    with pytest.raises(UserError, match=said):
        TableSchema("t", "A table.", (*SCHEMA.columns, Column("arm", "text", "Another.")))


@given(st.lists(ROWS, max_size=5))
def test_rows_read_back_as_they_were_written(rows):
    assert SCHEMA.from_csv(SCHEMA.to_csv(rows), "t.csv") == rows


@pytest.mark.parametrize("typed", FORMULAS)
def test_what_a_spreadsheet_would_run_is_written_behind_a_quote(typed):
    row = {"name": typed, "count": -1, "time_s": -2.5, "good": True, "arm": "a"}
    data = SCHEMA.to_csv([row])
    assert data.splitlines()[1] == f"'{typed},-1,-2.5,true,a".encode()
    assert SCHEMA.from_csv(data, "t.csv") == [row]


def test_a_quote_before_other_text_stays_in_tables_from_elsewhere():
    data = b"name,count,time_s,good,arm\n'tis,1,2.5,true,a\n"
    assert SCHEMA.from_csv(data, "t.csv")[0]["name"] == "'tis"


def test_columns_that_the_schema_does_not_know_stay_as_text():
    data = b"name,count,time_s,good,arm,mood\nx,1,2.5,true,a,fine\n"
    assert SCHEMA.from_csv(data, "t.csv")[0]["mood"] == "fine"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"name,count,time_s,good\nx,1,2,true\n", ["t.csv", "arm"]),
        (b"name,count,time_s,good,arm\nx,one,2,true,a\n", ["line 2", "count", "'one'"]),
        (b"name,count,time_s,good,arm\nx,1,soon,true,a\n", ["time_s", "'soon'"]),
        (b"name,count,time_s,good,arm\nx,1,2,maybe,a\n", ["good", "'maybe'"]),
        (b"name,count,time_s,good,arm\nx,1,2,true,c\n", ["arm", "'c'", "a, b"]),
        (b"name,count,time_s,good,arm\n,1,2,true,a\n", ["name", "empty"]),
        (b"name,count,time_s,good,arm\nx,1,2\n", ["line 2", "header"]),
        (b"name,count,time_s,good,arm\nx,1,2,true,a,9\n", ["line 2", "header"]),
        (b"\xff\xfe\x00bad", ["UTF-8"]),
    ],
)
def test_a_bad_table_is_refused_by_file_line_and_column(data, words):
    with pytest.raises(UserError) as caught:
        SCHEMA.from_csv(data, "t.csv")
    assert all(word in str(caught.value) for word in [*words, "t.csv"])


@pytest.mark.parametrize(
    "row",
    [
        {"name": "x", "count": 1, "time_s": 1.0, "good": True},
        {"name": "a\rb", "count": 1, "time_s": 1.0, "good": True, "arm": "a"},
        {"name": "", "count": 1, "time_s": 1.0, "good": True, "arm": "a"},
        {"name": "x", "count": 1.5, "time_s": 1.0, "good": True, "arm": "a"},
        {"name": "x", "count": 1, "time_s": 1.0, "good": True, "arm": "z"},
        {"name": "x", "count": 1, "time_s": 1.0, "good": 1, "arm": "a"},
    ],
)
def test_a_row_that_could_not_be_read_back_is_not_written(row):
    with pytest.raises(ValueError, match="table t, row 1"):
        SCHEMA.to_csv([row])


def test_the_sidecar_documents_every_column():
    described = sidecar(SCHEMA)
    assert list(described) == list(SCHEMA.names)
    assert described["time_s"] == {"Description": "How long.", "Units": "s"}
    assert described["arm"]["Levels"] == {"a": "a", "b": "the second"}
