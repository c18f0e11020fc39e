"""Which showings of the same thing count."""

from participants.journal import Event
from participants.session import counting_trials


def end(trial, **fields):
    return Event("trial_end", trial, 0.0, "", {"trial": trial, **fields})


def test_of_a_trial_and_its_repeat_the_one_without_a_dropped_frame_counts():
    ends = [end(1, presentation="a", flagged=True), end(2, presentation="b", flagged=False),
            end(3, presentation="a", flagged=False)]  # fmt: skip
    assert counting_trials(ends) == {2, 3}
    both = [end(1, presentation="a", flagged=True), end(2, presentation="a", flagged=True)]
    assert counting_trials(both) == {1}


def test_what_another_section_shows_again_is_no_repeat():
    ends = [end(1, presentation="a", section="pre"), end(2, presentation="a", section="post")]
    assert counting_trials(ends) == {1, 2}
