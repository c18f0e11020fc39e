"""Who took part, what they saw, and whom the rules leave out.

The answer includes finished and resumed sessions, and the answers to the optional questions.
`RevealView` is what all parts of the page read.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Final, Generic, TypeVar, cast

import pandas as pd

from analysis.questions.estimates import EstimateRow, Estimates, Quantity, estimate_row
from analysis.questions.pivot import level_of, pivot, value_of
from analysis.questions.question import Lacking, Question, Whole
from analysis.report.about import about
from analysis.report.declared import ReportTable, changes, cut
from analysis.report.parts import Column, Paragraph
from analysis.report.results import counted, robots_first, sample_facts, values
from analysis.report.wording import NOTHING, count, grouped, listed, number, percent, were
from analysis.studies.progressive_reveal.data import RevealData
from analysis.studies.progressive_reveal.design import uncovering
from analysis.studies.progressive_reveal.exclusions import LEAST_CATCH, Person
from analysis.studies.progressive_reveal.words import DESIGN, Methods
from participants.studies.progressive_reveal.rows import SURVEY_COLUMNS
from stimuli.maps.origin import RESPONSE_MODEL
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal

SKIP: Final = "skip"

Answer = TypeVar("Answer")

NOUN: Final = "participant"


SURVEY = Quantity(
    "survey_answers", "Participants", "Participants who gave an answer of the optional survey.",
    grouped, "n",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sample:
    """What the table of people says about the analysed participants."""

    sessions: Annotated[int, about("Their sessions.")]
    complete: Annotated[int | None, about("Sessions that came to their end.")]
    resumed: Annotated[int | None, about("Sessions that took several visits.")]


def sample_of(people: pd.DataFrame) -> Sample:
    """Return what the table of people says of those analysed."""
    visits = people["visits"] if "visits" in people else pd.Series(dtype=float)
    complete = people["complete"].fillna(False).sum() if "complete" in people else None
    return Sample(
        sessions=len(people),
        complete=None if complete is None else int(complete),
        resumed=int((visits > 1).sum()) if len(visits) else None,
    )


def survey_rows(people: pd.DataFrame) -> Iterator[EstimateRow]:
    """Yield how many gave each answer of the survey, and how many skipped each question."""
    for column in SURVEY_COLUMNS.values():
        replies = people[column.name].dropna() if column.name in people else pd.Series(dtype=object)
        if replies.empty:
            continue
        counts, words = replies.value_counts(), dict(column.levels or {})
        answers = {
            _spoken(key, words[key]): counts[key] for key in words if key != SKIP and key in counts
        }
        if SKIP in counts or not answers:
            answers["skipped"] = counts.get(SKIP, 0)
        for answer, gave in answers.items():
            of = {"asked": column.description.rstrip("."), "answer": answer}
            yield estimate_row(SURVEY, of, float(gave), len(replies))


def _spoken(key: str, meaning: str) -> str:
    """Return a level's meaning; if that is only its name, the name as words."""
    if meaning != key:
        return meaning
    spoken = re.sub(r"(?<=\d)_up$", " or older", key)
    return re.sub(r"(?<=\d)_(?=\d)", " to ", spoken).replace("_", " ")


@dataclass(frozen=True, slots=True)
class Participants(Estimates):
    """Who took part, what they saw, and whom the rules leave out."""

    rounds: Annotated[int, about("Analysed rounds.")]
    rounds_a_person: Annotated[float, about("Rounds of a participant, on average.")]
    recognised_rounds: Annotated[int, about("Recognised rounds.")]
    left_rounds: Annotated[int, about("Rounds that were left midway.")]
    classes: Annotated[int | None, about("Classes of images; null if the table lacks them.")]
    methods: Annotated[tuple[str, ...], about("The methods, the reference first.")]
    reference: Annotated[str, about("The method that others are compared with.")]
    steps: Annotated[int, about("Steps of a round.")]
    image_pixels: Annotated[tuple[int, ...], about("Sizes of images, pixels.")]
    schedule_source: Annotated[str, about("Source of what each image uncovers at each step.")]
    map_origins: Annotated[dict[str, list[str]], about("Who made the maps, by method.")]
    by_hand: Annotated[tuple[str, ...], about("Participants who were left out by hand.")]
    people: Annotated[tuple[Person, ...], about("What the rules find of everybody.")]
    by_rule: Annotated[tuple[Person, ...], about("Participants whom the rules leave out.")]
    least_catch: Annotated[int, about("Fewest catch rounds by which a kind is judged.")]
    catch_rounds: Annotated[int, about("Catch rounds.")]
    sample: Annotated[Sample | None, about("Sessions; null without a table of people.")]


