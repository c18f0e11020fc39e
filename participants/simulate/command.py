"""The ``simulate`` verb: one sub-command a study."""

import json
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from participants import command_line
from stimuli.catalogue import studies_of
from stimuli.errors import UserError
from stimuli.io.canonical import hash_of
from stimuli.options import MadeOf, NotWith, grouped

if TYPE_CHECKING:
    from participants.study import Robots
    from stimuli.pack import Pack

NO_SIMULATION = "the study has no simulated sessions"


@dataclass(frozen=True, slots=True)
class PackOrSketch:
    """What robots are shown: a solution pack, or a sketch by a protocol, the study's by default."""

    pack: Annotated[
        Path | None,
        typer.Option(help="Solution pack. Default: a quick sketch without a network."),
        NotWith("--protocol", "a pack brings its own"),
    ] = None
    protocol: Annotated[
        Path | None,
        typer.Option(help="Protocol file for the sketch. Default: the study's."),
    ] = None

    def opened(self, study: str, robots: "Robots") -> "Pack":
        """Return the pack, or the sketch.

        Raises
        ------
        UserError
            If there are no simulated sessions or no sketch, or the pack is another study's.
        """
        from stimuli.pack import open_pack
        from stimuli.protocol import load_protocol

        if robots.simulated is None:
            raise UserError(f"simulate {study}: {NO_SIMULATION}")
        if self.pack is None:
            if robots.sketch is None:
                raise UserError(
                    f"simulate {study}: name a pack with --pack; the study has no sketch"
                )
            return robots.sketch(load_protocol(study, self.protocol))
        opened = open_pack(self.pack, "solutions")
        pack_study = opened.protocol.catalogue_name
        if pack_study != study:
            raise UserError(f"pack {opened.pack_id}: is of {pack_study}, not of {study}")
        return opened


def commands(names: Collection[str]) -> dict[str, Callable[..., None]]:
    """Return each study's command, by the study's name.

    Only the studies asked for are imported, since their options name their robots. The other
    commands are only listed.

    Raises
    ------
    UserError
        If a study asked for can't be simulated.
    """
    studies = studies_of("participants")
    made = {name: _command(name) if name in names else lambda: None for name in studies}
    for study, command in made.items():
        command.__doc__ = f"""Simulate {study}: robots answer, and no window opens.

    Example: python3 lab.py simulate {study} --participants 12 --out robots
    """
    return made


def _command(study: str) -> Callable[..., None]:
    """Return the command that simulates one study."""
    kind = studies_of("participants")[study].sessions.get("solutions")
    if kind is None:
        raise UserError(f"simulate {study}: {NO_SIMULATION}")
    names = kind.robot_names

    def kinds(
        participants: Annotated[int | None, typer.Option(min=1, help="Number of robots.")] = None,
        robot: Annotated[
            str, typer.Option(help=f"Kind of robot: {', '.join(names)}.", show_default=True)
        ] = names[0],
        mix: Annotated[
            str | None,
            typer.Option(
                help=f"Several kinds with their numbers, such as {names[0]}:10,{names[-1]}:2. "
                "They come in random order, drawn by the seed."
            ),
        ] = None,
    ) -> list[str]:
        return kinds_of(participants, robot, mix, names)

    def simulate(
        out: Annotated[
            Path, typer.Option(help="Data folder to write. An interrupted simulation continues.")
        ],
        robots: Annotated[list[str], MadeOf(kinds)],
        source: PackOrSketch,
        seed: Annotated[int, typer.Option(help="The same seed gives the same dataset.")] = 1,
        *,
        as_json: command_line.Json = False,
    ) -> None:
        def pack() -> "Pack":
            return source.opened(study, kind.load_robots())

        _run(pack, out, shuffled(robots, seed), seed, as_json=as_json)

    return grouped(simulate)


def _run(
    open_pack: Callable[[], "Pack"], out: Path, kinds: list[str], seed: int, *, as_json: bool
) -> None:
    from rich.progress import Progress

    from participants.folder import DataFolder
    from participants.simulate.run import alone, simulate
    from stimuli.rich_terminal import Console

    console = Console(stderr=True)
    # If the output isn't a terminal, it would leave an empty line, even before an error message.
    shown_while_it_runs = Progress(console=console, transient=True, disable=not console.is_terminal)
    with alone(DataFolder(out)), shown_while_it_runs as progress:
        task = progress.add_task("pack", total=None)
        pack = open_pack()
        progress.update(task, description="sessions", total=len(kinds))
        done = simulate(
            DataFolder(out), pack, kinds, seed, on_session=lambda name: progress.advance(task)
        )
    trials = len(done.tables.trials)
    answer = {
        "out": str(out),
        "pack_id": pack.pack_id,
        "rung": done.rung,
        "sessions": len(kinds),
        "robots": dict(Counter(kinds)),
        "trials": trials,
    }
    if as_json:
        print(json.dumps(answer))
    else:
        where = "" if done.rung is None else f"at rung {done.rung} "
        print(f"{len(kinds)} sessions, {trials} trials {where}of pack {pack.pack_id} in {out}")


def kinds_of(
    participants: int | None, robot: str, mix: str | None, choices: Collection[str]
) -> list[str]:
    """Return the kind of each robot, in order, from the verb's options.

    Raises
    ------
    UserError
        If neither a number nor a mix is given, a mix can't be read, the two disagree, or a kind
        is not known.
    """
    if mix is None:
        if participants is None:
            raise UserError("simulate: say how many: --participants N, or --mix KIND:N,...")
        kinds = [robot] * participants
    else:
        kinds = [kind for part in mix.split(",") for kind in _counted(part, mix)]
    for kind in kinds:
        if kind not in choices:
            raise UserError(f"robot {kind!r}: unknown; take one of {', '.join(choices)}")
    if participants is not None and len(kinds) != participants:
        raise UserError(f"--mix {mix} has {len(kinds)} robots, --participants says {participants}")
    return kinds


def shuffled(kinds: Sequence[str], seed: int) -> list[str]:
    """Return the kinds of robots in random order, drawn by the seed.

    Otherwise robots of one kind would follow one another, and mostly get the same arm.
    """
    drawn = sorted(range(len(kinds)), key=lambda nth: hash_of(["order of robots", seed, nth]))
    return [kinds[nth] for nth in drawn]


def _counted(part: str, mix: str) -> list[str]:
    kind, _, count = part.strip().partition(":")
    if not count.isdecimal() or int(count) < 1:
        raise UserError(f"--mix {mix}: {part!r} is not of the form KIND:N")
    return [kind] * int(count)
