"""acc_L: what must come out by the paper's own identity, by a slow reference, and by hand."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest

from analysis.data.tables import read_folder, read_outside
from analysis.options import AnalyseOptions
from analysis.read_results import read_results
from analysis.run import run_analysis
from analysis.studies.accept_reject.against_experts import AGAINST_E
from analysis.studies.accept_reject_accuracy.people import lead_rows
from analysis.studies.accept_reject_accuracy.quantities import (
    ACC_L,
    ACCEPTED,
    PLAIN,
    PLAIN_OF_ALL,
)
from analysis.studies.accept_reject_accuracy.questions.accuracy import ACCURACY
from analysis.studies.accept_reject_accuracy.questions.beyond_labels import (
    BEYOND_LABELS,
    BY_MOST,
    BetterLabel,
)
from analysis.studies.accept_reject_accuracy.questions.noticed import NOTICED
from analysis.studies.accept_reject_accuracy.questions.participants import PARTICIPANTS
from analysis.studies.accept_reject_accuracy.questions.sensitivity import LEADS, SENSITIVITY
from analysis.studies.accept_reject_accuracy.questions.uncertainty import (
    DISPUTED,
    REJECTED,
    UNCERTAINTY,
)
from participants.folder import DataFolder
from participants.simulate.run import simulate
from stimuli.errors import UserError
from stimuli.protocol import load_protocol
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject.tables import ITEM_TABLE
from stimuli.studies.accept_reject_accuracy.tables import PREDICTIONS
from tests.analysis.formats import formats_of
from tests.analysis.studies.accept_reject_accuracy.tables_of import analysed, by_hand, simulated
from tests.stimuli.studies.accept_reject_accuracy.labelled_sets import small_sketch


@pytest.fixture(scope="module")
def pack():
    return small_sketch()


@pytest.fixture(scope="module")
def exact(pack, tmp_path_factory):
    return simulated(tmp_path_factory.mktemp("exact"), pack, ["exact_labels"] * 6)


@pytest.fixture(scope="module")
def mixed(pack, tmp_path_factory):
    robots = ["noisy"] * 10 + ["lazy"]
    return simulated(tmp_path_factory.mktemp("mixed"), pack, robots)


def top_k(pack, k):
    """Return S's top-k accuracy from the pack's own tables."""
    true = {row["item"]: row["true_label"] for row in pack.table(ITEM_TABLE)}
    right = {
        row["item"]
        for row in pack.table(PREDICTIONS)
        if row["place"] <= k and row["label"] == true[row["item"]]
    }
    return Fraction(len(right), len(true))


def test_with_leads_who_accept_exactly_the_label_it_is_plain_accuracy_to_the_digit(pack, exact):
    """Saralajew et al. (2022), section 2.3: then p_E = 1 and acc_L(S) = acc(S)."""
    results = analysed(exact)
    answer, plain = results.of(ACCURACY), top_k(pack, 1)
    row = answer.row(ACC_L)
    as_text = f"{plain.numerator}/{plain.denominator}"
    assert answer.exact == {"p_S": as_text, "p_E": "1/1", "acc_L": as_text, "plain": as_text}
    assert row.estimate == answer.row(PLAIN).estimate == answer.row(PLAIN_OF_ALL).estimate
    assert answer.equal_to_plain is True
    system, expert, *_ = answer.rows(ACCEPTED)
    assert expert.estimate == 1.0
    assert system.estimate == row.estimate
    assert 0 < row.estimate < 1
    assert row.ci_low < row.estimate < row.ci_high
    assert results.frame.headline[0].startswith("Robots answered: 6 simulated leads")
    assert "equal to it to the last digit" in results.frame.headline[1]
    assert results.frame.headline[2].startswith(
        "For these six simulated leads, S is worse than E (p_S − p_E"
    )


def test_with_leads_who_accept_what_was_nearly_right_it_is_top_3_accuracy(pack, tmp_path):
    results = analysed(simulated(tmp_path, pack, ["lenient"] * 6))
    top = top_k(pack, 3)
    assert results.of(ACCURACY).exact["acc_L"] == f"{top.numerator}/{top.denominator}"
    assert results.of(ACCURACY).equal_to_plain is False
    assert results.of(BEYOND_LABELS).row(BY_MOST).count == (top - top_k(pack, 1)) * 60


def test_rates_are_those_of_a_slow_reference(mixed):
    """Definition 2.1, image by image, with the share of leads in the place of L."""
    frame = mixed.trials
    own = frame[frame["solver"].isin(("S", "E"))]
    said = dict(zip(mixed.items["item"], mixed.items["model_label"], strict=True))
    rates = {}
    for solver in ("S", "E"):
        shares = []
        for item in own["item"].unique():
            rows = own[own["item"] == item]
            label = said[item] if solver == "S" else rows["true_label"].iloc[0]
            votes = [bool(a) for a in rows.loc[rows["shown_label"] == label, "accepted"]]
            if votes:
                shares.append(sum(votes) / len(votes))
        rates[solver] = sum(shares) / len(shares)
    results = analysed(mixed)
    shares = {row.of["solver"]: row.estimate for row in results.of(ACCURACY).rows(ACCEPTED)[:2]}
    assert shares == pytest.approx(rates)
    assert results.of(ACCURACY).row(ACC_L).estimate == pytest.approx(rates["S"] / rates["E"])


def test_who_accepts_wrong_labels_is_left_out_of_the_second_analysis_only(mixed):
    results = analysed(mixed)
    lazy = {row.participant for row in results.of(PARTICIPANTS).leads if row.robot == "lazy"}
    gone = {row.participant for row in results.of(PARTICIPANTS).by_rule}
    controls = mixed.trials[mixed.trials["control_kind"].notna()]
    rejects = controls.groupby("participant")["decision"].apply(lambda d: (d != "accept").mean())
    assert lazy <= gone == set(rejects.index[rejects < 0.7])
    others = results.of(SENSITIVITY)
    assert [row.estimate for row in others.rows(LEADS)] == [11, 11 - len(gone), 11, 11]
    without = analysed(mixed, tuple(gone)).of(ACCURACY).row(ACCEPTED, solver="S").estimate
    first, second, *_ = others.rows(ACCEPTED, solver="S")
    assert second.estimate == without != first.estimate
    first, _, drawn, corrected = others.rows(ACC_L)
    assert drawn.ci_low < drawn.estimate < drawn.ci_high
    assert corrected.estimate == first.estimate


def test_by_hand_a_label_that_both_gave_counts_for_both():
    """Two images, two leads: S is right on a and wrong on b."""
    results = analysed(
        by_hand(
            [
                ("L1", "a", "S", "cat", "cat", "accept"),
                ("L2", "a", "E", "cat", "cat", "reject"),
                ("L1", "b", "E", "dog", "dog", "accept"),
                ("L2", "b", "S", "dog", "cat", "accept"),
            ]
        )
    )
    exact = {"p_S": "3/4", "p_E": "3/4", "acc_L": "1/1", "plain": "1/2"}
    assert results.of(ACCURACY).exact == exact
    rows = {(row.item, row.label): row for row in results.of(UNCERTAINTY).pairs}
    assert {key: row.given_by for key, row in rows.items()} == {
        ("a", "cat"): "both", ("b", "dog"): "E", ("b", "cat"): "S",
    }  # fmt: skip
    assert rows["a", "cat"].entropy_bits == 1.0
    assert rows["a", "cat"].disputed is True
    assert rows["b", "dog"].entropy_bits is None
    assert results.of(UNCERTAINTY).row(DISPUTED).count == 1
    shares = results.of(SENSITIVITY).rows(ACCEPTED)
    drawn = [row.estimate for row in shares if "drawn" in row.of["analysis"]]
    assert drawn == [1.0, 0.5]


def test_a_label_that_most_reject_is_a_candidate_for_a_wrong_one():
    rows = [(f"L{k}", "a", "E", "cat", "cat", "reject" if k < 3 else "accept") for k in range(4)]
    rows += [(f"L{k}", "a", "S", "cat", "lynx", "accept") for k in range(4, 8)]
    rows += [(f"L{k}", "b", "E", "dog", "dog", "accept") for k in range(4)]
    results = analysed(by_hand(rows))
    assert results.of(UNCERTAINTY).row(REJECTED).count == 1
    assert results.of(BEYOND_LABELS).better_than_label == (BetterLabel("a", "lynx", "cat"),)


def test_where_no_label_of_the_data_set_is_accepted_there_is_no_ratio():
    rows = [("L1", "a", "E", "cat", "cat", "reject"), ("L1", "b", "S", "dog", "cat", "accept")]
    results = analysed(by_hand(rows))
    assert results.of(ACCURACY).row(ACC_L).estimate is None
    assert "can’t be given" in results.frame.headline[0]


@pytest.mark.parametrize("shown", ["cat", "lynx"])
def test_where_all_judgements_are_alike_the_interval_is_not_a_point(shown):
    """The bootstrap can't vary there; four images don't make S certain."""
    rows = [("L1", f"i{k}", "S", "cat", shown, "accept" if shown == "cat" else "reject")
            for k in range(4)]  # fmt: skip
    rows += [("L2", f"i{k}", "E", "cat", "cat", "accept") for k in range(4)]
    row = analysed(by_hand(rows)).of(ACCURACY).row(ACC_L)
    assert row.estimate in (0, 1)
    assert row.ci_high - row.ci_low > 0.4


def test_late_acceptances_count_as_rejections_under_an_internal_cutoff():
    dataset = by_hand(
        [("L1", "a", "S", "cat", "cat", "accept"), ("L2", "a", "S", "cat", "cat", "accept"),
         ("L3", "a", "S", "cat", "cat", "accept"), ("L1", "b", "E", "dog", "dog", "accept")]
    )  # fmt: skip
    timed = dataset.trials.assign(rt_s=[2.9999, 3.0, 3.0001, 1.0], cutoff_s=3.0)
    results = analysed(replace(dataset, trials=timed))
    assert results.of(ACCURACY).exact["p_S"] == "2/3"


def test_a_report_is_written_and_a_folder_of_both_assessments_is_told_apart(pack, tmp_path):
    from tests.participants.studies.accept_reject.packs import least_sketch

    data = DataFolder(tmp_path / "data")
    simulate(data, pack, ["exact_labels"] * 4)
    more = DataFolder(tmp_path / "other")
    simulate(more, least_sketch(), ["lazy"], seed=2)
    for folder in ("sessions", "packs"):
        for path in (more.root / folder).iterdir():
            path.rename(data.root / folder / path.name)
    from participants.dataset.derive import write_tables

    rows = write_tables(data, "accept_reject").trials
    assert {row["order"] for row in rows} > {"one_run"}
    out = tmp_path / "report"
    done = run_analysis("accept_reject_accuracy", AnalyseOptions(out, data=data.root))
    results = read_results(out)
    assert results.frame.tag.startswith("results_accept_reject_accuracy/")
    assert results.of(ACCURACY).equal_to_plain is True
    assert any("trials of accept_reject in the same table" in note for note in results.frame.notes)
    assert results.of(ACCURACY).row(PLAIN_OF_ALL).n == 60
    assert {part.participants for part in results.frame.flow} == {4}
    page = done.page.read_text(encoding="utf-8")
    assert "how accurate is a classifier" in page
    figures = {"flow", "accuracy", "classes", "label_uncertainty"}
    assert formats_of(out / "figures")[".svg"] == figures
    assert {path.stem for path in (out / "tables").iterdir()} >= {"labels", "estimates"}
    noticed = results.of(NOTICED)
    assert set(noticed.levels("asked")) == {"noticed_kinds", "source_guess"}
    assert {row.n for row in noticed.estimates} == {4}
    assert "What leads noticed" in page

    dataset = read_folder("accept_reject", data.root)
    assert dataset.trials["participant"].nunique() == 1
    assert dataset.items["axis"].notna().all()
    assert isinstance(dataset.protocol, AcceptReject)
    assert [fact.robot for fact in dataset.sessions.facts] == ["lazy"]
    assert any("trials of accept_reject_accuracy in" in note for note in dataset.notes)


def test_data_of_the_other_assessment_are_one_line_with_its_command(pack, exact, tmp_path):
    with pytest.raises(UserError, match=r"python3 lab\.py analyse accept_reject_accuracy"):
        run_analysis("accept_reject", AnalyseOptions(tmp_path / "out", data=exact.folder))
    table = tmp_path / "t.csv"
    table.write_text(
        "participant,item,explained,solver,true_label,shown_label,decision,rt_s,order\n"
        "L1,a,true,S,3,3,accept,1,with_first\n",
        encoding="utf-8",
    )
    with pytest.raises(UserError, match=r"t\.csv: none of its trials .* analyse accept_reject$"):
        run_analysis("accept_reject_accuracy", AnalyseOptions(tmp_path / "out", trials=table))
    shipped = Path("accept_reject_accuracy.toml")
    with pytest.raises(UserError, match="a protocol of accept_reject_accuracy, not of"):
        run_analysis(
            "accept_reject", AnalyseOptions(tmp_path / "out", trials=table, protocol=shipped)
        )
    assert not (tmp_path / "out").exists()


def test_an_outside_table_needs_labels_and_no_word_of_explanations(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text(
        "participant,item,solver,true_label,shown_label,decision,rt_s\n"
        "L1,a,S,cat,cat,accept,1\nL1,b,S,dog,cat,reject,1\nL2,a,E,cat,cat,accept,1\n",
        encoding="utf-8",
    )
    shipped = Path("accept_reject_accuracy.toml")
    dataset = read_outside("accept_reject_accuracy", table, shipped)
    assert analysed(dataset).of(ACCURACY).exact["acc_L"] == "1/2"
    table.write_text("participant,item,solver,decision,rt_s\nL1,a,S,accept,1\n", encoding="utf-8")
    with pytest.raises(UserError, match="column missing: true_label"):
        read_outside("accept_reject_accuracy", table)


@pytest.mark.parametrize(("count", "verdict"), [(4, "undecided"), (200, "like")])
def test_where_everything_is_accepted_the_comparison_rests_on_the_number_of_images(count, verdict):
    """No image of n was judged differently: up to 1 − (α/2)^(1/n) of others may be."""
    rows = [("L1", f"i{k}", "S", "cat", "lynx", "accept") for k in range(count)]
    rows += [("L2", f"i{k}", "E", "cat", "cat", "accept") for k in range(count)]
    row = analysed(by_hand(rows)).of(ACCURACY).row(AGAINST_E)
    assert row.estimate == 0
    limits = {0.95: (row.ci_low, row.ci_high), 0.90: (row.low_90, row.high_90)}
    for level, (low, high) in limits.items():
        beyond = 1 - ((1 - level) / 2) ** (1 / count)
        assert high == -low == pytest.approx(beyond, abs=1e-5)
    assert row.verdict == verdict


def test_a_classifier_that_always_says_the_label_is_compared_by_the_number_of_images():
    """The same judgements count for both: p_S − p_E is 0 whatever leads decide."""
    rows = [("L1", f"i{k}", "S" if k % 2 else "E", "cat", "cat", "accept" if k % 4 else "reject")
            for k in range(40)]  # fmt: skip
    items = pd.DataFrame({"item": [f"i{k}" for k in range(40)], "model_label": "cat"})
    results = analysed(replace(by_hand(rows), items=items))
    answer = results.of(ACCURACY)
    assert answer.exact["p_S"] == answer.exact["p_E"] == "3/4"
    row = answer.row(AGAINST_E)
    assert row.estimate == 0
    assert row.ci_low < 0 < row.ci_high
    ratio = answer.row(ACC_L)
    assert ratio.ci_low < ratio.estimate == 1 < ratio.ci_high


@pytest.mark.filterwarnings("error")
def test_who_never_answers_has_no_median_time():
    """NumPy warned of it in the terminal."""
    asked = {"solver": "S", "control_kind": None, "accepted": False, "decision": "none"}
    frame = pd.DataFrame([{"participant": "P", "rt_s": float("nan"), **asked}] * 2)
    (row,) = lead_rows(frame, load_protocol("accept_reject_accuracy").analysis)
    assert pd.isna(row.median_rt_s)
