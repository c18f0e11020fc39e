import pytest

from participants.registry import Registry
from tests.participants.registry.people import Clock


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def url(tmp_path):
    return f"sqlite:///{(tmp_path / 'lab' / 'registry.sqlite').as_posix()}"


@pytest.fixture
def registry(url, clock):
    opened = Registry.open(url, clock)
    yield opened
    opened.close()
