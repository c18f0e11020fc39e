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

An option says what it needs and excludes beside ``typer.Option``::

    weights: Annotated[Path | None, typer.Option(help="…"), Needs("--model")] = None
    tasks: Annotated[
        Path | None, typer.Option(help="…"), NotWith("--seed --source", "the pack has its own")
    ] = None

Its help says so, and the command refuses anything else in one line before it makes a value.
"""

import copy
import functools
import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import Annotated, Any, Protocol, get_args, get_origin, get_type_hints

from typer.models import ArgumentInfo, OptionInfo

from stimuli.errors import UserError

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
class _Rule:
    """What an option says of others.

    Attributes
    ----------
    others
        The other options as typed, with blanks between them.
    why
        A reason or a remedy, for the line of a refusal.
    when
        Takes the option's value as typed, or its default. The rule is for it if the result is
        true. Without `when` the rule is for every value but the default.
    of
        What the line says of such a value, after the option's name: ``hf:DIR``, ``of texts``.
    """

    others: str
    why: str = ""
    when: Callable[[Any], object] | None = None
    of: str = ""

    @property
    def names(self) -> list[str]:
        """The other options."""
        return self.others.split()

    def _with_reason(self, line: str) -> str:
        return f"{line}: {self.why}" if self.why else line


@dataclass(frozen=True, slots=True)
class Needs(_Rule):
    """Another option that an option needs; of several, any one."""

    @property
    def sentence(self) -> str:
        """A sentence for the option's help."""
        return f"Needs {' or '.join(self.names)}."

    def refusal(self, option: str, options: Collection[str]) -> str | None:
        """Return what is wrong with the option beside those given; None if nothing is."""
        if any(name in options for name in self.names):
            return None
        return self._with_reason(f"{option} needs {' or '.join(self.names)}")


@dataclass(frozen=True, slots=True)
class NotWith(_Rule):
    """Options that an option excludes: it has what they say, or leaves them no use."""

    @property
    def sentence(self) -> str:
        """A sentence for the option's help."""
        return f"Not with {', '.join(self.names)}."

    def refusal(self, option: str, options: Collection[str]) -> str | None:
        """Return what is wrong with the first excluded option that is given; None without one."""
        for name in self.names:
            if name in options:
                line = self._with_reason(f"{name} doesn't go with {option}")
                return f"{line}; leave {name} out"
        return None


@dataclass(frozen=True, slots=True)
class _Typed:
    """An option as typed, how Typer takes it, and its rules."""

    name: str
    parameter: inspect.Parameter
    rules: tuple[Needs | NotWith, ...]


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
    options = [
        _typed(parameter) for part in parts.values() if part for parameter in part.parameters
    ]
    named = {name for option in options for rule in option.rules for name in rule.names}
    unknown = named - {option.name for option in options}
    assert not unknown, f"rules name options that the command doesn't have: {unknown}"

    @functools.wraps(command)
    def with_options(**values: Any) -> None:
        _refuse(options, values)
        command(**{name: part.value(values) for name, part in parts.items() if part})

    # Typer reads the options from these two.
    flat = [option.parameter for option in options]
    vars(with_options)["__signature__"] = inspect.Signature(flat)
    with_options.__annotations__ = {each.name: each.annotation for each in flat}
    return with_options


def _typed(parameter: inspect.Parameter) -> _Typed:
    """Return a parameter as an option. Its help states the rules that are for every value."""
    marks = get_args(parameter.annotation)[1:]
    info = next((mark for mark in marks if isinstance(mark, OptionInfo)), None)
    rules = tuple(mark for mark in marks if isinstance(mark, Needs | NotWith))
    name = _flag(parameter.name, info).partition("/")[0]
    sentences = [rule.sentence for rule in rules if rule.when is None]
    if info is not None and sentences:
        stated = copy.copy(info)
        stated.help = " ".join([info.help or "", *sentences])
        kind: Any = get_args(parameter.annotation)[0]
        parameter = parameter.replace(annotation=Annotated[kind, stated])
    return _Typed(name, parameter, rules)


def _refuse(options: Sequence[_Typed], values: Given) -> None:
    """Refuse options that lack another one, or don't go together; UserError in one line."""
    typed = [(option, values[option.parameter.name]) for option in options]
    given = {o.name for o, value in typed if value not in (None, [], o.parameter.default)}
    for option, value in typed:
        for rule in option.rules:
            holds = option.name in given if rule.when is None else rule.when(value)
            called = f"{option.name} {rule.of}".rstrip()
            if holds and (line := rule.refusal(called, given)):
                raise UserError(line)


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
        return _repeated_part(_key(flag), marks, repeated)
    parsed = next((mark for mark in marks if isinstance(mark, Parsed)), None)
    if parsed is not None:
        return _parsed_part(flag, marks, parsed, default)
    key = _key(flag)
    return _Part((_parameter(key, hint, default),), lambda values: values[key])


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

    def value(values: Given) -> Any:
        return group(**{name: part.value(values) for name, part in parts.items()})

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
    return _Part(parameters, lambda values: make(**{name: values[name] for name in names}))


def _parsed_part(flag: str, marks: tuple[Any, ...], parsed: Parsed, default: Any) -> _Part:
    has_default = default is not None and default is not inspect.Parameter.empty
    text: Any = str | None if default is None else str
    hint: Any = Annotated[(text, *marks)]
    key = _key(flag)
    parameter = _parameter(key, hint, parsed.write(default) if has_default else default)

    def value(values: Given) -> Any:
        text = values[key]
        return None if text is None else parsed.parse(flag, text)

    return _Part((parameter,), value)


def _repeated_part(key: str, marks: tuple[Any, ...], repeated: Repeated) -> _Part:
    kind: Any = repeated.kind
    hint: Any = Annotated[(list[kind] | None, *marks)]
    return _Part((_parameter(key, hint, None),), lambda values: repeated.make(values[key] or ()))


def _parameter(name: str, hint: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)
