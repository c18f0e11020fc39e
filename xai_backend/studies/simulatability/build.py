"""Builder of simulatability's packs: data, models, items, explanations, the sealed rest.

Trained models and explanations are kept in the lab's cache, so that a build that was interrupted,
by whatever means, goes on where it was.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import ValidationError

from stimuli.errors import UserError
from stimuli.io.canonical import canonical_json
from stimuli.io.invalid import first_fault, reason_of
from stimuli.maps.origin import NETWORK, Origin, settings_text, together
from stimuli.names import read_names
from stimuli.pack import Pack
from stimuli.places import cache_dir
from stimuli.studies.simulatability.compose import compose
from stimuli.studies.simulatability.fitting import with_possible_counts
from stimuli.studies.simulatability.material import (
    DomainMaterial,
    Material,
    Words,
    answers_shown_before,
)
from stimuli.studies.simulatability.protocol import NO_EXPLANATION, OF_WEIGHTS, Simulatability
from stimuli.studies.simulatability.stimulus import TableInput
from stimuli.studies.simulatability.tables import EXPLANATIONS, ITEMS
from stimuli.workers import Workers
from xai_backend.packs.origins import imported
from xai_backend.packs.sealed import about, check_out, checked_out, sealed
from xai_backend.progress import Reporter
from xai_backend.studies.simulatability.differences import with_differences
from xai_backend.studies.simulatability.embedded import write_loans, write_reviews
from xai_backend.studies.simulatability.explaining import COMPOSITE, check_methods, left_out, told
from xai_backend.studies.simulatability.gather import Gathered, gather
from xai_backend.studies.simulatability.given import GivenEdits, read_outputs, with_edits
from xai_backend.studies.simulatability.methods.brought import read_explanations
from xai_backend.studies.simulatability.request import (
    CaseRequest,
    check_request,
    resolved,
    stated_in,
)
from xai_backend.studies.simulatability.sheets.imported import read_sheets
from xai_backend.studies.simulatability.trained import Trained

MADE_FILE: Final = "made.json"
"""File that says what a pack was made from: data, models, the import's remarks; part of its
content."""

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
"""Names that people read, for the data that come with the suite."""


@dataclass(frozen=True, slots=True)
class Built:
    """The result of a build.

    Attributes
    ----------
    pack, pack_id, kind
        The solution pack.
    items, explanations, arms, sheets
        Counts.
    accuracy
        Share of the test split that is classified correctly, by domain: by the model, and by the
        prototype network (None without one).
    remarks
        Remarks for the builder, one line each.
    """

    pack: Path
    pack_id: str
    kind: str
    items: int
    explanations: int
    arms: int
    sheets: int
    accuracy: Mapping[str, tuple[float, float | None]]
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Made:
    """Material, what it was made from (plain JSON values), the protocol it fits, and remarks."""

    material: Material
    of: Mapping[str, Any]
    protocol: Simulatability
    remarks: tuple[str, ...] = ()


def build(request: CaseRequest, reporter: Reporter) -> Built:
    """Build a solution pack: a model's outputs on inputs, and explanations of them.

    Raises
    ------
    UserError
        On any mistake in the request; whatever can be checked early is checked before long work.
    """
    begun = datetime.now(UTC)
    protocol = resolved(request)
    check_request(request, protocol)
    suffix = "" if request.kind == "own" else f"-{request.kind}"
    _check_out_early(request, protocol, suffix)
    names = {} if request.names is None else read_names(request.names)
    if request.from_sheets is None:
        made = _make_material(request, protocol, reporter)
    else:
        made = _imported(request.from_sheets, protocol)
    protocol = with_differences(made.protocol, request, made.of.get("left_out", {}))
    material = _named(made.material, names)
    out = checked_out(request.out, protocol, "solutions", suffix)
    files = {**compose(protocol, material), MADE_FILE: canonical_json(made.of) + b"\n"}
    whole = {**about(begun, request.device), "made": made.of}
    pack = sealed(out, protocol, "solutions", files, whole, reporter)
    return _built(out, pack, protocol, material, made.remarks)


def _check_out_early(request: CaseRequest, protocol: Simulatability, suffix: str) -> None:
    """Refuse a folder before long work; arms may still be left out later, and counts change."""
    if not request.models and not request.outputs:
        checked_out(request.out, with_differences(protocol, request, {}), "solutions", suffix)
    elif request.out is not None:
        check_out(request.out, None, "solutions")


def _imported(folder: Path, protocol: Simulatability) -> _Made:
    found = read_sheets(folder)
    remarks = (*found.remarks, *_remarks(found.material, protocol))
    of = {"source": "sheets", "remarks": list(remarks)}
    return _Made(found.material, of, protocol, remarks)


def _remarks(material: Material, protocol: Simulatability) -> list[str]:
    """Return a line for each explanation that shows an output that people are to predict."""
    return [
        f"{one.teller.key(domain.name)}: a step of {one.method} is the changed input of "
        f"{one.item.key(domain.name)}, and so shows its output; the import doesn't change it."
        for domain in material.domains
        for one in answers_shown_before(
            domain.items, protocol.design.orders, protocol.design.methods
        )
        if one.method
    ]


def _make_material(request: CaseRequest, protocol: Simulatability, reporter: Reporter) -> _Made:
    brought = {name: read_explanations(path) for name, path in request.brought.items()}
    check_methods(protocol.design.methods, brought)
    workers = request.workers or Workers(here=True)
    domains: list[DomainMaterial] = []
    of: dict[str, Any] = {"source": request.kind}
    every = [trained_domain(name, request, protocol, reporter) for name in protocol.design.domains]
    _check_positive(request.positive, every)
    ids: dict[str, set[str]] = {}
    for trained in every:
        ids[trained.domain] = {row.source_id for rows in trained.splits.values() for row in rows}
    for explanations in brought.values():
        explanations.check_ids(ids, reporter)
    if not stated_in(request.protocol_file, "items").keys() & {"learning", "per_test"}:
        protocol = _with_counts(protocol, every, reporter)
    reasons = left_out(protocol, every, brought)
    if reasons:
        protocol = without(protocol, reasons)
        of["left_out"] = reasons
    for trained in every:
        found = gather(trained, protocol, brought, workers, reporter)
        own = EMBEDDED_NAMES if request.kind == "embedded" else {}
        domains.append(_domain_named(found.material, own))
        of[trained.domain] = _described(found, trained)
    material = Material(domains, origins=_origins(request, protocol, every))
    return _Made(material, of, protocol, tuple(told(reasons)))


def _with_counts(
    protocol: Simulatability, domains: Sequence[Trained], reporter: Reporter
) -> Simulatability:
    """Return a protocol that states no numbers of items with some that fit the classes."""
    fitted = with_possible_counts(protocol, [domain.classes for domain in domains])
    if fitted.items == protocol.items:
        return protocol
    reporter.say(
        f"items.learning is {fitted.items.learning} and items.per_test {fitted.items.per_test}, "
        "so that each class occurs equally often"
    )
    return fitted


def _check_positive(positive: Sequence[str], domains: Sequence[Trained]) -> None:
    """Refuse a positive class that no data have, or whose data have more than two classes."""
    for name in positive:
        own = [domain for domain in domains if name in domain.classes]
        if not own:
            known = "; ".join(f"{domain.domain}: {', '.join(domain.classes)}" for domain in domains)
            raise UserError(f"--positive {name}: there is no such class ({known})")
        if all(len(one.classes) > 2 for one in own):
            raise UserError(
                f"--positive {name}: there are {len(own[0].classes)} classes; with more than two "
                "none is positive"
            )


def without(protocol: Simulatability, methods: Collection[str]) -> Simulatability:
    """Return a protocol without some methods.

    Raises
    ------
    UserError
        If the second test isn't possible without them.
    """
    document = protocol.model_dump(mode="json", by_alias=True)
    kept = [name for name in protocol.design.methods if name not in methods]
    document["design"]["methods"] = kept
    try:
        return type(protocol).model_validate(document)
    except ValidationError as fault:
        raise UserError(f"design.methods: {reason_of(first_fault(fault))}") from None


def _described(result: Gathered, trained: Trained) -> dict[str, Any]:
    splits = {split: len(rows) for split, rows in trained.splits.items()}
    own = {"source": dict(trained.source)} if trained.source else {}
    return {"models": result.identity, "splits": splits, "passed_over": result.passed_over, **own}


def _origins(
    request: CaseRequest, protocol: Simulatability, domains: Sequence[Trained]
) -> dict[str, Origin]:
    return {
        method: imported(request.brought[method])
        if method in request.brought
        else together(_origin(protocol, method, trained) for trained in domains)
        for method in protocol.design.methods
        if method != NO_EXPLANATION
    }


def _origin(protocol: Simulatability, method: str, trained: Trained) -> Origin:
    settings = settings_text(_settings(protocol, method))
    network, sha256 = trained.source.get("model", ""), trained.source.get("sha256", "")
    return Origin(NETWORK, network, method, settings, weights_sha256=sha256 if network else "")


def _settings(protocol: Simulatability, method: str) -> dict[str, Any]:
    """Return the settings of one of the suite's methods; for composite, of all its parts."""
    explained = protocol.explained.model_dump()
    own = {
        name: value
        for name, value in explained.items()
        if method == COMPOSITE or method.endswith(name.partition("_")[0])
    }
    if method in OF_WEIGHTS:
        return {"shown": protocol.explained.lime_features}
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
    """Return a domain's data and models; the models are trained unless they are cached.

    Raises
    ------
    UserError
        If the data can't be read or no model can be trained on them.
    """
    kept = cache_dir() / "simulatability"
    if name in request.outputs:
        domain: Literal["text", "tabular"] = "text" if name == "text" else "tabular"
        return read_outputs(request.outputs[name], domain, request.positive)
    source = request.sources.get(name) or EMBEDDED[name](kept / "embedded")
    edits = _edits_of(request)
    if name == "tabular":
        trained = _rows_trained(source, request, protocol, reporter, edits)
    else:
        trained = _texts_trained(source, request, protocol, reporter, edits)
    return trained if edits is None else with_edits(trained, edits, source)


