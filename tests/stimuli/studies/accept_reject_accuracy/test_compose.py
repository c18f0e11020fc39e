"""What a pack of labelled images promises: balance, opacity, one length, one identity."""

import csv
import io
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from stimuli.errors import UserError
from stimuli.images.pictures import framed, of_one_length, pixels_of
from stimuli.images.sets import NO_SOLUTION, Answer, abstaining
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import protocol_hash
from stimuli.studies.accept_reject.tables import ITEM_TABLE, KEY, LABELLED, LISTS
from stimuli.studies.accept_reject_accuracy.compose import compose_solutions
from stimuli.studies.accept_reject_accuracy.lists import Vocabulary, wrong_label
from stimuli.studies.accept_reject_accuracy.sketch import SketchRates, sketch
from stimuli.studies.accept_reject_accuracy.tables import LABELS
from tests.stimuli.studies.accept_reject_accuracy.labelled_sets import (
    protocol_of,
    small_sketch,
    tasks_of,
)


def shown_in(pack):
    """Return each list's rows of lists, items and key put together."""
    key = {row["presentation"]: row for row in pack.table(KEY)}
    items = {row["presentation"]: row for row in pack.table(LABELLED)}
    lists = {}
    for row in pack.table(LISTS):
        name = row["presentation"]
        lists.setdefault(row["list"], []).append({**row, **key[name], **items[name]})
    return lists


def pack_of(count, wrong_every=3, **changes):
    protocol = protocol_of(**changes)
    files = compose_solutions(protocol, tasks_of(count, wrong_every=wrong_every))
    return pack_in_memory(protocol, protocol_hash(protocol), "solutions", files)


@settings(max_examples=15, deadline=None)
@given(st.integers(20, 90), st.integers(8, 60))
def test_a_lead_sees_an_image_once_and_every_image_is_judged_with_both_labels(count, most):
    pack = pack_of(count, solutions={"most_trials": most, "practice_trials": 2})
    lists = shown_in(pack)
    drawn = Counter()
    for rows in lists.values():
        images = [row["item"] for row in rows]
        assert len(images) == len(set(images))
        mains = [row for row in rows if row["run"] == 1]
        assert len(mains) <= most + 1
        solvers = Counter(row["solver"] for row in mains)
        assert abs(solvers["S"] - solvers["E"]) <= 1
        drawn.update((row["item"], row["solver"]) for row in mains if row["solver"] != "control")
    assert set(drawn.values()) == {1}
    assert len(drawn) == 2 * count


def test_what_is_shown_is_what_s_or_e_said_and_controls_are_wrong():
    pack = pack_of(60)
    tasks = tasks_of(60)
    for rows in shown_in(pack).values():
        for row in rows:
            said = [answer.label for answer in tasks.answers[row["item"]]]
            if row["solver"] == "S":
                assert row["shown_label"] == said[0]
            elif row["solver"] == "E":
                assert row["shown_label"] == row["true_label"] == tasks.labels[row["item"]]
            elif row["control_kind"] == "no_solution":
                assert row["shown_label"] == NO_SOLUTION
            else:
                assert row["control_kind"] == "wrong_label"
                assert row["shown_label"] not in {*said, row["true_label"]}


@pytest.mark.parametrize("classes", [2, 4])
def test_a_wrong_label_is_not_what_s_says_even_where_s_ranks_every_class(classes):
    labels = {f"i{k}": f"c{k % classes}" for k in range(40)}
    names = sorted(set(labels.values()))
    answers = {
        item: tuple(
            Answer(name, None)
            for name in (*names[(k + 1) % classes :], *names[: (k + 1) % classes])
        )
        for k, item in enumerate(labels)
    }
    vocabulary = Vocabulary.of(labels, answers)
    for item, label in labels.items():
        wrong = wrong_label(item, labels, answers, "key", vocabulary)
        assert wrong != label
        assert wrong != answers[item][0].label or classes == 2


def test_controls_have_their_shares_of_each_list():
    shares = {"S": 0.4, "E": 0.4, "wrong_label": 0.15, "no_solution": 0.05}
    pack = pack_of(80, solutions={"most_trials": 60, "practice_trials": 0, "shares": shares})
    for rows in shown_in(pack).values():
        kinds = Counter(row["control_kind"] for row in rows)
        assert kinds["wrong_label"] == round(0.15 * kinds[None] / 0.8)
        assert kinds["no_solution"] == round(0.05 * kinds[None] / 0.8)


