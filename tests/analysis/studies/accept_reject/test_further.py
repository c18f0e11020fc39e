"""Blinding, decision times, explanation methods, fixed order: what was put in comes out."""

from dataclasses import asdict

import numpy as np
import pandas as pd
import pytest

from analysis.questions.question import Found
from analysis.questions.results_file import answer_as_json
from analysis.statistics.bootstrap import Resampling
from analysis.studies.accept_reject.data import LeadData
from analysis.studies.accept_reject.questions.acceptance import ACCEPTANCE
from analysis.studies.accept_reject.questions.blinding import BLINDING
from analysis.studies.accept_reject.questions.controls import CONTROLS
from analysis.studies.accept_reject.questions.explainers import EXPLAINERS, compare_explainers
from analysis.studies.accept_reject.questions.model import MIXED_MODEL
from analysis.studies.accept_reject.questions.other_choices import OTHER_CHOICES
from analysis.studies.accept_reject.questions.times import TIMES
from analysis.studies.accept_reject.questions.usefulness import USEFULNESS
from analysis.studies.accept_reject.run_effect import run_effect
from analysis.studies.accept_reject.trials import judge_trials
from stimuli.protocol import load_protocol
from tests.analysis.studies.accept_reject.simulate_table import Truth, simulate
from tests.analysis.studies.accept_reject.whole import (
    alone,
    by,
    dataset,
    results_of,
    said_of,
    typed,
)

PLAN = Resampling(300, 1)


def judged(table):
    return judge_trials(typed(table), load_protocol("accept_reject"))


def leads(count=8, per_solver=12, **changes):
    return simulate(["lead"] * count, per_solver=per_solver, scale=0.3, **changes)


def answer_of(question, table):
    """Return a question's answer as results.json has it."""
    protocol = load_protocol("accept_reject")
    data = LeadData(dataset(table), protocol, None, (), judged(table), PLAN)
    return answer_as_json(question.compute(data, Found({})))


def blinded(table):
    return answer_of(BLINDING, table)


def times_of(table):
    return answer_of(TIMES, table)


def methods_of(table):
    return asdict(compare_explainers(judged(table)))


def run_effect_of(table):
    return asdict(run_effect(judged(table), PLAN))


# Blinding


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


# Decision times


def slowed(factor, seed=1):
    """Return answers whose log time is drawn from the model, explained ones slower by a factor."""
    table = leads(10, per_solver=16, seed=seed)
    rng = np.random.Generator(np.random.PCG64(seed))
    person = {code: rng.normal(0, 0.3) for code in table["participant"].unique()}
    item = {name: rng.normal(0, 0.2) for name in table["item"].unique()}
    log = 1.0 + table["participant"].map(person) + table["item"].map(item)
    log += np.log(factor) * table["explained"] + rng.normal(0, 0.4, len(table))
    return table.assign(decision=rng.choice(["accept", "reject"], len(table)), rt_s=np.exp(log))


def test_the_model_of_times_finds_the_ratio_that_was_put_in():
    model = times_of(slowed(1.5))["model"]
    assert model["fitted"]
    assert model["converged"]
    explained = by(model["fixed"], term="explained")
    assert explained["time_ratio_low"] < 1.5 < explained["time_ratio_high"]
    assert explained["time_ratio_low"] > 1.2
    solver = by(model["fixed"], term="solver")
    assert solver["time_ratio_low"] < 1 < solver["time_ratio_high"]


def test_unanswered_trials_are_counted_and_left_out():
    table = slowed(1.0)
    silent = (table.index % 7 == 0) & table["solver"].isin(["S", "E"])
    table = table.assign(
        decision=table["decision"].mask(silent, "none"), rt_s=table["rt_s"].mask(silent)
    )
    found = times_of(table)
    assert found["unanswered"] == silent.sum()
    assert found["model"]["n"] == found["trials"] - silent.sum()


