"""A command's options, declared once: they are the fields of the dataclass that the command gets.

A field is one option, or what a function makes of several::

    @dataclass(frozen=True, slots=True)
    class Asked:
        source: Annotated[Path, typer.Option(help="The labelled images.")]
        sizes: Annotated[tuple[int, ...], typer.Option(help="…"), Parsed(numbers)] = (10, 20)
        maps: Annotated[tuple[Path, ...], typer.Option(help="…"), Repeated(Path)] = ()
        workers: Annotated[Workers | None, MadeOf(workers_of)] = None
        found: int = 0  # not an option

    @app.command()
    @grouped
    def verb(asked: Asked) -> None: ...

A field whose type is such a dataclass brings its options. A field without any of these is not an
option: it keeps its default.
"""

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import Annotated, Any, Protocol, get_args, get_origin, get_type_hints

from typer.models import ArgumentInfo, OptionInfo

Given = Mapping[str, Any]


class Parser(Protocol):
    """Converts an option's text to its value; UserError for an invalid text."""

    def __call__(self, option: str, text: str) -> Any:
        """Return the value."""


def with_commas(value: Any) -> str:
    """Return a value as it is typed: numbers as short as possible, several joined by commas."""
    values = value if isinstance(value, tuple) else (value,)
    return ",".join(f"{one:g}" if isinstance(one, float) else str(one) for one in values)


@dataclass(frozen=True, slots=True)
class Parsed:
    """How an option's text is converted to a field's value, and the default to a text.

    Attributes
    ----------
    parse
        Called with the option, as typed, and its text.
    write
        Called with the default; the result is shown in the help and parsed as if typed.
    """

    parse: Parser
    write: Callable[[Any], str] = with_commas


@dataclass(frozen=True, slots=True)
class Repeated:
    """An option that may be repeated, and how its texts are converted to a field's value.

    Attributes
    ----------
    kind
        The type of a single value.
    make
        Called with all given values, in order.
    """

    kind: type
    make: Callable[[Sequence[Any]], Any] = tuple


@dataclass(frozen=True, slots=True)
class MadeOf:
    """A function whose parameters are options, and which makes a field's value from them."""

    make: Callable[..., Any]


@dataclass(frozen=True, slots=True)
class _Part:
    """Options of a command, and the function that makes a value from them.

    Attributes
    ----------
    parameters
        The options, as Typer takes them.
    value
        Returns the value made from the given options.
    """

    parameters: tuple[inspect.Parameter, ...]
    value: Callable[[Given], Any]


def grouped(command: Callable[..., None], **groups: type) -> Callable[..., None]:
    """Return a Typer command in which each field of a dataclass parameter becomes an option.

    Parameters
    ----------
    command
        Called with instances of the dataclasses. Its other parameters stay as they are.
    groups
        Dataclasses made at run time, by the parameter that takes them.
    """
    hints = get_type_hints(command, include_extras=True) | groups
    parts = {
        each.name: _part(each.name, hints[each.name], each.default)
        for each in inspect.signature(command).parameters.values()
    }
    flat = [parameter for part in parts.values() if part for parameter in part.parameters]

    @functools.wraps(command)
    def with_options(**given: Any) -> None:
        command(**{name: part.value(given) for name, part in parts.items() if part})

    # Typer reads the options from these two.
    vars(with_options)["__signature__"] = inspect.Signature(flat)
    with_options.__annotations__ = {each.name: each.annotation for each in flat}
    return with_options


def _part(name: str, hint: Any, default: Any, *, of_field: bool = False) -> _Part | None:
    """Return the options of a parameter or field; None for a field that has none."""
    if is_dataclass(hint):
        return _dataclass_part(hint)
    marks = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    for mark in marks:
        if isinstance(mark, MadeOf):
            return _made_part(mark.make)
    option = next((mark for mark in marks if isinstance(mark, OptionInfo | ArgumentInfo)), None)
    if option is None and of_field:
        return None
    flag = _flag(name, option)
    repeated = next((mark for mark in marks if isinstance(mark, Repeated)), None)
    if repeated is not None:
        return _repeated_part(_key(flag), option, repeated)
    parsed = next((mark for mark in marks if isinstance(mark, Parsed)), None)
    if parsed is not None:
        return _parsed_part(flag, option, parsed, default)
    key = _key(flag)
    return _Part((_parameter(key, hint, default),), lambda given: given[key])


def _flag(name: str, option: Any) -> str:
    """Return an option as it is typed: as declared, or from the field's name."""
    # Within Annotated, the first positional argument of typer.Option is a name, not the default.
    first = option.default if isinstance(option, OptionInfo) else None
    return first if isinstance(first, str) else f"--{name.replace('_', '-')}"


def _key(flag: str) -> str:
    """Return the name of an option, or of the first of ``--yes/--no``."""
    return flag.partition("/")[0].lstrip("-").replace("-", "_")


def _dataclass_part(group: Any) -> _Part:
    hints = get_type_hints(group, include_extras=True)
    parts = {
        field.name: part
        for field in fields(group)
        if (part := _part(field.name, hints[field.name], _default_of(field), of_field=True))
    }

    def value(given: Given) -> Any:
        return group(**{name: part.value(given) for name, part in parts.items()})

    return _Part(
        tuple(parameter for part in parts.values() for parameter in part.parameters), value
    )


def _default_of(field: Any) -> Any:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return inspect.Parameter.empty if field.default is MISSING else field.default


def _made_part(make: Callable[..., Any]) -> _Part:
    hints = get_type_hints(make, include_extras=True)
    names = inspect.signature(make).parameters
    parameters = tuple(_parameter(name, hints[name], each.default) for name, each in names.items())
    return _Part(parameters, lambda given: make(**{name: given[name] for name in names}))


def _parsed_part(flag: str, option: Any, parsed: Parsed, default: Any) -> _Part:
    asked = default is not None and default is not inspect.Parameter.empty
    text: Any = str | None if default is None else str
    hint = Annotated[text, option]
    key = _key(flag)
    parameter = _parameter(key, hint, parsed.write(default) if asked else default)

    def value(given: Given) -> Any:
        text = given[key]
        return None if text is None else parsed.parse(flag, text)

    return _Part((parameter,), value)


def _repeated_part(key: str, option: Any, repeated: Repeated) -> _Part:
    kind: Any = repeated.kind
    hint = Annotated[list[kind] | None, option]
    return _Part((_parameter(key, hint, None),), lambda given: repeated.make(given[key] or ()))


def _parameter(name: str, hint: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)
