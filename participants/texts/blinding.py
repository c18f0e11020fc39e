"""Words that would tell a participant too early who solved the tasks."""

import re
import tomllib
from functools import cache
from importlib import resources

EVERY_LANGUAGE = "all"

# What comes after the question about the source, and may disclose it.
DISCLOSING = frozenset(
    {
        "source_guess",
        "source_which",
        "source_of",
        "debrief",
        "consent_renewed",
        "withdrawn",
        "end",
    }
    | {"expert_debrief", "expert_end", "bubble_debrief", "bubble_end"}
    | {"survey_field", "survey_machine_learning"}
)


def named_sources(text: str, language: str) -> list[str]:
    """Return the words of a text that name machines, methods or this suite, in order.

    Parameters
    ----------
    text
        What is shown.
    language
        Its language by IETF tag; one without a list of its own is held to the general one.
    """
    return [match.group(0) for match in _pattern(language).finditer(text)]


@cache
def _pattern(language: str) -> re.Pattern[str]:
    file = resources.files("participants.texts").joinpath("blinding.toml")
    stems = tomllib.loads(file.read_text(encoding="utf-8"))
    own = stems.get(language.partition("-")[0], [])
    parts = [_part(stem) for stem in [*stems[EVERY_LANGUAGE], *own]]
    return re.compile(rf"(?<!\w)(?:{'|'.join(parts)})(?!\w)", re.IGNORECASE)


def _part(stem: str) -> str:
    if stem.endswith("="):
        return re.escape(stem[:-1])
    return re.escape(stem) + r"\w*"
