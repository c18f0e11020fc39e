"""Every answer of a trial against the key that was pressed, those before the advice too."""

import pytest

from analysis.data.sessions import contradicted_trials
from participants.folder import DataFolder, SessionPaths
from participants.journal import read_journal
from participants.simulate.run import simulate
from tests.analysis.data.test_suspect import rewrite
from tests.participants.studies.human_ai_team.taken import ALL_ASKED, pack_of


@pytest.mark.parametrize("kind", ["prior_end", "trial_end"])
def test_one_answer_that_isnt_of_its_key_is_found(tmp_path, kind):
    paths = SessionPaths(tmp_path)
    data = DataFolder(tmp_path / "simulated")
    simulate(data, pack_of(question=ALL_ASKED), ["careful"])
    paths.journal.write_bytes(next(data.sessions()).journal.read_bytes())
    journal = read_journal(paths.journal)
    assert contradicted_trials(journal) == 0
    answered = [event for event in journal.of(kind) if event["decision"] in ("yes", "no")]

    def flip(line):
        if line["seq"] == answered[0].seq:
            line["decision"] = {"yes": "no", "no": "yes"}[line["decision"]]

    rewrite(paths, flip)
    assert contradicted_trials(read_journal(paths.journal)) == 1
