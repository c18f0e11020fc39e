"""Try to begin and to resume journals in folders that may not be written."""

import os
import sys
from pathlib import Path

from journals import HEADER, write_trial

from participants.journal import JournalWriter, read_journal
from stimuli.catalogue import studies_of
from stimuli.errors import UserError

NOBODY = 65534

# Read while the libraries may still be read.
studies_of("participants").require("accept_reject")

folder = Path(sys.argv[1])
if os.geteuid() == 0:
    os.setuid(NOBODY)


def refused(begin, path):
    try:
        begin(path, HEADER)
    except UserError as error:
        return "\n" not in str(error) and str(path.parent) in str(error)
    return False


running = folder / "running" / "journal.jsonl"
writer = JournalWriter.create(running, HEADER)
running.parent.chmod(0o500)
write_trial(writer, 1)
writer.close()
assert len(read_journal(running).of("trial_end")) == 1

locked = folder / "locked"
assert refused(JournalWriter.create, locked / "journal.jsonl")
assert refused(JournalWriter.create, locked / "new" / "journal.jsonl")
running.chmod(0o400)
assert refused(JournalWriter.resume, running)
running.parent.chmod(0o700)
print("ok")
