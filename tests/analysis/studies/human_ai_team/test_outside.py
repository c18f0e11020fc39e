"""Any table with the five columns runs, in the words that others use."""

import json

import pandas as pd
import pytest

from analysis.cli import main
from analysis.data.tables import read_outside
from analysis.studies.human_ai_team.inquiry import TEAM
from analysis.studies.human_ai_team.quantities import MEAN, SD
from analysis.studies.human_ai_team.questions.accuracy import ACCURACY
from analysis.studies.human_ai_team.questions.participants import PARTICIPANTS
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
    quick = 'schema = "protocol/1.0"\nstudy = "human_ai_team"\n[analysis]\nreplicates = 100\n'
    (folder / "quick.toml").write_text(quick, encoding="utf-8")
    words = ("--trials", folder / "t.csv", "--protocol", folder / "quick.toml")
    assert analyse(folder / "out", *words, "--exclude", folder / "gone") == 0
    results = json.loads((folder / "out" / "results.json").read_text(encoding="utf-8"))
    return table, results, TEAM.read_results(results)


def test_means_are_those_of_the_table(bare):
    table, _, found = bare
    kept = table[table["participant"] != "p3"]
    correct = kept["ai_correct"] == (kept["decision"] == "yes")
    own = correct.groupby([kept["method"], kept["participant"]]).mean()
    answer = found.of(ACCURACY)
    for row in answer.rows(MEAN):
        by_hand = own[row.of["method"]]
        assert row.estimate == pytest.approx(by_hand.mean())
        assert answer.row(SD, **row.of).estimate == pytest.approx(by_hand.std())
        assert row.n == len(by_hand)


def test_what_the_table_lacks_is_named(bare):
    _, results, found = bare
    lacking = {row.result for row in found.frame.missing}
    assert {
        "separate results for natural and adversarial images",
        "prior knowledge as a moderator",
    } <= lacking
    people = found.of(PARTICIPANTS)
    assert people.by_hand == ("p3",)
    assert people.reference == "confidence"
    assert people.adversarial_share is None
    methods = next(one for one in TEAM.build(results).sections if one.title == "Methods")
    assert "showed adversarial images" not in str(methods)


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
