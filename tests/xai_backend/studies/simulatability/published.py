"""The published study's own sheets, where this machine has them; tests that need them skip else."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from stimuli.studies.simulatability.material import Item
from stimuli.studies.simulatability.stimulus import AnyExplanation
from tests.xai_backend.given import real_data
from xai_backend.studies.simulatability.sheets.imported import Imported, read_sheets

FOLDER = "simulatability_sheets"


def published_folder() -> Path:
    """Return the sheets' folder: in PLAINSIGHT_TEST_DATA, else in `shared/data` beside a parent."""
    return real_data(FOLDER) / FOLDER


def published() -> Imported:
    """Return the import; read once."""
    return _imported(published_folder())


def published_explanations() -> Iterator[tuple[Item, str, AnyExplanation]]:
    """Yield all 576 explanations: item, method, explanation; `item.original.kind` tells domains."""
    for domain in published().material.domains:
        for item in domain.items:
            for method, explanation in item.explanations.items():
                yield item, method, explanation


@cache
def _imported(folder: Path) -> Imported:
    return read_sheets(folder)
