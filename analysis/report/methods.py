"""The sentences of a methods paragraph that every study shares."""

from collections.abc import Sequence

from analysis.report.arms import ARMS
from analysis.report.declared import ReportTable
from analysis.report.frame import Frame
from analysis.report.parts import Column, Paragraph, Section
from analysis.report.wording import listed


def methods_section(frame: Frame, paragraphs: Sequence[Sequence[str]]) -> Section:
    """Return the methods: paragraphs of sentences to take over, then what they rest on in full."""
    data = frame.data
    packs = listed(data.pack_ids) if data.pack_ids else "not recorded"
    hashes = listed(data.protocol_hashes) if data.protocol_hashes else "not recorded"
    return Section(
        "Methods",
        (
            Paragraph("You can copy this text. Brackets hold 95 % intervals.", "quiet"),
            *(Paragraph(" ".join(sentences), "paste") for sentences in paragraphs),
            Paragraph(materials_sentence(frame), "paste"),
            *ARMS.parts(frame),
            Paragraph(f"Packs: {packs}. Protocol hashes (SHA-256): {hashes}.", "quiet"),
        ),
    )


def materials_sentence(frame: Frame) -> str:
    """Return packs, rules and software as one sentence."""
    data = frame.data
    packs = f"pack {listed(data.pack_ids)}, " if data.pack_ids else ""
    hashes = [f"{value[:12]}…" for value in data.protocol_hashes]
    known = f" (SHA-256 {listed(hashes)})" if hashes else ""
    rules = (
        f"protocol “{data.protocol}”{known}"
        if data.protocol_known
        else "no protocol came with the data, and the analysis follows the published defaults"
    )
    software = ", ".join(f"{_spelled(name)} {value}" for name, value in frame.versions.items())
    return f"Materials and rules: {packs}{rules}. Software: {software}."


def _spelled(name: str) -> str:
    return {"plainsight": "Plainsight", "python": "Python"}.get(name, name)


def deviations_section(frame: Frame) -> Section:
    """Return where the protocol differs from the paper, as the protocol states it."""
    return Section("Deviations from the published design", _DEVIATIONS.parts(frame))


_DEVIATIONS = ReportTable(
    "",
    lambda frame: frame.data.protocol_known and frame.protocol["deviations"],
    "Where this protocol differs from the paper, as the protocol states it.",
    (
        Column("Field", "field"),
        Column("Published", "published"),
        Column("Here", "here"),
        Column("Why", "reason"),
    ),
)


def software_section(frame: Frame, remark: str) -> Section:
    """Return the versions behind the results, and a study's remark on seeds and intervals."""
    versions = ", ".join(f"{name} {value}" for name, value in frame.versions.items())
    return Section("Software", (Paragraph(f"{versions}. {remark}", "quiet"),))
