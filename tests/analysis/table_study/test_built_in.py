"""The example of pictures with four answers in Python, said by a table: the same rows and numbers.

The expected values are those that the study had as a package of Python modules, with the same
items, keys, robots and seed. Only the pack's id must differ: it is a hash of all that is in the
pack, and a table's pack has other columns and other rules. Which person gets which list is drawn by
the id; so rows are compared by person and item, and lists by themselves.
"""

import csv
import hashlib
import json

import pytest

from analysis.cli import main as analysis
from participants.cli import main as people
from participants.new_study.files import template_files, write_study
from stimuli.catalogue import OUTSIDE
from stimuli.protocol import load_protocol
from stimuli.study import rules_as_pack
from tests.analysis.formats import without_drawings

DESIGN = """
study = "shapes"
title = "Do people choose the first answer?"
expected_minutes = 3.0

[trial]
answers = ["bouba", "kiki", "maluma", "takete"]
keys = ["d", "f", "j", "k"]
limit_s = 5.0

[session]
lists = 4

[factors.kind]
levels = ["spiky", "round"]

[[tests]]
measure = "choice"
factor = "kind"
levels = ["round", "spiky"]

[[tests]]
measure = "choice"
"""
ROWS = "4c85bc39f579f0fa1241471ee5fea54b3b7132b4f4bce83464b8d26836fc0d48"
"""SHA-256 of these columns of all rows, as they were written."""
COLUMNS = (
    "participant", "item", "condition", "rt_s", "presentation", "decision", "answers", "place",
)  # fmt: skip
LISTS = "7b245975a1ba2eaba7800ec72b0673bd4041d796512014f7cff9fa3b20d2ec9a"
"""The same of the rows of lists.csv."""
APART = {"estimate": -0.09375, "ci_low": -0.2351418334, "ci_high": 0.04764183344,
         "p": 0.1737464491, "df": 11.74924638}  # fmt: skip
FIRST = 0.7447916667


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Return the rows and the results of 24 robots."""
    place = tmp_path_factory.mktemp("built_in")
    pictures = {name: data for name, data in template_files("shapes", "pictures").items()
                if not name.endswith(("study.toml", "items.csv"))}  # fmt: skip
    table = "text,picture,kind\n" + "".join(
        f"Which word fits?,{kind}{number}.png,{kind}\n"
        for number in range(1, 5)
        for kind in ("round", "spiky")
    )
    own = {"study.toml": DESIGN.encode(), "items.csv": table.encode()}
    write_study(place / "shapes", pictures | own)
    with pytest.MonkeyPatch.context() as patch, without_drawings():
        patch.setenv(OUTSIDE, str(place / "shapes"))
        data, report = str(place / "data"), str(place / "report")
        words = ["simulate", "shapes", "--participants", "24", "--robot", "first", "--out", data]
        assert people(words) == 0
        assert analysis(["analyse", "shapes", "--data", data, "--out", report]) == 0
    trials = place / "data" / "tables" / "trials.csv"
    with trials.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    found = json.loads((place / "report" / "results.json").read_text(encoding="utf-8"))
    return rows, found, place / "shapes"


def hashed(rows):
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()


def test_the_rows_are_the_same(results):
    rows, *_ = results
    assert hashed(sorted(",".join(row[name] for name in COLUMNS) for row in rows)) == ROWS


def test_the_pack_shows_the_same_in_the_same_lists(results, monkeypatch):
    *_, study = results
    monkeypatch.setenv(OUTSIDE, str(study))
    pack = rules_as_pack(load_protocol("shapes"))
    rows = csv.reader(pack.asset("lists.csv").decode().splitlines()[1:])
    assert hashed([",".join(row) for row in rows]) == LISTS
    for path, data in template_files("shapes", "pictures").items():
        if path.startswith("pictures/"):
            assert pack.asset(path) == data


def test_the_numbers_are_the_same(results):
    _, found, _ = results
    (apart,) = [row for row in found["estimates"] if row["of"].get("against") == "spiky"
                and row["of"].get("by") == "means"]  # fmt: skip
    for name, value in APART.items():
        assert apart[name] == pytest.approx(value, abs=1e-9)
    (whole,) = [row for row in found["estimates"]
                if row["quantity"] == "choice" and row["of"] == {"test": "2"}]  # fmt: skip
    assert whole["estimate"] == pytest.approx(FIRST, abs=1e-9)
