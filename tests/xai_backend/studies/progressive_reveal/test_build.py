"""progressive_reveal packs from nothing but digits, whatever happens on the way."""

import contextlib
import io
import json
import shutil
import sys
from collections import Counter

import numpy as np
import pytest
import torch
from PIL import Image

from stimuli.deviations import differences
from stimuli.images.digits import load_digits
from stimuli.images.filters import resampled
from stimuli.pack import open_pack
from stimuli.studies.progressive_reveal.reveal import uncovered
from stimuli.studies.progressive_reveal.study import METHODS_FILE
from stimuli.studies.progressive_reveal.tables import (
    CLASSES,
    CURVES,
    ITEM_TABLE,
    ITEMS,
    KEY,
    LISTS,
    METRICS,
)
from stimuli.study import simulated_people
from stimuli.workers import Workers
from tests.xai_backend.studies.progressive_reveal.reveal_packs import written
from xai_backend import cli
from xai_backend.explain import answering
from xai_backend.explain.answering import classifier_at_hand
from xai_backend.methods import method_of
from xai_backend.metrics.perturbation import blackened, faithfulness
from xai_backend.models import picture_cnn
from xai_backend.models.frame import InputFrame, in_frame
from xai_backend.models.image_model import as_images
from xai_backend.progress import Silent
from xai_backend.studies.progressive_reveal.build import build, gather
from xai_backend.studies.progressive_reveal.protocol import fitted_line, resolved, with_differences
from xai_backend.studies.progressive_reveal.request import RevealRequest

FEW_DIGITS = 60


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A pack of digits from nothing, in a lab of its own: lab, protocol, what was printed."""
    lab = tmp_path_factory.mktemp("lab")
    protocol = written(lab)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLAINSIGHT_LAB", str(lab))
        patch.setattr(picture_cnn, "LEARNT_FROM", FEW_DIGITS)
        printed = _printed(patch, "--protocol", protocol, "--out", lab / "pack")
    return lab, protocol, printed


def _printed(patch, *options):
    stream = io.StringIO()
    patch.setattr(sys, "stdout", stream)
    assert cli.main(["build", "progressive_reveal", *map(str, options), "--json"]) == 0
    return json.loads(stream.getvalue())


def _pixels(pack, path):
    return np.asarray(Image.open(io.BytesIO(pack.asset(path))))


def test_from_nothing_comes_a_sealed_pack_of_all_methods(built):
    lab, _, printed = built
    pack = open_pack(lab / "pack", "solutions")
    assert pack.pack_id == printed["pack_id"]
    assert (printed["images"], printed["presentations"]) == (6, 24)
    key = {row["presentation"]: row for row in pack.table(KEY)}
    shown = {row["presentation"] for row in pack.table(ITEMS)}
    assert shown == set(key)
    mains = [row for row in pack.table(ITEM_TABLE) if row["use"] == "main"]
    assert Counter(row["method"] for row in mains) == dict.fromkeys(
        ["human", "lrp", "occlusion", "protopnet"], 6
    )
    for method, count in printed["blank"].items():
        assert count == sum(r["final_pixels"] == 0 for r in mains if r["method"] == method)
    for method, count in printed["right"].items():
        assert count == sum(r["model_class"] == r["class"] for r in mains if r["method"] == method)
    assert sum(row["use"] == "practice" for row in pack.table(ITEM_TABLE)) == 2 * 4
    for row in pack.table(LISTS):
        assert row["presentation"] in shown
    words = {(row["class"], row["language"]): row["name"] for row in pack.table(CLASSES)}
    assert len(words) == 6
    assert all(words[digit, "de"] != words[digit, None] for digit in {c for c, _ in words})


def test_the_steps_uncover_what_the_maps_say_and_curves_tell_it(built, found):
    pack = open_pack(built[0] / "pack")
    key = {row["presentation"]: row for row in pack.table(KEY)}
    told = {(r["item"], r["method"], r["step"]): r["pixels"] for r in pack.table(CURVES)}
    for row in pack.table(ITEMS):
        one = key[row["presentation"]]
        steps = _pixels(pack, row["steps_file"])
        relevance = resampled(found.by_method[one["method"]].maps[one["item"]], 64)
        relevance = relevance.astype(np.float32)
        counts = [int(uncovered(steps, k).sum()) for k in range(1, 16)]
        assert counts == [told[one["item"], one["method"], k] for k in range(1, 16)]
        assert counts[-1] == one["final_pixels"]
        seen, hidden = relevance[uncovered(steps, 15)], relevance[steps == 0]
        assert (seen > 0).all()
        assert hidden.max() <= seen.min(initial=np.inf)
        assert (hidden.max() <= 0) or not one["ran_out"]
        picture = _pixels(pack, row["image_file"])
        assert picture.shape == (64, 64, 3)


@pytest.fixture(scope="module")
def found(built):
    """What the pack was made of, from the same lab's cache."""
    lab, protocol, _ = built
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLAINSIGHT_LAB", str(lab))
        patch.setattr(picture_cnn, "LEARNT_FROM", FEW_DIGITS)
        return gather(RevealRequest(protocol, out=lab / "none"), Silent())


