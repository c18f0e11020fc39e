"""The frame of a report: the sections that every study has, around the study's own.

They are made from the results that all studies have (`Frame`), and from published values beside
ours.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from analysis.report.about import about
from analysis.report.checks import CHECKS, Check, check_summary
from analysis.report.declared import ReportFigure, ReportModel, ReportTable, Results
from analysis.report.flow import FLOW, FLOW_FIGURE, FlowStep
from analysis.report.methods import design_sentences, materials_sentence
from analysis.report.missing import MISSING, Lacking
from analysis.report.parts import Bullets, Column, Fact, Paragraph, Part, Report, Rows, Section
from analysis.report.results import ARMS, Described, Drawing, arms_parts
from analysis.report.sessions import DRIVING, INCIDENTS, RIGS, Incidents, Timing, incident_sentence
from analysis.report.wording import NOTHING, count, listed
from stimuli.deviations import WHOSE, differences
from stimuli.names import method_title
from stimuli.protocol import Protocol, protocol_from_resolved

TAG: Final = "schema"
METHODS: Final = "Methods"
"""Title of the section of the methods."""

Number = Annotated[int | float, WithJsonSchema({"type": "number"})]
"""A number as it was given: a count stays whole."""


@dataclass(frozen=True, slots=True)
class PlannedResult:
    """A section of the report, and whether it was planned."""

    section: Annotated[str, about("Its title.")]
    hypotheses: Annotated[
        tuple[str, ...], about("Hypotheses that its estimates decide; all else is exploratory.")
    ]
    preregistered: Annotated[str, about("Whether it was planned, in words.")]


@dataclass(frozen=True, slots=True)
class CriterionResult:
    """A test of a hypothesis: a row of `estimates`, and whether it shows what it must."""

    estimate: Annotated[str, about("What is estimated.")]
    question: Annotated[str, about("The row's question.")]
    quantity: Annotated[str, about("The row's quantity.")]
    of: Annotated[dict[str, str], about("The row's levels; those that name it if there is none.")]
    value: Annotated[float | None, about("The estimate.")]
    level: Annotated[int, about("Level of the interval, per cent; 90: two one-sided tests.")]
    low: Annotated[float | None, about("Its lower limit, corrected if the family's is.")]
    high: Annotated[float | None, about("Its upper limit.")]
    p: Annotated[float | None, about("p of zero, corrected alike; null for another value.")]
    needed: Annotated[str, about("Where the interval must lie.")]
    shown: Annotated[bool | None, about("Whether it does; null if it couldn't be tested.")]
    why: Annotated[str, about("Why it couldn't be tested.")]
    written: Annotated[str, about("The estimate with its interval, as printed.")]


@dataclass(frozen=True, slots=True)
class HypothesisResult:
    """What became of a hypothesis."""

    name: Annotated[str, about("Its name.")]
    text: Annotated[str, about("What was expected.")]
    rule: Annotated[str, about("Whether all of its tests must hold, or one.")]
    outcome: Annotated[str, about("Confirmed, not confirmed, or couldn’t be tested.")]
    tests: Annotated[tuple[CriterionResult, ...], about("What decides it.")]


@dataclass(frozen=True, slots=True)
class Deviation:
    """Where an analysis differs from its preregistration."""

    what: Annotated[str, about("What differs.")]
    registered: Annotated[str, about("As registered.")]
    here: Annotated[str, about("In this analysis.")]


@dataclass(frozen=True, slots=True)
class Compared:
    """An analysis beside its preregistration."""

    registered_utc: Annotated[str, about("When it was registered, ISO 8601 in UTC.")]
    protocol_hash: Annotated[str, about("SHA-256 of the registered rules.")]
    participants: Annotated[int, about("Participants that were registered.")]
    size: Annotated[str, about("Why so many, and which effects they can show.")]
    same_rules: Annotated[bool, about("Whether all data were recorded under these rules.")]
    hypotheses: Annotated[tuple[HypothesisResult, ...], about("What became of the hypotheses.")]
    results: Annotated[tuple[PlannedResult, ...], about("The sections of the report.")]
    deviations: Annotated[tuple[Deviation, ...], about("Where the two differ.")]


@dataclass(frozen=True, slots=True)
class AboutData:
    """What a study says about its data: these values of `Frame`."""

    data: Described
    levels: Mapping[str, float]
    sources: Mapping[str, str]
    flow: Sequence[FlowStep]
    incidents: Incidents
    timing: Timing
    bootstrap: Drawing
    intervals: str
    notes: Sequence[str]


class Frame(BaseModel):
    """What the results of every study have apart from the answers to its questions."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    tag: str = Field(alias=TAG, description="Format and version of this file.")
    study: str = Field(description="Name of the study.")
    data: Described = Field(description="What was analysed, and under which rules.")
    protocol: dict[str, Any] = Field(description="The rules; see the page of the protocol.")
    levels: dict[str, float] = Field(description="Level of the intervals.")
    sources: dict[str, str] = Field(description="Sources of the methods, as cited.")
    flow: list[FlowStep] = Field(description="From the recorded sessions to the analysis.")
    incidents: Incidents = Field(description="Unplanned events in sessions.")
    timing: Timing = Field(description="Timing by rig.")
    bootstrap: Drawing = Field(description="How bootstrap replicates were drawn.")
    intervals: str = Field(description="How intervals of means and shares were found.")
    notes: list[str] = Field(description="What limits the results.")
    missing: list[Lacking] = Field(description="Results that can't be given, and why.")
    checks: list[Check] = Field(description="Checks of the data.")
    checks_by_state: dict[str, int] = Field(description="How many checks ended in each state.")
    versions: dict[str, str] = Field(description="Versions of the software.")
    headline: list[str] = Field(description="What the study shows.")
    warnings: list[str] = Field(
        [], description="What may change the conclusions; shown above the headline."
    )
    suspect: list[str] = Field([], description="Sessions and tables that can't be trusted.")
    preregistration: Compared | None = Field(
        None, description="Comparison with the preregistration, if one was given."
    )


