"""A domain's data and models: read, trained once, and kept for the next build."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from stimuli.places import cache_dir
from stimuli.studies.simulatability.material import Words
from stimuli.studies.simulatability.protocol import Simulatability
from xai_backend.progress import Reporter
from xai_backend.studies.simulatability.embedded import write_loans, write_reviews
from xai_backend.studies.simulatability.request import CaseRequest
from xai_backend.studies.simulatability.trained import Trained

EMBEDDED: Final[Mapping[str, Callable[[Path], Path]]] = {
    "text": write_reviews,
    "tabular": write_loans,
}
EMBEDDED_NAMES: Final[Words] = {
    ("negative", "de"): "negativ",
    ("positive", "de"): "positiv",
    ("denied", "de"): "abgelehnt",
    ("granted", "de"): "bewilligt",
}


def trained_domain(
    name: str, request: CaseRequest, protocol: Simulatability, reporter: Reporter
) -> Trained:
    """Return a domain's data and models, trained here unless they were before.

    Raises
    ------
    UserError
        If the data can't be read or no model can be trained on them.
    """
    kept = cache_dir() / "simulatability"
    source = request.sources.get(name)
    if source is None:
        source = EMBEDDED[name](kept / "embedded")
    if name == "text":
        from xai_backend.studies.simulatability.train_text import trained_text

        return trained_text(source, protocol, request.vectors, reporter, folder=kept)
    from xai_backend.studies.simulatability.train_table import trained_table

    return trained_table(source, protocol, reporter, seed=protocol.seed, folder=kept)
