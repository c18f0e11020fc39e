"""The checklist's answers from a file, and a rig's values from one session to the next."""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from experiments.rig.checklist.answers import DISTANCE, MUST_HOLD, PLAUSIBLE, Answers, is_plausible
from experiments.rig.profile import RigProfile
from participants.files import make_private, write_file
from participants.nameless import refuse_names
from participants.texts import ChecklistText
from stimuli.errors import UserError

REASONS: Final = "reasons"


def read_answers(path: Path, text: ChecklistText) -> Answers:
    """Return the answers in a TOML file.

    It holds every point's name with ``true`` or ``false``, at will ``distance_cm`` and
    ``ambient_lux``, and a table ``[reasons]`` for points that don't hold.

    Raises
    ------
    UserError
        If it can't be read, or a key is missing, unknown or ill-typed: which.
    """
    document = _document(path)
    reasons = document.pop(REASONS, {})
    if not isinstance(reasons, dict) or not set(reasons) <= set(MUST_HOLD):
        raise UserError(f"{path}: [{REASONS}]: must contain names of points with texts")
    for point, reason in reasons.items():
        refuse_names(str(reason), where=f"{path}: [{REASONS}]: {point}")
    if missing := [point for point in MUST_HOLD if point not in document]:
        raise UserError(f"{path}: {missing[0]}: is missing; answer it with true or false")
    for key, value in document.items():
        _check(path, key, value)
    return Answers(
        "file",
        text,
        {point: document[point] for point in MUST_HOLD},
        {name: float(document[name]) for name in PLAUSIBLE if name in document},
        {point: str(reason).strip() for point, reason in reasons.items()},
    )


def known_values(memory: Path, rig: RigProfile) -> dict[str, float]:
    """Return a rig's distance and light: from its profile, else as last answered."""
    known = _remembered(memory)
    values = {name: float(known[name]) for name in PLAUSIBLE if is_plausible(name, known.get(name))}
    if rig.geometry is not None:
        values[DISTANCE] = rig.geometry.distance_cm
    return values


def remember(memory: Path, values: Mapping[str, float]) -> None:
    """Keep a rig's values for the next session."""
    make_private(memory.parent)
    write_file(memory, (json.dumps(dict(values), indent=1) + "\n").encode("utf-8"))


def memory_path(rigs: Path, rig: str) -> Path:
    """Return where a rig's last answers lie in the lab's folder of rigs."""
    return rigs / f"{rig}.checklist.json"


def _document(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(
            f"--checklist {path}: can't be read ({error.strerror}); give a file, or: confirmed"
        ) from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise UserError(f"{path}: is not valid TOML: {error}") from None


def _check(path: Path, key: str, value: object) -> None:
    if key in MUST_HOLD:
        if not isinstance(value, bool):
            raise UserError(f"{path}: {key}: must be true or false")
    elif key not in PLAUSIBLE:
        known = ", ".join([*MUST_HOLD, *PLAUSIBLE, f"[{REASONS}]"])
        raise UserError(f"{path}: {key}: unknown key; known: {known}")
    elif not is_plausible(key, value):
        least, most = PLAUSIBLE[key]
        raise UserError(f"{path}: {key}: must be a number from {least:g} to {most:g}")


def _remembered(memory: Path) -> dict[str, Any]:
    try:
        document = json.loads(memory.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        # Only a convenience: without it the values are asked for.
        return {}
    return document if isinstance(document, dict) else {}
