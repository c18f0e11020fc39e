"""Protocols: what a study does, typed, documented and frozen into every pack.

Every protocol has strict typed sections, a version and a hash. A protocol file states a lab's
changes to the study's published defaults.
"""

import difflib
import re
import unicodedata
from collections.abc import Mapping
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from stimuli.catalogue import TABLE_FILE, studies_of
from stimuli.devices import DeviceName
from stimuli.errors import UserError
from stimuli.io.canonical import hash_of
from stimuli.io.given_files import parse_toml, read_text
from stimuli.io.invalid import UNKNOWN, first_fault, place_of, reason_of
from stimuli.keys import Key
from stimuli.placeholders import filled
from stimuli.versions import Schema

PROTOCOL_SCHEMA: Final = Schema("protocol")

LONGEST_NAME: Final = 60
FILE_SAFE: Final = re.compile(r"\w([\w.+ -]*[\w+-])?")


def _file_safe(name: str) -> str:
    """Return a name in NFC that can be part of a file's name on every system."""
    name = unicodedata.normalize("NFC", name)
    if len(name) > LONGEST_NAME or not FILE_SAFE.fullmatch(name):
        raise ValueError(
            "stands in the names of folders: letters, digits, spaces and - + _ . only, "
            f"{LONGEST_NAME} at most, with a letter or digit first and no dot or space last"
        )
    return name


Share = Annotated[float, Field(ge=0, le=1)]
PositiveCount = Annotated[int, Field(ge=1)]
Channel = Annotated[int, Field(ge=0, le=255)]