def _edits_of(request: CaseRequest) -> GivenEdits | None:
    if request.edits is None:
        return None
    data = {"text": request.text, "tabular": request.table}
    domains = [name for name, path in data.items() if path is not None]
    return GivenEdits(request.edits, domains, request.device)


def _texts_trained(
    source: Path,
    request: CaseRequest,
    protocol: Simulatability,
    reporter: Reporter,
    edits: GivenEdits | None,
) -> Trained:
    positive = request.positive
    if request.text_model is not None:
        from xai_backend.studies.simulatability.own_domain import OwnModelOptions, asked_domain

        asked = OwnModelOptions(
            request.text_model, source, request.vectors, positive, edits, request.device
        )
        return asked_domain("text", asked, protocol, reporter)
    from xai_backend.studies.simulatability.train_text import TextData, trained_text

    tested = frozenset() if edits is None else edits.ids("text")
    data = TextData(source, request.vectors, positive, tested)
    return trained_text(data, protocol, cache_dir() / "simulatability", reporter)


def _rows_trained(
    source: Path,
    request: CaseRequest,
    protocol: Simulatability,
    reporter: Reporter,
    edits: GivenEdits | None,
) -> Trained:
    if request.table_model is not None:
        from xai_backend.studies.simulatability.own_domain import OwnModelOptions, asked_domain

        asked = OwnModelOptions(request.table_model, source, positive=request.positive, edits=edits)
        return asked_domain("tabular", asked, protocol, reporter)
    from xai_backend.studies.simulatability.train_table import TableTraining, trained_table

    tested = frozenset() if edits is None else edits.ids("tabular")
    training = TableTraining(positive=request.positive, tested=tested)
    folder = cache_dir() / "simulatability"
    how: dict[str, Any] = {"seed": protocol.seed, "folder": folder, "training": training}
    return trained_table(source, protocol, reporter, **how)
