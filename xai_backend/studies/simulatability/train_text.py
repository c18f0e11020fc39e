"""A text domain: the BiLSTM with attention and its prototype network, trained and stored."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from safetensors.torch import load
from torch import Tensor, nn

from stimuli.io.canonical import canonical_json, hash_of, seed_of, sha256_hex
from stimuli.io.files import write_whole
from stimuli.studies.simulatability.protocol import Simulatability
from xai_backend.determinism import deterministic
from xai_backend.models.checkpoint import checkpoint_bytes, checkpoint_id, read_about, sound
from xai_backend.progress import Reporter, Silent
from xai_backend.studies.simulatability.prototype_network import (
    PrototypeNetwork,
    PrototypeSettings,
    prototype_settings,
)
from xai_backend.studies.simulatability.prototype_training import (
    Examples,
    PrototypeResult,
    Start,
    TrainingSplits,
    train_prototypes,
)
from xai_backend.studies.simulatability.text_data import (
    Splits,
    classes_of,
    read_texts,
    split_texts,
)
from xai_backend.studies.simulatability.text_model import (
    LEFT_OUT,
    TextModel,
    TextPrototypes,
    in_parts,
)
from xai_backend.studies.simulatability.text_network import (
    FEATURES,
    LatentNetwork,
    SentenceEncoder,
    SentenceNetwork,
)
from xai_backend.studies.simulatability.text_training import (
    MADE_VECTORS,
    PUBLISHED,
    TextSettings,
    train_text,
)
from xai_backend.studies.simulatability.text_words import Words, words_of
from xai_backend.studies.simulatability.trained import Labelled, Split, TaskModel, Trained

VERSION: Final = 1
"""Raised by hand whenever the same settings would make other weights."""
PROTOTYPES_PER_CLASS: Final = 40
LATENT_TITLE: Final = "training what prototypes are of"

ARCHITECTURE: Final = "sentences"

TASK, PROTOTYPES, ROWS = "task.", "prototypes.", "rows"

Networks = tuple[SentenceNetwork, PrototypeResult]
"""The task model's network, and the prototype network with its examples."""


@dataclass(frozen=True, slots=True)
class TextData:
    """What a text domain is trained on.

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
    """Return a text domain, trained here unless its networks lie in the folder.

    Parameters
    ----------
    data
        The texts and the word vectors.
    protocol
        Its variant and seed count.
    folder
        Where networks are kept, under a name that follows from all that determines them.
    reporter
        Is told how far the training is.

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
        TextModel(prototypes.network, words.vocabulary, classes, left_out),
        tuple(one.given for one in examples),
        tuple(one.label for one in examples),
    )
    accuracy = (
        share_right(model, splits["test"]),
        share_right(by_prototypes, splits["test"]),
    )
    return Trained("text", model, by_prototypes, splits, words.space(), accuracy)


def share_right(model: TaskModel, split: Sequence[Labelled]) -> float:
    """Return the share of a split that a model gets right, 0…1; a margin of 0 is negative."""
    positive = model.margins([one.given for one in split]) > 0
    truth = np.array([one.label == model.classes[1] for one in split])
    return float((positive == truth).mean())


def text_prototype_settings(protocol: Simulatability) -> PrototypeSettings:
    """Return how the prototype network of sentences is trained.

    Prototypes learn on features that stay as they are, in both variants. ``near_paper``: those of
    the task model. ``near_code``: those of a network of its own, trained as the task model is, by a
    linear layer on the latent space. (While an encoder with dropout learns together with its
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
        labels = torch.tensor([self.classes.index(one.label) for one in rows])
        return Examples(self.words.vocabulary.coded([one.given.parts for one in rows]), labels)


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
            [[one.source_id, one.label, *one.given.parts] for one in splits["train"]]
            + [one.source_id for one in splits["validation"]]
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
    def seed_for(what: str) -> int:
        return seed_of(protocol.seed, "text", what)

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
    """Return a latent space that is trained on an encoder's features, and the encoder as it was."""
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
    """Return the first row of each different sentence, so that no prototype comes twice."""
    first = {tuple(row): number for number, row in reversed(list(enumerate(codes.tolist())))}
    return torch.tensor(sorted(first.values()))


def write_networks(networks: Networks, determined_by: Mapping[str, Any], path: Path) -> None:
    """Write both networks to a file, whole."""
    task, prototypes = networks
    tensors = {f"{TASK}{name}": value for name, value in task.state_dict().items()}
    state = prototypes.network.state_dict()
    tensors |= {f"{PROTOTYPES}{name}": value for name, value in state.items()}
    tensors[ROWS] = prototypes.rows
    about = json.loads(canonical_json(determined_by))
    write_whole(path, checkpoint_bytes(tensors, about, ARCHITECTURE))


def read_networks(path: Path, vectors: Tensor, per_class: int) -> Networks:
    """Return both networks of a file, in float64 and evaluation mode.

    Parameters
    ----------
    vectors
        Of the words, (codes, d), for their number and dimensions.
    per_class
        Prototypes of each class.

    Raises
    ------
    UserError
        If the file isn't sound, or holds networks of another form.
    """
    with sound(path, "text model"):
        tensors = load(path.read_bytes())
        read_about(path, ARCHITECTURE)
        task = SentenceNetwork(vectors)
        network = PrototypeNetwork(SentenceEncoder(vectors), FEATURES, per_class)
        _fill(task, TASK, tensors)
        _fill(network, PROTOTYPES, tensors)
        return task, PrototypeResult(network, tensors[ROWS])


def _fill(network: nn.Module, prefix: str, tensors: dict[str, Tensor]) -> None:
    own = {name: value for name, value in tensors.items() if name.startswith(prefix)}
    weights = {name.removeprefix(prefix): value for name, value in own.items()}
    network.double().eval().requires_grad_(False).load_state_dict(weights)
