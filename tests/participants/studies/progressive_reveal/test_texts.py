"""What participants of progressive_reveal read: whole in every language, telling nothing early."""

import re

import pytest

from participants.lists import Assignment
from participants.session import Break, Consent, Page, SittingEnd
from participants.studies.progressive_reveal.plan import (
    STUDY,
    plan_session,
)
from participants.texts import (
    all_that_is_read,
    languages,
    load_text,
    written_number,
)
from tests.stimuli.studies.progressive_reveal.small import small_sketch

LANGUAGES = languages(STUDY)
LAB = {"institution": "I", "contact": "C", "terms": "T"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_plan_names_only_texts_that_exist_and_fills_them(language):
    plan = plan_session(small_sketch(), Assignment("l1", "as_listed"), language, "P")
    shown = {
        (step.step if isinstance(step, Consent) else step.text): {
            **LAB,
            **getattr(step, "values", {}),
        }
        for step in plan.steps
        if isinstance(step, Page | Consent | Break)
    }
    ends = [step for step in plan.steps if isinstance(step, SittingEnd)]
    shown["sitting_end"] = {"sitting": "1", "sittings": str(ends[0].sittings)}
    for name, values in shown.items():
        assert not load_text(STUDY, language, name).filled(values).placeholders
    assert "42\u00a0" in load_text(STUDY, language, "consent").filled(shown["consent"]).markdown
    assert not re.search(r"[ \t]\n", all_that_is_read(STUDY, language))


def test_numbers_are_written_as_the_language_has_them():
    assert [written_number(2.5, tag) for tag in ("en", "de", "de-AT")] == ["2.5", "2,5", "2,5"]
    assert written_number(60.0, "de") == "60"
