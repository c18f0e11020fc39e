"""Write until the system refuses more bytes, then once more when it takes them again."""

import resource
import signal
import sys
from pathlib import Path

import pytest
from journals import HEADER, write_trial

from participants.journal import JournalError, JournalWriter, read_journal

path = Path(sys.argv[1])
spare_bytes = int(sys.argv[2])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
writer = JournalWriter.create(path, HEADER)
write_trial(writer, 1)
before = path.read_bytes()
unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + spare_bytes, unlimited[1]))
for _ in range(2):
    with pytest.raises(JournalError, match=r"File too large") as error:
        write_trial(writer, 2)
    assert "\n" not in str(error.value)
    assert path.read_bytes() == before, "a failed append must leave whole lines only"
resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
write_trial(writer, 3)
writer.close()
journal = read_journal(path)
assert [event["trial"] for event in journal.of("trial_end")] == [1, 2, 2, 3]
print("ok")
