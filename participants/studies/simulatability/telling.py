"""What a cell's pages tell, and in which words."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from participants.session import Page
from participants.studies.simulatability.cell import Cell
from participants.studies.simulatability.shown import EXPLAINED
from participants.texts import load_words, written_number
from stimuli.maps.origin import NETWORK, PEOPLE, RESPONSE_MODEL, UNKNOWN
from stimuli.names import rows_in
from stimuli.pack import Pack
from stimuli.studies.simulatability.protocol import BUILT_IN, NO_EXPLANATION, cell_of
from stimuli.studies.simulatability.study import origins_by_method
from stimuli.studies.simulatability.tables import METHODS

STUDY: Final = "simulatability"
CHANGING: Final = frozenset({"decision_boundary", "composite"})
"""Methods whose explanations show changed cases."""
METHOD_TEXTS: Final[Mapping[str, str]] = {"boundary": "method_decision_boundary"}
"""By what explanations are like; elsewhere ``method_`` and that."""
SECTION_TEXTS: Final[Mapping[str, str]] = {
    "learning_again": "learning_explained",
    "counterfactual_post": "counterfactual_explained",
}
"""Texts before the sections in which explanations are shown, where there are any."""
SOURCES: Final[Mapping[str, str]] = {
    NETWORK: "debrief_computed",
    PEOPLE: "debrief_people",
    RESPONSE_MODEL: "debrief_simulated",
}


def values_of(cell: Cell, method_name: str, language: str) -> dict[str, str]:
    """Return what the placeholders of a cell's texts become.

    Parameters
    ----------
    cell
        The cell.
    method_name
        What its method is called.
    language
        Of the texts.
    """
    rules, sections = cell.protocol, cell.shown.sections
    example = cell.shown.stimuli[sections["learning"][0]]
    return {
        "minutes": written_number(round(rules.expected_minutes), language),
        "answers": "\n".join(_answers(cell, example.classes, language)),
        **_of_two(cell, example.classes),
        "look_key": rules.question.learning_key,
        "method": method_name,
        "examples": str(len(sections["learning"])),
        "look_seconds": written_number(rules.question.learning_limit_s, language),
        "exposure_seconds": written_number(rules.question.exposure_limit_s, language),
    }


def _answers(cell: Cell, classes: Sequence[tuple[str, str]], language: str) -> Iterator[str]:
    """Yield a line for each answer, with what chooses it; more than two are clicked by name."""
    words, device = load_words(STUDY, language), cell.protocol.session.device
    for name, word in classes:
        clicked = device == "mouse" and len(classes) > 2
        yield f"- **{word}**" + ("" if clicked else f": {words.key(cell.keys[name], device)}")


def _of_two(cell: Cell, classes: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return the words and keys of both classes; nothing where there are more."""
    if len(classes) > 2:
        return {}
    return {
        name: text
        for side, (own, word) in zip(("negative", "positive"), classes, strict=True)
        for name, text in ((side, word), (f"{side}_key", cell.keys[own]))
    }


def name_of_method(pack: Pack, method: str, language: str) -> str:
    """Return what a pack calls a method in a language; its id where it says nothing."""
    row = rows_in(language, pack.table(METHODS), "method").get(method)
    return method if row is None else str(row["name"])


def before_section(
    cell: Cell, section: str, values: Mapping[str, str], *, first_prediction: bool
) -> Iterator[Page]:
    """Yield the pages before a section.

    Parameters
    ----------
    cell, section
        Which section of which cell.
    values
        Of the texts.
    first_prediction
        Whether nothing was predicted before in this session.
    """
    explained = has_explanations(cell)
    text = SECTION_TEXTS.get(section, section) if explained else section
    yield Page(f"{section}-{cell.number}", text, values)
    if section == "learning" and cell.protocol.question.learning_limit_s:
        yield Page(f"learning_limit-{cell.number}", "learning_limit", values)
    if explained and section == _first_explained(cell):
        yield Page(f"method_again-{cell.number}", method_text(cell), values)
        if _is_plain(cell):
            yield Page(f"plain_explanations-{cell.number}", "plain_explanations", values)
        if cell.protocol.question.rating_steps:
            yield Page(f"rating-{cell.number}", "rating", values)
    if _is_plain(cell) and section == _first_changed(cell):
        domain = cell_of(cell.arm)[0]
        yield Page(f"plain_changes-{cell.number}", f"plain_changes_{domain}", values)
    if first_prediction:
        yield from _about_predictions(cell, values)


def has_explanations(cell: Cell) -> bool:
    """Return whether a cell's method shows explanations."""
    return cell.method != NO_EXPLANATION


def method_text(cell: Cell) -> str:
    """Return the text that says what a cell's explanations are."""
    form = cell.shown.form
    return METHOD_TEXTS.get(form, f"method_{form}")


def debrief_text(pack: Pack, method: str) -> str:
    """Return the text of the debrief that says where a method's explanations came from."""
    if method == NO_EXPLANATION:
        return "debrief_plain"
    kind = origins_by_method(pack).get(method, UNKNOWN).kind
    if not kind and method in BUILT_IN:
        kind = NETWORK
    return SOURCES.get(kind, "debrief_imported")


def _first_explained(cell: Cell) -> str:
    return next(section for section in cell.sections if section in EXPLAINED)


def _is_plain(cell: Cell) -> bool:
    return cell.protocol.look.presentation == "plain"


def _first_changed(cell: Cell) -> str | None:
    """Return the first section that shows a changed case, in an explanation or to be predicted."""
    changing = cell.method in CHANGING
    return next(
        (
            section
            for section in cell.sections
            if section.startswith("counterfactual") or (changing and section in EXPLAINED)
        ),
        None,
    )


def _about_predictions(cell: Cell, values: Mapping[str, str]) -> Iterator[Page]:
    question = cell.protocol.question
    if question.exposure_limit_s:
        yield Page("exposure", "exposure", values)
    if question.learning_at_hand:
        yield Page("at_hand", "at_hand", values)
    if question.confidence_steps:
        yield Page("confidence_told", "confidence_told", values)
