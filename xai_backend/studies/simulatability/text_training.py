"""Training of networks that read sentences: early stopping, and an average of the weights."""

import copy
import math
from dataclasses import dataclass
from typing import Final, TypeVar, cast

import torch
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from xai_backend.progress import Reporter
from xai_backend.studies.simulatability.prototype_training import Examples
from xai_backend.studies.simulatability.vocabulary import PADDING, UNKNOWN

AT_ONCE: Final = 512
"""Sentences that are read together where nothing is learned."""


@dataclass(frozen=True, slots=True)
class TextSettings:
    """How a network is trained.

    Attributes
    ----------
    adam
        Whether Adam is the optimiser; else stochastic gradient descent with momentum.
    rate, momentum, rate_decay
        Learning rate in epoch e, from 0: ``rate / (1 + rate_decay · e)``.
    batch, clip
        Sentences in a batch; greatest norm of the gradient.
    epochs, patience
        Epochs at most; training stops after so many without a lower loss on the validation split.
    averaged
        Whether the network that counts has a running average of the weights, which reaches back
        about one epoch.
    word_dropout
        Share of words that become the unknown word while training, so that its vector means
        something.
    """

    adam: bool
    rate: float
    momentum: float
    rate_decay: float
    batch: int
    clip: float
    epochs: int
    patience: int
    averaged: bool
    word_dropout: float


PUBLISHED: Final = TextSettings(
    adam=False, rate=0.015, momentum=0.9, rate_decay=0.05, batch=40, clip=5.0,
    epochs=100, patience=10, averaged=False, word_dropout=0.0,
)  # fmt: skip
"""Of the published code; for word vectors from a file."""
MADE_VECTORS: Final = TextSettings(
    adam=True, rate=1e-3, momentum=0.9, rate_decay=0.0, batch=40, clip=5.0,
    epochs=60, patience=4, averaged=True, word_dropout=0.1,
)  # fmt: skip
"""For vectors that are made from the training split. They need the network to change them, for
which the published rate is slow: it takes ten times as many epochs and ends 2 points lower."""

AnyNetwork = TypeVar("AnyNetwork", bound=nn.Module)


def train_text(
    network: AnyNetwork,
    train: Examples,
    validation: Examples,
    settings: TextSettings,
    reporter: Reporter,
    title: str = "training the text model",
) -> AnyNetwork:
    """Train a network, and return it as it was in its best epoch: ready for use, in float64.

    Draws from torch's generator. The best epoch has the lowest cross entropy on the validation
    split.

    Parameters
    ----------
    network
        From codes, int64 (n, longest), to scores of the classes, (n, 2).
    train, validation
        The splits; inputs are codes.
    """
    optimiser = _optimiser(network, settings)
    average = _average(network, settings, len(train.labels))
    best, lowest, since = network, float("inf"), 0
    with reporter.stage(title, settings.epochs) as advance:
        for epoch in range(settings.epochs):
            for group in optimiser.param_groups:
                group["lr"] = settings.rate / (1 + settings.rate_decay * epoch)
            _train_epoch(network, average, train, optimiser, settings)
            now = cast(AnyNetwork, average.module) if average else network
            loss = _loss(now, validation)
            since = 0 if loss < lowest else since + 1
            if not since:
                best, lowest = copy.deepcopy(now), loss
            advance(1)
            if since == settings.patience:
                break
    # In float64 a margin doesn't depend on which sentences are read together, to the digits told.
    return best.double().eval().requires_grad_(False)


def _optimiser(network: nn.Module, settings: TextSettings) -> torch.optim.Optimizer:
    if settings.adam:
        return torch.optim.Adam(network.parameters(), settings.rate)
    return torch.optim.SGD(network.parameters(), settings.rate, settings.momentum)


def _average(network: nn.Module, settings: TextSettings, count: int) -> AveragedModel | None:
    if not settings.averaged:
        return None
    steps = math.ceil(count / settings.batch)
    return AveragedModel(network, multi_avg_fn=get_ema_multi_avg_fn(1 - 1 / steps))


def _train_epoch(
    network: nn.Module,
    average: AveragedModel | None,
    train: Examples,
    optimiser: torch.optim.Optimizer,
    settings: TextSettings,
) -> None:
    network.train()
    for rows in torch.randperm(len(train.labels)).split(settings.batch):
        codes = _with_dropped_words(train.inputs[rows], settings.word_dropout)
        loss = nn.functional.cross_entropy(network(codes), train.labels[rows])
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), settings.clip)
        optimiser.step()
        if average:
            average.update_parameters(network)


def _with_dropped_words(codes: Tensor, share: float) -> Tensor:
    if not share:
        return codes
    dropped = (torch.rand(codes.shape) < share) & (codes != PADDING)
    return codes.masked_fill(dropped, UNKNOWN)


@torch.inference_mode()
def _loss(network: nn.Module, split: Examples) -> float:
    network.eval()
    scores = torch.cat([network(codes) for codes in split.inputs.split(AT_ONCE)])
    return float(nn.functional.cross_entropy(scores.double(), split.labels))
