"""What only the lab can say of a dataset: its title, its authors, its licence."""

import tomllib
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from participants.folder import LabFolder
from stimuli.errors import UserError

ABOUT_FILE: Final = "dataset.toml"
"""Where a lab folder keeps it."""
FEWEST_AUTHORS: Final = 2
"""With fewer, the validator of BIDS asks whether somebody was forgotten."""

Names = tuple[str, ...]


class About(BaseModel):
    """The content of ``dataset.toml``; what is empty is left out of an export."""

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
        """Return the keys without which the validator of BIDS warns, in order."""
        texts = ("license", "institution", "department", "address")
        few = ("authors",) if len(self.authors) < FEWEST_AUTHORS else ()
        return (*few, *(name for name in texts if not getattr(self, name)))


def read_about(path: Path | None, lab: LabFolder | None) -> About:
    """Return what a lab says of its data; empty where it says nothing.

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
        return About.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise UserError(f"{path}: can't be read ({error.strerror})") from None
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        known = ", ".join(About.model_fields)
        unknown = first["type"] == "extra_forbidden"
        reason = f"unknown key; known: {known}" if unknown else first["msg"]
        raise UserError(f"{path}: {key}: {reason}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UserError(f"{path}: is not valid TOML: {error}") from None
