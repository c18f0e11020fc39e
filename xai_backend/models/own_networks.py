"""The user's own networks: made by ``module:function``, or written by ``torch.export.save``.

The first is the user's own Python, the second a file, ``FILE.pt2``.
"""

from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor, nn
from torch.fx import GraphModule

from stimuli.errors import UserError, first_line
from stimuli.io.canonical import file_sha256, hash_of
from xai_backend.determinism import deterministic
from xai_backend.models.classifier import (
    Classifier,
    ModelSettings,
    assembled,
    fitted,
    read_state,
    settings_beside,
    state_sha256,
)
from xai_backend.own_code import FAILURES, code_sha256, fault_line, own_function, source_of


def load_own(name: str, weights: str | None, device: torch.device) -> Classifier:
    """Call a user's function without arguments, and return its network.

    Parameters
    ----------
    name
        ``module:function``. The module is looked for in the working folder too.
    weights
        A state dict for the network; None if the function sets its weights. torch's generator is
        seeded, so that randomly drawn weights are the same at each call.
    device
        Where it is to run.

    Raises
    ------
    UserError
        If there is no such function, it fails, or returns no network.
    """
    make = own_function(name, "--model")
    try:
        with deterministic():
            network = make()
    except FAILURES as fault:
        raise UserError(f"--model {name}: the function fails ({fault_line(fault)})") from None
    if not isinstance(network, nn.Module):
        raise UserError(f"--model {name}: returns {type(network).__name__}, not a torch.nn.Module")
    beside = Path(weights) if weights else source_of(make)
    if weights is not None:
        network = fitted(name, network, read_state(Path(weights)), weights)
    parts = {"code": code_sha256(make), "function": name, "weights": state_sha256(network)}
    settings = settings_beside(beside) or ModelSettings()
    return assembled(name, network, settings, hash_of(parts), device)


PROGRAM_SUFFIX: Final = ".pt2"
FEATURES: Final = "last_feature_maps"
"""The module that gives a program's last feature maps."""


def load_exported(path: Path, weights: str | None, device: torch.device) -> Classifier:
    """Return the network of an exported program.

    Parameters
    ----------
    path
        The file. Settings lie beside it (``net.pt2``, ``net.toml``).
    weights
        Must be None: the program has its own.
    device
        The device for which it was exported; a program can't be moved.

    Raises
    ------
    UserError
        If it isn't such a file, contains code that would run on reading, or doesn't take several
        pictures (export it with a dynamic batch).
    """
    if weights is not None:
        raise UserError(f"--weights goes with other models; {path} has its own")
    if not path.is_file():
        raise UserError(f"--model {path}: there is no such file")
    from xai_backend.models.program_file import RefusedError, read_program  # it imports sympy

    try:
        network: Any = read_program(path).module(check_guards=False)
    except RefusedError as fault:
        raise UserError(
            f"{path}: contains {fault}, which Plainsight doesn't read (docs/models.md says what "
            "it reads); change the network and export it again"
        ) from None
    except Exception as fault:  # torch's reader may raise anything
        raise UserError(f"{path}: is not an exported program ({first_line(fault)})") from None
    # A program keeps the mode in which it was exported; its module raises errors on eval() and
    # train().
    network.train = network.eval = lambda *_: network
    settings = settings_beside(path) or ModelSettings()
    if _has_features(network):
        settings = settings.model_copy(update={"last_features": FEATURES})
    return assembled(path.name, network, settings, file_sha256(path), device)


def _has_features(network: GraphModule) -> bool:
    """Make a module of a program's last feature maps, if it has any.

    They are the last values of the size that the last convolution over an image gives; a network
    with a single one cuts the image into patches by it.
    """
    calls = [node for node in network.graph.nodes if node.op == "call_function"]
    values = {node: node.meta.get("val") for node in calls}
    maps = {
        node: value.shape[2:]
        for node, value in values.items()
        if isinstance(value, Tensor) and value.dim() == 4 and min(value.shape[2:]) > 1
    }
    sizes = [size for node, size in maps.items() if "conv" in str(node.target)]
    if len(sizes) < 2:
        return False
    last = [node for node, size in maps.items() if size == sizes[-1]][-1]
    network.add_module(FEATURES, nn.Identity())
    with network.graph.inserting_after(last):
        same = network.graph.call_module(FEATURES, (last,))
    last.replace_all_uses_with(same, delete_user_cb=lambda user: user is not same)
    network.recompile()
    return True
