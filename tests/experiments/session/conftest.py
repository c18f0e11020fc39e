"""A lab, its registry, a lead, and a booked session."""

from contextlib import closing

import pytest

from experiments.session.booking import booked
from experiments.session.options import PersonOptions
from experiments.session.request import RunRequest
from participants.registry import Registry, waiting
from stimuli.pack import open_pack


@pytest.fixture
def registry(lab, monkeypatch):
    monkeypatch.setattr(waiting, "BUSY_TIMEOUT_S", 0.02)
    with closing(Registry.open(lab.registry_url)) as opened:
        yield opened


@pytest.fixture
def code(registry):
    return registry.enrol("lead", axis="deutan", rung=2)


@pytest.fixture
def booking(lab, registry, code, mini_pack):
    request = RunRequest(str(mini_pack), person=PersonOptions(code))
    with booked(request, lab, registry, open_pack(mini_pack)) as booking:
        yield booking
