"""A cell's steps: what they show, and that a session killed at any moment asks nothing twice."""

import json
import random
import tomllib
from importlib import resources
from types import SimpleNamespace

import pytest

from participants.dataset.fields import ShownPack
from participants.journal import Event
from participants.session import Break, Choice, Presented
from participants.studies.simulatability.cell import Cell, settled_steps
from participants.studies.simulatability.events import case_events
from participants.studies.simulatability.rows import TABLES
from participants.studies.simulatability.shown import shown_by
from participants.studies.simulatability.trial import Look, Predict, Rate, Rated
from stimuli.errors import UserError
from stimuli.studies.simulatability.protocol import Simulatability
from stimuli.studies.simulatability.stimulus import Rationale
from stimuli.studies.simulatability.tables import KEY
from tests.participants.studies.simulatability.taken import journal_of

SECTIONS = {
    "learning": "learning",
    "forward_pre": "forward",
    "learning_again": "learning",
    "forward_post": "forward",
    "counterfactual_pre": "counterfactual",
    "counterfactual_post": "counterfactual",
}
COUNTS = {"learning": 4, "forward": 8, "counterfactual": 8}
SEEN = Presented(1.0, None, 10, 0, 0.017, False)


def rules(**length):
    """Return the default protocol with few items."""
    text = resources.files("stimuli.studies.simulatability").joinpath("protocol.toml").read_text()
    values = tomllib.loads(text)
    values["items"] |= {"learning": 4, "per_test": 8}
    values["length"] |= length
    values["expected_minutes"] = min(values["expected_minutes"], values["length"]["session_s"] / 60)
    values["session"]["break_every_trials"] = 4
    return Simulatability.model_validate_json(json.dumps(values))


def sketch():
    """Return what stands in for a pack."""
    names = [(use, f"{use}-{place}") for use, count in COUNTS.items() for place in range(count)]
    items = [
        {
            "presentation": name,
            "domain": "text",
            "use": use,
            "input": '{"kind": "text", "tokens": ["a", "film"]}',
            "edits": '[{"place": 1, "old": "film", "new": "bore"}]'
            if use == "counterfactual"
            else None,
            "shown_label": "pos" if use != "forward" else None,
            "shown_output": "pos" if use != "forward" else None,
        }
        for use, name in names
    ]
    rationale = Rationale(text="film", places=(1,)).model_dump_json()
    tables = {
        "items": items,
        "explanations": [
            {"presentation": name, "method": "lime", "explanation": rationale}
            for use, name in names
            if use != "forward"
        ],
        "lists": [
            {"list": "1", "arm": arm, "section": section, "position": place + 1,
             "presentation": f"{use}-{place}"}
            for arm in ("text_lime", "text_no_explanation")
            for section, use in SECTIONS.items()
            for place in range(COUNTS[use])
        ],
        "classes": [
            {"domain": "text", "class": name, "positive": name == "pos"} for name in ("pos", "neg")
        ],
        "words": [
            {"domain": "text", "kind": "class", "term": "pos", "language": None,
             "word": "positive"},
        ],
        "key": [
            {"presentation": name, "item": f"text:test:{use}:{name}", "source_id": name,
             "true_label": "pos", "original_output": "pos", "output": "neg",
             "outcome": "true_positive", "flips": None, "short": int(name[-1]) % 2 == 0}
            for use, name in names
        ],
    }  # fmt: skip
    return SimpleNamespace(pack_id="sketch", table=lambda schema: tables[schema.name])


class CutOffError(Exception):
    """The power is gone."""


class Desk:
    """A presenter and a recorder, of which a session can be cut off before any event."""

    def __init__(self, events, lives):
        self.events, self.lives = events, lives

    @property
    def recorded(self):
        """Kind and fields of all events."""
        return [(event.event, event.fields) for event in self.events]

    def append(self, event, *, durable=False, t_monotonic_s=None, **fields):
        """Take down an event, as its type has it; or be cut off."""
        self.lives -= 1
        if self.lives < 0:
            raise CutOffError
        case_events()[event].model_validate(fields)
        self.events.append(Event(event, len(self.events) + 1, 0.0, "", fields))

    def example(self, example):
        """Look at it."""
        example.record_start(self)
        return Look(2.0, SEEN)

    def rating(self, rate):
        """Rate it."""
        rate.record_start(self)
        return Rated(5, 1.5, SEEN)

    def prediction(self, predict):
        """Say neg."""
        predict.record_start(self)
        return Choice("neg", 3.0, 0.0, SEEN)


