"""The form about oneself: asked once, in no journal; the choice not to be told, in both."""

import json
from itertools import product

from participants.journal import JournalWriter, read_journal
from participants.lists import Assignment
from participants.session import Around, Consent, Form, Question, done_steps, run_session
from participants.session.kept_answers import DEMOGRAPHICS, FORM_CHOICES, TOLD_RESULT
from participants.studies.accept_reject.plan import plan_session
from participants.studies.progressive_reveal.plan import _survey
from participants.texts import load_question, load_words, studies
from stimuli.protocol import load_protocol
from tests.participants.dataset.test_derive import header_of
from tests.participants.session.scripted import ScriptedPresenter
from tests.participants.studies.accept_reject.packs import bare_pack


def plan(*, demographics):
    pack = bare_pack(main_trials=4, demographics=demographics)
    return plan_session(pack, Assignment("l0", "without_first", "left"), "en", "CDF34HK")


def go_through(data, planned, presenter, keep):
    path = data.session("s1").journal
    before = read_journal(path).events if path.exists() else ()
    begin = JournalWriter.resume if before else JournalWriter.create
    with begin(path, header_of(planned, "s1")) as journal:
        done = done_steps(planned, before)
        run_session(
            planned, done, presenter, presenter, journal, Around(before=before, keep_apart=keep)
        )


def test_the_form_comes_after_the_consent_and_its_questions_where_the_protocol_wants_it():
    with_form, without = plan(demographics=True).steps, plan(demographics=False).steps
    assert [type(step) for step in with_form[:3]] == [Consent, Question, Form]
    assert with_form[1].question == TOLD_RESULT
    assert (*with_form[:2], *with_form[3:]) == without


def test_answers_are_kept_apart_and_the_journal_notes_the_form_alone(data):
    told = []
    planned = plan(demographics=True)
    go_through(data, planned, ScriptedPresenter(), lambda answers: not told.append(answers))
    assert told == [{name: choices[0] for name, choices in FORM_CHOICES.items()}]
    journal = read_journal(data.session("s1").journal)
    (noted,) = [page for page in journal.of("page") if page["step"] == DEMOGRAPHICS]
    assert noted["answers"] == {}
    text = json.dumps([dict(event.fields) for event in journal.events])
    assert "about_" not in text
    assert "18_24" not in text
    (chosen,) = [one for one in journal.of("answer") if one["question"] == TOLD_RESULT]
    assert chosen["value"] == "yes"


def test_a_form_that_could_not_be_kept_comes_again_when_the_session_goes_on(data):
    planned = plan(demographics=True)
    first = ScriptedPresenter(abort_at="trial-0002")
    go_through(data, planned, first, lambda answers: False)
    assert DEMOGRAPHICS in first.steps
    told, second = [], ScriptedPresenter()
    go_through(data, planned, second, lambda answers: not told.append(answers))
    assert len(told) == 1
    third = done_steps(planned, read_journal(data.session("s1").journal).events)
    assert DEMOGRAPHICS in third


def test_every_study_has_the_words_and_every_question_may_be_skipped():
    for study, language in product(studies(), ("en", "de")):
        # A break that may be left can't be shown without its word.
        assert load_words(study, language)["leave"]
        for name, choices in FORM_CHOICES.items():
            assert tuple(load_question(study, language, name).choices) == choices
            assert choices[-1] == "skip"


def test_no_study_asks_for_age_or_gender_twice():
    for demographics, asked in ((False, True), (True, False)):
        protocol = load_protocol("progressive_reveal", None, {"demographics": demographics})
        first, last = _survey(protocol)
        names = [question.question for question in (*first, *last)]
        assert ("survey_age" in names) is ("survey_gender" in names) is asked
