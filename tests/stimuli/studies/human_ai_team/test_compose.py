"""Composing: the same material makes the same pack, what is shown is what was given."""

import io
from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from stimuli.errors import UserError
from stimuli.maps.origin import NETWORK, RESPONSE_MODEL, Origin
from stimuli.pack import Pack
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import protocol_hash
from stimuli.studies.human_ai_team import tables
from stimuli.studies.human_ai_team.compose import compose
from stimuli.studies.human_ai_team.fitting import check
from stimuli.studies.human_ai_team.material import bin_name, shown_percent
from stimuli.studies.human_ai_team.sketch import sketch_material
from stimuli.study import simulated_people
from tests.stimuli.studies.human_ai_team.small import protocol_of, small_material, with_case

SIDE = 28
ALL_ARMS = ("confidence", "human_alone", "gradcam", "our_maps", "nearest_neighbours", "text")


def pack_of(protocol, material) -> Pack:
    return pack_in_memory(
        protocol, protocol_hash(protocol), "solutions", compose(protocol, material)
    )


@pytest.fixture(scope="module")
def protocol():
    return protocol_of(help={"arms": list(ALL_ARMS)})


@pytest.fixture(scope="module")
def material(protocol):
    return sketch_material(protocol)


@pytest.fixture(scope="module")
def pack(protocol, material):
    return pack_of(protocol, material)


def pixels(data: bytes) -> np.ndarray:
    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(image)


def test_every_image_is_shown_as_it_was_given(pack, material):
    """Image, label, confidence and truth of each, by what the key says it is."""
    cases = {case.item: case for case in material.cases}
    key = {row["presentation"]: row for row in pack.table(tables.KEY)}
    shown = pack.table(tables.ITEMS)
    assert len(shown) == len(cases) == len(key)
    for row in shown:
        truth = key[row["presentation"]]
        case = cases[truth["item"]]
        assert (pixels(pack.asset(row["image_file"])) == pixels(case.image)).all()
        assert row["shown_label"] == case.predicted_label
        assert row["confidence_percent"] == shown_percent(case.confidence)
        assert truth["confidence"] == case.confidence
        assert truth["ai_correct"] == (case.true_label == case.predicted_label)
        assert truth["swapped"] is False
        assert tuple(map(int, truth["box"].split(";"))) == case.box


def test_each_arm_has_its_own_help_and_no_other(pack, material):
    item_of = {row["presentation"]: row["item"] for row in pack.table(tables.KEY)}
    found = defaultdict(list)
    for row in pack.table(tables.HELPS):
        found[item_of[row["presentation"]], row["arm"]].append(row)
    for item in item_of.values():
        assert not found[item, "confidence"] + found[item, "human_alone"]
        for arm in ("gradcam", "our_maps"):
            (row,) = found[item, arm]
            codes = pixels(pack.asset(row["help_file"]))
            assert codes.dtype == np.uint8
            assert np.abs(codes / 255 - material.heatmaps[arm][item]).max() <= 0.5 / 255 + 1e-6
        examples = found[item, "nearest_neighbours"]
        assert [row["place"] for row in examples] == [1, 2, 3]
        for row, given in zip(examples, material.examples[item], strict=True):
            assert (pixels(pack.asset(row["help_file"])) == pixels(given)).all()
        texts = {row["language"]: row["help_text"] for row in found[item, "text"]}
        assert texts == {
            None: material.texts["text"][item, ""],
            "de": material.texts["text"][item, "de"],
        }


def test_main_trials_fill_the_bins_and_the_pack_says_how_far_the_source_did(pack, protocol):
    bins = Counter(
        bin_name(row["level"], row["ai_correct"], row["adversarial"])
        for row in pack.table(tables.KEY)
        if row["role"] == "main"
    )
    told = {row["bin"]: row for row in pack.table(tables.AVAILABLE)}
    assert bins == {name: row["used"] for name, row in told.items()}
    assert {row["found"] for row in told.values()} == {2 * protocol.bins.per_bin}
    weights = [row["weight"] for row in told.values()]
    assert sum(weights[:6]) == pytest.approx(1)
    assert weights[6:] == [None] * 3


def test_the_same_material_in_any_order_makes_the_same_pack(pack, protocol, material):
    turned = replace(
        material,
        main=material.main[::-1],
        validation=material.validation[::-1],
        practice=material.practice[::-1],
        heatmaps=dict(reversed(material.heatmaps.items())),
        ai=material.ai[::-1],
    )
    assert pack_of(protocol, turned).pack_id == pack.pack_id
    other = protocol.model_copy(update={"seed": 2})
    assert not set(named(pack)) & set(named(pack_of(other, material)))


