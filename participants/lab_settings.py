"""``lab.toml``: the settings of a lab folder, how they are read and first written.

Two of its tables have rules of their own: ``[payment]`` states what people get for a session, and
``[consent.LANGUAGE]`` fills in the consent that an ethics board asks for.
"""

import json
import re
import secrets
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from participants.files import private_lock, write_file
from stimuli.errors import UserError
from stimuli.io.given_files import read_toml
from stimuli.io.invalid import first_fault, place_and_reason
from stimuli.languages import ENGLISH
from stimuli.versions import Schema

CLOCK_TIME: Final = r"^([01]\d|2[0-3]):[0-5]\d$"
PAYMENT_TEMPLATE: Final = """\
# What people get for a session. participants payments lists it, receipts show it.
[payment]
# {currency}
currency = "EUR"
# {per_session}
per_session = 0.0
# {per_hour}
per_hour = 0.0
# {round_up_min}
round_up_min = 15
"""


class PaymentRules(BaseModel):
    """The table ``[payment]`` of ``lab.toml``."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    currency: str = Field(
        default="EUR", pattern=r"^[A-Z]{3}$", description="The currency, as ISO 4217 writes it."
    )
    per_session: float = Field(
        default=0.0, ge=0, le=10000, strict=False,
        description="For a session that came to its end.",
    )  # fmt: skip
    per_hour: float = Field(
        default=0.0, ge=0, le=10000, strict=False,
        description="For the time in sessions, also in those that people stopped early.",
    )  # fmt: skip
    round_up_min: int = Field(
        default=15, ge=1, le=120, description="Time is rounded up to so many minutes."
    )

    def cents(self, minutes: float | None, *, complete: bool) -> int:
        """Return what somebody has earned in a session, in hundredths of the currency.

        Parameters
        ----------
        minutes
            The time in the session; None if unknown.
        complete
            Whether the session is complete.
        """
        parts = -(-(minutes or 0.0) // self.round_up_min)
        by_time = self.per_hour * parts * self.round_up_min / 60
        return round(100 * (by_time + self.per_session * complete))


def payment_template() -> str:
    """Return the part of a new ``lab.toml`` that says what people get."""
    descriptions = {name: field.description for name, field in PaymentRules.model_fields.items()}
    return PAYMENT_TEMPLATE.format(**descriptions)


APPOINTMENT_TEMPLATE: Final = """\
# When people may come. participants book, and the lab's day, use it.
[appointments]
# {first}
first = "09:00"
# {last}
last = "17:00"
# {minutes}
minutes = 60
# {rigs}
rigs = []
# {days_ahead}
days_ahead = 5
"""


class AppointmentRules(BaseModel):
    """The table ``[appointments]`` of ``lab.toml``."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    first: str = Field(
        default="09:00", pattern=CLOCK_TIME, description="When the first appointment begins."
    )
    last: str = Field(
        default="17:00", pattern=CLOCK_TIME, description="When the last appointment ends."
    )
    minutes: int = Field(
        default=60, ge=5, le=600, description="How long one lasts, with the time between two."
    )
    rigs: list[str] = Field(
        default=[], description="The PCs that people come to; empty for this one."
    )
    days_ahead: int = Field(
        default=5,
        ge=1,
        le=60,
        description="Number of working days for which free places are shown.",
    )

    @property
    def places_a_day(self) -> int:
        """Number of appointments for which a PC has room on a day."""
        first, last = (60 * int(text[:2]) + int(text[3:]) for text in (self.first, self.last))
        return max(0, last - first) // self.minutes


def appointment_template() -> str:
    """Return the part of a new ``lab.toml`` that says when people may come."""
    descriptions = {
        name: field.description for name, field in AppointmentRules.model_fields.items()
    }
    return APPOINTMENT_TEMPLATE.format(**descriptions)


BLANK: Final = "____"
"""Line in a consent for a value that ``lab.toml`` lacks."""
LINE_ABOUT_LAB: Final = "# institution and contact may stand here too, in this language."
TERMS: Final = "terms"
"""Placeholder for the shared text that holds all blanks; also the end of that text's name."""
TERMS_TEXT: Final = "consent_terms"