class Section(BaseModel):
    """A table of a protocol file: unknown keys, wrong types and infinite numbers are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class Deviation(Section):
    """One place where this protocol differs from the published design."""

    field: str = Field(
        description="The field of this file that differs, e.g. session.run_order; or the option of "
        "the build's command that makes the difference."
    )
    published: str = Field(description="What the paper says.")
    here: str = Field(
        description="What this protocol does. {trial.cutoff_s} stands for the field's value, "
        "{analysis.margin:%} for a share times 100."
    )
    reason: str = Field(description="Why; with values in the same way.")
    whose: Literal["study", "build", "setting", "lab"] = Field(
        default="lab",
        description="Who states it: the study, the builder, a changed setting, or the lab. "
        "Whatever a lab's file says is the lab's.",
    )
    cases: Literal["images", "texts"] | None = Field(
        default=None, description="Where people judge these alone; without it, everywhere."
    )
    rests_on: tuple[str, ...] | None = Field(
        default=None,
        strict=False,
        description="A study's texts rest on the default values of these fields, and aren't shown "
        "if the protocol changes one; without it, on that of its own field.",
    )


class Assignment(Section):
    """How people are assigned to lists and orders."""

    seed: int = Field(ge=0, description="Breaks ties between equally filled cells.")
    drop_after_s: float = Field(
        gt=0, description="A session without news for this long frees its place."
    )


class Practice(Section):
    """Who may go on from practice to what counts, where a study has practice."""

    answered_share: Share = Field(
        description="Minimum share of practice trials that must be answered to continue.",
    )
    right_share: Share = Field(
        description="Minimum share of practice trials that must be answered correctly to continue.",
    )
    repeats: int = Field(
        ge=0,
        le=10,
        description="Maximum number of repetitions of practice if these shares aren't reached.",
    )
    then: Literal["call_experimenter", "end"] = Field(
        description="What happens if they aren't reached in the last practice: a page that only "
        "the experimenter can leave, after which the session continues; or the end of the "
        "session.",
    )

    @property
    def has_criterion(self) -> bool:
        """Whether anybody could fail it."""
        return self.answered_share > 0 or self.right_share > 0


class Answers(Section):
    """How somebody answers who has two choices."""

    device: DeviceName = Field(
        description="How participants answer: keyboard, mouse, or the response pad of the rig."
    )
    left_key: Key = Field(
        description="Key for the choice on the left: a digit, or a letter that is the same on all "
        "keyboards (not a, m, q, w, y or z)."
    )
    right_key: Key = Field(description="Key for the choice on the right; chosen likewise.")
    break_every_trials: PositiveCount = Field(description="Number of trials between breaks.")
    comprehension_attempts: PositiveCount = Field(
        description="Attempts at the comprehension check before the experimenter is called."
    )
    wait_after_unanswered: int = Field(
        ge=0,
        description="After this many trials in a row without an answer, the session waits for a "
        "key; 0: never.",
    )

    @model_validator(mode="after")
    def _keys_differ(self) -> Self:
        if self.left_key == self.right_key:
            raise ValueError("left_key and right_key must differ")
        return self


MarginReason = Annotated[
    str,
    Field(
        default="",
        description="Why smaller differences than the margin don't matter, in sentences that the "
        "report prints. A file that sets another margin states its own; empty: the report leaves "
        "a blank to fill in.",
    ),
]


class Comparison(Section):
    """How two of something are compared."""

    margin: float = Field(
        gt=0, lt=1, description="Equivalence margin on the probability difference."
    )
    margin_reason: MarginReason
    replicates: int = Field(ge=1, le=1_000_000, description="Bootstrap replicates.")
    seed: int = Field(ge=0, description="Seed of the bootstrap.")
    primary_test: Literal["model", "means"] = Field(
        description="The primary analysis: means over participants and items, or the mixed model "
        "of the study (t tests with Satterthwaite's degrees of freedom). Reports give the means "
        "first and the model's estimate beside them; the primary analysis decides.",
    )


FewPeople = Annotated[
    int,
    Field(
        ge=1,
        description="Number of participants below which the primary result is about these "
        "participants: items count as drawn at random, participants as given, each of them is "
        "shown, and the interval over participants in general follows. 1: never.",
    ),
]
"""With few participants each is a replication, as in psychophysics (Smith & Little 2018, Psychon.
Bull. Rev. 25): how participants differ is hardly known from less than eight."""


class Protocol(Section):
    """What every study's protocol holds; a study adds its own sections."""

    schema_tag: str = Field(alias="schema", description="Format and version of this file.")
    study: str = Field(description="The study, by its name in every room.")
    name: Annotated[str, AfterValidator(_file_safe)] = Field(
        description="The name of this variant of the study, used in the names of folders."
    )
    seed: int = Field(ge=0, description="Seed of all random draws of the builder.")
    expected_minutes: float = Field(
        gt=0,
        description="Length of one session in minutes, or of each sitting if there are several.",
    )
    languages: tuple[str, ...] = Field(
        min_length=1, strict=False, description="Languages of the texts, by IETF tag."
    )
    fonts: tuple[str, ...] = Field(
        default=(),
        strict=False,
        description="Fonts for signs that DejaVu Sans lacks, such as NotoSansCJK-Regular.ttc: the "
        "path of a file, or the name of a font's file on the PC that builds. The pack contains "
        "them; docs/scripts.md.",
    )
    demographics: bool = Field(
        default=False,
        description="Whether the optional form is shown after the consent: age band, gender, "
        "glasses, acuity, first language. The answers are stored in the registry only; the reports "
        "count age bands and genders.",
    )
    unfinished: Literal["kept", "left_out"] = Field(
        default="kept",
        description="Whether tables contain sessions whose participant hasn't agreed to the use "
        "of the data after the debrief, such as those between two sittings: kept or left_out. "
        "People who leave for good are debriefed and asked too. Without that question the setting "
        "has no effect.",
    )
    deviations: tuple[Deviation, ...] = Field(
        strict=False,
        description="Where this protocol differs from the paper, and why. A lab's file adds its "
        "own to those of the study.",
    )
    assignment: Assignment = Field(description="How people are assigned.")

    @model_validator(mode="after")
    def _texts_name_fields(self) -> Self:
        for deviation in self.deviations:
            for text in (deviation.here, deviation.reason):
                try:
                    filled(text, self)
                except (ValueError, TypeError) as error:
                    raise ValueError(f"deviations: {deviation.field}: {error}") from None
        return self

    @property
    def catalogue_name(self) -> str:
        """The name of its study in the catalogue (see `catalogue_name`)."""
        return catalogue_name(dict(self))

    @property
    def least_gap_h(self) -> float:
        """Least number of hours between two sittings; 0 where there are none."""
        return 0.0

    def language_near(self, usual: str) -> str:
        """Return a language if the study has it, else the study's first."""
        return usual if usual in self.languages else self.languages[0]

    def resolved(self) -> dict:
        """Return the protocol as plain JSON values, every field spelled out."""
        return self.model_dump(mode="json", by_alias=True)


def catalogue_name(document: Mapping[str, Any]) -> str:
    """Return the name in the catalogue of the study that a protocol's document is of.

    It is the study's, or for one of a study's further assessments ``STUDY_ASSESSMENT``:
    journals and tables of both have the study's own name.
    """
    study, assessment = document.get("study"), document.get("assessment")
    return str(study) if assessment is None else f"{study}_{assessment}"


