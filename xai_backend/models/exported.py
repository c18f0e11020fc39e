"""Networks that ``torch.export.save`` wrote: ``FILE.pt2``."""

from pathlib import Path
from typing import Any, Final

import torch

from stimuli.errors import UserError, first_line
from stimuli.io.canonical import file_sha256
from xai_backend.models.classifier import Classifier, assembled
from xai_backend.models.settings import ModelSettings, settings_beside

SUFFIX: Final = ".pt2"


def load_exported(path: Path, weights: str | None, device: torch.device) -> Classifier:
    """Return the network of an exported program.

    Parameters
    ----------
    path
        The file. Settings lie beside it (``net.pt2``, ``net.toml``).
    weights
        Must be None: the program has its own.
    device
        The device that it was exported for; a program can't be moved.

    Raises
    ------
    UserError
        If it is no such file, holds what would be run on reading, or doesn't take several
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
    except Exception as fault:  # torch's reader fails in any way it likes
        raise UserError(f"{path}: is not an exported program ({first_line(fault)})") from None
    # A program is in the mode that it was exported in; the module refuses to be asked for one.
    network.train = network.eval = lambda *_: network
    settings = settings_beside(path) or ModelSettings()
    return assembled(path.name, network, settings, file_sha256(path), device)
