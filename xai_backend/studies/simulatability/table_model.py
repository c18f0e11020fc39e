"""Networks that read rows of a table, and the models that are made of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn

from stimuli.studies.simulatability.stimulus import TableInput
from xai_backend.studies.simulatability.prototype_network import CLASSES, PrototypeNetwork
from xai_backend.studies.simulatability.table_codes import Codes, Coding, OneHot
from xai_backend.studies.simulatability.table_omission import Chances, expected_scores
from xai_backend.studies.simulatability.trained import AnyInput, Reals, margins_of

HIDDEN: Final = 50
AT_ONCE: Final = 4096
DECIMALS: Final = 10
"""Digits that don't depend on which rows are read together."""


def table_encoder(sizes: Sequence[int]) -> nn.Sequential:
    """Return two hidden layers of 50 on one-hot inputs: from codes to features, (n, 50).

    Parameters
    ----------
    sizes
        How many levels each column has.
    """
    return nn.Sequential(
        OneHot(sizes),
        nn.Linear(sum(sizes), HIDDEN),
        nn.ReLU(),
        nn.Linear(HIDDEN, HIDDEN),
        nn.ReLU(),
    )


class TableNetwork(nn.Module):
    """The encoder with a linear layer on its features, or on a latent space that they lead to.

    Parameters
    ----------
    sizes
        How many levels each column has.
    latent
        Dimensions of the latent space; None for none. A prototype network begins with the layers
        of a network that has one.
    """

    def __init__(self, sizes: Sequence[int], latent: int | None = None) -> None:
        super().__init__()
        self.encoder = table_encoder(sizes)
        self.reduced = None if latent is None else nn.Linear(HIDDEN, latent)
        self.last = nn.Linear(latent or HIDDEN, CLASSES)

    def latents(self, codes: Tensor) -> Tensor:
        """Return what the last layer reads, (n, 50) or (n, latent)."""
        features = self.encoder(codes)
        return features if self.reduced is None else torch.sigmoid(self.reduced(features))

    def forward(self, codes: Tensor) -> Tensor:
        """Return scores of the classes, (n, 2)."""
        return self.last(self.latents(codes))


@dataclass(frozen=True, slots=True)
class TableModel:
    """A `TaskModel` of rows.

    Attributes
    ----------
    network
        Trained, in float64 and not training.
    coding
        Of the table.
    chances
        Of its values.
    classes
        The negative class, then the positive one.
    """

    network: TableNetwork | PrototypeNetwork
    coding: Coding
    chances: Chances
    classes: tuple[str, str]

    def margins(self, inputs: Sequence[AnyInput]) -> Reals:
        """Return log odds of the positive class, shape (n,)."""
        return margins_of(self.scores(inputs))

    def scores(self, inputs: Sequence[AnyInput]) -> Reals:
        """Return the classes' scores, shape (n, 2)."""
        return self._scores(self.coding.codes(inputs))

    def latents(self, inputs: Sequence[AnyInput]) -> Reals:
        """Return the features before the last layer, shape (n, d)."""
        return in_parts(self.network.latents, self.coding.codes(inputs))

    def margins_without(self, given: AnyInput) -> Reals:
        """Return the expected margins without each value in turn, shape (columns,)."""
        return margins_of(self.scores_without(given))

    def scores_without(self, given: AnyInput) -> Reals:
        """Return the expected scores without each value in turn, shape (columns, 2)."""
        return expected_scores(self.chances, self._scores, self.coding.codes([given])[0])

    def _scores(self, codes: Codes) -> Reals:
        return in_parts(self.network, codes)


@dataclass(frozen=True, slots=True)
class TablePrototypes(TableModel):
    """A `PrototypeModel` of rows.

    Attributes
    ----------
    prototypes, prototype_labels
        The training examples that the network compares with, and their classes.
    """

    prototypes: tuple[TableInput, ...]
    prototype_labels: tuple[str, ...]

    def likeness(self, inputs: Sequence[AnyInput]) -> Reals:
        """Return exp(−‖z − p‖²) of inputs and prototypes, shape (n, prototypes)."""
        assert isinstance(self.network, PrototypeNetwork)
        return in_parts(self.network.likeness, self.coding.codes(inputs))


@torch.inference_mode()
def in_parts(of: Callable[[Tensor], Tensor], codes: Codes) -> Reals:
    """Return what a network makes of rows, some at once.

    Parameters
    ----------
    of
        From codes, int64 (k, columns), to values, (k, …).
    codes
        int64 (n, columns).
    """
    parts = [of(part) for part in torch.from_numpy(codes).split(AT_ONCE)]
    return np.round(torch.cat(parts).double().numpy(), DECIMALS) + 0.0
