"""The table of another program: what it lacks isn't measured, and the rest is."""

import json
import os
import re

import pytest

from analysis.cli import main
from stimuli.catalogue import OUTSIDE
from tests.analysis.formats import without_drawings
from tests.stimuli.table_study.tables_at_hand import write_study

PEOPLE, ITEMS = 6, ("a", "b")
WHOLE = ("participant", "item", "decision", "help", "place", "correct", "rt_s", "session",
         "advice", "ai_correct", "agrees", "sure")  # fmt: skip


def rows():
    """Yield made-up trials of a table that lacks nothing: everybody sees each item once."""
    for person in range(PEOPLE):
        for number, item in enumerate(ITEMS):
            place, level = 1 + (person // 2 + number) % 2, ("none", "map")[(person + number) % 2]
            yield {
                "participant": f"P{person}", "item": item, "decision": ("dog", "wolf")[place - 1],
                "help": level, "place": place, "correct": place - 1 == number,
                "rt_s": 1.5 + person / 4 + number, "session": f"S{person}", "advice": "wolf",
                "ai_correct": number == 1, "agrees": place == 2, "sure": 1 + (person + number) % 3,
            }  # fmt: skip


@pytest.mark.parametrize(
    ("lacks", "gone"),
    [
        ((), set()),
        (("session", "ai_correct"), {"reliance"}),
        (("rt_s", "session", "ai_correct", "advice", "agrees", "sure"), {"times", "reliance"}),
    ],
)
def test_another_programs_table_may_lack_columns(tmp_path, monkeypatch, lacks, gone):
    # Another study of the lab is half-written.
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "study.toml").write_text('study = "broken"\n', "utf-8")
    monkeypatch.setenv(OUTSIDE, f"{write_study(tmp_path)}{os.pathsep}{broken}")
    names = [name for name in WHOLE if name not in lacks]
    lines = [",".join(names), *(",".join(str(row[name]) for name in names) for row in rows())]
    table, report = tmp_path / "given.csv", tmp_path / "report"
    table.write_text("\n".join(lines) + "\n", "utf-8")
    with without_drawings():
        assert main(["analyse", "wolves", "--trials", str(table), "--out", str(report)]) == 0
    results = json.loads((report / "results.json").read_text("utf-8"))
    questions = {row["question"] for row in results["estimates"]}
    assert {"tests", "cells"} <= questions
    assert {"times", "reliance"} - questions == gone
    (difference,) = (
        row for row in results["estimates"]
        if row["quantity"] == "accuracy_difference" and row["of"]["by"] == "means"
    )  # fmt: skip
    means = {
        level: [row["correct"] for row in rows() if row["help"] == level]
        for level in ("none", "map")
    }
    slow = {level: sum(right) / len(right) for level, right in means.items()}
    assert difference["estimate"] == pytest.approx(slow["map"] - slow["none"])
    page = (report / "report.html").read_text("utf-8")
    assert not re.search(r"\bnan\b", page)
