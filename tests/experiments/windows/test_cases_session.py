"""Cases rated and predicted in a real window by real keys and clicks; killed and resumed."""

import sys
from collections import Counter
from dataclasses import replace

import pytest

from participants.dataset.table_files import read_table
from participants.journal import read_journal
from stimuli.pack import write_pack
from stimuli.protocol import load_protocol
from stimuli.studies.simulatability.compose import compose
from stimuli.studies.simulatability.sketch import sketch
from tests.experiments.windows.killed import killed_and_completed
from tests.experiments.windows.replayed import (
    assert_has_the_screens,
    assert_shows_the_session,
    replay,
)
from tests.experiments.windows.session_lab import HASTY, Lab
from tests.sealing import sealed
from tests.stimuli.studies.simulatability.small import protocol_of

KILLS = 2
LEARNING, PER_TEST = 4, 8
CHANGES = {
    "design": {"domains": ("text",), "methods": ("composite",), "tests": ("counterfactual",)},
    "items": {"learning": LEARNING, "per_test": PER_TEST},
    "session": {"break_every_trials": 50},
    "analysis": {"reference_method": "composite"},
}
BY_MOUSE = {
    **CHANGES,
    "design": {"domains": ("tabular",), "methods": ("lime",), "tests": ("counterfactual",)},
    "question": {"confidence_steps": 4, "learning_at_hand": True, "exposure_limit_s": 2.0},
    "session": {"break_every_trials": 50, "device": "mouse"},
    "analysis": {"reference_method": "lime"},
}
BY_PAD = {**CHANGES, "session": {"break_every_trials": 50, "device": "pad"}}
ITEMS = LEARNING + 2 * PER_TEST

pytestmark = [
    pytest.mark.window,
    pytest.mark.skipif(sys.platform != "linux", reason="needs a virtual display"),
]


