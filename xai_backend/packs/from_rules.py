"""``build`` of a study that trains nothing: its packs follow from the protocol alone."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from stimuli.catalogue import studies_of
from stimuli.errors import UserError
from stimuli.protocol import load_protocol
from xai_backend import options
from xai_backend.packs.run import run_build
from xai_backend.packs.sealed import about, checked_out, sealed
from xai_backend.progress import Reporter
from xai_backend.study import Study


@dataclass(frozen=True, slots=True)
class RulesRequest:
    """What is built: a study's name, its protocol (None: the study's), seed and folder."""

    study: str
    protocol_file: Path | None = None
    seed: int | None = None
    out: Path | None = None


@dataclass(frozen=True, slots=True)
class Built:
    """What a build left: the pack's folder, identity and kind."""

    pack: Path
    pack_id: str
    kind: str


def build_from_rules(request: RulesRequest, reporter: Reporter) -> Built:
    """Build the pack of solutions that a study's protocol describes.

    Raises
    ------
    UserError
        If the protocol or the folder is unsuited, or the study declares no files.
    """
    begun = datetime.now(UTC)
    changes = {} if request.seed is None else {"seed": request.seed}
    protocol = load_protocol(request.study, request.protocol_file, changes)
    files = studies_of("stimuli")[request.study].files
    if files is None:
        raise UserError(
            f"build {request.study}: the study has no builder; declare `files` in its stimuli.py, "
            "or write xai_backend.py"
        )
    out = checked_out(request.out, protocol, "solutions")
    pack = sealed(out, protocol, "solutions", files(protocol), about(begun, "cpu"), reporter)
    return Built(out, pack.pack_id, "solutions")


def study_from_rules(name: str) -> Study:
    """Return what a study that trains nothing declares to this room."""

    def build(
        protocol: options.ProtocolFile = None,
        seed: options.Seed = None,
        out: options.Out = None,
        as_json: options.Json = False,
    ) -> None:
        request = RulesRequest(name, protocol, seed, out)
        run_build(build_from_rules, request, lambda built: (), as_json=as_json)

    build.__doc__ = f"""Build the pack of {name}. It follows from the protocol alone.

    Example: python3 lab.py build {name} --out packs/{name}
    """
    return Study(build)
