"""The launcher in the terminal: what is asked, and what the code knows already."""

import pytest

from experiments.session import command
from experiments.session.options import PersonOptions
from experiments.session.request import RunRequest
from stimuli.errors import UserError
from stimuli.pack import open_pack
from tests.experiments.session.registered import half_done


@pytest.fixture
def launch(lab, mini_pack, monkeypatch):
    """Launch with a code typed at the terminal; return the person and what was asked."""

    def launch(code, **options):
        asked = []
        answers = {"Code of the person": code, "Language": "de"}
        monkeypatch.setattr(command.sys.stdin, "isatty", lambda: True, raising=False)
        monkeypatch.setattr(
            command.Prompt, "ask", lambda text, **_: asked.append(text) or answers[text]
        )
        monkeypatch.setattr(command.Confirm, "ask", lambda text, **_: asked.append(text) or True)
        request = RunRequest(str(mini_pack), person=PersonOptions(**options))
        return command.launch(request, lab, open_pack(mini_pack)).person, asked

    return launch


def test_a_code_that_is_typed_brings_its_purpose(registry, launch):
    code = registry.enrol("lead", axis="deutan", rung=2, purpose="pilot")
    person, asked = launch(code)
    assert (person.participant, person.session_purpose, person.language) == (code, "pilot", "de")
    assert asked[-1] == f"Start as pilot with {code}?"
    with pytest.raises(UserError, match="is enrolled for purpose pilot, not main"):
        launch(code, purpose="main")


def test_the_language_of_a_session_that_goes_on_is_not_asked(lab, registry, launch, mini_pack):
    code = registry.enrol("lead", axis="deutan", rung=2)
    half_done(lab, registry, mini_pack, PersonOptions(code, language="en"))
    person, asked = launch(code)
    assert person.language is None
    assert "Language" not in asked
