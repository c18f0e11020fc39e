"""The ``simulate`` verb."""

import json
from collections import Counter
from collections.abc import Callable, Collection
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Final

import typer

from stimuli.errors import UserError

if TYPE_CHECKING:
    from participants.folder import DataFolder
    from stimuli.pack import Pack
    from stimuli.protocol.base import Protocol

OnSession = Callable[[str], None]

STUDIES = ("accept_reject", "progressive_reveal")


def simulate(
    study: Annotated[str, typer.Argument(help="accept_reject or progressive_reveal.")],
    out: Annotated[Path, typer.Option(help="Data folder to write; an interrupted run goes on.")],
    participants: Annotated[
        int | None, typer.Option(min=1, help="How many robots take part.")
    ] = None,
    robot: Annotated[
        str | None,
        typer.Option(
            help="accept_reject: lead (the usual), careful, unaffected, credulous, dichromat, "
            "contour_reader, lazy or random; for labels of images exact_labels (the usual), "
            "lenient, noisy, lazy or random. progressive_reveal: viewer (the usual), guesser, "
            "slow_typist or idle.",
            show_default=False,
        ),
    ] = None,
    mix: Annotated[
        str | None, typer.Option(help="Several kinds instead, e.g. lead:10,dichromat:2.")
    ] = None,
    pack: Annotated[
        Path | None, typer.Option(help="Solution pack; a sketch without a network if left out.")
    ] = None,
    protocol: Annotated[
        Path | None, typer.Option(help="Protocol file for the sketch; the study's own if left out.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Same seed, same dataset.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON.")] = False,
) -> None:
    """Let robots take part without a window: a full dataset in a folder.

    Example: lab.py simulate accept_reject --participants 12 --out robots
    """
    if study not in STUDIES:
        raise UserError(f"no study {study!r} to simulate; there is: {', '.join(STUDIES)}")
    named = kinds_of(participants, robot, mix, known_robots(study))
    from rich.console import Console
    from rich.progress import Progress

    from participants.folder import DataFolder
    from participants.robots import usual_robot

    console = Console(stderr=True)
    # Off a terminal it would leave an empty line, also before a mistake's one line.
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("pack", total=None)
        shown = _pack(study, pack, protocol)
        kinds = [kind or usual_robot(shown.protocol) for kind in named]
        progress.update(task, description="sessions", total=len(kinds))
        run = _simulated[study]
        trials, rung = run(DataFolder(out), shown, kinds, seed, lambda kind: progress.advance(task))
    answer = {
        "out": str(out),
        "pack_id": shown.pack_id,
        "rung": rung,
        "sessions": len(kinds),
        "robots": dict(Counter(kinds)),
        "trials": trials,
    }
    if as_json:
        print(json.dumps(answer))
    else:
        where = "" if rung is None else f"at rung {rung} "
        print(f"{len(kinds)} sessions, {trials} trials {where}of pack {shown.pack_id} in {out}")


def known_robots(study: str) -> tuple[str, ...]:
    """Return the kinds of robots that can take part in a study."""
    from participants.robots import LEADS, VIEWERS

    return tuple(VIEWERS if study == "progressive_reveal" else LEADS)


def kinds_of(
    participants: int | None, robot: str | None, mix: str | None, known: Collection[str]
) -> list[str | None]:
    """Return the kind of each robot, in order, from the verb's options; None for the usual one.

    Raises
    ------
    UserError
        If neither a number nor a mix is given, a mix can't be read, the two disagree, or a kind
        is not known.
    """
    if mix is None:
        if participants is None:
            raise UserError("simulate: say how many: --participants N, or --mix KIND:N,...")
        kinds: list[str | None] = [robot] * participants
    else:
        kinds = [kind for part in mix.split(",") for kind in _counted(part, mix)]
    for kind in kinds:
        if kind is not None and kind not in known:
            raise UserError(f"robot {kind!r}: there is none; there is: {', '.join(known)}")
    if participants is not None and len(kinds) != participants:
        raise UserError(f"--mix {mix} has {len(kinds)} robots, --participants says {participants}")
    return kinds


def _counted(part: str, mix: str) -> list[str]:
    kind, _, count = part.strip().partition(":")
    if not count.isdecimal() or int(count) < 1:
        raise UserError(f"--mix {mix}: {part!r} is not of the form KIND:N")
    return [kind] * int(count)


def _leads(
    data: "DataFolder", pack: "Pack", kinds: list[str], seed: int, on_session: OnSession
) -> tuple[int, int | None]:
    from participants.simulate import accept_reject

    done = accept_reject.simulate(data, pack, kinds, seed, on_session=on_session)
    return len(done.tables.trials), done.rung


def _viewers(
    data: "DataFolder", pack: "Pack", kinds: list[str], seed: int, on_session: OnSession
) -> tuple[int, int | None]:
    from participants.simulate import progressive_reveal

    tables = progressive_reveal.simulate(data, pack, kinds, seed, on_session=on_session)
    return len(tables.trials), None


_simulated: Final = MappingProxyType({"accept_reject": _leads, "progressive_reveal": _viewers})


def _pack(study: str, pack: Path | None, protocol: Path | None) -> "Pack":
    from stimuli.pack import open_pack
    from stimuli.protocol import load_protocol, read_protocol

    if pack is None:
        rules = load_protocol(study) if protocol is None else read_protocol(protocol)
        if rules.study != study:
            raise UserError(f"{protocol}: is a protocol of {rules.catalogue_name}, not of {study}")
        return _sketch(rules)
    if protocol is not None:
        raise UserError("--pack and --protocol: a pack brings its own protocol; give one")
    opened = open_pack(pack, "solutions")
    if opened.manifest.study != study:
        raise UserError(f"pack {opened.pack_id}: is of {opened.manifest.study}, not of {study}")
    return opened


def _sketch(protocol: "Protocol") -> "Pack":
    from participants.simulate.accept_reject import sketch_for_robots
    from stimuli.studies.accept_reject.protocol import AcceptReject
    from stimuli.studies.accept_reject_accuracy.sketch import sketch as sketch_of_labels
    from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal
    from stimuli.studies.progressive_reveal.sketch import sketch as sketch_of_rounds

    if isinstance(protocol, AcceptReject):
        return sketch_for_robots(protocol)
    if isinstance(protocol, ProgressiveReveal):
        return sketch_of_rounds(protocol)
    return sketch_of_labels(protocol)