def protocol_hash(protocol: Protocol) -> str:
    """Return the SHA-256 of the resolved protocol's canonical JSON (64 hex digits).

    It stands in every row of data: two rows with the same hash were recorded under
    the same rules.
    """
    return hash_of(protocol.resolved())


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
        return _resolved(name, {}, changes or {}, "the command line", "")
    values, study = own_values(path, name)
    if study != name and study in studies_of("stimuli"):
        raise UserError(
            f"{path}: is a protocol of {study}, not of {name}; "
            f"name {study} in the command, or take another file"
        )
    return _resolved(study, values, changes or {}, str(path), str(path))


def load_any_protocol(path: Path) -> Protocol:
    """Return the protocol in a file, whichever study it names; errors as `load_protocol`."""
    values, study = own_values(path)
    return _resolved(study, values, {}, str(path), str(path))


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
    """Return the values in a protocol file, or one shipped with a study, and the study's name.

    Errors as `load_protocol`.
    """
    document = parse_toml(_file_text(path, study), str(path))
    if is_from_table(document):
        document = {"schema": PROTOCOL_SCHEMA.tag} | document
    values = PROTOCOL_SCHEMA.upgrade(document, str(path))
    if "study" not in values:
        raise UserError(f'{path}: names no study; write study = "NAME" below its schema')
    _refuse_catalogue_name(str(values["study"]), path)
    return values, catalogue_name(values)


def is_from_table(document: Mapping[str, Any]) -> bool:
    """Return whether a document is of a study from a table; its file may leave out its version."""
    studies, name = studies_of("stimuli"), str(document.get("study"))
    return name in studies and studies[name].design == TABLE_FILE


def _refuse_catalogue_name(study: str, path: Path) -> None:
    """Refuse a file that names an assessment as its study, and say what to write."""
    if study not in studies_of("stimuli"):
        return
    published = _shipped(_default_text(study), study)
    if published["study"] != study and "assessment" in published:
        raise UserError(
            f'{path}: study: write study = "{published["study"]}" and assessment = '
            f'"{published["assessment"]}" (given: {study!r})'
        )


def _resolved(
    name: str, from_file: Mapping[str, Any], changes: Mapping[str, Any], source: str, where: str
) -> Protocol:
    """Return a study's defaults with what a file and the command line change in them."""
    model = _model_of(name, source)
    study = studies_of("stimuli")[name]
    file = study.written_in(name)
    published = deepcopy(_shipped(study.published(), file))
    if catalogue_name(published) != name:
        wrong = published.get("study")
        raise UserError(f"{study.design} of {name}: its study is {wrong!r}; write {name!r}")
    values = _merged(_merged(published, from_file), changes)
    values["deviations"] = _stated(published, from_file)
    _forget_reason(values, published, _merged(from_file, changes))
    return _validated(model, values, where or file)


@cache
def _shipped(text: str, file: str) -> dict[str, Any]:
    """Return a shipped protocol's content, read once; copy it before any change."""
    return parse_toml(text, file)


def _forget_reason(
    values: dict[str, Any], published: Mapping[str, Any], stated: Mapping[str, Any]
) -> None:
    """Empty the reason for the margin if another margin is given without one."""
    sections = [layer.get("analysis", {}) for layer in (values, published, stated)]
    if not all(isinstance(section, Mapping) for section in sections):
        return
    now, before, stated_section = sections
    if now.get("margin") != before.get("margin") and "margin_reason" not in stated_section:
        values["analysis"] = {**now, "margin_reason": ""}


def _stated(published: Mapping[str, Any], from_file: Mapping[str, Any]) -> Any:
    """Return a study's deviations, then those that a lab's file adds."""
    shipped, added = published.get("deviations", []), from_file.get("deviations", [])
    if not (isinstance(added, list) and all(isinstance(entry, Mapping) for entry in added)):
        return added
    return [
        *({**entry, "whose": "study"} for entry in shipped),
        *({**entry, "whose": "lab"} for entry in added if entry not in shipped),
    ]


def _model_of(name: str, where: str) -> type[Protocol]:
    return studies_of("stimuli").require(name, where).protocol


def _default_text(name: str) -> str:
    return studies_of("stimuli")[name].published()


def _file_text(path: Path, study: str) -> str:
    if not path.exists() and path.parent == Path():
        # A shipped file, asked for by its bare name.
        if path.stem in studies_of("stimuli"):
            return _default_text(path.stem)
        shipped = studies_of("stimuli")[study].shipped(path.name) if study else None
        if shipped is not None and path.suffix == ".toml":
            return shipped
    return read_text(path)


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
        first = first_fault(error)
        more = "" if isinstance(first["input"], Mapping) else f" (given: {first['input']!r})"
        if first["type"] == UNKNOWN:
            more = _suggestion(model, first["loc"])
        raise UserError(f"{where}: {place_of(first)}{reason_of(first)}{more}") from None


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
