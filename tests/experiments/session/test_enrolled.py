"""The purpose that a code is enrolled for holds, whatever is typed."""

import pytest

from experiments.session.booking import identify
from experiments.session.options import PersonOptions
from participants.folder import LabFolder
from participants.registry import Registry
from stimuli.errors import UserError
from stimuli.pack import open_pack


@pytest.fixture
def registry(tmp_path):
    return Registry.open(LabFolder.make(tmp_path / "lab").registry_url)


@pytest.fixture
def pack(mini_pack):
    return open_pack(mini_pack)


def enrolled(registry, purpose, role="lead"):
    return registry.enrol(role, axis="deutan", rung=2, purpose=purpose)


@pytest.mark.parametrize("purpose", ["main", "pilot", "test"])
def test_a_session_is_of_the_purpose_that_its_code_is_enrolled_for(registry, pack, purpose):
    code = enrolled(registry, purpose)
    for said in (None, purpose):
        person = identify(PersonOptions(code, purpose=said), registry, pack)
        assert (person.participant, person.session_purpose) == (code, purpose)


@pytest.mark.parametrize(
    ("purpose", "said"), [("pilot", "main"), ("main", "pilot"), ("main", "test"), ("test", "main")]
)
def test_another_purpose_is_refused_with_what_to_do(registry, pack, purpose, said):
    code = enrolled(registry, purpose)
    with pytest.raises(UserError) as refused:
        identify(PersonOptions(code, purpose=said), registry, pack)
    assert f"is enrolled for purpose {purpose}, not {said}" in str(refused.value)
    assert f"enrol --purpose {said}" in str(refused.value)


def test_a_robots_code_stays_a_robots(registry, pack):
    new = identify(PersonOptions(robot="lead"), registry, pack)
    assert (new.session_purpose, registry.person(new.participant).purpose) == ("robot", "robot")
    again = identify(PersonOptions(new.participant, robot="lead"), registry, pack)
    assert again.participant == new.participant
    with pytest.raises(UserError, match="is a robot's"):
        identify(PersonOptions(new.participant), registry, pack)


def test_a_purpose_that_does_not_exist_is_named(registry, pack):
    with pytest.raises(UserError, match="purpose 'fun'"):
        identify(PersonOptions(enrolled(registry, "main"), purpose="fun"), registry, pack)
