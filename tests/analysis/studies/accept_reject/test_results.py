import io
import math

import pandas as pd
import pytest

from analysis.data.json_values import plain
from analysis.questions.estimates import row_of
from analysis.report.deciding import MEANS, MODEL
from analysis.studies.accept_reject.against_experts import AGAINST_E
from analysis.studies.accept_reject.data import exclusions_by_order, setting
from analysis.studies.accept_reject.inquiry import ACCEPT_REJECT
from analysis.studies.accept_reject.quantities import (
    GAIN,
    LEADS,
    NET,
    RAW,
)
from analysis.studies.accept_reject.questions.acceptance import ACCEPTANCE
from analysis.studies.accept_reject.questions.controls import CONTROLS
from analysis.studies.accept_reject.questions.model import MIXED_MODEL
from analysis.studies.accept_reject.questions.other_choices import OTHER_CHOICES
from analysis.studies.accept_reject.questions.usefulness import USEFULNESS
from analysis.studies.accept_reject.rates import RATIO, acceptance_rows, usefulness_rows
from analysis.studies.accept_reject.words import RUN_WORDS
from tests.analysis.studies.accept_reject.simulate_table import Truth, simulate
from tests.analysis.studies.accept_reject.whole import (
    by,
    dataset,
    estimate,
    estimates,
    gain,
    rate,
    results_of,
)

SHOWN = (ACCEPTANCE, USEFULNESS, CONTROLS, MIXED_MODEL, OTHER_CHOICES)
ROBOTS = ["lead", "dichromat", "contour_reader", "lazy", "random", "lead"]


def read(table):
    return ACCEPT_REJECT.read(dataset(table), None, ())


@pytest.fixture(scope="module")
def mixed_robots():
    return results_of(simulate(ROBOTS, purpose="robot", seed=2), only=SHOWN)


@pytest.fixture(scope="module")
def sixteen_leads():
    return results_of(simulate(["lead"] * 16, per_solver=24), only=SHOWN)


def test_each_robot_gets_the_verdict_that_was_put_in(mixed_robots):
    verdicts = [row["outcome"] for row in mixed_robots["participants"]["leads"]]
    assert verdicts == [
        "profits",
        "undecided",
        "from_explanation",
        "not_compliant",
        "not_compliant",
        "profits",
    ]
    assert [row["robot"] for row in mixed_robots["participants"]["leads"]] == ROBOTS


def test_a_contour_readers_gain_is_gone_once_contour_reading_is_taken_off():
    rows = usefulness_rows(read(simulate(["contour_reader"] * 6)).rates)
    raw, net = (row_of(rows, GAIN, solver="S", part=part) for part in (RAW, NET))
    assert raw.estimate > 0.8
    assert abs(net.estimate) < 0.15
    assert net.ci_low < 0 < net.ci_high


def test_the_truth_of_leads_is_recovered(sixteen_leads):
    """S is right on about 90 %, E on 97 %; reading .35 without, .75 with explanation."""
    for solver, right in (("S", 0.9), ("E", 0.97)):
        row = gain(sixteen_leads, solver)
        assert row.ci_low < 0.40 * right < row.ci_high
        assert row.ci_low > 0
        with_ = rate(sixteen_leads, solver, "with")
        assert with_.ci_low < 0.75 * right < with_.ci_high


def test_rates_are_what_the_table_holds(sixteen_leads):
    """Straight from the definition."""
    table = simulate(["lead"] * 16, per_solver=24)
    for (solver, explained), own in table.groupby(["solver", "explained"]):
        if solver != "control":
            row = rate(sixteen_leads, solver, RUN_WORDS[explained])
            accepted = (own["decision"] == "accept") & (own["rt_s"] <= 3.0)
            assert (row.estimate, row.n) == (pytest.approx(accepted.mean()), len(own))


def test_a_worse_system_is_called_worse():
    table = simulate(["lead"] * 10, truth=Truth(with_s=0.35, with_e=0.9))
    found = results_of(table, only=[ACCEPTANCE, USEFULNESS])
    assert estimate(found, AGAINST_E).verdict == "worse"
    assert estimate(found, RATIO).ci_high < 1
    assert found["headline"][2].startswith("With explanations, S is worse than E")


def test_the_order_of_rows_does_not_matter():
    table = simulate(["lead", "dichromat", "lead"], per_solver=12, scale=0.5)
    shuffled = table.sample(frac=1, random_state=3).reset_index(drop=True)
    first, second = read(table).rates, read(shuffled).rates
    for rows_of in (acceptance_rows, usefulness_rows):
        assert plain(rows_of(first)) == plain(rows_of(second))


