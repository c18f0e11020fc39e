"""The prototype network, which decides by likeness to training examples (section 3.3), trained.

It stands on any encoder of inputs, so that sentences and rows of tables share it. Training is
k-means, steps, and the push onto training examples.
"""

import copy
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits
from torch import Tensor, nn
from torch.nn import functional

from stimuli.errors import UserError
from xai_backend.determinism import deterministic
from xai_backend.progress import Reporter, Silent
from xai_backend.protopnet.network import own_class, separation_cost, wrong_class

CLASSES: Final = 2
TASK, PROTOTYPES, ROWS = "task.", "prototypes.", "rows"
"""Names, in a file of trained networks, of the task model, its prototypes and their rows."""


@dataclass(frozen=True, slots=True)
class PrototypeSettings:
    """Structure and costs of a prototype network, and how it is trained.

    Default values are those of the published code for tables; `prototype_settings` has the values
    of both variants.

    Attributes
    ----------
    per_class
        Prototypes of each class.
    latent
        Dimensions of a prototype.
    batch
        Examples in a step; a smaller last batch of an epoch is left out.
    epochs, patience
        Most epochs; training stops after ``patience`` epochs without a higher accuracy on the
        validation split.
    push_after
        From this epoch on, from 1, prototypes are pushed onto training examples.
    clip
        Largest norm of the gradient; None for no limit.
    off_class_l1, separation
        Weights of the two costs beside the cross entropy.
    separation_cap
        Squared distances beyond this aren't increased; None for no cap.
    together
        Whether k-means clusters the latents of both classes together; else separately.
    last_learns
        Whether the last layer learns; else it stays the identity.
    frozen
        Whether the encoder doesn't learn.
    """

    per_class: int
    latent: int = 16
    batch: int = 1000
    epochs: int = 300
    patience: int = 150
    push_after: int = 20
    clip: float | None = None
    off_class_l1: float = 0.1
    separation: float = 0.1
    separation_cap: float | None = 4.0
    together: bool = False
    last_learns: bool = False
    frozen: bool = False


def prototype_settings(
    variant: Literal["near_code", "near_paper"], per_class: int
) -> PrototypeSettings:
    """Return the settings of a variant.

    ``near_code``: an encoder that goes on learning; k-means for each class; a last layer that stays
    the identity, so that its off-class weights cost nothing; squared distances count up to 4 for
    the separation. ``near_paper`` (appendix A.1): the task model's encoder, frozen as in the
    Composite method; k-means on all latents; a last layer that learns; separation without a cap.
    """
    if variant == "near_code":
        return PrototypeSettings(per_class)
    return PrototypeSettings(
        per_class, separation_cap=None, together=True, last_learns=True, frozen=True
    )


class PrototypeNetwork(nn.Module):
    """Computes scores of two classes from the similarity to their prototypes.

    A class's activation is the similarity to the class's most similar prototype. The last
    layer, of 2 × 2 weights without a bias, begins as the identity.

    Parameters
    ----------
    encoder
        From inputs, (n, …), to features, (n, features).
    features
        Number of features.
    per_class
        Prototypes of each class; the negative class's come first.
    latent
        Dimensions of the latent space of the prototypes.
    """

    prototype_classes: Tensor

    def __init__(self, encoder: nn.Module, features: int, per_class: int, latent: int = 16) -> None:
        super().__init__()
        self.encoder = encoder
        self.reduced = nn.Linear(features, latent)
        of_class = torch.arange(CLASSES).repeat_interleave(per_class)
        self.register_buffer("prototype_classes", of_class)
        self.prototypes = nn.Parameter(torch.rand(len(of_class), latent))
        self.last = nn.Linear(CLASSES, CLASSES, bias=False)
        nn.init.eye_(self.last.weight)

    def latents(self, inputs: Tensor) -> Tensor:
        """Return the latents of inputs, (n, latent), 0…1."""
        return torch.sigmoid(self.reduced(self.encoder(inputs)))

    def distances(self, latents: Tensor) -> Tensor:
        """Return ‖z − p‖² of latents and prototypes, (n, prototypes)."""
        squares = latents.square().sum(dim=1)[:, None] + self.prototypes.square().sum(dim=1)
        return (squares - 2 * latents @ self.prototypes.T).clamp(min=0)

    def likeness(self, inputs: Tensor) -> Tensor:
        """Return exp(−‖z − p‖²) of inputs and prototypes, (n, prototypes), 0…1."""
        return torch.exp(-self.distances(self.latents(inputs)))

    def scores(self, likeness: Tensor) -> Tensor:
        """Return scores of the classes, (n, 2), of likeness, (n, prototypes)."""
        return self.last(likeness.unflatten(1, (CLASSES, -1)).amax(dim=2))

    def forward(self, inputs: Tensor) -> Tensor:
        """Return scores of the classes, (n, 2)."""
        return self.scores(self.likeness(inputs))


