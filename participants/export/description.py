"""What an export says about itself: its title, its tasks, its README and changes.

Only the lab can state title, authors and licence. It does so in ``dataset.toml``.
"""

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from participants.export.selection import ExportedStudy, Selection
from participants.folder import LabFolder
from participants.planning import about_cases, judged_cases
from participants.texts.folders import text_names
from participants.texts.load import fill, load_text, placeholders_in
from stimuli.cases import of_cases
from stimuli.deviations import differences
from stimuli.errors import UserError
from stimuli.io.canonical import hash_of
from stimuli.io.given_files import read_toml
from stimuli.io.invalid import place_and_reason
from stimuli.protocol import Protocol
from stimuli.versions import suite_version

ABOUT_FILE: Final = "dataset.toml"
"""Where a lab folder keeps it."""
FEWEST_AUTHORS: Final = 2
"""With fewer authors, the BIDS validator asks whether somebody was forgotten."""

Names = tuple[str, ...]


class About(BaseModel):
    """The content of ``dataset.toml``; empty values are left out of an export."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    title: str = Field(default="", description="Title of the dataset.")
    authors: Names = Field(default=(), strict=False, description="Authors in order.")
    license: str = Field(default="", description="Licence, such as CC-BY-4.0.")
    institution: str = Field(default="", description="By default the one of lab.toml.")
    department: str = Field(default="", description="Department of the institution.")
    address: str = Field(default="", description="Address of the institution.")
    acknowledgements: str = Field(default="", description="Whom you thank, and for what.")
    funding: Names = Field(default=(), strict=False, description="Grants.")
    ethics: Names = Field(default=(), strict=False, description="Votes of ethics boards.")
    references: Names = Field(default=(), strict=False, description="Papers on the data.")

    def lacking(self) -> tuple[str, ...]:
        """Return the missing keys that make the BIDS validator warn, in order."""
        texts = ("license", "institution", "department", "address")
        few = ("authors",) if len(self.authors) < FEWEST_AUTHORS else ()
        return (*few, *(name for name in texts if not getattr(self, name)))


def read_about(path: Path | None, lab: LabFolder | None) -> About:
    """Return what a lab says about its data; empty if it says nothing.

    Parameters
    ----------
    path
        The file; None for the lab folder's ``dataset.toml``, where there is one.
    lab
        The lab, whose institution is taken where the file names none.

    Raises
    ------
    UserError
        If the file can't be read or is not valid: which key and why.
    """
    if path is None and lab is not None and (lab.root / ABOUT_FILE).is_file():
        path = lab.root / ABOUT_FILE
    about = About() if path is None else _read(path)
    if about.institution or lab is None:
        return about
    return about.model_copy(update={"institution": lab.settings.institution})


def _read(path: Path) -> About:
    try:
        return About.model_validate(read_toml(path))
    except ValidationError as error:
        raise UserError(
            f"{path}: {place_and_reason(error, ', '.join(About.model_fields))}"
        ) from None


INSTRUCTIONS: Final = "instructions"
NO_TEXT: Final = (
    "What people typed in their own words was left out ({columns}). Notes of experimenters, "
    "names and dates of sessions are never exported."
)
WITH_TEXT: Final = (
    "What people typed in their own words is among the data ({columns}). Read it before you hand "
    "it on: nobody has checked it for names. Notes of experimenters and dates of sessions are "
    "never exported."
)


def title_of(selection: Selection, about: About) -> str:
    """Return the dataset's title."""
    studies = ", ".join(study.name for study in selection.studies)
    return about.title or f"{studies}: sessions of purpose {selection.purpose}"


def what_is_done(study: ExportedStudy) -> str:
    """Return in a sentence or two what people do in a study, and under which rules."""
    rules = ", ".join(
        f"“{protocol.name}” (SHA-256 {digest})" for digest, protocol in study.protocols.items()
    )
    protocol = next(iter(study.protocols.values()))
    done = of_cases(judged_cases(protocol), _first_line(protocol))
    return f"{done} Rules: protocol {rules}."


