"""A test's length follows from the time left; who answers too few questions is not qualified."""

import pytest

from participants.session import Attended
from participants.studies.simulatability.asked import Understood
from participants.studies.simulatability.cell import LengthDecision, is_short, time_spent_s
from stimuli.studies.simulatability.protocol import Length

RULES = Length(session_s=1000.0, seconds_per_item=20.0, shorten=True)


class Kept:
    """A recorder that keeps nothing."""

    def append(self, event, **fields):
        """Take down nothing."""


def recorder(spent_s):
    """Return a recorder of a session in which one page was shown for so long."""
    attended = Attended(Kept(), lambda end: True)
    attended.append("page", step="instructions", shown_s=spent_s)
    return attended


@pytest.mark.parametrize(("spent_s", "short"), [(0.0, False), (360.0, False), (360.1, True)])
def test_a_test_is_short_where_its_items_no_longer_fit(spent_s, short):
    """32 items of 20 s need 640 s of the 1000."""
    assert is_short(RULES, 32, spent_s) is short


def test_a_protocol_can_keep_all_items():
    """Without `shorten`, a test is whole however late it is."""
    assert not is_short(RULES.model_copy(update={"shorten": False}), 32, 5000.0)


def test_time_is_that_of_pages_examples_ratings_and_predictions():
    """A prediction that nobody makes takes its whole limit."""
    said = [
        ("page", {"shown_s": 10.0}),
        ("trial_end", {"look_s": 5.0, "rt_s": None}),
        ("rating_end", {"rating_rt_s": 2.0}),
        ("trial_end", {"look_s": None, "rt_s": 3.0}),
        ("trial_end", {"look_s": None, "rt_s": None}),
        ("answer", {"value": "yes"}),
    ]
    assert time_spent_s(said, limit_s=600.0) == 620.0


@pytest.mark.parametrize("late", [False, True])
def test_a_decision_settles_what_it_leaves_out(late):
    """A short test leaves out the other half's steps, and the journal says so."""
    decision = LengthDecision("length-1", RULES, 32, 600.0, frozenset({"trial-0002"}))
    attended = recorder(900.0 if late else 1.0)
    settled = decision.perform(None, attended)
    assert settled == ({"length-1", "trial-0002"} if late else {"length-1"})
    assert [fields["short"] for fields in attended.of("length")] == [late]
    assert decision.settles(short=late) == settled


@pytest.mark.parametrize(
    ("values", "right"),
    [
        ({}, 0),
        ({"check_balance": "yes"}, 1),
        ({"check_balance": "yes", "check_weight": "no"}, 1),
        ({"check_balance": "yes", "check_weight": "yes", "elsewhere": "yes"}, 2),
    ],
)
def test_right_answers_are_counted(values, right):
    """Two right answers qualify; else what would follow is left out."""
    attended = Attended(Kept(), lambda end: True)
    for step, value in values.items():
        attended.append("answer", step=step, value=value)
    look = Understood(
        "understood", {"check_balance": "yes", "check_weight": "yes"}, 2, frozenset({"trial-0001"})
    )
    settled = look.perform(None, attended)
    (said,) = attended.of("qualification")
    assert (said["right"], said["trials"], said["qualified"]) == (right, 2, right == 2)
    assert settled == ({"understood"} if right == 2 else {"understood", "trial-0001"})