def prototype_loss(
    network: PrototypeNetwork, inputs: Tensor, labels: Tensor, settings: PrototypeSettings
) -> Tensor:
    """Return the loss: cross entropy, off-class weights and separation.

    Parameters
    ----------
    inputs
        (n, …), as the encoder reads them.
    labels
        int64 (n,): 0 for the negative class, 1 for the positive one.
    """
    distances = network.distances(network.latents(inputs))
    scores = network.scores(torch.exp(-distances))
    return (
        functional.cross_entropy(scores, labels)
        + settings.off_class_l1 * off_class_l1(network.last.weight)
        + settings.separation
        * separation(distances, own_class(labels, network.prototype_classes), settings)
    )


def off_class_l1(weights: Tensor) -> Tensor:
    """Return Σ |w(k, j)| of the last layer, (2, 2), over k ≠ j."""
    return weights.abs()[wrong_class(CLASSES, torch.arange(CLASSES))].sum()


def separation(distances: Tensor, of_own_class: Tensor, settings: PrototypeSettings) -> Tensor:
    """Return minus the mean squared distance to the nearest prototype of the other class.

    Parameters
    ----------
    distances
        ‖z − p‖², (n, prototypes).
    of_own_class
        bool (n, prototypes): is a prototype of an input's class?
    """
    if settings.separation_cap is not None:
        distances = distances.clamp(max=settings.separation_cap)
    return separation_cost(distances, of_own_class)


AT_ONCE: Final = 512
SEEDS: Final = 2**32

Optimiser = Callable[[Iterable[nn.Parameter]], torch.optim.Optimizer]


@dataclass(frozen=True, slots=True)
class Examples:
    """A split, as networks read it.

    Attributes
    ----------
    inputs
        (n, …), as the encoder reads them.
    labels
        int64 (n,): 0 for the negative class, 1 for the positive one.
    """

    inputs: Tensor
    labels: Tensor


@dataclass(frozen=True, slots=True)
class TrainingSplits:
    """The data on which a network is trained, and which decide when to stop.

    Attributes
    ----------
    train, validation
        The splits.
    candidates
        int64: rows of the training split that a prototype may become; None for all.
    """

    train: Examples
    validation: Examples
    candidates: Tensor | None = None


@dataclass(frozen=True, slots=True)
class Start:
    """The initial state of a prototype network.

    Attributes
    ----------
    encoder, features
        From inputs to features, (n, ``features``). It is copied. For the variant ``near_paper`` it
        is the task model's.
    reduced
        Initial layer from features to the latent space, for cases in which random weights don't
        separate the classes: the separation alone would then drive all latents away from all
        prototypes, and nothing would be learned any more. None for random weights.
    """

    encoder: nn.Module
    features: int
    reduced: nn.Linear | None = None


@dataclass(frozen=True, slots=True)
class PrototypeResult:
    """A trained prototype network, in float64 and evaluation mode.

    Attributes
    ----------
    network
        Its prototypes are the latents of training examples.
    rows
        int64 (prototypes,): index of each prototype's example in the training split.
    """

    network: PrototypeNetwork
    rows: Tensor


def published_adam(parameters: Iterable[nn.Parameter]) -> torch.optim.Optimizer:
    """Return the published optimiser for tables."""
    return torch.optim.Adam(parameters, lr=1e-3, weight_decay=1e-4)


def train_prototypes(
    start: Start,
    splits: TrainingSplits,
    settings: PrototypeSettings,
    seed: int,
    optimiser: Optimiser = published_adam,
    reporter: Reporter = Silent(),
) -> PrototypeResult:
    """Train a prototype network on an encoder.

    From epoch ``push_after`` on, whenever the accuracy on the validation split exceeds the best
    accuracy after a push so far, prototypes are pushed and the accuracy is measured again. The
    network with the
    highest accuracy after a push is kept.

    Parameters
    ----------
    start, splits
        The network's initial state, and the data for training.
    optimiser
        Makes the optimiser of the parameters that learn.

    Raises
    ------
    UserError
        If a class has fewer candidates than prototypes.
    """
    train, validation, candidates = splits.train, splits.validation, splits.candidates
    candidates = torch.arange(len(train.labels)) if candidates is None else candidates
    _check_enough(train.labels[candidates], settings.per_class)
    with deterministic(seed):
        encoder = copy.deepcopy(start.encoder)
        network = PrototypeNetwork(encoder, start.features, settings.per_class, settings.latent)
        if start.reduced is not None:
            network.reduced.load_state_dict(start.reduced.state_dict())
        if settings.frozen:
            # Features that never change are computed once.
            network.encoder = nn.Identity()
            train, validation = (_encoded(encoder, split) for split in (train, validation))
        _initialise(network, train, settings, seed)
        read = TrainingSplits(train, validation, candidates)
        best = _trained(network, read, settings, optimiser, reporter)
        if settings.frozen:
            best.network.encoder = encoder
    # In float64 the stated digits of a score don't depend on which inputs are read together.
    best.network.double().eval().requires_grad_(False)
    return best


