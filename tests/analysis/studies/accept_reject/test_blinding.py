"""Whether leads know whose solutions they see: blinding that holds, and that doesn't."""

import numpy as np
import pandas as pd
import pytest

from analysis.studies.accept_reject.questions.blinding import BLINDING
from tests.analysis.studies.accept_reject.simulate_table import leads
from tests.analysis.studies.accept_reject.whole import answer_of, by, results_of, said_of


def blinded(table):
    return answer_of(BLINDING, table)


def guessing(table, right):
    """Return the table with every explained solution guessed, so many of them rightly."""
    rng = np.random.Generator(np.random.PCG64(5))
    solved = table["explained"] & table["solver"].isin(["S", "E"])
    truth = table["solver"].map({"S": "machine", "E": "person"})
    other = table["solver"].map({"S": "person", "E": "machine"})
    hit = rng.random(len(table)) < right
    return table.assign(guessed_source=truth.where(hit, other).where(solved, None))


def test_leads_who_know_the_source_are_found_out():
    found = blinded(guessing(leads(), 0.9))["guesses"]
    assert found["accuracy"]["ci_low"] > 0.5
    assert all(row["ci_low"] > 0 for row in found["bang"])
    assert found["james"]["ci_high"] < 0.5


def test_leads_who_guess_by_lot_are_called_blind():
    found = blinded(guessing(leads(), 0.5))["guesses"]
    assert found["accuracy"]["ci_low"] < 0.5 < found["accuracy"]["ci_high"]
    assert all(row["ci_low"] < 0 < row["ci_high"] for row in found["bang"])


def test_leads_who_always_say_machine_know_nothing():
    table = leads()
    solved = table["explained"] & table["solver"].isin(["S", "E"])
    table = table.assign(guessed_source=pd.Series("machine", table.index).where(solved, None))
    results = results_of(table, only=[BLINDING])
    system, experts = results["blinding"]["guesses"]["bang"]
    assert (system["estimate"], experts["estimate"]) == (1, -1)
    said = said_of(results, BLINDING)
    assert "prefer one answer" in said
    assert "did not hold" not in said


def test_guesses_are_counted_as_the_table_holds_them():
    table = guessing(leads(4), 0.7)
    found = blinded(table)["guesses"]
    for row in found["counts"]:
        own = table[(table["solver"] == row["solver"])]["guessed_source"].value_counts()
        assert row["machine"] == own.get("machine", 0)
        assert row["person"] == own.get("person", 0)
    right = sum((table["guessed_source"] == "machine") & (table["solver"] == "S"))
    right += sum((table["guessed_source"] == "person") & (table["solver"] == "E"))
    assert found["accuracy"]["estimate"] == pytest.approx(right / found["accuracy"]["n"])


def test_results_are_split_by_suspicion():
    table = leads(6)
    suspects = {"P001", "P002"}
    said = np.where(table["participant"].isin(suspects), "some_machine", "all_people")
    split = blinded(table.assign(source_guess=said))["split"]
    assert by(split, analysis="leads who suspect a machine")["participants"] == 2
    assert by(split, analysis="leads who don’t")["participants"] == 4


def test_without_questions_nothing_is_said_of_blinding():
    bare = leads(2).drop(columns=["guessed_source", "source_guess", "source_which"])
    found = blinded(bare.drop(columns=["noticed_kinds", "relied_on"]))
    assert found == {"answers": [], "guesses": None, "split": []}
