"""Networks that read sentences, and the text model and its prototype network made of them.

The network is a bidirectional LSTM with attention over its words. The models return margins and
scores of trained networks.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from stimuli.studies.simulatability.stimulus import TextInput
from xai_backend.studies.simulatability.prototype_training import PrototypeNetwork
from xai_backend.studies.simulatability.text_words import BLANK, PADDING, UNKNOWN, Vocabulary
from xai_backend.studies.simulatability.trained import AnyInput, Reals, margins_of

HIDDEN: Final = 50
FEATURES: Final = 2 * HIDDEN
DROPOUT: Final = 0.5
CLASSES: Final = 2
AT_ONCE: Final = 512
DECIMALS: Final = 10
"""Decimals that don't depend on which sentences are read together."""
LEFT_OUT: Final = {"near_code": UNKNOWN, "near_paper": BLANK}
"""Code that replaces a left-out word, by variant."""


class SentenceEncoder(nn.Module):
    """Turns codes of sentences into features (Yang et al. 2016, sections 2.1 and 2.2, words only).

    Parameters
    ----------
    vectors
        Vectors of the words, float32 (codes, d). Those of `PADDING` and `BLANK` become zero, and
        stay zero.
    """

    def __init__(self, vectors: Tensor) -> None:
        super().__init__()
        self.words = nn.Embedding.from_pretrained(
            vectors.clone(), freeze=False, padding_idx=PADDING
        )
        with torch.no_grad():
            self.words.weight[[PADDING, BLANK]] = 0
        self.reader = nn.LSTM(vectors.shape[1], HIDDEN, batch_first=True, bidirectional=True)
        self.attended = nn.Linear(FEATURES, FEATURES)
        self.context = nn.Linear(FEATURES, 1, bias=False)
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, codes: Tensor) -> Tensor:
        """Return features, (n, 100), of codes, int64 (n, longest), padded on the right."""
        states, attention = self._read(codes)
        return (attention[..., None] * states).sum(1)

    def attention(self, codes: Tensor) -> Tensor:
        """Return each word's weight, (n, longest); weights sum to 1, and are 0 on padding."""
        attention = self._read(codes)[1]
        return nn.functional.pad(attention, (0, codes.shape[1] - attention.shape[1]))

    def _read(self, codes: Tensor) -> tuple[Tensor, Tensor]:
        lengths = (codes != PADDING).sum(1)
        codes = codes[:, : int(lengths.max())]
        vectors = self.dropout(self.words(codes))
        packed = pack_padded_sequence(
            vectors, lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        states = self.dropout(pad_packed_sequence(self.reader(packed)[0], batch_first=True)[0])
        scores = self.context(torch.tanh(self.attended(states))).squeeze(-1)
        scores = scores.masked_fill(codes == PADDING, -torch.inf)
        return states, scores.softmax(1)


class SentenceNetwork(nn.Module):
    """The encoder with a linear layer on its features."""

    def __init__(self, vectors: Tensor) -> None:
        super().__init__()
        self.encoder = SentenceEncoder(vectors)
        self.dropout = nn.Dropout(DROPOUT)
        self.last = nn.Linear(FEATURES, CLASSES)

    def forward(self, codes: Tensor) -> Tensor:
        """Return scores of the classes, (n, 2)."""
        return self.last(self.dropout(self.encoder(codes)))


class LatentNetwork(nn.Module):
    """An encoder, the latent space of prototypes above it, and a linear layer above that.

    Parameters
    ----------
    encoder
        From inputs to features, (n, 100).
    latent
        Dimensions of the latent space.
    """

    def __init__(self, encoder: nn.Module, latent: int) -> None:
        super().__init__()
        self.encoder = encoder
        self.dropout = nn.Dropout(DROPOUT)
        self.reduced = nn.Linear(FEATURES, latent)
        self.last = nn.Linear(latent, CLASSES)

    def forward(self, inputs: Tensor) -> Tensor:
        """Return scores of the classes, (n, 2)."""
        return self.last(torch.sigmoid(self.reduced(self.dropout(self.encoder(inputs)))))


@dataclass(frozen=True, slots=True)
class TextModel:
    """A `TaskModel` of sentences.

    Attributes
    ----------
    network
        From codes to scores of the classes, with an ``encoder`` from codes to features; trained,
        in float64 and in evaluation mode.
    vocabulary
        The known words.
    classes
        The negative class, then the positive one.
    left_out
        The code that replaces a left-out word.
    """

    network: SentenceNetwork | PrototypeNetwork
    vocabulary: Vocabulary
    classes: tuple[str, str]
    left_out: int

    def margins(self, inputs: Sequence[AnyInput]) -> Reals:
        """Return log odds of the positive class, shape (n,)."""
        return margins_of(self.scores(inputs))

    def scores(self, inputs: Sequence[AnyInput]) -> Reals:
        """Return the classes' scores, shape (n, 2)."""
        return in_parts(self.network, self._codes(inputs))

    def latents(self, inputs: Sequence[AnyInput]) -> Reals:
        """Return the encoder's features, shape (n, 100)."""
        return self.read(self.network.encoder, inputs)

    def attention(self, instance: AnyInput) -> Reals:
        """Return each word's weight in the features, shape (tokens,); weights sum to 1."""
        assert isinstance(self.network.encoder, SentenceEncoder)
        return self.read(self.network.encoder.attention, [instance])[0]

    def margins_without(self, instance: AnyInput) -> Reals:
        """Return the margins with each token left out in turn, shape (tokens,)."""
        return margins_of(self.scores_without(instance))

    def scores_without(self, instance: AnyInput) -> Reals:
        """Return the scores with each token left out in turn, shape (tokens, 2)."""
        return in_parts(self.network, each_left_out(self._codes([instance])[0], self.left_out))

    def read(self, of: Callable[[Tensor], Tensor], inputs: Sequence[AnyInput]) -> Reals:
        """Return the values of a part of the network for sentences, (n, …)."""
        return in_parts(of, self._codes(inputs))

    def _codes(self, inputs: Sequence[AnyInput]) -> Tensor:
        return self.vocabulary.coded([instance.parts for instance in inputs])


@dataclass(frozen=True, slots=True)
class TextPrototypes(TextModel):
    """A `PrototypeModel` of sentences.

    Attributes
    ----------
    prototypes, prototype_labels
        The training sentences that the network's prototypes are, and their classes.
    """

    prototypes: tuple[TextInput, ...]
    prototype_labels: tuple[str, ...]

    def latents(self, inputs: Sequence[AnyInput]) -> Reals:
        """Return the latents of sentences, shape (n, 16), 0…1."""
        return self.read(self._network.latents, inputs)

    def likeness(self, inputs: Sequence[AnyInput]) -> Reals:
        """Return exp(−‖z − p‖²) of sentences and prototypes, shape (n, prototypes)."""
        return self.read(self._network.likeness, inputs)

    @property
    def _network(self) -> PrototypeNetwork:
        assert isinstance(self.network, PrototypeNetwork)
        return self.network


def each_left_out(codes: Tensor, left_out: int) -> Tensor:
    """Return a sentence's codes with each one replaced in turn, int64 (tokens, tokens)."""
    return codes.repeat(len(codes), 1).fill_diagonal_(left_out)


@torch.inference_mode()
def in_parts(of: Callable[[Tensor], Tensor], codes: Tensor) -> Reals:
    """Return a network's values for sentences, in batches of similar length.

    Parameters
    ----------
    of
        From codes, int64 (k, longest), to values, (k, …).
    codes
        Int64 (n, longest), padded on the right.
    """
    if not len(codes):
        return of(torch.full((1, 1), UNKNOWN)).numpy()[:0]
    order = (codes != 0).sum(1).argsort(stable=True)
    values = torch.cat([of(codes[rows]) for rows in order.split(AT_ONCE)])
    return np.round(values[order.argsort()].numpy(), DECIMALS) + 0.0
