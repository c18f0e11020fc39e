"""A plain script around captum, as a reader of its documentation would write it.

    python -m bench.parts.captum_script METHOD WEIGHTS PHOTOGRAPHS OUT [DEVICE]

It loads ResNet-18, prepares each photograph as torchvision's weights say, explains the network's
most likely class, and saves all maps in one file of safetensors.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

# First of all: torchvision by itself doesn't load beside every build of torch.
import xai_backend.torchvision_fix  # noqa: F401

# isort: split
import torch
from captum.attr import IntegratedGradients, LayerAttribution, LayerGradCam
from PIL import Image
from safetensors.torch import save_file
from torch import Tensor, nn
from torchvision import models, transforms

PHOTOGRAPHS_AT_ONCE, STEPS, STEPS_AT_ONCE = 4, 50, 10
MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


def load_network(weights: Path) -> nn.Module:
    """Return the network with its normalisation, so that a baseline of 0 is a black picture."""
    network = models.resnet18(weights=None)
    network.load_state_dict(torch.load(weights, weights_only=True))
    network.requires_grad_(False)
    return nn.Sequential(transforms.Normalize(MEAN, STD), network).eval()


def pictures(files: Sequence[Path]) -> Tensor:
    """Return photographs as the network's weights say, (n, 3, 224, 224)."""
    prepare = transforms.Compose(
        [transforms.Resize(256), transforms.CenterCrop(224), transforms.ToTensor()]
    )
    return torch.stack([prepare(Image.open(file).convert("RGB")) for file in files])


def integrated_gradients(model: nn.Module, images: Tensor, targets: Tensor) -> Tensor:
    """Return maps (n, H, W), one picture at a time."""
    method = IntegratedGradients(model)
    maps = [
        method.attribute(
            image[None], baselines=0, target=int(target), n_steps=STEPS,
            method="gausslegendre", internal_batch_size=STEPS_AT_ONCE,
        )
        for image, target in zip(images, targets, strict=True)
    ]  # fmt: skip
    return torch.cat(maps).sum(dim=1)


def gradcam(model: nn.Module, images: Tensor, targets: Tensor) -> Tensor:
    """Return maps (n, H, W), all pictures at once, the largest value of each 1."""
    method = LayerGradCam(model, model[1].layer4)
    images = images.requires_grad_()
    coarse = method.attribute(images, target=targets, relu_attributions=True)
    maps = LayerAttribution.interpolate(coarse, images.shape[2:], "bilinear")[:, 0].detach()
    return maps / maps.amax(dim=(1, 2), keepdim=True).clamp(min=1e-12)


def main(method: str, weights: str, photographs: str, out: str, device: str = "cpu") -> None:
    """Explain a folder's photographs."""
    explain = {"integrated_gradients": integrated_gradients, "gradcam": gradcam}[method]
    model = load_network(Path(weights)).to(device)
    files, maps = sorted(Path(photographs).iterdir()), {}
    for start in range(0, len(files), PHOTOGRAPHS_AT_ONCE):
        some = files[start : start + PHOTOGRAPHS_AT_ONCE]
        images = pictures(some).to(device)
        with torch.no_grad():
            targets = model(images).argmax(dim=1)
        found = explain(model, images, targets).cpu()
        maps |= {file.stem: one.contiguous() for file, one in zip(some, found, strict=True)}
    save_file(maps, out)


if __name__ == "__main__":
    main(*sys.argv[1:])
