"""The plan of a session of a study from a table, from consent to the end."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from participants import session
from participants.lists import Assignment
from participants.planning import given_place, plan_of, require_shown, rules_of
from participants.session.feedback import Feedback, feedback_step
from participants.table_study.trial import ItemTrial, Stage, own_step, rating_step, settled_items
from participants.texts import load_question, load_text, text_names
from participants.texts.folders import reference_of
from stimuli.errors import UserError
from stimuli.io.tables import Row, whole_number
from stimuli.pack import Pack
from stimuli.table_study.protocol import TableStudy
from stimuli.table_study.tables import (
    ADVICE,
    LISTS,
    answers_of,
    is_among,
    items_schema,
    parts_of,
)

PHASES: Final[Mapping[str, session.Phase]] = {
    "practice": "practice",
    "main": "main",
    "catch": "validation",
}


@dataclass(frozen=True, slots=True)
class ItemSteps:
    """Makes the steps of a person's items.

    Attributes
    ----------
    protocol
        The rules.
    items
        What the person is shown, in order, practice first: rows of ``items.csv``.
    """

    protocol: TableStudy
    items: Sequence[Row]

    def practice(self) -> Iterator[session.Step]:
        """Yield the steps of practice."""
        yield from self._steps(self._numbered("practice"))

    def main(self) -> Iterator[session.Step]:
        """Yield the steps after practice, with breaks, and the check of the catch items."""
        numbered = self._numbered("main", "catch")
        every = self.protocol.session.break_every_trials
        for place, item in enumerate(numbered, start=1):
            yield from self._steps([item])
            if every and place % every == 0 and place < len(numbered):
                yield session.Break(
                    f"break-{place:04d}", "break", place, len(numbered), progress="items_done"
                )
        checks = tuple(number for number, row in numbered if row["phase"] == "catch")
        if checks:
            needed = self.protocol.session.catch_right
            yield session.Qualification("qualification", checks, needed, self._is_right)

    def _numbered(self, *phases: str) -> list[tuple[int, Row]]:
        rows = enumerate(self.items, start=1)
        return [(number, row) for number, row in rows if row["phase"] in phases]

    def _steps(self, numbered: Sequence[tuple[int, Row]]) -> Iterator[session.Step]:
        for number, row in numbered:
            yield from self._trial(number, row)
            rules = self.protocol.trial
            for name in rules.ratings:
                yield session.Question(rating_step(name, number), name, self._choices(name))
            gives_feedback = rules.feedback == "always" or (
                rules.feedback == "practice" and row["phase"] == "practice"
            )
            if gives_feedback and row["right"] is not None:
                yield Feedback(
                    step=feedback_step(number),
                    about=number,
                    expected=parts_of(row["right"])[0] if rules.typed else str(row["right"]),
                    accepts=partial(is_among, accepted=row["right"], item=row),
                    feedback_s=rules.feedback_s,
                    limit_s=rules.limit_s,
                )

    def _trial(self, number: int, row: Row) -> Iterator[ItemTrial]:
        """Yield an item's answers: one before the advice if the protocol asks for it."""
        rules, advice = self.protocol.trial, self.protocol.advice
        advised = advice is not None and any(row[name] is not None for name in ADVICE)
        moment = self.protocol.moment_of(row) if advised else ""
        common: dict[str, Any] = {
            "trial": number,
            "phase": PHASES[str(row["phase"])],
            "position": self._position(number),
            "presentation": str(row["presentation"]),
            "stimulus": row,
            "options": dict(zip(rules.answer_keys, answers_of(row), strict=True)),
            "device": rules.device,
            "typed": rules.typed,
            "limit_s": rules.limit_s,
            "exposure_s": rules.exposure_s,
        }
        stage: Stage = "only"
        fixation_s, later = rules.fixation_s, None
        if moment == "after_answer":
            yield ItemTrial(step=own_step(number), stage="own", fixation_s=fixation_s, **common)
            # The item is already there; a fixation would separate the two answers.
            stage, fixation_s = "final", 0.0
        elif advice is not None and moment == "on_key":
            later = session.Later(key=advice.key)
        yield ItemTrial(
            step=session.trial_step(number),
            stage=stage,
            fixation_s=fixation_s,
            later=later,
            **common,
        )

    def _position(self, number: int) -> int:
        phase = self.items[number - 1]["phase"]
        return sum(row["phase"] == phase for row in self.items[:number])

    def _choices(self, question: str) -> tuple[str, ...]:
        return choices_of(self.protocol.study, question)

    def _is_right(self, end: Mapping[str, Any]) -> bool:
        item = self.items[int(end["trial"]) - 1]
        return is_among(end["decision"], item["right"], item)


