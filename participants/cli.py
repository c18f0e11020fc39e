"""The verbs of the participants room. Those that need more than a function have own modules."""

import json
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from participants import command_line
from participants.appointments.command import appointments, book, cancel, move
from participants.backing_up import backup, restore
from participants.command_line import opened_lab
from participants.day.command import status
from participants.export.request import ExportRequest
from participants.new_person import NewPerson
from participants.overview.command import counts, due, list_people, note, notes, reminders, show
from participants.payments.command import payments
from participants.simulate.command import commands
from participants.watching.command import watch
from participants.withdrawal.command import withdraw
from stimuli.console import add_study_verb, new_app, run_app
from stimuli.options import grouped

if TYPE_CHECKING:
    from participants.dataset.map_sets import Gathered
    from participants.export.run import Exported
    from participants.merging import Merged


def merge(
    folders: Annotated[
        list[Path], typer.Argument(metavar="DIR…", help="Data folders, such as those of other PCs.")
    ],
    into: Annotated[Path, typer.Option(metavar="DIR", help="The folder to merge into.")],
    as_json: command_line.Json = False,
) -> None:
    """Merge data folders into one. Merging again changes nothing.

    If a session differs between two folders, merge stops. If one journal only continues the other,
    merge takes the longer one. People who withdrew are left out. The tables are written again.
    Sessions that can't be trusted, or are missing, are named; the exit status is then 3.

    Example: python3 lab.py participants merge pc1/data pc2/data --into all
    """
    from participants.dataset.custody import tell
    from participants.folder import DataFolder
    from participants.merging import merge as merge_folders

    done = merge_folders(
        [DataFolder(folder.absolute()) for folder in folders], DataFolder(into.absolute())
    )
    if as_json:
        plan = done.plan
        sessions = {
            name: sorted(getattr(plan, name)) for name in ("new", "longer", "same", "left_out")
        }
        answer = {"into": str(into), **sessions, "packs": sorted(plan.packs), "failed": done.failed}
        print(json.dumps({**answer, "suspect": done.suspect}))
    else:
        _show_merged(done, into)
    if status := tell(done.suspect):
        raise typer.Exit(status)


def _show_merged(result: "Merged", into: Path) -> None:
    plan = result.plan
    print(
        f"{into}: sessions copied {len(plan.new)}, there already {len(plan.same)}; packs copied "
        f"{len(plan.packs)}"
    )
    for session, paths in plan.longer.items():
        print(f"session {session} goes on further in {paths.folder}: that one is taken")
    for session in sorted(plan.left_out):
        print(f"left out: {session}: its person withdrew")
    for what, why in result.failed.items():
        print(f"Look at {what}: {why}", file=sys.stderr)
    for sentence in result.notes:
        print(f"Note: {sentence}", file=sys.stderr)


def rebuild(
    data: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="DIR", help="Another data folder, such as another PC's. May be repeated."
        ),
    ] = None,
    lab: command_line.Lab = None,
    as_json: command_line.Json = False,
) -> None:
    """Restore people, sessions, consents and places in the design from the journals.

    Use it if the registry is lost or lacks rows. Existing rows stay; a damaged file is renamed.
    Journals don't contain everything: the command says what is missing.

    Example: python3 lab.py participants rebuild --data pc2/data
    """
    from participants.folder import DataFolder, LabFolder
    from participants.rebuild import UNKNOWN, set_damaged_aside
    from participants.rebuild import rebuild as enter
    from participants.registry import Registry

    place = LabFolder.open(lab)
    folders = [place.data, *(DataFolder(folder.absolute()) for folder in data or ())]
    aside = set_damaged_aside(place.registry_url)
    with closing(Registry.of(place, new=True)) as registry:
        done = enter(registry, folders)
    if as_json:
        damaged = None if aside is None else str(aside)
        print(json.dumps({**asdict(done), "damaged": damaged, "unknown": UNKNOWN}))
        return
    if aside is not None:
        print(f"The registry was damaged; it is now in {aside}")
    print(f"Journals read: {done.sessions}; people who were unknown: {len(done.people)}")
    for session, reason in done.left_out.items():
        print(f"left out: session {session}: {reason}")
    for session in done.without_place:
        print(f"session {session}: its pack's copy is missing, so its list stays unknown")
    print(f"Journals don't say: {UNKNOWN}.")


