"""The plan of a participant's session, from consent to the end, and the texts of a cell's pages."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from participants import session
from participants.lists import Assignment
from participants.planning import given_place, plan_of, rules_of, sided_keys
from participants.session.qualification import QUALIFICATION
from participants.studies.simulatability.asked import (
    AT_THE_END,
    CHECKS,
    COURSE,
    OF_EXPLANATIONS,
    Asked,
    Understood,
    understanding_of,
)
from participants.studies.simulatability.cell import OF_TESTS, Cell, settled_steps
from participants.studies.simulatability.shown import EXPLAINED, shown_by
from participants.study import SIDES
from participants.texts import load_words, written_number
from stimuli.devices import is_pointing
from stimuli.io.canonical import seed_of
from stimuli.maps.origin import NETWORK, PEOPLE, RESPONSE_MODEL, UNKNOWN
from stimuli.names import rows_in
from stimuli.pack import Pack
from stimuli.protocol import Answers
from stimuli.studies.simulatability.protocol import (
    BUILT_IN,
    NO_EXPLANATION,
    Simulatability,
    cell_of,
)
from stimuli.studies.simulatability.study import origins_by_method
from stimuli.studies.simulatability.tables import METHODS

STUDY: Final = "simulatability"
CHANGING: Final = frozenset({"decision_boundary", "composite"})
"""Methods whose explanations show changed cases."""
METHOD_TEXTS: Final[Mapping[str, str]] = {"boundary": "method_decision_boundary"}
"""Texts by the form of explanations, where they aren't named ``method_`` and the form."""
SECTION_TEXTS: Final[Mapping[str, str]] = {
    "learning_again": "learning_explained",
    "counterfactual_post": "counterfactual_explained",
}
"""Texts before the sections that show explanations, if there are any."""
SOURCES: Final[Mapping[str, str]] = {
    NETWORK: "debrief_computed",
    PEOPLE: "debrief_people",
    RESPONSE_MODEL: "debrief_simulated",
}
COURSE_LOOK: Final = "course_look"
UNDERSTANDING: Final = "understanding"
SITTINGS: Final = 2


def values_of(cell: Cell, method_name: str, language: str) -> dict[str, str]:
    """Return the values of the placeholders in a cell's texts.

    Parameters
    ----------
    cell
        The cell.
    method_name
        What its method is called.
    language
        Of the texts.
    """
    rules, sections = cell.protocol, cell.sheet.sections
    example = cell.sheet.stimuli[sections["learning"][0]]
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
    """Yield a line for each answer, with its key or button; more than two are clicked by name."""
    words, device = load_words(STUDY, language), cell.protocol.session.device
    for name, word in classes:
        clicked = is_pointing(device) and len(classes) > 2
        yield f"- **{word}**" + ("" if clicked else f": {words.key(cell.keys[name], device)}")


