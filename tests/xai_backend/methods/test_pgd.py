import pytest
import torch
from captum.robust import PGD
from torch import nn

from xai_backend.methods.method import Execution
from xai_backend.methods.pgd import Pgd

LABELS = torch.tensor([3, 0, 4])


def test_attacks_are_captum_s(small_model, photos):
    """Without a random start the two take the same steps."""
    small_model, photos = small_model.double(), photos.double()
    # Scaled up, for captum takes slopes below 1e-6 for none.
    entropy = nn.CrossEntropyLoss(reduction="none")
    captum = PGD(small_model, lambda *answer: 1e6 * entropy(*answer), 0.0, 1.0)
    oracle = captum.perturb(photos.clone(), 0.05, 0.05 / 30, 40, LABELS)
    own = Pgd(epsilon=0.05, random_start=False).attack(small_model, photos, LABELS)
    assert (own - oracle).abs().max() <= 1e-6


@pytest.mark.parametrize("random_start", [True, False])
def test_images_stay_in_the_ball_and_among_colours(small_model, photos, random_start):
    images = photos.clone()
    images[0], images[1] = images[0].round(), 1.0
    attacked = Pgd(random_start=random_start).attack(small_model, images, LABELS)
    assert (attacked - images).abs().max() <= 16 / 255 + 1e-6
    assert attacked.min() >= 0
    assert attacked.max() <= 1


def test_an_attack_depends_on_its_own_image_alone(small_model, photos):
    together = Pgd(steps=5).attack(small_model, photos, LABELS)
    alone = Pgd(steps=5).attack(small_model, photos[2:], LABELS[2:])
    one = Pgd(steps=5).attack(small_model, photos, LABELS, Execution(at_once=1))
    assert torch.equal(together[2], alone[0])
    assert (together - one).abs().max() <= 16 / 255
    assert not torch.equal(
        together, Pgd(steps=5, random_start=False).attack(small_model, photos, LABELS)
    )


@pytest.mark.parametrize(
    "wrong", [{"epsilon": 0.0}, {"epsilon": 2.0}, {"steps": 0}, {"relative_step": 0.0}]
)
def test_impossible_settings_are_refused(wrong):
    with pytest.raises(ValueError, match=r"must be|starts at 1"):
        Pgd(**wrong)
