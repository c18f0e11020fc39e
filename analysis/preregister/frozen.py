"""The record of a preregistration, and the comparison of an analysis with it.

``preregistration.json`` is the record. The comparison says what was planned, and where the analysis
deviates. The report shows it in a section, and in one line of each section of the study.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from analysis.data.tables import Dataset
from analysis.power.results import WANTED
from analysis.preregister.document import PlannedStudy
from analysis.preregister.outcomes import (
    decide,
    outcome_table,
    plain_hypothesis,
    read_hypothesis,
    sentences,
)
from analysis.questions.estimates import Quantity
from analysis.questions.registered import Hypothesis, Registered
from analysis.questions.results_file import ESTIMATES
from analysis.report.frame import Compared, Deviation, PlannedResult
from analysis.report.methods import SIZE, SMALLEST, with_size
from analysis.report.parts import Column, Paragraph, Part, Report, Section, table
from analysis.report.wording import count, listed, percent
from stimuli.errors import UserError
from stimuli.io.canonical import file_sha256
from stimuli.io.inside import inside, refuse_odd
from stimuli.placeholders import fields_named, flat
from stimuli.protocol import Protocol, protocol_from_resolved
from stimuli.versions import Schema, suite_version

RECORD: Final = "preregistration.json"
PAGE: Final = "preregistration.html"
MARKDOWN: Final = "preregistration.md"

Results = Mapping[str, Any]

YES, OTHER_RULES, NO = "yes", "planned, under other rules", "no: exploratory"
PURPOSE: Final = "main"
MEANS: Final = "two_way"
SESSION_STAMP: Final = re.compile(r"(\d{8}T\d{6}Z)-")
"""A session's id begins with the time at which the session began."""
NOTHING: Final = "–"
UNRULED: Final = frozenset({"name", "deviations"})
"""Fields of a protocol that are no rule: what it is called, and texts about other fields."""

TITLE: Final = "Preregistration"


SCHEMA: Final = Schema("preregistration")


@dataclass(frozen=True, slots=True)
class PlannedSection:
    """A planned section of the report.

    Attributes
    ----------
    id
        Id of its question.
    title
        Its title then.
    """

    id: str
    title: str

    def is_of(self, section: Section) -> bool:
        """Return whether a section of a report is this one."""
        return self.id == section.anchor


@dataclass(frozen=True, slots=True)
class Frozen:
    """A preregistration as it was frozen.

    Attributes
    ----------
    study
        The study, by its name in the catalogue.
    protocol, protocol_hash
        The rules, and their hash.
    pack_id
        The sealed pack that they are of; empty if they are of a file.
    participants
        How many are to be analysed.
    sections
        The planned sections of the report.
    hypotheses
        What was expected.
    registered_utc
        When, ISO 8601.
    suite
        Version of the suite that wrote it.
    changed
        Documents beside the record that are missing or were changed since they were written.
    reason
        Why so many participants, and what the power simulation found, in sentences.
    """

    study: str
    protocol: Protocol
    protocol_hash: str
    pack_id: str
    participants: int
    sections: tuple[PlannedSection, ...]
    hypotheses: tuple[Hypothesis, ...]
    registered_utc: str
    suite: str
    changed: tuple[str, ...]
    reason: str = SIZE


def record_of(
    registered: Registered, planned: PlannedStudy, documents: Mapping[str, str]
) -> dict[str, Any]:
    """Return what ``preregistration.json`` holds; `documents` are SHA-256 by file name."""
    power = planned.power
    return {
        "schema": SCHEMA.tag,
        "study": planned.protocol.catalogue_name,
        "registered_utc": planned.registered_utc,
        "protocol_hash": planned.protocol_hash,
        "pack_id": planned.pack_id,
        "participants": planned.participants,
        "rationale": planned.rationale,
        "power": None if power is None else {"asked": power.asked, "enough": power.enough},
        "sections": [
            {"id": Section(analysis.section, (), analysis.id).anchor, "title": analysis.section}
            for analysis in registered.analyses
        ],
        "hypotheses": [plain_hypothesis(hypothesis) for hypothesis in registered.hypotheses],
        "versions": dict(planned.versions),
        "documents": dict(documents),
        "protocol": planned.protocol.resolved(),
    }


