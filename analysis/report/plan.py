"""The skeleton of a report: sections that every study has, around those of the study."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from pydantic import TypeAdapter

from analysis.report.arms import ARMS, ArmOrigin
from analysis.report.checks import CHECKS, Check, check_summary
from analysis.report.declared import ReportFigure, ReportModel, ReportTable, Results, Source, taken
from analysis.report.flow import FLOW, FLOW_FIGURE, FlowStep
from analysis.report.frame import Frame
from analysis.report.incidents import INCIDENTS, Incidents, incident_sentence
from analysis.report.methods import deviations_section, methods_section, software_section
from analysis.report.missing import MISSING, Lacking
from analysis.report.parts import Bullets, Fact, Paragraph, Part, Report, Rows, Section
from analysis.report.published import published_section
from analysis.report.results import Described
from analysis.report.timing import DRIVING, RIGS, Timing

Declared = ReportTable | ReportFigure | ReportModel
Planned = Declared | Part | Callable[[Results], Part | Sequence[Part] | None]


def _incidents(frame: Frame) -> Paragraph | None:
    return incident_sentence(frame.incidents)


_OF_PEOPLE = (FLOW_FIGURE, FLOW, _incidents, INCIDENTS)
FRAME: tuple[Planned, ...] = (ARMS, *_OF_PEOPLE, RIGS, CHECKS)
"""What every report shows."""


_EMPTY: Mapping[str, tuple[Any, Any]] = {
    "flow": (list[FlowStep], []),
    "incidents": (Incidents, Incidents(0, 0, 0, 0, ())),
    "timing": (Timing, Timing([], [])),
    "checks": (list[Check], []),
    "missing": (list[Lacking], []),
}
_OF_DATA = tuple(each.name for each in fields(Described))


@dataclass(frozen=True, slots=True)
class SectionPlan:
    """A section.

    Attributes
    ----------
    title
        Its title.
    parts
        What it shows: declared tables, figures and models, ready parts, and functions that make
        one part, several or none (None) from the results.
    when
        Whether a report has it. A section without a part is left out, too.
    id
        By which preregistrations know it; made of the title by default.
    """

    title: str
    parts: tuple[Planned, ...]
    when: Source = lambda _: True
    id: str = ""

    def section(self, results: Results) -> Section:
        """Return the section; without parts where a report doesn't have it."""
        there = self.parts if taken(results, self.when) else ()
        return Section(self.title, parts_of(there, results), self.id)


@dataclass(frozen=True, slots=True)
class Content:
    """What a study puts into the frame of a report.

    Attributes
    ----------
    title
        The study, and its question.
    facts
        The strip at the top.
    methods
        Paragraphs of the methods, as sentences.
    people
        Sentences on who took part and who is left out, before the flow of participants.
    after_flow
        What the section on participants shows after the flow.
    sections
        The study's own sections.
    published
        What a paper reports beside it, as in `published_section`; None where there is nothing.
    resampling
        A remark on intervals and seeds.
    files
        The rows of its tables by file stem.
    """

    title: str
    facts: tuple[Fact, ...]
    methods: Sequence[Sequence[str]]
    people: str
    after_flow: tuple[Part, ...]
    sections: tuple[Section, ...]
    published: Any
    resampling: str
    files: Mapping[str, Rows]


def framed(frame: Frame, content: Content) -> Report:
    """Return a study's report: its content, and what every report has of the results."""
    data = frame.data
    purpose = f"sessions of purpose {data.purpose}" if data.purpose else "all sessions"
    first = (Paragraph(data.purpose_words, "quiet"), Paragraph(content.people))
    flow = parts_of(_OF_PEOPLE, frame)
    sections = (
        methods_section(frame, content.methods),
        Section("Participants", (*first, *flow, *content.after_flow)),
        *content.sections,
        published_section(content.published),
        *_of_quality(frame),
        deviations_section(frame),
        software_section(frame, content.resampling),
    )
    return Report(
        title=content.title,
        subtitle=f"{purpose} from {data.source}; protocol “{data.protocol}”, "
        f"taken from {data.protocol_source}",
        headline=tuple(frame.headline),
        facts=content.facts,
        sections=tuple(section for section in sections if section.parts),
        files={**files_of(FRAME, frame), **content.files},
    )


