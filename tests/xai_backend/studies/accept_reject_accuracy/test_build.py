"""Accuracy packs from image files: by predictions, by a network, and the paper's identity."""

import csv
import json
from dataclasses import replace
from pathlib import Path
from statistics import median

import numpy as np
import pytest
from PIL import Image

from analysis.options import AnalyseOptions
from analysis.read_results import read_results
from analysis.run import run_analysis
from analysis.studies.accept_reject_accuracy.quantities import ACC_L, ACCEPTED, IMAGES
from analysis.studies.accept_reject_accuracy.questions.accuracy import ACCURACY
from participants.folder import DataFolder
from participants.simulate.run import simulate
from stimuli.errors import UserError
from stimuli.images.digits import digit_name, load_digits
from stimuli.images.sets import NO_SOLUTION
from stimuli.pack import open_pack
from stimuli.studies.accept_reject.origins import arms_of
from stimuli.studies.accept_reject.tables import ITEM_TABLE, LISTS
from stimuli.studies.accept_reject_accuracy.tables import LABELS
from stimuli.workers import Workers
from tests.analysis.formats import without_drawings
from tests.xai_backend.given import real_data, write_rows
from xai_backend.progress import Silent
from xai_backend.studies.accept_reject_accuracy import classify as own
from xai_backend.studies.accept_reject_accuracy.build import build
from xai_backend.studies.accept_reject_accuracy.request import AccuracyRequest

PROTOCOL = """\
schema = "protocol/1.0"
study = "accept_reject"
assessment = "accuracy"
name = "small"
[images]
size_px = 64
[solutions]
most_trials = 30
practice_trials = 4
[analysis]
replicates = 300
"""
COUNT, FEW = 50, 100


@pytest.fixture(scope="module")
def digits(tmp_path_factory):
    """Embedded digits as image files in a folder a class, and a classifier's answers to them."""
    folder = tmp_path_factory.mktemp("digits")
    (folder / "own.toml").write_text(PROTOCOL, encoding="utf-8")
    known = load_digits("uci")
    means = np.stack([known.images[known.train_indices][known.labels[known.train_indices] == d]
                      .mean(axis=0) for d in range(10)])  # fmt: skip
    answers = []
    for index in known.held_out_indices[:COUNT]:
        image, label = known.images[index], known.labels[index]
        place = folder / "set" / f"digit {label}"
        place.mkdir(parents=True, exist_ok=True)
        grey = Image.fromarray(np.rint(255 * image).astype(np.uint8))
        grey.save(place / f"{index}.png")
        near = np.exp(-((means - image) ** 2).sum(axis=(1, 2)))
        said = int(near.argmax())
        confidence = near[said] / near.sum()
        answers.append(
            {"image": f"{index}.png", "label": f"digit {said}", "confidence": confidence}
        )
    write_rows(folder / "answers.csv", answers)
    return folder


def request_of(folder, **changes):
    fields = {
        "protocol_file": folder / "own.toml",
        "source": str(folder / "set"),
        "predictions": folder / "answers.csv",
        "out": folder / "pack",
    }
    return AccuracyRequest(**{**fields, **changes})


@pytest.fixture(scope="module")
def built(digits):
    return build(request_of(digits), Silent())


def test_with_exact_leads_acc_l_is_the_classifiers_plain_accuracy_to_the_digit(
    digits, built, tmp_path
):
    """Nearest class means on held-out digits: a real classifier, judged, counted, compared."""
    pack = open_pack(built.pack, "solutions")
    lists = {row["list"] for row in pack.table(LISTS)}
    data = DataFolder(tmp_path / "data")
    simulate(data, pack, ["exact_labels"] * len(lists))
    with without_drawings():
        run_analysis("accept_reject_accuracy", AnalyseOptions(tmp_path / "report", data=data.root))
    found = read_results(tmp_path / "report").of(ACCURACY)
    with (digits / "answers.csv").open(encoding="utf-8") as stream:
        said = {row["image"]: row["label"] for row in csv.DictReader(stream)}
    right = sum(said[path.name] == path.parent.name for path in (digits / "set").glob("*/*.png"))
    assert 0 < right < COUNT
    assert built.right == right
    assert found.row(ACC_L).estimate == right / COUNT
    assert found.row(IMAGES, solver="S").estimate == COUNT
    assert found.equal_to_plain is True
    assert found.row(ACCEPTED, solver="E").estimate == 1.0


