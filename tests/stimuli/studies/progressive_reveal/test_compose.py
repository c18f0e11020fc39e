"""What a pack promises: files that hold the schedules, opaque ids, one identity."""

import dataclasses
import io
import math

import numpy as np
import pytest
from PIL import Image

from stimuli.errors import UserError
from stimuli.images.filters import resampled
from stimuli.protocol import load_protocol
from stimuli.studies.progressive_reveal.compose import compose
from stimuli.studies.progressive_reveal.protocol import NO_METHOD
from stimuli.studies.progressive_reveal.reveal import TINTED, uncovered
from stimuli.studies.progressive_reveal.sketch import SHAPES, sketch, sketch_material
from stimuli.studies.progressive_reveal.tables import (
    CATCH_KINDS,
    CLASSES,
    CURVES,
    FRAGMENTS,
    ITEM_TABLE,
    ITEMS,
    KEY,
    against_file,
)
from tests.stimuli.studies.progressive_reveal.small import protocol_of, shown_in, small_sketch


def pixels_of(data: bytes) -> np.ndarray:
    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(image)


def curves_of(pack) -> dict:
    found = {}
    for row in pack.table(CURVES):
        found.setdefault((row["item"], row["method"]), []).append(row)
    return found


def test_a_steps_file_is_the_schedule_and_the_tables_count_it():
    pack = small_sketch()
    curves = curves_of(pack)
    key = {row["presentation"]: row for row in pack.table(KEY)}
    for row in pack.table(ITEMS):
        step_of, image = (pixels_of(pack.asset(row[at])) for at in ("steps_file", "image_file"))
        assert (step_of.shape, step_of.dtype) == ((32, 32), np.uint8)
        assert image.shape == (32, 32, 3)
        truth = key[row["presentation"]]
        rows = curves[truth["item"], truth["method"]]
        assert [one["step"] for one in rows] == list(range(1, 16))
        assert [one["pixels"] for one in rows] == [
            int(uncovered(step_of, step).sum()) for step in range(1, 16)
        ]
        assert truth["final_pixels"] == rows[-1]["pixels"]


@pytest.mark.slow
def test_peoples_maps_are_uncovered_in_parts_as_few_as_occlusions():
    """Else texture and method are one: by the hash alone people's maps fall into many dots."""

    def of(method, **reveal):
        rows = sketch(protocol_of(images={"size_px": 128}, reveal=reveal)).table(FRAGMENTS)
        own = [row for row in rows if row["method"] == method]
        return np.array([[row["fragments"], row["small_fragments"]] for row in own]).mean(axis=0)

    human, occlusion = of("human"), of("occlusion")
    assert human[0] <= 2 * occlusion[0]
    assert human[1] < 1
    assert of("human", ties="hash")[0] > 1.5 * human[0]


def test_final_counts_are_those_of_the_rules():
    """A tenth, or the people's count where that is more, step by step; a sixth."""
    curves = curves_of(small_sketch())
    tenth, sixth = math.floor(0.1 * 32**2), 32**2 // 6
    followed = set()
    for item in {item for item, _ in curves}:
        pixels = {
            method: [row["pixels"] for row in curves[item, method]]
            for method in ("human", "lrp", "occlusion", "protopnet")
        }
        more = pixels["human"][-1] > tenth
        followed.add(more)
        equal = pixels["human"] if more else [math.ceil(k * tenth / 15) for k in range(1, 16)]
        assert pixels["lrp"] == pixels["occlusion"] == equal
        assert pixels["protopnet"] == [math.ceil(k * sixth / 15) for k in range(1, 16)]
    assert followed == {True, False}


def test_pixels_are_uncovered_in_the_maps_order():
    protocol = protocol_of()
    material = sketch_material(protocol)
    pack = small_sketch()
    shown = {row["presentation"]: row for row in pack.table(ITEMS)}
    for row in pack.table(KEY):
        step_of = pixels_of(pack.asset(shown[row["presentation"]]["steps_file"]))
        relevance = resampled(material.methods[row["method"]].maps[row["item"]], 32)
        last = math.inf
        for step in range(1, 16):
            now = relevance[step_of == step]
            assert now.size == 0 or now.max() <= last
            last = now.min() if now.size else last
        assert step_of[relevance <= 0].max(initial=0) == 0
        assert relevance[step_of == 0].max() <= last


