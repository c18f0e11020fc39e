"""The experiments room's verbs."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stimuli.console import new_app, run_app
from stimuli.errors import UserError

if TYPE_CHECKING:
    from experiments.session.request import DisplayChoice

app = new_app("Sessions on a screen.")

LabOption = Annotated[
    Path | None,
    typer.Option(
        "--lab",
        metavar="DIR",
        help="Lab folder. Default: PLAINSIGHT_LAB, or your user data folder.",
    ),
]
ParticipantOption = Annotated[
    str | None, typer.Option(metavar="CODE", help="The participant's code, which enrol printed.")
]
SeedOption = Annotated[int, typer.Option(help="Seed of a robot's answers.")]
PurposeOption = Annotated[
    str | None,
    typer.Option(
        metavar="P", help="Purpose of the session: main (default), pilot or test; robot for robots."
    ),
]
DataOption = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Data folder instead of the lab's.")
]
LanguageOption = Annotated[
    str | None, typer.Option(metavar="en|de", help="Language of the texts. Default: the lab's.")
]
DisplayOption = Annotated[
    str,
    typer.Option(
        metavar="existing|virtual|auto",
        help="Where the window opens. auto: robots on Linux get a virtual display.",
    ),
]
WindowedOption = Annotated[
    bool,
    typer.Option("--windowed", help="Open a window instead of the full screen, to try things."),
]
SizeOption = Annotated[
    str | None, typer.Option(metavar="WxH", help="Size of the window in pixels, such as 1920x1080.")
]
OverrideOption = Annotated[
    str | None,
    typer.Option(metavar="REASON", help="Go on in spite of failed checks. The reason is recorded."),
]
ScreenshotsOption = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Save each kind of screen once as a PNG file.")
]
ChecklistOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE|confirmed",
        help="Answers to the colour checklist. Default: the terminal asks.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]


@app.command()
def run(
    target: Annotated[
        str,
        typer.Argument(
            metavar="STUDY|PACK", help="A pack's folder; or a study, if the lab has one pack of it."
        ),
    ],
    pack: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The pack's folder, if STUDY is given.")
    ] = None,
    participant: ParticipantOption = None,
    robot: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Let a robot answer by real key presses. simulate STUDY --help lists the robots.",
        ),
    ] = None,
    seed: SeedOption = 1,
    purpose: PurposeOption = None,
    lab: LabOption = None,
    data: DataOption = None,
    language: LanguageOption = None,
    display: DisplayOption = "auto",
    windowed: WindowedOption = False,
    size: SizeOption = None,
    marker: Annotated[
        bool, typer.Option("--marker", help="Draw a patch for a photodiode in the top left corner.")
    ] = False,
    trigger: Annotated[
        str | None,
        typer.Option(
            metavar="WHERE",
            help="Where triggers are sent: serial:PORT, "
            "parallel:ADDRESS, lsl or none. Default: what the rig's profile says.",
        ),
    ] = None,
    override: OverrideOption = None,
    checklist: ChecklistOption = None,
    screenshots: ScreenshotsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run a session. An unfinished session continues where it stopped.

    Example: python3 lab.py run packs/first --participant K7Q2M
    """
    from experiments.engine.triggers import parse_place
    from experiments.session.command import run_verb
    from experiments.session.request import RunRequest

    if trigger is not None:
        parse_place(trigger)
    request = RunRequest(
        target=target,
        pack=pack,
        participant=participant,
        robot=robot,
        seed=seed,
        purpose=purpose,
        lab=lab,
        data=data,
        language=language,
        display=_display(display),
        windowed=windowed,
        size_px=_size(size),
        marker=marker,
        trigger=trigger,
        override=override,
        checklist=checklist,
        screenshots=screenshots,
    )
    run_verb(request, as_json=as_json)


@app.command()
def annotate(
    tasks: Annotated[
        str,
        typer.Argument(
            metavar="TASK_PACK",
            help="A task pack, or a folder of labelled images.",
        ),
    ],
    participant: ParticipantOption = None,
    robot: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="expert: let a robot paint or mark by real mouse events."
        ),
    ] = None,
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
    seed: SeedOption = 1,
    purpose: PurposeOption = None,
    lab: LabOption = None,
    data: DataOption = None,
    language: LanguageOption = None,
    display: DisplayOption = "auto",
    windowed: WindowedOption = False,
    size: SizeOption = None,
    override: OverrideOption = None,
    checklist: ChecklistOption = None,
    screenshots: ScreenshotsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run a session in which a person paints plates or marks images.

    The tasks come in a task pack, which build makes. Images may also come in a folder with one
    sub-folder a class. An unfinished session continues where it stopped. At its end the maps are
    in the data folder as a map set.

    Example: python3 lab.py annotate packs/first-tasks --participant K7Q2M
    """
    from experiments.session.annotate import annotate_verb
    from experiments.session.request import RunRequest

    request = RunRequest(
        target=tasks,
        participant=participant,
        robot=robot,
        seed=seed,
        purpose=purpose,
        lab=lab,
        data=data,
        language=language,
        display=_display(display),
        windowed=windowed,
        size_px=_size(size),
        override=override,
        checklist=checklist,
        screenshots=screenshots,
        kind="tasks",
    )
    annotate_verb(request, as_json=as_json, protocol=protocol, names=names)


@app.command()
def doctor(
    pack: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Check this pack too: are its files whole and unchanged?"),
    ] = None,
    lab: LabOption = None,
    display: Annotated[
        str,
        typer.Option(metavar="existing|virtual", help="Display to check."),
    ] = "existing",
    purpose: Annotated[
        str | None,
        typer.Option(metavar="P", help="Judge for sessions of this purpose: main, pilot or test."),
    ] = None,
    interactive: Annotated[
        bool | None,
        typer.Option(
            "--interactive/--unattended",
            help="Ask for a key and a mouse button. Default: at a terminal, without --json.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check whether this PC is fit to run sessions: pass, warn or fail, and what to do.

    The exit status is 2 if something fails. Example: python3 lab.py doctor --pack packs/first
    """
    from experiments.rig.doctor import Examination, examine, report
    from experiments.session.request import PURPOSES
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
    lab: LabOption = None,
    as_json: JsonOption = False,
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


def _display(text: str) -> "DisplayChoice":
    if text not in ("existing", "virtual", "auto"):
        raise UserError(f"--display {text}: is not one of existing, virtual, auto")
    return text


def _size(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    width, cross, height = text.lower().partition("x")
    if not (cross and width.isdecimal() and height.isdecimal()):
        raise UserError(f"--size {text}: must be like 1280x720")
    size = int(width), int(height)
    if min(size) < 480 or max(size) > 16384:
        raise UserError(f"--size {text}: a side must be 480 to 16384 pixels")
    return size


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
    return run_app(app, arguments)
