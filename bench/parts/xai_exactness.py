"""Methods against the library or the definition that they come from: the largest difference."""

from collections.abc import Callable
from itertools import combinations
from math import factorial
from typing import Any

import numpy as np
import torch
from captum.attr import Occlusion as CaptumOcclusion
from captum.robust import PGD
from sklearn.neighbors import NearestNeighbors
from torch import Tensor, nn
from torch.nn import functional

from bench.book import Effort, Measured, Part, table
from xai_backend.methods.gradcam import GradCam
from xai_backend.methods.gradients import GradientShap, IntegratedGradients, SmoothGrad
from xai_backend.methods.kernel_shap import KernelShap
from xai_backend.methods.lrp import Lrp
from xai_backend.methods.nearest_neighbours import NearestNeighbours
from xai_backend.methods.occlusion import Occlusion
from xai_backend.methods.pgd import Pgd
from xai_backend.models.frame import IMAGENET_MEAN, IMAGENET_STD, Normalise
from xai_backend.models.image_model import ImageModel

SIDE_PX = 96
TARGETS = torch.tensor([1, 4])
NEIGHBOURS, REFERENCES = 3, 12
EXACT = ", in float64"
"""Ends the name of oracles that need it: at a kink of the network a rounded bit of the image
switches a gradient, and two right answers differ."""
Pair = tuple[Tensor, Tensor]


def measure(effort: Effort) -> Measured:
    """Compare each method with its oracle on SqueezeNet with random weights."""
    model = _model()
    images = torch.rand(2, 3, SIDE_PX, SIDE_PX, generator=torch.Generator().manual_seed(5))
    found: dict[str, Any] = {}
    for name, (oracle, compare) in COMPARISONS.items():
        effort.say(f"{name} against {oracle}")
        exact = oracle.endswith(EXACT)
        ours, theirs = (
            compare(_model().double(), images.double()) if exact else compare(model, images)
        )
        off = float((ours - theirs).abs().max() / theirs.abs().max())
        found[name] = {"oracle": oracle, "difference": off}
    return Measured(_text(found), {"methods": found})


def _model() -> ImageModel:
    from torchvision import models  # after what mends its import

    torch.manual_seed(2)
    network = models.squeezenet1_1(num_classes=10)
    for module in network.modules():
        if isinstance(module, nn.ReLU):
            module.inplace = False
    model = ImageModel(Normalise(IMAGENET_MEAN, IMAGENET_STD), network, "features")
    return model.eval().requires_grad_(False)


def _occlusion(model: ImageModel, images: Tensor) -> Pair:
    ours = Occlusion(32, 8).explain(model, images, TARGETS)
    captum = CaptumOcclusion(model).attribute(
        images,
        sliding_window_shapes=(3, 32, 32),
        strides=(3, 8, 8),
        baselines=0,
        target=TARGETS,
        perturbations_per_eval=16,
    )
    return ours, captum.sum(dim=1)


def _lrp(model: ImageModel, images: Tensor) -> Pair:
    from zennit.attribution import Gradient  # it imports torchvision
    from zennit.composites import EpsilonPlusFlat

    ours = Lrp().explain(model, images, TARGETS)
    inputs = model.normalise(images)
    logits = model.network(inputs)
    chosen = functional.one_hot(TARGETS, logits.shape[1]) * logits
    with Gradient(model=model.network, composite=EpsilonPlusFlat()) as attributor:
        _, relevance = attributor(inputs.clone().requires_grad_(), chosen)
    return ours, relevance.detach().sum(dim=1)


def _gradcam(model: ImageModel, images: Tensor) -> Pair:
    ours = GradCam().explain(model, images, TARGETS)
    features = model.network.features(model.normalise(images)).detach().requires_grad_()
    logits = model.network.classifier(features).flatten(1)
    logits.gather(1, TARGETS[:, None]).sum().backward()
    weights = features.grad.mean(dim=(2, 3), keepdim=True)
    coarse = (weights * features.detach()).sum(dim=1, keepdim=True).clamp(min=0)
    fine = functional.interpolate(coarse, (SIDE_PX, SIDE_PX), mode="bilinear")[:, 0]
    return ours, fine / fine.amax(dim=(1, 2), keepdim=True)


def _integrated_gradients(model: ImageModel, images: Tensor) -> Pair:
    ours = IntegratedGradients(steps=20).explain(model, images, TARGETS)
    nodes, weights = np.polynomial.legendre.leggauss(20)
    total = torch.zeros_like(images)
    for node, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
        total += weight * _gradients(model, float(node) * images)
    return ours, (total * images).sum(dim=1)


def _smoothgrad(model: ImageModel, images: Tensor) -> Pair:
    method = SmoothGrad(samples=12)
    slow = torch.zeros_like(images)
    for k, target in enumerate(TARGETS.tolist()):
        for copy in method.noisy_copies(images[k], target):
            slow[k] += _gradients(model, copy[None], TARGETS[k : k + 1])[0] / 12
    return method.explain(model, images, TARGETS), slow.abs().sum(dim=1)


