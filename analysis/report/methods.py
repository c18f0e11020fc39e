"""The sentences of a methods paragraph that every study shares."""

from collections.abc import Sequence
from importlib.metadata import version
from platform import python_version

from analysis.report.arms import ARMS
from analysis.report.declared import ReportTable, Results
from analysis.report.parts import Column, Paragraph, Section
from analysis.report.wording import listed
from stimuli.version import suite_version

LIBRARIES = ("formulae", "statsmodels", "scipy", "numpy", "pandas", "matplotlib")


def software_versions() -> dict[str, str]:
    """Return the versions of the suite, of Python and of the libraries that results rest on."""
    return {
        "plainsight": suite_version(),
        "python": python_version(),
        **{name: version(name) for name in LIBRARIES},
    }


def methods_section(results: Results, paragraphs: Sequence[Sequence[str]]) -> Section:
    """Return the methods: paragraphs of sentences to take over, then what they rest on in full."""
    data = results["data"]
    packs = listed(data["pack_ids"]) if data["pack_ids"] else "not recorded"
    hashes = listed(data["protocol_hashes"]) if data["protocol_hashes"] else "not recorded"
    return Section(
        "Methods",
        (
            Paragraph("You can copy this text. Brackets hold 95 % intervals.", "quiet"),
            *(Paragraph(" ".join(sentences), "paste") for sentences in paragraphs),
            Paragraph(materials_sentence(results), "paste"),
            *ARMS.parts(results),
            Paragraph(f"Packs: {packs}. Protocol hashes (SHA-256): {hashes}.", "quiet"),
        ),
    )


def materials_sentence(results: Results) -> str:
    """Return packs, rules and software as one sentence."""
    data = results["data"]
    packs = f"pack {listed(data['pack_ids'])}, " if data["pack_ids"] else ""
    hashes = [f"{value[:12]}…" for value in data["protocol_hashes"]]
    known = f" (SHA-256 {listed(hashes)})" if hashes else ""
    rules = (
        f"protocol “{data['protocol']}”{known}"
        if data["protocol_known"]
        else "no protocol came with the data, and the analysis follows the published defaults"
    )
    software = ", ".join(f"{_spelled(name)} {value}" for name, value in results["versions"].items())
    return f"Materials and rules: {packs}{rules}. Software: {software}."


def _spelled(name: str) -> str:
    return {"plainsight": "Plainsight", "python": "Python"}.get(name, name)


def deviations_section(results: Results) -> Section:
    """Return where the protocol differs from the paper, as the protocol states it."""
    return Section("Deviations from the published design", _DEVIATIONS.parts(results))


_DEVIATIONS = ReportTable(
    "",
    lambda results: results["data"]["protocol_known"] and results["protocol"]["deviations"],
    "Where this protocol differs from the paper, as the protocol states it.",
    (
        Column("Field", "field"),
        Column("Published", "published"),
        Column("Here", "here"),
        Column("Why", "reason"),
    ),
)


def software_section(results: Results, remark: str) -> Section:
    """Return the versions behind the results, and a study's remark on seeds and intervals."""
    versions = ", ".join(f"{name} {value}" for name, value in results["versions"].items())
    return Section("Software", (Paragraph(f"{versions}. {remark}", "quiet"),))
