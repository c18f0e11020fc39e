"""The user's own Python by name: ``module:function``.

It runs what stands in that file, so it is taken from the command line alone, never from a
protocol, a pack or a file of weights.
"""

import importlib
import inspect
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from stimuli.errors import UserError, first_line
from stimuli.io.canonical import file_sha256

NAME: Final = re.compile(r"(?P<module>[A-Za-z_]\w*(\.[A-Za-z_]\w*)*):(?P<function>[A-Za-z_]\w*)")
FAILURES: Final = (Exception, SystemExit)
"""What other people's code may raise: any exception, and SystemExit."""
TORCHVISION: Final = "xai_backend.torchvision_fix"
"""Imported before the user's module, which may import torchvision, timm or Transformers."""
LIBRARIES: Final = ("timm", "hf", "captum", "maps")
"""Prefixes before a colon that aren't modules."""


def names_own_python(name: str) -> bool:
    """Return whether a name has the form ``module:function``."""
    match = NAME.fullmatch(name)
    return match is not None and match["module"] not in LIBRARIES


def refuse_code(name: str, where: str) -> None:
    """Refuse a network's name that would run Python code, unless the user typed it.

    Parameters
    ----------
    name
        The network's name.
    where
        Where the name was found, such as a protocol's file.
    """
    if names_own_python(name):
        raise UserError(
            f"{where}: names the network {name}, which is Python code; it is run only where "
            f"--model {name} asks for it"
        )


def own_function(name: str, option: str) -> Callable[..., Any]:
    """Return a user's function; its module may lie in the working folder.

    Parameters
    ----------
    name
        ``module:function``.
    option
        The option that names it, for messages, such as ``--model``.

    Raises
    ------
    UserError
        If there is no such module or function, or the module fails.
    """
    module, _, function = name.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        importlib.import_module(TORCHVISION)
        loaded = getattr(importlib.import_module(module), function, None)
    except FAILURES as fault:
        raise UserError(
            f"{option} {name}: {module} can't be imported ({fault_line(fault)})"
        ) from None
    if not callable(loaded):
        raise UserError(f"{option} {name}: {module} has no function {function}")
    return loaded


def source_of(function: Callable[..., Any]) -> Path:
    """Return the file that defines a function; an empty path if there is none."""
    try:
        return Path(inspect.getsourcefile(function) or "")
    except TypeError:
        return Path()


def code_sha256(function: Callable[..., Any]) -> str:
    """Return the SHA-256 of the file that defines a function; empty if there is none."""
    source = source_of(function)
    return file_sha256(source) if source.is_file() else ""


def fault_line(fault: BaseException) -> str:
    """Return an exception of other people's code in one line, with its type."""
    return f"{type(fault).__name__}: {first_line(fault)}"