def test_exclusions_by_hand_leave_everything(mixed_robots):
    found = results_of(simulate(ROBOTS, purpose="robot", seed=2), ("P003", "P004"), only=())
    assert {row["participant"] for row in found["participants"]["leads"]} == {
        "P001",
        "P002",
        "P005",
        "P006",
    }
    table = by(found["flow"], step="in the trial table")
    assert by(table["left_out"], reason="left out by hand (--exclude)")["participants"] == 2
    assert found["data"]["trials"] < mixed_robots["data"]["trials"]


def test_every_choice_is_repeated(sixteen_leads, mixed_robots):
    rows = [row for row in sixteen_leads["estimates"] if row["question"] == "other_choices"]
    assert list(
        dict.fromkeys(row["of"]["analysis"] for row in rows if "analysis" in row["of"])
    ) == [
        "all leads (intention to treat)",
        "decision time × 2/3",
        "decision time × 1.5",
        "times less the rig’s lag",
        "first run of each lead only (between leads)",
        "by the mixed model",
    ]
    second = "without those left out by rule"
    assert estimate(mixed_robots, LEADS, analysis=second).estimate == 3


def painted_by(table, experts):
    """Return the table with E's solutions dealt to so many experts, plate by plate."""
    number = table["item"].map({item: k for k, item in enumerate(sorted(table["item"].unique()))})
    names = "X" + (number % experts).astype(str)
    return table.assign(solver_id=names.where(table["solver"] == "E", table["solver_id"]))


def test_experts_are_a_random_effect_where_there_are_five_or_more():
    """One of six experts is never accepted: that varies from expert to expert, not by plate."""
    table = painted_by(simulate(["lead"] * 6, per_solver=24), 6)
    odd = (table["solver_id"] == "X0") & (table["solver"] == "E")
    data = read(table.assign(decision=table["decision"].mask(odd, "reject")))
    model = data.model
    assert model.fit.groups["expert"] == 6
    (expert,) = (row for row in model.fit.random if row.group == "expert")
    assert expert.sd > 1
    assert {row.of["solver"] for row in model.probabilities} == {"S", "E"}
    assert not any("p_E is" in note for note in setting(data).frame.notes)


def test_few_experts_are_no_random_effect_and_the_report_says_whose_p_e_it_is():
    data = read(painted_by(simulate(["lead"] * 4, per_solver=12), 4))
    assert "expert" not in data.model.fit.groups
    assert any("4 experts: p_E is theirs" in note for note in setting(data).frame.notes)


def test_the_models_usefulness_agrees_with_the_rates(sixteen_leads):
    model = sixteen_leads["model"]
    assert model["fit"]["converged"]
    for solver in ("S", "E"):
        averaged = estimate(sixteen_leads, GAIN, solver=solver, by=MODEL).estimate
        assert averaged == pytest.approx(gain(sixteen_leads, solver).estimate, abs=0.03)
    explained = by(model["fit"]["fixed"], term="explained")
    assert explained["odds_ratio"] == pytest.approx(math.exp(explained["estimate"]))
    assert explained["ci_low"] > 0


def test_each_robot_is_named_in_the_headline(mixed_robots):
    said = mixed_robots["headline"]
    assert said[0] == "Robots answered: 6 simulated leads (response models), and no person."
    assert said[1].startswith("For these six simulated leads, explanations raise acceptance")
    assert "for simulated leads in general [" in said[1]
    assert said[2].startswith("For these six simulated leads, with explanations, ")
    assert "margin 10" in said[2]
    assert said[3].startswith(
        "This is about these six simulated leads: plates count as drawn at random"
    )
    assert said[4] == (
        "Each of the 6 simulated leads by itself, without a correction for their number: "
        "P001 (lead) and P006 (lead) profit from explanations; P002 (dichromat) is undecided; "
        "P003 (contour_reader) accepts from the explanation; P004 (lazy) and P005 (random) don't "
        "follow the guidelines."
    )


def test_many_leads_are_counted_after_the_estimate(sixteen_leads):
    first, gains, compared, each = sixteen_leads["headline"]
    assert first == "Robots answered: 16 simulated leads (response models), and no person."
    assert gains.startswith(
        "Over 16 simulated leads, explanations raise acceptance of S's solutions"
    )
    assert "95 % interval" in gains
    assert gains.endswith("Each p and the limits before it have Holm’s correction over S and E.")
    assert gains.index("95 % interval") < gains.index("by the mixed model")
    assert each.startswith("Each of the 16 simulated leads by itself, without a correction for ")
    assert "margin 10" in compared


def careless(table, leads):
    """Let leads accept, or reject, everything; half of them each."""
    codes = sorted(table["participant"].unique())[:leads]
    for place, code in enumerate(codes):
        own = table["participant"] == code
        table.loc[own, "decision"] = ("accept", "reject")[place % 2]
        table.loc[own, "rt_s"] = 1.0
    return table


