"""Language models of Transformers, and what all folders of Transformers have; no code is run."""

import hashlib
import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch

from stimuli.errors import UserError, first_line
from xai_backend.models.transformers_models import MISSING, PREFIX

LOCAL: Final[dict[str, Any]] = {"local_files_only": True, "trust_remote_code": False}
"""Nothing is downloaded, and no code of a folder is run."""
TOKENIZERS: Final = ("tokenizer_config.json", "tokenizer.json")
"""Files of which a tokenizer writes at least one."""


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """A language model that goes on with a text.

    Attributes
    ----------
    network, tokenizer
        Of Transformers; float32, in evaluation mode.
    sha256
        Hash of all files of the folder.
    """

    network: Any
    tokenizer: Any
    sha256: str


def load_language_model(name: str, option: str, device: str) -> LanguageModel:
    """Return the language model of a folder that ``save_pretrained`` wrote, with its tokenizer.

    Parameters
    ----------
    name, option
        ``hf:DIR``, and the option that names it, for messages.
    device
        Where the network computes.

    Raises
    ------
    UserError
        If Transformers isn't installed, or the folder holds no language model.
    """
    where, folder = f"{option} {name}", Path(name.removeprefix(PREFIX)).expanduser()
    transformers = library()
    try:
        network, loaded = transformers.AutoModelForCausalLM.from_pretrained(
            str(folder), dtype=torch.float32, output_loading_info=True, **LOCAL
        )
    except Exception as fault:  # another library may raise anything
        raise UserError(f"{where}: contains no language model ({first_line(fault)})") from None
    if loaded["missing_keys"]:
        lacking = sorted(loaded["missing_keys"])[0]
        raise UserError(f"{where}: lacks weights of a language model ({lacking})")
    network = network.eval().requires_grad_(False).to(device)
    return LanguageModel(network, tokenizer_in(folder, where), folder_sha256(folder))


def library() -> Any:
    """Return Transformers, which says nothing on the terminal; UserError if it isn't installed."""
    try:
        transformers: Any = importlib.import_module("transformers")
    except ImportError:
        raise UserError(MISSING) from None
    transformers.utils.logging.disable_progress_bar()
    transformers.utils.logging.set_verbosity_error()
    return transformers


def tokenizer_in(folder: Path, where: str) -> Any:
    """Return a folder's tokenizer; if there were none, Transformers would make an empty one.

    Raises
    ------
    UserError
        If there is none, or it can't be read.
    """
    try:
        if not any((folder / name).is_file() for name in TOKENIZERS):
            raise FileNotFoundError(f"there is no {TOKENIZERS[0]}")
        return library().AutoTokenizer.from_pretrained(str(folder), **LOCAL)
    except Exception as fault:  # as above
        raise UserError(
            f"{where}: contains no tokenizer ({first_line(fault)}); "
            "tokenizer.save_pretrained(DIR) saves one"
        ) from None


def folder_sha256(folder: Path) -> str:
    """Return the SHA-256 of all files of a folder, with their names."""
    digest = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.is_file():
            digest.update(f"{path.name} {path.stat().st_size}\n".encode())
            with path.open("rb") as stream:
                digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()