def _of_quality(frame: Frame) -> tuple[Section, ...]:
    """Return how far the results can be trusted, and what they lack."""
    warnings, notes = tuple(frame.timing.warnings), tuple(frame.notes)
    timing = (*RIGS.parts(frame), *DRIVING.parts(frame))
    return (
        Section("Timing quality", (Bullets(warnings), *timing) if warnings else timing),
        Section("Checks", (check_summary(frame.checks_by_state), *CHECKS.parts(frame))),
        Section("What can’t be given", MISSING.parts(frame)),
        Section("Remarks", (Bullets(notes),) if notes else ()),
    )


@dataclass(frozen=True, slots=True)
class ReportPlan:
    """What a study's report holds, each part made from the whole results.

    Attributes
    ----------
    title, facts, methods, people, after_flow, sections, resampling
        As in `Content`, made from the results.
    files
        Tables that stand in a file alone, or are shown by a section that isn't declared here.
    empty_files
        Whether a table without rows has a file, too.
    """

    title: str
    facts: Callable[[Results], tuple[Fact, ...]]
    methods: Callable[[Results], Sequence[Sequence[str]]]
    people: Callable[[Results], str]
    after_flow: tuple[Planned, ...]
    sections: tuple[SectionPlan, ...]
    resampling: Callable[[Results], str]
    files: tuple[ReportTable, ...]
    empty_files: bool = False

    @property
    def tables(self) -> tuple[str, ...]:
        """Stems of the table files that a report may hold."""
        return table_stems((*FRAME, *self._parts()))

    @property
    def figures(self) -> tuple[str, ...]:
        """Stems of the figures that a report may hold."""
        return figure_stems((*FRAME, *self._parts()))

    def build(self, results: Results) -> Report:
        """Return the report, made from what stands in results.json alone."""
        content = Content(
            title=self.title,
            facts=self.facts(results),
            methods=self.methods(results),
            people=self.people(results),
            after_flow=parts_of(self.after_flow, results),
            sections=tuple(plan.section(results) for plan in self.sections),
            published=results.get("published"),
            resampling=self.resampling(results),
            files=files_of(self._parts(), results),
        )
        report = framed(frame_of(results), content)
        kept = {name: rows for name, rows in report.files.items() if rows or self.empty_files}
        return replace(report, files=kept)

    def _parts(self) -> list[Planned]:
        own = (part for plan in self.sections for part in plan.parts)
        return [*self.after_flow, *own, *self.files]


def frame_of(results: Mapping[str, Any]) -> Frame:
    """Return what all reports share of the results of a study without questions.

    Such a study may leave out what it has nothing to tell of.
    """
    whole: dict[str, Any] = {name: results[name] for name in Frame.model_fields if name in results}
    for name, (kind, empty) in _EMPTY.items():
        whole[name] = TypeAdapter(kind).validate_python(whole.get(name, empty))
    data: dict[str, Any] = {name: results["data"].get(name) for name in _OF_DATA}
    data["origins"] = [ArmOrigin(**row) for row in data["origins"] or ()]
    whole["data"] = Described(**data)
    return Frame.model_construct(**whole)


def parts_of(planned: Iterable[Planned], results: Results) -> tuple[Part, ...]:
    """Return what planned parts show of the results."""
    return tuple(part for one in planned for part in _shown(one, results))


def files_of(planned: Iterable[Planned], results: Results) -> dict[str, Rows]:
    """Return the rows of the files of planned tables and models by stem."""
    return {name: rows for part in _filed(planned) for name, rows in part.files(results).items()}


def table_stems(planned: Iterable[Planned]) -> tuple[str, ...]:
    """Return the stems of the files that planned tables and models may have."""
    return tuple(name for part in _filed(planned) for name in part.tables)


def figure_stems(planned: Iterable[Planned]) -> tuple[str, ...]:
    """Return the stems of planned figures."""
    return tuple(part.name for part in planned if isinstance(part, ReportFigure))


def _filed(planned: Iterable[Planned]) -> list[ReportTable | ReportModel]:
    return [part for part in planned if isinstance(part, ReportTable | ReportModel)]


def _shown(part: Planned, results: Results) -> Sequence[Part]:
    if isinstance(part, Declared):
        return part.parts(results)
    made = part(results) if callable(part) else part
    if made is None:
        return ()
    return (made,) if isinstance(made, Part) else made
