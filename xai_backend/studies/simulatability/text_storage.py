"""Networks that read sentences as a file: weights, and which examples the prototypes are."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from safetensors.torch import load
from torch import Tensor, nn

from stimuli.io.canonical import canonical_json
from stimuli.io.files import write_whole
from xai_backend.models.checkpoint import checkpoint_bytes, read_about, sound
from xai_backend.studies.simulatability.prototype_network import PrototypeNetwork
from xai_backend.studies.simulatability.prototype_training import PrototypeResult
from xai_backend.studies.simulatability.text_network import (
    FEATURES,
    SentenceEncoder,
    SentenceNetwork,
)

ARCHITECTURE: Final = "sentences"
TASK, PROTOTYPES, ROWS = "task.", "prototypes.", "rows"

Networks = tuple[SentenceNetwork, PrototypeResult]
"""The task model's network, and the prototype network with its examples."""


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