def steps_of(protocol, arm="text_lime"):
    """Return a cell's steps, each test after its decision."""
    cell = Cell(protocol, shown_by(sketch(), "1", arm, "en"), {"neg": "f", "pos": "j"}, arm)
    steps = list(cell.section("learning"))
    for test in ("forward", "counterfactual"):
        steps.append(cell.length(test))
        for section in cell.sections[1:]:
            if section.startswith(test) or (test == "forward" and section == "learning_again"):
                steps += cell.section(section)
    return steps


def run(steps, events, lives=10**6):
    """Do what is left to be done, as the session's loop does."""
    desk, settled = Desk(events, lives), set(settled_steps(steps, events))
    for step in steps:
        if step.step not in settled and not isinstance(step, Break):
            settled |= step.perform(desk, desk)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("session_s", [5400.0, 100.0])
def test_a_session_killed_ten_times_asks_nothing_twice(seed, session_s):
    """Wherever it is cut off, every item has one end, and a test's length stays as decided."""
    steps, events, rng = steps_of(rules(session_s=session_s)), [], random.Random(seed)
    for _ in range(10):
        try:
            run(steps, events, rng.randrange(12))
        except CutOffError:
            continue
    run(steps, events)
    ends = [event["trial"] for event in events if event.event == "trial_end"]
    ratings = [event["trial"] for event in events if event.event == "rating_end"]
    short = session_s == 100.0
    assert ends == sorted(set(ends))
    assert len(ends) == 2 * 4 + 4 * (4 if short else 8)
    assert ratings == sorted(set(ratings))
    assert len(ratings) == (4 if short else 8)
    assert [event["short"] for event in events if event.event == "length"] == [short, short]


def test_rows_have_the_columns_of_their_table():
    """One row an item and phase; examples have no `correct`; ratings stand in their row."""
    steps, events = steps_of(rules()), []
    run(steps, events)
    key = {row["presentation"]: row for row in sketch().table(KEY)}
    rows = TABLES.trial_rows(journal_of(events), ShownPack(key, {}))
    names = {column.name for column in TABLES.trials.columns}
    assert all(set(row) == names for row in rows)
    assert {row["first_test"] for row in rows} == {"forward"}
    found = {(row["use"], row["phase"], row["correct"], row["rating"]) for row in rows}
    assert found == {
        ("learning", "pre", None, None),
        ("learning", "post", None, 5),
        ("forward", "pre", True, None),
        ("forward", "post", True, None),
        ("counterfactual", "pre", True, None),
        ("counterfactual", "post", True, 5),
    }


def test_nothing_shown_before_an_answer_tells_it():
    """No prediction shows an output on what is predicted; explanations come in two sections."""
    for step in steps_of(rules()):
        if isinstance(step, Predict):
            stimulus = step.stimulus
            assert (stimulus.edits is None) == (stimulus.output is None)
            assert (stimulus.explanation is not None) == (step.section == "counterfactual_post")
        elif isinstance(step, Rate):
            assert step.section in ("learning_again", "counterfactual_post")


def test_without_explanations_the_sections_are_the_same_and_nothing_is_rated():
    """The arm to compare with has the same trials."""
    arms = [steps_of(rules(), arm) for arm in ("text_lime", "text_no_explanation")]
    trials = [[s.step for s in steps if s.step.startswith("trial")] for steps in arms]
    assert trials[0] == trials[1]
    assert not any(isinstance(step, Rate) for step in arms[1])


def test_a_list_without_the_arm_is_refused():
    """The error names both."""
    with pytest.raises(UserError, match="list '1' has no arm 'text_anchor'"):
        shown_by(sketch(), "1", "text_anchor", "en")
