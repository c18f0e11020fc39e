"""Train and store a text domain: the BiLSTM with attention and its prototype network.

Networks that read sentences are trained with early stopping and an average of the weights.
"""

import copy
import json
import math
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import torch
from safetensors.torch import load
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from stimuli.io.canonical import canonical_json, hash_of, seed_of, sha256_hex
from stimuli.io.files import write_whole
from stimuli.studies.simulatability.protocol import Simulatability
from xai_backend.determinism import deterministic
from xai_backend.models.checkpoint import (
    checkpoint_bytes,
    checkpoint_id,
    filled,
    read_about,
    sound,
    state_of,
)
from xai_backend.progress import Reporter, Silent
from xai_backend.studies.simulatability.prototype_training import (
    PROTOTYPES,
    ROWS,
    TASK,
    Examples,
    PrototypeNetwork,
    PrototypeResult,
    PrototypeSettings,
    Start,
    TrainingSplits,
    prototype_settings,
    train_prototypes,
)
from xai_backend.studies.simulatability.text_data import (
    Splits,
    classes_of,
    read_texts,
    split_texts,
)
from xai_backend.studies.simulatability.text_model import (
    FEATURES,
    LEFT_OUT,
    LatentNetwork,
    SentenceEncoder,
    SentenceNetwork,
    TextModel,
    TextPrototypes,
    in_parts,
)
from xai_backend.studies.simulatability.text_words import PADDING, UNKNOWN, Words, words_of
from xai_backend.studies.simulatability.trained import Split, Trained, share_right

AT_ONCE: Final = 512
"""Sentences that are read together outside training."""


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
        Sentences in a batch; largest norm of the gradient.
    epochs, patience
        Most epochs; training stops after ``patience`` epochs without a lower loss on the validation
        split.
    averaged
        Whether the returned network has a running average of the weights over about one epoch.
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
"""Settings of the published code, for word vectors from a file."""
MADE_VECTORS: Final = TextSettings(
    adam=True, rate=1e-3, momentum=0.9, rate_decay=0.0, batch=40, clip=5.0,
    epochs=60, patience=4, averaged=True, word_dropout=0.1,
)  # fmt: skip
"""Settings for vectors that are made from the training split. The network has to change such
vectors, for which the published rate is slow: it takes ten times as many epochs and ends 2 points
lower."""

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

    It draws from torch's generator. The best epoch has the lowest cross entropy on the validation
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
    # In float64 the stated digits of a margin don't depend on which sentences are read together.
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


VERSION: Final = 1
"""Raise it by hand whenever the same settings would give other weights."""
PROTOTYPES_PER_CLASS: Final = 40
LATENT_TITLE: Final = "training what prototypes are of"

ARCHITECTURE: Final = "sentences"

Networks = tuple[SentenceNetwork, PrototypeResult]
"""The task model's network, and the result of training the prototype network."""


@dataclass(frozen=True, slots=True)
class TextData:
    """The data on which a text domain is trained.

    Attributes
    ----------
    source
        The data; see `read_texts`.
    vectors
        Word vectors in GloVe's text format. Without any, they are made from the training split.
    positive
        See `classes_of`.
    tested
        See `split_texts`.
    """

    source: Path
    vectors: Path | None = None
    positive: Collection[str] = ()
    tested: Collection[str] = ()


def trained_text(
    data: TextData, protocol: Simulatability, folder: Path, reporter: Reporter = Silent()
) -> Trained:
    """Return a text domain; it is trained unless the folder has its networks.

    Parameters
    ----------
    data
        The texts and the word vectors.
    protocol
        Only its variant and seed matter.
    folder
        Where networks are kept, under a name that follows from all that determines them.
    reporter
        Shows progress.

    Raises
    ------
    UserError
        If data or vectors can't be used, or a file in the folder is damaged.
    """
    read = read_texts(data.source)
    splits = split_texts(read, protocol.seed, data.tested)
    classes = classes_of(read, data.positive)
    words = words_of(splits, data.vectors, seed_of(protocol.seed, "text", "vectors"))
    settings = MADE_VECTORS if data.vectors is None else PUBLISHED
    texts = _Texts(splits, classes, words)
    network, prototypes = _kept_or_trained(texts, settings, protocol, folder, reporter)
    left_out = LEFT_OUT[protocol.models.variant]
    model = TextModel(network, words.vocabulary, classes, left_out)
    examples = [splits["train"][row] for row in prototypes.rows.tolist()]
    by_prototypes = TextPrototypes(
        prototypes.network,
        words.vocabulary,
        classes,
        left_out,
        tuple(example.instance for example in examples),
        tuple(example.label for example in examples),
    )
    accuracy = (
        share_right(model, splits["test"]),
        share_right(by_prototypes, splits["test"]),
    )
    return Trained("text", model, by_prototypes, splits, words.space(), accuracy)


def text_prototype_settings(protocol: Simulatability) -> PrototypeSettings:
    """Return how the prototype network of sentences is trained.

    In both variants prototypes learn on fixed features. ``near_paper``: those of the task model.
    ``near_code``: those of a separate network, trained like the task model, by a linear layer on
    the latent space. (While an encoder with dropout learns together with its
    prototypes, the separation carries its sentences away from all of them.)
    """
    usual = prototype_settings(protocol.models.variant, PROTOTYPES_PER_CLASS)
    return replace(usual, batch=40, clip=5.0, epochs=60, patience=20, push_after=1, frozen=True)


