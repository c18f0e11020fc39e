"""The file of an exported program, read without running anything that stands in it.

torch's own reader unpickles objects, loads compiled code, lets sympy evaluate expressions, imports
modules that the file names, and writes the file's names into Python code that it runs. So this
module reads only what a network needs: the graph, in which every text is checked, and plain
tensors. Stack traces, guards, examples of inputs and compiled code are left unread.

torch hands the text of a size to sympy, which runs it as Python. Here it is read as arithmetic: a
name stands for one of the operations below, or the text is refused.
"""

import json
import re
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import sympy
from torch.export import ExportedProgram
from torch.utils._sympy import functions

PROGRAM: Final = "models/model.json"
CONFIGS: Final = (
    "data/weights/model_weights_config.json",
    "data/constants/model_constants_config.json",
)
PICKLES: Final = ("data/weights/model.pt", "data/constants/model.pt")
PLAIN_TENSORS: Final = ("weight_", "tensor_")
CALLS: Final = re.compile(
    r"torch\.ops\.(aten|prims|torchvision)\.(?!(from_file|save)\b)\w+(\.\w+)?"
    r"|torch\.sym_\w+"
    r"|_operator\.(getitem|add|sub|mul|floordiv|truediv|mod|neg|eq|ne|lt|le|gt|ge|and_|or_|not_)",
    re.ASCII,
)
"""What a program may call: operations on tensors that touch no file, and arithmetic on sizes."""
IDENTIFIER: Final = re.compile(r"\w*", re.ASCII)
"""Names that torch writes into code."""
NAME: Final = re.compile(r"[\w.:/+ -]*", re.ASCII)
"""Names of modules and weights, which torch writes into code in quotes."""
UNREAD: Final[dict[str, Any]] = {
    "metadata": {},
    "guards_code": [],
    "treespec_namedtuple_fields": {},
}
"""Values that aren't needed: by key, what replaces them."""
CONTAINERS: Final = ("builtins.tuple", "builtins.list", "builtins.dict")

LONGEST = 10_000
"""Most characters of a size; those of torchvision's classifiers have up to a few hundred."""

DEEPEST = 100

LARGEST = 2**63

LARGEST_EXPONENT = 8
"""With this limit no step computes a number of more than a few hundred digits."""

TOKEN: Final = re.compile(r"\s*([A-Za-z]\w*|-?\d{1,19}|'(?:s|u|zf|zuf)\d{1,9}'|[(),=])", re.ASCII)

ASSUMPTIONS: Final = frozenset({"integer", "positive", "nonnegative", "real", "finite"})

CONSTANTS: Final = {
    "true": sympy.true,
    "false": sympy.false,
    "True": sympy.true,
    "False": sympy.false,
}

OF_SYMPY: Final = (
    "Add", "And", "Equality", "GreaterThan", "Integer", "LessThan", "Max", "Min", "Mul", "Not",
    "Or", "Rational", "StrictGreaterThan", "StrictLessThan", "Unequality",
)  # fmt: skip

OF_TORCH: Final = (
    "CeilDiv", "CeilToInt", "CleanDiv", "FloorDiv", "FloorToInt", "Identity", "IntTrueDiv", "Mod",
    "ModularIndexing", "PythonMod", "RoundToInt", "ToFloat", "TruncToFloat", "TruncToInt", "Where",
)  # fmt: skip


def read_size(text: str) -> sympy.Basic:
    """Return the expression that a text of sympy's ``srepr`` describes, without running it.

    Parameters
    ----------
    text
        Numbers, symbols of sizes, and arithmetic on them.

    Raises
    ------
    ValueError
        If it contains anything else, or is too large to compute.
    """
    try:
        tokens = _tokens(text)
        expression = _expression(tokens, DEEPEST)
    except Exception:  # sympy may raise anything on wrong arguments
        raise ValueError(f"{text[:60]!r} isn't arithmetic") from None
    if tokens:
        raise ValueError(f"{text[:60]!r} isn't arithmetic")
    return expression


def _tokens(text: str) -> deque[str]:
    if len(text) > LONGEST:
        raise ValueError
    tokens: deque[str] = deque()
    at = 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            raise ValueError
        tokens.append(match[1])
        at = match.end()
    return tokens


def _expression(tokens: deque[str], depth: int) -> sympy.Basic:
    word = tokens.popleft()
    if word.lstrip("-").isdigit():
        return _bounded(sympy.Integer(int(word)))
    if word in CONSTANTS:
        return CONSTANTS[word]
    _expect(tokens, "(")
    if word == "Symbol":
        return _symbol(tokens)
    if depth == 0:
        raise ValueError
    parts = []
    while True:
        parts.append(_expression(tokens, depth - 1))
        if tokens[0] == ")":
            tokens.popleft()
            return _bounded(OPERATIONS[word](*parts))
        _expect(tokens, ",")


