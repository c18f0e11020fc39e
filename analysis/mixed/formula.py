"""Read a formula in lme4's notation, and refuse whatever isn't on an allow-list.

The formula is checked before anything evaluates it. The allow-list has columns, numbers, operators
and a few functions. `formulae` then sees only our own column names, numbers, operators and the
functions in `FUNCTIONS`.
"""

import difflib
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from stimuli.errors import UserError

FUNCTIONS = ("C", "poly", "scale", "I", "np.log", "log", "cbind", "offset")
CODINGS = ("Sum", "Treatment")
"""How a factor may be coded: C(x, Sum), C(x, Treatment("base"))."""
COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
"""Allowed only within I()."""
NUMERIC = frozenset({"poly", "scale", "I", "np.log", "log", "cbind", "offset"})
"""Functions that take numbers only."""

LONGEST = 5_000
DEEPEST = 40
HIGHEST_DEGREE = 20
LONGEST_NUMBER = 30

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))"
    r"|(?P<name>[^\W\d][\w.]*|`[^`\n]+`)"
    r"|(?P<text>\"[^\"\n]*\"|'[^'\n]*')"
    r"|(?P<operator>\*\*|\|\||<=|>=|==|!=|[~+\-*/:^|(),<>]))"
)


@dataclass(frozen=True, slots=True)
class Token:
    """A part of a formula.

    `kind` is ``name`` (a column's), ``number``, ``operator``, ``function``, ``text`` (what
    stood in quotes) or ``coding``.
    """

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
        tokens.append(Token(kind, match.group(kind).strip("`\"'")))
        place = match.end()
    tokens = _with_codings(tokens)
    return tuple(
        _checked(written, token, tokens[place + 1 :][:1], columns)
        for place, token in enumerate(tokens)
    )


def _with_codings(tokens: list[Token]) -> list[Token]:
    """Return the tokens, with those after a comma in ``C(x, ...)`` marked as coding."""
    called: list[str] = []
    marked = []
    for place, token in enumerate(tokens):
        if token.text == "(" and token.kind == "operator":
            called.append(tokens[place - 1].text if place else "")
        elif token.text == ")" and token.kind == "operator" and called:
            called.pop()
        after_comma = place > 0 and tokens[place - 1] == Token("operator", ",")
        is_coding = token.kind == "name" and after_comma and called[-1:] == ["C"]
        marked.append(Token("coding", token.text) if is_coding else token)
    return marked


def _checked(written: str, token: Token, following: list[Token], columns: Collection[str]) -> Token:
    if token.kind == "number" and len(token.text) > LONGEST_NUMBER:
        raise fault(written, f"a number has more than {LONGEST_NUMBER} digits")
    if token.kind == "coding" and token.text not in CODINGS:
        raise fault(written, f"{token.text} is no coding; C(x, ...) takes {' or '.join(CODINGS)}")
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
    """Refuse brackets that don't close, are nested too deep or hold ``~``."""
    depth = 0
    for token in tokens:
        depth += (token.text == "(") - (token.text == ")")
        if depth < 0:
            break
        if depth > DEEPEST:
            raise fault(written, f"brackets are nested more than {DEEPEST} deep")
        if token.text == "~" and depth:
            raise fault(written, "~ can't be inside brackets")
    if depth:
        raise fault(written, "a bracket is opened or closed too often")


def check_arguments(written: str, tokens: Tokens) -> None:
    """Refuse arguments that a function doesn't take, and comparisons outside of ``I()``."""
    called: list[str] = []
    compared: list[int] = [0]
    for place, token in enumerate(tokens):
        if token.kind == "operator" and token.text == "(":
            before = tokens[place - 1] if place else token
            called.append(before.text if before.kind in ("function", "coding") else "")
            compared.append(0)
        elif token.kind == "operator" and token.text == ")":
            compared.pop()
            if called.pop() == "poly" and not _is_degree(tokens[place - 2 : place]):
                raise fault(written, f"poly(x, degree) takes a degree from 1 to {HIGHEST_DEGREE}")
        elif token == Token("operator", ",") and called[-1:] not in (["poly"], ["cbind"], ["C"]):
            raise fault(written, "only poly(x, degree) and cbind(successes, failures) take two")
        elif token.kind == "operator" and token.text in COMPARISONS:
            compared[-1] += 1
            if "I" not in called or compared[-1] > 1:
                example = "I(x > 2)" if "I" not in called else "I((x > 1) * (x < 3))"
                raise fault(written, f"write {token.text} inside I(...), as in {example}")
        elif token.kind == "text" and not _text_belongs(tokens[place - 1], called):
            raise fault(written, f"{token.text!r} in quotes is no column; put a column with a "
                        "space in its name in backticks")  # fmt: skip
        elif token.kind == "coding":
            _check_coding(written, token, tokens[place + 1 : place + 4])


def _text_belongs(before: Token, called: list[str]) -> bool:
    """Whether text may stand here: ``I(x == "a")``, ``C(x, Treatment("a"))``."""
    compared = before.text in ("==", "!=") and "I" in called
    return compared or (before.text == "(" and called[-1:] == ["Treatment"])


