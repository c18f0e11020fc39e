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
GERMAN: Final[Mapping[str, str]] = {
    "negative": "negativ", "positive": "positiv", "denied": "abgelehnt", "granted": "bewilligt",
    "Age": "Alter (Jahre)", "Income": "Einkommen (Tausend im Monat)",
    "Savings": "Erspartes (Tausend)", "Loan": "Kredit (Tausend)", "Work": "Arbeit",
    "Home": "Wohnung", "Earlier loans": "Frühere Kredite", "Purpose": "Zweck",
    "permanent": "unbefristet", "temporary": "befristet", "own business": "selbstständig",
    "student": "im Studium", "retired": "im Ruhestand", "own": "Eigentum", "rent": "zur Miete",
    "family": "bei der Familie", "none": "keine", "repaid": "zurückgezahlt",
    "one late": "einer verspätet", "several late": "mehrere verspätet", "car": "Auto",
    "home": "Wohnung", "studies": "Studium", "travel": "Reise",
}  # fmt: skip
UNITS: Final[Mapping[str, str]] = {
    "Age": "years", "Income": "thousands a month", "Savings": "thousands", "Loan": "thousands",
}  # fmt: skip
EMBEDDED_NAMES: Final[Words] = {
    **{(term, "de"): word for term, word in GERMAN.items()},
    **{(column, ""): f"{column} ({unit})" for column, unit in UNITS.items()},
}
"""What people read of the data that come with the suite."""


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