def test_quantiles_are_means_over_leads():
    """Straight from the definition."""
    table = slowed(1.2)
    found = times_of(table)["quantiles"]
    row = by(found, solver="S", explained=True, decision="accept")
    own = table[(table["solver"] == "S") & table["explained"] & (table["decision"] == "accept")]
    each = [part["rt_s"] for _, part in own.groupby("participant") if len(part) >= 5]
    assert row["leads"] == len(each)
    assert row["q50_s"] == pytest.approx(np.mean([np.quantile(part, 0.5) for part in each]))


def test_times_are_reported_under_a_visible_cutoff_too():
    table = slowed(1.5).assign(cutoff_mode="visible", accepted=None, in_time=None)
    found = times_of(table)
    assert found["cutoff_mode"] == "visible"
    assert by(found["model"]["fixed"], term="explained")["time_ratio"] > 1.2


# Explanation methods


def two_methods(better=0.9, worse=0.35):
    """Return the study repeated with another method: other leads, other plates."""
    first, second = (
        simulate(["lead"] * 10, seed=seed, per_solver=16, scale=0.2, truth=Truth(with_s=gain))
        for seed, gain in ((1, better), (2, worse))
    )
    second = second.assign(
        participant="Q" + second["participant"].str[1:],
        item=second["item"] + "-b",
        method=second["method"].replace("occlusion", "lrp"),
    )
    return pd.concat([first, second], ignore_index=True)


def test_the_better_method_is_found_between_leads():
    found = methods_of(two_methods())
    assert found["design"] == "between"
    assert [row["method"] for row in found["methods"]] == ["lrp", "occlusion"]
    (pair,) = found["pairs"]
    assert pair["estimate"] < 0
    assert pair["ci_high"] < 0
    assert pair["p_holm"] < 0.05


def test_equal_methods_are_not_told_apart():
    (pair,) = methods_of(two_methods(0.6, 0.6))["pairs"]
    assert pair["ci_low"] < 0 < pair["ci_high"]


def test_a_methods_usefulness_is_with_less_without_by_its_own_leads():
    """Straight from the definition."""
    table = two_methods()
    for row in methods_of(table)["methods"]:
        seen = table["method"] == row["method"]
        own = table[(table["solver"] == "S")
                    & table["participant"].isin(table.loc[seen, "participant"])]  # fmt: skip
        in_time = (own["decision"] == "accept") & (own["rt_s"] <= 3.0)
        gain = in_time[own["explained"]].mean() - in_time[~own["explained"]].mean()
        assert row["estimate"] == pytest.approx(gain)


def test_within_leads_the_part_without_explanation_falls_out():
    table = leads(10, per_solver=16)
    place = table["item"].str[-4:].astype(int) % 2 == 0
    solved = (table["solver"] == "S") & table["explained"]
    table = table.assign(method=table["method"].mask(place & solved, "lrp"))
    found = methods_of(table)
    first, second = (by(found["methods"], method=name) for name in ("lrp", "occlusion"))
    assert found["design"] == "within"
    assert found["pairs"][0]["estimate"] == pytest.approx(
        first["accepted_with"] - second["accepted_with"]
    )


def test_three_methods_are_adjusted_together():
    table = two_methods()
    third = two_methods()
    third = third[third["participant"].str.startswith("Q")]
    third = third.assign(
        method=third["method"].replace("lrp", "gradcam"),
        participant="R" + third["participant"].str[1:],
    )
    found = methods_of(pd.concat([table, third], ignore_index=True))
    assert len(found["pairs"]) == 3
    assert all(row["p_holm"] >= row["p"] for row in found["pairs"])


def test_the_page_compares_methods():
    report = alone(EXPLAINERS).build(results_of(two_methods(), only=[EXPLAINERS]))
    (section,) = (part for part in report.sections if part.title == "Explanation methods")
    assert len(section.parts) == 4


# Run and explanation


