"""Practice is judged by the guidelines: rejecting a numeral that one doesn't see is right."""

from dataclasses import dataclass, field, replace

import pytest

from participants.session import PracticeCheck, run_session
from participants.studies.accept_reject.shown import right_decisions
from participants.studies.accept_reject.trial import Feedback, complies
from stimuli.studies.accept_reject.sketch import sketch
from stimuli.studies.accept_reject.tables import KEY
from tests.participants.session.scripted import MemoryRecorder, ScriptedPresenter
from tests.participants.studies.accept_reject.packs import plan_of, protocol_of

CRITERION = {"answered_share": 0.8, "right_share": 0.7}


@pytest.fixture(scope="module")
def pack():
    """Twelve trials of practice, for leads at rung 2 of three."""
    protocol = protocol_of(
        plates={"source": "uci", "axes": ["deutan"], "ladder_deutan": [0.02, 0.04, 0.09]},
        solutions={"trials_per_run": 20, "practice_trials": 12, "lists": 1, "rungs": [2]},
        practice=CRITERION,
    )
    return sketch(protocol)


@dataclass
class Lead(ScriptedPresenter):
    """Decides by what the guidelines ask, where they ask for a decision."""

    decide: object = None
    told: dict = field(default_factory=dict)

    def trial(self, trial):
        chosen = super().trial(trial)
        self.last = trial
        return replace(chosen, choice=self.decide(trial))

    def feedback(self, feedback):
        self.told[self.last.presentation] = feedback


def practised(pack, decide):
    """Return what a lead was told, and whether practice was passed, by attempt."""
    lead, recorder = Lead(decide=decide), MemoryRecorder()
    plan = plan_of(pack)
    run_session(plan, frozenset(), lead, lead, recorder)
    checks = [event for event in recorder.of("check") if event["step"].startswith("practice_")]
    return plan, lead.told, [event["passed"] for event in checks]


def kinds_of(pack):
    return {row["presentation"]: row["control_kind"] for row in pack.table(KEY)}


def test_rejecting_an_unseen_right_digit_is_never_called_wrong(pack):
    """Who sees only what anyone sees keeps the guidelines, and is told so throughout."""
    kinds = kinds_of(pack)

    def sees_little(trial):
        return "accept" if kinds[trial.presentation] == "high_contrast" else "reject"

    _, told, passed = practised(pack, sees_little)
    unseen = [one for name, one in told.items() if kinds[name] == "right_digit"]
    assert unseen
    assert all(one.right and one.if_unseen for one in unseen)
    assert all(one.right for one in told.values())
    assert passed == [True]


def test_who_sees_hard_digits_may_accept_them_and_passes_too(pack):
    kinds = kinds_of(pack)

    def sees_all(trial):
        seen = kinds[trial.presentation] in ("high_contrast", "right_digit")
        return "accept" if seen else "reject"

    _, told, passed = practised(pack, sees_all)
    assert all(one.right and not one.if_unseen for one in told.values())
    assert passed == [True]


@pytest.mark.parametrize("always", ["accept", "reject"])
def test_who_always_decides_alike_practises_again(pack, always):
    _, told, passed = practised(pack, lambda trial: always)
    assert passed == [False, False]
    assert not all(one.right for one in told.values())


def test_the_criterion_counts_no_trial_where_either_decision_may_be_right(pack):
    plan, _, _ = practised(pack, lambda trial: "reject")
    kinds = kinds_of(pack)
    check = next(step for step in plan.steps if isinstance(step, PracticeCheck))
    own = [trial for trial in plan.trials if trial.phase == "practice"]
    judged = {trial.trial for trial in own if kinds[trial.presentation] != "right_digit"}
    assert set(check.trials) == judged
    assert len(judged) == 8


@pytest.mark.slow
def test_in_older_packs_too_a_right_digit_at_the_top_may_be_unseen():
    """They hold nothing that anyone sees: either decision on a right digit may be right."""
    protocol = protocol_of(
        plates={"source": "uci", "axes": ["deutan"], "ladder_deutan": [0.02, 0.09]},
        solutions={
            "trials_per_run": 20, "practice_trials": 4, "lists": 1,
            "practice_plates": "right_and_wrong",
        },
    )  # fmt: skip
    pack = sketch(protocol, [("deutan", 1)])
    labels = {row["presentation"]: row["true_label"] for row in pack.table(KEY)}
    kinds = kinds_of(pack)
    right = right_decisions(pack, labels)
    assert {right[name] for name in right if kinds[name] == "right_digit"} == {"as_seen"}


@pytest.mark.parametrize(
    ("decision", "asked", "right", "if_unseen"),
    [
        ("accept", "accept", True, False),
        ("reject", "accept", False, False),
        ("accept", "as_seen", True, False),
        ("reject", "as_seen", True, True),
        ("none", "as_seen", False, False),
        ("none", "reject", False, False),
    ],
)
def test_what_is_told_of_a_decision(decision, asked, right, if_unseen):
    feedback = Feedback(decision, asked, 1.0, 30.0)
    assert (feedback.right, feedback.if_unseen) == (right, if_unseen)
    assert complies(decision, asked) is right
