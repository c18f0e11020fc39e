"""A code that is refused is refused before the experimenter answers a single question."""

import io

import pytest

from experiments.session import command, preflight
from experiments.session.options import PersonOptions
from experiments.session.request import RunRequest
from participants.registry import NewSession, new_code
from stimuli.errors import UserError
from stimuli.pack import open_pack
from stimuli.rich_terminal import Console
from tests.experiments.session.registered import half_done

PILOT = "pilot"


@pytest.fixture
def begun(lab, registry, mini_pack):
    """Enrol a lead and enter a session of the small pack."""
    pack = open_pack(mini_pack)

    def begin(session="s-1", rig=lab.settings.rig):
        code = registry.enrol("lead", axis="deutan", rung=2, purpose=PILOT)
        study = pack.manifest.study
        registry.start_session(NewSession(session, code, "lead", study, pack.pack_id, PILOT, rig))
        return code

    return begin


@pytest.fixture
def prepared(lab, mini_pack, monkeypatch):
    """Do at a terminal what `run` does before a session; whatever it asks fails the test."""

    def never(*question, **_):
        raise AssertionError(question)

    monkeypatch.setattr(preflight.sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(command, "reason_to_go_on", never)
    monkeypatch.setattr(command, "go_through_checklist", never)
    monkeypatch.setattr(command, "require_display", lambda: None)
    monkeypatch.setattr(command.Confirm, "ask", never)
    monkeypatch.setattr(command, "_ask_language", never)
    console = Console(file=io.StringIO())

    def prepare(code, language=None):
        person = PersonOptions(participant=code, purpose=PILOT, language=language)
        request = RunRequest(str(mini_pack), person=person, lab=lab.root)
        return command.prepared(request, lab, open_pack(mini_pack), console)

    return prepare


def test_a_code_that_is_refused_is_refused_before_any_question(registry, begun, prepared):
    through = begun()
    registry.finish_session("s-1")
    refusals = {
        through: "has finished study",
        new_code(): "is not in this registry",
        registry.enrol("expert", purpose=PILOT): "is enrolled as expert",
        registry.enrol("lead", purpose=PILOT): "this lead has no axis and rung",
        registry.enrol(
            "lead", axis="deutan", rung=1, purpose=PILOT
        ): "the pack has no list for deutan rung 1",
        begun("s-2", rig="rig-that-died"): r"on rig rig-that-died at this moment.*Take-over",
    }
    for code, reason in refusals.items():
        with pytest.raises(UserError, match=reason):
            prepared(code)


def test_a_code_that_is_typed_is_checked_before_the_next_question(
    registry, begun, prepared, monkeypatch
):
    done = begun()
    registry.finish_session("s-1")
    monkeypatch.setattr(command.Prompt, "ask", lambda *_, **__: done)
    with pytest.raises(UserError, match="has finished study"):
        prepared(None)


def test_looking_whether_somebody_may_begin_enters_nothing(lab, registry, prepared):
    code = registry.enrol("lead", axis="deutan", rung=2, purpose=PILOT)
    with pytest.raises(AssertionError):
        prepared(code)
    assert (registry.person(code).sessions, any(lab.data.sessions())) == (0, False)


def test_what_the_window_would_refuse_is_refused_before_any_question(
    lab, registry, begun, prepared, mini_pack
):
    """A language, a text or a journal was refused after the whole checklist."""
    code = registry.enrol("lead", axis="deutan", rung=2, purpose=PILOT)
    with pytest.raises(UserError, match="language 'fr': the protocol has en, de"):
        prepared(code, "fr")
    half_done(lab, registry, mini_pack, PersonOptions(code, purpose=PILOT, language="de"))
    with pytest.raises(UserError, match="began in language de and continues in it"):
        prepared(code, "en")
    own = lab.texts / "accept_reject" / "de"
    own.mkdir(parents=True)
    (own / "instructions.md").write_text("---\nversion: 2\n---\n{nothing}\n", encoding="utf-8")
    with pytest.raises(UserError, match="nothing"):
        prepared(code)
    elsewhere = begun()
    registry.heartbeat("s-1", trials_done=3)
    with pytest.raises(UserError, match="3 of 3 trials of the unfinished session s-1 are not in"):
        prepared(elsewhere)
