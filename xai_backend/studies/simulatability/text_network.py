"""The network that reads sentences: a bidirectional LSTM with attention over its words."""

from typing import Final

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from xai_backend.studies.simulatability.vocabulary import BLANK, PADDING

HIDDEN: Final = 50
FEATURES: Final = 2 * HIDDEN
DROPOUT: Final = 0.5
CLASSES: Final = 2


class SentenceEncoder(nn.Module):
    """Turn codes of sentences into features (Yang et al. 2016, sections 2.1 and 2.2, words only).

    Parameters
    ----------
    vectors
        Of the words, float32 (codes, d). Those of `PADDING` and `BLANK` become zero, and stay so.
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
        """Return how much each word counts, (n, longest); sums to 1, and is 0 on padding."""
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
    """An encoder with the latent space of prototypes on it, and a linear layer on that.

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
