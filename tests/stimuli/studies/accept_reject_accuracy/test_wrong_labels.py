"""Controls' wrong labels: outside the set as often as S's, so that such a label isn't S's alone."""

from dataclasses import replace

import pytest

from stimuli.images.sets import Answer
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import protocol_hash
from stimuli.studies.accept_reject.tables import KEY, LABELLED, LISTS
from stimuli.studies.accept_reject_accuracy.compose import compose_solutions
from stimuli.studies.accept_reject_accuracy.lists import Vocabulary, wrong_label
from tests.stimuli.studies.accept_reject_accuracy.labelled_sets import protocol_of, tasks_of

SHARES = {"S": 0.4, "E": 0.4, "wrong_label": 0.15, "no_solution": 0.05}


def tasks_with_a_wide_classifier(count=240, outside_of_four=3):
    """Tasks in which three of four wrong answers of S are of classes that the set lacks."""
    tasks = tasks_of(count)
    answers, wrong = {}, 0
    for item, ranked in tasks.answers.items():
        answers[item] = ranked
        if ranked[0].label != tasks.labels[item]:
            if wrong % 4 < outside_of_four:
                answers[item] = (Answer(f"far{wrong % 9}", 0.6), Answer(f"near{wrong % 7}", 0.2))
            wrong += 1
    return replace(tasks, answers=answers)


def shown_of(tasks, **changes):
    """Return rows (run, item, solver, control_kind, shown_label) of all lists of a pack."""
    protocol = protocol_of(solutions={"most_trials": 80, "shares": SHARES}, **changes)
    files = compose_solutions(protocol, tasks)
    pack = pack_in_memory(protocol, protocol_hash(protocol), "solutions", files)
    key = {row["presentation"]: row for row in pack.table(KEY)}
    items = {row["presentation"]: row for row in pack.table(LABELLED)}
    return [{**row, **key[row["presentation"]], **items[row["presentation"]]}
            for row in pack.table(LISTS)]  # fmt: skip


def test_among_wrong_labels_those_from_outside_are_as_frequent_for_controls_as_for_s():
    tasks = tasks_with_a_wide_classifier()
    classes = set(tasks.labels.values())
    rows = [row for row in shown_of(tasks) if row["run"] == 1]
    controls = {(r["item"], r["shown_label"]) for r in rows if r["control_kind"] == "wrong_label"}
    share = sum(label not in classes for _, label in controls) / len(controls)
    assert Vocabulary.of(tasks.labels, tasks.answers).outside_share == pytest.approx(0.75)
    assert share == pytest.approx(0.75, abs=0.15)


def test_practice_teaches_nothing_of_labels_from_outside():
    tasks = tasks_with_a_wide_classifier()
    practised = [row["shown_label"] for row in shown_of(tasks) if row["run"] != 1]
    assert practised
    assert set(practised) <= set(tasks.labels.values())


def test_a_label_from_outside_was_given_by_neither_to_its_image():
    tasks = tasks_with_a_wide_classifier()
    for row in shown_of(tasks):
        if row["control_kind"] == "wrong_label":
            said = {answer.label for answer in tasks.answers[row["item"]]}
            assert row["shown_label"] not in {*said, row["true_label"]}


def test_of_two_classes_a_further_one_of_s_does_as_the_wrong_label():
    """Where each class of the set was given by S or E, one that only S knows is left."""
    labels = {"a": "x", "b": "y"}
    answers = {"a": (Answer("y", 0.9),), "b": (Answer("y", 0.6), Answer("z", 0.3))}
    vocabulary = Vocabulary.of(labels, answers)
    assert wrong_label("a", labels, answers, "key", vocabulary) == "z"
