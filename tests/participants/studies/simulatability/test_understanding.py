"""Who answers too few questions rightly is not qualified."""

import pytest

from participants.session import Attended
from participants.studies.simulatability.asked import Understood


class Kept:
    """A recorder that keeps nothing."""

    def append(self, event, **fields):
        """Take down nothing."""


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