def test_the_same_inputs_make_the_same_pack_and_another_seed_another():
    one, again = (small_sketch.__wrapped__() for _ in range(2))
    assert one.pack_id == again.pack_id
    assert one.pack_id.startswith("sketch-")
    other = sketch(protocol_of(seed=2), SketchRates(images=60, system_error=0.25))
    assert other.pack_id != one.pack_id


def test_an_image_loses_its_metadata_and_keeps_its_shape():
    photo = Image.new("RGB", (40, 20), (200, 10, 10))
    exif = photo.getexif()
    exif[0x010E] = "taken by somebody at home"
    stream = io.BytesIO()
    photo.save(stream, "JPEG", exif=exif, comment=b"somebody")
    data = framed(Image.open(io.BytesIO(stream.getvalue())), 64, (30, 30, 30))
    assert b"somebody" not in data
    opened = Image.open(io.BytesIO(data))
    assert not opened.info
    assert not opened.getexif()
    pixels = pixels_of(data, "here")
    assert pixels.shape == (64, 64, 3)
    assert (pixels[:16] == 30).all()
    assert (pixels[48:] == 30).all()
    assert pixels[32, :, 0].min() > 150


def test_files_of_one_length_show_the_same_pixels():
    short, long = (framed(image, 32, (0, 0, 0)) for image in (
        Image.new("RGB", (8, 8)), Image.effect_noise((32, 32), 80),
    ))  # fmt: skip
    filled = of_one_length({"a": short, "b": long})
    assert len(filled["a"]) == len(filled["b"]) == len(long)
    assert (pixels_of(filled["a"], "a") == pixels_of(short, "a")).all()


def test_s_abstains_below_the_protocols_confidence():
    answers = {"a": (Answer("x", 0.4), Answer("y", 0.3)), "b": (Answer("x", 0.5),)}
    silenced = abstaining(answers, 0.5)
    assert [silenced[item][0].label for item in "ab"] == [NO_SOLUTION, "x"]
    assert abstaining(answers, 0.0) == answers
    with pytest.raises(UserError, match="confidence on c isn't known"):
        abstaining({"c": (Answer("x", None),)}, 0.5)


def test_labels_come_with_words_in_each_language():
    tasks = tasks_of(40)
    names = {("c0", ""): "cat", ("c0", "de"): "Katze", ("c1", ""): "dog"}
    changed = type(tasks)(
        tasks.labels, tasks.answers, tasks.pictures, names, tasks.system_id, tasks.expert_id
    )
    files = compose_solutions(protocol_of(), changed)
    rows = list(csv.DictReader(io.StringIO(files["labels.csv"].decode())))
    assert [(r["label"], r["language"], r["name"]) for r in rows][:3] == [
        ("c0", "", "cat"), ("c0", "de", "Katze"), ("c1", "", "dog"),
    ]  # fmt: skip
    assert tuple(rows[0]) == LABELS.names


def practised(pack):
    return [row for rows in shown_in(pack).values() for row in rows if row["run"] != 1]


@pytest.mark.parametrize("wrong_every", [3, 2])
def test_practice_calls_right_only_labels_that_s_gives_too(wrong_every):
    """Feedback calls decisions wrong: whether a label fits must be beyond doubt."""
    tasks = tasks_of(60, wrong_every=wrong_every)
    said = {item: answers[0].label for item, answers in tasks.answers.items()}
    rows = practised(pack_of(60, wrong_every=wrong_every))
    right = [row for row in rows if row["shown_label"] == row["true_label"]]
    assert 2 * len(right) == len(rows)
    assert all(said[row["item"]] == row["shown_label"] for row in right)


def test_key_and_item_table_say_that_labels_were_taken_over():
    pack = pack_of(40)
    made = {(row["solver"], row["solver_origin"], row["solver_origin_note"])
            for row in pack.table(KEY)}  # fmt: skip
    assert made == {
        ("S", "network", "net"), ("E", "imported", "greys"), ("control", None, None),
    }  # fmt: skip
    assert {row["expert_origin"] for row in pack.table(ITEM_TABLE)} == {"imported"}
