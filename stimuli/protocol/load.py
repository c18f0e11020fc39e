"""Protocol files: the study's published defaults, and a lab's changes on top."""

import difflib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from stimuli.catalogue import studies_of
from stimuli.errors import UserError
from stimuli.protocol.base import PROTOCOL_SCHEMA, Protocol, catalogue_name

UNITS = ("s", "ms", "min", "px", "deg", "hz")


def load_protocol(
    name: str, path: Path | None = None, changes: Mapping[str, Any] | None = None
) -> Protocol:
    """Return a study's protocol: published defaults, then the file, then the changes.

    Parameters
    ----------
    name
        The study's name in the catalogue (see `catalogue_name`).
    path
        A TOML file that holds only what differs from the defaults, or all of it; or the bare
        name of one that ships, such as ``NAME.toml``, or of another one of the study.
    changes
        Nested values that override both, e.g. from the command line.

    Raises
    ------
    UserError
        If the study is unknown, the file is of another study, or a key is unknown, ill-typed
        or impossible: the file, the key and the reason.
    """
    if path is None:
        return _resolved(name, {}, changes or {}, "the command line", f"{name}.toml")
    own, found = own_values(path, name)
    if found != name and found in studies_of("stimuli"):
        raise UserError(
            f"{path}: is a protocol of {found}, not of {name}; "
            f"name {found} in the command, or take another file"
        )
    return _resolved(found, own, changes or {}, str(path), str(path))


def load_any_protocol(path: Path) -> Protocol:
    """Return the protocol in a file, whichever study it names; errors as `load_protocol`."""
    own, found = own_values(path)
    return _resolved(found, own, {}, str(path), str(path))


def protocol_from_resolved(resolved: Mapping[str, Any], where: str) -> Protocol:
    """Return a protocol from its resolved form, as it stands in a pack.

    Raises
    ------
    UserError
        If it is from a newer version, of an unknown study, or not valid.
    """
    document = PROTOCOL_SCHEMA.upgrade(dict(resolved), where)
    return _validated(_model_of(catalogue_name(document), where), document, where)


def own_values(path: Path, study: str = "") -> tuple[dict[str, Any], str]:
    """Return what a file, or one that ships with a study, says, and which study's it is.

    Errors as `load_protocol`.
    """
    own = PROTOCOL_SCHEMA.upgrade(_read_toml(_file_text(path, study), str(path)), str(path))
    if "study" not in own:
        raise UserError(f'{path}: names no study; write study = "NAME" below its schema')
    _refuse_catalogue_name(str(own["study"]), path)
    return own, catalogue_name(own)


def _refuse_catalogue_name(study: str, path: Path) -> None:
    """Refuse a file that names an assessment as its study, and say what to write."""
    if study not in studies_of("stimuli"):
        return
    published = tomllib.loads(_default_text(study))
    if published["study"] != study and "assessment" in published:
        raise UserError(
            f'{path}: study: write study = "{published["study"]}" and assessment = '
            f'"{published["assessment"]}" (given: {study!r})'
        )


def _resolved(
    name: str, own: Mapping[str, Any], changes: Mapping[str, Any], asked: str, where: str
) -> Protocol:
    """Return a study's defaults with what a file and the command line change in them."""
    model = _model_of(name, asked)
    published = _read_toml(_default_text(name), f"{name}.toml")
    if catalogue_name(published) != name:
        wrong = published.get("study")
        raise UserError(f"protocol.toml of {name}: its study is {wrong!r}; write {name!r}")
    return _validated(model, _merged(_merged(published, own), changes), where)


def _model_of(name: str, where: str) -> type[Protocol]:
    return studies_of("stimuli").require(name, where).protocol


def _default_text(name: str) -> str:
    return studies_of("stimuli")[name].published()


def _file_text(path: Path, study: str) -> str:
    if not path.exists() and path.parent == Path():
        # One that ships, asked for by its bare name.
        if path.stem in studies_of("stimuli"):
            return _default_text(path.stem)
        shipped = studies_of("stimuli")[study].shipped(path.name) if study else None
        if shipped is not None and path.suffix == ".toml":
            return shipped
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path}: can't be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: is not UTF-8 text") from None


def _read_toml(text: str, where: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UserError(f"{where}: is not valid TOML: {error}") from None


def _merged(base: Mapping[str, Any], top: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in top.items():
        below = merged.get(key)
        both_tables = isinstance(below, Mapping) and isinstance(value, Mapping)
        merged[key] = _merged(below, value) if both_tables else value
    return merged


def _validated(model: type[Protocol], values: Mapping[str, Any], where: str) -> Protocol:
    try:
        return model.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"]) or "(whole file)"
        if first["type"] == "extra_forbidden":
            reason = f"unknown key{_suggestion(model, first['loc'])}"
        else:
            given = "" if isinstance(first["input"], Mapping) else f" (given: {first['input']!r})"
            reason = first["msg"].removeprefix("Value error, ") + given
        raise UserError(f"{where}: {key}: {reason}") from None


def _suggestion(model: type[Protocol], location: tuple[str | int, ...]) -> str:
    known = _keys_beside(model, location)
    stem, _, unit = str(location[-1]).rpartition("_")
    near = [f"{stem}_{other}" for other in UNITS if unit in UNITS and f"{stem}_{other}" in known]
    near += difflib.get_close_matches(str(location[-1]), known, n=1)
    return f"; did you mean {near[0]}?" if near else f"; known here: {', '.join(sorted(known))}"


def _keys_beside(model: type[Protocol], location: tuple[str | int, ...]) -> list[str]:
    section: Any = model
    for part in location[:-1]:
        field = getattr(section, "model_fields", {}).get(str(part))
        section = field.annotation if field is not None else None
    fields = getattr(section, "model_fields", {})
    return [field.alias or name for name, field in fields.items()]