def read_frozen(folder: Path, quantities: Mapping[str, Quantity] | None = None) -> Frozen:
    """Return the preregistration in a folder.

    Parameters
    ----------
    folder
        Where it lies.
    quantities
        What the study estimates, by id.

    Raises
    ------
    UserError
        If there is none, it can't be read, or is of a newer version.
    """
    path = folder / RECORD
    refuse_odd(path)
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        raise UserError(
            f"--preregistration {folder}: contains no {RECORD}; name the folder that "
            "lab.py preregister wrote"
        ) from None
    except ValueError:
        raise UserError(f"{path}: is not readable JSON; copy it again") from None
    document = SCHEMA.upgrade(document, str(path))
    documents = document["documents"]
    changed = [
        name
        for name, digest in documents.items()
        if not _is_as_written(inside(folder, name), digest)
    ]
    return Frozen(
        study=document["study"],
        protocol=protocol_from_resolved(document["protocol"], str(path)),
        protocol_hash=document["protocol_hash"],
        pack_id=document["pack_id"],
        participants=document["participants"],
        sections=tuple(PlannedSection(**section) for section in document["sections"]),
        hypotheses=tuple(
            read_hypothesis(hypothesis, quantities or {}) for hypothesis in document["hypotheses"]
        ),
        registered_utc=document["registered_utc"],
        suite=document["versions"]["plainsight"],
        changed=tuple(changed),
        reason=_reason(document),
    )


def _reason(document: Mapping[str, Any]) -> str:
    """Return why so many participants were planned, and which effects so many can show."""
    number = document["participants"]
    enough = [
        f"By simulation, {row['participants']} participants are enough for {row['term']} "
        f"(simulated: {row['put_in']}; power {percent(WANTED)})."
        for row in (document["power"] or {"enough": []})["enough"]
        if row["participants"] is not None and row["participants"] <= number
    ]
    planned = f"{number} participants were planned. {document['rationale']}".strip()
    return " ".join((planned, *(enough or [SMALLEST])))


def _is_as_written(path: Path, digest: str) -> bool:
    return path.is_file() and file_sha256(path) == digest


def compare(
    frozen: Frozen,
    study: str,
    dataset: Dataset,
    results: Results,
    left_out: Sequence[str],
    sections: Sequence[Section],
) -> Compared:
    """Return what a preregistration says of an analysis.

    Parameters
    ----------
    frozen
        The preregistration.
    study
        The analysed study, by its name in the catalogue.
    dataset, results
        What was analysed, and what came out.
    left_out
        Participants who were left out by hand.
    sections
        The study's sections that the report shows.

    Raises
    ------
    UserError
        If it is another study's.
    """
    if frozen.study != study:
        raise UserError(f"--preregistration: is of {frozen.study}, not of {study}")
    rules = list(_rules(frozen, dataset, results))
    planned = YES if not rules else OTHER_RULES
    promised = [(section, _promise(frozen, section)) for section in sections]
    return Compared(
        registered_utc=frozen.registered_utc,
        protocol_hash=frozen.protocol_hash,
        participants=frozen.participants,
        size=frozen.reason,
        same_rules=not rules,
        hypotheses=tuple(
            decide(hypothesis, results[ESTIMATES]) for hypothesis in frozen.hypotheses
        ),
        results=tuple(
            PlannedResult(section.title, _decided_in(frozen, section), planned if promise else NO)
            for section, promise in promised
        ),
        deviations=(
            *rules,
            *_others(frozen, dataset, results, left_out),
            *_missing(frozen, sections),
        ),
    )


def _decided_in(frozen: Frozen, section: Section) -> tuple[str, ...]:
    """Return the hypotheses that a section's estimates decide."""
    return tuple(
        hypothesis.name
        for hypothesis in frozen.hypotheses
        if any(test.question == section.anchor for test in hypothesis.tests)
    )


def _promise(frozen: Frozen, section: Section) -> PlannedSection | None:
    return next((planned for planned in frozen.sections if planned.is_of(section)), None)


def _rules(frozen: Frozen, dataset: Dataset, results: Results) -> Iterator[Deviation]:
    """Yield the rules of the data that differ from the registered ones."""
    hashes = results["data"]["protocol_hashes"]
    if not dataset.protocol_known:
        yield Deviation(
            "rules", frozen.protocol_hash, "the data don't say under which they were recorded"
        )
        return
    differing = list(_fields(frozen.protocol, dataset.protocol))
    yield from differing
    others = [value for value in hashes if value != frozen.protocol_hash]
    if len(hashes) > 1 or (others and differing):
        yield Deviation("protocol hash", frozen.protocol_hash, ", ".join(hashes))


def _fields(registered: Protocol, here: Protocol) -> Iterator[Deviation]:
    """Yield the fields that differ, but for those that the build sets and names."""
    built = UNRULED | {
        name
        for deviation in here.deviations
        if deviation.whose == "build"
        for name in (deviation.field, *(deviation.rests_on or ()), *fields_named(deviation.here))
    }
    before, now = flat(registered.resolved()), flat(here.resolved())
    for field in dict.fromkeys((*before, *now)):
        if before.get(field) != now.get(field) and field not in built:
            yield Deviation(
                field,
                _describe_value(before.get(field, NOTHING)),
                _describe_value(now.get(field, NOTHING)),
            )


def _describe_value(value: Any) -> str:
    """Return a value in words; a list of tables would fill the page."""
    tables = isinstance(value, list) and any(isinstance(part, Mapping) for part in value)
    return count(len(value), "entry", "entries") if tables else str(value)