@dataclass(frozen=True, slots=True)
class Beside:
    """One quantity as published and as found here."""

    quantity: Annotated[str, about("What it is.")]
    published: Annotated[str, about("What the paper gives, in words.")]
    place: Annotated[str, about("Section, table or figure of the paper.")]
    ours: Annotated[str, about("The same here, in words.")]
    published_value: Annotated[Number | None, about("The paper's number, if it gives one.")] = None
    our_value: Annotated[Number | None, about("Our number, if there is one.")] = None


@dataclass(frozen=True, slots=True)
class PaperBeside:
    """What the paper reports, beside the same here."""

    reference: Annotated[str, about("The paper.")]
    remark: Annotated[str, about("What a reader must know about its values.")]
    rows: Annotated[tuple[Beside, ...], about("Its values beside ours.")]


def _with_ours(paper: PaperBeside) -> list[Beside]:
    return [row for row in paper.rows if row.ours.strip(f"{NOTHING}/ ")]


def _without_ours(paper: PaperBeside) -> str:
    """Return how many of the paper's values stand in the file alone."""
    lacking = len(paper.rows) - len(_with_ours(paper))
    if not lacking:
        return ""
    has = "has" if lacking == 1 else "have"
    values = count(lacking, "value")
    return f"{values} of the paper {has} none beside it here; tables/published.csv lists all."


PUBLISHED = ReportTable(
    "published",
    "rows",
    "What the paper states, and the same here.",
    (
        Column("Quantity", "quantity"),
        Column("Published", "published"),
        Column("Where", "place"),
        Column("Here", "ours"),
    ),
    _without_ours,
    shown=_with_ours,
    whole=True,
    otherwise="No value of the paper has one of these data beside it, since other images, arms or "
    "measures were used. tables/published.csv lists the paper’s values.",
)


def published_section(published: PaperBeside | None) -> Section:
    """Return the comparison with a paper; empty if there is nothing to compare."""
    title = "Published values beside ours"
    if published is None or not published.rows:
        return Section(title, ())
    reference = Paragraph(f"{published.reference} {published.remark}")
    return Section(title, (reference, *PUBLISHED.parts(published)), folded=True)


Declared = ReportTable | ReportFigure | ReportModel
Planned = Declared | Part | Callable[[Results], Part | Sequence[Part] | None]


