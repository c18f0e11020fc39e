"""Catch rounds leave the main analysis; rules leave people out of the second, and say whom."""

import json

import numpy as np
import pandas as pd
import pytest

from analysis.data.tables import read_outside
from analysis.questions.choices import WITHOUT
from analysis.questions.estimates import levels
from analysis.report.writer import render
from analysis.studies.progressive_reveal.exclusions import (
    person_rows,
    split_catch,
)
from analysis.studies.progressive_reveal.inquiry import REVEAL
from analysis.studies.progressive_reveal.quantities import RESTRICTED_LESS
from analysis.studies.progressive_reveal.questions.averages import AVERAGES
from analysis.studies.progressive_reveal.questions.needed import NEEDED
from analysis.studies.progressive_reveal.questions.other_choices import MAIN, OTHER_CHOICES
from analysis.studies.progressive_reveal.questions.pairs import PAIRS
from analysis.studies.progressive_reveal.questions.participants import PARTICIPANTS
from stimuli.protocol import load_protocol
from tests.analysis.asking import asking, without_models
from tests.analysis.formats import without_drawings
from tests.analysis.report.page import unknown_numbers
from tests.analysis.studies.progressive_reveal.whole import SMALL, words_of
from tests.analysis.studies.progressive_reveal.world import STEPS

CHOSEN = asking(REVEAL, AVERAGES, NEEDED, PAIRS, OTHER_CHOICES)
RULES = (
    'schema = "protocol/1.0"\nstudy = "progressive_reveal"\n[analysis]\nreplicates = 100\n'
    "[images]\nclasses = 4\nimages_per_class = 3\n"
    "[session]\nsittings = 1\nrounds_per_sitting = 12\n"
)


def rounds_of(name, count=20, **columns):
    """Return a person's main rounds, all recognised at once unless columns say otherwise."""
    usual = {
        "participant": name, "robot": None, "catch": None, "recognised": True, "left": False,
        "step": 5, "attempts": 1, "keystrokes": 6, "table_walk": 1,
    }  # fmt: skip
    return pd.DataFrame({**usual, **columns}, index=range(count))


def caught_of(name, kind, count=3, **columns):
    return rounds_of(name, count, catch=kind, **{"step": STEPS, **columns})


def reasons(*frames):
    main_rounds, catch = split_catch(pd.concat(frames, ignore_index=True))
    rows = person_rows(main_rounds, catch, load_protocol("progressive_reveal"))
    return {row.participant: row.reason for row in rows}, rows


def half(first, rest, count=20, part=11):
    return [first] * part + [rest] * (count - part)


def test_each_rule_leaves_out_whom_it_means_and_nobody_else():
    attentive = [rounds_of("fine"), caught_of("fine", "hidden"), caught_of("fine", "whole", step=1)]
    frames = [
        *attentive,
        rounds_of("idle", keystrokes=half(0, 5), recognised=half(False, True)),
        rounds_of("silent_half", keystrokes=half(0, 5, part=10)),
        rounds_of("guesses", attempts=6),
        rounds_of("tries", attempts=5),
        rounds_of("walks", attempts=4, table_walk=half(4, 1, part=3)),
        rounds_of("walked_twice", attempts=4, table_walk=half(4, 1, part=2)),
        rounds_of("early"), caught_of("early", "hidden", attempts=[4, 4, 1]),
        rounds_of("absent"),
        caught_of("absent", "whole", recognised=[False, False, True], attempts=0),
    ]  # fmt: skip
    said, _ = reasons(*frames)
    assert {name for name, reason in said.items() if reason} == {
        "idle", "guesses", "walks", "early", "absent",
    }  # fmt: skip
    assert "without a key" in said["idle"]
    assert "wrong answers" in said["guesses"]
    assert "table of classes" in said["walks"]
    assert said["early"] == "guesses in catch rounds"
    assert said["absent"] == "misses catch rounds"


def test_the_right_answer_at_the_last_step_is_no_guess_and_one_before_it_is():
    late = caught_of("late", "hidden", attempts=3)  # two wrong ones, and right at the last step
    lucky = caught_of("lucky", "hidden", attempts=3, step=4)
    said, rows = reasons(rounds_of("late"), late, rounds_of("lucky"), lucky)
    assert [row.failed_hidden for row in rows] == [0, 3]
    assert said["late"] == ""
    assert said["lucky"]


