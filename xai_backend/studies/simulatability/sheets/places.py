"""Where in an input the words and values stand that an explanation names."""

import re
from collections import Counter
from collections.abc import Collection, Sequence

from stimuli.studies.simulatability.inputs import TableInput, TextInput
from xai_backend.studies.simulatability.trained import AnyInput

_NUMBERED = re.compile(r"(.+) \((\d+)(?:st|nd|rd|th)\)")


def everywhere(name: str, given: AnyInput) -> tuple[int, ...]:
    """Return all places of a word or value, as LIME has them.

    LIME cuts a sentence at every sign that is no letter, digit or underscore, and has one weight
    for all occurrences: its ``t`` is a part of each ``n't``.

    Raises
    ------
    ValueError
        If the input doesn't have it.
    """
    if isinstance(given, TableInput):
        return _somewhere(_whole(name, given), name)
    tokens = enumerate(given.tokens)
    found = [place for place, token in tokens if name in (token, *re.findall(r"\w+", token))]
    return _somewhere(found, name)


def each(names: Sequence[str], given: AnyInput) -> tuple[tuple[int, ...], ...]:
    """Return the places of each of several words or values.

    Parameters
    ----------
    names
        Words, values, or ``column = value``. ``if (2nd)`` is the second ``if`` of the sentence. A
        name that is listed as often as it occurs stands for one place each time, else for all
        places.
    given
        The input that they are of.

    Raises
    ------
    ValueError
        If the input doesn't have one of them, or not so often.
    """
    listed, taken = Counter(names), {place for name in names for place in _whole(name, given)}
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        numbered = _NUMBERED.fullmatch(name)
        places = _of_name(numbered[1] if numbered else name, given, taken)
        number = int(numbered[2]) if numbered else seen[name] + 1
        seen[name] += 1
        if number > len(places):
            raise ValueError(f"the input doesn't contain {name!r} as often")
        one = numbered or listed[name] == len(places)
        found.append((places[number - 1],) if one else places)
    return tuple(found)


def _of_name(name: str, given: AnyInput, taken: Collection[int]) -> tuple[int, ...]:
    """Return the places of a name; of a part of a word where no whole word is called so.

    Anchor's tokens are spaCy's: ``'ve`` stands there as ``'`` and ``ve``. The ``'`` of a token that
    the list names as a whole isn't meant.
    """
    whole = _whole(name, given)
    if whole or isinstance(given, TableInput):
        return _somewhere(whole, name)
    cut = ((place, re.findall(r"\w+|\W", token)) for place, token in enumerate(given.tokens))
    return _somewhere([at for at, parts in cut if name in parts and at not in taken], name)


def _whole(name: str, given: AnyInput) -> list[int]:
    if isinstance(given, TextInput):
        return [place for place, token in enumerate(given.tokens) if token == name]
    pairs = enumerate(zip(given.columns, given.values, strict=True))
    return [at for at, (column, value) in pairs if name in (value, f"{column} = {value}")]


def _somewhere(places: Sequence[int], name: str) -> tuple[int, ...]:
    if not places:
        raise ValueError(f"the input doesn't contain {name!r}")
    return tuple(places)