@dataclass(frozen=True, slots=True)
class _Texts:
    """The data by split, its classes, and the words that a model knows."""

    splits: Splits
    classes: tuple[str, str]
    words: Words

    def coded(self, split: Split) -> Examples:
        """Return a split as networks read it."""
        rows = self.splits[split]
        labels = torch.tensor([self.classes.index(row.label) for row in rows])
        return Examples(self.words.vocabulary.coded([row.instance.parts for row in rows]), labels)


def _kept_or_trained(
    texts: _Texts,
    settings: TextSettings,
    protocol: Simulatability,
    folder: Path,
    reporter: Reporter,
) -> Networks:
    splits, words = texts.splits, texts.words
    determined_by: dict[str, Any] = {
        "architecture": ARCHITECTURE,
        "version": VERSION,
        "variant": protocol.models.variant,
        "seed": protocol.seed,
        "settings": [asdict(settings), asdict(text_prototype_settings(protocol))],
        "data": hash_of(
            [
                [example.source_id, example.label, *example.instance.parts]
                for example in splits["train"]
            ]
            + [example.source_id for example in splits["validation"]]
        ),
        "words": hash_of(list(words.vocabulary.words)),
        "vectors": sha256_hex(words.vectors.numpy().tobytes()),
    }
    if list(texts.classes) != sorted(texts.classes):
        determined_by["classes"] = list(texts.classes)
    path = folder / f"{checkpoint_id(determined_by)}.safetensors"
    if not path.exists():
        train, validation = texts.coded("train"), texts.coded("validation")
        trained = _trained(train, validation, words, settings, protocol, reporter)
        write_networks(trained, determined_by, path)
    return read_networks(path, words.vectors, text_prototype_settings(protocol).per_class)


def _trained(
    train: Examples,
    validation: Examples,
    words: Words,
    settings: TextSettings,
    protocol: Simulatability,
    reporter: Reporter,
) -> Networks:
    def seed_for(purpose: str) -> int:
        return seed_of(protocol.seed, "text", purpose)

    with deterministic(seed_for("task model")):
        task = SentenceNetwork(words.vectors)
        task = train_text(task, train, validation, settings, reporter, "training the text model")
    chosen = text_prototype_settings(protocol)
    with deterministic(seed_for("latent space")):
        if protocol.models.variant == "near_paper":
            start = _latent_on(task.encoder, train, validation, chosen.latent, reporter)
        else:
            start = LatentNetwork(SentenceEncoder(words.vectors), chosen.latent)
            start = train_text(start, train, validation, settings, reporter, LATENT_TITLE)
    prototypes = train_prototypes(
        Start(start.encoder, FEATURES, start.reduced),
        TrainingSplits(train, validation, _different(train.inputs)),
        chosen,
        seed_for("prototypes"),
        reporter=reporter,
    )
    return task, prototypes


def _latent_on(
    encoder: nn.Module, train: Examples, validation: Examples, latent: int, reporter: Reporter
) -> LatentNetwork:
    """Return a network with a latent space trained on the features of an unchanged encoder."""
    train, validation = (
        Examples(torch.from_numpy(in_parts(encoder, split.inputs)).float(), split.labels)
        for split in (train, validation)
    )
    settings = replace(MADE_VECTORS, word_dropout=0.0)
    network = LatentNetwork(nn.Identity(), latent)
    network = train_text(network, train, validation, settings, reporter, LATENT_TITLE)
    network.encoder = encoder
    return network


def _different(codes: Tensor) -> Tensor:
    """Return the first row of each distinct sentence, so that no two prototypes are the same."""
    first = {tuple(row): number for number, row in reversed(list(enumerate(codes.tolist())))}
    return torch.tensor(sorted(first.values()))


def write_networks(networks: Networks, determined_by: Mapping[str, Any], path: Path) -> None:
    """Write both networks to a file, atomically."""
    task, prototypes = networks
    tensors = {
        **state_of(TASK, task), **state_of(PROTOTYPES, prototypes.network), ROWS: prototypes.rows,
    }  # fmt: skip
    about = json.loads(canonical_json(determined_by))
    write_whole(path, checkpoint_bytes(tensors, about, ARCHITECTURE))


def read_networks(path: Path, vectors: Tensor, per_class: int) -> Networks:
    """Return both networks of a file, in float64 and evaluation mode.

    Parameters
    ----------
    vectors
        Vectors of the words, (codes, d), for their number and dimensions.
    per_class
        Prototypes of each class.

    Raises
    ------
    UserError
        If the file is damaged, or has networks of another form.
    """
    with sound(path, "text model"):
        tensors = load(path.read_bytes())
        read_about(path, ARCHITECTURE)
        task = filled(SentenceNetwork(vectors), TASK, tensors)
        network = PrototypeNetwork(SentenceEncoder(vectors), FEATURES, per_class)
        return task, PrototypeResult(filled(network, PROTOTYPES, tensors), tensors[ROWS])
