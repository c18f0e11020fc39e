"""The document of a preregistration, in the order of the OSF's standard template.

OSF Preregistration (Bowman et al. 2020, doi:10.31222/osf.io/epgjd) asks for study information,
design plan, sampling plan, variables, analysis plan. AsPredicted asks the same in nine questions;
each section says which of them it answers.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from analysis.power.results import WANTED, RegisteredPower
from analysis.questions.registered import Registered, Variable
from analysis.report.frame import DEVIATIONS
from analysis.report.parts import Bullets, Column, Fact, Paragraph, Part, Report, Section, table
from analysis.report.wording import grouped, interval, listed, number, percent
from stimuli.protocol import Protocol
from stimuli.protocol import Section as ProtocolSection

DECIDED: Final = (
    *("unfinished", "screening", "practice", "validation", "understanding", "exclusion"),
    "analysis",
)
"""Fields and sections of protocols that decide who is analysed, and how."""
FOOTER: Final = (
    "This page was frozen when it was written. preregistration.json beside it holds the same and "
    "the whole protocol; analyse --preregistration compares an analysis with it."
)


@dataclass(frozen=True, slots=True)
class PlannedStudy:
    """What a preregistration is made from, apart from what the study declares.

    Attributes
    ----------
    protocol, protocol_hash
        The rules, and their hash.
    participants
        How many are to be analysed.
    power
        Results of a power simulation; None if there was none.
    rationale
        Why so many, in the experimenter's words; may be empty if `power` is given.
    registered_utc
        When, ISO 8601.
    versions
        Of the suite and of what it rests on.
    pack_id
        The sealed pack that the rules are of; empty if they are of a file.
    """

    protocol: Protocol
    protocol_hash: str
    participants: int
    power: RegisteredPower | None
    rationale: str
    registered_utc: str
    versions: Mapping[str, str]
    pack_id: str = ""


def build_document(registered: Registered, planned: PlannedStudy) -> Report:
    """Return the document, made from what the study declares and what it is given."""
    protocol, digest = planned.protocol, planned.protocol_hash
    number = len(registered.hypotheses)
    sections = (
        _information(registered),
        _design(registered),
        _sampling(registered, planned),
        _size(registered, planned),
        _variables(registered),
        _models(registered),
        _inference(registered),
        _exclusion(registered),
        _fixed(protocol),
        _deviations(protocol),
        _software(planned),
    )
    return Report(
        title=f"Preregistration of {protocol.catalogue_name}",
        subtitle=f"{planned.registered_utc}; protocol “{protocol.name}”, SHA-256 {digest}",
        headline=tuple(
            f"{hypothesis.name}. {hypothesis.text}" for hypothesis in registered.hypotheses
        ),
        facts=(
            Fact(grouped(planned.participants), registered.people),
            Fact(str(number), "hypothesis" if number == 1 else "hypotheses"),
            Fact(planned.registered_utc[:10], "date"),
            Fact(f"{digest[:12]}…", "protocol"),
        ),
        sections=tuple(section for section in sections if section.parts),
        footer=FOOTER,
    )


def _name_questions(*questions: int) -> Paragraph:
    """Say which questions of AsPredicted a section answers."""
    noun = "question" if len(questions) == 1 else "questions"
    return Paragraph(
        f"AsPredicted: {noun} {listed([str(question) for question in questions])}.", "quiet"
    )


def _information(registered: Registered) -> Section:
    rows = [
        {"name": hypothesis.name, "text": hypothesis.text, "by": hypothesis.decided_by}
        for hypothesis in registered.hypotheses
    ]
    columns = (Column("", "name"), Column("Hypothesis", "text"), Column("Decided by", "by"))
    return Section(
        "Question and hypotheses",
        (
            _name_questions(2),
            Paragraph(registered.question),
            table("Hypotheses.", columns, rows),
            table(
                "The tests that decide them.",
                _TESTS,
                [
                    (hypothesis, test)
                    for hypothesis in registered.hypotheses
                    for test in hypothesis.tests
                ],
                "An interval must lie wholly where the table says, so nothing is confirmed by a "
                "result that isn't significant. A 90 % interval within a margin is the same as two "
                "one-sided tests (Schuirmann 1987). Row: question, quantity and levels of the "
                "estimate in results.json; analyse --preregistration decides by it.",
            ),
        ),
    )


_TESTS: Final = (
    Column("", lambda row: row[0].name, once=True),
    Column("Estimate", lambda row: row[1].estimate),
    Column("By", lambda row: f"{row[1].level} % interval"),
    Column("Must lie", lambda row: row[1].region),
    Column("Row", lambda row: row[1].row),
)


def _design(registered: Registered) -> Section:
    return Section(
        "Design",
        (
            _name_questions(4),
            Bullets(registered.design),
            Paragraph(f"Blinding: {registered.blinding}"),
            Paragraph(f"Assignment: {registered.assignment}"),
        ),
    )


def _sampling(registered: Registered, planned: PlannedStudy) -> Section:
    return Section(
        "Data and stopping rule",
        (
            _name_questions(1, 7),
            Paragraph(
                f"This was registered on {planned.registered_utc[:10]}. Sessions of purpose main "
                "count; pilots, tests and robots don't. The report of the analysis says how many "
                "sessions had begun before."
            ),
            Paragraph(
                f"Data collection ends when {grouped(planned.participants)} {registered.people} "
                "have finished their sessions and the rules of the first analysis leave none of "
                "them out. People who take their data back or don't finish are replaced. Nobody "
                "looks at results before."
            ),
        ),
    )


def _size(registered: Registered, planned: PlannedStudy) -> Section:
    number = grouped(planned.participants)
    parts: list[Part] = [
        _name_questions(7),
        Paragraph(f"{number} {registered.people}; {registered.items}."),
    ]
    if planned.rationale:
        parts.append(Paragraph(planned.rationale))
    if planned.power is not None:
        parts += _power(planned.power, planned.participants, planned.protocol.name)
    return Section("Sample size", tuple(parts))


def _power(power: RegisteredPower, participants: int, name: str) -> Iterator[Part]:
    yield Paragraph(power.method)
    if power.protocol != name:
        yield Paragraph(f"The simulation followed another protocol, “{power.protocol}”.")
    every = [row for row in power.rows if row.right is not False]
    rows = [row for row in every if row.participants == participants]
    if not rows:
        tried = listed([str(n) for n in power.participants])
        yield Paragraph(
            f"The simulation tried {tried} participants, not {participants}; all of its rows are "
            "shown."
        )
    columns = (
        Column("Test or right verdict", "term"),
        Column("Simulated", "put_in", str),
        Column("True value", "truth", number),
        Column("Items", "items", grouped),
        Column("Participants", "participants", grouped),
        Column("Power", "power", percent),
        Column("95 % interval", lambda row: interval(row.ci_low, row.ci_high, percent), str),
    )
    yield table(
        "Power by simulation.",
        columns,
        rows or every,
        "True value: of what is tested; at 0 the share is that of false alarms. A right verdict is "
        f"counted where the report gives it. Usually wanted: {percent(WANTED)}.",
    )
    yield Bullets(power.assumptions)


def _variables(registered: Registered) -> Section:
    columns = (Column("Variable", "name"), Column("Meaning", "meaning"), Column("Values", "values"))
    return Section(
        "Variables",
        (
            _name_questions(3, 4),
            table(
                "What is varied (independent variables).", columns, _rows(registered.manipulated)
            ),
            table("What is measured (dependent variables).", columns, _rows(registered.measured)),
        ),
    )


def _rows(variables: Sequence[Variable]) -> list[dict[str, str]]:
    return [
        {"name": variable.name, "meaning": variable.meaning, "values": variable.values}
        for variable in variables
    ]


def _models(registered: Registered) -> Section:
    parts: list[Part] = [_name_questions(5)]
    for analysis in registered.analyses:
        parts.append(Paragraph(f"{analysis.section}. {analysis.text}"))
        if analysis.formula:
            parts.append(Paragraph(analysis.formula, "formula"))
    parts.append(
        Paragraph(
            "The tests that decide the hypotheses are confirmatory. All others are exploratory, "
            "also those of planned analyses, and the report marks them so.",
            "quiet",
        )
    )
    return Section("Statistical models", tuple(parts))


def _inference(registered: Registered) -> Section:
    return Section(
        "Primary analysis and inference",
        (
            _name_questions(5),
            Paragraph(registered.primary),
            Paragraph(f"Several tests: {registered.multiplicity}"),
            Paragraph(f"Missing data: {registered.missing}"),
        ),
    )


def _exclusion(registered: Registered) -> Section:
    return Section("Exclusion", (_name_questions(6), Bullets(registered.exclusions)))


def _fixed(protocol: Protocol) -> Section:
    """Return the protocol's values that decide what is analysed, with their meanings."""
    rows = [
        {"field": field, "value": value, "meaning": meaning}
        for name in DECIDED
        for field, value, meaning in _decided(protocol, name)
    ]
    columns = (Column("Field", "field"), Column("Value", "value"), Column("Meaning", "meaning"))
    if not rows:
        return Section("Values fixed by the protocol", ())
    return Section(
        "Values fixed by the protocol",
        (
            table(
                "Fields that decide who is analysed and how; all others are in the record.",
                columns,
                rows,
            ),
        ),
    )


