"""Reports: status 2, one line, nothing lost or half-written."""

import pytest

from tests.damaged.files import HEADER, ROW, write


@pytest.mark.parametrize(
    "precious", ["tables/trials.csv", "tables/notes.txt", "figures/mine.png", "refit/mine.R"]
)
def test_a_report_never_replaces_what_no_report_wrote(refused, tmp_path, precious):
    table = write(tmp_path / "in.csv", HEADER + ROW)
    kept = write(tmp_path / "out" / precious, "precious")
    said = refused("analyse", "accept_reject", "--trials", table, "--out", tmp_path / "out")
    assert precious in said
    assert "name a new folder" in said
    assert kept.read_text("utf-8") == "precious"


def test_an_earlier_report_outlives_a_mistake(refused, tmp_path):
    table, out = write(tmp_path / "in.csv", HEADER + ROW), tmp_path / "out"
    earlier = write(out / "tables" / "estimates.csv", "earlier")
    nobody = write(tmp_path / "exclude.txt", "A\n")
    said = refused("analyse", "accept_reject", "--trials", table, "--exclude", nobody, "--out", out)
    assert "no trials are left" in said
    assert earlier.read_text("utf-8") == "earlier"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (HEADER, ["has a header and no rows"]),
        ((HEADER + ROW).encode("utf-16"), ["UTF-8"]),
        (HEADER.replace("item", "item,item") + "A,1,2,true,S,accept,1\n", ["twice: item"]),
        (HEADER + "A,1,true,S,accept,-3\n", ["rt_s is '-3' in line 2", "0 or more"]),
        (HEADER.replace("\n", ",trial\n") + "A,1,true,S,accept,1,9e99\n", ["trial", "line 2"]),
        (HEADER.replace("\n", ",cutoff_s\n") + "A,1,true,S,accept,1,-3\n", ["cutoff_s", "line 2"]),
        (HEADER.replace("\n", ",run\n") + "A,1,true,S,accept,1,0\n", ["no main trials"]),
    ],
)
def test_a_table_that_cannot_be_meant(refused, tmp_path, content, words):
    table, out = write(tmp_path / "trials.csv", content), tmp_path / "out"
    said = refused("analyse", "accept_reject", "--trials", table, "--out", out)
    for word in words:
        assert word in said
    assert not out.exists()


@pytest.mark.parametrize("content", [b"\xff\xfe", "nobody\n"])
def test_an_odd_list_of_exclusions_is_named(refused, tmp_path, content):
    table = write(tmp_path / "trials.csv", HEADER + ROW)
    exclude = write(tmp_path / "exclude.txt", content)
    arguments = ["--trials", table, "--exclude", exclude, "--out", tmp_path / "out"]
    assert "exclude.txt" in refused("analyse", "accept_reject", *arguments)
    assert not (tmp_path / "out").exists()