def _check_coding(written: str, coding: Token, following: Tokens) -> None:
    ends = [token.text for token in following]
    bare = ends[:1] == [")"] and coding.text == "Sum"
    based = ends[::2] == ["(", ")"] and following[1].kind in ("text", "number")
    if not bare and not (based and coding.text == "Treatment"):
        raise fault(written, 'codings are written C(x, Sum) or C(x, Treatment("base"))')


def _is_degree(tokens: Tokens) -> bool:
    comma, degree = tokens
    whole = degree.kind == "number" and degree.text.isdigit() and len(degree.text) < 3
    return comma.text == "," and whole and 1 <= int(degree.text) <= HIGHEST_DEGREE


def as_written(tokens: Tokens) -> str:
    """Return tokens as they are typed, such as ``cbind(k, b - k)``."""
    text = ""
    for before, token in pairwise((Token("", ""), *tokens)):
        call = token.text == "(" and before.kind in ("function", "coding")
        close = call or token.text in (")", ",") or before.text in ("", "(")
        text += token.text if close else f" {token.text}"
    return text


def fault(written: str, reason: str) -> UserError:
    """Return the one line that says what is wrong with a formula."""
    excerpt = written if len(written) <= 120 else written[:117] + "..."
    return UserError(f"formula {excerpt!r}: {reason}")


def names_in_functions(tokens: Tokens) -> list[str]:
    """Return the names that a function takes numbers for; not those compared with text."""
    names: list[str] = []
    stack: list[bool] = []
    for place, token in enumerate(tokens):
        if token.text == "(":
            stack.append(place > 0 and tokens[place - 1].text in NUMERIC
                         and tokens[place - 1].kind == "function")  # fmt: skip
        elif token.text == ")" and stack:
            stack.pop()
        elif token.kind == "name" and any(stack) and not is_compared_with_text(tokens, place):
            names.append(token.text)
    return names


def is_compared_with_text(tokens: Tokens, place: int) -> bool:
    """Whether a name stands in ``name == "text"`` or ``name != "text"``."""
    after = tokens[place + 1 : place + 3]
    return len(after) == 2 and after[0].text in ("==", "!=") and after[1].kind == "text"


@dataclass(frozen=True, slots=True)
class RandomPart:
    """The content of one pair of brackets with a bar.

    Attributes
    ----------
    effects
        Left of the bar.
    independent
        Whether the bar is double: effects without correlations.
    groups
        Right of the bar, nesting expanded: ``g/h`` is ``(("g",), ("g", "h"))``.
    """

    effects: Tokens
    independent: bool
    groups: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula taken apart; nothing in it has been evaluated.

    Attributes
    ----------
    written
        As typed.
    response, fixed
        Left of ``~``; the fixed terms, without offsets.
    offsets
        The content of each ``offset(...)``.
    random
        The parts with a bar, in order.
    """

    written: str
    response: Tokens
    fixed: Tokens
    offsets: tuple[Tokens, ...]
    random: tuple[RandomPart, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that the formula names, once."""
        parts = [self.response, self.fixed, *self.offsets, *(p.effects for p in self.random)]
        names = [token.text for part in parts for token in part if token.kind == "name"]
        names += [name for part in self.random for group in part.groups for name in group]
        return tuple(dict.fromkeys(names))

    def numeric_columns(self) -> tuple[str, ...]:
        """Columns inside a function that takes numbers only."""
        parts = [self.fixed, *(part.effects for part in self.random)]
        inside = [name for part in parts for name in names_in_functions(part)]
        inside += [t.text for part in self.offsets for t in part if t.kind == "name"]
        return tuple(dict.fromkeys(inside))


def read_formula(written: str, columns: Collection[str]) -> Formula:
    """Return a formula's parts.

    Parameters
    ----------
    written
        E.g. ``y ~ x * z + (1 + x | participant) + (1 | item)``.
    columns
        The table's columns; every other name is refused.

    Raises
    ------
    UserError
        One line that names what can't be read or isn't allowed.
    """
    tokens = read_tokens(written, columns)
    places = [place for place, token in enumerate(tokens) if token.text == "~"]
    if len(places) != 1 or places[0] == 0 or places[0] == len(tokens) - 1:
        raise fault(written, "needs the form `response ~ terms`, with one ~")
    response, right = tokens[: places[0]], tokens[places[0] + 1 :]
    check_brackets(written, tokens)
    check_arguments(written, tokens)
    fixed: list[Token] = []
    offsets: list[Tokens] = []
    random: list[RandomPart] = []
    for sign, term in _terms(right):
        if term[0].text == "offset" and _closes_at_end(term[1:]):
            offsets.append(term[2:-1])
        elif term[0].text == "(" and _closes_at_end(term) and _bars(term):
            random.append(_random_part(written, term[1:-1]))
        else:
            _refuse_strays(written, term)
            fixed += [Token("operator", sign), *_without_nesting(written, term)]
            continue
        if sign == "-":
            raise fault(written, "random effects and offsets can be added, not subtracted")
    _refuse_strays(written, response, cbind=True)
    fixed = fixed[1:] if _leads(fixed) else fixed
    fixed = fixed or [Token("number", "1")]
    return Formula(written, response, tuple(fixed), tuple(offsets), tuple(random))


