"""Methods for texts compared: their metrics from the definition, means, what is refused."""

from pathlib import Path

import numpy as np
import pytest

from xai_backend.cli import main
from xai_backend.compare.texts import SCORED, SUMMARY

MODEL = """
import numpy as np

WORTH = {"lovely": 2.0, "quick": 1.0, "dull": -3.0, "end": 0.2, "good": 0.3}


def judge(texts):
    margins = [sum(WORTH.get(word.strip(".,"), 0) for word in text.split()) for text in texts]
    good = 1 / (1 + np.exp(-np.array(margins)))
    return np.stack([1 - good, good], axis=1)
"""
TABLE = """\
text,label
"A lovely, quick film with a good end.",good
dull and dull again and again and end,bad
"""
WORTH = {"lovely": 2.0, "quick": 1.0, "dull": -3.0, "end": 0.2, "good": 0.3}
TOKENS = {
    2: ["A", "lovely", ",", "quick", "film", "with", "a", "good", "end", "."],
    3: ["dull", "and", "dull", "again", "and", "again", "and", "end"],
}
SIGN = {2: 1, 3: -1}
"""Whether the answer to a row is good."""
FIRST = {2: (1, 1, 1, 2, 5), 3: (1, 1, 1, 2, 4)}
"""How many words are 1, 5, 10, 20 and 50 % of a row's."""


@pytest.fixture
def compared(tmp_path, monkeypatch):
    (tmp_path / "critics.py").write_text(MODEL, encoding="utf-8")
    (tmp_path / "reviews.csv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "empty.csv").write_text("text,label\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    def run(*words, methods=("word_occlusion", "partition_shap"), table="reviews.csv"):
        named = [word for method in methods for word in ("--method", method)]
        given = ["--model", "critics:judge", "--images", table, "--compare", "--out", "out"]
        return main(["explain", *given, *named, *words])

    return run


def answer(row, hidden):
    """The probability of a row's answer without some words, by their places."""
    tokens = TOKENS[row]
    margin = sum(WORTH.get(word, 0) for place, word in enumerate(tokens) if place not in hidden)
    return 1 / (1 + np.exp(-SIGN[row] * margin))


def reference(row):
    """Comprehensiveness and sufficiency of a row, by the words' worth for its answer."""
    tokens = TOKENS[row]
    order = sorted(range(len(tokens)), key=lambda place: -SIGN[row] * WORTH.get(tokens[place], 0))
    whole = answer(row, ())
    without = [whole - answer(row, order[:first]) for first in FIRST[row]]
    alone = [whole - answer(row, order[first:]) for first in FIRST[row]]
    return np.mean(without), np.mean(alone)


def test_metrics_are_those_of_the_definition(compared):
    assert compared() == 0
    rows = SCORED.from_csv(Path("out", "scores.csv").read_bytes(), "scores.csv")
    assert [(row["row"], row["method"]) for row in rows] == [
        (2, "word_occlusion"), (3, "word_occlusion"), (2, "partition_shap"), (3, "partition_shap"),
    ]  # fmt: skip
    for row in rows:  # both methods rank the words of such a model by their worth
        found = (row["comprehensiveness"], row["sufficiency"])
        assert found == pytest.approx(reference(row["row"]), abs=1e-6)
        assert row["infidelity"] >= 0


def test_the_summary_has_means_and_the_terminal_too(compared, capsys):
    assert compared() == 0
    rows = SCORED.from_csv(Path("out", "scores.csv").read_bytes(), "scores.csv")
    means = SUMMARY.from_csv(Path("out", "summary.csv").read_bytes(), "summary.csv")
    assert [row["method"] for row in means] == ["word_occlusion", "partition_shap"]
    expected = np.mean([row["infidelity"] for row in rows if row["method"] == "partition_shap"])
    assert means[1]["infidelity"] == pytest.approx(expected)
    told = capsys.readouterr().out
    assert f"infidelity {expected:.3f}" in told
    assert "summary.csv" in told


def test_a_sample_is_the_same_each_time(compared):
    drawn = []
    for _ in range(2):
        assert compared("--sample", "1") == 0
        rows = SCORED.from_csv(Path("out", "scores.csv").read_bytes(), "scores.csv")
        drawn.append({row["row"] for row in rows})
    assert drawn[0] == drawn[1]
    assert len(drawn[0]) == 1


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"methods": ("word_occlusion", "gradcam")}, "gradcam: explains no text alone"),
        ({"table": "critics.py"}, "critics.py"),
        ({"table": "empty.csv"}, "empty.csv: has a header and no rows"),
        ({"table": "nowhere.csv"}, "nowhere.csv"),
    ],
)
def test_what_cant_be_compared_is_one_line(compared, capsys, given, said):
    assert compared(**given) == 2
    assert said in capsys.readouterr().err.splitlines()[-1]
