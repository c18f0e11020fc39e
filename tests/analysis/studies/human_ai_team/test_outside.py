"""Any table with the five columns runs, in the words that others use."""

import json

import pandas as pd
import pytest

from analysis.cli import main
from analysis.data.tables import read_outside
from analysis.studies.human_ai_team.figures import accuracy_figure
from analysis.studies.human_ai_team.methods import methods_paragraphs
from tests.analysis.studies.human_ai_team.tables_of import crossed

NEEDED = ["participant", "item", "method", "ai_correct", "decision"]


def analyse(out, *words):
    return main(["analyse", "human_ai_team", "--out", str(out), *map(str, words)])


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """The report of a table with no more than the five columns, one participant left out."""
    folder = tmp_path_factory.mktemp("bare")
    table = crossed()[NEEDED]
    table.assign(ai_correct=table["ai_correct"].astype(int)).to_csv(folder / "t.csv", index=False)
    (folder / "gone").write_text("p3  # slept\n", encoding="utf-8")
    quick = 'schema = "protocol/1.5"\nstudy = "human_ai_team"\n[analysis]\nreplicates = 100\n'
    (folder / "quick.toml").write_text(quick, encoding="utf-8")
    words = ("--trials", folder / "t.csv", "--protocol", folder / "quick.toml")
    assert analyse(folder / "out", *words, "--exclude", folder / "gone") == 0
    return table, json.loads((folder / "out" / "results.json").read_text(encoding="utf-8"))


def test_means_are_those_of_the_table(bare):
    table, results = bare
    kept = table[table["participant"] != "p3"]
    correct = kept["ai_correct"] == (kept["decision"] == "yes")
    own = 100 * correct.groupby([kept["method"], kept["participant"]]).mean()
    for row in results["per_user_accuracy"]:
        assert row["mean"] == pytest.approx(own[row["method"]].mean())
        assert row["sd"] == pytest.approx(own[row["method"]].std())
        assert row["n"] == len(own[row["method"]])


def test_what_the_table_lacks_is_named(bare):
    _, results = bare
    lacking = {row["result"] for row in results["missing"]}
    assert {
        "separate results for natural and adversarial images",
        "prior knowledge as a moderator",
    } <= lacking
    assert results["exclusions"]["by_hand"] == ["p3"]
    assert results["data"]["reference"] == "confidence"
    assert results["data"]["adversarial_share"] is None
    assert "showed adversarial images" not in str(methods_paragraphs(results))


def test_an_interval_down_to_0_lies_within_its_axis(bare):
    rows = [{**row, "ci_low": 0.0} for row in bare[1]["per_user_accuracy"]]
    figure = accuracy_figure({**bare[1], "per_user_accuracy": rows})
    assert figure.axes[0].get_xlim()[0] <= 0


def test_words_of_elsewhere_are_read(tmp_path):
    rows = [
        ("a", "i", "x", "TRUE", "Yes", "Test", "Hard"),
        ("a", "j", "x", "0", "0", "validation", "easy"),
        ("b", "i", "y", "1", "", "main", "easy"),
    ]
    names = [*NEEDED, "phase", "level"]
    pd.DataFrame(rows, columns=names).to_csv(tmp_path / "t.csv", index=False)
    frame = read_outside("human_ai_team", tmp_path / "t.csv").trials
    assert list(frame["decision"])[:2] == ["yes", "no"]
    assert frame["decision"].isna()[2]
    assert list(frame["ai_correct"]) == [True, False, True]
    assert list(frame["phase"]) == ["main", "validation", "main"]
    assert frame["level"][0] == "hard"


def test_an_odd_decision_is_one_line(tmp_path, capsys):
    crossed().assign(decision="perhaps").to_csv(tmp_path / "t.csv", index=False)
    assert analyse(tmp_path / "out", "--trials", tmp_path / "t.csv") == 2
    said = capsys.readouterr().err
    assert "decision is 'perhaps' in line 2" in said
    assert len(said.strip().splitlines()) == 1