@pytest.fixture(scope="module")
def six_careless():
    """The protocol names the model, and 6 of 20 leads never vary."""
    table = careless(simulate(["lead"] * 20, per_solver=24, scale=0.3), 6)
    named = {"primary_test": "model"}
    return results_of(table, only=[ACCEPTANCE, USEFULNESS], analysis=named)


def test_the_headline_gives_what_decides_first_and_the_means_beside_it(six_careless):
    rows = estimates(six_careless, GAIN, solver="S", part=RAW)
    assert [row.of["by"] for row in rows if "by" in row.of] == [MEANS, MODEL]
    model = estimate(six_careless, GAIN, solver="S", by=MODEL)
    said = six_careless["headline"][1]
    first = f"({round(100 * model.estimate):+d} points, 95 % interval"
    assert said.index(first) < said.index("; by means ")
    assert "The protocol names the mixed model, which decides." in said


def test_leads_who_never_vary_are_counted_and_dont_shrink_the_models_average(six_careless):
    unvarying = six_careless["usefulness"]["unvarying"]
    assert (unvarying["people"], unvarying["of_people"]) == (6, 20)
    for solver in ("S", "E"):
        model = estimate(six_careless, GAIN, solver=solver, by=MODEL).estimate
        assert model == pytest.approx(gain(six_careless, solver).estimate, abs=0.03)


def test_without_a_finding_a_change_is_undecided():
    table = simulate(["lead"] * 9, per_solver=12, scale=0.3, truth=Truth(0.4, 0.4, 0.4))
    said = results_of(table, only=[ACCEPTANCE, USEFULNESS])["headline"][1]
    assert "whether explanations change acceptance of S's solutions within 3 s is undecided" in said
    assert "raise" not in said


def test_leads_left_out_by_rule_are_compared_between_orders_of_runs():
    frame = pd.DataFrame(
        {
            "participant": [f"P{n}" for n in range(20)],
            "order": ["without_first", "with_first"] * 10,
        }
    )
    (even,) = exclusions_by_order(frame, [])
    assert (even.state, even.finding) == ("passed", "Nobody is left out.")
    (odd,) = exclusions_by_order(frame, [f"P{n}" for n in range(0, 14, 2)])
    assert odd.state == "warning"
    assert "without explanations first 7 of 10" in odd.finding
    assert exclusions_by_order(frame.iloc[::2], []) == []


def test_the_item_table_says_what_s_and_e_made_of_all_plates():
    items = pd.DataFrame(
        {
            "item": ["a", "b", "c", "d"],
            "true_label": ["1", "2", "3", "no_numeral"],
            "model_label": ["1", "no_solution", "5", "4"],
            "expert_label": ["1", "2", None, None],
            "region_iou": [0.5, 0.3, None, None],
        }
    )
    table = simulate(["lead", "lead"], per_solver=8, scale=0.3)
    system, expert = results_of(table, items=items, only=())["participants"]["items"]
    assert (system["items"], expert["items"]) == (3, 2)
    assert system["right"] == pytest.approx(1 / 3)
    assert (expert["right"], expert["region_iou"]) == (1, pytest.approx(0.4))
    without = results_of(table, only=())
    assert without["participants"]["items"] == []
    assert any("item table" in row["reason"] for row in without["missing"])


def test_r_can_fit_the_main_model_again():
    """That it finds the same: tests/analysis/mixed/test_refit.py."""
    data = ACCEPT_REJECT.read(dataset(simulate(["lead"] * 6, per_solver=8)), None, ())
    files = ACCEPT_REJECT.refit_files(data)
    assert set(files) == {"table.csv", "estimates.csv", "refit.R"}
    ours = pd.read_csv(io.StringIO(files["estimates.csv"])).set_index("term")["estimate"]
    shown = {row.term: row.estimate for row in data.model.fit.fixed}
    assert dict(ours) == pytest.approx(shown, rel=1e-9)


def test_models_of_many_trials_are_fitted_to_a_sample_of_leads_and_the_report_says_so(monkeypatch):
    table = simulate(["lead"] * 12, per_solver=12)
    trials = len(read(table).judged.frame) // 12
    monkeypatch.setattr("analysis.studies.accept_reject.data.MOST_ROWS", 7 * trials)
    found = results_of(table, only=[ACCEPTANCE, CONTROLS, USEFULNESS, MIXED_MODEL])
    assert found["model"]["fit"]["groups"]["participant"] == 7
    assert any("to the data of 7 of 12 participants" in note for note in found["notes"])
    assert found["data"]["participants"] == 12
