"""Read the results of an analysis in an analyst's own script."""

import json
from pathlib import Path

from analysis.questions.question import Whole
from stimuli.catalogue import studies_of
from stimuli.errors import UserError
from stimuli.io.inside import refuse_odd
from stimuli.protocol import catalogue_name


def read_results(path: Path) -> Whole:
    """Return the results in a ``results.json``, each answer in its own type.

    Parameters
    ----------
    path
        The file, or the folder of the report.

    Raises
    ------
    UserError
        If it can't be read, or is of a newer version.

    Examples
    --------
    >>> found = read_results(Path("report"))  # doctest: +SKIP
    >>> found.of(ACCURACY).by_arm[0].mean  # doctest: +SKIP
    """
    path = path / "results.json" if path.is_dir() else path
    refuse_odd(path)
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        # Two assessments share a study's tables; the rules tell which of them it is.
        study = catalogue_name({"study": document["study"], **document.get("protocol", {})})
    except (OSError, ValueError, KeyError, TypeError):
        raise UserError(f"{path}: can't be read as results; name a report of analyse") from None
    inquiry = studies_of("analysis").require(study).inquiry()
    return inquiry.read_results(document, str(path))