def _of_two(cell: Cell, classes: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return the words and keys of both classes; empty if there are more."""
    if len(classes) > 2:
        return {}
    return {
        name: text
        for side, (class_id, word) in zip(("negative", "positive"), classes, strict=True)
        for name, text in ((side, word), (f"{side}_key", cell.keys[class_id]))
    }


def name_of_method(pack: Pack, method: str, language: str) -> str:
    """Return a pack's name for a method in a language, or the method's id."""
    row = rows_in(language, pack.table(METHODS), "method").get(method)
    return method if row is None else str(row["name"])


def before_section(
    cell: Cell, section: str, values: Mapping[str, str], *, first_prediction: bool
) -> Iterator[session.Page]:
    """Yield the pages before a section.

    Parameters
    ----------
    cell, section
        Which section of which cell.
    values
        Of the texts.
    first_prediction
        Whether nothing has been predicted yet in this session.
    """
    explained = has_explanations(cell)
    text = SECTION_TEXTS.get(section, section) if explained else section
    yield session.Page(f"{section}-{cell.number}", text, values)
    if section == "learning" and cell.protocol.question.learning_limit_s:
        yield session.Page(f"learning_limit-{cell.number}", "learning_limit", values)
    if explained and section == _first_explained(cell):
        yield session.Page(f"method_again-{cell.number}", method_text(cell), values)
        if _is_plain(cell):
            yield session.Page(f"plain_explanations-{cell.number}", "plain_explanations", values)
        if cell.protocol.question.rating_steps:
            yield session.Page(f"rating-{cell.number}", "rating", values)
    if _is_plain(cell) and section == _first_changed(cell):
        domain = cell_of(cell.arm)[0]
        yield session.Page(f"plain_changes-{cell.number}", f"plain_changes_{domain}", values)
    if first_prediction:
        yield from _about_predictions(cell, values)


def has_explanations(cell: Cell) -> bool:
    """Return whether a cell's method shows explanations."""
    return cell.method != NO_EXPLANATION


def method_text(cell: Cell) -> str:
    """Return the name of the text that describes a cell's explanations."""
    form = cell.sheet.form
    return METHOD_TEXTS.get(form, f"method_{form}")


def debrief_text(pack: Pack, method: str) -> str:
    """Return the name of the debrief's text on where a method's explanations came from."""
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
    """Return the first section that shows a changed case, in an explanation or for prediction."""
    changing = cell.method in CHANGING
    return next(
        (
            section
            for section in cell.sections
            if section.startswith("counterfactual") or (changing and section in EXPLAINED)
        ),
        None,
    )


def _about_predictions(cell: Cell, values: Mapping[str, str]) -> Iterator[session.Page]:
    question = cell.protocol.question
    if question.exposure_limit_s:
        yield session.Page("exposure", "exposure", values)
    if question.learning_at_hand:
        yield session.Page("at_hand", "at_hand", values)
    if question.confidence_steps:
        yield session.Page("confidence_told", "confidence_told", values)


def plan_session(
    pack: Pack, assignment: Assignment | None, language: str, participant: str
) -> session.SessionPlan:
    """Return the plan of a participant's session, including a second sitting if there is one.

    It has the consent, the question about a course, instructions, comprehension check, questions on
    balance and method, the cell's sections with breaks, perhaps a second cell, questions, debrief
    and renewed consent. Explanations are rated before anything is predicted from them, and nobody
    is told whether a prediction was right.

    Parameters
    ----------
    pack
        A solution pack of the study.
    assignment
        The participant's sheet (list), cell (order) and the side on which the positive class lies.
    language
        Of the texts and of the words for classes and columns.
    participant
        The participant's code; determines the side if none was given.

    Raises
    ------
    UserError
        If the pack is not one of this study, or has no such sheet; if the cell or the language is
        not offered.
    """
    protocol: Simulatability = rules_of(pack, STUDY, "solutions", "a participant's", language)
    place = given_place(assignment, protocol.arms)
    side = place.accept_side or SIDES[seed_of("positive side", pack.pack_id, participant) % 2]
    cells = _cells(pack, protocol, place, language, side)
    steps = tuple(_steps(pack, cells, language))
    of_two = all(len(cell.sheet.classes) == 2 for cell in cells)
    return plan_of(
        pack,
        place,
        language,
        steps,
        device=protocol.session.device,
        keys=sided_keys(protocol.session, ("positive", "negative"), side) if of_two else {},
        settled=partial(settled_steps, steps),
        answered=was_answered,
        wait_after=protocol.session.wait_after_unanswered,
    )


def class_keys(rules: Answers, classes: Sequence[str], side: str) -> dict[str, str]:
    """Return the key (or button) of each class.

    Of two classes, the positive one lies on the side. If there are more, each has a digit, in the
    classes' order, or in the opposite order if the side is ``right``.
    """
    if len(classes) == 2:
        negative, positive = classes
        return sided_keys(rules, (positive, negative), side)
    ordered = classes if side == "left" else classes[::-1]
    digits = {name: str(number) for number, name in enumerate(ordered, start=1)}
    return {name: digits[name] for name in classes}


def was_answered(end: Mapping[str, Any]) -> bool:
    """Return whether the person predicted, rated or looked, by the fields of a ``trial_end``."""
    return bool(end["decision"] != session.NO_CHOICE or end["look_s"] is not None)


def _cells(
    pack: Pack, protocol: Simulatability, place: Assignment, language: str, side: str
) -> tuple[Cell, ...]:
    """Return the person's cell, and that of the second test if there is one."""
    arms = [place.order]
    if protocol.design.second_test:
        arms.append(protocol.second_arm(place.order))
    cells: list[Cell] = []
    for number, arm in enumerate(arms, start=1):
        sheet = shown_by(pack, place.list, arm, language)
        keys = class_keys(protocol.session, [name for name, _ in sheet.classes], side)
        before = sum(cell.trials for cell in cells)
        cells.append(Cell(protocol, sheet, keys, arm, number, len(arms), before))
    return tuple(cells)


def _steps(pack: Pack, cells: Sequence[Cell], language: str) -> Iterator[session.Step]:
    """Yield all steps; a person who may not go on skips to the debrief."""
    first = cells[0]
    values = [values_of(c, name_of_method(pack, c.method, language), language) for c in cells]
    own_debrief = tuple(_own_debrief(pack, cells))
    body = (*_body(cells, values), *_questions(cells), *own_debrief)
    opening = tuple(_opening(first, values[0], body))
    yield session.Consent("consent", values[0])
    yield from _course(first, (*opening, *body))
    yield from opening
    yield from body[: len(body) - len(own_debrief)]
    yield session.Page("debrief", "debrief", values[0])
    yield from own_debrief
    yield session.Consent(session.RENEWED, renewed=True)
    yield session.Page("end", "end")


def _course(cell: Cell, rest: Iterable[session.Step]) -> Iterator[session.Step]:
    """Yield the question about a course; people who may not go on skip ``rest``."""
    rule = cell.protocol.understanding.course
    if rule == "off":
        return
    name, choices, right = COURSE
    yield session.Question(name, name, choices)
    if rule == "required":
        report = _report_after(COURSE_LOOK, "no_course")
        yield Understood(COURSE_LOOK, {name: right}, 1, _ids(rest), _ids([report]))
        yield report


def _opening(
    cell: Cell, values: Mapping[str, str], body: Iterable[session.Step]
) -> Iterator[session.Step]:
    """Yield what comes before the first example; ``body`` is all that follows it."""
    rules = cell.protocol
    yield session.Page("instructions", "instructions", values)
    yield session.Page("domain", f"domain_{cell_of(cell.arm)[0]}", values)
    many = len(cell.sheet.classes) > 2
    yield session.Page("balance", "balance_many" if many else "balance", values)
    if "counterfactual" in rules.design.tests:
        yield session.Page("balance_changes", "balance_changes", values)
    yield session.comprehension_check(
        CHECKS, rules.session.comprehension_attempts, "instructions_again"
    )
    asked = understanding_of(rules, cell.sheet.form, len(cell.sheet.classes))
    if asked:
        yield from _understanding(cell, values, asked, body)


def _understanding(
    cell: Cell, values: Mapping[str, str], questions: Sequence[Asked], body: Iterable[session.Step]
) -> Iterator[session.Step]:
    """Yield the description of the method, the questions, and the check of their answers."""
    rule = cell.protocol.understanding
    text = method_text(cell) if has_explanations(cell) else "learning_twice"
    yield session.Page("method", text, values)
    count = {"questions": str(len(questions))}
    yield session.Page("before_understanding", "before_understanding", count, confirmed=True)
    for name, choices, _ in questions:
        yield session.Question(name, name, choices)
    right = {name: choice for name, _, choice in questions}
    if rule.then == "go_on":
        yield Understood(UNDERSTANDING, right, rule.pass_right)
        return
    report = _report_after(UNDERSTANDING, "not_understood")
    yield Understood(UNDERSTANDING, right, rule.pass_right, _ids(body), _ids([report]))
    yield report


def _body(cells: Sequence[Cell], values: Sequence[Mapping[str, str]]) -> Iterator[session.Step]:
    """Yield the sections of all cells, with the pages before each."""
    two_sittings = cells[0].protocol.design.post_in_second_sitting
    for cell, of_cell in zip(cells, values, strict=True):
        if cell.number > 1:
            yield cell.break_before
            yield session.Page("second_test", "second_test", of_cell)
            yield session.Page(f"domain-{cell.number}", f"domain_{cell_of(cell.arm)[0]}", of_cell)
        first_prediction = cell.number == 1
        for section in cell.sections:
            test = _beginning(section)
            if test is not None:
                yield cell.length(test)
            predicts = test is not None
            first = first_prediction and predicts
            yield from before_section(cell, section, of_cell, first_prediction=first)
            yield from cell.section(section)
            if first and two_sittings:
                yield session.SittingEnd("sitting_end-1", 1, SITTINGS)
                yield session.Page("sitting_start-2", "sitting_start", of_cell, greets=True)
            first_prediction = first_prediction and not predicts


def _beginning(section: str) -> str | None:
    """Return the test that begins with a section, or None."""
    return next((test for test, sections in OF_TESTS.items() if sections[0] == section), None)


def _questions(cells: Sequence[Cell]) -> Iterator[session.Step]:
    """Yield the questions at the end, only about things that the session shows."""
    explained = any(map(has_explanations, cells))
    yield session.Page("before_questions", "before_questions")
    for name, choices in AT_THE_END:
        if explained or name not in OF_EXPLANATIONS:
            asked = tuple(
                choice for choice in choices if explained or choice not in OF_EXPLANATIONS
            )
            yield session.Question(name, name, asked)


def _own_debrief(pack: Pack, cells: Sequence[Cell]) -> Iterator[session.Page]:
    """Yield the texts on who made what the person saw; a text for both cells comes once."""
    for text in dict.fromkeys(debrief_text(pack, cell.method) for cell in cells):
        yield session.Page(text, text)


def _report_after(look: str, text: str) -> session.Report:
    """Return the page for a person who may not go on."""
    return session.Report(text, partial(_page_after, look, text), (text,))


def _page_after(
    look: str, text: str, recorded: Sequence[tuple[str, Mapping[str, Any]]]
) -> session.Page | None:
    looks = [
        fields for kind, fields in recorded if kind == QUALIFICATION and fields["step"] == look
    ]
    return session.Page(text, text) if looks and not looks[-1]["qualified"] else None


def _ids(steps: Iterable[session.Step]) -> frozenset[str]:
    return frozenset(step.step for step in steps)