def _decided(protocol: ProtocolSection, name: str) -> Iterator[tuple[str, str, str]]:
    """Yield a field, or the fields of a section, with their values and meanings."""
    field = type(protocol).model_fields.get(name)
    if field is None:
        return
    value = getattr(protocol, name)
    if not isinstance(value, ProtocolSection):
        yield name, str(value), field.description or ""
        return
    for key in type(value).model_fields:
        for inner, written, meaning in _decided(value, key):
            yield f"{name}.{inner}", written, meaning


def _deviations(protocol: Protocol) -> Section:
    title = "Differences from the published design"
    parts = DEVIATIONS.parts(protocol)
    return Section(title, (_name_questions(8), *parts) if parts else ())


def _software(planned: PlannedStudy) -> Section:
    protocol = planned.protocol
    versions = ", ".join(f"{name} {version}" for name, version in planned.versions.items())
    return Section(
        "Protocol and software",
        (
            Paragraph(
                f"Protocol “{protocol.name}”, {protocol.schema_tag}, SHA-256 "
                f"{planned.protocol_hash} of all its values in canonical JSON. Every row of data "
                "has this hash."
                + (f" It is that of the sealed pack {planned.pack_id}." if planned.pack_id else "")
            ),
            Paragraph(f"{versions}."),
        ),
    )
