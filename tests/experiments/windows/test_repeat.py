"""A process that is stopped while a plate is on drops frames, and shows that trial again."""

import signal
import sys
import time
from collections import Counter

import pytest

from participants.dataset.table_files import read_table
from participants.journal import read_journal
from stimuli.protocol import load_protocol
from stimuli.studies.accept_reject.sketch import sketch
from tests.experiments.conftest import CHANGES, few_digits
from tests.experiments.windows.session_lab import PATIENCE_S, Lab
from tests.sealing import sealed

STOPPED_S = 0.12

pytestmark = [
    pytest.mark.window,
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
]


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A session stopped now and again in its first run, killed before any repeat, and resumed."""
    trial = {**CHANGES["trial"], "repeat_dropped": True}
    protocol = load_protocol("accept_reject", None, {**CHANGES, "trial": trial})
    made = sketch(protocol, places=[("deutan", 2)], digits=few_digits())
    pack = sealed(made, tmp_path_factory.mktemp("packs") / "repeating")
    lab = Lab(tmp_path_factory.mktemp("lab"), pack)
    process = lab.start("--robot", "lazy")
    lab.wait_for("trial_end", 1, process)
    practised = count_practice(lab)
    stop_until_flagged(lab, process, practised)
    process.kill()
    process.communicate()
    code = read_journal(lab.journal_path).header["participant"]
    lab.done = lab.finish(lab.start("--robot", "lazy", "--participant", code))
    return lab


def count_practice(lab):
    journal = read_journal(lab.journal_path)
    return sum(end["phase"] == "practice" for end in journal.of("trial_end"))


def flagged_in_main(lab):
    ends = read_journal(lab.journal_path).of("trial_end")
    return {end["trial"] for end in ends if end["phase"] == "main" and end["flagged"]}


def stop_until_flagged(lab, process, practised):
    """Stop the process for some frames, again and again, until a main trial has lost one."""
    until_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < until_s:
        process.send_signal(signal.SIGSTOP)
        time.sleep(STOPPED_S)
        process.send_signal(signal.SIGCONT)
        time.sleep(0.25)
        if flagged_in_main(lab):
            return
    pytest.fail("no main trial lost a frame")


def test_every_flagged_trial_of_a_run_is_shown_again_once_at_its_end_and_no_other(lab):
    assert lab.done["complete"]
    journal = read_journal(lab.journal_path)
    ends = [end for end in journal.of("trial_end") if end["phase"] == "main"]
    flagged = {end["trial"] for end in ends if end["flagged"] and end["repeat_of"] is None}
    repeats = [end for end in ends if end["repeat_of"] is not None]
    assert flagged
    assert Counter(end["repeat_of"] for end in repeats) == Counter(flagged)
    shown = {end["trial"]: end["presentation"] for end in ends}
    for number, end in enumerate(ends):
        if end["repeat_of"] is not None:
            assert end["presentation"] == shown[end["repeat_of"]]
            later = [other["run"] for other in ends[number:] if other["repeat_of"] is None]
            assert end["run"] not in later, "its run's planned trials are over"
    starts = {start["trial"]: start["repeat_of"] for start in journal.of("trial_start")}
    assert all(starts[end["trial"]] == end["repeat_of"] for end in ends)


def test_the_table_keeps_both_rows_and_says_which_counts(lab):
    rows = read_table(lab.data, "accept_reject", "trials")
    counting = [row for row in rows if row["counts"]]
    assert len({row["presentation"] for row in counting}) == len(counting) == 12
    repeated = {row["repeat_of"] for row in rows if row["repeat_of"] is not None}
    assert len(rows) == 12 + len(repeated)
    dropped = {row["trial"]: row["frames_dropped"] for row in rows}
    for row in rows:
        if row["repeat_of"] is not None and dropped[row["trial"]] == 0:
            assert row["counts"]
