"""The participants room's verbs."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from participants import options
from participants.backing_up import backup, restore
from participants.day.command import status
from participants.export.command import export
from participants.merging.command import merge
from participants.new_person import NewPerson
from participants.new_study.command import new_study
from participants.opened import opened_lab
from participants.overview.command import counts, due, note, notes, reminders, show
from participants.overview.everybody import list_people
from participants.payments.command import payments
from participants.rebuild.command import rebuild
from participants.simulate.command import commands
from participants.watching.command import watch
from participants.withdrawal.command import withdraw
from stimuli.console import add_study_verb, new_app, run_app
from stimuli.options import grouped

if TYPE_CHECKING:
    from participants.dataset.map_sets import Gathered

MOST_AT_ONCE: Final = 1000

app = new_app("People and their records.")
participants = typer.Typer(
    help="People by their codes: enrol, list, tables, map sets, withdrawal.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help"]},
)
app.add_typer(participants, name="participants")
app.add_typer(export, name="export")
app.command("new-study")(new_study)
app.command()(watch)
app.command()(status)
app.command()(backup)
app.command()(restore)
participants.command("list")(list_people)
for verb in (show, counts, due, reminders, payments, note, notes, withdraw, merge, rebuild):
    participants.command()(verb)


@participants.command()
@grouped
def enrol(
    *,
    new: NewPerson,
    pack: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="The pack that the person will see. A role, an axis or a rung without a "
            "list in it is refused.",
        ),
    ] = None,
    count: Annotated[
        int, typer.Option(min=1, max=MOST_AT_ONCE, help="Number of people; each gets a code.")
    ] = 1,
    lab: options.Lab = None,
    as_json: options.Json = False,
) -> None:
    """Enrol a person under a new random code, and print the code; with --count several people.

    No names are stored. A lead who sees plates needs an axis and a rung for which a pack has a
    list: the pack of --pack, or one in the lab folder. For screening, enrol the person as a
    participant; screen finds the role, the axis and the rung.

    Example: python3 lab.py participants enrol --role lead --axis deutan --rung 3 --pack packs/first
    """
    from participants.enrolment import LEAD, check_known_packs, check_pack
    from participants.screening.records import enrol_by_hand

    with opened_lab(lab) as (folder, registry):
        new.check()
        if pack is not None:
            check_pack(pack, new)
        elif new.role == LEAD and (unchecked := check_known_packs(folder, new)):
            print(f"Note: {unchecked}", file=sys.stderr)
        codes = enrol_by_hand(registry, new, count)
    if as_json:
        print(json.dumps({"code": codes[0]} if count == 1 else {"codes": codes}))
    else:
        print("\n".join(codes))


@participants.command()
@grouped
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
    *,
    source: options.DataOptions,
) -> None:
    """Write the tables of a data folder again, from its journals.

    Example: python3 lab.py participants tables STUDY --with-unfinished
    """
    from participants.dataset.derive import write_tables
    from participants.registry_anchors import anchors_of

    folder = source.folder()
    anchors = anchors_of(folder, source.lab)
    written = write_tables(folder, study, with_unfinished=with_unfinished, known=anchors.known)
    if anchors.sentence:
        print(f"Note: {anchors.sentence}", file=sys.stderr)
    for session, reason in written.left_out.items():
        print(f"Left out: session {session}: {reason}", file=sys.stderr)
    print(
        f"{len(written.trials)} trials; unfinished sessions: {len(written.unfinished)} in, "
        f"{len(written.waiting)} left out; withdrawn: {len(written.withdrawn)}"
    )


@participants.command()
@grouped
def mapset(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the map set.")],
    *,
    source: options.DataOptions,
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
    as_json: options.Json = False,
) -> None:
    """Write what experts painted, or marked by bubbles, as a map set, for build --human-maps.

    It uses complete sessions only. Example: python3 lab.py participants mapset --out maps/experts
    """
    from participants.dataset.map_sets import gather, write_gathered

    gathered = gather(source.folder(), purpose=purpose, pack_id=pack, keep_failed=keep_failed)
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
        print(f"{expert.participant}: {expert.remark}")
    print(f"{len(gathered.map_set.maps)} maps of purpose {gathered.purpose} in {out}")


def main(arguments: list[str]) -> int:
    """Run a verb of this room and return the exit status."""
    return run_app(app, arguments, lambda: _add_simulate(arguments))


def _add_simulate(arguments: list[str]) -> None:
    """Add the verb that has a command for each study, if it is the one that was typed."""
    if arguments[:1] == ["simulate"]:
        asked = commands(arguments[1:])
        add_study_verb(app, "simulate", "Simulate a whole dataset with robots.", asked)
