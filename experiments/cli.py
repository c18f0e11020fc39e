"""The experiments room's verbs."""

import gc
import sys
from pathlib import Path
from typing import Annotated

import typer

from experiments.session.options import (
    PURPOSES,
    PersonOptions,
    RigOptions,
    WindowOptions,
)
from experiments.sheets.command import sheets
from participants import options
from stimuli.console import new_app, run_app
from stimuli.errors import UserError
from stimuli.options import grouped

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
    person: PersonOptions,
    window: WindowOptions,
    rig: RigOptions,
    lab: options.Lab = None,
    data: options.Data = None,
    as_json: options.Json = False,
) -> None:
    """Run a session. An unfinished session continues where it stopped.

    Example: python3 lab.py run packs/first --participant K7Q2M
    """
    from experiments.session.command import run_verb
    from experiments.session.request import RunRequest

    request = RunRequest(target, pack, person, window, rig, "solutions", lab, data)
    run_verb(request, as_json=as_json)


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
    person: PersonOptions,
    window: WindowOptions,
    rig: RigOptions,
    lab: options.Lab = None,
    data: options.Data = None,
    as_json: options.Json = False,
) -> None:
    """Run a session in which a person paints plates or marks images.

    The tasks are in a task pack, which build makes. Images may also be in a folder with one
    sub-folder for each class. An unfinished session continues where it stopped. A finished session
    writes its maps to the data folder as a map set.

    Example: python3 lab.py annotate packs/first-tasks --participant K7Q2M
    """
    from experiments.session.annotate import annotate_verb
    from experiments.session.request import RunRequest

    request = RunRequest(tasks, None, person, window, rig, "tasks", lab, data)
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
    person: PersonOptions,
    window: WindowOptions,
    rig: RigOptions,
    lab: options.Lab = None,
    data: options.Data = None,
    as_json: options.Json = False,
) -> None:
    """Screen somebody's colour vision: who is a lead, who is an expert, and a lead's rung.

    The person is enrolled first, as a participant. An unfinished screening continues where it
    stopped. Example: python3 lab.py screen --pack packs/first --participant K7Q2M
    """
    from experiments.screening.command import screen_verb
    from experiments.session.request import RunRequest

    request = RunRequest("", pack, person, window, rig, "screening", lab, data)
    screen_verb(request, protocol, only, as_json=as_json)


@app.command()
def doctor(
    pack: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Check this pack too: are its files complete and unchanged?"
        ),
    ] = None,
    lab: options.Lab = None,
    new: Annotated[
        bool,
        typer.Option("--new", help="Create the lab folder first. No other command creates one."),
    ] = False,
    display: Annotated[
        str,
        typer.Option(metavar="existing|virtual", help="Display to check."),
    ] = "existing",
    purpose: Annotated[
        str | None,
        typer.Option(metavar="P", help="Judge for sessions of this purpose: main, pilot or test."),
    ] = None,
    colours: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="First import the display's measured colours: PsychoPy's monitor file (.json), "
            "a photometer's table (.csv) or an ICC profile (.icc, .icm).",
        ),
    ] = None,
    measured_on: Annotated[
        str | None,
        typer.Option(
            metavar="DATE",
            help="Date of the measurement in --colours, such as 2026-11-02. Default: the "
            "date in the file.",
        ),
    ] = None,
    interactive: Annotated[
        bool | None,
        typer.Option(
            "--interactive/--unattended",
            help="Ask for a key and a mouse button. Default: at a terminal, without --json.",
        ),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Check whether this PC is fit to run sessions: pass, warn or fail, and what to do.

    The exit status is 2 if something fails. Example: python3 lab.py doctor --pack packs/first
    """
    from experiments.rig.doctor import Examination, examine
    from experiments.rig.verdict import report
    from participants.folder import LabFolder
    from stimuli.outside import LAB_FILE

    if display not in ("existing", "virtual"):
        raise UserError(f"--display {display}: is not one of existing, virtual")
    if purpose is not None and purpose not in PURPOSES:
        raise UserError(f"--purpose {purpose}: is not one of {', '.join(PURPOSES)}")
    if measured_on is not None and colours is None:
        raise UserError("--measured-on: belongs to --colours FILE")
    asked = Examination(
        pack=pack,
        purpose=purpose,
        virtual=display == "virtual",
        interactive=sys.stdin.isatty() and not as_json if interactive is None else interactive,
    )
    folder = LabFolder.make(lab) if new else LabFolder.open(lab)
    if new:
        line = f"Made the lab folder {folder.root}; fill in {LAB_FILE} there."
        print(line, file=sys.stderr)
    if colours is not None:
        from experiments.rig.colours.taking_over import take_over

        print(take_over(folder, colours.expanduser(), measured_on), file=sys.stderr)
    raise typer.Exit(report(examine(folder, asked), as_json=as_json))


@app.command()
def timing(
    virtual: Annotated[
        bool,
        typer.Option(
            "--virtual", help="Measure on a virtual display, and compare a plain PsychoPy script."
        ),
    ] = False,
    trials: Annotated[int, typer.Option(min=2, help="Trials of each program.")] = 200,
    pairs: Annotated[
        int,
        typer.Option(
            min=1, help="Pairs of runs, one of the suite and one of the plain script (--virtual)."
        ),
    ] = 5,
    refresh: Annotated[
        float,
        typer.Option(min=50, max=360, metavar="HZ", help="Refresh rate of the virtual display."),
    ] = 60.0,
    sensor: Annotated[
        str | None,
        typer.Option(
            metavar="PLACE",
            help="Photodiode at this PC's screen: serial:PORT, lsl:STREAM, psychopy[:DEVICE].",
        ),
    ] = None,
    save: Annotated[
        bool,
        typer.Option("--save/--no-save", help="Write the measured lags into the rig's profile."),
    ] = True,
    lab: options.Lab = None,
    as_json: options.Json = False,
) -> None:
    """Measure onsets, durations, keys and buttons from outside the process.

    With --sensor a photodiode at this PC's screen measures it. The rig gets a grade, and its
    profile keeps the constant lags. The exit status is 2 if the rig is unfit. With --virtual the
    suite and a plain PsychoPy script run the same trial on a virtual display.

    Example: python3 lab.py timing --virtual --trials 200
    """
    from experiments.rig.timing.command import real_verb, virtual_verb

    if virtual == (sensor is not None):
        raise UserError(
            "timing: give either --virtual or --sensor with the photodiode's place: serial:PORT, "
            "lsl:STREAM or psychopy[:DEVICE]"
        )
    if sensor is None:
        virtual_verb(trials, pairs, refresh, as_json=as_json)
    else:
        raise typer.Exit(real_verb(sensor, trials, lab, save=save, as_json=as_json))


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
        bool, typer.Option("--show", help="Show the robots' windows on your display.")
    ] = False,
) -> None:
    """Run a whole small study: pack, network, robots in real windows, report.

    It takes about 6 minutes on two cores. Example: python3 lab.py demo
    """
    from experiments.demo import run_demo

    ran = run_demo(study, out, protocol, show=show)
    for sentence in ran.headline:
        print(sentence)
    print(f"Report after {ran.minutes:.1f} minutes: {ran.report}")


def main(arguments: list[str]) -> int:
    """Run a verb of this room and return the exit status."""
    # The collector would look through all that is imported again and again, for a seventh of
    # a start. An open stage enables it.
    gc.disable()
    try:
        return run_app(app, arguments)
    finally:
        gc.enable()