def test_what_is_explained_is_the_true_class_whatever_the_network_says(built, found):
    """Occlusion by itself, on the picture that people see, of the class that they are asked for."""
    lab, *_ = built
    (weights,) = (lab / "cache" / "checkpoints").glob("picture_cnn-*.safetensors")
    plain = classifier_at_hand("picture_cnn", str(weights), "cpu")
    mapped = found.by_method["occlusion"]
    for picture in found.material.pictures:
        codes = torch.from_numpy(in_frame(picture.image, InputFrame(56, 56))[None].copy())
        target = torch.tensor([int(picture.class_id)])
        method = method_of("occlusion", {"patch_px": 14, "stride_px": 14})
        alone = method.explain(plain.model, as_images(codes), target).numpy()[0]
        np.testing.assert_array_equal(mapped.maps[picture.item], alone)
        with torch.no_grad():
            shares = plain.model(as_images(codes)).double().softmax(dim=1)[0]
        answer = mapped.answers[picture.item]
        assert answer.class_id == str(int(shares.argmax()))
        assert answer.target_probability == pytest.approx(float(shares[target]), abs=1e-5)


def test_metrics_of_the_networks_maps_are_beside_what_a_pack_has_without(built, found):
    lab, protocol, _ = built
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLAINSIGHT_LAB", str(lab))
        patch.setattr(picture_cnn, "LEARNT_FROM", FEW_DIGITS)
        _printed(patch, "--protocol", protocol, "--out", lab / "measured", "--metrics")
    measured, pack = open_pack(lab / "measured"), open_pack(lab / "pack")
    assert {
        name: sha for name, sha in measured.manifest.files.items() if name != "metrics.csv"
    } == (pack.manifest.files)
    rows = {(row["item"], row["method"]): row for row in measured.table(METRICS)}
    mapped = {picture.item for picture in found.material.mapped}
    assert set(rows) == {
        (one, name) for one in mapped for name in ("lrp", "occlusion", "protopnet")
    }
    picture = found.material.main[0]
    (weights,) = (lab / "cache" / "checkpoints").glob("picture_cnn-*.safetensors")
    plain = classifier_at_hand("picture_cnn", str(weights), "cpu")
    codes = torch.from_numpy(in_frame(picture.image, InputFrame(56, 56))[None].copy())
    answer = blackened(plain.model, as_images(codes)[0], int(picture.class_id))
    scores = faithfulness(answer, found.by_method["lrp"].maps[picture.item])
    assert {name: rows[picture.item, "lrp"][name] for name in scores} == pytest.approx(scores)


def test_simulated_maps_are_named_so_wherever_the_pack_goes(built):
    lab, _, printed = built
    told = "the human maps come from response models (2 bubblers an image)"
    assert printed["simulated"] == simulated_people(open_pack(lab / "pack")) == told
    methods = json.loads(open_pack(lab / "pack").asset(METHODS_FILE))
    assert methods["human"]["origin"] == "response_model"
    assert methods["lrp"]["origin"] == "network"
    assert methods["protopnet"]["network"] == "protopnet"
    assert methods["lrp"]["weights_sha256"] != methods["protopnet"]["weights_sha256"]
    provenance = json.loads((lab / "pack" / "provenance.json").read_text(encoding="utf-8"))
    assert provenance["methods"] == methods
    shown = (lab / "pack" / "items.csv").read_text(encoding="utf-8")
    assert "uci" not in shown
    assert not any(method in shown for method in methods)


