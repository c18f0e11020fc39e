"""What every protocol has: strict typed sections, a version, a hash."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from stimuli.io.canonical import hash_of
from stimuli.io.schema import Schema

# What a minor version adds has a default in the model that stands for how it was before, so
# that a pack of an older version keeps its rules.
PROTOCOL_SCHEMA = Schema("protocol", 1, 6, {minor: lambda document: document for minor in range(6)})

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
    """A table of a protocol file: unknown keys and wrong types are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Deviation(Section):
    """One place where this protocol differs from the published design."""

    field: str = Field(description="The field of this file that differs, e.g. session.run_order.")
    published: str = Field(description="What the paper says.")
    here: str = Field(description="What this protocol does.")
    reason: str = Field(description="Why.")


class Assignment(Section):
    """How people are assigned to lists and orders."""

    seed: int = Field(ge=0, description="Breaks ties between equally filled cells.")
    drop_after_s: float = Field(
        gt=0, description="A session without news for this long frees its place."
    )


class Practice(Section):
    """Who may go on from practice to what counts, where a study has practice.

    The defaults let everybody go on, as before there was a criterion.
    """

    answered_share: Share = Field(
        default=0.0,
        description="Minimum share of practice trials that must be answered to continue.",
    )
    right_share: Share = Field(
        default=0.0,
        description="Minimum share of practice trials that must be answered correctly to continue.",
    )
    repeats: int = Field(
        default=0,
        ge=0,
        le=10,
        description="Maximum number of repetitions of practice if these shares aren't reached.",
    )
    then: Literal["call_experimenter", "end"] = Field(
        default="call_experimenter",
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

    device: Literal["keyboard", "mouse"] = Field(description="How participants answer.")
    left_key: str = Field(min_length=1, description="Key for the choice on the left.")
    right_key: str = Field(min_length=1, description="Key for the choice on the right.")
    break_every_trials: PositiveCount = Field(description="Number of trials between breaks.")
    comprehension_attempts: PositiveCount = Field(
        description="Attempts at the comprehension check before the experimenter is called."
    )
    wait_after_unanswered: int = Field(
        default=0,
        ge=0,
        description="After this many trials in a row without an answer, the session waits for a "
        "key; 0: never.",
    )

    @model_validator(mode="after")
    def _keys_differ(self) -> Self:
        if self.left_key == self.right_key:
            raise ValueError("left_key and right_key must differ")
        return self


class Comparison(Section):
    """How two of something are compared."""

    margin: float = Field(
        gt=0, lt=1, description="Equivalence margin on the probability difference."
    )
    replicates: int = Field(ge=1, le=1_000_000, description="Bootstrap replicates.")
    seed: int = Field(ge=0, description="Seed of the bootstrap.")
    primary_test: Literal["model", "means"] = Field(
        default="model",
        description="The primary analysis: means over participants and items, or the mixed model "
        "of the study (t tests with Satterthwaite's degrees of freedom). Reports give the means "
        "first and the model's estimate beside them; the primary analysis decides.",
    )


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
        strict=False, description="Where this protocol differs from the paper, and why."
    )
    assignment: Assignment = Field(description="How people are assigned.")

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
    journals and tables of both bear the study's own name.
    """
    study, assessment = document.get("study"), document.get("assessment")
    return str(study) if assessment is None else f"{study}_{assessment}"


def protocol_hash(protocol: Protocol) -> str:
    """Return the SHA-256 of the resolved protocol's canonical JSON (64 hex digits).

    It stands in every row of data: two rows with the same hash were recorded under
    the same rules.
    """
    return hash_of(protocol.resolved())