def test_an_answer_that_s_withholds_is_not_counted_as_right(digits, tmp_path):
    """`right` is what leads can find: S says no_solution where its confidence is too low."""
    with (digits / "answers.csv").open(encoding="utf-8") as stream:
        middle = median(float(row["confidence"]) for row in csv.DictReader(stream))
    (tmp_path / "silent.toml").write_text(
        f"{PROTOCOL}[system]\nabstain_below = {middle}\n", encoding="utf-8"
    )
    own = build(
        request_of(digits, protocol_file=tmp_path / "silent.toml", out=tmp_path / "pack"), Silent()
    )
    pack = open_pack(own.pack)
    rows = list(pack.table(ITEM_TABLE))
    assert own.right == sum(row["model_label"] == row["true_label"] for row in rows)
    silent = [row for row in rows if row["model_label"] == NO_SOLUTION]
    spoken = build(request_of(digits), Silent())
    assert 0 < len(silent) < COUNT
    assert own.right < spoken.right
    assert own.outside == spoken.outside == 0


def test_the_same_images_and_answers_make_the_same_pack(digits, built, tmp_path):
    again = build(request_of(digits, out=tmp_path / "again"), Silent())
    assert again.pack_id == built.pack_id
    assert build(request_of(digits), Silent()).pack_id == built.pack_id
    other = build(request_of(digits, out=tmp_path / "other", seed=9), Silent())
    assert other.pack_id != built.pack_id


def test_without_images_the_suites_digits_are_judged(digits, tmp_path, monkeypatch):
    """The network that is trained on the spot errs, and was taught by none of them."""
    monkeypatch.setattr(own, "ERRING", replace(own.ERRING, epochs=15))
    monkeypatch.setattr(own, "FEW", FEW)
    monkeypatch.setattr(own, "cache_dir", lambda: tmp_path / "cache")
    asked = request_of(digits, source=None, predictions=None, out=tmp_path / "pack")
    done = build(asked, Silent())
    assert done.images == 2 * 27
    assert 0.3 < done.right / done.images < 1.0
    pack = open_pack(done.pack)
    known = load_digits("uci")
    learnt = own.numbers_of(own.digits_to_learn_from(known, pack.protocol.seed, FEW))
    judged = {Path(row["item"]).stem for row in pack.table(ITEM_TABLE)}
    assert not judged & {digit_name(known, number) for number in learnt}
    assert {row["name"] for row in pack.table(LABELS) if row["language"] == "de"} >= {"null"}
    again = build(replace(asked, out=tmp_path / "again"), Silent())
    assert again.pack_id == done.pack_id


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"predictions": Path("nowhere.csv")}, "nowhere.csv: can't be read"),
        ({"source": "nowhere"}, "there is no such file or folder"),
    ],
)
def test_a_mistake_is_one_line(digits, tmp_path, changes, said):
    with pytest.raises(UserError, match=said) as refused:
        build(request_of(digits, out=tmp_path / "pack", **changes), Silent())
    assert "\n" not in str(refused.value)