def _others(
    frozen: Frozen, dataset: Dataset, results: Results, left_out: Sequence[str]
) -> Iterator[Deviation]:
    """Yield what differs apart from the rules."""
    data = results["data"]
    if frozen.pack_id and data["pack_ids"] != [frozen.pack_id]:
        yield Deviation("pack", frozen.pack_id, ", ".join(data["pack_ids"]) or NOTHING)
    if data["participants"] != frozen.participants:
        yield Deviation("participants", str(frozen.participants), str(data["participants"]))
    if data["purpose"] != PURPOSE:
        yield Deviation("purpose of the sessions", PURPOSE, data["purpose"] or "not recorded")
    if dataset.means != MEANS:
        yield Deviation("intervals of means", MEANS, dataset.means)
    if left_out:
        yield Deviation("participants left out by hand", "none", str(len(left_out)))
    early = begun_before(frozen.registered_utc, dataset)
    if early:
        yield Deviation("sessions begun before it was registered", "none", str(early))
    if suite_version() != frozen.suite:
        yield Deviation("version of Plainsight", frozen.suite, suite_version())
    for name in frozen.changed:
        yield Deviation(name, "as it was written", "changed or missing since")


def _missing(frozen: Frozen, sections: Sequence[Section]) -> Iterator[Deviation]:
    for planned in frozen.sections:
        if not any(planned.is_of(section) for section in sections):
            yield Deviation(f"analysis: {planned.title}", "planned", "not in the report")


def begun_before(registered_utc: str, dataset: Dataset) -> int:
    """Return how many sessions of people began before a time, as far as their ids show it.

    Simulated sessions have a date of their own, which says nothing.
    """
    trials = dataset.trials
    if "session" not in trials:
        return 0
    of_people = trials[trials["robot"].isna()] if "robot" in trials else trials
    stamp = re.sub(r"[-:]", "", registered_utc)
    begun = (SESSION_STAMP.match(str(name)) for name in of_people["session"].unique())
    return sum(start is not None and start[1] < stamp for start in begun)


_RESULTS: Final = (
    Column("Section of the report", "section"),
    Column("Preregistered", "preregistered"),
    Column("Decides", lambda row: listed(row.hypotheses) if row.hypotheses else None),
)
_DEVIATIONS: Final = (
    Column("What", "what"),
    Column("Registered", "registered"),
    Column("Here", "here"),
)


def with_preregistration(report: Report, compared: Compared) -> Report:
    """Return a report that says for each result whether it was preregistered.

    Parameters
    ----------
    report
        The report of an analysis.
    compared
        What `compare` returned.
    """
    planned = {row.section: row for row in compared.results}
    results = [
        replace(section, parts=(_line(planned[section.title]), *section.parts))
        for section in report.sections
        if section.title in planned
    ]
    others = [
        with_size(section, compared.size)
        for section in report.sections
        if section.title not in planned
    ]
    return replace(
        report,
        headline=(*report.headline, *headline(compared)),
        sections=(*results, _section(compared), *others),
    )


def headline(compared: Compared) -> tuple[str, ...]:
    """Return what became of each hypothesis, and in one sentence how far the plan was kept."""
    return (*sentences(compared.hypotheses), sentence(compared))


def sentence(compared: Compared) -> str:
    """Return what a preregistration says of an analysis in one sentence."""
    number = len(compared.deviations)
    rules = "under the registered rules" if compared.same_rules else "under other rules"
    deviations = count(number, "deviation") if number else "no deviation"
    return (
        f"Preregistered on {compared.registered_utc[:10]}; the data were recorded {rules}; "
        f"{deviations}."
    )


def _line(row: PlannedResult) -> Paragraph:
    if row.preregistered == NO:
        return Paragraph("Not preregistered: exploratory.", "quiet")
    planned = "Preregistered" if row.preregistered == YES else "Planned, but under other rules"
    if not row.hypotheses:
        return Paragraph(f"{planned}, without a hypothesis: exploratory.", "quiet")
    return Paragraph(
        f"{planned}. Confirmatory here: what decides {listed(row.hypotheses)}. All else is "
        "exploratory.",
        "quiet",
    )


def _section(compared: Compared) -> Section:
    intro = Paragraph(
        f"{sentence(compared)} Registered protocol: SHA-256 {compared.protocol_hash}."
    )
    parts: list[Part] = [
        intro,
        *([outcome_table(compared.hypotheses)] if compared.hypotheses else []),
        table("What was planned.", _RESULTS, compared.results),
    ]
    if compared.deviations:
        parts.append(
            table(
                "Deviations from the preregistration.",
                _DEVIATIONS,
                compared.deviations,
                "Each of them needs a word in the paper.",
            )
        )
    return Section(TITLE, tuple(parts))