def test_a_second_build_computes_nothing_and_is_the_same(built, monkeypatch):
    lab, protocol, printed = built
    monkeypatch.setenv("PLAINSIGHT_LAB", str(lab))
    monkeypatch.setattr(picture_cnn, "LEARNT_FROM", FEW_DIGITS)
    monkeypatch.setattr("xai_backend.models.picture_cnn.train_pictures", None)
    monkeypatch.setattr("xai_backend.protopnet.storage.train_protopnet", None)
    monkeypatch.setattr("xai_backend.explain.answering.logits_of", None)
    monkeypatch.setattr("xai_backend.methods.occlusion.Occlusion.explain", None)
    again = _printed(monkeypatch, "--protocol", protocol, "--out", lab / "pack")
    assert again == printed
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    options = ["--protocol", str(protocol), "--seed", "2", "--out", str(lab / "pack")]
    assert cli.main(["build", "progressive_reveal", *options]) == 2
    assert "contains another pack" in sys.stderr.getvalue()


def test_stopped_among_the_maps_it_computes_only_the_rest(built, tmp_path, monkeypatch):
    """Cold results in another lab; every third batch of a life is its last."""
    lab, protocol, printed = built
    shutil.copytree(lab / "cache" / "checkpoints", tmp_path / "cache" / "checkpoints")
    monkeypatch.setenv("PLAINSIGHT_LAB", str(tmp_path))
    monkeypatch.setattr(picture_cnn, "LEARNT_FROM", FEW_DIGITS)
    compute, begun, lives = answering._values, [], 0

    def stopped_now_and_then(loaded, batch, execution):
        begun.extend(batch.keys)
        if len(begun_in_life) == 2:
            raise KeyboardInterrupt
        begun_in_life.append(batch.keys)
        return compute(loaded, batch, execution)

    monkeypatch.setattr(answering, "_values", stopped_now_and_then)
    request = RevealRequest(protocol, out=tmp_path / "pack", workers=Workers(here=True))
    made = None
    while made is None:
        begun_in_life, lives = [], lives + 1
        with contextlib.suppress(KeyboardInterrupt):
            made = build(request, Silent())
    assert made.pack_id == printed["pack_id"]
    assert lives > 2
    stopped = Counter(begun).total() - len(set(begun))
    assert stopped <= (lives - 1) * 16


def test_defaults_are_fitted_to_ten_digits_and_a_file_is_left_as_it_is(tmp_path):
    digits = load_digits("uci")
    own = resolved(None, 7, None, digits)
    assert (own.images.classes, own.images.images_per_class, own.rounds) == (10, 6, 60)
    assert (own.system.network, own.system.patch_px, own.system.stride_px) == ("picture_cnn", 8, 2)
    assert own.seed == 7
    assert fitted_line(own).startswith("digits: 10 classes × 6 images, 3 sittings of 20 rounds")
    given = resolved(written(tmp_path), None, None, digits)
    assert (given.system.network, given.system.patch_px) == ("picture_cnn", 14)
    assert given.training.channels == 8
    photographs = resolved(written(tmp_path), None, "vgg16", None)
    assert (photographs.system.network, photographs.system.patch_px) == ("vgg16", 14)


def test_what_digits_need_is_stated_by_the_build_and_not_as_the_labs_setting():
    """The page said of the digits' network and training that the lab's protocol sets them."""
    digits = load_digits("uci")
    protocol = with_differences(resolved(None, None, None, digits), RevealRequest(), None)
    stated = {(one.field, one.whose) for one in differences(protocol)}
    assert {("system.network", "build"), ("training", "build")} <= stated
    assert not any(field.startswith("training.") for field, _ in stated)
