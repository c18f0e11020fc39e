"""What a lab's first datasets look like: hardly any people, empty arms, equal answers."""

import pytest

from analysis.studies.accept_reject.against_experts import AGAINST_E
from analysis.studies.accept_reject.controls import CONTROL, RISE
from analysis.studies.accept_reject.quantities import ACCEPTED, LEADS, NET
from analysis.studies.accept_reject.questions.acceptance import ACCEPTANCE
from analysis.studies.accept_reject.questions.comparison import COMPARISON
from analysis.studies.accept_reject.questions.controls import CONTROLS
from analysis.studies.accept_reject.questions.model import MIXED_MODEL
from analysis.studies.accept_reject.questions.other_choices import FIRST_RUN, OTHER_CHOICES
from analysis.studies.accept_reject.questions.usefulness import USEFULNESS
from analysis.studies.accept_reject.rates import RATIO
from stimuli.errors import UserError
from tests.analysis.asking import without_models
from tests.analysis.studies.accept_reject import odd_tables
from tests.analysis.studies.accept_reject.simulate_table import simulate
from tests.analysis.studies.accept_reject.whole import (
    by,
    estimate,
    estimates,
    gain,
    rate,
    results_of,
)

THE_MODEL = [ACCEPTANCE, USEFULNESS, CONTROLS, MIXED_MODEL]
PRIMARY = [*THE_MODEL, COMPARISON]


@pytest.fixture
def no_models():
    with without_models():
        yield


def small(robots=("lead", "lead"), **changes):
    return odd_tables.small(robots, per_solver=8, **changes)


def reasons(results):
    return " | ".join(f"{row['result']}: {row['reason']}" for row in results["missing"])


def test_one_participant_gets_intervals_of_their_own_and_is_told():
    found = results_of(simulate(["lead"]), only=PRIMARY)
    row = gain(found, "S")
    assert row.ci_low < row.estimate < row.ci_high
    assert "MOVER" in found["intervals"]
    assert found["bootstrap"]["replicates"] == 0
    assert "one lead says nothing about how leads differ" in reasons(found)
    assert found["model"]["fit"]["fitted"]
    assert not found["model"]["fit"]["random"]
    assert any(
        "says nothing about simulated leads in general" in said for said in found["headline"]
    )
    assert "There is only one lead: the results hold only for this lead." in found["headline"]
    assert not any("leads in general, whether" in said for said in found["headline"])


def test_without_an_accepted_trial_intervals_do_not_collapse():
    table = small().assign(decision="reject")
    found = results_of(table, only=PRIMARY)
    row = rate(found, "S", "with")
    assert (row.estimate, row.ci_low) == (0, 0)
    assert row.ci_high > 0.05
    assert not found["model"]["fit"]["fitted"]
    assert "are the same" in found["model"]["fit"]["reason"]
    assert estimate(found, RATIO).note == "undefined: nothing of E's was accepted"
    assert "undefined" in reasons(found)


def test_complete_separation_is_said():
    found = results_of(odd_tables.separated(), only=THE_MODEL)
    assert not found["model"]["fit"]["converged"]
    assert any("Separation" in note for note in found["model"]["fit"]["notes"])
    assert "Separation: along" in reasons(found)


def test_an_empty_arm_is_named():
    table = small()
    found = results_of(table[table["solver"] != "S"], only=PRIMARY)
    assert rate(found, "S", "with").estimate is None
    assert "acceptance of S with explanation" in reasons(found)
    assert estimate(found, AGAINST_E).verdict == "unknown"
    assert found["model"]["fit"]["fitted"]
    assert found["headline"]


def test_a_run_without_trials_is_named(no_models):
    table = small()
    found = results_of(table[~table["explained"]], only=[ACCEPTANCE, USEFULNESS])
    assert gain(found, "S").estimate is None
    assert {row["outcome"] for row in found["participants"]["leads"]} == {"unknown"}
    assert "there are no such trials" in reasons(found)
    assert any("can't be judged" in said for said in found["headline"])


def test_no_controls_at_all(no_models):
    table = small()
    found = results_of(table[table["solver"] != "control"], only=[ACCEPTANCE, USEFULNESS, CONTROLS])
    assert gain(found, "S", NET).estimate is None
    assert gain(found, "S").estimate is not None
    assert "no plates without a numeral" in reasons(found)
    assert estimates(found, CONTROL) == []
    assert estimate(found, RISE).estimate is None


def test_the_six_columns_alone_name_what_is_missing():
    found = results_of(small()[odd_tables.LEAST])
    said = reasons(found)
    for column in ("order", "control_kind", "purpose", "frames_dropped", "rig", "rt_corrected_s"):
        assert f"no column {column}" in said
    assert gain(found, "E").estimate is not None
    assert "run" not in {row["term"] for row in found["model"]["fit"]["fixed"]}
    assert any("cutoff_s" in note for note in found["notes"])


def test_one_order_for_everyone_is_said():
    table = simulate(["lead"] * 6, per_solver=12, scale=0.5)
    table = table[table["order"] == "without_first"]
    found = results_of(table, only=[*THE_MODEL, OTHER_CHOICES])
    assert any("one order" in note for note in found["model"]["fit"]["notes"])
    assert {"run", "order"}.isdisjoint(row["term"] for row in found["model"]["fit"]["fixed"])
    assert FIRST_RUN not in {row.of["analysis"] for row in estimates(found, LEADS)}


def test_a_visible_cutoff_counts_late_acceptances(no_models):
    table = small(("lead",) * 4).assign(cutoff_mode="visible", accepted=None, in_time=None)
    found = results_of(table, only=[ACCEPTANCE, USEFULNESS])
    own = table[(table["solver"] == "S") & ~table["explained"]]
    expected = (own["decision"] == "accept").mean()
    assert rate(found, "S", "without").estimate == pytest.approx(expected)
    assert "after 3 s of exposure" in found["headline"][1]


def test_acceptances_without_a_time_are_left_out_and_counted():
    table = small()
    accepted = table.index[table["decision"] == "accept"][:3]
    table.loc[accepted, "rt_s"] = float("nan")
    found = results_of(table, only=())
    assert "3 acceptances without a time were left out." in found["notes"]
    assert found["data"]["trials"] == len(table) - 3


def test_a_stored_judgement_that_differs_is_said_and_overruled(no_models):
    table = small()
    late = (table["decision"] == "accept") & (table["rt_s"] > 3)
    assert late.any()
    overruled = results_of(table.assign(accepted=table["accepted"] | late), only=[ACCEPTANCE])
    found = results_of(table, only=[ACCEPTANCE])
    assert any(
        f"In {late.sum()} trials the table's accepted differs" in n for n in overruled["notes"]
    )
    assert estimates(found, ACCEPTED) == estimates(overruled, ACCEPTED)


def test_excluding_everyone_is_a_users_mistake():
    with pytest.raises(UserError, match="no trials are left"):
        results_of(small(), left_out=("P001", "P002"))


def test_a_solver_who_answers_otherwise_at_another_rung_counts_at_both():
    table = small().assign(true_label="3", shown_label="3")
    table["rung"] = table["participant"].map({"P001": 1, "P002": 2})
    table.loc[table["rung"] == 1, "shown_label"] = "8"
    row = by(results_of(table, only=())["participants"]["solutions"], solver="S")
    each = table[table["solver"] == "S"].drop_duplicates(["item", "rung"])
    assert row["items"] == len(each)
    assert row["right"] == (each["rung"] == 2).mean()
