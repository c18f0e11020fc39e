"""Attacked images: the steps of the paper, a JPEG, and only what is still wrong."""

import io

import numpy as np
import pytest
import torch
from PIL import Image
from torch.nn import functional

from xai_backend.methods.method import Execution
from xai_backend.methods.pgd import Pgd
from xai_backend.models.image_model import as_images
from xai_backend.studies.human_ai_team.attacks import JpegAttack

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


def saved_by_hand(image, quality):
    stream = io.BytesIO()
    codes = (image * 255).round().to(torch.uint8).permute(1, 2, 0).numpy()
    Image.fromarray(codes).save(stream, "JPEG", quality=quality, subsampling=0)
    return np.asarray(Image.open(stream).convert("RGB"))


def test_a_picture_is_what_the_jpeg_of_the_last_step_holds(small_model, photos):
    attack = JpegAttack(steps=6, quality=90)
    found = attack.explain(small_model, photos, LABELS, Execution(at_once=3))
    *_, last = Pgd(steps=6).ascent(small_model, photos, LABELS)
    for one, expected in zip(found.numpy(), last, strict=True):
        np.testing.assert_array_equal(one, saved_by_hand(expected, 90))


def test_it_can_stop_at_the_first_step_whose_jpeg_misleads(small_model, photos):
    with torch.no_grad():
        labels = small_model(photos).argmax(dim=1)
    sizes = {"epsilon": 0.3, "steps": 20, "relative_step": 0.05, "random_start": False}
    attack = JpegAttack(**sizes, stop="wrong")
    found = attack.explain(small_model, photos, labels, Execution(at_once=3))
    misled = []
    steps = list(Pgd(**sizes).ascent(small_model, photos, labels))
    for k, label in enumerate(labels.tolist()):
        saved = [saved_by_hand(step[k], 95) for step in steps]
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