def _symbol(tokens: deque[str]) -> sympy.Symbol:
    """Return a symbol; the tokens begin with its name in quotes."""
    name = tokens.popleft()
    if not name.startswith("'"):
        raise ValueError
    known = {}
    while tokens[0] != ")":
        _expect(tokens, ",")
        word = tokens.popleft()
        if word not in ASSUMPTIONS:
            raise ValueError
        _expect(tokens, "=")
        known[word] = {"True": True, "False": False}[tokens.popleft()]
    tokens.popleft()
    return sympy.Symbol(name.strip("'"), **known)


def _expect(tokens: deque[str], mark: str) -> None:
    if tokens.popleft() != mark:
        raise ValueError


def _bounded(value: sympy.Basic) -> sympy.Basic:
    if isinstance(value, sympy.Rational) and max(abs(value.p), value.q) > LARGEST:
        raise ValueError
    return value


def _power(base: sympy.Basic, exponent: sympy.Basic) -> sympy.Basic:
    if not isinstance(exponent, sympy.Integer) or abs(exponent) > LARGEST_EXPONENT:
        raise ValueError
    return sympy.Pow(base, exponent)


OPERATIONS: Final[dict[str, Callable[..., Any]]] = {
    **{name: getattr(sympy, name) for name in OF_SYMPY},
    **{name: getattr(functions, name) for name in OF_TORCH},
    "Pow": _power,
    "PowByNatural": _power,
}


class RefusedError(ValueError):
    """A file that is refused: the message says what it contains."""


def read_program(path: Path) -> ExportedProgram:
    """Return the program of a file that ``torch.export.save`` wrote.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    RefusedError
        If it contains code that would run, or calls anything other than operations on tensors.
    Exception
        Whatever torch's reader raises if it isn't such a file.
    """
    # They take seconds to import, so they are imported only for these files.
    from torch._export.serde import schema
    from torch._export.serde.serialize import ExportedProgramDeserializer, _dict_to_dataclass
    from torch.export.pt2_archive import _package as package

    reader = package.PT2ArchiveReader(str(path))
    names = frozenset(reader.get_file_names())
    if PROGRAM not in names:
        compiled = any("aotinductor" in name for name in names)
        raise ValueError("it contains only compiled code" if compiled else "no program is in it")
    if names.intersection(PICKLES):
        raise RefusedError("pickled objects")
    for config in CONFIGS:
        _check_tensors(json.loads(reader.read_string(config)))
    graph = _checked(json.loads(reader.read_string(PROGRAM)))
    return ExportedProgramDeserializer().deserialize(
        _dict_to_dataclass(schema.ExportedProgram, graph),
        package._load_state_dict(reader, "model"),
        package._load_constants(reader, "model"),
    )


def _check_tensors(config: Any) -> None:
    """Refuse weights or constants that aren't plain tensors."""
    for name, payload in config["config"].items():
        _named(name)
        if payload["use_pickle"] or not payload["path_name"].startswith(PLAIN_TENSORS):
            raise RefusedError("pickled objects")


def _checked(value: Any, key: str = "") -> Any:
    """Return a part of a program with its sizes parsed; every text in it is checked."""
    if key in UNREAD:
        return UNREAD[key]
    if isinstance(value, dict):
        return {_named(name): _checked(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [_checked(inner, key) for inner in value]
    return READERS.get(key, _named)(value) if isinstance(value, str) else value


def _named(text: str) -> str:
    if not NAME.fullmatch(text):
        raise RefusedError(f"the name {text[:60]!r}")
    return text


def _identifier(text: str) -> str:
    if not IDENTIFIER.fullmatch(text):
        raise RefusedError(f"the name {text[:60]!r}")
    return text


def _call(text: str) -> str:
    if not CALLS.fullmatch(text):
        raise RefusedError(f"a call of {text[:60]!r}")
    return text


def _size(text: str) -> Any:
    try:
        return read_size(text)
    except ValueError as fault:
        raise RefusedError(f"the expression {fault}") from None


def _tree(text: str) -> str:
    """Check and return how arguments are nested: torch imports other types by their names."""
    _, root = json.loads(text)
    waiting = [root]
    while waiting:
        node = waiting.pop()
        kind, context = node["type"], json.loads(node["context"] or "null")
        names = context or []
        if kind is not None and (kind not in CONTAINERS or not isinstance(names, list)):
            raise RefusedError(f"an argument of the type {str(kind)[:60]!r}")
        for name in names:
            _identifier(name)
        waiting.extend(node["children_spec"])
    return text


def _as_it_is(text: str) -> str:
    return text


READERS: Final[dict[str, Callable[[str], Any]]] = {
    "target": _call,
    "as_operator": _call,
    "expr_str": _size,
    "in_spec": _tree,
    "out_spec": _tree,
    "name": _identifier,
    "as_name": _identifier,
    "forward_arg_names": _identifier,
    "as_string": _as_it_is,
    "as_strings": _as_it_is,
}
"""How a text is checked, by its key; texts with other keys are names of modules and weights."""
