"""A network that the user's own Python makes: ``module:function``.

It runs what stands in that file, so it is taken from the command line alone, never from a
protocol, a pack or a file of weights.
"""

import importlib
import inspect
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn

from stimuli.errors import UserError
from stimuli.io.canonical import file_sha256, hash_of
from xai_backend.determinism import deterministic
from xai_backend.models.checkpoint import first_line
from xai_backend.models.classifier import Classifier, assembled, fitted, read_state, state_sha256
from xai_backend.models.settings import ModelSettings, settings_beside

NAME = re.compile(r"(?P<module>[A-Za-z_]\w*(\.[A-Za-z_]\w*)*):(?P<function>[A-Za-z_]\w*)")

LIBRARIES = ("timm", "hf")
"""Words before the colon that name a library, not a module."""


def names_own_python(name: str) -> bool:
    """Return whether a name has the form ``module:function``."""
    found = NAME.fullmatch(name)
    return found is not None and found["module"] not in LIBRARIES


def refuse_code(name: str, where: str) -> None:
    """Refuse a network's name that would run somebody's Python, unless it was typed.

    Parameters
    ----------
    name
        The network's name.
    where
        What named it: a protocol's file, say.
    """
    if names_own_python(name):
        raise UserError(
            f"{where}: names the network {name}, which is Python code; it is run only where "
            f"--model {name} asks for it"
        )


def load_own(name: str, weights: str | None, device: torch.device) -> Classifier:
    """Return the network that a function without arguments returns.

    Parameters
    ----------
    name
        ``module:function``. The module is looked for in the working folder too.
    weights
        A state dict for it; None where the function gives it its weights. Weights drawn by
        torch are the same at each call: its generator is seeded.
    device
        Where it is to run.

    Raises
    ------
    UserError
        If there is no such function, it fails, or returns no network.
    """
    make = _function(name)
    try:
        with deterministic():
            network = make()
    except Exception as fault:  # somebody else's code fails in any way it likes
        said = f"{type(fault).__name__}: {first_line(fault)}"
        raise UserError(f"--model {name}: the function fails ({said})") from None
    if not isinstance(network, nn.Module):
        raise UserError(f"--model {name}: returns {type(network).__name__}, not a torch.nn.Module")
    source = Path(inspect.getsourcefile(make) or "")
    beside = Path(weights) if weights else source
    if weights is not None:
        network = fitted(name, network, read_state(Path(weights)), weights)
    code = file_sha256(source) if source.is_file() else ""
    digest = hash_of({"code": code, "weights": state_sha256(network)})
    return assembled(name, network, settings_beside(beside) or ModelSettings(), digest, device)


def _function(name: str) -> Callable[[], Any]:
    module, _, function = name.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found = getattr(importlib.import_module(module), function, None)
    except Exception as fault:  # the module may fail in any way it likes
        raise UserError(
            f"--model {name}: {module} can't be imported ({type(fault).__name__}: "
            f"{first_line(fault)})"
        ) from None
    if not callable(found):
        raise UserError(f"--model {name}: {module} has no function {function}")
    return found
