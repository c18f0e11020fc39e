"""What may be asked of simulatability's builder, and what goes together."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from stimuli.errors import UserError
from stimuli.options import Needs, NotWith, Repeated
from stimuli.workers import check_reachable
from xai_backend import options
from xai_backend.options import paths_by_name
from xai_backend.own_code import names_own_python

if TYPE_CHECKING:
    from stimuli.studies.simulatability.protocol import Simulatability

NAME: Final = "simulatability"
asked_rationales: Final = paths_by_name("--rationales", "NAME=CSV, the method's name and its file")
asked_explanations: Final = paths_by_name(
    "--explanations", "NAME=FILE, the method's name and its file"
)
OUTPUTS: Final = {"text": "--text-outputs", "tabular": "--table-outputs"}
DATA: Final = {"text": "--text", "tabular": "--table"}
MODELS: Final = {"text": "--text-model", "tabular": "--table-model"}
RECORDED: Final = "the table has the inputs and their outputs"


def names_folder(model: str | None) -> bool:
    """Return whether a model is named as a folder that Transformers saved."""
    return (model or "").startswith("hf:")


@dataclass(frozen=True, slots=True)
class CaseRequest:
    """What is asked for; None where it is left open. The fields are the command's options."""

    protocol_file: options.ProtocolFile = None
    text: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR|CSV",
            help="Sentences of two classes: the folder of rt-polarity, or a CSV with the columns "
            "text,label. Default without --table: reviews that come with the suite.",
        ),
    ] = None
    table: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR|CSV",
            help="Rows of two classes: the folder of Adult, or a CSV with a column label. "
            "Default without --text: loans that come with the suite.",
        ),
    ] = None
    text_outputs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Sentences with the outputs of any system, instead of a model: a table "
            "with id,text,label,output and, for the counterfactual test, "
            "changed,changed_output.",
        ),
        NotWith("--text --text-model", RECORDED),
    ] = None
    table_outputs: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The same for rows: the columns take the text's place."),
        NotWith("--table --table-model", RECORDED),
    ] = None
    text_model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Your own model of the sentences of --text: hf:DIR, a folder that Transformers "
            "saved, or module:function, from a list of texts to probabilities.",
        ),
        Needs("--text", "the inputs of the model"),
    ] = None
    table_model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Your own model of the rows of --table: module:function, from a pandas table to "
            "probabilities.",
        ),
        Needs("--table", "the inputs of the model"),
    ] = None
    positive: Annotated[
        tuple[str, ...],
        typer.Option(
            metavar="CLASS",
            help="The positive class of two. Default: the last by alphabet. May be repeated, once "
            "for each kind of data.",
        ),
        Repeated(str),
    ] = ()
    edits: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|hf:DIR",
            help="Changes of the sentences of --text, in any language, or of the rows of --table: "
            "a table with id,changed; for sentences also a masked language model "
            "that Transformers saved.",
        ),
        Needs("--text", "a language model changes sentences", when=names_folder, of="hf:DIR"),
        Needs("--text --table", "outputs of another system have changed inputs of their own"),
    ] = None
    vectors: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Word vectors, a text file in GloVe's format. Default: learned from the training "
            "split.",
        ),
    ] = None
    from_sheets: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Import the published study's own sheets; trains nothing."
        ),
        NotWith(
            "--text --table --text-outputs --table-outputs --text-model --table-model --positive "
            "--edits --vectors --explanations --rationales --workers --scheduler",
            "the sheets contain items, outputs and explanations",
        ),
    ] = None
    explanations: Annotated[
        Mapping[str, Path],
        typer.Option(
            metavar="NAME=FILE",
            help="Explanations made elsewhere, for the method NAME: weights, rules, examples or "
            "texts, as a table (docs/simulatability_own.md). May be repeated.",
        ),
        Repeated(str, asked_explanations),
    ] = field(default_factory=dict)
    rationales: Annotated[
        Mapping[str, Path],
        typer.Option(
            metavar="NAME=CSV", help="The same for explanations in words: columns id,text."
        ),
        Repeated(str, asked_rationales),
    ] = field(default_factory=dict)
    names: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Names of classes, columns, values and methods: a CSV with the columns label,name "
            "and a column for each further language.",
        ),
    ] = None
    seed: options.Seed = None
    out: options.Out = None
    workers: options.WorkersAsked = None
    device: options.Device = "cpu"

    @property
    def sources(self) -> dict[str, Path]:
        """The given data by domain."""
        given = {
            "text": self.text or self.text_outputs, "tabular": self.table or self.table_outputs,
        }  # fmt: skip
        return {name: path for name, path in given.items() if path is not None}

    @property
    def outputs(self) -> dict[str, Path]:
        """Tables with outputs of any system, by domain."""
        given = {"text": self.text_outputs, "tabular": self.table_outputs}
        return {name: path for name, path in given.items() if path is not None}

    @property
    def models(self) -> dict[str, str]:
        """Names of a lab's own models, by domain."""
        given = {"text": self.text_model, "tabular": self.table_model}
        return {name: model for name, model in given.items() if model is not None}

    @property
    def brought(self) -> dict[str, Path]:
        """Files of a lab's own explanations, by method."""
        return {**self.rationales, **self.explanations}

    @property
    def kind(self) -> str:
        """``sheets``, ``own`` or ``embedded``: what the items come from."""
        if self.from_sheets is not None:
            return "sheets"
        return "own" if self.sources else "embedded"


