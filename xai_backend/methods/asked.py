"""What a build's command line says of methods: ``--method NAME=METHOD``, ``--maps NAME=DIR``."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from stimuli.errors import UserError
from xai_backend.methods.method import Method
from xai_backend.methods.named import named_method


@dataclass(frozen=True, slots=True)
class NamedMethod:
    """What a study's method stands for.

    Attributes
    ----------
    what
        As `named_method` takes it.
    settings
        Of the method, NAME=VALUE.
    """

    what: str
    settings: tuple[str, ...] = ()

    def method(self) -> Method:
        """Return the method; UserError as `named_method`."""
        return named_method(self.what, self.settings)


NONE_ASKED: Final[Mapping[str, NamedMethod]] = MappingProxyType({})


def asked_methods(options: Sequence[str], settings: Sequence[str]) -> dict[str, NamedMethod]:
    """Return methods by the name that the study has for them.

    Parameters
    ----------
    options
        Texts NAME=METHOD, such as ``deep=captum:DeepLift`` or ``mine=my_methods:edges``.
    settings
        Texts NAME.SETTING=VALUE.

    Raises
    ------
    UserError
        If a text has another form, or a name occurs twice or isn't there.
    """
    whats = _pairs("--method", options, "NAME=METHOD, such as deep=captum:DeepLift")
    own: dict[str, list[str]] = {name: [] for name in whats}
    for text in settings:
        name, dot, setting = text.partition(".")
        if not dot or name not in own:
            raise UserError(f"--set {text}: write NAME.SETTING=VALUE, with a NAME of --method")
        own[name].append(setting)
    return {name: NamedMethod(what, tuple(own[name])) for name, what in whats.items()}


def asked_maps(options: Sequence[str]) -> dict[str, Path]:
    """Return folders of maps by method, from texts NAME=DIR; UserError for anything else."""
    pairs = _pairs("--maps", options, "NAME=DIR, the method's name and the maps' folder")
    return {name: Path(folder).expanduser() for name, folder in pairs.items()}


def check_named(given: Mapping[str, Iterable[str]], methods: Sequence[str]) -> None:
    """Refuse what nobody would be shown, and what is given twice.

    Parameters
    ----------
    given
        Names by option.
    methods
        Those that the protocol names.

    Raises
    ------
    UserError
        In one line.
    """
    seen: dict[str, str] = {}
    for option, names in given.items():
        for name in names:
            if name not in methods:
                raise UserError(
                    f"{option} {name}: the protocol doesn't name {name} as a method, so nobody "
                    f"would be shown it; it names {', '.join(methods) or 'none'}"
                )
            if name in seen:
                raise UserError(f"{option} {name}: {seen[name]} gives its maps already")
            seen[name] = option


def _pairs(option: str, texts: Sequence[str], form: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        name, mark, what = text.partition("=")
        if not (name and mark and what):
            raise UserError(f"{option} {text}: write {form}")
        if name in found:
            raise UserError(f"{option} {text}: {name} is given already")
        found[name] = what
    return found
