"""Whether leads know whose solutions they see: blinding that holds, and that doesn't."""

import numpy as np
import pytest

from analysis.studies.accept_reject.blinding import BANG, GUESSED, RIGHT
from analysis.studies.accept_reject.questions.blinding import BLINDING, Blinding
from tests.analysis.studies.accept_reject.simulate_table import leads
from tests.analysis.studies.accept_reject.whole import answer_of


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
    answer = blinded(guessing(leads(), 0.9))
    assert answer.row(RIGHT).ci_low > 0.5
    assert all(row.ci_low > 0 for row in answer.rows(BANG))


def test_leads_who_guess_by_lot_are_called_blind():
    answer = blinded(guessing(leads(), 0.5))
    assert answer.row(RIGHT).ci_low < 0.5 < answer.row(RIGHT).ci_high
    assert all(row.ci_low < 0 < row.ci_high for row in answer.rows(BANG))


def test_guesses_are_counted_as_the_table_holds_them():
    table = guessing(leads(4), 0.7)
    answer = blinded(table)
    for row in answer.rows(GUESSED):
        own = table[table["solver"] == row.of["solver"]]["guessed_source"]
        assert row.estimate == (own == row.of["guess"]).sum()
    right = sum((table["guessed_source"] == "machine") & (table["solver"] == "S"))
    right += sum((table["guessed_source"] == "person") & (table["solver"] == "E"))
    share = answer.row(RIGHT)
    assert share.estimate == pytest.approx(right / share.n)


def test_without_questions_nothing_is_said_of_blinding():
    bare = leads(2).drop(columns=["guessed_source", "source_guess", "source_which"])
    assert blinded(bare.drop(columns=["noticed_kinds", "relied_on"])) == Blinding((), None)
