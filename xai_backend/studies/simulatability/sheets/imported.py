"""The published study's sheets, imported: material, and what the import found."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from stimuli.errors import UserError
from stimuli.io.canonical import files_sha256
from stimuli.maps.origin import Origin
from stimuli.studies.simulatability.material import Material
from xai_backend.studies.simulatability.sheets.checks import (
    Contradiction,
    contradictions,
    likeness,
)
from xai_backend.studies.simulatability.sheets.domain import read_domain
from xai_backend.studies.simulatability.sheets.methods import METHODS
from xai_backend.studies.simulatability.sheets.published import ORIGIN, TABULAR, TEXT


@dataclass(frozen=True, slots=True)
class Imported:
    """What `read_sheets` returns.

    Attributes
    ----------
    material
        Both domains' items with all explanations.
    contradictions
        LIME explanations whose total says another class than the model; they are imported as
        they are.
    likeness
        In how many composites a part is equal to that of its own method, by method; how many
        composites there are, by ``composite``.
    """

    material: Material
    contradictions: tuple[Contradiction, ...]
    likeness: Mapping[str, int]

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the builder should know, one line each."""
        found = [item.explanations for domain in self.material.domains for item in domain.items]
        explained = sum(map(len, found))
        linear = sum("lime" in one for one in found)
        listed = ", ".join(f"{one.domain} {one.use} {one.source_id}" for one in self.contradictions)
        return (
            f"Imported {len(found)} items and {explained} explanations; all counts are right.",
            f"LIME's total contradicts the model in {len(self.contradictions)} of {linear} "
            f"explanations; the import doesn't change them: {listed or 'none'}.",
            f"Composite's prototype is the same as the Prototype method's in "
            f"{self.likeness['prototype']} of {self.likeness['composite']} explanations.",
        )


def read_sheets(folder: Path) -> Imported:
    """Import the published study's sheets (Hase & Bansal 2020).

    Parameters
    ----------
    folder
        The folder that holds ``text`` and ``tabular``, each with ``Master-Data-Files`` and
        ``Tests``.

    Returns
    -------
    Imported
        Both domains, with the methods of `METHODS`; the sheets' orders are kept.

    Raises
    ------
    UserError
        If a folder or file is missing or damaged, something in it can't be read, the sheets
        contradict each other, or the items aren't balanced as the published ones are.
    """
    if not folder.is_dir():
        raise UserError(f"{folder}: there is no such folder of sheets")
    domains = tuple(read_domain(folder, published) for published in (TEXT, TABULAR))
    alike: Counter[str] = Counter()
    for domain in domains:
        alike.update(likeness(domain.items))
    return Imported(
        material=Material(domains=domains, origins=_origins(folder)),
        contradictions=tuple(one for domain in domains for one in contradictions(domain)),
        likeness={name: alike[name] for name in ("composite", *METHODS) if name in alike},
    )


def _origins(folder: Path) -> dict[str, Origin]:
    """Return who made each method's explanations: the published study, by the sheets' files."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return dict.fromkeys(METHODS, replace(ORIGIN, sha256=files_sha256(files, folder)))