def check_texts(protocol: TableStudy) -> None:
    """Refuse texts and questions that a session couldn't show.

    Raises
    ------
    UserError
        If one is missing in a language, isn't well written, or names an AI where it mustn't.
    """
    study, rules = protocol.study, protocol.session
    asked = (*protocol.trial.ratings, *rules.before, *rules.after)
    for language in protocol.languages:
        for name in {*text_names(study), "consent", "instructions", "debrief"}:
            load_text(study, language, name)
        for name in asked:
            load_question(study, language, name)


def choices_of(study: str, question: str) -> tuple[str, ...]:
    """Return the choices of one of a study's questions, in the order of its ``questions.toml``."""
    return tuple(load_question(study, reference_of(study), question).choices)


def plan_session(
    pack: Pack, assignment: Assignment | None, language: str, code: str
) -> session.SessionPlan:
    """Return a person's plan.

    Consent, questions, instructions, practice, the list's items in the person's arm, questions,
    debrief, renewed consent.

    Parameters
    ----------
    pack, assignment, language, code
        As in `participants.study.SessionKind`.

    Raises
    ------
    UserError
        If the pack or the language doesn't fit, or a text or a question is missing.
    """
    study = pack.manifest.study
    protocol: TableStudy = rules_of(pack, study, "solutions", "a participant's", language)
    place = given_place(assignment, protocol.arms)
    items = ItemSteps(protocol, shown_items(pack, protocol, place.list, place.order))
    return plan_of(
        pack,
        place,
        language,
        _steps(protocol, place.order, items),
        device=protocol.trial.device,
        settled=settled_items,
        answered=lambda end: end["rt_s"] is not None,
    )


def shown_items(pack: Pack, protocol: TableStudy, list_id: str, arm: str) -> list[Row]:
    """Return the rows of ``items.csv`` that a list shows in an arm, in order.

    Raises
    ------
    UserError
        If there is no such list, or it names an item that isn't there.
    """
    items = {str(row["presentation"]): row for row in pack.table(items_schema(protocol))}
    listed = [row for row in pack.table(LISTS) if row["list"] == list_id]
    if not listed:
        known = ", ".join(sorted({str(row["list"]) for row in pack.table(LISTS)}))
        raise UserError(f"pack {pack.pack_id}: has no list {list_id!r}; it has {known}")
    names = [str(row["presentation"]) for row in sorted(
        listed, key=lambda row: whole_number(row["position"]))]  # fmt: skip
    require_shown(pack, names, items)
    levels = protocol.levels_of_arm(arm)
    return [
        items[name]
        for name in names
        if all(items[name][factor] in (None, level) for factor, level in levels.items())
    ]


def _steps(protocol: TableStudy, arm: str, items: ItemSteps) -> Iterator[session.Step]:
    there = frozenset(text_names(protocol.study))

    def page(name: str) -> Iterator[session.Page]:
        """Yield a page of its own for the arm, else the one for everybody, if there is one."""
        of_arm = f"{name}_{arm}".replace("+", "_")
        page_text = next((text for text in (of_arm, name) if text in there), None)
        if page_text is not None:
            yield session.Page(name, page_text, {"minutes": f"{protocol.expected_minutes:.0f}"})

    phases = Counter(row["phase"] for row in items.items)
    yield session.Consent("consent", {"minutes": f"{protocol.expected_minutes:.0f}"})
    yield from _questions(protocol.study, protocol.session.before)
    yield from page("instructions")
    if phases["practice"]:
        yield from page("practice")
        yield from items.practice()
        yield from page("before_main")
    yield from items.main()
    yield from _questions(protocol.study, protocol.session.after)
    yield from page("debrief")
    yield session.Consent(session.RENEWED, renewed=True)
    yield session.Page("end", "end")


def _questions(study: str, names: Sequence[str]) -> Iterator[session.Question]:
    for name in names:
        yield session.Question(name, name, choices_of(study, name))
