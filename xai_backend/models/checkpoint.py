"""Networks as safetensors files: weights, and one entry of metadata that says what they are."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn

from stimuli.errors import UserError, first_line
from stimuli.io.canonical import canonical_json, hash_of
from stimuli.io.inside import refuse_odd

ID_DIGITS = 16
AnyNetwork = TypeVar("AnyNetwork", bound=nn.Module)


def checkpoint_id(determined_by: Mapping[str, Any]) -> str:
    """Return the name of a trained network: its ``architecture``, and a hash of all values."""
    return f"{determined_by['architecture']}-{hash_of(dict(determined_by))[:ID_DIGITS]}"


def checkpoint_bytes(
    tensors: Mapping[str, Tensor], about: Mapping[str, Any], entry: str = "checkpoint"
) -> bytes:
    """Return the bytes of a file of tensors, with plain JSON values as an entry of its metadata."""
    whole = {name: value.cpu().contiguous() for name, value in tensors.items()}
    # One entry only: safetensors writes several in an order that changes from run to run.
    return save(whole, {entry: canonical_json(about).decode("utf-8")})


def read_about(path: Path, entry: str = "checkpoint") -> dict[str, Any]:
    """Return the ``about`` given to `checkpoint_bytes`; KeyError if it isn't in the file."""
    with safe_open(path, framework="pt") as file:
        return json.loads((file.metadata() or {})[entry])


def state_of(prefix: str, network: nn.Module) -> dict[str, Tensor]:
    """Return a network's weights by their names in a file that holds several networks."""
    return {f"{prefix}{name}": value for name, value in network.state_dict().items()}


def filled(network: AnyNetwork, prefix: str, tensors: Mapping[str, Tensor]) -> AnyNetwork:
    """Return a network with its weights from such a file, in float64 and evaluation mode."""
    network_tensors = {name: value for name, value in tensors.items() if name.startswith(prefix)}
    network.double().load_state_dict(
        {k.removeprefix(prefix): v for k, v in network_tensors.items()}
    )
    return network.eval().requires_grad_(False)


@contextmanager
def sound(path: Path, kind: str) -> Iterator[None]:
    """Turn any error of a file's reader into one line: the file isn't valid content of its kind.

    Raises
    ------
    UserError
        If the block can't read the file or build the network.
    """
    refuse_odd(path)
    try:
        yield
    except (OSError, SafetensorError, LookupError, TypeError, ValueError, RuntimeError) as fault:
        raise UserError(f"{path}: contains no valid {kind} ({first_line(fault)})") from None
