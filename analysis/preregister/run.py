"""A preregistration: from a protocol to its files, in JSON, Markdown and HTML."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

from analysis.power.results import SCHEMA, RegisteredPower, read_registered
from analysis.preregister.document import PlannedStudy, build_document
from analysis.preregister.frozen import MARKDOWN, PAGE, RECORD, record_of
from analysis.questions.registered import Registered
from analysis.report.parts import Bullets, Paragraph, Part, Report, Say, Table, reworded
from analysis.report.results import software_versions
from analysis.report.writer import render
from stimuli.catalogue import studies_of
from stimuli.errors import UserError
from stimuli.io.canonical import sha256_hex
from stimuli.io.files import whole_folder
from stimuli.io.inside import refuse_odd
from stimuli.pack import open_pack
from stimuli.protocol import load_any_protocol, protocol_hash

POWER: Final = "results.json"
SECONDS: Final = "%Y-%m-%dT%H:%M:%SZ"


@dataclass(frozen=True, slots=True)
class Preregistered:
    """A frozen preregistration: its page, and the protocol's hash."""

    page: Path
    protocol_hash: str


def preregister(
    rules: Path,
    out: Path,
    participants: int,
    power: Path | None = None,
    rationale: str = "",
    now: datetime | None = None,
) -> Preregistered:
    """Freeze a preregistration: HTML, Markdown and a record that analyses are compared with.

    Parameters
    ----------
    rules
        The protocol; the bare name of one that ships, such as ``NAME.toml``; or a sealed pack.
    out
        A folder that doesn't exist yet, or is empty.
    participants
        How many are to be analysed.
    power
        Folder (or ``results.json``) of an earlier run of ``power``.
    rationale
        Why so many participants; needed without a power simulation.
    now
        When; the machine's time by default.

    Raises
    ------
    UserError
        If a file is wrong, the study declares nothing to preregister, nothing says why there are
        so many participants, or the folder isn't new.
    """
    pack = open_pack(rules) if rules.is_dir() else None
    protocol = load_any_protocol(rules) if pack is None else pack.protocol
    name = protocol.catalogue_name
    inquiry = studies_of("analysis").require(name).inquiry()
    registered = inquiry.promises(protocol)
    if not registered.analyses:
        raise UserError(f"study {name}: declares nothing to preregister (its questions)")
    if power is None and not rationale.strip():
        raise UserError(
            f"say why {participants} participants: --power DIR (results of lab.py power {name}) "
            "or --rationale TEXT"
        )
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UserError(f"--out {out}: is not empty; a preregistration is never overwritten")
    planned = PlannedStudy(
        protocol=protocol,
        protocol_hash=protocol_hash(protocol),
        participants=participants,
        power=None if power is None else _power_results(power, name),
        rationale=rationale.strip(),
        registered_utc=(now or datetime.now(UTC)).strftime(SECONDS),
        versions=software_versions(),
        pack_id="" if pack is None else pack.pack_id,
    )
    _write(out, _files(registered, planned, partial(inquiry.wording, protocol)))
    return Preregistered(out / PAGE, planned.protocol_hash)


def _files(registered: Registered, planned: PlannedStudy, say: Say) -> dict[str, bytes]:
    """Return the three files by name; `say` rewords the document's sentences."""
    report = reworded(build_document(registered, planned), say)
    files = {
        PAGE: render(report, {}).encode("utf-8"),
        MARKDOWN: markdown_of(report).encode("utf-8"),
    }
    record = record_of(registered, planned, {name: sha256_hex(f) for name, f in files.items()})
    text = json.dumps(record, indent=1, ensure_ascii=False) + "\n"
    return {**files, RECORD: text.encode("utf-8")}


def _power_results(path: Path, study: str) -> RegisteredPower:
    """Return the results of a study's power simulation; UserError if the file holds none."""
    path = path / POWER if path.is_dir() else path
    refuse_odd(path)
    try:
        results = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise UserError(
            f"--power {path}: can't be read; name a folder that lab.py power {study} wrote"
        ) from None
    results = SCHEMA.upgrade(results, f"--power {path}")
    if results["study"] != study:
        raise UserError(f"--power {path}: is of {results['study']}, not of {study}")
    return read_registered(results)


def _write(out: Path, files: dict[str, bytes]) -> None:
    try:
        with whole_folder(out.absolute()) as aside:
            for name, content in files.items():
                (aside / name).write_bytes(content)
    except OSError as error:
        raise UserError(f"--out {out}: can't be written ({error.strerror})") from None


def markdown_of(report: Report) -> str:
    """Return a report without figures as Markdown, with tables as pipes."""
    blocks = [f"# {report.title}", report.subtitle, _bullets(report.headline)]
    for section in report.sections:
        blocks += [
            f"## {section.title}",
            *(block for part in section.parts for block in _part(part)),
        ]
    return "\n\n".join([*blocks, report.footer]) + "\n"


def _part(part: Part) -> Iterator[str]:
    if isinstance(part, Paragraph):
        yield f"```\n{part.text}\n```" if part.kind == "formula" else part.text
    elif isinstance(part, Bullets):
        yield _bullets(part.items)
    elif isinstance(part, Table):
        yield f"**{part.caption}**"
        yield _table(part)
        if part.note:
            yield part.note


def _bullets(items: tuple[str, ...]) -> str:
    return "\n".join(f"- {item}" for item in items)


def _table(part: Table) -> str:
    heads = [f"{column.heading} ({column.unit})" if column.unit else column.heading
             for column in part.columns]  # fmt: skip
    lines = [heads, ["---"] * len(heads), *part.rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