export = typer.Typer(
    help="Hand data on in the form of a public standard, or as workbooks.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help"]},
)


@export.command()
@grouped
def bids(*, request: ExportRequest, as_json: command_line.Json = False) -> None:
    """Export a data folder as a BIDS dataset (Brain Imaging Data Structure, behavioural data).

    Notes, dates and names of sessions never go out; typed words only with --with-text. The lab's
    registry notes whose data were in it. Sessions that can't be trusted, or are missing, are left
    out; the exit status is then 3.

    Example: python3 lab.py export bids --out shared/bids
    """
    from participants.export.run import export_bids

    _export(export_bids, request, as_json=as_json)


@export.command("psych-ds")
@grouped
def psych_ds(*, request: ExportRequest, as_json: command_line.Json = False) -> None:
    """Export a data folder as a Psych-DS dataset: one CSV a table, all columns described.

    Notes, dates and names of sessions never go out; typed words only with --with-text. The lab's
    registry notes whose data were in it. The rules of the standard are checked at the end. Sessions
    that can't be trusted, or are missing, are left out; the exit status is then 3.

    Example: python3 lab.py export psych-ds --out shared/psych-ds
    """
    from participants.export.run import export_psych_ds

    _export(export_psych_ds, request, as_json=as_json)


@export.command()
@grouped
def excel(*, request: ExportRequest, as_json: command_line.Json = False) -> None:
    """Export a data folder as workbooks of Excel: one a study, one sheet a table.

    Excel opens them with umlauts and decimals intact in every country; CSV files it doesn't. Notes,
    dates and names of sessions never go out; typed words only with --with-text. The lab's registry
    notes whose data were in it.

    Example: python3 lab.py export excel --out shared/excel
    """
    from participants.export.run import export_excel

    _export(export_excel, request, as_json=as_json)


def _export(
    make: "Callable[[ExportRequest], Exported]", request: ExportRequest, *, as_json: bool
) -> None:
    done = make(request)
    from participants.dataset.custody import tell

    for line in done.remarks:
        print(line, file=sys.stderr)
    if as_json:
        print(json.dumps(_export_document(done)))
    else:
        print(f"{done.sessions} sessions of {done.participants} participants in {done.out}")
    if status := tell(done.suspect):
        raise typer.Exit(status)


def _export_document(result: "Exported") -> dict[str, Any]:
    return {
        "out": str(result.out),
        "participants": result.participants,
        "sessions": result.sessions,
        "left_out": dict(result.left_out),
        "noted": result.noted,
        "remarks": list(result.remarks),
        "suspect": list(result.suspect),
    }


NEXT_STEPS = """\
{study}: a study from a table; {lab} lists it.{note}
1. Build its pack and see it in a window:
   python3 lab.py build {name} --out packs/{name}
   python3 lab.py run packs/{name} --robot expected
2. Simulate people and read the report:
   python3 lab.py simulate {name} --participants 20 --out data/{name}
   python3 lab.py analyse {name} --data data/{name} --out reports/{name}
3. Change study.toml, the table and the texts: docs/study_from_a_table.md."""
CODE_STEPS = """\
{study}: has {files} now; everything else is as it was.
Change them as README.md says, and test the study:
   python3 lab.py test {study}"""
OTHER_LAB = " Commands without --lab know it if PLAINSIGHT_LAB is that folder."
Template = Literal["words", "pictures", "advice", "rating", "preference", "prediction"]