def whole_call(tokens: Tokens, name: str) -> tuple[Tokens, ...] | None:
    """Return the arguments where the tokens are one call of a function; else None."""
    if not tokens or tokens[0] != Token("function", name) or not _closes_at_end(tokens[1:]):
        return None
    arguments: list[list[Token]] = [[]]
    depth = 0
    for token in tokens[2:-1]:
        depth += (token.text == "(") - (token.text == ")")
        if token.text == "," and depth == 0:
            arguments.append([])
        else:
            arguments[-1].append(token)
    return tuple(tuple(argument) for argument in arguments)


def _terms(tokens: Tokens) -> Iterator[tuple[str, Tokens]]:
    """Yield sign and tokens of every term; + and - outside brackets separate terms."""
    sign, term, depth = "+", [], 0
    for token in tokens:
        depth += (token.text == "(") - (token.text == ")")
        if depth == 0 and token.text in "+-" and token.kind == "operator":
            if term:
                yield sign, tuple(term)
            sign, term = token.text, []
        else:
            term.append(token)
    yield sign, tuple(term) or (Token("number", "0"),)


def _closes_at_end(tokens: Tokens) -> bool:
    """Whether the bracket that the tokens begin with is closed by the last of them."""
    depth = 0
    for place, token in enumerate(tokens):
        depth += (token.text == "(") - (token.text == ")")
        if depth == 0:
            return place == len(tokens) - 1 and token.text == ")"
    return False


def _bars(tokens: Iterable[Token]) -> list[int]:
    return [place for place, token in enumerate(tokens) if token.text in ("|", "||")]


def _random_part(written: str, inner: Tokens) -> RandomPart:
    bars = _bars(inner)
    if len(bars) != 1 or bars[0] in (0, len(inner) - 1):
        raise fault(written, "random effects have the form (effects | group), with one bar")
    effects, right = inner[: bars[0]], inner[bars[0] + 1 :]
    names, marks = right[::2], right[1::2]
    if any(t.kind != "name" for t in names) or any(t.text not in (":", "/") for t in marks):
        raise fault(written, "right of a bar write columns joined by : or /, as in (1 | g/h)")
    if len(names) != len(marks) + 1:
        raise fault(written, "right of a bar a column is missing")
    groups, current = [], (names[0].text,)
    for mark, name in zip(marks, names[1:], strict=True):
        if mark.text == "/":
            groups.append(current)
        current = (*current, name.text)
    _refuse_strays(written, effects)
    fixed = [t for s, term in _terms(effects) for t in (Token("operator", s), *term)]
    effects = tuple(fixed[1:] if _leads(fixed) else fixed)
    return RandomPart(effects, inner[bars[0]].text == "||", (*groups, current))


def _leads(tokens: list[Token]) -> bool:
    return bool(tokens) and tokens[0].text == "+"


def _refuse_strays(written: str, tokens: Tokens, cbind: bool = False) -> None:
    if _bars(tokens):
        raise fault(written, "write random effects in brackets of their own, as in + (1 | g)")
    for token in tokens:
        if token.kind == "function" and token.text == "offset":
            raise fault(written, "write offset(...) as a term by itself")
        if token.kind == "function" and token.text == "cbind" and not cbind:
            raise fault(written, "write cbind(successes, failures) left of ~ only")


def _without_nesting(written: str, term: Tokens) -> Tokens:
    """Return ``a/b`` outside functions as ``a + a:b``."""
    pieces: list[list[Token]] = [[]]
    depth = functions = 0
    stack: list[bool] = []
    for place, token in enumerate(term):
        if token.text == "(":
            stack.append(place > 0 and term[place - 1].kind == "function")
            functions += stack[-1]
            depth += 1
        elif token.text == ")":
            functions -= stack.pop()
            depth -= 1
        if token.text == "/" and not functions:
            if depth:
                raise fault(written, "a/b inside brackets: write it out as a + a:b")
            pieces.append([])
        else:
            pieces[-1].append(token)
    if len(pieces) == 1:
        return term
    if any(_outside(piece, "*", "**", "^") for piece in pieces) or not all(pieces):
        raise fault(written, "a/b together with * or ^: write it out as a + a:b")
    together, terms = list(pieces[0]), list(pieces[0])
    for piece in pieces[1:]:
        together += [Token("operator", ":"), *piece]
        terms += [Token("operator", "+"), *together]
    return (Token("operator", "("), *terms, Token("operator", ")"))


def _outside(tokens: list[Token], *marks: str) -> bool:
    depth = 0
    for token in tokens:
        depth += (token.text == "(") - (token.text == ")")
        if depth == 0 and token.text in marks:
            return True
    return False
