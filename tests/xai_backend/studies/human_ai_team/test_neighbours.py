"""Examples of an image: brute force over the training images that the AI gets right."""

from functools import partial

import numpy as np
import pytest
import torch
from torch import nn

from stimuli.protocol import load_protocol
from xai_backend.explain.answering import Network
from xai_backend.explain.precompute import Picture
from xai_backend.models.classifier import Classifier
from xai_backend.models.frame import InputFrame
from xai_backend.models.image_model import as_images
from xai_backend.packs.subject import Subject
from xai_backend.progress import Silent
from xai_backend.store import TensorStore
from xai_backend.studies.human_ai_team.ai import Ai, PictureAnswer
from xai_backend.studies.human_ai_team.images import Candidate, SeenImage
from xai_backend.studies.human_ai_team.training_images import (
    SAMPLES,
    ExampleQuestion,
    Examples,
    Pool,
)

LABELS = ("a", "b")
SIDE = 12


def protocol_of(distance=0.0, **prior):
    changes = {
        "images": {"resize_px": 16, "size_px": 16, "least_side_px": 1, "drop_grey": False},
        "system": {"layer": ""},
        "help": {"near_duplicate_distance": distance},
        "prior": {"samples": 2, "sample_from": 0.4, **prior},
    }
    return load_protocol("human_ai_team", None, changes)


class Plain:
    """An AI whose answers are the network's, without workers."""

    def __init__(self, model):
        frame = InputFrame(SIDE, SIDE)
        classifier = Classifier("plain", model, frame, LABELS, "0" * 64, "codes/255")
        self.of = Subject(Network("plain", None, "cpu", "0" * 64), classifier, LABELS)

    output_of = Ai.output_of

    def answers(self, pictures):
        codes = torch.from_numpy(np.stack([one.load() for one in pictures]))
        with torch.no_grad():
            logits = self.of.classifier.model(as_images(codes)).numpy()
        return {one.name: self._said(own) for one, own in zip(pictures, logits, strict=True)}

    def _said(self, logits):
        output = int(logits.argmax())
        share = float(torch.from_numpy(logits).softmax(0)[output])
        return PictureAnswer(output, LABELS[output], share, logits)


@pytest.fixture
def ai(small_model):
    torch.manual_seed(3)
    small_model.network[-1] = nn.Linear(32, 2)
    small_model.network[-1].bias.data.zero_()
    return Plain(small_model.eval().requires_grad_(False))


@pytest.fixture
def train():
    rng = np.random.default_rng(5)
    pictures = rng.integers(0, 255, (60, SIDE, SIDE, 3), dtype=np.uint8)
    pictures[7] = pictures[2]  # a copy
    return [
        Candidate(f"t{k:02d}", LABELS[k % 2], partial(SeenImage, codes, (SIDE, SIDE)))
        for k, codes in enumerate(pictures)
    ]


def features_of(ai, codes):
    """The last feature maps, by a forward pass of one's own."""
    model = ai.of.classifier.model
    network = model.network[: int(model.last_features) + 1]
    with torch.no_grad():
        return network(model.normalise(as_images(torch.from_numpy(codes)))).flatten(1)


@pytest.mark.parametrize("distance", [0.0, "median"])
def test_examples_are_the_nearest_training_images_that_the_ai_gives_the_label(
    ai, train, tmp_path, distance
):
    rng = np.random.default_rng(9)
    asked = rng.integers(0, 255, (5, SIDE, SIDE, 3), dtype=np.uint8)
    asked[0] = train[2].codes()  # itself is among the training images, twice
    codes = np.stack([one.codes() for one in train])
    own, others = features_of(ai, asked).double(), features_of(ai, codes).double()
    far = torch.cdist(own, others)
    if distance == "median":
        distance = float(far.median())
    protocol = protocol_of(distance)
    pool = Pool(train, ai, protocol, Silent())
    pool.ready(LABELS)
    said = ai.answers([Picture.of(one.item, one.codes()) for one in train])
    pictures = [Picture.of(f"q{k}", one) for k, one in enumerate(asked)]
    wanted = [ExampleQuestion(one, label) for one in pictures for label in LABELS]
    store = TensorStore(tmp_path)
    found = Examples(ai, pool, protocol, store, Silent()).of(wanted)
    for k, picture in enumerate(pictures):
        for label in LABELS:
            eligible = [
                n
                for n, one in enumerate(train)
                if one.label == label and said[one.item].label == label
            ]
            taken: list[int] = []
            for n in sorted(eligible, key=lambda n: float(far[k, n])):
                between = [float((others[n] - others[m]).norm()) for m in taken]
                if min([float(far[k, n]), *between]) > max(distance, 1e-4):
                    taken.append(n)
            expected = [train[n].item for n in taken[: protocol.help.neighbours]]
            near = found[picture.name, label]
            assert [one.candidate.item for one in near] == expected
    kept = Examples(None, pool, protocol, store, Silent())
    kept._ai = type("Gone", (), {"of": ai.of, "output_of": None})()  # nothing is left to compute
    assert kept.of(wanted) == found


def test_a_pool_tells_what_a_label_has(ai, train):
    protocol = protocol_of(sample_from=0.0)
    pool = Pool(train, ai, protocol, Silent())
    assert "a" not in pool
    pool.ready(LABELS)
    said = ai.answers([Picture.of(one.item, one.codes()) for one in train])
    for label in LABELS:
        own = [t.item for t in train if t.label == label == said[t.item].label]
        assert [one.candidate.item for one in pool.right(label)] == own
        assert {one.candidate.item for one in pool.samples(label)} <= set(own)
        assert pool.lacking(label) == ("" if len(own) >= 3 else SAMPLES)
    pool.ready(["nothing"])
    assert pool.lacking("nothing") == SAMPLES
    sure = Pool(train, ai, protocol_of(sample_from=1.0), Silent())
    sure.ready(LABELS)
    assert all(sure.lacking(label) == SAMPLES for label in LABELS)
