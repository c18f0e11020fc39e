"""A study as a tuple of questions: what asks them all, and what its report is made of."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Generic, TypeVar

from threadpoolctl import threadpool_limits

from analysis.data.json_values import plain
from analysis.data.tables import Dataset
from analysis.mixed.refit import outcome_files
from analysis.mixed.result import Outcome
from analysis.questions.estimates import Estimates, Quantity
from analysis.questions.question import Lacking, Pictured, Promise, Question, TypedAnswers, Whole
from analysis.questions.registered import Analysis, Hypothesis, Registered
from analysis.questions.results_file import (
    ESTIMATES,
    answer_as_json,
    as_table,
    gathered,
    json_schema,
    read_back,
    read_whole,
)
from analysis.questions.setting import Setting
from analysis.report.frame import (
    FRAME,
    PUBLISHED,
    Content,
    Planned,
    figure_stems,
    files_of,
    framed,
    parts_of,
    table_stems,
)
from analysis.report.missing import MISSING, absent_columns, failed_models
from analysis.report.parts import REFIT_BESIDE, Report, Section, reworded
from analysis.report.results import checks_and_versions
from stimuli.names import method_title
from stimuli.protocol import Protocol
from stimuli.versions import Schema

Data = TypeVar("Data")
AnyQuestion = Question[Any, Any]
Results = Mapping[str, Any]
Step = Callable[[str], None]

TIMING_COLUMNS: Mapping[str, str] = {"frames_dropped": "dropped frames", "rig": "timing by rig"}
"""What the shared section on timing needs."""


@dataclass(frozen=True, slots=True)
class _Answered:
    """The answers so far, by the question's id.

    Attributes
    ----------
    documents
        As results.json holds them; None for a question that couldn't be answered.
    typed
        As they are read from there.
    refused
        Why a question couldn't be answered.
    """

    documents: dict[str, dict[str, Any] | None]
    typed: dict[str, Any]
    refused: dict[str, Lacking]


@dataclass(frozen=True, slots=True)
class Inquiry(Generic[Data]):
    """What a study asks of its data.

    Attributes
    ----------
    study, title
        Its name in the catalogue; the title of its report.
    schema
        Format and version of its results.json.
    read
        Returns its data from the tables, the purpose of the sessions and who is left out.
    setting
        Returns what it says about its data apart from the answers.
    sample
        Who took part, on what: shown in the section on participants.
    people
        Sentences on who took part, before the flow of participants.
    questions
        Its questions, in the order of the page. A question comes after those it builds on, unless
        it is asked before; see `asked`.
    published
        What the paper reports beside our results, asked last; None if there is nothing to compare.
    methods
        Which questions' sentences each paragraph of the methods has; all others end the last one.
    lacking
        The order in which results that can't be given are listed; all others follow.
    columns
        The order in which missing columns are listed, each with the column that can replace it
        (empty if none can); all others follow.
    promised
        The order of planned analyses and hypotheses in a preregistration; all others follow.
    registered
        What is preregistered apart from analyses and hypotheses.
    resampling
        A remark on intervals and seeds.
    headline
        The order of the headline's sentences by question; all others follow.
    empty_files
        Whether a table without rows has a file, too.
    main_fits
        Returns the models of the main analysis, by the beginning of their files' names; None for
        one that there isn't. R fits them again from the report's folder.
    wording
        Returns a sentence in the words of a protocol; every sentence of the report is reworded by
        it.
    arm_words
        Returns what an arm is called.
    """

    study: str
    title: str
    schema: Schema
    read: Callable[[Dataset, str | None, Sequence[str]], Data]
    setting: Callable[[Data], Setting]
    sample: AnyQuestion
    people: Callable[[Any, Whole], str]
    questions: tuple[AnyQuestion, ...]
    published: AnyQuestion | None
    methods: tuple[tuple[AnyQuestion, ...], ...]
    lacking: tuple[AnyQuestion, ...]
    promised: tuple[AnyQuestion, ...]
    registered: Callable[[Any], Registered]
    resampling: Callable[[Whole], str]
    headline: tuple[AnyQuestion, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    empty_files: bool = False
    main_fits: Callable[[Data], Mapping[str, Outcome | None]] | None = None
    wording: Callable[[Any, str], str] = field(default=lambda _, sentence: sentence)
    arm_words: Callable[[str], str] = method_title

    @property
    def asked(self) -> tuple[AnyQuestion, ...]:
        """All questions, in the order in which they are asked."""
        last = () if self.published is None else (self.published,)
        return (self.sample, *self.questions, *last)

    def analyse(
        self, dataset: Dataset, purpose: str | None, left_out: Sequence[str], step: Step
    ) -> dict[str, Any]:
        """Return every result as plain JSON values; the arguments are those of `Study.analyse`."""
        return self.results_of(dataset, self.read(dataset, purpose, left_out), step)

    def results_of(self, dataset: Dataset, data: Data, step: Step) -> dict[str, Any]:
        """Return every result as plain JSON values.

        Parameters
        ----------
        dataset, data
            The tables, and what `read` made of them.
        step
            Called with what is being done.
        """
        # Matrices are small: more threads would only wait for one another.
        with threadpool_limits(1):
            answered = self._answers(data, step)
        step("checking the data")
        setting = self.setting(data)
        missing = list(self._lacking(dataset, data, answered, setting))
        results = {
            "schema": self.schema.tag,
            "study": dataset.study,
            "protocol": plain(dataset.protocol.resolved()),
            **plain(setting.frame),
            **gathered(answered.documents, self.asked),
            "missing": plain(missing),
            **plain(checks_and_versions(setting.checks)),
        }
        return {**results, "headline": self._headline(results, answered.typed)}

    def _answers(self, data: Data, step: Step) -> "_Answered":
        answered = _Answered({}, {}, {})
        for question in self.asked:
            if question.step:
                step(question.step)
            answer = question.answer_from(data, TypedAnswers(answered.typed))
            document = typed = None
            if isinstance(answer, Lacking):
                answered.refused[question.id] = answer
            else:
                document = answer_as_json(answer)
                typed = read_back(question, document)
            answered.documents[question.id], answered.typed[question.id] = document, typed
        return answered

    def _lacking(
        self,
        dataset: Dataset,
        data: Data,
        answered: "_Answered",
        setting: Setting,
    ) -> Iterable[Lacking]:
        """Yield results that lack a column or an answer, and those that an answer can't give."""
        needed = {
            column: what for question in self.asked for column, what in question.needs.items()
        }
        needs = {**needed, **TIMING_COLUMNS}
        ordered = {**{column: needs[column] for column in self.columns}, **needs}
        others = self.columns.items()
        replaced = [column for column, other in others if other and other not in dataset.absent]
        yield from absent_columns(dataset, ordered, replaced)
        for question in self._ordered(self.lacking):
            if question is self.published:
                yield from setting.lacking
            refused, answer = answered.refused.get(question.id), answered.typed[question.id]
            if refused is not None and refused.reason:
                yield refused
            named = question.lacking(data, answer)
            yield from named
            # Estimates hold no model, and there may be many.
            bare = replace(answer, estimates=()) if isinstance(answer, Estimates) else answer
            yield from failed_models(bare, question.title, named)
        if self.published is None:
            yield from setting.lacking

    def _headline(self, results: Results, answers: Mapping[str, Any]) -> list[str]:
        # Answers are as they are read: they needn't be read a second time.
        read = read_whole({**results, "headline": [], ESTIMATES: []}, self.study, ())
        whole = Whole(read.frame, read.protocol, answers)
        return [
            self.wording(whole.protocol, sentence)
            for question in self._ordered(self.headline)
            if (answer := whole.get(question)) is not None
            for sentence in question.headline(answer, whole)
        ]

    def _answered(self, whole: Whole) -> list[tuple[AnyQuestion, Any]]:
        answers = ((question, whole.get(question)) for question in self.asked)
        return [(question, answer) for question, answer in answers if answer is not None]

    def promises(self, protocol: Protocol) -> Registered:
        """Return what the study preregisters under a protocol.

        Raises
        ------
        LookupError
            If a hypothesis names no quantity of a question, or not how its tests are corrected.
        """
        promises = {
            question.id: promise
            for question in self.asked
            if (promise := question.registered(protocol)) is not None
        }
        planned = [question for question in self._ordered(self.promised) if question.id in promises]
        whole = replace(
            self.registered(protocol),
            hypotheses=tuple(
                self._decidable(hypothesis, question)
                for question in planned
                for hypothesis in promises[question.id].hypotheses
            ),
            analyses=tuple(_analysis(question, promises[question.id]) for question in planned),
        )
        return reworded(whole, partial(self.wording, protocol))

    def _decidable(self, hypothesis: Hypothesis, promising: AnyQuestion) -> Hypothesis:
        """Return a hypothesis whose tests name their questions."""
        tests = tuple(
            replace(test, question=test.question or promising.id) for test in hypothesis.tests
        )
        estimated = {
            (question.id, quantity.id)
            for question in self.asked
            for quantity in question.quantities
        }
        if not tests or {(test.question, test.quantity.id) for test in tests} - estimated:
            raise LookupError(f"{hypothesis.name} names nothing that its question estimates")
        if hypothesis.rule == "one" and len(tests) > 1 and not hypothesis.family:
            raise LookupError(f"{hypothesis.name} names no family of its tests")
        return replace(hypothesis, tests=tests)

    def _paragraphs(self) -> list[Sequence[AnyQuestion]]:
        """Return each paragraph's questions; those that no paragraph names end the last one."""
        named = {question.id for part in self.methods for question in part}
        others = [question for question in self.asked if question.id not in named]
        return [*self.methods[:-1], (*self.methods[-1], *others)]

    def _ordered(self, first: Iterable[AnyQuestion]) -> list[AnyQuestion]:
        """Return all questions, these first."""
        return list({question.id: question for question in (*first, *self.asked)}.values())

    def read_results(self, results: Results, where: str = "results") -> Whole:
        """Return results with each answer in its own type.

        Parameters
        ----------
        results
            As JSON has them.
        where
            The file, for messages.

        Raises
        ------
        UserError
            If they are of another study or of a newer version, or hold anything else.
        """
        present = self.schema.upgrade(dict(results), where)
        return read_whole(present, self.study, self.asked, where)

    def pictures(self, dataset: Dataset, results: Results) -> dict[Any, Any]:
        """Return the pictures of figures, by the keys that their question gives them."""
        if dataset.pack is None and dataset.screens is None:
            return {}  # without reading results, which takes seconds if they are many
        whole = self.read_results(results)
        return {
            path: pixels
            for question, answer in self._answered(whole)
            if question.pictures is not None
            for path, pixels in question.pictures(dataset, answer).items()
        }

    def json_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of results.json."""
        return json_schema(self.study, self.schema.tag, self.asked)

    def refit_files(self, data: Data) -> dict[str, str]:
        """Return the files with which R fits the models of the main analysis again."""
        return {
            name: text
            for stem, outcome in (self.main_fits(data) if self.main_fits else {}).items()
            if outcome is not None
            for name, text in outcome_files(outcome, stem=stem).items()
        }

    @property
    def quantities(self) -> dict[str, Quantity]:
        """What its questions estimate, by id."""
        return {
            quantity.id: quantity for question in self.asked for quantity in question.quantities
        }

    @property
    def tables(self) -> tuple[str, ...]:
        """Stems of the table files that a report may hold."""
        return (ESTIMATES, *table_stems(self._parts()))

    @property
    def figures(self) -> tuple[str, ...]:
        """Stems of the figures that a report may hold."""
        return figure_stems(self._parts())

    @property
    def sections(self) -> tuple[Section, ...]:
        """The study's own sections, a section for each question."""
        return tuple(Section(question.title, (), question.id) for question in self.questions)

    def build(self, results: Results) -> Report:
        """Return the report, made only from what is in results.json."""
        whole = self.read_results(results)
        views = {
            question.id: _view(question, answer, results, whole)
            for question, answer in self._answered(whole)
        }
        asked = [question for question in self.asked if question.id in views]
        published = None if self.published is None else whole.get(self.published)
        beside = {} if published is None else files_of((PUBLISHED,), published)
        files = {
            name: rows
            for question in asked
            for name, rows in files_of(question.parts, views[question.id]).items()
        }
        content = Content(
            title=self.title,
            facts=tuple(
                fact
                for question, answer in self._answered(whole)
                for fact in question.facts(answer, whole)
            ),
            methods=[
                [
                    sentence
                    for question in part
                    if whole.get(question)
                    for sentence in question.methods(whole.of(question), whole)
                ]
                for part in self._paragraphs()
            ],
            assignment=self.registered(whole.protocol).assignment,
            people=self.people(whole.of(self.sample), whole),
            after_flow=parts_of(self.sample.parts, views[self.sample.id]),
            sections=tuple(_section(question, views, whole) for question in self.questions),
            published=published,
            resampling=self.resampling(whole),
            files=files_of((MISSING,), whole.frame) | as_table(results) | beside | files,
            arm_words=self.arm_words,
        )
        report = framed(whole.frame, content)
        kept = {name: rows for name, rows in report.files.items() if rows or self.empty_files}
        footer = " ".join((report.footer, *((REFIT_BESIDE,) if self.main_fits else ())))
        return reworded(
            replace(report, files=kept, footer=footer), partial(self.wording, whole.protocol)
        )

    def _parts(self) -> list[Planned]:
        parts = (part for question in self.asked for part in question.parts)
        return [*FRAME, MISSING, PUBLISHED, *parts]


def _analysis(question: AnyQuestion, promise: Promise) -> Analysis:
    return Analysis(question.title, promise.text, promise.formula, question.id)


def _view(question: AnyQuestion, answer: Any, results: Results, whole: Whole) -> Any:
    """Return what a question's parts read."""
    if question.pictures is not None:
        answer = Pictured(answer, results.get("pictures") or {}, whole.protocol, whole)
    return question.view(answer, whole)


def _section(question: AnyQuestion, views: Mapping[str, Any], whole: Whole) -> Section:
    there = question.id in views and question.shown(whole.of(question))
    parts = parts_of(question.parts, views[question.id]) if there else ()
    return Section(question.title, parts, question.id)
