"""Training in stages: warm, joint, push, last layer (section 2.3)."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from stimuli.io.canonical import seed_of
from xai_backend.determinism import deterministic
from xai_backend.models.classifier import Classifier
from xai_backend.models.image_model import ImageModel, batches
from xai_backend.models.labelled import Labelled, shuffled_batches
from xai_backend.progress import Advance, Reporter, Silent
from xai_backend.protopnet.backbone import backbone_of, copied_trunk, feature_channels
from xai_backend.protopnet.network import (
    ProtoPNet,
    ProtoPNetSettings,
    cluster_cost,
    nearest,
    own_class,
    separation_cost,
    wrong_class,
)
from xai_backend.protopnet.trained import (
    PICTURES_AT_ONCE,
    Epoch,
    Origin,
    Trained,
    prototypes_from,
    push,
)

Doubles = NDArray[np.float64]

TOLERANCE = 1e-9

GRADIENT = 1e-6


@dataclass(frozen=True, slots=True)
class _Course:
    """Data that every stage needs."""

    model: ImageModel
    network: ProtoPNet
    pictures: Labelled
    settings: ProtoPNetSettings
    seed: int
    advance: Advance

    @property
    def trunk(self) -> nn.Module:
        return self.network.trunk


def train_protopnet(
    plain: Classifier,
    pictures: Labelled,
    settings: ProtoPNetSettings,
    seed: int,
    reporter: Reporter = Silent(),
) -> Trained:
    """Return a ProtoPNet trained on pictures, over a trained network's convolutional layers.

    First, with the backbone frozen, add-on layers and prototypes learn. Then, several times:
    all layers but the last learn; every prototype is pushed to the nearest patch of a picture
    of its class; the last layer is optimised. So training ends with a push and the last layer.

    Parameters
    ----------
    plain
        Any convolutional network with last feature maps, on the device for the training. It isn't
        changed.
    pictures
        In the network's frame; their classes become the ProtoPNet's, whatever the network's.
    settings
        How the network learns.
    seed
        Seed of every draw.
    reporter
        Shows progress.

    Raises
    ------
    UserError
        If the network has no feature maps.
    """
    backbone = backbone_of(plain)
    with deterministic(seed):
        model = protopnet_over(plain.model, pictures, settings)
        assert isinstance(model.network, ProtoPNet)
        epochs = settings.warm_epochs + settings.cycles * settings.joint_epochs
        with reporter.stage("training ProtoPNet (pictures)", epochs * len(pictures)) as advance:
            course = _Course(model, model.network, pictures, settings, seed, advance)
            history, origins = _stages(course)
    return Trained(
        model=model.eval().requires_grad_(False),
        backbone=backbone,
        frame=plain.frame,
        classes=pictures.classes,
        settings=settings,
        prototypes=prototypes_from(origins, model.network, pictures),
        history=tuple(history),
    )


def protopnet_over(
    plain: ImageModel, pictures: Labelled, settings: ProtoPNetSettings
) -> ImageModel:
    """Return an untrained ProtoPNet over a copy of a network's convolutional layers."""
    trunk = copied_trunk(plain)
    network = ProtoPNet(
        trunk,
        feature_channels(plain.normalise, trunk, pictures.side_px),
        len(pictures.classes),
        settings,
    )
    return ImageModel(plain.normalise, network.to(plain.device), last_features="add_on")


def _stages(course: _Course) -> tuple[list[Epoch], tuple[Origin, ...]]:
    course.network.last.requires_grad_(False)  # it is optimised separately
    history = list(_warm(course))
    optimiser, rates = _joint_optimiser(course)
    origins: tuple[Origin, ...] = ()
    for cycle in range(course.settings.cycles):
        for epoch in range(course.settings.joint_epochs):
            course.model.train()
            number = cycle * course.settings.joint_epochs + epoch
            history.append(_epoch(course, optimiser, "joint", number))
            rates.step()
        origins = push(course.model, course.pictures)
        history.append(_measured(course, "push", cycle))
        _optimise_last_layer(course)
        history.append(_measured(course, "last layer", cycle))
    return history, origins


def _warm(course: _Course) -> Iterator[Epoch]:
    optimiser = torch.optim.Adam(_above_the_trunk(course))
    course.trunk.requires_grad_(False)
    for epoch in range(course.settings.warm_epochs):
        course.model.train()
        course.trunk.eval()  # batch norms keep their statistics
        yield _epoch(course, optimiser, "warm", epoch)
    course.trunk.requires_grad_(True)


def _joint_optimiser(
    course: _Course,
) -> tuple[torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler]:
    settings = course.settings
    below = {
        "params": list(course.trunk.parameters()),
        "lr": settings.backbone_rate,
        "weight_decay": settings.weight_decay,
    }
    optimiser = torch.optim.Adam([below, *_above_the_trunk(course)])
    rates = torch.optim.lr_scheduler.StepLR(optimiser, settings.decay_epochs, settings.decay)
    return optimiser, rates


def _above_the_trunk(course: _Course) -> list[dict[str, object]]:
    """Return the optimiser's parameter groups of the layers above the backbone."""
    settings, network = course.settings, course.network
    return [
        {
            "params": list(network.add_on.parameters()),
            "lr": settings.add_on_rate,
            "weight_decay": settings.weight_decay,
        },
        {"params": [network.prototypes], "lr": settings.prototype_rate},
    ]


