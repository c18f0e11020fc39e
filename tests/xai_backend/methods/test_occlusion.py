import numpy as np
import pytest
import torch
from captum.attr import Occlusion as CaptumOcclusion
from hypothesis import given, settings
from hypothesis import strategies as st

from stimuli.errors import UserError
from xai_backend.methods import method_of
from xai_backend.methods.occlusion import Occlusion

TARGETS = torch.tensor([3, 0, 9])


def by_definition(model, image, target, patch_px, stride_px):
    """The mean fall of the logit over patches on each pixel, loop by loop, channels summed."""
    side = image.shape[-1]
    last = int(np.ceil((side - patch_px) / stride_px)) * stride_px
    total, count = np.zeros((side, side)), np.zeros((side, side))
    with torch.no_grad():
        whole = model(image[None])[0, target].item()
        for row in range(0, last + 1, stride_px):
            for column in range(0, last + 1, stride_px):
                black = image.clone()
                black[:, row : row + patch_px, column : column + patch_px] = 0
                fall = whole - model(black[None])[0, target].item()
                total[row : row + patch_px, column : column + patch_px] += fall
                count[row : row + patch_px, column : column + patch_px] += 1
    return 3 * total / count


@pytest.mark.parametrize(("patch_px", "stride_px"), [(12, 6), (10, 7), (48, 48)])
def test_maps_are_what_the_definition_says(model, images, patch_px, stride_px):
    maps = Occlusion(patch_px, stride_px).explain(model, images, TARGETS)
    assert maps.shape == (3, 48, 48)
    assert maps.dtype == torch.float32
    for k in range(3):
        slow = by_definition(model, images[k], int(TARGETS[k]), patch_px, stride_px)
        assert np.abs(maps[k].numpy() - slow).max() <= 1e-4 * np.abs(slow).max()


@settings(deadline=None)
@given(st.integers(1, 40), st.integers(1, 40), st.integers(40, 120))
def test_patches_reach_every_pixel(patch_px, stride_px, side):
    stride_px = min(stride_px, patch_px)
    starts = Occlusion(patch_px, stride_px).starts(side)
    covered = {pixel for start in starts for pixel in range(start, start + patch_px)}
    assert set(range(side)) <= covered
    assert len(starts) < 2 or starts[-2] + patch_px < side


def test_impossible_patches_are_refused(model, images):
    with pytest.raises(ValueError, match="patch_px is 64"):
        Occlusion(64, 8).explain(model, images, TARGETS)
    with pytest.raises(UserError, match="stride_px is 9, must be 1 to patch_px"):
        method_of("occlusion", {"patch_px": 8, "stride_px": 9, "network": "ignored"})


@pytest.mark.parametrize(("patch_px", "stride_px"), [(12, 6), (10, 7)])
def test_maps_agree_with_captum(model, images, patch_px, stride_px):
    window = (3, patch_px, patch_px)
    oracle = CaptumOcclusion(model).attribute(
        images,
        sliding_window_shapes=window,
        strides=(3, stride_px, stride_px),
        baselines=0,
        target=TARGETS,
    )
    oracle = oracle.sum(dim=1).detach()
    maps = Occlusion(patch_px, stride_px).explain(model, images, TARGETS)
    assert (maps - oracle).abs().max() <= 1e-4 * oracle.abs().max()