def test_one_catch_round_of_a_kind_is_too_few_and_left_ones_count_for_nothing():
    said, rows = reasons(
        rounds_of("one"), caught_of("one", "whole", 1, recognised=False),
        rounds_of("left"),
        caught_of("left", "whole", 3, recognised=False, left=[True, True, False]),
    )  # fmt: skip
    assert set(said.values()) == {""}
    assert [row.judged_whole for row in rows] == [1, 1]


def with_catch(trials):
    """Return a study with catch rounds: the last person guesses in them, all others pass."""
    parts = [trials]
    people = trials["participant"].unique()
    for name in people:
        own = trials[trials["participant"] == name].iloc[:4].copy()
        own["catch"] = ["hidden", "whole"] * 2
        own["method"] = own["condition"] = "catch_" + own["catch"]
        own["item"] = [f"catch-{n}" for n in range(4)]
        own["recognised"], own["censored"], own["left"] = True, False, False
        own["step"] = np.where(own["catch"] == "hidden", STEPS, 1)
        own["attempts"] = 7 if name == people[-1] else 1
        parts.append(own)
    return pd.concat(parts, ignore_index=True)


def results_of(trials, folder, plan):
    folder.mkdir()
    trials.to_csv(folder / "t.csv", index=False)
    SMALL.curves().to_csv(folder / "c.csv", index=False)
    (folder / "p.toml").write_text(RULES, encoding="utf-8")
    dataset = read_outside(
        "progressive_reveal", folder / "t.csv", folder / "p.toml", {"curves": folder / "c.csv"}
    )
    return json.loads(json.dumps(plan.analyse(dataset, None, (), lambda _: None)))


def estimates_of(results, question):
    return [row for row in results["estimates"] if row["question"] == question]


def without_and_with_catch(folder, plan):
    trials = SMALL.study(6)
    plain = results_of(trials, folder / "plain", plan)
    return plain, results_of(with_catch(trials), folder / "caught", plan)


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """Results without catch rounds, and with; the page of these."""
    with without_models():
        plain, caught = without_and_with_catch(tmp_path_factory.mktemp("catch"), CHOSEN)
    with without_drawings():
        page = render(CHOSEN.build(caught), dict.fromkeys(CHOSEN.figures, ""))
    return plain, (caught, page)


@pytest.mark.slow
def test_catch_rounds_leave_every_main_result_as_it_is(tmp_path):
    plain, caught = without_and_with_catch(tmp_path, REVEAL)
    for name in ("averages", "first_answers", "needed", "steps", "pairs", "images", "suits",
                 "models"):  # fmt: skip
        assert caught[name] == plain[name], name
        assert estimates_of(caught, name) == estimates_of(plain, name), name
    assert unknown_numbers(words_of(caught), caught) == []


def test_catch_rounds_leave_averages_and_restricted_means_as_they_are(both):
    plain, (caught, _) = both
    for name in (AVERAGES.id, NEEDED.id):
        assert caught[name] == plain[name], name
        assert estimates_of(caught, name) == estimates_of(plain, name), name
    found = CHOSEN.read_results(caught)
    assert found.of(PARTICIPANTS).rounds == CHOSEN.read_results(plain).of(PARTICIPANTS).rounds
    left_out = {row.reason: row.trials for row in found.frame.flow[0].left_out}
    assert left_out == {"catch rounds, not analysed": 24}


def test_who_fails_is_named_and_the_second_analysis_goes_without_them(both):
    plain, (caught, page) = both
    found, before = CHOSEN.read_results(caught), CHOSEN.read_results(plain)
    (gone,) = found.of(PARTICIPANTS).by_rule
    assert gone.participant == "P0006"
    assert (gone.failed_hidden, gone.judged_hidden) == (2, 2)
    assert "P0006" in page
    assert "intention to treat" in page
    others = found.of(OTHER_CHOICES)
    assert levels(others.rows(RESTRICTED_LESS), "analysis")[:2] == (MAIN, WITHOUT)
    first = before.of(PAIRS).rows(RESTRICTED_LESS)
    for row in others.rows(RESTRICTED_LESS, analysis=MAIN):
        of = {name: row.of[name] for name in ("method", "against")}
        assert {one.estimate for one in first if of.items() <= one.of.items()} == {row.estimate}
        assert others.row(RESTRICTED_LESS, analysis=WITHOUT, **of).n == 5 * 12 < row.n
    assert found.frame.flow[-1].participants == 5
    assert before.of(OTHER_CHOICES).rows(RESTRICTED_LESS, analysis=WITHOUT) == ()