def instructions_of(study: ExportedStudy, lab_texts: Path | None) -> str:
    """Return the instructions in the language of the first session, as plain Markdown.

    Brackets stand for values that depend on the protocol and the person, such as keys. Empty if
    there is no such text, e.g. on a PC without the lab's own language.

    Parameters
    ----------
    study
        Whose.
    lab_texts
        The lab's own texts; None without a lab.
    """
    first = study.sessions[0]
    language, protocol = str(first.header["language"]), study.packs[first.pack_id].protocol
    name = about_cases(INSTRUCTIONS, judged_cases(protocol), text_names(study.name))
    try:
        text = load_text(study.name, language, name, lab_texts).markdown
    except UserError:
        return ""
    values = {name: f"[{name.replace('_', ' ')}]" for name in placeholders_in(text)}
    return fill(text, values).strip()


def source_of(selection: Selection) -> str:
    """Return a hash that stands for all journals that the export was made from."""
    return hash_of(sorted(session.chain for session in selection.sessions))


def protocol_files(selection: Selection, folder: str) -> Iterator[tuple[str, bytes]]:
    """Yield the protocols that were used, with every field, one JSON file each."""
    for study in selection.studies:
        for digest, protocol in study.protocols.items():
            yield f"{folder}/protocol_{study.label}_{digest[:8]}.json", pretty(protocol.resolved())


def readme(selection: Selection, about: About, form: str, files: str) -> str:
    """Return the README in Markdown.

    Parameters
    ----------
    selection, about
        What goes out, and what the lab says of it.
    form
        The standard and its version.
    files
        Which files there are, and what is in them, in Markdown.
    """
    people = len({session.participant for session in selection.sessions})
    parts = [
        f"# {title_of(selection, about)}",
        f"This dataset has {_count(len(selection.sessions), 'session')} of "
        f"{_count(people, 'participant')}, all of purpose {selection.purpose}. It has the form of "
        f"{form} and was written by Plainsight {suite_version()} from the sessions' journals "
        f"(SHA-256 of their chains: {source_of(selection)}).",
        "## Files",
        files,
        "## Tasks",
        *(part for study in selection.studies for part in _task(study)),
        "## Privacy",
        "Codes such as `K7RTMX8` are random. " + _about_text(selection),
        *_left_out(selection),
    ]
    return "\n\n".join(parts) + "\n"


def changes(today: date) -> str:
    """Return the changelog of a first version."""
    return f"1.0.0 {today.isoformat()}\n  - First version.\n"


def pretty(value: Any) -> bytes:
    """Return a value as JSON that people can read."""
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode("utf-8")


def typed_columns(selection: Selection) -> str:
    """Return which columns hold people's own words, in words."""
    columns = {
        f"{study.name}: {column.name}"
        for study in selection.studies
        for schema in study.tables.schemas().values()
        for column in schema.columns
        if column.typed
    }
    return ", ".join(sorted(columns)) or "no table has any"


def _task(study: ExportedStudy) -> Iterator[str]:
    yield f"### {study.name}"
    yield what_is_done(study)
    yield f"In names of files the task is called `{study.label}`."
    if study.made:
        yield "Who made what was shown, and how:"
        yield "\n".join(f"- {what}: {how}" for what, how in study.made)
    rows = [
        f"- `{deviation.field}`. In the paper: {_sentence(deviation.published)} "
        f"Here: {_sentence(deviation.here)} Why: {_sentence(deviation.reason)}"
        for protocol in study.protocols.values()
        for deviation in differences(protocol)
    ]
    if rows:
        yield "The protocol differs from the published design:"
        yield "\n".join(dict.fromkeys(rows))


def _about_text(selection: Selection) -> str:
    text = WITH_TEXT if selection.with_text else NO_TEXT
    return text.format(columns=typed_columns(selection))


def _left_out(selection: Selection) -> Iterator[str]:
    if selection.left_out:
        number = len(selection.left_out)
        yield (
            f"{_count(number, 'session')} {'was' if number == 1 else 'were'} left out: it can't be "
            "read, its person declined to take part, or it wasn't finished and its person hasn't "
            "agreed to the use of the data."
        )


def _sentence(text: str) -> str:
    """Return a text with a full stop if it has no sign at its end."""
    text = text.strip()
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def _first_line(protocol: Protocol) -> str:
    return (type(protocol).__doc__ or "").strip().partition("\n")[0]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
