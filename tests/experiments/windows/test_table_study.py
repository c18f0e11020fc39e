"""Sessions of studies from a table in a real window: typed answers, and answers by mouse."""

import pytest

from participants.journal import read_journal
from stimuli.catalogue import OUTSIDE
from stimuli.protocol import load_protocol
from stimuli.study import rules_as_pack
from tests.experiments.windows.replayed import assert_shows_the_session, replay
from tests.experiments.windows.session_lab import SMALL, Lab
from tests.sealing import sealed
from tests.stimuli.table_study.tables_at_hand import DESIGN, OTHER, TABLE, write_study

CHOSEN = 'answers = ["dog", "wolf"]'


@pytest.mark.window
@pytest.mark.parametrize(
    ("old", "new", "when"),
    [(CHOSEN, "typed = true", "after_answer"), (CHOSEN, f'{CHOSEN}\ndevice = "mouse"', "on_key")],
)
def test_a_robot_answers_by_real_events_and_the_replay_is_the_same(
    tmp_path, monkeypatch, old, new, when
):
    design = OTHER + DESIGN.replace(old, new).replace("after_answer", when)
    monkeypatch.setenv(OUTSIDE, str(write_study(tmp_path, design, TABLE)))
    made = rules_as_pack(load_protocol("wolves"))
    lab = Lab(tmp_path, sealed(made, tmp_path / "pack"))
    lab.finish(lab.start("--robot", "expected", *SMALL))
    journal = read_journal(lab.journal_path)
    ends = journal.of("trial_end")
    assert journal.complete
    assert len(ends) == 4
    presses = {press["trial"]: press for press in journal.of("response")}
    for end in ends:
        press, typed = presses[end["trial"]], end.fields.get("keystrokes")
        if typed is None:
            assert press["device"] == "mouse"
            assert end["decision"] == {"f": "dog", "j": "wolf"}[press["key"]]
            assert end["advice_shown_s"] is not None
        else:
            assert press["key"] == typed[-1]["key"] == "return"
            assert typed[-1]["entry"] == end["decision"] != "none"
            assert "".join(one["text"] for one in typed) == end["decision"]
    assert_shows_the_session(replay(lab, tmp_path / "reel")[0], journal)
