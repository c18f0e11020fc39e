"""``build`` of a study that trains nothing: its packs follow only from the protocol."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stimuli.options import grouped
from xai_backend import options
from xai_backend.study import Study

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from xai_backend.progress import Reporter


@dataclass(frozen=True, slots=True)
class RulesRequest:
    """What is asked for; None where it is left open. The fields are the command's options."""

    protocol_file: options.ProtocolFile = None
    seed: options.Seed = None
    out: options.Out = None


@dataclass(frozen=True, slots=True)
class Built:
    """The result of a build: the pack's folder, identity and kind."""

    pack: Path
    pack_id: str
    kind: str


def build_from_rules(
    study: str,
    request: RulesRequest,
    reporter: "Reporter",
    make: "Callable[[Any], Mapping[str, bytes]] | None" = None,
    device: str = "cpu",
) -> Built:
    """Build the pack of solutions that a study's protocol describes.

    Parameters
    ----------
    study, request, reporter
        The study, what is asked for, and who is told.
    make
        Returns the pack's files from the protocol; None for what the study declares.
    device
        Where networks computed, for the record.

    Raises
    ------
    UserError
        If the protocol or the folder isn't suitable, or the study declares no files.
    """
    from datetime import UTC, datetime

    from stimuli.catalogue import studies_of
    from stimuli.errors import UserError
    from stimuli.protocol import load_protocol
    from xai_backend.packs.sealed import about, checked_out, sealed

    begun = datetime.now(UTC)
    changes = {} if request.seed is None else {"seed": request.seed}
    protocol = load_protocol(study, request.protocol_file, changes)
    files = studies_of("stimuli")[study].files
    if files is None:
        raise UserError(
            f"build {study}: the study has no builder; declare `files` in its stimuli.py, or "
            "write xai_backend.py"
        )
    out = checked_out(request.out, protocol, "solutions")
    contents = (make or files)(protocol)
    pack = sealed(out, protocol, "solutions", contents, about(begun, device), reporter)
    return Built(out, pack.pack_id, "solutions")


def study_from_rules(name: str) -> Study:
    """Return the declaration for `xai_backend` of a study that trains nothing."""

    def build(request: RulesRequest, as_json: options.Json = False) -> None:
        from functools import partial

        from xai_backend.packs.run import run_build

        run_build(partial(build_from_rules, name), request, lambda built: (), as_json=as_json)

    build.__doc__ = f"""Build the pack of {name}. It follows only from the protocol.

    Example: python3 lab.py build {name} --out packs/{name}
    """
    return Study(grouped(build))
