"""Age and gender of those who took part, by arm, for studies that compare people."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Protocol

from analysis.data.tables import Dataset
from analysis.questions.question import Found, Question
from analysis.report.about import about
from analysis.report.declared import ReportTable, changes
from analysis.report.parts import Column
from participants.folder import DataFolder
from participants.registry_people import AboutPerson, told_by_people
from participants.session.about_oneself import SKIP
from participants.texts.load import load_question

ID: Final = "about_people"
LANGUAGE: Final = "en"
COUNTED: Final[Mapping[str, Callable[[AboutPerson], str | None]]] = {
    "about_age": lambda person: person.age_band,
    "about_gender": lambda person: person.gender,
}
"""Questions of the form whose answers are counted."""
HEADINGS: Final[Mapping[str, str]] = {"about_age": "Age", "about_gender": "Gender"}


@dataclass(frozen=True, slots=True)
class ToldInArm:
    """How many people of an arm gave an answer."""

    question: Annotated[str, about("The question's id.")]
    choice: Annotated[str, about("The answer's id; skip for none.")]
    words: Annotated[str, about("The answer in words.")]
    arm: Annotated[str, about("The arm.")]
    count: Annotated[int, about("Participants who gave it.")]
    of: Annotated[int, about("Participants of the arm who answered the form.")]


@dataclass(frozen=True, slots=True)
class AboutPeople:
    """Age and gender by arm, of those who answered the form about oneself."""

    told: Annotated[tuple[ToldInArm, ...], about("By question, answer and arm.")]
    arms: Annotated[tuple[str, ...], about("The arms, the reference first.")]


class HasDataset(Protocol):
    """What a study's questions are asked of."""

    @property
    def dataset(self) -> Dataset:
        """The tables."""


@dataclass(frozen=True, slots=True)
class Grouped:
    """Who took part in which arm.

    Attributes
    ----------
    arm_of
        The arm by code.
    arms
        All arms, the reference first.
    """

    arm_of: Mapping[str, str]
    arms: tuple[str, ...]


def about_people_question(
    study: str, grouped: Callable[[Any], Grouped], name: Callable[[str], str]
) -> Question[Any, AboutPeople]:
    """Return the question of a study.

    Parameters
    ----------
    study
        By its name in the catalogue; its words are asked.
    grouped
        Returns who is analysed in which arm, from the study's data.
    name
        Returns an arm's name on the page.
    """

    def compute(data: HasDataset, _: Found) -> AboutPeople:
        own = grouped(data)
        known = _told(data.dataset.folder)
        rows = _rows(study, own, {code: known[code] for code in own.arm_of if code in known})
        return AboutPeople(tuple(rows), own.arms)

    def columns(found: AboutPeople) -> Sequence[Column]:
        return (
            Column("Question", lambda row: HEADINGS[row.question], once=True),
            Column("Answer", "words"),
            *(Column(name(arm), _cell(arm), str) for arm in found.arms),
        )

    table = ReportTable(
        ID,
        "told",
        "Age and gender: participants by arm.",
        columns,
        "From the form about oneself; each question could be skipped.",
        shown=_answers,
        strong=changes("question"),
        row_headers=2,
    )
    return Question(
        id=ID,
        title="Age and gender",
        answer=AboutPeople,
        compute=compute,
        parts=(table,),
        shown=lambda found: found.told,
    )


@dataclass(frozen=True, slots=True)
class _Answer:
    """An answer with its counts in every arm, which is a row of the page."""

    question: str
    words: str
    by_arm: Mapping[str, ToldInArm]


def _answers(found: AboutPeople) -> list[_Answer]:
    rows: dict[tuple[str, str], dict[str, ToldInArm]] = {}
    for row in found.told:
        rows.setdefault((row.question, row.words), {})[row.arm] = row
    return [_Answer(*names, own) for names, own in rows.items()]


def _cell(arm: str) -> Callable[[_Answer], str]:
    return lambda row: f"{row.by_arm[arm].count} of {row.by_arm[arm].of}"


def _told(folder: Path | None) -> Mapping[str, AboutPerson]:
    return {} if folder is None else told_by_people(DataFolder(folder))


def _rows(study: str, own: Grouped, people: Mapping[str, AboutPerson]) -> Iterator[ToldInArm]:
    """Yield counts of all answers that anybody gave."""
    if not people:
        return
    of_arm = Counter(own.arm_of[code] for code in people)
    for question, answer_of in COUNTED.items():
        choices = load_question(study, LANGUAGE, question).choices
        given = Counter((own.arm_of[c], answer_of(p) or SKIP) for c, p in people.items())
        for choice, words in choices.items():
            if any(given[arm, choice] for arm in own.arms):
                for arm in own.arms:
                    count = given[arm, choice]
                    yield ToldInArm(question, choice, words, arm, count, of_arm[arm])