def test_the_item_table_tells_of_the_model_and_of_likeness():
    rows = small_sketch().table(ITEM_TABLE)
    assert len(rows) == 4 * (12 + 2)
    assert {row["use"] for row in rows} == {"main", "practice"}
    for row in rows:
        assert row["image_pixels"] == 1024
        people = row["method"] == "human"
        assert (row["human_correlation"] is None) == people
        assert (row["model_class"] is None) == people
        assert people or row["model_correct"] == (row["model_class"] == row["class"])
    last = {
        place: found[-1]["human_correlation"] for place, found in curves_of(small_sketch()).items()
    }
    assert last == {(row["item"], row["method"]): row["human_correlation"] for row in rows}


def test_without_a_known_figure_the_peoples_relevance_stands_for_it():
    protocol = protocol_of()
    material = sketch_material(protocol)
    bare = dataclasses.replace(
        material,
        main=[dataclasses.replace(one, figure=None) for one in material.main],
        practice=[dataclasses.replace(one, figure=None) for one in material.practice],
    )
    rows = CURVES.from_csv(compose(protocol, bare)["curves.csv"], "curves.csv")
    people = [row for row in rows if row["method"] == "human" and row["step"] == 15]
    assert [row["object_share"] for row in people] == pytest.approx([1.0] * len(people))


def test_a_study_without_human_maps_has_no_likeness_and_follows_nobody():
    changes = {"methods": ["lrp", "protopnet"], "reference": "none"}
    protocol = protocol_of(reveal=changes, analysis={"reference": "lrp"})
    pack = sketch(protocol)
    for (_, method), rows in curves_of(pack).items():
        assert all(row["human_correlation"] is None for row in rows)
        assert rows[-1]["pixels"] == {"lrp": 102, "protopnet": 170}[method]


def test_nothing_that_is_shown_tells_method_or_class():
    pack = small_sketch()
    rows = pack.table(ITEMS)
    key = {row["presentation"]: row for row in pack.table(KEY)}
    assert [row["presentation"] for row in rows] == sorted(key)
    names = {*SHAPES, "human", "lrp", "occlusion", "protopnet"}
    for row in rows:
        assert not any(name in str(value) for value in row.values() for name in names)
        with Image.open(io.BytesIO(pack.asset(row["image_file"]))) as image:
            assert not image.info
    images = {}
    for row in rows:
        images.setdefault(key[row["presentation"]]["item"], set()).add(row["image_file"])
    assert all(len(files) == 1 for files in images.values())
    assert {row["prototype_file"] for row in rows} == {None}


def test_the_same_inputs_make_the_same_pack_and_another_seed_another():
    again = sketch(protocol_of())
    assert again.pack_id == small_sketch().pack_id
    assert again.pack_id.startswith("sketch-")
    other = protocol_of().model_copy(update={"seed": 2})
    assert sketch(other).pack_id != again.pack_id


def test_a_prototype_is_beside_the_image_where_the_protocol_says_so():
    pack = sketch(protocol_of(reveal={"prototype_beside": True}))
    key = {row["presentation"]: row for row in pack.table(KEY)}
    for row in pack.table(ITEMS):
        own = key[row["presentation"]]["method"] == "protopnet"
        assert (row["prototype_file"] is not None) == own
        if own:
            assert pixels_of(pack.asset(row["prototype_file"])).shape == (9, 9, 3)


def test_evidence_against_the_class_is_in_the_file_and_tinted_where_it_is_marked():
    def last_of(polarity):
        pack = sketch(protocol_of(reveal={"polarity": polarity}))
        key = {row["presentation"]: row for row in pack.table(KEY)}
        return {
            (key[row["presentation"]]["item"], key[row["presentation"]]["method"]): pixels_of(
                pack.asset(row["steps_file"])
            )
            for row in pack.table(ITEMS)
        }

    absolute, marked = last_of("absolute"), last_of("absolute_marked")
    tinted = {method: 0 for _, method in marked}
    for place, step_of in marked.items():
        assert (step_of % TINTED == absolute[place]).all()
        tinted[place[1]] += int((step_of >= TINTED).sum())
    assert tinted["lrp"] > 0
    assert tinted["human"] == tinted["protopnet"] == 0


