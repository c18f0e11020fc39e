"""The skeleton of a report: sections that every study has, around those of the study."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from analysis.report.arms import ARMS
from analysis.report.checks import CHECKS, checks_section
from analysis.report.declared import ReportFigure, ReportModel, ReportTable, Results, Source, taken
from analysis.report.flow import FLOW, FLOW_FIGURE
from analysis.report.incidents import INCIDENTS, incident_sentence
from analysis.report.methods import deviations_section, methods_section, software_section
from analysis.report.missing import missing_section, remarks_section
from analysis.report.parts import Fact, Paragraph, Part, Report, Rows, Section
from analysis.report.published import published_section
from analysis.report.timing import RIGS, timing_section

Declared = ReportTable | ReportFigure | ReportModel
Planned = Declared | Part | Callable[[Results], Part | Sequence[Part] | None]


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
    """

    title: str
    parts: tuple[Planned, ...]
    when: Source = lambda _: True

    def section(self, results: Results) -> Section:
        """Return the section; without parts where a report doesn't have it."""
        there = self.parts if taken(results, self.when) else ()
        return Section(self.title, tuple(part for p in there for part in _made(p, results)))


@dataclass(frozen=True, slots=True)
class ReportPlan:
    """What a study's report holds.

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
    resampling
        A remark on intervals and seeds.
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
        return tuple(name for part in self._filed() for name in part.tables)

    @property
    def figures(self) -> tuple[str, ...]:
        """Stems of the figures that a report may hold."""
        return tuple(part.name for part in self._declared() if isinstance(part, ReportFigure))

    def build(self, results: Results) -> Report:
        """Return the report, made from what stands in results.json alone."""
        data = results["data"]
        purpose = f"sessions of purpose {data['purpose']}" if data["purpose"] else "all sessions"
        sections = (
            methods_section(results, self.methods(results)),
            self._people().section(results),
            *(plan.section(results) for plan in self.sections),
            published_section(results),
            timing_section(results),
            checks_section(results),
            missing_section(results),
            remarks_section(results),
            deviations_section(results),
            software_section(results, self.resampling(results)),
        )
        return Report(
            title=self.title,
            subtitle=f"{purpose} from {data['source']}; protocol “{data['protocol']}”, "
            f"taken from {data['protocol_source']}",
            headline=tuple(results["headline"]),
            facts=self.facts(results),
            sections=tuple(section for section in sections if section.parts),
            files=self._files(results),
        )

    def _people(self) -> SectionPlan:
        first = (
            lambda results: Paragraph(results["data"]["purpose_words"], "quiet"),
            lambda results: Paragraph(self.people(results)),
        )
        flow = (FLOW_FIGURE, FLOW, incident_sentence, INCIDENTS)
        return SectionPlan("Participants", (*first, *flow, *self.after_flow))

    def _declared(self) -> list[Declared]:
        planned = [part for plan in (self._people(), *self.sections) for part in plan.parts]
        every = (ARMS, *planned, RIGS, CHECKS, *self.files)
        return [part for part in every if isinstance(part, Declared)]

    def _filed(self) -> list[ReportTable | ReportModel]:
        return [part for part in self._declared() if not isinstance(part, ReportFigure)]

    def _files(self, results: Results) -> dict[str, Rows]:
        found = {n: rows for p in self._filed() for n, rows in p.files(results).items()}
        return {name: rows for name, rows in found.items() if rows or self.empty_files}


def _made(part: Planned, results: Results) -> Sequence[Part]:
    if isinstance(part, Declared):
        return part.parts(results)
    made = part(results) if callable(part) else part
    if made is None:
        return ()
    return (made,) if isinstance(made, Part) else made
