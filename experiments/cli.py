"""The experiments room's verbs."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from experiments.session.options import (
    PURPOSES,
    PersonOptions,
    RigOptions,
    WindowOptions,
    grouped,
)
from stimuli.console import new_app, run_app
from stimuli.errors import UserError

app = new_app("Sessions on a screen.")

LabOption = Annotated[
    Path | None,
    typer.Option("--lab", metavar="DIR", help="Lab folder; else PLAINSIGHT_LAB, else your own."),
]
DataOption = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Data folder instead of the lab's.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]


@app.command()
@grouped
def run(
    target: Annotated[
        str,
        typer.Argument(
            metavar="STUDY|PACK", help="A pack's folder, or the study of the lab's only pack."
        ),
    ],
    *,
    pack: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The pack, where STUDY is named.")
    ] = None,
    person: PersonOptions,
    window: WindowOptions,
    rig: RigOptions,
    lab: LabOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run a session; an unfinished one goes on where it stopped.

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
            help="A task pack of plates or of images; or labelled images themselves.",
        ),
    ],
    *,
    protocol: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Of images: the study's protocol file."),
    ] = None,
    names: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Of images: what classes are called, a CSV label,name."),
    ] = None,
    person: PersonOptions,
    window: WindowOptions,
    rig: RigOptions,
    lab: LabOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run a session in which a person paints plates or marks images.

    The tasks are in a task pack, which build makes. Images may also be in a folder with one
    sub-folder a class. An unfinished session goes on where it stopped. At the end of the session
    the maps are in the data folder as a map set.

    Example: python3 lab.py annotate packs/first-tasks --participant K7Q2M
    """
    from experiments.session.annotate import annotate_verb
    from experiments.session.request import RunRequest

    request = RunRequest(tasks, None, person, window, rig, "tasks", lab, data)
    annotate_verb(request, as_json=as_json, protocol=protocol, names=names)


@app.command()
def doctor(
    pack: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Check this pack's seal too.")
    ] = None,
    lab: LabOption = None,
    display: Annotated[
        str,
        typer.Option(metavar="existing|virtual", help="Which display to look at."),
    ] = "existing",
    purpose: Annotated[
        str | None,
        typer.Option(metavar="P", help="Judge for sessions of this purpose: main, pilot, test."),
    ] = None,
    interactive: Annotated[
        bool | None,
        typer.Option(
            "--interactive/--unattended",
            help="Ask for a key and a mouse button; usual at a terminal without --json.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check whether this PC is fit to run sessions: pass, warn or fail, and what to do.

    Exits with 2 if something fails. Example: python3 lab.py doctor --pack packs/first
    """
    from experiments.rig.doctor import Examination, examine, report
    from participants.folder import LabFolder

    if display not in ("existing", "virtual"):
        raise UserError(f"--display {display}: is not one of existing, virtual")
    if purpose is not None and purpose not in PURPOSES:
        raise UserError(f"--purpose {purpose}: is not one of {', '.join(PURPOSES)}")
    asked = Examination(
        pack=pack,
        purpose=purpose,
        virtual=display == "virtual",
        interactive=sys.stdin.isatty() and not as_json if interactive is None else interactive,
    )
    findings = examine(LabFolder.open(lab), asked)
    raise typer.Exit(report(findings, as_json=as_json))


@app.command()
def timing(
    virtual: Annotated[
        bool,
        typer.Option("--virtual", help="On a virtual display, beside a plain PsychoPy script."),
    ] = False,
    trials: Annotated[int, typer.Option(min=2, help="How many trials of each program.")] = 200,
    pairs: Annotated[
        int, typer.Option(min=1, help="Of runs, suite and plain script by turns (--virtual).")
    ] = 5,
    refresh: Annotated[
        float, typer.Option(min=50, max=360, metavar="HZ", help="Pace of the virtual display.")
    ] = 60.0,
    sensor: Annotated[
        str | None,
        typer.Option(
            metavar="PLACE",
            help="Photodiode at this PC's screen: serial:PORT, lsl:STREAM, psychopy[:DEVICE].",
        ),
    ] = None,
    save: Annotated[
        bool, typer.Option("--save/--no-save", help="Keep the lags found in the rig's profile.")
    ] = True,
    lab: LabOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure onsets, durations, keys and buttons from outside the process.

    With --sensor at this PC's own screen: grades it, and keeps its constant lags in the rig's
    profile; exits with 2 if it is unfit. With --virtual on a virtual display, beside a plain
    PsychoPy script of the same trial.

    Example: python3 lab.py timing --virtual --trials 200
    """
    from experiments.rig.timing.command import real_verb, virtual_verb

    if virtual == (sensor is not None):
        raise UserError(
            "timing: give either --virtual, or --sensor and what is plugged in: serial:PORT, "
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
        typer.Option(metavar="NAME", help="Which study; else the first that has a demo."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where everything goes; else the lab folder."),
    ] = None,
    protocol: Annotated[
        Path | None, typer.Option(metavar="F", help="A protocol file instead of the demo's.")
    ] = None,
    show: Annotated[
        bool, typer.Option("--show", help="Show the robots' windows on this display.")
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
    return run_app(app, arguments)
