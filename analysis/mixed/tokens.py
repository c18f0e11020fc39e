"""The allow-list of formulas: columns, numbers, operators and a few functions."""

import difflib
import re
from collections.abc import Collection
from dataclasses import dataclass

from stimuli.errors import UserError

FUNCTIONS = ("C", "poly", "scale", "I", "np.log", "log", "cbind", "offset")
NUMERIC = frozenset({"poly", "scale", "I", "np.log", "log", "cbind", "offset"})
"""Functions that take numbers only."""

LONGEST = 5_000
DEEPEST = 40
HIGHEST_DEGREE = 20
LONGEST_NUMBER = 30

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))"
    r"|(?P<name>[^\W\d][\w.]*|`[^`\n]+`)"
    r"|(?P<operator>\*\*|\|\||[~+\-*/:^|(),]))"
)


@dataclass(frozen=True, slots=True)
class Token:
    """A name, number, operator or function name of a formula."""

    kind: str
    text: str


Tokens = tuple[Token, ...]


def read_tokens(written: str, columns: Collection[str]) -> Tokens:
    """Return a formula's tokens.

    Raises
    ------
    UserError
        If a sign, a function or a column is not on the list.
    """
    if len(written) > LONGEST:
        raise UserError(f"the formula has {len(written)} characters; {LONGEST} are allowed")
    tokens: list[Token] = []
    place = 0
    text = written.rstrip()
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            rest = text[place:].lstrip()
            raise fault(written, f"{rest[0]!r} is not allowed in a formula (at {rest[:20]!r})")
        kind = str(match.lastgroup)
        tokens.append(Token(kind, match.group(kind).strip("`")))
        place = match.end()
    return tuple(
        _checked(written, token, tokens[place + 1 :][:1], columns)
        for place, token in enumerate(tokens)
    )


def _checked(written: str, token: Token, following: list[Token], columns: Collection[str]) -> Token:
    if token.kind == "number" and len(token.text) > LONGEST_NUMBER:
        raise fault(written, f"a number has more than {LONGEST_NUMBER} digits")
    if token.kind != "name":
        return token
    if following and following[0].text == "(":
        if token.text not in FUNCTIONS:
            hint = " (for a factor write C)" if token.text in ("factor", "as.factor") else ""
            raise fault(
                written,
                f"{token.text} is not a function that a formula may use{hint}; "
                f"there are {', '.join(FUNCTIONS)}",
            )
        return Token("function", token.text)
    if token.text not in columns:
        near = difflib.get_close_matches(token.text, list(columns), n=3)
        have = f"did you mean {' or '.join(near)}?" if near else f"it has {_few(columns)}"
        raise fault(written, f"the table has no column {token.text}; {have}")
    return token


def _few(columns: Collection[str]) -> str:
    names = [name for name in columns if name]
    return ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")


def check_brackets(written: str, tokens: Tokens) -> None:
    """Refuse brackets that don't close, stand too deep or hold ``~``."""
    depth = 0
    for token in tokens:
        depth += (token.text == "(") - (token.text == ")")
        if depth < 0:
            break
        if depth > DEEPEST:
            raise fault(written, f"brackets stand more than {DEEPEST} deep")
        if token.text == "~" and depth:
            raise fault(written, "~ stands inside brackets")
    if depth:
        raise fault(written, "a bracket is opened or closed too often")


def check_arguments(written: str, tokens: Tokens) -> None:
    """Refuse a polynomial without a sensible degree, and commas in other functions."""
    called: list[str] = []
    for place, token in enumerate(tokens):
        if token.text == "(":
            function = place > 0 and tokens[place - 1].kind == "function"
            called.append(tokens[place - 1].text if function else "")
        elif token.text == ")":
            if called.pop() == "poly" and not _is_degree(tokens[place - 2 : place]):
                raise fault(written, f"poly(x, degree) takes a degree from 1 to {HIGHEST_DEGREE}")
        elif token.text == "," and not (called and called[-1] in ("poly", "cbind")):
            raise fault(written, "only poly(x, degree) and cbind(successes, failures) take two")


def _is_degree(tokens: Tokens) -> bool:
    comma, degree = tokens
    whole = degree.kind == "number" and degree.text.isdigit() and len(degree.text) < 3
    return comma.text == "," and whole and 1 <= int(degree.text) <= HIGHEST_DEGREE


def fault(written: str, what: str) -> UserError:
    """Return the one line that says what is wrong with a formula."""
    shown = written if len(written) <= 120 else written[:117] + "..."
    return UserError(f"formula {shown!r}: {what}")


def names_in_functions(tokens: Tokens) -> list[str]:
    """Return the names inside a function that takes numbers only."""
    found: list[str] = []
    stack: list[bool] = []
    for place, token in enumerate(tokens):
        if token.text == "(":
            stack.append(place > 0 and tokens[place - 1].text in NUMERIC
                         and tokens[place - 1].kind == "function")  # fmt: skip
        elif token.text == ")" and stack:
            stack.pop()
        elif token.kind == "name" and any(stack):
            found.append(token.text)
    return found
