"""Sizes in an exported program: ``Mul(Integer(49), Symbol('s77', positive=True, integer=True))``.

torch hands such a text to sympy, which runs it as Python. Here it is read as arithmetic: a name
stands for one of the operations below, or the text is refused.
"""

import re
from collections import deque
from collections.abc import Callable
from typing import Any, Final

import sympy
from torch.utils._sympy import functions

LONGEST = 10_000
"""Characters; the sizes of torchvision's classifiers take up to a few hundred."""
DEEPEST = 100
LARGEST = 2**63
LARGEST_EXPONENT = 8
"""With it no step computes a number of more than a few hundred digits."""
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
        If it is anything else, or too large to compute.
    """
    try:
        tokens = _tokens(text)
        found = _expression(tokens, DEEPEST)
    except Exception:  # sympy refuses arguments in any way it likes
        raise ValueError(f"{text[:60]!r} isn't arithmetic") from None
    if tokens:
        raise ValueError(f"{text[:60]!r} isn't arithmetic")
    return found


def _tokens(text: str) -> deque[str]:
    if len(text) > LONGEST:
        raise ValueError
    tokens: deque[str] = deque()
    at = 0
    while at < len(text):
        found = TOKEN.match(text, at)
        if found is None:
            raise ValueError
        tokens.append(found[1])
        at = found.end()
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
