"""How every study plans a session from a pack.

A study's texts are about images or about texts. A text, question or word about images may have a
variant about texts, with a name that ends in ``_texts``. One without a variant mentions neither.

Without a person there is a plan for each arm, and a plan that rehearses all of them.
"""

import math
from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import takewhile
from typing import Any, Final

from participants import session
from participants.lists import Assignment
from participants.session.kept_answers import demographics_form
from participants.session.rehearsal import rehearsed
from participants.study import session_kind_of
from participants.texts import load_text, load_words, question_names, text_names
from participants.texts.folders import reference_of
from stimuli.cases import Cases
from stimuli.devices import is_pointing
from stimuli.errors import UserError
from stimuli.io.tables import Row, TableSchema
from stimuli.maps.origin import PEOPLE, RESPONSE_MODEL, Origin
from stimuli.pack import Pack
from stimuli.pack.model import PackKind
from stimuli.protocol import Answers, Protocol

MINUTES_STEP: Final = 5
BUTTONS: Final = ("left", "right")
# If no origin was noted, people made it, not robots.
SOURCES: Final[Mapping[str, str]] = {
    PEOPLE: "debrief_people",
    RESPONSE_MODEL: "debrief_simulated",
    "": "debrief_people",
}
TAKEN_OVER: Final = "debrief_imported"
OF_TEXTS: Final = "_texts"
"""Suffix for the names of texts, questions and words that speak of texts instead of images."""
NOBODY: Final = "CDF34HK"
"""The code for plans without a person; it appears in nothing that is shown."""
OF_THE_LAB: Final = frozenset({"institution", "contact"})
"""Placeholders that every text may use."""


def rules_of(pack: Pack, study: str, kind: PackKind, whose: str, language: str) -> Any:
    """Return the protocol of the pack for a session, in the study's own type.

    Parameters
    ----------
    pack
        The pack.
    study, kind
        The study, and the kind of pack, that it must be of.
    whose
        Whose session needs it, such as ``a lead's``.
    language
        Of the session.

    Raises
    ------
    UserError
        If it is another pack, or its protocol doesn't offer the language.
    """
    manifest, protocol = pack.manifest, pack.protocol
    if (manifest.study, manifest.kind) != (study, kind):
        raise UserError(
            f"pack {pack.pack_id}: is a pack of {manifest.kind} of {manifest.study}; "
            f"{whose} session needs {kind} of {study}"
        )
    if language not in protocol.languages:
        raise UserError(f"language {language!r}: the protocol has {', '.join(protocol.languages)}")
    return protocol


def given_place(
    assignment: Assignment | None, orders: Collection[str], why: str = ""
) -> Assignment:
    """Return a person's place; UserError if its order isn't one of these."""
    assert assignment is not None
    if assignment.order not in orders:
        raise UserError(f"order {assignment.order!r}: is not {' or '.join(orders)}{why}")
    return assignment


def sided_keys(rules: Answers, choices: tuple[str, str], side: str) -> dict[str, str]:
    """Return the key (or button) of each of two choices; the first lies on the given side."""
    keys = BUTTONS if is_pointing(rules.device) else (rules.left_key, rules.right_key)
    return dict(zip(choices, keys if side == "left" else keys[::-1], strict=True))


def plan_of(
    pack: Pack,
    assignment: Assignment | None,
    language: str,
    steps: Iterable[session.Step],
    **more: Any,
) -> session.SessionPlan:
    """Return a plan from a pack.

    Parameters
    ----------
    pack, language, steps
        What the session shows.
    assignment
        The person's list and order; None if everybody is shown the same.
    **more
        Further attributes of the plan.
    """
    with_keys = _with_keys_tried(tuple(steps))
    return session.SessionPlan(
        study=pack.manifest.study,
        pack_id=pack.pack_id,
        protocol_hash=pack.manifest.protocol_hash,
        list_id=assignment.list if assignment else "",
        order=assignment.order if assignment else "",
        language=language,
        steps=_with_form(with_keys) if pack.protocol.demographics else with_keys,
        **more,
    )


def _with_keys_tried(steps: tuple[session.Step, ...]) -> tuple[session.Step, ...]:
    """Return steps whose last page before the first choice has its reader press that choice's keys.

    So a key that doesn't work is found before it costs an answer.
    """
    last: session.Page | None = None
    for step in steps:
        if isinstance(step, session.Page) and step.reader == "participant":
            last = step
        elif isinstance(step, session.TimedChoice) and last is not None:
            trying = replace(last, keys=tuple(sorted(step.keys)))
            return tuple(trying if step is last else step for step in steps)
    return steps


def _with_form(steps: tuple[session.Step, ...]) -> tuple[session.Step, ...]:
    """Return steps with the personal form after the consent and the questions that follow it."""
    opening = tuple(
        takewhile(lambda step: isinstance(step, session.Consent | session.Question), steps)
    )
    return (*opening, demographics_form(), *steps[len(opening) :])


