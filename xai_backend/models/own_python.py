"""A network that the user's own Python makes: ``module:function``."""

from pathlib import Path

import torch
from torch import nn

from stimuli.errors import UserError
from stimuli.io.canonical import hash_of
from xai_backend.determinism import deterministic
from xai_backend.models.classifier import Classifier, assembled, fitted, read_state, state_sha256
from xai_backend.models.settings import ModelSettings, settings_beside
from xai_backend.own_code import FAILURES, code_sha256, fault_line, own_function, source_of


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