def test_a_network_answers_with_its_classes_names(tmp_path):
    """A tiny SqueezeNet of random weights: ranked labels, probabilities, another pack a network."""
    import torch
    from torchvision.models import squeezenet1_1

    from stimuli.images.sets import read_labelled
    from xai_backend.explain.answering import Network, classifier_at_hand
    from xai_backend.explain.precompute import Precompute
    from xai_backend.packs.subject import classes_of
    from xai_backend.store import TensorStore
    from xai_backend.studies.accept_reject_accuracy.classify import classify

    torch.manual_seed(3)
    torch.save(squeezenet1_1(num_classes=4).state_dict(), tmp_path / "w.pt")
    rng = np.random.default_rng(0)
    for label in ("n1", "n2"):
        (tmp_path / "set" / label).mkdir(parents=True)
        noise = rng.integers(0, 255, (64, 80, 3), dtype=np.uint8)
        Image.fromarray(noise).save(tmp_path / "set" / label / f"{label}.png")
    index = {str(k): [f"n{k}", f"word_{k}"] for k in range(4)}
    (tmp_path / "c.json").write_text(json.dumps(index), encoding="utf-8")
    weights = str(tmp_path / "w.pt")
    classifier = classifier_at_hand("squeezenet1_1", weights, "cpu")
    with pytest.raises(UserError, match="nothing says what its outputs are"):
        classes_of(classifier, None)
    classes = classes_of(classifier, tmp_path / "c.json")
    assert classes == ("n0", "n1", "n2", "n3")
    images = read_labelled(tmp_path / "set")
    network = Network("squeezenet1_1", weights, "cpu", classifier.weights_sha256)
    store, here = TensorStore(tmp_path / "store"), Workers(here=True)
    work = Precompute(network, classifier.preprocessing, store, here)
    answers = classify(work, classifier, images, classes)
    for ranked in answers.values():
        shares = [answer.confidence for answer in ranked]
        assert shares == sorted(shares, reverse=True)
        assert sum(shares) == pytest.approx(1, abs=1e-5)
        assert {answer.label for answer in ranked} == set(classes)
    with pytest.raises(UserError, match="names 3 labels, but squeezenet1_1 has 4 outputs"):
        classify(work, classifier, images, classes[:3])
    no_network = replace(work, compute=None)
    assert classify(no_network, classifier, images, classes) == answers
    store.close()


@pytest.mark.slow
def test_on_real_photographs_with_a_real_network_acc_l_is_plain_accuracy_to_the_digit(tmp_path):
    """400 photographs of ten ImageNet classes, SqueezeNet 1.1 over all thousand labels."""
    place = real_data("imagenet/imagenette160.csv")
    photos, weights = place / "imagenet", place / "weights" / "squeezenet1_1_torchvision_fp32.pt"
    with (photos / "imagenette160.csv").open(encoding="utf-8") as stream:
        rows = [(row["file"], row["wnid"]) for row in csv.DictReader(stream)]
    lines = "".join(f"{photos / 'imagenette160' / file},{wnid}\n" for file, wnid in rows)
    (tmp_path / "set.csv").write_text("image,label\n" + lines, encoding="utf-8")
    made = build(
        AccuracyRequest(
            source=str(tmp_path / "set.csv"),
            model="squeezenet1_1",
            weights=str(weights),
            classes=photos / "imagenet_class_index.json",
            out=tmp_path / "pack",
        ),
        Silent(),
    )
    pack = open_pack(made.pack, "solutions")
    data = DataFolder(tmp_path / "data")
    simulate(data, pack, ["exact_labels"] * len({r["list"] for r in pack.table(LISTS)}))
    with without_drawings():
        run_analysis("accept_reject_accuracy", AnalyseOptions(tmp_path / "report", data=data.root))
    found = read_results(tmp_path / "report").of(ACCURACY)
    assert made.images == found.row(IMAGES, solver="S").estimate == len(rows)
    assert found.row(ACC_L).estimate == pytest.approx(made.right / len(rows))
    assert found.equal_to_plain is True
    assert 0.3 < made.right / len(rows) < 0.9


def test_recorded_answers_of_any_system_are_judged_without_their_rationales(
    digits, built, tmp_path
):
    """The pack is the one of the same predictions, but for where they are from."""
    rows = list(csv.DictReader((digits / "answers.csv").open(encoding="utf-8")))
    table = write_rows(tmp_path / "chat.csv", [
        {"item": row["image"], "answer": row["label"].replace(" ", "_").upper(),
         "confidence": row["confidence"], "rationale": "It looks like that."}
        for row in rows
    ])  # fmt: skip
    changes = {"predictions": None, "answers": table, "out": tmp_path / "pack"}
    found = build(request_of(digits, **changes), Silent())
    assert (found.images, found.right) == (built.images, built.right)
    own, other = open_pack(found.pack), open_pack(built.pack)
    assert own.asset("items.csv") == other.asset("items.csv")
    assert arms_of(own)["S", None].note == "chat.csv"
    assert b"It looks like that" not in b"".join(own.asset(name) for name in own.manifest.files)
    table.write_text("item,answer\n" + f"{rows[0]['image']},digit 1\n", encoding="utf-8")
    with pytest.raises(UserError, match=f"no answer to {COUNT - 1} of {COUNT} items"):
        build(request_of(digits, **changes), Silent())