def minutes_told(tasks: int, expected_s: float) -> str:
    """Return how long tasks of some seconds each take, in minutes rounded up to a multiple of 5."""
    return str(MINUTES_STEP * max(1, math.ceil(tasks * expected_s / 60 / MINUTES_STEP)))


def sources_page(origin: Origin) -> session.Page:
    """Return the debrief's page on who made what a pack shows as made by people."""
    return session.Page("debrief_sources", SOURCES.get(origin.kind, TAKEN_OVER))


def rows_of_list(pack: Pack, schema: TableSchema, list_id: str, part: str) -> list[Row]:
    """Return a list's rows of ``lists.csv``, in the order in which they are shown.

    Parameters
    ----------
    pack, schema
        The pack, and the schema of its lists.
    list_id
        Which list.
    part
        The column for the part of the session that a row belongs to, e.g. ``run``.

    Raises
    ------
    UserError
        If the pack has no such list.
    """
    rows = pack.table(schema)
    of_list = [row for row in rows if row["list"] == list_id]
    if not of_list:
        known = ", ".join(sorted({str(row["list"]) for row in rows}))
        raise UserError(f"pack {pack.pack_id}: has no list {list_id!r}; it has {known}")
    return sorted(of_list, key=lambda row: (row[part], row["position"]))


def require_shown(pack: Pack, names: Collection[str], there: Collection[str]) -> None:
    """Raise UserError if a list shows a presentation that ``items.csv`` doesn't have."""
    missing = sorted(set(names) - set(there))
    if missing:
        raise UserError(f"pack {pack.pack_id}: lists.csv shows {missing[0]!r}, items.csv has none")


def judged_cases(protocol: Protocol) -> Cases:
    """Return what is judged under a protocol (images or texts); only some studies have texts."""
    return getattr(protocol, "cases", "images")


def about_cases(name: str, cases: Cases, there: Container[str]) -> str:
    """Return the name of the variant of a text, question or word that fits the judged cases.

    Parameters
    ----------
    name
        Of a text, a question or a word.
    cases
        What is judged.
    there
        All names.
    """
    variant = f"{name}{OF_TEXTS}"
    return variant if cases == "texts" and variant in there else name


def plan_about_cases(plan: session.SessionPlan, cases: Cases) -> session.SessionPlan:
    """Return a plan whose pages, questions and words fit the judged cases."""
    if cases == "images":
        return plan
    folder = plan.text_folder
    texts, questions = text_names(folder), question_names(folder)
    words = load_words(folder, reference_of(folder)).words

    def of(step: Any) -> Any:
        if isinstance(step, session.Page | session.Consent):
            return replace(step, text=about_cases(step.text, cases, texts))
        if isinstance(step, session.Question):
            return replace(step, question=about_cases(step.question, cases, questions))
        if isinstance(step, session.Check):
            asked = tuple(map(of, step.questions))
            return replace(step, questions=asked, again=of(step.again), call=of(step.call))
        if isinstance(step, session.Break):
            progress = about_cases(step.progress, cases, words)
            return replace(step, text=about_cases(step.text, cases, texts), progress=progress)
        return replace(step, end=of(step.end)) if isinstance(step, session.PracticeCheck) else step

    return replace(
        plan,
        steps=tuple(map(of, plan.steps)),
        welcome_back=about_cases(plan.welcome_back, cases, texts),
        title=about_cases(plan.title, cases, words),
    )


def plans_of(pack: Pack, language: str, code: str = NOBODY) -> tuple[session.SessionPlan, ...]:
    """Return a plan for each order (arm) of a pack's sessions, in the first list of each.

    Raises
    ------
    UserError
        If the pack's protocol doesn't offer the language.
    """
    kind = session_kind_of(pack)
    if kind.orders is None:
        return (kind.plan(pack, None, language, code),)
    listed = min(offer.list for offer in kind.offers(pack))
    side = kind.sides[0] if kind.sides else None
    return tuple(
        kind.plan(pack, Assignment(listed, order, side), language, code)
        for order in kind.orders(pack.protocol)
    )


def rehearsal_plan(pack: Pack, language: str, code: str, *, also_rare: bool) -> session.SessionPlan:
    """Return the plan of a rehearsal, all arms in one; see `rehearsed`.

    With ``also_rare``, pages that few people see come after the last one.
    """
    plans = plans_of(pack, language, code)
    return rehearsed(plans, tuple(_reported(plans)) if also_rare else None)


def _reported(plans: tuple[session.SessionPlan, ...]) -> Iterator[str]:
    """Yield the texts of reports that can be shown without a result."""
    reports = (step for plan in plans for step in plan.steps if isinstance(step, session.Report))
    for text in dict.fromkeys(name for report in reports for name in report.texts):
        shipped = load_text(plans[0].text_folder, plans[0].language, text)
        if shipped.placeholders <= OF_THE_LAB:
            yield text
