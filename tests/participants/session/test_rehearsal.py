"""A rehearsal shows each kind of screen once, and its data are nowhere else."""

from dataclasses import dataclass
from itertools import pairwise

import pytest

from participants.dataset.derive import write_tables
from participants.folder import DataFolder
from participants.journal import JournalWriter
from participants.new_person import REHEARSAL
from participants.planning import plans_of, rehearsal_plan
from participants.rebuild import rebuild
from participants.registry import Registry
from participants.session import Break, Consent, Form, Page, Question, run_session
from participants.session.rehearsal import kind_of
from stimuli.errors import UserError
from stimuli.studies.simulatability.stimulus import Weights
from tests.participants.dataset.test_derive import CODE, STUDY, header_of, record
from tests.participants.session.scripted import ScriptedPresenter
from tests.participants.studies.accept_reject.packs import bare_pack
from tests.small_packs import SMALL_PACKS

PLAIN = Page | Consent | Form | Break | Question


@pytest.mark.parametrize(
    ("name", "also_rare"),
    [
        ("accept_reject", False),
        ("human_ai_team", True),
        *(
            pytest.param(name, True, marks=pytest.mark.slow)
            for name in SMALL_PACKS
            if name != "human_ai_team"
        ),
    ],
)
def test_every_kind_of_screen_of_every_arm_comes_once(name, also_rare):
    """Whatever a plan of any arm shows is there; nothing twice; in the order of the first arm."""
    pack = SMALL_PACKS[name]()
    plan = rehearsal_plan(pack, "en", CODE, also_rare=also_rare)
    kinds = [kind_of(step) for step in plan.steps]
    assert len(set(kinds)) == len(kinds)
    assert len({step.step for step in plan.steps}) == len(kinds)
    most = {step.question: len(step.choices) for step in plan.steps if isinstance(step, Question)}
    for arm in plans_of(pack, "en"):
        shown = [kind_of(step) for step in arm.steps if isinstance(step, PLAIN)]
        shown += [kind_of(trial) for trial in arm.trials]
        assert set(shown) <= set(kinds)
        asked = [step for step in arm.steps if isinstance(step, Question)]
        assert all(len(step.choices) <= most[step.question] for step in asked)
    texts = [kind_of(step) for step in plans_of(pack, "en")[0].steps if isinstance(step, Page)]
    places = [kinds.index(kind) for kind in dict.fromkeys(texts)]
    assert all(one < other for one, other in pairwise(places))
    rare = {("text", text) for text in ("declined", "withdrawn", "farewell", "welcome_back")}
    assert rare <= set(kinds) if also_rare else not rare & set(kinds)


def rehearse(data, pack, session="r1"):
    """Rehearse with somebody who accepts everything, and return whether the end was reached."""
    plan = rehearsal_plan(pack, "en", CODE, also_rare=False)
    data.copy_pack(pack)
    header = header_of(plan, session, purpose=REHEARSAL)
    with JournalWriter.create(data.session(session).journal, header) as journal:
        shown = ScriptedPresenter()
        return run_session(plan, frozenset(), shown, shown, journal)


def test_a_rehearsal_among_data_of_people_is_in_no_table_and_no_registry(tmp_path):
    """Even where somebody copies it there."""
    data, pack = DataFolder(tmp_path / "data"), bare_pack()
    record(data, pack)
    before = write_tables(data, STUDY)
    assert rehearse(data, pack)
    after = write_tables(data, STUDY)
    assert after.trials == before.trials
    assert (after.left_out, after.unfinished, after.waiting) == (
        before.left_out,
        before.unfinished,
        before.waiting,
    )
    registry = Registry.open(f"sqlite:///{tmp_path / 'registry.sqlite'}")
    assert rebuild(registry, [data]).sessions == 1
    assert [person.purpose for person in registry.list()] == ["main"]


def test_attention_looks_otherwise_than_weights_that_speak_for_an_answer():
    @dataclass(frozen=True)
    class Stimulus:
        explanation: Weights

    @dataclass(frozen=True)
    class Task:
        stimulus: Stimulus

    signed, attended = (Task(Stimulus(Weights(target=of, terms=()))) for of in ("good", None))
    assert kind_of(signed) == kind_of(Task(Stimulus(Weights(target="bad", terms=()))))
    assert kind_of(signed) != kind_of(attended)


def test_nobody_is_enrolled_for_a_rehearsal(tmp_path):
    registry = Registry.open(f"sqlite:///{tmp_path / 'registry.sqlite'}")
    with pytest.raises(UserError, match="no purpose 'rehearsal'"):
        registry.enrol("participant", purpose=REHEARSAL)
