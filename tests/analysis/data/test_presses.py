"""Every answer of a trial against the key that was pressed, those before the advice too."""

from pathlib import Path

import pytest

from analysis.data.sessions import contradicted_trials
from participants.folder import SessionPaths
from participants.journal import read_journal
from tests.analysis.data.test_suspect import rewrite

GOLDEN = Path(__file__).parents[2] / "golden" / "human_ai_team-1.0" / "sessions"


@pytest.mark.parametrize("kind", ["prior_end", "trial_end"])
def test_one_answer_that_isnt_of_its_key_is_found(tmp_path, kind):
    paths = SessionPaths(tmp_path)
    golden = next(GOLDEN.glob("*/journal.jsonl"))
    paths.journal.write_bytes(golden.read_bytes())
    journal = read_journal(paths.journal)
    assert contradicted_trials(journal) == 0
    answered = [event for event in journal.of(kind) if event["decision"] in ("yes", "no")]

    def flip(line):
        if line["seq"] == answered[0].seq:
            line["decision"] = {"yes": "no", "no": "yes"}[line["decision"]]

    rewrite(paths, flip)
    assert contradicted_trials(read_journal(paths.journal)) == 1
