"""The form about oneself is read before a session begins, like all that it may show."""

import pytest

from experiments.screens.library import Library
from participants.lab_settings import consent_values
from participants.lists import Assignment
from participants.studies.accept_reject.plan import STUDY, plan_session
from stimuli.errors import UserError
from tests.participants.studies.accept_reject.packs import bare_pack


def check(language, own):
    pack = bare_pack(main_trials=4, demographics=True)
    plan = plan_session(pack, Assignment("l0", "without_first"), language, "CDF34HK")
    Library(STUDY, language, own).check(plan, consent_values(STUDY, language, {}))


@pytest.mark.parametrize("language", ["en", "de"])
def test_its_page_and_questions_are_there(language, tmp_path):
    check(language, tmp_path)


def test_a_labs_own_question_that_lacks_a_choice_is_refused(tmp_path):
    folder = tmp_path / "common" / "en"
    folder.mkdir(parents=True)
    own = '[about_age]\ntext = "Age?"\nchoices = { 18_24 = "young" }\n'
    (folder / "questions.toml").write_text(own, encoding="utf-8")
    with pytest.raises(UserError, match=r"(about_age|questions\.toml)"):
        check("en", tmp_path)
