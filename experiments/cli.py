"""The experiments room's verbs."""

import gc
import sys
from pathlib import Path
from typing import Annotated

import typer

from experiments.replay.options import ReplayOptions
from experiments.rig.options import DoctorOptions, TimingOptions
from experiments.session.options import PictureOptions, SessionOptions, WindowOptions
from experiments.sheets.command import sheets
from participants import command_line
from stimuli.console import new_app, run_app
from stimuli.options import NotWith, grouped

Rehearse = Annotated[
    bool,
    typer.Option(
        "--rehearse",
        help="Show every kind of screen once, without a code. Its data never mix with others.",
    ),
    NotWith("--participant --purpose --data", "a rehearsal has its own"),
]

app = new_app("Sessions on a screen.")
app.add_typer(sheets, name="sheets")


@app.command()
@grouped
def run(
    target: Annotated[
        str,
        typer.Argument(
            metavar="STUDY|PACK", help="A pack's folder; or a study, if the lab has one pack of it."
        ),
    ],
    *,
    pack: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The pack's folder, if STUDY is given.")
    ] = None,
    rehearse: Rehearse = False,
    session: SessionOptions,
    as_json: command_line.Json = False,
) -> None:
    """Run a session. An unfinished session continues where it stopped.

    Example: python3 lab.py run packs/first --participant K7RTMX8
    """
    from experiments.session.command import run_verb
    from experiments.session.request import RunRequest

    request = RunRequest.of(session, target, "solutions", pack)
    if rehearse:
        from experiments.session.rehearsal import rehearse_verb

        rehearse_verb(request, as_json=as_json)
    else:
        run_verb(request, as_json=as_json)


@app.command()
@grouped
def replay(
    session: Annotated[
        str,
        typer.Argument(metavar="SESSION", help="The session's id; participants show lists them."),
    ],
    *,
    options: ReplayOptions,
    as_json: command_line.Json = False,
) -> None:
    """Show a session again as the person saw it, from its journal, in a window or as a film.

    Times and presses stand beneath the pictures. Each onset and offset is compared with the
    journal; if something differs, the exit status is 3.

    Example: python3 lab.py replay 20261129T135233Z-CMDDMZ8-2688 --film session.webm
    """
    from experiments.replay.command import replay_verb

    raise typer.Exit(replay_verb(session, options, as_json=as_json))


@app.command()
@grouped
def screens(
    pack: Annotated[Path, typer.Argument(metavar="PACK", help="The pack's folder.")],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder for the pictures; it must be empty. Default: that of the pack in the lab "
            "folder, where analyse finds it.",
            show_default=False,
        ),
    ] = None,
    *,
    options: PictureOptions,
    lab: command_line.Lab = None,
) -> None:
    """Write a picture of each kind of screen, for ethics boards and papers, and an overview.

    A robot goes through a rehearsal in each language. On Linux the window is on a virtual display.

    Example: python3 lab.py screens packs/first --out screens
    """
    from experiments.session.pictures import picture_screens

    pictured = picture_screens(pack, out, options, lab)
    print(f"{pictured.pictures} pictures: {pictured.overview}")


@app.command()
@grouped
def launch(
    *,
    pack: Annotated[
        list[Path] | None,
        typer.Option(metavar="DIR", help="A pack that isn't in the lab folder. May be repeated."),
    ] = None,
    robot: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Let a robot answer, to try the window. See run."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the robot's answers.")] = 1,
    window: WindowOptions,
    lab: command_line.Lab = None,
) -> None:
    """Open a window to start sessions from: study, person, checks, start, note.

    It shows the lab folder's packs. The session starts as `run` would start it, and what `run`
    refuses can't be started. Options of the session's window are handed on.

    Example: python3 lab.py launch
    """
    from experiments.launch.command import launch_verb
    from experiments.launch.examination import Options

    launch_verb(lab, Options(robot, seed, window), tuple(pack or ()))


@app.command()
@grouped
def annotate(
    tasks: Annotated[
        str,
        typer.Argument(
            metavar="TASK_PACK",
            help="A task pack, or a folder of labelled images.",
        ),
    ],
    *,
    protocol: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Protocol file, for a folder of labelled images."),
    ] = None,
    names: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Names of the classes, for a folder of images: a CSV label,name."
        ),
    ] = None,
    session: SessionOptions,
    as_json: command_line.Json = False,
) -> None:
    """Run a session in which a person paints plates or marks images.

    The tasks are in a task pack, which build makes. Images may also be in a folder with one
    sub-folder for each class. An unfinished session continues where it stopped. A finished session
    writes its maps to the data folder as a map set.

    Example: python3 lab.py annotate packs/first-tasks --participant K7RTMX8
    """
    from experiments.session.annotate import annotate_verb
    from experiments.session.request import RunRequest

    request = RunRequest.of(session, tasks, "tasks")
    annotate_verb(request, as_json=as_json, protocol=protocol, names=names)