def _gradient_shap(model: ImageModel, images: Tensor) -> Pair:
    method = GradientShap(samples=12)
    slow = torch.zeros_like(images)
    for k, target in enumerate(TARGETS.tolist()):
        greys, shares = method.draws(images[k], target)
        for grey, share in zip(greys.tolist(), shares.tolist(), strict=True):
            way = images[k] - grey
            point = (grey + share * way)[None]
            slow[k] += way * _gradients(model, point, TARGETS[k : k + 1])[0] / len(greys)
    return method.explain(model, images, TARGETS), slow.sum(dim=1)


def _kernel_shap(model: ImageModel, images: Tensor) -> Pair:
    """Four patches: Shapley values straight from their definition, over all coalitions."""
    half = SIDE_PX // 2
    maps = KernelShap(patch_px=half, samples=14).explain(model, images[:1], TARGETS[:1])
    ours = maps[0].reshape(2, half, 2, half).sum(dim=(1, 3)).flatten()

    def worth(present: set[int]) -> float:
        image = torch.zeros_like(images[:1])
        for patch in present:
            down, across = (slice(at * half, (at + 1) * half) for at in divmod(patch, 2))
            image[:, :, down, across] = images[:1, :, down, across]
        return model(image)[0, TARGETS[0]].item()

    values = torch.zeros(4)
    for player in range(4):
        others = [other for other in range(4) if other != player]
        for size in range(4):
            weight = factorial(size) * factorial(3 - size) / factorial(4)
            for some in combinations(others, size):
                values[player] += weight * (worth({*some, player}) - worth(set(some)))
    return ours, values


def _pgd(model: ImageModel, images: Tensor) -> Pair:
    """Where a slope is near zero its sign, and so a whole step, is rounding."""
    entropy = nn.CrossEntropyLoss(reduction="none")
    # Scaled up, for captum takes slopes below 1e-6 for none.
    captum = PGD(model, lambda *answer: 1e6 * entropy(*answer), 0.0, 1.0)
    theirs = captum.perturb(images.clone(), 0.05, 0.05 / 30, 10, TARGETS)
    ours = Pgd(epsilon=0.05, steps=10, random_start=False).attack(model, images, TARGETS)
    return ours - images, theirs - images


def _neighbours(model: ImageModel, images: Tensor) -> Pair:
    """The distances of the nearest, by scikit-learn's own search."""
    method = NearestNeighbours(count=NEIGHBOURS)
    others = torch.rand(REFERENCES, 3, SIDE_PX, SIDE_PX, generator=torch.Generator().manual_seed(6))
    names = [str(k) for k in range(REFERENCES)]
    labels = TARGETS[:1].expand(REFERENCES)
    references = method.references(model, [(names, others, labels)])
    (found,) = method.neighbours(model, images[:1], TARGETS[:1], references)
    search = NearestNeighbors(n_neighbors=NEIGHBOURS).fit(references.features.double().numpy())
    distances, _ = search.kneighbors(method.features(model, images[:1]).double().numpy())
    ours = torch.tensor([neighbour.distance for neighbour in found], dtype=torch.float64)
    return ours, torch.from_numpy(distances[0])


def _gradients(model: ImageModel, images: Tensor, targets: Tensor = TARGETS) -> Tensor:
    points = images.detach().clone().requires_grad_()
    model(points).gather(1, targets[:, None]).sum().backward()
    return points.grad


COMPARISONS: dict[str, tuple[str, Callable[[ImageModel, Tensor], Pair]]] = {
    "occlusion": ("captum", _occlusion),
    "lrp": ("zennit, EpsilonPlusFlat", _lrp),
    "gradcam": ("its definition", _gradcam),
    "integrated_gradients": (f"its definition, point by point{EXACT}", _integrated_gradients),
    "smoothgrad": ("its definition, copy by copy", _smoothgrad),
    "gradient_shap": (f"its definition, draw by draw{EXACT}", _gradient_shap),
    "kernel_shap": ("Shapley values over all coalitions", _kernel_shap),
    "pgd": (f"captum{EXACT}", _pgd),
    "nearest_neighbours": ("scikit-learn", _neighbours),
}


def _text(found: dict[str, Any]) -> str:
    rows = [[name, row["oracle"], f"{row['difference']:.1e}"] for name, row in found.items()]
    return (
        f"Each method explains two images of noise ({SIDE_PX} pixels) on SqueezeNet 1.1 with "
        "random "
        "weights. The table gives the largest difference as a share of the map's largest value. "
        "The network runs in float32 unless the table says otherwise. Maps are always float32."
        "\n\n" + table(["method", "against", "difference"], rows)
    )


PARTS = (Part("exactness", "Against other implementations", measure),)
