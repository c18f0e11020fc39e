"""A session of cases that is killed again and again, and completed."""

import time

from experiments.engine.virtual_display import virtual_display
from participants.journal import read_journal
from tests.experiments.windows.session_lab import HASTY, SMALL_PX

PATIENCE_S = 240.0
LATER_S = 0.11
"""Each kill comes so much later after an answer than the one before, so that screens differ."""


def settled(lab):
    """Return how many ratings and items the journal holds."""
    events = lab.events()
    return events["trial_end"] + events["rating_end"]


def killed_and_completed(lab, kills, every, *arguments):
    """Have a robot take part, killed each time that some more answers are on disk.

    ``lab.done`` is what the verb says in the end; screens of the last part are saved.
    """
    here = ("--robot", "reader", "--display", "existing", *arguments)
    with virtual_display(SMALL_PX) as shown:
        lab.environment["DISPLAY"] = shown.name
        for kill in range(kills):
            process = lab.start(*here, door=HASTY)
            wanted, until = settled(lab) + every, time.monotonic() + PATIENCE_S
            while settled(lab) < wanted:
                assert process.poll() is None, process.communicate()[1][-3000:]
                assert time.monotonic() < until, "no answer came"
                time.sleep(0.02)
            time.sleep(LATER_S * kill)
            lab.kill(process)
            code = read_journal(lab.journal_path).header["participant"]
            here = (*here[:4], "--participant", code, *arguments)
        screens = ("--screenshots", lab.folder / "screens")
        lab.done = lab.finish(lab.start(*here, *screens, door=HASTY))