def new_study(
    name: Annotated[str, typer.Argument(help="Its name: small letters, digits and _.")],
    table: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Your table of items: CSV, Excel, Parquet or JSON. Pictures lie in the folder "
            "pictures beside it.",
        ),
    ] = None,
    template: Annotated[
        Template, typer.Option(help="The study to begin with, where you have no table yet.")
    ] = "words",
    code: Annotated[
        bool,
        typer.Option(
            "--code", help="Add Python modules to a study from a table; nothing else changes."
        ),
    ] = False,
    parent: Annotated[
        Path,
        typer.Option("--in", metavar="DIR", help="Where the study's folder is made."),
    ] = Path("studies"),
    lab: command_line.Lab = None,
) -> None:
    """Make a working study from a table of items, and add it to the lab folder's list of studies.

    Each line of the table is an item. study.toml says how items are shown and tested. The study
    has a pack, sessions in a window, robots, tables, a report, a preregistration and a power
    simulation. Every command finds it from now on.

    Example: python3 lab.py new-study moods --table items.csv

    Example: python3 lab.py new-study reviews --template advice

    Example: python3 lab.py new-study moods --code
    """
    from participants.folder import LabFolder
    from participants.lab_settings import declare_study
    from participants.new_study.files import add_code, check_name, template_files, write_study
    from stimuli.catalogue import LAB_FILE, declared_studies
    from stimuli.places import lab_root

    study = parent.expanduser().absolute() / name
    # `test` runs in the checkout, all else where it is typed.
    here = Path.cwd() == Path(sys.argv[0]).absolute().parent
    study_path = (
        study.relative_to(Path.cwd()) if here and study.is_relative_to(Path.cwd()) else study
    )
    if code:
        print(CODE_STEPS.format(study=study_path, files=", ".join(add_code(study))))
        return
    check_name(name)
    folder = LabFolder.open(lab)
    if table is not None:
        from participants.new_study.given_table import files_from_table

        files = files_from_table(name, table)
    else:
        files = template_files(name, template)
    write_study(study, files, known=study in declared_studies(folder.root))
    declare_study(folder.root / LAB_FILE, study)
    note = "" if folder.root == lab_root().expanduser().absolute() else OTHER_LAB
    listed = folder.root / LAB_FILE
    print(NEXT_STEPS.format(study=study_path, name=name, lab=listed, note=note))


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
people = (show, counts, due, reminders, payments, note, notes, withdraw, merge, rebuild)
for verb in (*people, book, move, cancel, appointments):
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
    lab: command_line.Lab = None,
    as_json: command_line.Json = False,
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
    source: command_line.DataOptions,
) -> None:
    """Write the tables of a data folder again, from its journals.

    Sessions that can't be trusted, or are missing, are left out; the exit status is then 3.

    Example: python3 lab.py participants tables STUDY --with-unfinished
    """
    from participants.dataset.custody import Roll, tell
    from participants.dataset.derive import write_tables

    folder = source.folder()
    roll = Roll.of(folder, source.lab)
    written = write_tables(folder, study, with_unfinished=with_unfinished, roll=roll)
    for sentence in roll.notes():
        print(f"Note: {sentence}", file=sys.stderr)
    print(
        f"{len(written.trials)} trials; unfinished sessions: {len(written.unfinished)} in, "
        f"{len(written.waiting)} left out; withdrawn: {len(written.withdrawn)}"
    )
    if status := tell([*written.left_out.values(), *roll.disputes()]):
        raise typer.Exit(status)


@participants.command()
@grouped
def mapset(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the map set.")],
    *,
    source: command_line.DataOptions,
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
    as_json: command_line.Json = False,
) -> None:
    """Write what experts painted, or marked by bubbles, as a map set, for build --human-maps.

    It uses complete sessions only. Sessions that can't be trusted, or are missing, are left out;
    the exit status is then 3. Example: python3 lab.py participants mapset --out maps/experts
    """
    from participants.dataset.custody import tell
    from participants.dataset.map_sets import gather, write_gathered

    gathered = gather(source.folder(), purpose=purpose, pack_id=pack, keep_failed=keep_failed)
    write_gathered(out, gathered)
    _show_gathered(gathered, out, as_json=as_json)
    if status := tell(gathered.suspect):
        raise typer.Exit(status)


def _show_gathered(gathered: "Gathered", out: Path, *, as_json: bool) -> None:
    for session, reason in gathered.left_out.items():
        print(f"Left out: session {session}: {reason}", file=sys.stderr)
    if as_json:
        experts = [expert.participant for expert in gathered.experts]
        known = {"out": str(out), "experts": experts, "maps": len(gathered.map_set.maps)}
        more = {"left_out": gathered.left_out, "suspect": gathered.suspect}
        print(json.dumps({**known, "purpose": gathered.purpose, **more}))
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