@app.command()
@grouped
def screen(
    *,
    pack: Annotated[
        Path | None, typer.Option(metavar="DIR", help="A pack of the study to screen for.")
    ] = None,
    protocol: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The study's protocol, instead of a pack.")
    ] = None,
    only: Annotated[
        str | None,
        typer.Option(
            metavar="STAGE", help="Run one stage only: trivector, d15, ishihara or titration."
        ),
    ] = None,
    rehearse: Rehearse = False,
    session: SessionOptions,
    as_json: command_line.Json = False,
) -> None:
    """Screen somebody's colour vision: who is a lead, who is an expert, and a lead's rung.

    The person is enrolled first, as a participant. An unfinished screening continues where it
    stopped. Example: python3 lab.py screen --pack packs/first --participant K7RTMX8
    """
    from experiments.screening.command import rehearse_screening, screen_verb
    from experiments.session.request import RunRequest

    request = RunRequest.of(session, "", "screening", pack)
    conducted = rehearse_screening if rehearse else screen_verb
    conducted(request, protocol, only, as_json=as_json)


@app.command()
@grouped
def doctor(
    *,
    options: DoctorOptions,
    lab: command_line.Lab = None,
    new: Annotated[
        bool,
        typer.Option("--new", help="Create the lab folder first. No other command creates one."),
    ] = False,
    as_json: command_line.Json = False,
) -> None:
    """Check whether this PC is fit to run sessions: pass, warn or fail, and what to do.

    The exit status is 2 if something fails. Example: python3 lab.py doctor --pack packs/first
    """
    from experiments.rig.doctor import Examination, examine
    from experiments.rig.verdict import keep_examination, report
    from participants.folder import LabFolder
    from stimuli.catalogue import LAB_FILE

    options.check()
    examination = Examination(
        pack=options.pack,
        purpose=options.purpose,
        virtual=options.virtual,
        interactive=options.by_a_person(as_json=as_json),
    )
    folder = LabFolder.make(lab) if new else LabFolder.open(lab)
    if new:
        line = f"Made the lab folder {folder.root}; fill in {LAB_FILE} there."
        print(line, file=sys.stderr)
    if options.colours is not None:
        from experiments.rig.colours.taking_over import take_over

        line = take_over(folder, options.colours.expanduser(), options.measured_on)
        print(line, file=sys.stderr)
    findings = examine(folder, examination)
    if not options.virtual:
        # The start window shows it; a virtual display says little about this PC's display.
        keep_examination(folder, findings)
    result = report(findings, as_json=as_json)
    if not as_json:
        print(f"The data folder is {folder.data.root}")
    raise typer.Exit(result)


@app.command()
@grouped
def timing(
    *, options: TimingOptions, lab: command_line.Lab = None, as_json: command_line.Json = False
) -> None:
    """Measure onsets, durations, keys and buttons from outside the process.

    With --sensor a photodiode at this PC's screen measures it. The rig gets a grade, and its
    profile keeps the constant lags. The exit status is 2 if the rig is unfit. With --virtual the
    suite and a plain PsychoPy script run the same trial on a virtual display.

    Example: python3 lab.py timing --virtual --trials 200
    """
    from experiments.rig.timing.command import real_verb, virtual_verb

    options.check()
    if options.virtual:
        virtual_verb(options, as_json=as_json)
    else:
        raise typer.Exit(real_verb(options, lab, as_json=as_json))


@app.command()
def demo(
    study: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The study. Default: the first that has a demo."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Folder for the results. Default: a new one in the lab folder."
        ),
    ] = None,
    protocol: Annotated[
        Path | None, typer.Option(metavar="F", help="A protocol file instead of the demo's.")
    ] = None,
    show: Annotated[
        bool, typer.Option("--show", help="Show the robot's window on your display.")
    ] = False,
) -> None:
    """Run a whole small study: pack, robots, one of them in a real window, report.

    It takes about 4 minutes on two cores.
    Example: python3 lab.py demo
    """
    from experiments.demo import run_demo

    ran = run_demo(study, out, protocol, show=show)
    for sentence in ran.headline:
        print(sentence)
    print(f"Report after {ran.minutes:.1f} minutes: {ran.report}")


def main(arguments: list[str]) -> int:
    """Run a verb of this room and return the exit status."""
    # The garbage collector would scan all imported objects again and again, which takes a seventh
    # of the start-up time. An open stage enables it again.
    gc.disable()
    try:
        return run_app(app, arguments)
    finally:
        gc.enable()
