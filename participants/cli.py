"""The participants room's verbs."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from participants import options
from participants.simulate.command import commands
from stimuli.console import add_study_verb, new_app, run_app

if TYPE_CHECKING:
    from participants.dataset.map_sets import Gathered
    from participants.registry import Person, Registry

NOTHING: Final = "–"

app = new_app("People and their records.")
participants = typer.Typer(
    help="Enrol and list participants by codes, and write tables and map sets.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help"]},
)
app.add_typer(participants, name="participants")


@participants.command()
def enrol(
    role: Annotated[str, typer.Option(help="lead, expert or participant.")],
    axis: Annotated[
        str | None, typer.Option(help="A lead's confusion axis: deutan or protan.")
    ] = None,
    rung: Annotated[
        int | None, typer.Option(help="A lead's contrast: a rung of the ladder, 1 is the lowest.")
    ] = None,
    purpose: Annotated[str, typer.Option(help="main, pilot, test or robot.")] = "main",
    pack: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="The pack that the person will see: refuse a role, an axis or a rung that it "
            "has no list for.",
        ),
    ] = None,
    lab: options.Lab = None,
    as_json: options.Json = False,
) -> None:
    """Enrol a person under a new random code, and print the code.

    No names are kept. A lead who sees plates needs an axis and a rung that a pack has a list for:
    --pack, or one that the lab folder knows.

    Example: python3 lab.py participants enrol --role lead --axis deutan --rung 3 --pack packs/first
    """
    from participants.enrolment import LEAD, check_known_packs, check_pack
    from participants.folder import LabFolder
    from participants.registry.people import check_person

    registry = _registry(lab)
    check_person(role, axis, rung, purpose)
    if pack is not None:
        check_pack(pack, role, axis, rung)
    elif role == LEAD and (said := check_known_packs(LabFolder.open(lab), axis, rung)):
        print(f"Note: {said}", file=sys.stderr)
    code = registry.enrol(role, axis=axis, rung=rung, purpose=purpose)
    print(json.dumps({"code": code}) if as_json else code)


@participants.command("list")
def list_people(lab: options.Lab = None, as_json: options.Json = False) -> None:
    """List everybody: role, axis, rung, sessions and consent; never the assigned order.

    Example: python3 lab.py participants list --json
    """
    people = _registry(lab).list()
    if as_json:
        print(json.dumps([asdict(person) for person in people]))
    else:
        _show(people)


@participants.command()
def tables(
    study: Annotated[str, typer.Argument(help="The study, as its tables name it.")],
    with_unfinished: Annotated[
        bool,
        typer.Option(
            "--with-unfinished",
            help="Keep unfinished sessions whose people haven't agreed to the use of their data "
            "after the debrief. The study's next session leaves them out again.",
        ),
    ] = False,
    data: options.Data = None,
    lab: options.Lab = None,
) -> None:
    """Write the tables of a data folder again, from its journals.

    Example: python3 lab.py participants tables STUDY --with-unfinished
    """
    from participants.dataset.derive import write_tables
    from participants.folder import DataFolder, LabFolder

    folder = DataFolder(data.absolute()) if data is not None else LabFolder.open(lab).data
    written = write_tables(folder, study, with_unfinished=with_unfinished)
    for session, reason in written.left_out.items():
        print(f"Left out: session {session}: {reason}", file=sys.stderr)
    print(
        f"{len(written.trials)} trials; unfinished sessions: {len(written.unfinished)} in, "
        f"{len(written.waiting)} left out; withdrawn: {len(written.withdrawn)}"
    )


@participants.command()
def mapset(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the map set.")],
    data: options.Data = None,
    pack: Annotated[
        str | None,
        typer.Option(metavar="ID", help="The task pack, if experts painted several."),
    ] = None,
    purpose: Annotated[
        str | None,
        typer.Option(
            metavar="P", help="Sessions of this purpose: main (default), pilot, test or robot."
        ),
    ] = None,
    keep_failed: Annotated[
        bool,
        typer.Option(
            "--keep-failed", help="Keep experts who gave too few correct answers to controls."
        ),
    ] = False,
    lab: options.Lab = None,
    as_json: options.Json = False,
) -> None:
    """Write what experts painted, or marked by bubbles, as a map set, for build --human-maps.

    It takes complete sessions only. Example: python3 lab.py participants mapset --out maps/experts
    """
    from participants.dataset.map_sets import gather, write_gathered
    from participants.folder import DataFolder, LabFolder

    folder = DataFolder(data.absolute()) if data is not None else LabFolder.open(lab).data
    gathered = gather(folder, purpose=purpose, pack_id=pack, keep_failed=keep_failed)
    write_gathered(out, gathered)
    _show_gathered(gathered, out, as_json=as_json)


def _show_gathered(gathered: "Gathered", out: Path, *, as_json: bool) -> None:
    for session, reason in gathered.left_out.items():
        print(f"Left out: session {session}: {reason}", file=sys.stderr)
    if as_json:
        experts = [expert.participant for expert in gathered.experts]
        known = {"out": str(out), "experts": experts, "maps": len(gathered.map_set.maps)}
        print(json.dumps({**known, "purpose": gathered.purpose, "left_out": gathered.left_out}))
        return
    for expert in gathered.experts:
        print(f"{expert.participant}: {expert.told}")
    print(f"{len(gathered.map_set.maps)} maps of purpose {gathered.purpose} in {out}")


def _registry(lab: Path | None) -> "Registry":
    """Open the lab's registry, and let it learn first what it missed of sessions."""
    from participants.folder import LabFolder
    from participants.registry import Registry, outbox

    folder = LabFolder.open(lab)
    registry = Registry.open(folder.registry_url)
    for session, reason in outbox.catch_up(folder.data, registry).items():
        line = f"The registry missed something of session {session}: {reason}"
        print(line, file=sys.stderr)
    return registry


def _show(people: "tuple[Person, ...]") -> None:
    from rich.console import Console
    from rich.table import Table

    if not people:
        print("Nobody is enrolled yet: lab.py participants enrol --help")
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    columns = _columns(people)
    for heading, cells in columns.items():
        numbers = all(cell.isdecimal() or cell == NOTHING for cell in cells)
        table.add_column(heading, justify="right" if numbers else "left", no_wrap=True)
    for row in zip(*columns.values(), strict=True):
        table.add_row(*row)
    Console().print(table)


def _columns(people: "tuple[Person, ...]") -> dict[str, list[str]]:
    """Return the cells of everybody by heading; what nobody has takes no room on the line."""
    consents = {None: "not asked", True: "given", False: "declined"}
    columns = {
        "code": [person.code for person in people],
        "role": [person.role for person in people],
        "axis": [person.axis or NOTHING for person in people],
        "rung": [NOTHING if person.rung is None else str(person.rung) for person in people],
        "sessions": [str(person.sessions) for person in people],
        "complete": [str(person.complete) for person in people],
        "disqualified": [str(person.disqualified or NOTHING) for person in people],
        "consent": ["withdrawn" if one.withdrawn else consents[one.consent] for one in people],
        "purpose": [person.purpose for person in people],
    }
    return {heading: cells for heading, cells in columns.items() if set(cells) != {NOTHING}}


def main(arguments: list[str]) -> int:
    """Run a verb of this room and return the exit status."""
    return run_app(app, arguments, lambda: _add_simulate(arguments))


def _add_simulate(arguments: list[str]) -> None:
    """Add the verb that has a command for each study, if it is the one that was typed."""
    if arguments[:1] == ["simulate"]:
        asked = arguments[1:2]
        add_study_verb(app, "simulate", "Simulate a whole dataset with robots.", commands(asked))
