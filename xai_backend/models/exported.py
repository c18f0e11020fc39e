"""Networks that ``torch.export.save`` wrote: ``FILE.pt2``.

torch's reader of these files runs code that stands in them: pickled objects, compiled libraries,
and expressions that it evaluates. So a file is looked through first, and one that holds any of
these is refused.
"""

import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import torch

from stimuli.errors import UserError, first_line
from stimuli.io.canonical import file_sha256
from xai_backend.models.classifier import Classifier, assembled
from xai_backend.models.settings import ModelSettings, settings_beside

SUFFIX: Final = ".pt2"
PLAIN_CONSTANT: Final = "tensor_"
CALLS: Final = re.compile(
    r"torch\.ops\.(aten|prims|torchvision)\.\w+(\.\w+)?"
    r"|torch\.sym_\w+"
    r"|_operator\.(getitem|add|sub|mul|floordiv|truediv|mod|neg|eq|ne|lt|le|gt|ge)"
)
"""What a program may call: operations on tensors, and arithmetic on sizes."""
EXPRESSION: Final = re.compile(r"[\s\d+\-*/%(),<>=&|~.]*")
WORDS: Final = re.compile(
    r"Symbol\('[su]\d+'(, \w+=True)*\)"
    r"|\b([su]\d+|oo|int_oo|True|False|Eq|Ne|Lt|Le|Gt|Ge|Min|Max|Mod|And|Or|Not"
    r"|FloorDiv|PythonMod|CleanDiv|Integer)\b"
)
"""What an expression of sizes may be made of."""


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
    _look_through(path)
    try:
        program = torch.export.load(path)
        network = program.module(check_guards=False)
    except Exception as fault:  # torch's reader fails in any way it likes
        raise UserError(f"{path}: is not an exported program ({first_line(fault)})") from None
    # A program is in the mode that it was exported in; the module refuses to be asked for one.
    network.train = network.eval = lambda *_: network  # type: ignore[method-assign]
    settings = settings_beside(path) or ModelSettings()
    return assembled(path.name, network, settings, file_sha256(path), device)


def _look_through(path: Path) -> None:
    """Refuse a file whose reading would run anything."""
    try:
        with zipfile.ZipFile(path) as archive:
            found = next(_unsafe(archive), None)
    except (OSError, zipfile.BadZipFile, ValueError, LookupError, TypeError) as fault:
        raise UserError(f"{path}: is not an exported program ({first_line(fault)})") from None
    if found is not None:
        raise UserError(
            f"{path}: contains {found}, which would be run on reading; export the network again "
            "with torch.export.save"
        )


def _unsafe(archive: zipfile.ZipFile) -> Iterator[str]:
    names = archive.namelist()
    inner = {name.partition("/")[2]: name for name in names}
    programs = [name for name in inner if re.fullmatch(r"models/[^/]+\.json", name)]
    if not programs:
        raise ValueError("there is no program in it")
    if any("aotinductor" in name for name in names):
        yield "compiled code"
    for name in inner:
        if name.endswith("_config.json"):
            payloads = json.loads(archive.read(inner[name]))["config"].values()
            constants = "constants" in name
            for one in payloads:
                odd = constants and not one["path_name"].startswith(PLAIN_CONSTANT)
                if one.get("use_pickle") or odd:
                    yield "pickled objects"
        if name.startswith("data/sample_inputs/") and _is_pickled(archive.read(inner[name])):
            yield "pickled objects"
    for name in programs:
        yield from _calls(json.loads(archive.read(inner[name])))


def _is_pickled(data: bytes) -> bool:
    """Return whether more than tensors stands in a file of torch's."""
    try:
        torch.load(io.BytesIO(data), weights_only=True)
    except Exception:  # whatever it is, it isn't plain
        return True
    return False


def _calls(value: Any, key: str = "") -> Iterator[str]:
    """Yield what a program would call or evaluate beside operations on tensors."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _calls(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from _calls(inner, key)
    elif isinstance(value, str):
        if key == "target" and _is_call(value) and not CALLS.fullmatch(value):
            yield f"a call of {value[:60]!r}"
        if key == "expr_str" and not _is_arithmetic(value):
            yield f"the expression {value[:60]!r}"


def _is_call(target: str) -> bool:
    """Return whether a target names a function, not a part of the network."""
    return target.startswith(("torch", "_operator", "math", "builtins", "operator"))


def _is_arithmetic(text: str) -> bool:
    return EXPRESSION.fullmatch(WORDS.sub("", text)) is not None