def methods_section(frame: Frame, content: "Content") -> Section:
    """Return the methods: paragraphs of sentences to take over, then what they rest on in full."""
    data = frame.data
    packs = listed(data.pack_ids) if data.pack_ids else "not recorded"
    hashes = listed(data.protocol_hashes) if data.protocol_hashes else "not recorded"
    remark = content.resampling
    paragraphs = (*content.methods, design_sentences(data, content.assignment))
    return Section(
        METHODS,
        (
            Paragraph("You can copy this text. Fill in what is marked.", "quiet"),
            *(Paragraph(" ".join(sentences), "paste") for sentences in paragraphs),
            Paragraph(materials_sentence(data, tuple(frame.versions.items())), "paste"),
            *arms_parts(frame, content.arm_words),
            Paragraph(f"Packs: {packs}. Protocol hashes (SHA-256): {hashes}. {remark}", "quiet"),
        ),
    )


def deviations_section(frame: Frame) -> Section:
    """Return where the protocol differs from the paper, as the protocol states it."""
    return Section("Deviations from the published design", DEVIATIONS.parts(frame), folded=True)


def _deviations(stated: Frame | Protocol) -> list[dict[str, Any]] | None:
    """Return the rows of all deviations of a protocol; None if nobody knows the protocol."""
    if isinstance(stated, Frame):
        if not stated.data.protocol_known:
            return None
        stated = protocol_from_resolved(stated.protocol, "the results")
    columns = {"field", "published", "here", "reason"}
    return [
        {**deviation.model_dump(include=columns), "whose": WHOSE[deviation.whose]}
        for deviation in differences(stated)
    ] or None


DEVIATIONS = ReportTable(
    "deviations",
    _deviations,
    "Where the rules differ from the published study, and who states it.",
    (
        Column("Field or option", "field"),
        Column("Published", "published"),
        Column("Here", "here"),
        Column("Why", "reason"),
        Column("Stated by", "whose"),
    ),
    whole=True,
)


def _incidents(frame: Frame) -> Paragraph | None:
    return incident_sentence(frame.incidents)


_OF_PEOPLE = (FLOW_FIGURE, FLOW, _incidents, INCIDENTS)
FRAME: tuple[Planned, ...] = (ARMS, *_OF_PEOPLE, RIGS, CHECKS, DEVIATIONS)
"""What every report shows."""


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
    assignment
        How conditions are assigned, in a sentence.
    people
        Sentences on who took part and who is left out, before the flow of participants.
    after_flow
        What the section on participants shows after the flow.
    sections
        The study's own sections.
    published
        What a paper reports beside it; None if there is nothing.
    resampling
        A remark on intervals and seeds.
    files
        The rows of its tables by file stem.
    arm_words
        Returns what an arm is called.
    """

    title: str
    facts: tuple[Fact, ...]
    methods: Sequence[Sequence[str]]
    assignment: str
    people: str
    after_flow: tuple[Part, ...]
    sections: tuple[Section, ...]
    published: PaperBeside | None
    resampling: str
    files: Mapping[str, Rows]
    arm_words: Callable[[str], str] = method_title


def framed(frame: Frame, content: Content) -> Report:
    """Return a study's report: its content, and the parts that every report has.

    Results come first, then how they were found and from whom, then how far to trust them.
    """
    data = frame.data
    purpose = f"{data.purpose.capitalize()} sessions" if data.purpose else "All sessions"
    first = (Paragraph(data.purpose_words, "quiet"), Paragraph(content.people))
    flow = parts_of(_OF_PEOPLE, frame)
    sections = (
        *content.sections,
        methods_section(frame, content),
        Section("Participants", (*first, *flow, *content.after_flow)),
        *_of_quality(frame),
        published_section(content.published),
        deviations_section(frame),
    )
    return Report(
        title=content.title,
        subtitle=f"{purpose} from “{data.source}”; protocol “{data.protocol}”, "
        f"taken from {data.protocol_source}",
        headline=tuple(frame.headline),
        warnings=tuple(frame.warnings),
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
        Section("Checks", (check_summary(frame.checks), *CHECKS.parts(frame))),
        Section("What can’t be given", MISSING.parts(frame)),
        Section("Remarks", (Bullets(notes),) if notes else ()),
    )


def parts_of(planned: Iterable[Planned], results: Results) -> tuple[Part, ...]:
    """Return what planned parts show of the results."""
    return tuple(part for plan in planned for part in _parts_shown(plan, results))


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


def _parts_shown(part: Planned, results: Results) -> Sequence[Part]:
    if isinstance(part, Declared):
        return part.parts(results)
    made = part if isinstance(part, Part) else part(results)
    if made is None:
        return ()
    return (made,) if isinstance(made, Part) else made
