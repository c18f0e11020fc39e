"""What a sheet of a pack shows in an arm, in a language's words."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from participants.planning import require_shown, rows_of_list
from stimuli.errors import UserError
from stimuli.io.tables import text_or_none
from stimuli.names import rows_in
from stimuli.pack import Pack
from stimuli.studies.simulatability import tables
from stimuli.studies.simulatability.protocol import cell_of
from stimuli.studies.simulatability.stimulus import (
    EDITS,
    EXPLANATION,
    INPUT,
    AnyExplanation,
    Boundary,
    CaseStimulus,
    Prototype,
    Weights,
)

EXPLAINED = ("learning_again", "counterfactual_post")
"""The sections in which explanations are shown."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """The presentations of one sheet, in one arm.

    Attributes
    ----------
    name
        The sheet's, which says in which order the tests come.
    sections
        Presentations by section, in the order in which they are shown.
    stimuli
        What each of them shows, without its explanation.
    explanations
        Their explanations, if the arm has any.
    short
        Presentations that a short test shows.
    """

    name: str
    sections: Mapping[str, tuple[str, ...]]
    stimuli: Mapping[str, CaseStimulus]
    explanations: Mapping[str, AnyExplanation]
    short: frozenset[str]

    @property
    def classes(self) -> tuple[tuple[str, str], ...]:
        """Ids and words of the classes."""
        return next(iter(self.stimuli.values())).classes

    @property
    def form(self) -> str:
        """The form of the explanations, which decides what people are told about them.

        It is the kind of an explanation, or ``example`` or ``attention`` if it says less than its
        kind can; with ``_many`` if it says something different about more than two classes. Empty
        without explanations.
        """
        explanation = next(iter(self.explanations.values()), None)
        many = "_many" if len(self.classes) > 2 else ""
        match explanation:
            case None:
                return ""
            case Prototype(evidence=None):
                return "example"
            case Weights(target=None):
                return "attention"
            case Weights() | Boundary():
                return f"{explanation.kind}{many}"
            case _:
                return explanation.kind

    def stimulus(self, section: str, name: str) -> CaseStimulus:
        """Return the stimulus of a presentation in a section."""
        plain = self.stimuli[name]
        if section not in EXPLAINED:
            return plain
        return replace(plain, explanation=self.explanations.get(name))


def shown_by(pack: Pack, list_id: str, arm: str, language: str) -> Sheet:
    """Return what a sheet shows; of the key, only the short half is read.

    Raises
    ------
    UserError
        If the pack has no such sheet or arm, or lacks something that the sheet names.
    """
    rows = [
        row for row in rows_of_list(pack, tables.LISTS, list_id, "section") if row["arm"] == arm
    ]
    if not rows:
        raise UserError(f"pack {pack.pack_id}: list {list_id!r} has no arm {arm!r}")
    sections: dict[str, tuple[str, ...]] = {}
    for row in rows:
        section = str(row["section"])
        sections[section] = (*sections.get(section, ()), str(row["presentation"]))
    names = {name for part in sections.values() for name in part}
    items = {str(row["presentation"]): row for row in pack.table(tables.ITEMS)}
    require_shown(pack, names, items)
    domain, method = cell_of(arm)
    classes, words = classes_of(pack, domain, language), _words(pack, domain, "term", language)
    stimuli = {
        name: CaseStimulus(
            domain=domain,
            original=INPUT.validate_json(str(items[name]["input"])),
            classes=classes,
            edits=None
            if items[name]["edits"] is None
            else EDITS.validate_json(str(items[name]["edits"])),
            label=text_or_none(items[name]["shown_label"]),
            output=text_or_none(items[name]["shown_output"]),
            words=tuple(words.items()),
        )
        for name in sorted(names)
    }
    explanations = {
        str(row["presentation"]): EXPLANATION.validate_json(str(row["explanation"]))
        for row in pack.table(tables.EXPLANATIONS)
        if row["method"] == method and row["presentation"] in names
    }
    short = frozenset(
        str(row["presentation"])
        for row in pack.table(tables.KEY)
        if row["short"] and row["presentation"] in names
    )
    return Sheet(list_id, sections, stimuli, explanations, short)


def classes_of(pack: Pack, domain: str, language: str) -> tuple[tuple[str, str], ...]:
    """Return ids and words of a domain's classes in order; of two, the negative one first."""
    words = _words(pack, domain, "class", language)
    rows = [row for row in pack.table(tables.CLASSES) if row["domain"] == domain]
    ordered = sorted(rows, key=lambda row: bool(row["positive"]))
    return tuple((name, words.get(name, name)) for name in (str(row["class"]) for row in ordered))


def _words(pack: Pack, domain: str, kind: str, language: str) -> dict[str, str]:
    rows = (
        row for row in pack.table(tables.WORDS) if (row["domain"], row["kind"]) == (domain, kind)
    )
    return {term: str(row["word"]) for term, row in rows_in(language, rows, "term").items()}
