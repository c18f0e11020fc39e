"""Tables as spreadsheets, R, pandas and text editors write them."""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.data.checked_table import near_miss
from analysis.data.table_text import read_text
from analysis.data.tables import read_outside
from stimuli.errors import UserError

HEADER = "participant,item,explained,solver,decision,rt_s\n"
ROW = "a,p1,true,S,accept,1.5\n"


def outside(tmp_path, content, name="trials.csv"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return read_outside("accept_reject", path)


def one_line(tmp_path, content):
    with pytest.raises(UserError) as error:
        outside(tmp_path, content)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(
    "content",
    [
        "\ufeff" + HEADER + ROW,
        (HEADER + ROW).replace("\n", "\r\n"),
        (HEADER + ROW).replace(",", "\t"),
        (HEADER + ROW).replace(",", ";"),
        (HEADER + ROW).replace(",", ";").replace("1.5", "1,5"),
        HEADER + ROW + "\n\n",
        HEADER + "\n" + ROW + ",,,,,\n",
        HEADER.replace("rt_s", " rt_s ") + " a , p1 , TRUE , S , accept , 1.5 \n",
        HEADER + 'a,"p1","true","S","accept","1.5"\n',
        (HEADER + ROW).rstrip("\n"),
    ],
    ids=[
        "byte-order mark", "CRLF", "tabs", "semicolons", "decimal comma", "blank end",
        "blank and empty rows", "spaces", "quotes", "no last line end",
    ],
)  # fmt: skip
def test_one_trial_is_read_however_it_was_written(tmp_path, content):
    (row,) = outside(tmp_path, content).trials.to_dict("records")
    assert row == {
        "participant": "a", "item": "p1", "explained": True, "solver": "S",
        "decision": "accept", "rt_s": 1.5,
    }  # fmt: skip


def test_a_decimal_comma_is_said(tmp_path):
    notes = outside(tmp_path, (HEADER + ROW).replace(",", ";").replace("1.5", "1,5")).notes
    assert "semicolons" in notes[0]
    assert "decimal points" in notes[0]
    assert outside(tmp_path, HEADER + ROW).notes == ()


def test_a_newline_within_quotes_stays_in_its_cell(tmp_path):
    head = HEADER.replace("\n", ",remark\n")
    found = outside(tmp_path, head + ROW.replace("\n", ',"two\nlines"\n'))
    assert found.trials["remark"].tolist() == ["two\nlines"]


WORDS = {
    True: ("TRUE", "True", "t", "yes", "Y", "1", "1.0", "wahr", "ja"),
    False: ("FALSE", "False", "f", "no", "N", "0", "0.0", "falsch", "nein"),
}


@pytest.mark.parametrize("explained", WORDS)
def test_true_and_false_in_several_spellings(tmp_path, explained):
    rows = [ROW.replace("true", word).replace("p1", word) for word in WORDS[explained]]
    assert outside(tmp_path, HEADER + "".join(rows)).trials["explained"].eq(explained).all()


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("participant,item,explained,solver,decision,RT", "rt_s (is it 'RT'?)"),
        ("Participant,item,explained,solver,decision,rt_s", "participant (is it 'Participant'?)"),
        ("subject,item,explained,solver,decision,rt_s", "participant (is it 'subject'?)"),
        ("participant,item,explaned,solver,decision,rt_s", "explained (is it 'explaned'?)"),
        ("participant,stimulus,explained,solver,decision,rt_s", "item (is it 'stimulus'?)"),
        ("participant,item,explained,solver,decision,colour", "column missing: rt_s"),
    ],
)
def test_a_missing_column_names_the_one_that_may_be_meant(tmp_path, header, said):
    message = one_line(tmp_path, header + "\na,b,c,d,e,f\n")
    assert said in message
    assert "is it 'item'" not in message


def test_a_column_that_is_needed_itself_is_never_suggested():
    assert near_miss("condition", ["conditions", "decision"], ["decision"]) == "conditions"
    assert near_miss("decision", ["condition"], ["condition"]) == ""


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"\n" + HEADER.encode(), "begins with an empty line"),
        (HEADER.encode(), "has a header and no rows"),
        ((HEADER + ",,,,,\n").encode(), "has a header and no rows"),
        (b"PK\x03\x04rest", "is a spreadsheet; save the sheet as CSV"),
        (HEADER.replace("item", "item,item").encode(), "column occurs twice: item"),
        (HEADER.replace("item", "item, item").encode(), "column occurs twice: item"),
        ((HEADER + ROW.strip() + ",extra\n").encode(), "a row has more cells than the header"),
        ((HEADER + ROW + ROW.strip() + ",extra\n").encode(), "Expected 6 fields in line 3, saw 7"),
        (b"x" * 200_000, "longer than any header"),
        (('"' + "x" * 200_000).encode(), "longer than any header"),
        ((HEADER + "a,p1,true,S,acc").encode(), "decision is 'acc' in line 2"),
        ((HEADER + ROW.replace("S", "")).encode(), "solver is empty in line 2"),
        (
            (HEADER + ROW).replace(",", ";").replace("1.5", "1.000,5").encode(),
            "rt_s is '1.000,5' in line 2, not a number",
        ),
        (
            (
                HEADER
                + 'a,"two\nlines",true,S,accept,1\n\n'
                + ROW.replace("1.5", "soon")
                + ROW.replace("1.5", "x")
            ).encode(),
            "rt_s is 'soon' in line 5",
        ),
        ((HEADER + ROW + 'b,"p1,true\n').encode(), "is not a CSV or TSV table"),
        ((HEADER + ROW).encode("utf-16"), "is not UTF-8 text"),
        ((HEADER + ROW.replace("a", "\xe4")).encode("latin-1"), "is not UTF-8 text"),
    ],
)
def test_what_cannot_be_meant_is_one_clear_line(tmp_path, content, said):
    assert said in one_line(tmp_path, content)


def test_a_long_cell_is_cut_in_the_message(tmp_path):
    said = one_line(tmp_path, HEADER + ROW.replace("1.5", "9" * 50 + "x" * 10_000_000))
    assert len(said) < 300


def test_extra_columns_stay_as_they_are(tmp_path):
    head = HEADER.replace("\n", ",mood,NA\n")
    found = outside(tmp_path, head + ROW.replace("\n", ",NA,007\n")).trials
    assert (found["mood"][0], found["NA"][0]) == ("NA", "007")


@settings(max_examples=40)
@given(
    st.lists(
        st.lists(
            st.text(st.characters(codec="utf-8", exclude_characters="\r\x00"), max_size=6),
            min_size=3,
            max_size=3,
        ),
        min_size=1,
        max_size=6,
    ),
    st.sampled_from([",", ";", "\t"]),
)
def test_any_text_comes_back_stripped(tmp_path_factory, rows, delimiter):
    path = tmp_path_factory.mktemp("any") / "t.csv"
    frame = pd.DataFrame(rows, columns=["item", "rt_s", "solver"])
    frame.to_csv(path, sep=delimiter, index=False, encoding="utf-8", lineterminator="\n", quoting=1)
    kept = [[cell.strip() for cell in row] for row in rows]
    kept = [row for row in kept if any(row)]
    found = read_text(path, ("item", "rt_s", "solver"))
    assert found.delimiter == delimiter
    columns = [found.columns[name] for name in ("item", "rt_s", "solver")]
    assert [list(row) for row in zip(*(c.spread(c.texts) for c in columns), strict=True)] == kept