def named(pack):
    return [row["presentation"] for row in pack.table(tables.ITEMS)]


def test_a_pack_counts_blank_maps_and_images_that_an_arm_could_not_show(protocol, material, pack):
    rows = {row["arm"]: row for row in pack.table(tables.ARM_COUNTS)}
    assert (rows["gradcam"]["blank_maps"], rows["nearest_neighbours"]["passed_over"]) == (0, 0)
    blank = [case.item for case in (*material.main[:3], *material.practice[:1])]
    nothing = dict.fromkeys(blank, np.zeros((SIDE, SIDE), np.float32))
    maps = {**material.heatmaps, "gradcam": {**material.heatmaps["gradcam"], **nothing}}
    changed = replace(material, heatmaps=maps, passed_over={"nearest_neighbours": 7}, learned=True)
    rows = {row["arm"]: row for row in pack_of(protocol, changed).table(tables.ARM_COUNTS)}
    counts = ("blank_maps", "passed_over", "examples_learned")
    assert {arm: tuple(row[name] for name in counts) for arm, row in rows.items()} == {
        "confidence": (None, 0, None),
        "human_alone": (None, 0, None),
        "gradcam": (3, 0, None),
        "our_maps": (0, 0, None),
        "nearest_neighbours": (None, 7, True),
        "text": (None, 0, None),
    }


def test_maps_that_robots_drew_are_said_to_be_simulated(protocol, material, pack):
    assert simulated_people(pack) == ""
    origins = {"gradcam": Origin(NETWORK, "a"), "our_maps": Origin(RESPONSE_MODEL, "robot")}
    drawn = pack_of(protocol, replace(material, origins=origins))
    assert simulated_people(drawn) == "the maps of arm our_maps come from response models (robot)"


def bare_png(side, mode="RGB"):
    stream = io.BytesIO()
    Image.new(mode, (side, side)).save(stream, "PNG")
    return stream.getvalue()


def dated_png():
    stream = io.BytesIO()
    Image.new("RGB", (SIDE, SIDE)).save(stream, "PNG", dpi=(72, 72))
    return stream.getvalue()


def without(mapping, key):
    return {name: value for name, value in mapping.items() if name != key}


def first_map(material, values):
    item = material.main[0].item
    own = material.heatmaps["gradcam"]
    return replace(material, heatmaps={**material.heatmaps, "gradcam": {**own, item: values}})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda m: replace(m, main=m.main[1:]), "bin right_easy: 1 images.*per_bin is 2.*lower"),
        (lambda m: replace(m, main=m.main[:-1]), "bin adversarial_hard.*adversarial_per_level"),
        (lambda m: replace(m, practice=[]), "0 practice images, but session.practice_trials is 2"),
        (lambda m: replace(m, validation=m.main[:4]), "AI is right on 4 validation images"),
        (lambda m: replace(m, practice=m.main[:2]), "occurs twice"),
        (lambda m: with_case(m, confidence=0.35), "is in no bin"),
        (lambda m: with_case(m, adversarial=True), "is in no bin"),
        (lambda m: with_case(m, image=b"none"), "is not an image"),
        (lambda m: with_case(m, image=bare_png(27)), "not a bare RGB PNG of 28×28"),
        (lambda m: with_case(m, image=bare_png(28, "L")), "not a bare RGB PNG"),
        (lambda m: with_case(m, image=dated_png()), "with .*dpi.* beside its pixels"),
        (lambda m: with_case(m, box=(0, 0, 29, 5)), "is none within 28×28"),
        (lambda m: replace(m, heatmaps=without(m.heatmaps, "gradcam")), "has no map of gradcam"),
        (lambda m: first_map(m, np.zeros((28, 27), np.float32)), "not finite and 28×28"),
        (lambda m: first_map(m, np.full((28, 28), 1.5, np.float32)), "beyond 0…1"),
        (lambda m: replace(m, examples=without(m.examples, m.main[0].item)), "0 examples, but"),
        (lambda m: with_case(m, image=m.samples["disc"][0]), "is judged, and shown as an example"),
    ],
)
def test_material_that_does_not_fit_is_refused_with_what_is_wrong(change, words):
    with pytest.raises(UserError, match=words):
        check(protocol_of(), change(small_material()))


def test_a_text_is_needed_in_every_language_or_for_any(protocol, material):
    item = material.main[0].item
    german_alone = without(material.texts["text"], (item, ""))
    with pytest.raises(UserError, match="has no text in en or de"):
        check(protocol, replace(material, texts={"text": german_alone}))
    check(protocol, replace(material, texts={"text": {**german_alone, (item, "en"): "in English"}}))
