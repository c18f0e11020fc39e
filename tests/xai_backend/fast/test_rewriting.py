import pytest
import torch
from torch.nn import functional
from torchvision import models

from tests.xai_backend.networks import MAKERS, pictures, small_network
from xai_backend.fast.graph import steps_of
from xai_backend.fast.occlusion import narrowed
from xai_backend.fast.operations import Convolution, Frame, Join, Rectify, Step, run
from xai_backend.fast.rewriting import rewritten


def output(steps, images):
    return run(steps, images)[len(steps)]


def kinds(steps):
    return [type(step.operation) for step in steps]


@pytest.mark.parametrize("name", sorted(MAKERS))
def test_a_rewritten_network_gives_the_same_logits(name):
    network, images = small_network(name), pictures(2, 48, 40)
    steps = steps_of(network)
    before = images.clone()
    found, expected = output(rewritten(steps), images), output(steps, images)
    assert (found - expected).abs().max() <= 1e-10 * expected.abs().max()
    assert torch.equal(images, before)


def test_squeezenet_joins_only_before_pools_and_the_end():
    """Five of eight modules come right before another one; a module begins pointwise."""
    steps = narrowed(steps_of(models.squeezenet1_1(weights=None).eval()), 3)
    assert kinds(steps).count(Join) == 8
    assert kinds(rewritten(steps)).count(Join) == 3
    # Those of the five sums, and one after the last convolution, which keeps its precision.
    assert kinds(rewritten(steps)).count(Rectify) == 6


def test_what_others_use_as_well_stays():
    """A convolution whose output is also added as it is, and a join that a wider one takes."""
    weight = torch.ones(4, 4, 1, 1)
    pointwise = Convolution(weight, None, Frame((1, 1)))
    wide = Convolution(torch.ones(4, 8, 3, 3), None, Frame((3, 3), padding=(1, 1)))
    steps = (
        Step(pointwise, (0,)),
        Step(Rectify(), (1,)),
        Step(Join(), (1, 2)),
        Step(wide, (3,)),
    )
    assert [(step.operation, step.inputs) for step in rewritten(steps)] == [
        (step.operation, step.inputs) for step in steps
    ]


@pytest.mark.parametrize("most", [None, 6.0])
@pytest.mark.parametrize("kernel", [(1, 1), (3, 3)])
def test_a_merged_rectifier_clips_the_very_same_values(most, kernel):
    draws = torch.Generator().manual_seed(2)
    x = 9 * torch.randn(3, 8, 12, 11, generator=draws).to(memory_format=torch.channels_last)
    weight, bias = torch.randn(5, 8, *kernel, generator=draws), torch.randn(5, generator=draws)
    merged = Convolution(weight, bias, Frame(kernel, padding=(1, 1)), rectify=Rectify(most))
    expected = functional.conv2d(x, weight, bias, padding=1).clamp(0, most)
    assert (merged(x) - expected).abs().max() <= 1e-5 * expected.abs().max()
    assert (merged(x) == 0).any()
    with torch.autocast("cpu", torch.bfloat16):
        assert merged(x).dtype == torch.bfloat16
