"""Who made an answer or a map: one vocabulary for map sets, packs, tables, texts and reports."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass
from typing import Any, Final

from stimuli.io.tables import Column, Row, levels

NETWORK: Final = "network"
IMAGE: Final = "image"
PEOPLE: Final = "people"
RESPONSE_MODEL: Final = "response_model"
IMPORTED: Final = "imported"
ORIGINS: Final = levels(
    network="a network and its explanation",
    image="a method that sees the image, but not the network",
    people="people",
    response_model="robots instead of people",
    imported="a file; the note says where from",
)
ROBOT: Final = "robot-"
_BRIEFLY: Final = {
    NETWORK: "network",
    IMAGE: "image-only method",
    RESPONSE_MODEL: "robots instead of people:",
    IMPORTED: "imported from",
}
BETWEEN_NAMES: Final = ", "
_SHORT_DIGITS: Final = 12
# For several makers, the first of these counts, so that people don't hide anything simulated.
_SAID_FIRST: Final = (RESPONSE_MODEL, IMPORTED, PEOPLE, NETWORK, IMAGE)


@dataclass(frozen=True, slots=True)
class Origin:
    """Who made something, and how.

    Attributes
    ----------
    kind
        One of `ORIGINS`; empty if it wasn't noted.
    note
        The maker or source in a few words: a network, a person's code, the name of a file or folder
        without its path. May be empty.
    method
        What computed it: a method of the suite, ``captum:NAME`` or ``module:function``; empty if
        nothing was computed.
    settings
        The method's settings (`settings_text`).
    sha256
        SHA-256 of the file with a lab's own function, or of the imported files.
    weights_sha256
        SHA-256 of the network's weights.
    """

    kind: str = ""
    note: str = ""
    method: str = ""
    settings: str = ""
    sha256: str = ""
    weights_sha256: str = ""

    @property
    def simulated(self) -> bool:
        """Whether robots stand for people."""
        return self.kind == RESPONSE_MODEL

    @property
    def words(self) -> str:
        """The origin in a line, without the codes of people."""
        if self.kind == PEOPLE:
            return ORIGINS[PEOPLE]
        parts = [f"{_BRIEFLY.get(self.kind, 'not noted')} {self.note}".strip()]
        if self.weights_sha256:
            parts.append(f"weights of SHA-256 {_short(self.weights_sha256)}")
        if self.method:
            parts.append(f"method {self.method}" + (f" ({self.settings})" if self.settings else ""))
        if self.sha256:
            whose = "function's file" if self.method else "files"
            parts.append(f"{whose} of SHA-256 {_short(self.sha256)}")
        return "; ".join(parts)


def _short(sha256: str) -> str:
    """Return the beginning of a hash, or of each of several hashes."""
    return BETWEEN_NAMES.join(f"{name[:_SHORT_DIGITS]}…" for name in names_in(sha256))


UNKNOWN: Final = Origin()


def robot_id(name: str) -> str:
    """Return the solver_id of a robot in place of an expert; no person's code looks like it."""
    return f"{ROBOT}{name}"


def settings_text(settings: Mapping[str, Any]) -> str:
    """Return a method's settings as ``--set`` takes them: NAME=VALUE, separated by commas.

    Empty settings, which leave a choice to the method, are left out.
    """
    texts = {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in settings.items()
        if value != ""
    }
    return ", ".join(f"{name}={text}" for name, text in sorted(texts.items()))


def together(origins: Iterable[Origin]) -> Origin:
    """Return the combined origin of several; simulated if any of them is."""
    distinct = set(origins)
    kinds = {origin.kind for origin in distinct}
    kind = next((kind for kind in _SAID_FIRST if kind in kinds), "")
    # Each text once, in the order of the notes, so that hashes are in the order of their files.
    texts = zip(
        *sorted(astuple(origin)[1:] for origin in distinct if origin.kind == kind), strict=True
    )
    return Origin(kind, *(BETWEEN_NAMES.join(dict.fromkeys(filter(None, text))) for text in texts))


def names_in(note: str) -> list[str]:
    """Return the names in a note of several origins (`together`)."""
    return note.split(BETWEEN_NAMES)


def origin_column(name: str, whose: str) -> Column:
    """Return a table's column for an origin, whose cells are empty if it wasn't noted.

    Parameters
    ----------
    name
        The column's.
    whose
        What was made, such as ``the map``.
    """
    return Column(name, "text", f"Who made {whose}.", levels=ORIGINS, optional=True)


def note_column(name: str, whose: str) -> Column:
    """Return a table's column for an origin's note."""
    return Column(name, "text", f"Who made {whose}, or where it came from.", optional=True)


DETAILS: Final = {
    "method": "The explanation method: one of the suite, captum:NAME or module:function; empty if "
    "no method was computed.",
    "settings": "The method's settings, NAME=VALUE, separated by commas.",
    "sha256": "SHA-256 of the file of the lab's own function, or of the imported files; otherwise "
    "empty.",
    "weights_sha256": "SHA-256 of the network's weights.",
}
"""Details of an origin in a table of arms, beside its kind and its note."""


def origin_columns(name: str, whose: str) -> tuple[Column, ...]:
    """Return all columns for an origin, such as those of a table with a row for each arm.

    Parameters
    ----------
    name
        Name of the first column; the others' names begin with it.
    whose
        What was made, such as ``the maps``.
    """
    details = (
        Column(f"{name}_{what}", "text", meaning, optional=True)
        for what, meaning in DETAILS.items()
    )
    return (origin_column(name, whose), note_column(f"{name}_note", whose), *details)


def detail_columns(name: str) -> tuple[str, ...]:
    """Return the names of the columns after the first two of `origin_columns`."""
    return tuple(f"{name}_{what}" for what in DETAILS)


def origin_cells(name: str, origin: Origin) -> Row:
    """Return the cells of `origin_columns`."""
    texts = {name: origin.kind, f"{name}_note": origin.note}
    texts |= {f"{name}_{what}": getattr(origin, what) for what in DETAILS}
    return {column: text or None for column, text in texts.items()}


def origin_in(row: Mapping[str, Any], name: str) -> Origin:
    """Return the origin in a row of such a table; missing columns give empty values."""
    columns = (name, f"{name}_note", *detail_columns(name))
    return Origin(*(str(row.get(column) or "") for column in columns))