class ConsentBlanks(BaseModel):
    """The table ``[consent.LANGUAGE]`` of ``lab.toml``: what only the lab can say."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    responsible: str = Field(
        default="", description="Who is responsible: an office and how to reach it."
    )
    pay: str = Field(default="", description="What people get for taking part, and when.")
    retention: str = Field(default="", description="How long the data are kept, and where.")
    rights: str = Field(default="", description="What people may ask for, and until when.")
    data_protection: str = Field(
        default="", description="Whom to ask about data protection, and how."
    )
    ethics_vote: str = Field(
        default="", description="The vote: which committee, its number, when it was given."
    )


class LabInLanguage(ConsentBlanks):
    """The whole table: the blanks, and what the lab is called in the language."""

    institution: str = Field(default="", description="In this language; else the one above.")
    contact: str = Field(default="", description="In this language; else the one above.")


def consent_examples() -> dict[str, Mapping[str, str]]:
    """Return examples of what a lab writes into the blanks, by language; English comes first."""
    from participants.texts.rig import load_rig_tables, rig_languages

    return {
        language: load_rig_tables("consent.toml", ("examples",), language).parts["examples"]
        for language in sorted(rig_languages(), key=lambda tag: (tag != ENGLISH, tag))
    }


def consent_template() -> str:
    """Return the part of a new ``lab.toml`` in which the lab fills in the blanks."""
    lines = [
        "# The blanks of the consent. One left empty shows as a line, and stops sessions of",
        "# purpose main. Write offices and addresses rather than names.",
    ]
    for language, examples in consent_examples().items():
        lines += ["", f"[consent.{language}]", LINE_ABOUT_LAB]
        for name, field in ConsentBlanks.model_fields.items():
            lines += [
                f"# {field.description}",
                f"# Such as: {examples[name]}",
                f'{name} = ""',
            ]
    return "\n".join(lines) + "\n"


def left_blank(blanks: ConsentBlanks) -> list[str]:
    """Return the names of the blanks that nobody has filled."""
    return [name for name in ConsentBlanks.model_fields if not getattr(blanks, name).strip()]


def consent_values(
    study: str,
    language: str,
    stated: Mapping[str, str],
    blanks: ConsentBlanks | None = None,
    lab_texts: Path | None = None,
) -> dict[str, str]:
    """Return the values that texts use for the lab, including the terms of the consent.

    Parameters
    ----------
    study, language
        The study, and the language of its texts.
    stated
        ``institution`` and ``contact`` of ``lab.toml``. If one is missing, texts use general words,
        and the terms have lines.
    blanks
        Its values for the consent in that language; lines stand for missing ones.
    lab_texts
        The lab's own texts (`LabFolder.texts`).
    """
    from participants.texts import load_text, load_words

    words = load_words(study, language, lab_texts)
    entered = (blanks or ConsentBlanks()).model_dump(include=set(ConsentBlanks.model_fields))
    values = {name: stated.get(name) or words[name] for name in ("institution", "contact")}
    values |= {name: text.strip() or BLANK for name, text in entered.items()}
    named = {name: stated.get(name) or BLANK for name in ("institution", "contact")}
    terms = load_text(study, language, TERMS_TEXT, lab_texts).filled({**values, **named})
    # One line stands for institution and contact if both are missing.
    return {**values, TERMS: terms.markdown.strip().replace(f"{BLANK}, {BLANK}", BLANK)}


LAB_SCHEMA: Final = Schema("lab")
SUFFIX_SIGNS: Final = "abcdefghjkmnpqrstuvwxyz23456789"
SQLITE: Final = "sqlite:///"
STUDIES_LINE: Final = re.compile(r"^studies\s*=\s*\[[^\]]*\][^\n]*\n?", re.MULTILINE)
SHORT_NAME: Final = re.compile(r"[a-z]{2,3}([-_]\w+)?")
FIRST_TABLE: Final = re.compile(r"^\[", re.MULTILINE)

LAB_TEMPLATE: Final = """\
# This PC's place in the lab. Change a line and save; every command reads it again.

# Format and version of this file; leave it as it is.
schema = "{schema}"

# Where the data go; relative to this file, or a whole path on a local disk.
data = "data"

# The registry of codes, assignments and sessions: a database URL. For several PCs with one
# registry see docs/several_pcs.md.
registry = "sqlite:///registry.sqlite"

# Name of this PC and display; it stands in every row of data. No personal names.
rig = "{rig}"

# Language of the texts that people read (IETF tag).
language = "{language}"

# Shown in the consent and the debrief. [consent.LANGUAGE] may have others for its language.
institution = ""
contact = ""

# After a pause: seconds from the key that ends it to the session's going on.
pause_countdown_s = 3.0

# Second places, which get a backup after every session: folders on other disks or shares, such
# as ["/media/usb/plainsight"]; see docs/backup.md.
backup = []

# Your own studies: their folders, relative to this file or whole paths. new-study adds one.
studies = []