def fixed_order(probes=0.0, practice=0.0):
    """Return leads who all have explanations second; some solutions there without one."""
    table = leads(12, per_solver=20)
    table = table.assign(
        order="without_first",
        run=np.where(table["explained"], 2, 1),
    )
    rng = np.random.Generator(np.random.PCG64(9))
    solved = table["solver"].isin(["S", "E"]) & (table["run"] == 2)
    probe = solved & (rng.random(len(table)) < probes)
    read = rng.random(len(table)) < 0.35 + practice
    return table.assign(
        explained=table["explained"] & ~probe,
        decision=table["decision"].mask(probe, np.where(read, "accept", "reject")),
        rt_s=table["rt_s"].mask(probe, 2.0),
    )


def test_a_fixed_order_alone_is_said_to_confound():
    found = run_effect_of(fixed_order())
    assert not found["told_apart"]
    assert "are confounded" in found["sentence"]
    results = results_of(
        fixed_order(), only=[ACCEPTANCE, USEFULNESS, CONTROLS, MIXED_MODEL, OTHER_CHOICES]
    )
    missing = by(
        results["missing"], result="the effect of explanations, separate from practice and fatigue"
    )
    assert "one order" in missing["reason"]
    assert not any(row["term"] in ("run", "order") for row in results["model"]["fit"]["fixed"])


def test_probes_tell_practice_from_explanation():
    found = run_effect_of(fixed_order(probes=0.5, practice=0.2))
    assert found["by"] == ["probes"]
    practice = [row["estimate"] for row in found["practice"]]
    assert np.mean(practice) == pytest.approx(0.2, abs=0.12)
    for row in found["net"]:
        assert row["ci_low"] < 0.75 * 0.93 - 0.55 + 0.1 < row["ci_high"] + 0.1


def test_too_few_probes_do_not_suffice():
    found = run_effect_of(fixed_order(probes=0.08))
    assert found["probe_share"] > 0
    assert not found["told_apart"]
    assert "fewer than 15 %" in found["sentence"]


def test_probes_are_neither_of_the_runs_compared():
    table = fixed_order(probes=0.5)
    frame = judged(table).frame
    results = results_of(table, only=[ACCEPTANCE, USEFULNESS, CONTROLS, MIXED_MODEL])
    without = by(results["acceptance"]["rates"], solver="S", explained=False)
    assert without["n"] == ((frame["solver"] == "S") & (frame["run"] == 1)).sum()
    model = results["model"]["fit"]
    assert {"run", "explained"} <= {row["term"] for row in model["fixed"]}
    check = by(results["checks"], check="Equal numbers of both orders of the runs")
    assert check["state"] == "note"
    assert "probes separate the effects of explanation and run" in check["finding"]
    assert any("probes" in note for note in model["notes"])


def test_a_sham_group_gives_practice_and_stands_outside_usefulness():
    table = fixed_order()
    sham = table["participant"].isin(["P001", "P002", "P003", "P004"])
    bare = sham & table["explained"]
    solved = bare & table["solver"].isin(["S", "E"])
    rng = np.random.Generator(np.random.PCG64(3))
    table = table.assign(
        order=table["order"].mask(sham, "sham"),
        explained=table["explained"] & ~sham,
        decision=table["decision"].mask(
            solved, np.where(rng.random(len(table)) < 0.35, "accept", "reject")
        ),
        rt_s=table["rt_s"].mask(solved, 2.0),
    )
    results = results_of(table, only=[ACCEPTANCE, OTHER_CHOICES])
    effect = results["other_choices"]["run_effect"]
    assert effect["by"] == ["sham"]
    (practice,) = effect["practice"]
    assert practice["ci_low"] < 0.02 < practice["ci_high"]
    outcomes = {row["participant"]: row["outcome"] for row in results["participants"]["leads"]}
    assert [outcomes[f"P00{k}"] == "sham" for k in (1, 4, 5, 6)] == [True, True, False, False]
    own = table[~sham & (table["solver"] == "S") & ~table["explained"]]
    assert by(results["acceptance"]["rates"], solver="S", explained=False)["n"] == len(own)


# Harm


