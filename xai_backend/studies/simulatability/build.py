"""Builder of simulatability's packs: data, models, items, explanations, the sealed rest.

Trained models and explanations are kept in the lab's cache, so that a build that was interrupted,
by whatever means, goes on where it was.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from stimuli.images.names import read_names
from stimuli.io.canonical import canonical_json
from stimuli.maps.origin import NETWORK, Origin, settings_text
from stimuli.pack import Pack
from stimuli.places import cache_dir
from stimuli.studies.simulatability.compose import compose
from stimuli.studies.simulatability.inputs import TableInput
from stimuli.studies.simulatability.material import DomainMaterial, Material, Words
from stimuli.studies.simulatability.protocol import NO_EXPLANATION, Simulatability
from stimuli.studies.simulatability.shown_before import answers_shown_before
from stimuli.studies.simulatability.tables import EXPLANATIONS, ITEMS
from stimuli.workers import Workers
from xai_backend.packs.origins import imported
from xai_backend.packs.sealed import about, checked_out, sealed
from xai_backend.progress import Reporter
from xai_backend.studies.simulatability.embedded import write_loans, write_reviews
from xai_backend.studies.simulatability.explaining import COMPOSITE, check_methods
from xai_backend.studies.simulatability.gather import Gathered, gather
from xai_backend.studies.simulatability.methods.rationales import read_rationales
from xai_backend.studies.simulatability.request import CaseRequest, check_request, resolved
from xai_backend.studies.simulatability.sheets.imported import read_sheets
from xai_backend.studies.simulatability.trained import Trained

MADE_FILE: Final = "made.json"
"""What a pack was made of: data, models, the import's remarks; part of its content."""
DEVICE: Final = "cpu"

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


@dataclass(frozen=True, slots=True)
class Built:
    """What a build left.

    Attributes
    ----------
    pack, pack_id, kind
        The solution pack.
    items, explanations, arms, sheets
        Counts.
    accuracy
        Shares of the test split that are right, by domain: of the model, of the prototypes.
    remarks
        What the builder should know, one line each.
    """

    pack: Path
    pack_id: str
    kind: str
    items: int
    explanations: int
    arms: int
    sheets: int
    accuracy: Mapping[str, tuple[float, float]]
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Made:
    """Material, what it was made of (plain JSON values), and remarks."""

    material: Material
    of: Mapping[str, Any]
    remarks: tuple[str, ...] = ()


def build(request: CaseRequest, reporter: Reporter) -> Built:
    """Build a solution pack: a model's outputs on inputs, and explanations of them.

    Raises
    ------
    UserError
        On any mistake in the request; what can be told early is told before long work.
    """
    begun = datetime.now(UTC)
    protocol = resolved(request)
    check_request(request, protocol)
    suffix = "" if request.kind == "own" else f"-{request.kind}"
    out = checked_out(request.out, protocol, "solutions", suffix)
    names = {} if request.names is None else read_names(request.names)
    if request.from_sheets is None:
        made = _make_material(request, protocol, reporter)
    else:
        made = _imported(request.from_sheets, protocol)
    material = _named(made.material, names)
    files = {**compose(protocol, material), MADE_FILE: canonical_json(made.of) + b"\n"}
    whole = {**about(begun, DEVICE), "made": made.of}
    pack = sealed(out, protocol, "solutions", files, whole, reporter)
    return _built(out, pack, protocol, material, made.remarks)


def _imported(folder: Path, protocol: Simulatability) -> _Made:
    found = read_sheets(folder)
    remarks = (*found.remarks, *_remarks(found.material, protocol))
    return _Made(found.material, {"source": "sheets", "remarks": list(remarks)}, remarks)


def _remarks(material: Material, protocol: Simulatability) -> list[str]:
    """Return a line for each explanation that shows an output that people predict."""
    return [
        f"{one.teller.key(domain.name)}: a step of {one.method} is the changed input of "
        f"{one.item.key(domain.name)}, and so shows its output; the import doesn't change it."
        for domain in material.domains
        for one in answers_shown_before(
            domain.items, protocol.design.tests, protocol.design.methods
        )
        if one.method
    ]


def _make_material(request: CaseRequest, protocol: Simulatability, reporter: Reporter) -> _Made:
    brought = {name: read_rationales(path) for name, path in request.rationales.items()}
    check_methods(protocol.design.methods, brought)
    workers = request.workers or Workers(here=True)
    domains: list[DomainMaterial] = []
    of: dict[str, Any] = {"source": request.kind}
    for name in protocol.design.domains:
        trained = trained_domain(name, request, protocol, reporter)
        found = gather(trained, protocol, brought, workers, reporter)
        own = EMBEDDED_NAMES if request.kind == "embedded" else {}
        domains.append(_domain_named(found.material, own))
        of[name] = _described(found, {split: len(rows) for split, rows in trained.splits.items()})
    return _Made(Material(domains, origins=_origins(request, protocol)), of)


def _described(found: Gathered, splits: Mapping[str, int]) -> dict[str, Any]:
    return {"models": found.identity, "splits": dict(splits), "passed_over": found.passed_over}


def _origins(request: CaseRequest, protocol: Simulatability) -> dict[str, Origin]:
    return {
        method: imported(request.rationales[method])
        if method in request.rationales
        else Origin(NETWORK, method=method, settings=settings_text(_settings(protocol, method)))
        for method in protocol.design.methods
        if method != NO_EXPLANATION
    }


def _settings(protocol: Simulatability, method: str) -> dict[str, Any]:
    """Return the settings of one of the suite's methods: its own; of composite, of all parts."""
    explained = protocol.explained.model_dump()
    own = {
        name: value
        for name, value in explained.items()
        if method == COMPOSITE or method.endswith(name.partition("_")[0])
    }
    return {**own, "variant": protocol.models.variant}


def _named(material: Material, names: Words) -> Material:
    """Return material with a lab's words for classes, columns, values and methods."""
    domains = [_domain_named(domain, names) for domain in material.domains]
    methods = {key: word for key, word in names.items() if key[0] in material.origins}
    return replace(material, domains=domains, method_names={**material.method_names, **methods})


def _domain_named(domain: DomainMaterial, names: Words) -> DomainMaterial:
    return replace(
        domain,
        class_names={**domain.class_names, **_of_classes(domain, names)},
        terms={**domain.terms, **_of_terms(domain, names)},
    )


def _of_classes(domain: DomainMaterial, names: Words) -> dict[tuple[str, str], str]:
    return {key: word for key, word in names.items() if key[0] in domain.classes}


def _of_terms(domain: DomainMaterial, names: Words) -> dict[tuple[str, str], str]:
    rows = [item.original for item in domain.items if isinstance(item.original, TableInput)]
    known = {term for row in rows for term in (*row.columns, *row.values)}
    known |= {edit.new for item in domain.items for edit in item.edits or ()} if rows else set()
    return {key: word for key, word in names.items() if key[0] in known}


def _built(
    out: Path, pack: Pack, protocol: Simulatability, material: Material, remarks: tuple[str, ...]
) -> Built:
    return Built(
        pack=out,
        pack_id=pack.pack_id,
        kind="solutions",
        items=len(pack.table(ITEMS)),
        explanations=len(pack.table(EXPLANATIONS)),
        arms=len(protocol.arms),
        sheets=protocol.design.sheets,
        accuracy={
            domain.name: domain.accuracy
            for domain in material.domains
            if domain.accuracy is not None and domain.name in protocol.design.domains
        },
        remarks=remarks,
    )


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
