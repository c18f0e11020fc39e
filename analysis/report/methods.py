"""The sentences of a methods paragraph that every study shares."""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from platform import python_version
from typing import Any

import pandas as pd

from analysis.data.origin import suite_version
from analysis.data.tables import Dataset
from analysis.report.parts import Paragraph, Section, table
from analysis.report.wording import listed
from participants.dataset.write import schema_of

LIBRARIES = ("formulae", "statsmodels", "scipy", "numpy", "pandas", "matplotlib")


def software_versions() -> dict[str, str]:
    """Return the versions of the suite, of Python and of the libraries that results rest on."""
    return {
        "plainsight": suite_version(),
        "python": python_version(),
        **{name: version(name) for name in LIBRARIES},
    }


def describe(dataset: Dataset, frame: pd.DataFrame, purpose: str, words: str) -> dict[str, Any]:
    """Return what was analysed and under which rules, as it stands in results.json.

    Parameters
    ----------
    dataset
        Where it comes from.
    frame
        The analysed trials.
    purpose, words
        Which sessions were taken, and how they were chosen.
    """
    known = schema_of(dataset.study, "trials").names
    return {
        "source": dataset.source,
        "purpose": purpose,
        "purpose_words": words,
        "participants": int(frame["participant"].nunique()),
        "items": int(frame["item"].nunique()),
        "trials": len(frame),
        "pack_ids": values(frame, "pack_id"),
        "protocol_hashes": values(frame, "protocol_hash"),
        "protocol": dataset.protocol.name,
        "protocol_source": dataset.protocol_source,
        "protocol_known": dataset.protocol_known,
        "extra_columns": sorted(set(map(str, dataset.trials)) - set(known)),
    }


def values(frame: pd.DataFrame, column: str) -> list[str]:
    """Return a column's distinct values in order; none where there is no such column."""
    return sorted(frame[column].dropna().unique().tolist()) if column in frame else []


def methods_section(results: Mapping[str, Any], paragraphs: Sequence[Sequence[str]]) -> Section:
    """Return the methods: paragraphs of sentences to take over, then what they rest on in full."""
    data = results["data"]
    packs = listed(data["pack_ids"]) if data["pack_ids"] else "not recorded"
    hashes = listed(data["protocol_hashes"]) if data["protocol_hashes"] else "not recorded"
    return Section(
        "Methods",
        (
            Paragraph("Ready to take over; brackets hold 95 % intervals throughout.", "quiet"),
            *(Paragraph(" ".join(sentences), "paste") for sentences in paragraphs),
            Paragraph(materials_sentence(results), "paste"),
            Paragraph(f"Packs: {packs}. Protocol hashes (SHA-256): {hashes}.", "quiet"),
        ),
    )


def materials_sentence(results: Mapping[str, Any]) -> str:
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


def deviations_section(results: Mapping[str, Any]) -> Section:
    """Return where the protocol differs from the paper, as it states itself."""
    title = "Deviations from the published design"
    rows = results["protocol"]["deviations"]
    if not rows or not results["data"]["protocol_known"]:
        return Section(title, ())
    cells = [(row["field"], row["published"], row["here"], row["reason"]) for row in rows]
    columns = [
        ("Field", "", False),
        ("Published", "", False),
        ("Here", "", False),
        ("Why", "", False),
    ]
    caption = "Where this protocol differs from the paper, as the protocol states it."
    return Section(title, (table(caption, columns, cells),))


def software_section(results: Mapping[str, Any], remark: str) -> Section:
    """Return the versions behind the results, and a study's remark on seeds and intervals."""
    versions = ", ".join(f"{name} {value}" for name, value in results["versions"].items())
    return Section("Software", (Paragraph(f"{versions}. {remark}", "quiet"),))