def test_acceptance_of_wrong_digits_is_harm_and_no_profit():
    """Leads who accept whatever is explained, right or wrong alike, but nothing without numeral."""
    table = simulate(["lead"] * 8, per_solver=12, truth=Truth(0.35, 0.35, 0.35))
    rng = np.random.Generator(np.random.PCG64(2))
    numeral = table["true_label"] != "no_numeral"
    swayed = table["explained"] & numeral & (table["shown_label"] != "no_solution")
    swayed &= rng.random(len(table)) < 0.9
    found = results_of(
        table.assign(
            decision=table["decision"].mask(swayed, "accept"),
            rt_s=table["rt_s"].mask(swayed, 1.5),
        ),
        only=[CONTROLS],
    )
    assert found["controls"]["sensitivity"]["harm"]
    assert found["controls"]["sensitivity"]["ci_high"] < 0
    assert any("do harm" in sentence for sentence in found["headline"])
    assert {row["outcome"] for row in found["participants"]["leads"]} == {"indiscriminate"}
    assert found["participants"]["by_rule"] == []  # to be misled is a result


def test_wrong_digits_accepted_for_the_explanations_sake_are_harm_where_d_prime_stays():
    """All digits, right and wrong, are accepted more often: a shift that d′ can't see."""
    table = simulate(["lead"] * 8, per_solver=12, truth=Truth(0.35, 0.35, 0.35))
    rng = np.random.Generator(np.random.PCG64(3))
    solved = table["shown_label"] != "no_solution"
    swayed = table["explained"] & solved & (rng.random(len(table)) < 0.4)
    swayed |= (table["control_kind"].str.startswith("right")) & (rng.random(len(table)) < 0.5)
    found = results_of(
        table.assign(
            decision=table["decision"].mask(swayed, "accept"),
            rt_s=table["rt_s"].mask(swayed, 1.5),
        ),
        only=[CONTROLS],
    )
    wrong = found["controls"]["wrong_digits"]
    assert wrong["harm"]
    assert wrong["difference"] > 0.1
    assert any("do harm" in sentence for sentence in found["headline"])


def test_more_wrong_digits_are_no_harm_where_right_ones_rise_by_more():
    """Leads who see more within the decision time accept more of both; the headline says so."""
    table = simulate(["lead"] * 12, per_solver=12, truth=Truth(0.1, 0.1, 0.1))
    kind, rng = table["control_kind"].fillna(""), np.random.Generator(np.random.PCG64(5))
    draw = rng.random(len(table))
    swayed = table["explained"] & (
        ((kind == "wrong_digit") & (draw < 0.25)) | ((kind == "right_digit") & (draw < 0.8))
    )
    found = results_of(
        table.assign(
            decision=table["decision"].mask(swayed, "accept"),
            rt_s=table["rt_s"].mask(swayed, 1.5),
        ),
        only=[CONTROLS],
    )
    wrong = found["controls"]["wrong_digits"]
    assert (wrong["rises"], wrong["harm"]) == (True, False)
    assert wrong["right_beyond_wrong"]["ci_low"] > 0
    (said,) = (sentence for sentence in found["headline"] if "wrong digits" in sentence)
    assert said.endswith("but their acceptance of right digits rises by more.")
    assert not any("do harm" in sentence for sentence in found["headline"])
    assert said_of(found, CONTROLS)


def test_harm_is_told_without_d_prime_where_no_right_digit_was_a_control():
    table = leads(6)
    table = table[~table["control_kind"].fillna("").str.startswith("right_digit")]
    wrong = table["control_kind"].fillna("").str.startswith("wrong_digit") & table["explained"]
    taken = table.assign(decision=table["decision"].mask(wrong, "accept"), rt_s=1.0)
    found = results_of(taken.reset_index(drop=True), only=[CONTROLS])
    assert found["controls"]["sensitivity"]["difference"] is None
    said = next(sentence for sentence in found["headline"] if "do harm" in sentence)
    assert "d′" not in said
    assert said_of(found, CONTROLS)


def test_leads_who_see_better_with_explanations_suffer_no_harm():
    found = results_of(leads(8), only=[CONTROLS])
    assert not found["controls"]["sensitivity"]["harm"]
    assert not found["controls"]["wrong_digits"]["harm"]
    assert not any("do harm" in sentence for sentence in found["headline"])
