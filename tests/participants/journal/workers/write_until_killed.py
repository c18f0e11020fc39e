"""Write trials without end; print a trial's number once its end is promised to be on disk."""

import sys
from pathlib import Path

from journals import HEADER, write_trial

from participants.journal import JournalWriter

path = Path(sys.argv[1])
begin = JournalWriter.resume if path.exists() else JournalWriter.create
trial = int(sys.argv[2])
with begin(path, HEADER) as writer:
    print(0, flush=True)
    while True:
        write_trial(writer, trial)
        print(trial, flush=True)
        trial += 1
