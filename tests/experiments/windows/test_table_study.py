"""Sessions of studies from a table in a real window: typed answers, and answers by mouse."""

import pytest

from participants.journal import read_journal
from tests.stimuli.table_study.tables_at_hand import DESIGN, OTHER, TABLE, write_study
from tests.study_kit import StudyKit

CHOSEN = 'answers = ["dog", "wolf"]'


@pytest.mark.window
@pytest.mark.parametrize(
    ("old", "new", "when"),
    [(CHOSEN, "typed = true", "after_answer"), (CHOSEN, f'{CHOSEN}\ndevice = "mouse"', "on_key")],
)
def test_a_robot_answers_by_real_events_and_the_replay_is_the_same(tmp_path, old, new, when):
    design = OTHER + DESIGN.replace(old, new).replace("after_answer", when)
    kit = StudyKit(write_study(tmp_path, design, TABLE), tmp_path / "place")
    override = ("--override", "This PC runs tests.")
    kit.done("run", kit.pack, "--robot", "expected", "--lab", kit.lab, *override)
    (path,) = (kit.lab / "data" / "sessions").glob("*/journal.jsonl")
    with kit.known():
        journal = read_journal(path)
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
    said = kit.done("replay", path.parent.name, "--pack", kit.pack, "--lab", kit.lab,
                    "--film", tmp_path / "film.webm")  # fmt: skip
    assert "all on the same frame" in said
