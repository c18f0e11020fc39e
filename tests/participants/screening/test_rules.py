"""The rules of a protocol: none that nothing reads."""

import pytest
from pydantic import ValidationError

from participants.screening.titration import Titration
from stimuli.errors import UserError
from stimuli.screening.rules import Titration as TitrationRules
from tests.participants.screening.rules import changed
from tests.stimuli.plates.contrasts import contrast_ladder


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"expert_red_green_1e4": 120.0}, "expert_red_green_1e4 exceeds"),
        ({"lead_cap_1e4": 90.0}, "lead_cap_1e4 must lie"),
        ({"lead_cap_1e4": 1001.0}, "lead_cap_1e4 must lie"),
        ({"catch_share": 0.6}, "catch_share"),
        ({"factor": 1.0}, "factor"),
    ],
)
def test_rules_that_contradict_each_other_are_refused(changes, message) -> None:
    with pytest.raises(ValidationError, match=message):
        changed(**changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"target_share": 0.5}, r"target_share is 0\.5, must be between accept_low"),
        ({"target_share": 0.1, "accept_low": 0.0}, "guessing"),
    ],
)
def test_a_titration_that_could_not_succeed_is_one_line(changes, message) -> None:
    usual = {
        "trials": 40, "target_share": 0.35, "verify_trials": 40,
        "accept_low": 0.25, "accept_high": 0.45, "long_share": 0.9,
        "neighbours": 2, "slope": 1.5,
    }  # fmt: skip
    rules = TitrationRules(**{**usual, **changes})
    with pytest.raises(UserError, match=message):
        Titration.start(rules, contrast_ladder())