def lab_of(changes, tmp_path_factory):
    """A lab with a small pack."""
    folder = tmp_path_factory.mktemp("packs") / "cases"
    return Lab(tmp_path_factory.mktemp("lab"), sealed(sketch(protocol_of(**changes)), folder))


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """One session, killed while screens of every kind are up, and completed."""
    lab = lab_of(CHANGES, tmp_path_factory)
    killed_and_completed(lab, KILLS, every=ITEMS // KILLS)
    return lab


@pytest.fixture(scope="module")
def journal(lab):
    return read_journal(lab.journal_path)


def test_each_item_is_answered_once(lab, journal):
    assert lab.done["complete"]
    assert len(journal.of("session")) == KILLS + 1
    ends = journal.of("trial_end")
    assert [end["trial"] for end in ends] == list(range(1, ITEMS + 1))
    rated = [event["trial"] for event in journal.of("rating_end")]
    assert rated == list(range(LEARNING + PER_TEST + 1, ITEMS + 1))


def test_an_answer_is_its_own_press(journal):
    """Ratings come before predictions; each prediction's time is that of the last press."""
    pressed = {}
    for event in journal.of("response"):
        pressed.setdefault(event["trial"], []).append(event)
    for end in journal.of("trial_end"):
        last = pressed[end["trial"]][-1]
        since_onset_s = last.t_monotonic_s - end["onset_t_monotonic_s"]
        told = end["look_s"] if end["section"] == "learning" else end["rt_s"]
        assert told == pytest.approx(since_onset_s, abs=2e-6)


def test_all_pages_were_seen_before_an_answer(journal):
    """With four methods together there are two pages at least, in the rating and after it."""
    turned = {}
    for event in journal.of("flip"):
        if event["what"].startswith("case_page_"):
            turned.setdefault(event["trial"], []).append(int(event["what"].rpartition("_")[2]))
    for trial in range(LEARNING + PER_TEST + 1, ITEMS + 1):
        pages = range(2, max(turned[trial]) + 1)
        assert turned[trial] == [*pages, *pages]


def test_the_table_holds_every_prediction_with_its_rating(lab):
    rows = read_table(lab.data, "simulatability", "trials")
    assert Counter((row["use"], row["phase"]) for row in rows) == {
        ("learning", "pre"): LEARNING,
        ("counterfactual", "pre"): PER_TEST,
        ("counterfactual", "post"): PER_TEST,
    }
    for row in rows:
        assert (row["rating"] is not None) is (row["phase"] == "post")
        assert (row["correct"] is None) is (row["use"] == "learning")


@pytest.mark.slow
def test_everything_is_answered_by_real_clicks(tmp_path_factory):
    lab = lab_of(BY_MOUSE, tmp_path_factory)
    begun = lab.start("--robot", "reader", "--display", "virtual", door=HASTY)
    assert lab.finish(begun)["complete"]
    journal = read_journal(lab.journal_path)
    answered = [event for event in journal.of("response") if event["device"] == "mouse"]
    assert len(answered) == ITEMS + PER_TEST
    sides = Counter(event["key"] for event in answered)
    assert sides["left"] + sides["right"] == 2 * PER_TEST
    assert all(end["decision"] != "none" for end in journal.of("trial_end")[LEARNING:])


@pytest.mark.slow
def test_predictions_are_answered_on_a_pad_and_ratings_on_the_keyboard(tmp_path_factory):
    lab = lab_of(BY_PAD, tmp_path_factory)
    assert lab.finish(lab.start("--robot", "reader", "--display", "virtual", door=HASTY))[
        "complete"
    ]
    journal = read_journal(lab.journal_path)
    answers, rated = {}, Counter(event["trial"] for event in journal.of("rating_end"))
    for event in journal.of("response"):
        answers.setdefault(event["trial"], []).append(event["device"])
    for end in journal.of("trial_end"):
        assert answers[end["trial"]][-1] == ("pad" if end["trial"] > LEARNING else "keyboard")
    assert {device for trial in rated for device in answers[trial][:-1]} == {"keyboard"}


@pytest.mark.slow
def test_the_imported_study_killed_ten_times_asks_nothing_twice(tmp_path_factory):
    """All 160 items of a cell, as the published sheets order them; the longest explanations."""
    published = pytest.importorskip("tests.xai_backend.studies.simulatability.published")
    protocol = load_protocol(
        "simulatability",
        None,
        {
            "design": {"domains": ["text"], "methods": ["composite"]},
            "analysis": {"reference_method": "composite"},
        },
    )
    domains = [one for one in published.published().material.domains if one.name == "text"]
    material = replace(published.published().material, domains=domains)
    folder = tmp_path_factory.mktemp("packs") / "published"
    write_pack(folder, protocol, "solutions", compose(protocol, material), {"made": "sheets"})
    lab = Lab(tmp_path_factory.mktemp("lab"), folder)
    killed_and_completed(lab, kills=10, every=17)
    journal = read_journal(lab.journal_path)
    assert len(journal.of("session")) == 11
    sections = Counter(end["section"] for end in journal.of("trial_end"))
    tested = ("forward_pre", "forward_post", "counterfactual_pre", "counterfactual_post")
    learnt = ("learning", "learning_again")
    assert sections == dict.fromkeys(learnt, 16) | dict.fromkeys(tested, 32)
    items = Counter((end["section"], end["presentation"]) for end in journal.of("trial_end"))
    assert set(items.values()) == {1}
    rated = Counter(event["presentation"] for event in journal.of("rating_end"))
    assert len(rated) == 32
    assert set(rated.values()) == {1}


def test_a_replay_shows_the_session_again(lab, journal, tmp_path):
    shown, _ = replay(lab, tmp_path / "reel")
    assert_shows_the_session(shown, journal)
    # A fixation of 0 s is never shown, and nobody turned back to a first page.
    unseen = [f"trial-text-{part}-composite-2" for part in ("rating", "prediction")]
    assert_has_the_screens(shown, lab.folder / "screens", ("fixation", *unseen))