def test_what_speaks_against_the_class_has_a_window_of_its_own():
    """As many pixels as what speaks for it, as long as there are some; people's maps have none."""
    protocol = protocol_of(reveal={"polarity": "negative_beside"})
    pack, usual = sketch(protocol), small_sketch()
    material = sketch_material(protocol)
    shown = {row["presentation"]: row for row in pack.table(ITEMS)}
    beside = set()
    for truth in pack.table(KEY):
        name = truth["presentation"]
        relevance = resampled(material.methods[truth["method"]].maps[truth["item"]], 32)
        step_of = pixels_of(pack.asset(shown[name]["steps_file"]))
        assert step_of.max() < TINTED
        assert (against_file(name) in pack.manifest.files) == (relevance < 0).any()
        if (relevance < 0).any():
            beside.add(truth["method"])
            against = pixels_of(pack.asset(against_file(name)))
            assert (relevance[against > 0] < 0).all()
            there = int((relevance < 0).sum())
            for step in (1, 7, 15):
                wanted = uncovered(step_of, step).sum()
                assert uncovered(against, step).sum() == min(wanted, there)
    assert beside == {"lrp", "occlusion"}
    assert pack.table(CURVES) == usual.table(CURVES)


def wrong_material(kind: str):
    protocol = protocol_of()
    material = sketch_material(protocol)
    first, *rest = material.main
    human = material.methods["human"]
    changes = {
        "too few": {"main": rest},
        "no practice": {"practice": material.practice[:1]},
        "twice": {"practice": [material.practice[0], first]},
        "strange": {
            "practice": [material.practice[0], dataclasses.replace(first, item="x", class_id="y")]
        },
        "size": {"main": [dataclasses.replace(first, image=first.image[:16]), *rest]},
        "no map": {
            "methods": {**material.methods, "human": dataclasses.replace(human, maps={})}
        },
        "blank": {
            "methods": {
                **material.methods,
                "human": dataclasses.replace(
                    human, maps={item: np.zeros((4, 4)) for item in human.maps}
                ),
            }
        },
    }  # fmt: skip
    return dataclasses.replace(material, **changes[kind])


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("too few", "2 main images, but images.images_per_class is 3"),
        ("no practice", "1 practice images, but session.practice_rounds is 2"),
        ("twice", "occurs twice"),
        ("strange", "class y: of no main image"),
        ("size", "not 8-bit RGB of images.size_px 32"),
        ("no map", "has no map of method human"),
        ("blank", "the map of human is blank"),
    ],
)
def test_material_that_makes_no_pack_is_refused(kind, words):
    with pytest.raises(UserError, match=words):
        compose(protocol_of(), wrong_material(kind))


@pytest.mark.slow
def test_the_published_design_at_full_size():
    """102 images of 17 classes by four methods in 24 lists, and catch rounds; counts by rule."""
    protocol = load_protocol("progressive_reveal")
    pack, catch = sketch(protocol), protocol.session.catch_rounds
    assert len(pack.table(KEY)) == 4 * (102 + 2) + len(CATCH_KINDS) * catch
    assert len({row["class"] for row in pack.table(CLASSES)}) == 17
    lists = shown_in(pack)
    assert len(lists) == 24
    for rows in lists.values():
        assert len({row["item"] for row in rows if row["sitting"] > 0}) == 102 + catch
    curves = curves_of(pack)
    shown = [pair for pair in curves if not pair[1].startswith(NO_METHOD)]
    for item, method in shown:
        pixels = [row["pixels"] for row in curves[item, method]]
        people = curves[item, "human"][-1]["pixels"]
        final = {"human": people, "protopnet": 10922}.get(method, max(6553, people))
        assert pixels == [math.ceil(k * final / 15) for k in range(1, 16)]
    more = [curves[item, "human"][-1]["pixels"] > 6553 for item, _ in shown]
    assert 0.1 < np.mean(more) < 0.9