def _epoch(course: _Course, optimiser: torch.optim.Optimizer, stage: str, number: int) -> Epoch:
    settings, sums = course.settings, torch.zeros(4, dtype=torch.float64)
    order = seed_of("protopnet", stage, course.seed, number)
    for images, labels in shuffled_batches(
        course.pictures, settings.batch, settings.augmentation, order
    ):
        distances = nearest(course.network.distances(course.model.normalise(_to(course, images))))
        costs, right = _costs(course, distances, _to(course, labels))
        loss = costs[0] + settings.cluster * costs[1] + settings.separation * costs[2]
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        sums += len(labels) * torch.stack([*costs, right]).detach().cpu()
        course.advance(len(labels))
    return Epoch(stage, number, *(sums / len(course.pictures)).tolist())


def _costs(
    course: _Course, distances: Tensor, labels: Tensor
) -> tuple[tuple[Tensor, Tensor, Tensor], Tensor]:
    """Return cross entropy, cluster and separation cost, and the share classified correctly."""
    of_own_class = own_class(labels, course.network.prototype_classes)
    logits = course.network.last(course.network.scores(distances))
    costs = (
        functional.cross_entropy(logits, labels),
        cluster_cost(distances, of_own_class),
        separation_cost(distances, of_own_class),
    )
    return costs, (logits.argmax(dim=1) == labels).float().mean()


@torch.no_grad()
def _nearest_in_all(course: _Course) -> Tensor:
    """Return each prototype's smallest squared distance in each training picture (n, m)."""
    course.model.eval()
    parts = []
    for batch, count in batches(torch.arange(len(course.pictures)), PICTURES_AT_ONCE):
        images = _to(course, course.pictures.images(batch))
        parts.append(nearest(course.network.distances(course.model.normalise(images)))[:count])
    return torch.cat(parts)


@torch.no_grad()
def _measured(course: _Course, stage: str, number: int) -> Epoch:
    """Return costs and accuracy on the unchanged training pictures."""
    labels = torch.from_numpy(course.pictures.labels)
    costs, right = _costs(course, _nearest_in_all(course), _to(course, labels))
    return Epoch(stage, number, *(float(value) for value in (*costs, right)))


@torch.no_grad()
def _optimise_last_layer(course: _Course) -> None:
    settings, network = course.settings, course.network
    weights = fitted_weights(
        network.scores(_nearest_in_all(course)).cpu(),
        torch.from_numpy(course.pictures.labels),
        network.last.weight.detach().cpu(),
        network.prototype_classes.cpu(),
        settings.l1,
        settings.last_iterations,
    )
    network.last.weight.copy_(weights)


def _to(course: _Course, values: Tensor) -> Tensor:
    return values.to(course.model.device)


def fitted_weights(
    scores: Tensor,
    labels: Tensor,
    start: Tensor,
    prototype_classes: Tensor,
    l1: float,
    iterations: int,
) -> Tensor:
    """Return the last layer's weights that fit fixed similarities best.

    They minimise the mean cross entropy + λ Σ |w(k, j)| over prototypes j of other classes than k:
    a convex problem, as the layers below and the prototypes are fixed. Since |w| has a kink, such a
    weight is split into a positive and a negative part, both at least 0, so that L-BFGS-B reaches
    exact zeros. If the pictures can be separated without an error, there is no finite optimum:
    ``iterations`` limits the weights.

    Parameters
    ----------
    scores
        (n, m): each prototype's highest similarity in each training picture.
    labels
        int64 (n,).
    start
        (K, m): initial weights.
    prototype_classes
        int64 (m,).
    l1
        λ.
    iterations
        Most iterations; 0 leaves the weights unchanged.

    Returns
    -------
    (K, m)
        In the type of ``start``; never worse than the start.
    """
    from scipy.optimize import minimize

    if iterations == 0:
        return start.clone()
    wrong = wrong_class(len(start), prototype_classes).numpy()
    exact, first = scores.double(), start.double().numpy()

    def weights_of(parts: Doubles) -> Doubles:
        weights = np.empty_like(first)
        free, above, below = np.split(parts, [first.size - wrong.sum(), first.size])
        weights[~wrong], weights[wrong] = free, above - below
        return weights

    def objective(parts: Doubles) -> tuple[float, Doubles]:
        weights = torch.from_numpy(weights_of(parts)).requires_grad_()
        with torch.enable_grad():
            loss = functional.cross_entropy(exact @ weights.T, labels)
            (gradient,) = torch.autograd.grad(loss, weights)
        slope = gradient.numpy()
        penalty = l1 * parts[first.size - wrong.sum() :].sum()
        all_slopes = np.concatenate([slope[~wrong], slope[wrong] + l1, l1 - slope[wrong]])
        return loss.item() + penalty, all_slopes

    kinked = first[wrong]
    begin = np.concatenate([first[~wrong], kinked.clip(min=0), (-kinked).clip(min=0)])
    bounds: list[tuple[float | None, None]] = [(None, None)] * int((~wrong).sum())
    bounds += [(0.0, None)] * (2 * int(wrong.sum()))
    fit = minimize(
        objective,
        begin,
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": iterations, "ftol": TOLERANCE, "gtol": GRADIENT},
    )
    return torch.from_numpy(weights_of(fit.x)).to(start.dtype)