def resolved(request: CaseRequest) -> "Simulatability":
    """Return the protocol of a pack.

    Unless a protocol file states them, the domains are those whose data are given, and the methods
    include those whose explanations are given; where outputs take a model's place, they are the
    only ones.

    Raises
    ------
    UserError
        If the protocol isn't valid.
    """
    from stimuli.protocol import load_protocol
    from stimuli.studies.simulatability.protocol import DOMAINS, NO_EXPLANATION, Simulatability

    changes: dict[str, Any] = {} if request.seed is None else {"seed": request.seed}
    stated = stated_in(request.protocol_file, "design")
    if "domains" not in stated and request.sources:
        changes["design"] = {"domains": [name for name in DOMAINS if name in request.sources]}
    if "methods" not in stated and request.explanations:
        usual = load_protocol(NAME, None, {})
        assert isinstance(usual, Simulatability)
        built_in = [] if request.outputs else usual.design.methods[:-1]
        methods = [*built_in, *request.explanations, NO_EXPLANATION]
        changes.setdefault("design", {})["methods"] = list(dict.fromkeys(methods))
    protocol = load_protocol(NAME, request.protocol_file, changes)
    assert isinstance(protocol, Simulatability)
    return protocol


def stated_in(protocol_file: Path | None, section: str) -> Mapping[str, Any]:
    """Return what a protocol file states in a section; empty without a file."""
    from stimuli.protocol import own_values

    return {} if protocol_file is None else own_values(protocol_file, NAME)[0].get(section, {})


def check_request(request: CaseRequest, protocol: "Simulatability") -> None:
    """Refuse what isn't there or doesn't go with the protocol, and workers out of reach.

    Raises
    ------
    UserError
        In one line.
    """
    from stimuli.studies.simulatability.protocol import DOMAINS, NO_EXPLANATION

    options = {name: (OUTPUTS if name in request.outputs else DATA)[name] for name in DOMAINS}
    given: dict[str, Path | None] = {options[name]: path for name, path in request.sources.items()}
    given |= {f"--explanations {name}": path for name, path in request.brought.items()}
    for option, path in {**given, "--vectors": request.vectors, "--names": request.names}.items():
        if path is not None and not path.exists():
            raise UserError(f"{option} {path}: there is no such file or folder")
    _check_models(request)
    edits = request.edits
    if edits is not None and not names_folder(edits) and not Path(edits).is_file():
        raise UserError(f"--edits {edits}: there is no such file")
    for name in DOMAINS:
        named, has_data = name in protocol.design.domains, name in request.sources
        if has_data and not named:
            raise UserError(f"{options[name]}: design.domains doesn't name {name}")
        if named and not has_data and request.kind == "own":
            raise UserError(
                f"design.domains names {name}: give its data with {options[name]}, or leave "
                f"{name} out of design.domains"
            )
    if request.vectors is not None and "text" not in protocol.design.domains:
        raise UserError("--vectors: design.domains doesn't name text")
    for method in request.brought:
        option = "--rationales" if method in request.rationales else "--explanations"
        if method in request.rationales and method in request.explanations:
            raise UserError(f"--explanations {method}: --rationales gives them already")
        if method == NO_EXPLANATION:
            raise UserError(f"{option} {method}: this arm has no explanations; choose another name")
        if method not in protocol.design.methods:
            raise UserError(
                f"{option} {method}: design.methods doesn't name {method}, so nobody would "
                "see it; add it to the protocol file"
            )
    if request.workers is not None:
        check_reachable(request.workers)
    _check_device(request)


def _check_models(request: CaseRequest) -> None:
    """Refuse a model of a kind that its domain doesn't have."""
    for name, model in request.models.items():
        option = MODELS[name]
        if names_folder(model) and name == "tabular":
            raise UserError(f"{option} {model}: hf:DIR reads sentences; use module:function")
        if not names_folder(model) and not names_own_python(model):
            known = "module:function" if name == "tabular" else "hf:DIR or module:function"
            raise UserError(f"{option} {model}: isn't {known}")


def _check_device(request: CaseRequest) -> None:
    """Refuse a device that no model uses or this machine lacks, and several processes on it."""
    if request.device == "cpu":
        return
    if not (names_folder(request.text_model) or names_folder(request.edits)):
        raise UserError(
            f"--device {request.device}: only models of Transformers use it (--text-model hf:DIR, "
            "--edits hf:DIR); leave --device out"
        )
    from xai_backend.models.classifier import checked_device  # with torch

    checked_device(request.device)
    if request.workers is not None and request.workers.local > 1:
        raise UserError(f"--workers: one process uses --device {request.device}; leave it out")
