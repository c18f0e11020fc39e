"""What may be asked of simulatability's builder, and what goes together."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from stimuli.errors import UserError
from stimuli.protocol import load_protocol
from stimuli.studies.simulatability.protocol import DOMAINS, Simulatability
from stimuli.workers import Workers, check_reachable

NAME: Final = "simulatability"


@dataclass(frozen=True, slots=True)
class CaseRequest:
    """What is asked for; None where it is left open.

    Attributes
    ----------
    text, table
        Data of the two domains: a folder or a CSV. Without either: the embedded data.
    vectors
        Word vectors, as a text file of GloVe's.
    from_sheets
        Folder of the published study's sheets, in place of data and models.
    rationales
        CSVs of a lab's own explanations, by method.
    names
        CSV of what classes, columns and values are called.
    protocol_file, seed
        Protocol file, and a seed instead of the protocol's.
    out
        The pack's folder.
    workers
        Who computes explanations; None: this process, which is done before others have begun.
    """

    text: Path | None = None
    table: Path | None = None
    vectors: Path | None = None
    from_sheets: Path | None = None
    rationales: Mapping[str, Path] = field(default_factory=dict)
    names: Path | None = None
    protocol_file: Path | None = None
    seed: int | None = None
    out: Path | None = None
    workers: Workers | None = None

    @property
    def sources(self) -> dict[str, Path]:
        """The given data by domain."""
        given = {"text": self.text, "tabular": self.table}
        return {name: path for name, path in given.items() if path is not None}

    @property
    def kind(self) -> str:
        """``sheets``, ``own`` or ``embedded``: what the items come from."""
        if self.from_sheets is not None:
            return "sheets"
        return "own" if self.sources else "embedded"


def resolved(request: CaseRequest) -> Simulatability:
    """Return the protocol of a pack.

    Without a protocol file, the domains are those whose data are given.

    Raises
    ------
    UserError
        If the protocol isn't valid.
    """
    changes: dict[str, Any] = {} if request.seed is None else {"seed": request.seed}
    if request.protocol_file is None and request.sources:
        changes["design"] = {"domains": [name for name in DOMAINS if name in request.sources]}
    protocol = load_protocol(NAME, request.protocol_file, changes)
    assert isinstance(protocol, Simulatability)
    return protocol


def check_request(request: CaseRequest, protocol: Simulatability) -> None:
    """Refuse what doesn't go together, and workers that can't be reached.

    Raises
    ------
    UserError
        In one line.
    """
    if request.from_sheets is not None:
        _check_sheets(request)
    options = {"text": "--text", "tabular": "--table"}
    given = {options[name]: path for name, path in request.sources.items()}
    for option, path in {**given, "--vectors": request.vectors}.items():
        if path is not None and not path.exists():
            raise UserError(f"{option} {path}: there is no such file or folder")
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
    for method in request.rationales:
        if method not in protocol.design.methods:
            raise UserError(
                f"--rationales {method}: design.methods doesn't name {method}, so nobody would "
                "see it; add it to the protocol file"
            )
    if request.workers is not None:
        check_reachable(request.workers)


def asked_rationales(options: list[str]) -> dict[str, Path]:
    """Return CSVs by method, from texts NAME=CSV; UserError for anything else."""
    found: dict[str, Path] = {}
    for text in options:
        name, mark, path = text.partition("=")
        if not (name and mark and path):
            raise UserError(f"--rationales {text}: write NAME=CSV, the method's name and its file")
        if name in found:
            raise UserError(f"--rationales {text}: {name} is given already")
        found[name] = Path(path).expanduser()
    return found


def _check_sheets(request: CaseRequest) -> None:
    given = {
        "--text": request.text,
        "--table": request.table,
        "--vectors": request.vectors,
        "--rationales": request.rationales or None,
        "--workers and --scheduler": request.workers,
    }
    for option, value in given.items():
        if value is not None:
            raise UserError(
                f"--from-sheets: the sheets contain items, outputs and explanations; leave "
                f"{option} out"
            )
