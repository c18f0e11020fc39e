"""An analysis against its preregistration: what was planned, and where the two differ."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from analysis.data.tables import Dataset
from analysis.preregister.frozen import Frozen, PlannedSection
from analysis.report.frame import Compared, Deviation, PlannedResult
from analysis.report.parts import Section
from analysis.report.wording import count
from stimuli.errors import UserError
from stimuli.protocol import Protocol
from stimuli.versions import suite_version

Results = Mapping[str, Any]

YES, OTHER_RULES, NO = "yes", "planned, under other rules", "no: exploratory"
PURPOSE: Final = "main"
MEANS: Final = "two_way"
SESSION_STAMP: Final = re.compile(r"(\d{8}T\d{6}Z)-")
"""With the time of its begin a session's id begins."""
NOTHING: Final = "–"


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
        same_rules=not rules,
        results=tuple(
            PlannedResult(section.title, promise.role, planned)
            if promise
            else PlannedResult(section.title, "", NO)
            for section, promise in promised
        ),
        deviations=(
            *rules,
            *_others(frozen, dataset, results, left_out),
            *_missing(frozen, sections),
        ),
    )


def _promise(frozen: Frozen, section: Section) -> PlannedSection | None:
    return next((one for one in frozen.sections if one.is_of(section)), None)


def _rules(frozen: Frozen, dataset: Dataset, results: Results) -> Iterator[Deviation]:
    """Yield where the rules of the data differ from the registered ones."""
    hashes = results["data"]["protocol_hashes"]
    if not dataset.protocol_known:
        yield Deviation(
            "rules", frozen.protocol_hash, "the data don't say under which they were recorded"
        )
        return
    differing = list(_fields(frozen.protocol, dataset.protocol))
    yield from differing
    others = [value for value in hashes if value != frozen.protocol_hash]
    # A protocol of an older minor version has another hash and the same values.
    if len(hashes) > 1 or (others and differing):
        yield Deviation("protocol hash", frozen.protocol_hash, ", ".join(hashes))


def _fields(registered: Protocol, here: Protocol) -> Iterator[Deviation]:
    before, now = _flat(registered.resolved()), _flat(here.resolved())
    for field in dict.fromkeys((*before, *now)):
        if before.get(field) != now.get(field):
            yield Deviation(
                field,
                _describe_value(before.get(field, NOTHING)),
                _describe_value(now.get(field, NOTHING)),
            )


def _flat(value: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """Return the values of a protocol by their whole names, such as ``trial.limit_s``."""
    flat: dict[str, Any] = {}
    for key, inner in value.items():
        name = f"{above}{key}"
        flat |= _flat(inner, f"{name}.") if isinstance(inner, Mapping) else {name: inner}
    return flat


def _describe_value(value: Any) -> str:
    """Return a value in words; a list of tables would fill the page."""
    tables = isinstance(value, list) and any(isinstance(one, Mapping) for one in value)
    return count(len(value), "entry", "entries") if tables else str(value)


def _others(
    frozen: Frozen, dataset: Dataset, results: Results, left_out: Sequence[str]
) -> Iterator[Deviation]:
    """Yield what differs beside the rules."""
    data = results["data"]
    if data["participants"] != frozen.participants:
        yield Deviation("participants", str(frozen.participants), str(data["participants"]))
    if data["purpose"] != PURPOSE:
        yield Deviation("purpose of the sessions", PURPOSE, data["purpose"] or "not recorded")
    if dataset.means != MEANS:
        yield Deviation("intervals of means", MEANS, dataset.means)
    if left_out:
        yield Deviation("participants left out by hand", "none", str(len(left_out)))
    early = _begun_before(frozen.registered_utc, dataset)
    if early:
        yield Deviation("sessions begun before it was registered", "none", str(early))
    if suite_version() != frozen.suite:
        yield Deviation("version of Plainsight", frozen.suite, suite_version())
    for name in frozen.changed:
        yield Deviation(name, "as it was written", "changed or missing since")


def _missing(frozen: Frozen, sections: Sequence[Section]) -> Iterator[Deviation]:
    for one in frozen.sections:
        if not any(one.is_of(section) for section in sections):
            yield Deviation(f"analysis: {one.title}", "planned", "not in the report")


def _begun_before(registered_utc: str, dataset: Dataset) -> int:
    """Return how many sessions began before a time, as far as their ids tell."""
    if "session" not in dataset.trials:
        return 0
    stamp = re.sub(r"[-:]", "", registered_utc)
    begun = (SESSION_STAMP.match(str(name)) for name in dataset.trials["session"].unique())
    return sum(found is not None and found[1] < stamp for found in begun)