{payment}
{appointments}
{consent}"""


def _short_name(language: str) -> str:
    if not SHORT_NAME.fullmatch(language):
        raise ValueError(f"{language!r} is not a language's short name, such as en or de")
    return language


class LabSettings(BaseModel):
    """The content of ``lab.toml``."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    schema_tag: str = Field(alias="schema", description="Format and version of this file.")
    data: str = Field(default="data", min_length=1, description="Where the data go.")
    registry: str = Field(
        default=f"{SQLITE}registry.sqlite", min_length=1, description="URL of the registry."
    )
    rig: str = Field(
        min_length=1, max_length=40, pattern=r"^[\w-]+$", description="Name of PC and display."
    )
    language: Annotated[str, AfterValidator(_short_name)] = Field(
        default=ENGLISH, description="Language of the texts."
    )
    institution: str = Field(default="", description="Shown in the consent and the debrief.")
    contact: str = Field(default="", description="Shown in the consent and the debrief.")
    pause_countdown_s: float = Field(
        default=3.0, ge=0, le=60, strict=False,
        description="From the key that ends a pause to the session's going on.",
    )  # fmt: skip
    backup: list[str] = Field(default=[], description="Second places, for backups.")
    studies: list[str] = Field(default=[], description="Folders of the lab's own studies.")
    payment: PaymentRules = Field(
        default_factory=PaymentRules, description="What people get for a session."
    )
    appointments: AppointmentRules = Field(
        default_factory=AppointmentRules, description="When people may come."
    )
    consent: dict[str, LabInLanguage] = Field(
        default_factory=dict, description="Blanks of the consent, by language."
    )

    def blanks(self, language: str) -> LabInLanguage:
        """Return the consent's blanks in a language; empty ones if the file has none."""
        return self.consent.get(language, LabInLanguage())

    def named(self, language: str) -> dict[str, str]:
        """Return institution and contact in a language, or else those for all languages."""
        blanks = self.blanks(language)
        return {
            "institution": blanks.institution or self.institution,
            "contact": blanks.contact or self.contact,
        }


def make_settings(path: Path) -> None:
    """Write a ``lab.toml`` with default settings; UserError if there is one already."""
    try:
        # Two processes may get here at once; a lab has one rig name.
        with private_lock(path.with_name(".lab.lock")):
            if path.exists():
                raise UserError(f"{path.parent}: is a lab folder already; leave out --new")
            text = _lab_text()
            write_file(path, text.encode("utf-8"))
    except OSError as error:
        raise UserError(
            f"{path}: can't be written ({error.strerror}); choose another lab folder with --lab"
        ) from None


def read_settings(path: Path) -> LabSettings:
    """Return the settings of a ``lab.toml``; UserError says which key isn't valid, and why."""
    values = LAB_SCHEMA.upgrade(read_toml(path), str(path))
    try:
        return LabSettings.model_validate(values)
    except ValidationError as error:
        tables: dict[str | int, type[BaseModel]] = {
            "consent": LabInLanguage,
            "payment": PaymentRules,
            "appointments": AppointmentRules,
        }
        section = next(iter(first_fault(error)["loc"]), "")
        model = tables.get(section, LabSettings)
        known = ", ".join(field.alias or name for name, field in model.model_fields.items())
        raise UserError(f"{path}: {place_and_reason(error, known)}") from None


def declare_study(path: Path, folder: PurePath) -> None:
    """Add a study's folder to the list in a ``lab.toml``; the other lines stay as they are."""
    studies = [*read_settings(path).studies, str(folder)]
    line = f"studies = {json.dumps(studies, ensure_ascii=False)}\n"
    with private_lock(path.with_name(".lab.lock")):
        text = path.read_text(encoding="utf-8")
        if STUDIES_LINE.search(text):
            text = STUDIES_LINE.sub(lambda _: line, text, count=1)
        else:
            # Keys of the file itself stand before its first table.
            first = FIRST_TABLE.search(text)
            place = len(text) if first is None else first.start()
            text = f"{text[:place].rstrip()}\n\n{line}\n{text[place:]}"
        write_file(path, text.encode("utf-8"))


def random_suffix(length: int = 4) -> str:
    """Return random lower-case characters that can't be mistaken for one another."""
    return "".join(secrets.choice(SUFFIX_SIGNS) for _ in range(length))


def _lab_text() -> str:
    rig = f"rig-{random_suffix()}"
    return LAB_TEMPLATE.format(
        language=ENGLISH,
        schema=LAB_SCHEMA.tag,
        rig=rig,
        payment=payment_template(),
        appointments=appointment_template(),
        consent=consent_template(),
    )
