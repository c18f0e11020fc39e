"""The ``simulate`` verb."""

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stimuli.errors import UserError

if TYPE_CHECKING:
    from stimuli.pack import Pack

STUDIES = ("accept_reject",)


def simulate(
    study: Annotated[str, typer.Argument(help="accept_reject.")],
    out: Annotated[Path, typer.Option(help="Data folder to write; an interrupted run goes on.")],
    participants: Annotated[
        int | None, typer.Option(min=1, help="How many robots take part.")
    ] = None,
    robot: Annotated[
        str | None,
        typer.Option(
            help="lead (the usual), careful, unaffected, credulous, dichromat, contour_reader, "
            "lazy or random; for labels of images exact_labels (the usual), lenient, noisy, lazy "
            "or random.",
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
    named = kinds_of(participants, robot, mix)
    from rich.console import Console
    from rich.progress import Progress

    from participants.folder import DataFolder
    from participants.robots import usual_robot
    from participants.simulate import accept_reject

    data = DataFolder(out)
    console = Console(stderr=True)
    # Off a terminal it would leave an empty line, also before a mistake's one line.
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("pack", total=None)
        shown = _pack(pack, protocol)
        kinds = [kind or usual_robot(shown.protocol) for kind in named]
        progress.update(task, description="sessions", total=len(kinds))
        done = accept_reject.simulate(
            data, shown, kinds, seed, on_session=lambda kind: progress.advance(task)
        )
    answer = {
        "out": str(out),
        "pack_id": shown.pack_id,
        "rung": done.rung,
        "sessions": len(kinds),
        "robots": dict(Counter(kinds)),
        "trials": len(done.tables.trials),
    }
    if as_json:
        print(json.dumps(answer))
    else:
        rung = "" if done.rung is None else f"at rung {done.rung} "
        print(
            f"{len(kinds)} sessions, {len(done.tables.trials)} trials {rung}"
            f"of pack {shown.pack_id} in {out}"
        )


def kinds_of(participants: int | None, robot: str | None, mix: str | None) -> list[str | None]:
    """Return the kind of each robot, in order, from the verb's options; None for the usual one.

    Raises
    ------
    UserError
        If neither a number nor a mix is given, a mix can't be read, or the two disagree.
    """
    from participants.robots import LEADS

    if mix is None:
        if participants is None:
            raise UserError("simulate: say how many: --participants N, or --mix KIND:N,...")
        kinds: list[str | None] = [robot] * participants
    else:
        kinds = [kind for part in mix.split(",") for kind in _counted(part, mix)]
    for kind in kinds:
        if kind is not None and kind not in LEADS:
            raise UserError(f"robot {kind!r}: there is none; there is: {', '.join(LEADS)}")
    if participants is not None and len(kinds) != participants:
        raise UserError(f"--mix {mix} has {len(kinds)} robots, --participants says {participants}")
    return kinds


def _counted(part: str, mix: str) -> list[str]:
    kind, _, count = part.strip().partition(":")
    if not count.isdecimal() or int(count) < 1:
        raise UserError(f"--mix {mix}: {part!r} is not of the form KIND:N")
    return [kind] * int(count)


def _pack(pack: Path | None, protocol: Path | None) -> "Pack":
    from participants.simulate.accept_reject import sketch_for_robots
    from stimuli.pack import open_pack
    from stimuli.protocol import load_protocol
    from stimuli.protocol.accept_reject import AcceptReject
    from stimuli.studies.accept_reject_accuracy.sketch import sketch

    if pack is not None:
        if protocol is not None:
            raise UserError("--pack and --protocol: a pack brings its own protocol; give one")
        return open_pack(pack, "solutions")
    loaded = load_protocol("accept_reject", protocol)
    return sketch_for_robots(loaded) if isinstance(loaded, AcceptReject) else sketch(loaded)
