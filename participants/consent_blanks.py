"""The blanks of the consent that an ethics board asks for, as ``lab.toml`` fills them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

BLANK: Final = "____"
"""What stands in a consent where ``lab.toml`` says nothing."""
LINE_ABOUT_LAB: Final = "# institution and contact may stand here too, in this language."
TERMS: Final = "terms"
"""The placeholder of the shared text that holds all blanks, and the end of that text's name."""
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


EXAMPLES: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "responsible": "Department of Psychology, Vision Lab, vision@uni.example",
        "pay": "12 euros an hour, even if you stop early.",
        "retention": "For ten years after publication, on the university’s servers.",
        "rights": "You may see, correct or delete your data as long as you know your code.",
        "data_protection": "Data protection officer, privacy@uni.example",
        "ethics_vote": "Ethics committee of the university, no. 123/26, 1 March 2026",
    },
    "de": {
        "responsible": "Institut für Psychologie, Arbeitsgruppe Sehen, sehen@uni.example",
        "pay": "12 Euro pro Stunde, auch wenn Sie vorzeitig aufhören.",
        "retention": "Zehn Jahre nach der Veröffentlichung, auf Servern der Universität.",
        "rights": "Sie können Ihre Daten einsehen, berichtigen oder löschen lassen, solange Sie "
        "Ihren Code kennen.",
        "data_protection": "Datenschutzbeauftragte Person, datenschutz@uni.example",
        "ethics_vote": "Ethikkommission der Universität, Nr. 123/26, 1. März 2026",
    },
}


def template() -> str:
    """Return the part of a new ``lab.toml`` in which the blanks are to be filled."""
    lines = [
        "# The blanks of the consent. One that is left shows as a line, and stops sessions of",
        "# purpose main. Write offices and addresses rather than names.",
    ]
    for language, examples in EXAMPLES.items():
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
    told: Mapping[str, str],
    blanks: ConsentBlanks | None = None,
    own: Path | None = None,
) -> dict[str, str]:
    """Return what texts call the lab, the terms of the consent included.

    Parameters
    ----------
    study, language
        Whose texts, and their language.
    told
        What ``lab.toml`` says of ``institution`` and ``contact``. Where it doesn't, texts have
        general words, and the terms lines.
    blanks
        What it says of the consent in that language; lines where it doesn't.
    own
        The lab's own texts (`LabFolder.texts`).
    """
    from participants.texts import load_text, load_words

    words = load_words(study, language, own)
    said = (blanks or ConsentBlanks()).model_dump(include=set(ConsentBlanks.model_fields))
    values = {name: told.get(name) or words[name] for name in ("institution", "contact")}
    values |= {name: text.strip() or BLANK for name, text in said.items()}
    named = {name: told.get(name) or BLANK for name in ("institution", "contact")}
    terms = load_text(study, language, TERMS_TEXT, own).filled({**values, **named})
    return {**values, TERMS: terms.markdown.strip()}