@torch.no_grad()
def push(network: PrototypeNetwork, train: Examples, candidates: Tensor) -> Tensor:
    """Make prototypes the latents of training examples of their class, and return the rows.

    No two prototypes become the same example; the sum of squared distances from prototypes to their
    examples is minimal.

    Parameters
    ----------
    candidates
        int64: rows of the training split that a prototype may become.

    Returns
    -------
    Tensor
        int64 (prototypes,).
    """
    network.eval()
    latents = _in_parts(network.latents, train.inputs[candidates])
    distances = torch.cat([network.distances(part) for part in latents.split(AT_ONCE)])
    rows = torch.empty(len(network.prototypes), dtype=torch.int64)
    for number in range(CLASSES):
        mine = (network.prototype_classes == number).nonzero()[:, 0]
        theirs = (train.labels[candidates] == number).nonzero()[:, 0]
        chosen = linear_sum_assignment(distances[theirs][:, mine].T.double().numpy())[1]
        rows[mine] = theirs[torch.from_numpy(chosen)]
    network.prototypes.copy_(latents[rows])
    return candidates[rows]


def _check_enough(labels: Tensor, per_class: int) -> None:
    fewest = int(torch.bincount(labels, minlength=CLASSES).min())
    if fewest < per_class:
        raise UserError(
            f"a class has {fewest} different training examples, but its {per_class} prototypes "
            f"need {per_class}; use more data"
        )


@torch.no_grad()
def _encoded(encoder: nn.Module, split: Examples) -> Examples:
    return Examples(_in_parts(encoder.eval(), split.inputs).float(), split.labels)


@torch.no_grad()
def _initialise(
    network: PrototypeNetwork, train: Examples, settings: PrototypeSettings, seed: int
) -> None:
    """Set prototypes to the centres of clusters, and freeze the layers that don't learn."""
    latents = _in_parts(network.eval().latents, train.inputs).numpy()
    labels = train.labels.numpy()
    if settings.together:
        centres = _centres_together(latents, labels, settings.per_class, seed)
    else:
        parts = (latents[labels == number] for number in range(CLASSES))
        centres = np.concatenate(
            [_clustered(part, settings.per_class, seed).cluster_centers_ for part in parts]
        )
    network.prototypes.copy_(torch.from_numpy(centres))
    network.last.requires_grad_(settings.last_learns)


def _centres_together(
    latents: NDArray[np.float32], labels: NDArray[np.int64], per_class: int, seed: int
) -> NDArray[np.float32]:
    """Cluster all latents; the half with the lowest shares of positives is the negative class's."""
    count = CLASSES * per_class
    clusters = _clustered(latents, count, seed)
    cluster_of = np.asarray(clusters.labels_)
    sizes = np.bincount(cluster_of, minlength=count)
    shares = np.bincount(cluster_of, labels, minlength=count) / sizes.clip(min=1)
    return clusters.cluster_centers_[np.argsort(shares, kind="stable")]


def _clustered(values: NDArray[np.float32], count: int, seed: int) -> KMeans:
    # Sums depend on the number of threads.
    with threadpool_limits(1):
        return KMeans(count, n_init=1, random_state=seed % SEEDS).fit(values)


def _trained(
    network: PrototypeNetwork,
    splits: TrainingSplits,
    settings: PrototypeSettings,
    optimiser: Optimiser,
    reporter: Reporter,
) -> PrototypeResult:
    train, validation, candidates = splits.train, splits.validation, splits.candidates
    assert candidates is not None
    steps = optimiser([value for value in network.parameters() if value.requires_grad])
    best, highest, since = PrototypeResult(network, candidates[:0]), -1.0, 0
    with reporter.stage("training the prototypes", settings.epochs) as advance:
        for epoch in range(1, settings.epochs + 1):
            _train_epoch(network, train, steps, settings)
            advance(1)
            if epoch < min(settings.push_after, settings.epochs):
                continue
            since += 1
            if accuracy(network, validation) > highest:
                rows = push(network, train, candidates)
                now = accuracy(network, validation)
                if now > highest:
                    best = PrototypeResult(copy.deepcopy(network), rows)
                    highest, since = now, 0
            if since == settings.patience:
                break
    return best


def _train_epoch(
    network: PrototypeNetwork,
    train: Examples,
    steps: torch.optim.Optimizer,
    settings: PrototypeSettings,
) -> None:
    network.train()
    size = min(settings.batch, len(train.labels))
    for rows in torch.randperm(len(train.labels)).split(size):
        if len(rows) < size:
            continue
        loss = prototype_loss(network, train.inputs[rows], train.labels[rows], settings)
        steps.zero_grad()
        loss.backward()
        if settings.clip is not None:
            nn.utils.clip_grad_norm_(network.parameters(), settings.clip)
        steps.step()


@torch.no_grad()
def accuracy(network: nn.Module, split: Examples) -> float:
    """Return the share of a split that is classified correctly, 0…1; ties count as negative."""
    scores = _in_parts(network.eval(), split.inputs)
    return float(((scores[:, 1] > scores[:, 0]) == (split.labels == 1)).double().mean())


def _in_parts(of: Callable[[Tensor], Tensor], inputs: Tensor) -> Tensor:
    return torch.cat([of(part) for part in inputs.split(AT_ONCE)])
