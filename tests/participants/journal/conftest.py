import pytest

from participants.journal import JournalWriter
from tests.participants.journal.workers.journals import HEADER, write_trial


@pytest.fixture
def path(tmp_path):
    return tmp_path / "session" / "journal.jsonl"


@pytest.fixture
def written(path):
    with JournalWriter.create(path, HEADER) as writer:
        write_trial(writer, 1)
        write_trial(writer, 2)
    return path