def compute(data: RevealData) -> Participants:
    """Return who took part, and what they saw."""
    table, frame = data.table, data.table.frame
    people = data.dataset.beside.get("people")
    if people is not None:
        people = people[people["participant"].isin(frame["participant"])]
    return Participants(
        estimates=() if people is None else tuple(survey_rows(people)),
        rounds=len(frame),
        rounds_a_person=len(frame) / table.participants,
        recognised_rounds=int(frame["recognised"].sum()),
        left_rounds=int(frame["left"].sum()),
        classes=int(frame["class"].nunique()) if "class" in frame else None,
        methods=table.methods,
        reference=table.reference,
        steps=table.steps,
        image_pixels=tuple(sorted(int(size) for size in frame["image_pixels"].unique())),
        schedule_source=table.schedule_source,
        map_origins={
            method: values(frame[frame["method"] == method], "map_origin")
            for method in table.methods
        },
        by_hand=data.left_out,
        people=data.people,
        by_rule=tuple(person for person in data.people if person.reason),
        least_catch=LEAST_CATCH,
        catch_rounds=len(data.catch),
        sample=None if people is None else sample_of(people),
    )


def named_methods(answer: Participants) -> Methods:
    """Return the methods as the page calls them."""
    simulated = (name for name, made in answer.map_origins.items() if RESPONSE_MODEL in made)
    return Methods(answer.methods, frozenset(simulated))


@dataclass(frozen=True, slots=True)
class RevealView(Generic[Answer]):
    """An answer, with all that the parts of the page read.

    Attributes
    ----------
    answer
        The question's answer; with its pictures, if it has any.
    whole
        All answers.
    """

    answer: Answer
    whole: Whole

    @property
    def people(self) -> Participants:
        """Who took part, and what they saw."""
        return self.whole.of(PARTICIPANTS)

    @property
    def methods(self) -> Methods:
        """The methods, as the page calls and draws them."""
        return named_methods(self.people)

    @property
    def protocol(self) -> ProgressiveReveal:
        """The rules."""
        return rules_of(self.whole)


def rules_of(whole: Whole) -> ProgressiveReveal:
    """Return the rules under which rounds were recorded."""
    return cast(ProgressiveReveal, whole.protocol)


def methods_of(whole: Whole) -> Methods:
    """Return the methods as the page calls them, of all results."""
    return named_methods(whole.of(PARTICIPANTS))


def rules_sentence(here: RevealView[Participants]) -> Paragraph:
    """Return the exclusion rules in words, and how many they leave out."""
    rules, answer = here.protocol.exclusion, here.answer
    asked = {
        f"presses no key in more than {percent(rules.idle_share)} of their rounds": (
            rules.idle_share < 1
        ),
        f"gives more than {rules.wrong_answers:g} wrong answers a round on average": (
            rules.wrong_answers > 0
        ),
        f"goes through the table of classes, {rules.walk_answers} answers in a row, in more "
        f"than {percent(rules.walks_share)} of their rounds": (
            rules.walk_answers > 0 and rules.walks_share < 1
        ),
        f"fails more than {percent(rules.catch_share)} of the catch rounds of a kind, of which "
        f"there must be {answer.least_catch}": rules.catch_share < 1 and answer.catch_rounds > 0,
    }
    reasons = [text for text, is_asked in asked.items() if is_asked]
    if not reasons:
        return Paragraph("The protocol has no rule that leaves anybody out.")
    left_out = len(answer.by_rule)
    catch = (
        "A catch round that can’t be recognised before its last step is failed by more than "
        f"{count(rules.catch_answers, 'guess', 'guesses')}; one that is shown whole is failed "
        "if it isn’t recognised. "
        if answer.catch_rounds
        else ""
    )
    return Paragraph(
        "All results are by intention to treat, with everybody, unless they say otherwise. The "
        f"second analysis leaves out anyone who {'; or '.join(reasons)}. {catch}The rules leave "
        f"out {count(left_out, 'participant') if left_out else 'nobody'}; what they find of each "
        "participant is in tables/exclusions.csv."
    )


def _named(row: Person) -> str:
    """Return a code, with the robot's name if there is one, without line breaks between them."""
    return f"{row.participant}\u00a0({row.robot})" if row.robot else row.participant


def _failed(failed: int, judged: int) -> str:
    return f"{failed} of {judged}" if judged else NOTHING


