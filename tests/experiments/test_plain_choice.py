"""Screens of a study from outside that declares none of its own."""

from types import SimpleNamespace

import pytest

from experiments.plain_choice import declare_choices
from stimuli.choices import ChoiceRules
from stimuli.errors import UserError
from stimuli.studies.accept_reject.study import STUDY


def test_a_picture_has_the_size_that_the_protocol_gives():
    protocol = SimpleNamespace(choice=ChoiceRules.model_construct(size_deg=8.0))
    painter = declare_choices("moods").sessions["solutions"].load_parts().painter
    assert painter("pack", protocol, "display").size_deg == 8.0


def test_a_protocol_of_another_kind_is_refused_in_one_line():
    painter = declare_choices("moods").sessions["solutions"].load_parts().painter
    said = r"^moods: the study declares no screens; write its experiments\.py$"
    with pytest.raises(UserError, match=said):
        painter("pack", STUDY.protocol, "display")
