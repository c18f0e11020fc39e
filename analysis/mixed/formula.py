"""Read a formula in lme4's notation under an allow-list, before anything evaluates it.

What reaches `formulae` afterwards is made of our own column names, numbers, operators
and the functions of `FUNCTIONS` alone.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from analysis.mixed.tokens import (
    Token,
    Tokens,
    check_arguments,
    check_brackets,
    fault,
    names_in_functions,
    read_tokens,
)


@dataclass(frozen=True, slots=True)
class RandomPart:
    """What stands in one pair of brackets with a bar.

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
        What stands in each ``offset(...)``.
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
    """Yield sign and tokens of every term that + and - part outside brackets."""
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