PEOPLE = ReportTable(
    "exclusions",
    "answer.people",
    "Whom the rules leave out.",
    (
        Column("Participant", _named),
        Column("Rounds", "rounds", grouped, "n"),
        Column("No key", "idle", percent, "of rounds"),
        Column("Wrong", "wrong_answers", number, "a round"),
        Column("Walks", "walks", percent, "of rounds"),
        Column("Hidden", lambda row: _failed(row.failed_hidden, row.judged_hidden), str, "failed"),
        Column("Whole", lambda row: _failed(row.failed_whole, row.judged_whole), str, "failed"),
        Column("Left out because", lambda row: row.reason or NOTHING),
    ),
    "Rounds that weren’t left midway. Wrong: answers. Walks: rounds in which answers in a row go "
    "through the table of classes. Hidden: catch rounds that can’t be recognised before the last "
    "step; whole: those that are shown whole at once.",
    shown="answer.by_rule",
    cut=lambda rows: cut(rows, "participants", "exclusions", lambda _: True, "by code"),
)


def sample_sentence(here: RevealView[Participants]) -> Paragraph | None:
    """Return who finished, and who came more than once; None without a table of people."""
    sample = here.answer.sample
    if sample is None:
        return None
    parts = [count(sample.sessions, "session")]
    if sample.complete is not None:
        parts.append(f"{grouped(sample.complete)} came to the end")
    if sample.resumed is not None:
        parts.append(f"{grouped(sample.resumed)} {were(sample.resumed)} spread over several visits")
    return Paragraph(", ".join(parts) + ".")


SURVEY_TABLE = pivot(
    "The optional survey.",
    (
        level_of("asked", "Question", once=True),
        level_of("answer", "Answer"),
        value_of(SURVEY),
    ),
    by=("asked", "answer"),
    of=lambda here: here.answer.estimates,
    note="Optional questions; each could be skipped.",
    strong=changes("asked"),
    row_headers=2,
)


def people(answer: Participants, whole: Whole) -> str:
    """Return who is analysed, and how many rounds were recognised."""
    return (
        f"{counted(whole.frame.data, NOUN)} with "
        f"{number(answer.rounds_a_person, 1)} rounds on average; "
        f"{grouped(answer.recognised_rounds)} of {grouped(answer.rounds)} rounds were "
        f"recognised, {grouped(answer.left_rounds)} left midway."
    )


def _headline(answer: Participants, whole: Whole) -> list[str]:
    """Say first if robots stand in for those who look, or for those who made human maps."""
    methods = named_methods(answer)
    names = [methods.name(method) for method in answer.methods if method in methods.simulated]
    made = [f"The {listed(names)} come from response models."] if names else []
    return [*robots_first(whole.frame.data, NOUN), *made, *_alone(whole)]


def _alone(whole: Whole) -> list[str]:
    """Return whom and what results hold for, if there is only one participant or one image."""
    data = whole.frame.data
    alone = [
        f"this {noun}"
        for number, noun in ((data.participants, NOUN), (data.items, "image"))
        if number == 1
    ]
    return [f"The results hold only for {listed(alone)}."] if alone else []


def _methods(answer: Participants, whole: Whole) -> list[str]:
    data, reveal, methods = whole.frame.data, rules_of(whole).reveal, named_methods(answer)
    names = listed([methods.name(method) for method in answer.methods])
    classes = "" if answer.classes is None else f" of {count(answer.classes, 'class', 'classes')}"
    return [
        f"{counted(data, NOUN)} saw {count(data.items, 'image')}"
        f"{classes} (design of {DESIGN}), each image once, "
        f"uncovered by one of {count(len(answer.methods), 'method')}: {names}.",
        f"A round had {answer.steps} steps of {number(reveal.step_s, 1)} s; each step "
        "uncovered the next most relevant pixels. Participants typed the class at any time and as "
        "often as they wanted; the round ended with the right class or after the last step.",
        *uncovering(reveal, methods.name),
    ]


def _lacking(data: RevealData, _: Participants | None) -> list[Lacking]:
    if data.table.frame["recognised"].any():
        return []
    return [Lacking("results from recognised rounds", "there are none")]


PARTICIPANTS = Question(
    id="participants",
    title="Participants",
    answer=Participants,
    quantities=(SURVEY,),
    compute=compute,
    parts=(rules_sentence, PEOPLE, sample_sentence, SURVEY_TABLE),
    view=RevealView,
    facts=lambda answer, whole: sample_facts(
        whole.frame.data, NOUN, answer.rounds, "rounds", "image"
    ),
    headline=_headline,
    methods=_methods,
    needs={
        "purpose": "selection of the main sessions",
        "keystrokes": "the exclusion rule on rounds without a key",
        "table_walk": "the exclusion rule on walks through the table of classes",
        "left": "which rounds were left early: all count as completed",
    },
    lacking=_lacking,
)
"""Who took part, and what they saw."""
