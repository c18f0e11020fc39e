"""Where texts lie: a study's own, those that all studies share, and a lab's in their place."""

from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from stimuli.catalogue import studies_of
from stimuli.languages import ENGLISH

COMMON: Final = "common"
"""The folder of texts that all studies share."""
RIG: Final = "rig"
"""The folder of texts for the experimenter; it belongs to no study."""


def studies() -> tuple[str, ...]:
    """Return the names of the studies that have texts, sorted."""
    return tuple(sorted(name for name in studies_of("participants") if _shipped(name).is_dir()))


def languages(study: str, lab_texts: Path | None = None) -> tuple[str, ...]:
    """Return the languages in which a study's texts exist, sorted; a lab's own included."""
    places = [_shipped(study), *([lab_texts / study] if lab_texts is not None else [])]
    entries = [entry for place in places if place.is_dir() for entry in place.iterdir()]
    return tuple(sorted({e.name for e in entries if e.is_dir() and e.name[0] not in "._"}))


def reference_of(study: str) -> str:
    """Return the language that defines a study's texts: English, or else the study's first."""
    there = languages(study)
    return ENGLISH if ENGLISH in there or not there else there[0]


def text_names(study: str) -> tuple[str, ...]:
    """Return the names of a study's texts, sorted; those that all studies share included."""
    files = file_names(study, reference_of(study))
    return tuple(file.removesuffix(".md") for file in files if file.endswith(".md"))


def file_names(study: str, language: str, lab_texts: Path | None = None) -> tuple[str, ...]:
    """Return the names of all files that hold texts of a study in a language, sorted."""
    return tuple(sorted(files_by_name(study, language, lab_texts)))


def files_by_name(
    study: str, language: str, lab_texts: Path | None = None
) -> dict[str, dict[str, Traversable]]:
    """Return all files with texts of a study in a language, by name, each as in `files_called`."""
    files: dict[str, dict[str, Traversable]] = {}
    for folder, place in _places(study, language, lab_texts):
        for path in place.iterdir() if place.is_dir() else ():
            files.setdefault(path.name, {}).setdefault(folder, path)
    return files


def files_called(
    file: str, study: str, language: str, lab_texts: Path | None = None
) -> dict[str, Traversable]:
    """Return the study's file of a name and the shared one, by folder, in reading order.

    A lab's own file replaces the whole shipped file in the folder of the same name. Even the file
    that a lab's studies share is read before any shipped file.
    """
    files: dict[str, Traversable] = {}
    for folder, place in _places(study, language, lab_texts):
        path = place.joinpath(file)
        if path.is_file():
            files.setdefault(folder, path)
    return files


def files_beside_languages(file: str, study: str) -> tuple[Traversable, ...]:
    """Return the shipped files of one name that apply to a study's texts in every language."""
    paths = [_shipped(folder).joinpath(file) for folder in (study, COMMON)]
    return tuple(path for path in paths if path.is_file())


def _places(study: str, language: str, lab_texts: Path | None) -> list[tuple[str, Traversable]]:
    """Return the folders that hold a study's texts, in order of precedence, with their names."""
    folders = (study, COMMON)
    labs = (
        [(folder, lab_texts / folder / language) for folder in folders]
        if lab_texts is not None
        else []
    )
    return [*labs, *((folder, _shipped(folder).joinpath(language)) for folder in folders)]


def _shipped(study: str) -> Traversable:
    """Return the folder of a study's texts, with a folder for each language."""
    studies = studies_of("participants")
    if study in studies:
        return studies[study].texts
    return resources.files("participants.texts").joinpath(study)
