"""Attacked images: the steps of the paper, a JPEG, and only what is still wrong."""

import io
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from PIL import Image
from torch.nn import functional

from stimuli.errors import UserError
from stimuli.protocol import load_protocol
from xai_backend.explain.precompute import Picture
from xai_backend.methods.method import Execution
from xai_backend.methods.pgd import Pgd
from xai_backend.models.image_model import as_images
from xai_backend.studies.human_ai_team.attacks import JpegAttack, attacked
from xai_backend.studies.human_ai_team.draw import Judged

LABELS = torch.tensor([3, 0, 4])


def by_hand(model, image, label, start, epsilon, steps, length):
    """Madry et al. 2018, section 2.1, one image at a time, in numbers of double length."""
    x = torch.clamp(image + start, 0, 1)
    yield_ = []
    for _ in range(steps):
        x = x.clone().requires_grad_()
        functional.cross_entropy(model(x[None]), label[None]).backward()
        x = x.detach() + length * x.grad.sign()
        x = torch.minimum(torch.maximum(x, image - epsilon), image + epsilon).clamp(0, 1)
        yield_.append(x)
    return yield_


def test_an_ascent_is_the_papers_from_the_same_start(small_model, photos):
    small_model, photos = small_model.double(), photos.double()
    pgd = Pgd(steps=12)
    own = list(pgd.ascent(small_model, photos, LABELS))
    for k, label in enumerate(LABELS):
        start = pgd.start(photos[k], int(label)).double()
        assert start.abs().max() <= 16 / 255
        steps = by_hand(small_model, photos[k], label, start, 16 / 255, 12, 16 / 255 / 30)
        for step, expected in zip(own, steps, strict=True):
            torch.testing.assert_close(step[k], expected, rtol=0, atol=1e-12)


def saved_by_hand(image, **how):
    stream = io.BytesIO()
    codes = (image * 255).round().to(torch.uint8).permute(1, 2, 0).numpy()
    Image.fromarray(codes).save(stream, "JPEG", **how)
    return np.asarray(Image.open(stream).convert("RGB"))


@pytest.mark.parametrize(
    ("settings", "pillow"),
    [({}, {}), ({"quality": 90, "subsampling": "4:4:4"}, {"quality": 90, "subsampling": 0})],
    ids=("published", "finer"),
)
def test_a_picture_is_what_the_jpeg_of_the_last_step_holds(small_model, photos, settings, pillow):
    """By default as the authors saved it: with Pillow's own settings."""
    attack = JpegAttack(steps=6, **settings)
    found = attack.explain(small_model, photos, LABELS, Execution(at_once=3))
    *_, last = Pgd(steps=6).ascent(small_model, photos, LABELS)
    for one, expected in zip(found.numpy(), last, strict=True):
        np.testing.assert_array_equal(one, saved_by_hand(expected, **pillow))


def test_it_can_stop_at_the_first_step_whose_jpeg_misleads(small_model, photos):
    with torch.no_grad():
        labels = small_model(photos).argmax(dim=1)
    sizes = {"epsilon": 0.3, "steps": 20, "relative_step": 0.05, "random_start": False}
    attack = JpegAttack(**sizes, stop="wrong")
    found = attack.explain(small_model, photos, labels, Execution(at_once=3))
    misled = []
    steps = list(Pgd(**sizes).ascent(small_model, photos, labels))
    for k, label in enumerate(labels.tolist()):
        saved = [saved_by_hand(step[k]) for step in steps]
        with torch.no_grad():
            said = small_model(as_images(torch.from_numpy(np.stack(saved)))).argmax(dim=1)
        wrong = [number for number, answer in enumerate(said.tolist()) if answer != label]
        first = wrong[0] if wrong else len(steps) - 1
        misled.append(first)
        np.testing.assert_array_equal(found[k].numpy(), saved[first])
    assert any(0 < first < len(steps) - 1 for first in misled)


@pytest.mark.parametrize("stop", ["last", "wrong"])
def test_a_picture_depends_on_its_own_image_alone(small_model, photos, stop):
    attack = JpegAttack(steps=5, stop=stop)
    together = attack.explain(small_model, photos, LABELS)
    alone = attack.explain(small_model, photos[2:], LABELS[2:])
    assert torch.equal(together[2], alone[0])


class Misled:
    """An AI whose answers to attacked images are given."""

    def __init__(self, labels):
        self.labels = labels
        self.work = SimpleNamespace(maps=self.maps)

    def output_of(self, label):
        return 0

    def maps(self, method, pictures, targets):
        codes = np.zeros((8, 8, 3), dtype=np.uint8)
        return {one.name: SimpleNamespace(values=codes) for one in pictures}

    def answers(self, pictures):
        return {
            one.name: SimpleNamespace(label=label, confidence=confidence)
            for one in pictures
            for label, confidence in [self.labels[one.name.removesuffix("-attacked")]]
        }


class Anything:
    def fits(self, one):
        return True

    def settled(self, choose, pictures):
        pass


def test_nobody_sees_an_attacked_image_whose_label_is_outside_the_protocols():
    """As published for dogs: an attack that makes one a bus isn't shown."""
    breeds = ("beagle", "boxer", "collie")
    bins = {"per_bin": 1, "adversarial_per_level": 1, "trials_per_sheet": 9}
    protocol = load_protocol("human_ai_team", None, {"images": {"labels": breeds}, "bins": bins})
    given = [(label, confidence) for confidence in (0.2, 0.5, 0.9) for label in ("bus", "boxer")]
    labels = {f"i{n}": one for n, one in enumerate(given)}
    natural = [Judged(item, "beagle", "beagle", 0.9) for item in labels]
    pictures = {item: Picture.of(item, np.zeros((8, 8, 3), np.uint8)) for item in labels}
    found = attacked(natural, pictures, protocol, Misled(labels), Anything())
    assert [one.label for one in found.main] == ["boxer"] * 3
    assert (found.tried, found.misled, found.outside) == (6, 6, 3)
    assert set(found.by_level.values()) == {1}
    alone = {item: one for item, one in labels.items() if one[0] == "bus"}
    with pytest.raises(UserError, match=r"3 mislead .*, 3 to a label outside images\.labels"):
        attacked(
            [one for one in natural if one.item in alone], pictures, protocol, Misled(alone),
            Anything(),
        )  # fmt: skip
