"""Packs of texts: what they hold, what they hide, and that packs of images are as they were."""

from dataclasses import replace

import pytest

from stimuli.cases import LONGEST, LONGEST_LABEL, TEXTS
from stimuli.deviations import differences
from stimuli.errors import UserError
from stimuli.protocol import protocol_from_resolved
from stimuli.studies.accept_reject.tables import KEY, LABELLED
from stimuli.studies.accept_reject_accuracy.compose import compose_solutions
from stimuli.studies.accept_reject_accuracy.sketch import SketchRates, sketch
from tests.stimuli.studies.accept_reject_accuracy.labelled_sets import protocol_of, text_tasks_of

OF_TEXTS = protocol_of(cases="texts")


def test_each_presentation_has_its_text_in_both_languages_and_no_file():
    tasks = text_tasks_of(40)
    files = compose_solutions(OF_TEXTS, tasks)
    rows = list(TEXTS.from_csv(files["texts.csv"], "texts"))
    item_of = {row["presentation"]: row["item"] for row in KEY.from_csv(files["key.csv"], "key")}
    shown = {(row["presentation"], row["language"] or ""): row["case_text"] for row in rows}
    assert shown == {
        (name, language): text
        for name, item in item_of.items()
        for language, text in tasks.texts[item].items()
    }
    items = list(LABELLED.from_csv(files["items.csv"], "items"))
    assert {row["image_file"] for row in items} == {None}
    assert not [path for path in files if path.startswith("assets")]
    told = files["texts.csv"] + files["items.csv"] + files["lists.csv"]
    assert not [item for item in tasks.labels if item.encode() in told]
    # In the ids' order: neither the table's nor whose label it is.
    assert [row["presentation"] for row in items] == sorted(item_of)


def test_the_text_decides_on_all_that_is_drawn_by_chance():
    tasks = text_tasks_of(40)
    other = replace(tasks, texts={item: {"": f"{case['']} "} for item, case in tasks.texts.items()})
    one, same, changed = (
        compose_solutions(OF_TEXTS, each)["items.csv"] for each in (tasks, text_tasks_of(40), other)
    )
    assert one == same != changed


@pytest.mark.parametrize(
    ("texts", "names", "words"),
    [
        ({"": "x" * (LONGEST + 1)}, {}, f"{LONGEST} at most fit on a screen"),
        ({"de": "x"}, {}, "has no text in en or de"),
        ({"": "x"}, {("c1", ""): "x" * (LONGEST_LABEL + 1)}, f"{LONGEST_LABEL} at most fit"),
    ],
)
def test_what_no_screen_has_room_for_is_refused_by_its_item(texts, names, words):
    tasks = text_tasks_of(40)
    item = next(item for item, label in tasks.labels.items() if label == "c1")
    tasks = replace(tasks, texts={**tasks.texts, item: texts}, names=names)
    with pytest.raises(UserError, match=words) as refused:
        compose_solutions(OF_TEXTS, tasks)
    assert names or str(refused.value).startswith(item)


def test_deviations_of_a_protocol_of_texts_speak_of_texts_but_for_the_paper():
    resolved = OF_TEXTS.resolved()
    assert resolved["cases"] == "texts"
    assert protocol_from_resolved(resolved, "here") == OF_TEXTS
    shown = [one for one in differences(OF_TEXTS) if one.whose == "study"]
    assert not [one for one in shown if "image" in f"{one.here} {one.reason}"]
    paper = [one.published for one in differences(protocol_of()) if one.whose == "study"]
    assert [one.published for one in shown] == paper


def test_a_sketch_of_texts_describes_its_digits():
    pack = sketch(OF_TEXTS, SketchRates(images=30))
    texts = [row["case_text"] for row in pack.table(TEXTS) if row["language"] is None]
    assert texts
    assert all(text.startswith("Somebody wrote the number ") for text in texts)
