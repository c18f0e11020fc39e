"""The doctor: is this PC fit to run sessions, what to do where it isn't, and presses to try."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from experiments.engine.display import display_taken, require_display
from experiments.engine.input import Press, ResponseDevice, open_mouse
from experiments.engine.pad import open_pad
from experiments.engine.picture import Layers, Picture
from experiments.engine.stage import Stage, open_stage
from experiments.engine.virtual_display import own_virtual_display
from experiments.engine.window import (
    WindowSettings,
    has_window_manager,
    nominal_refresh_hz,
    screen_size,
)
from experiments.rig.checks import (
    clocks,
    crashes,
    desktop,
    frames,
    measured,
    presses,
    records,
    versions,
    workload,
)
from experiments.rig.checks.catalogue import DISPLAY
from experiments.rig.checks.finding import Finding
from experiments.rig.checks.measured import Colours
from experiments.rig.checks.presses import PressResult
from experiments.rig.profile import RigProfile, profile_path, read_rig
from experiments.robot_input.inject import InputInjector, Sent, robot_injector
from experiments.robot_input.input_events import Stroke
from experiments.screens.look import Look
from experiments.screens.page import page_layers, sheets_of
from experiments.screens.parts import Footer
from participants.folder import LabFolder
from participants.texts import ChecklistText, load_checklist
from stimuli.devices import DeviceName
from stimuli.errors import UserError
from stimuli.pack import open_pack
from stimuli.study import fonts_in

BACKGROUND = (30, 30, 30)

KEY: Final = "f"

BUTTON: Final = "left"

PATIENCE_S: Final = 25.0

ROBOT_PATIENCE_S: Final = 6.0

ROBOT_AFTER_S, ROBOT_HOLD_S = 0.2, 0.3


@dataclass(frozen=True, slots=True)
class Examination:
    """Options of an examination by the doctor.

    Attributes
    ----------
    pack
        A pack whose seal is checked too.
    purpose
        Purpose of the sessions that the PC must be fit for; None for sessions in general.
    virtual
        Whether to check a virtual display, on which a robot presses keys.
    interactive
        Whether a person is there to press keys.
    flips
        Number of frames over which jitter is measured.
    """

    pack: Path | None = None
    purpose: str | None = None
    virtual: bool = False
    interactive: bool = False
    flips: int = frames.JITTER_FLIPS


def examine(lab: LabFolder, options: Examination) -> list[Finding]:
    """Return the findings of all checks; those that need a window come last."""
    of_pack, fonts = ([], ()) if options.pack is None else _of_pack(options.pack, options.purpose)
    findings = without_window(lab, options.purpose, virtual=options.virtual, fonts=fonts)
    findings += [*_longer_looks(), records.backup(lab), *of_pack]
    return [*findings, *_with_window(lab, options)]


def without_window(
    lab: LabFolder,
    purpose: str | None = None,
    *,
    colours: Colours = "critical",
    virtual: bool = False,
    language: str | None = None,
    fonts: tuple[bytes, ...] = (),
) -> list[Finding]:
    """Return the findings of the quick checks before every session that need no window.

    Parameters
    ----------
    lab
        The lab folder.
    purpose
        The session's purpose; None for sessions in general.
    colours
        How the session depends on the display's colours.
    virtual
        Whether the display is a virtual one.
    language
        Language of the texts; the lab's by default.
    fonts
        A pack's fonts, for signs that the typeface lacks.
    """
    since = workload.Processors.now()
    path = profile_path(lab.rigs, lab.settings.rig)
    rig = read_rig(path)
    needed_for = purpose if colours == "critical" else None
    return [
        versions.python_version(),
        versions.packages(),
        clocks.clock(),
        records.lab_folder(lab),
        records.disk(lab.data.root),
        records.local_disk(lab),
        records.registry(lab),
        records.journals(lab),
        crashes.crashes(lab),
        records.fonts(lab, fonts),
        records.consent(lab, purpose, language),
        workload.memory(),
        workload.load(workload.used_by_others(since)),
        workload.power(),
        *(() if colours == "none" else [measured.calibration(rig, path, needed_for)]),
        measured.geometry(rig, path),
        measured.timing(rig, path, purpose),
        desktop.session_type(virtual=virtual),
    ]


def of_stage(stage: Stage, colours: Colours = "critical") -> list[Finding]:
    """Return the findings of the quick checks before every session that need an open window."""
    here = desktop.desktop_here()
    findings = [
        desktop.scaling(here),
        desktop.resolution(stage.window.size_px, here, screen_size()),
        desktop.compositing(here),
        None if colours == "none" else desktop.lookup(here),
        presses.keyboard(stage),
        frames.priority(stage),
        frames.refresh(stage, nominal_refresh_hz()),
    ]
    return [finding for finding in findings if finding is not None]


def _of_pack(folder: Path, purpose: str | None) -> tuple[list[Finding], tuple[bytes, ...]]:
    """Return the findings on a pack, and its fonts; one with a broken seal isn't read further."""
    seal = records.pack_seal(folder)
    if seal.status == "fail":
        return [seal], ()
    pack = open_pack(folder)
    findings = [seal, records.people(pack, purpose), records.stimulus_signs(pack)]
    return findings, fonts_in(pack)


def _longer_looks() -> list[Finding]:
    """Return the findings of slow checks and of those that don't concern sessions; no window."""
    findings = [clocks.time_service(), clocks.time_zone(), versions.torch_here()]
    return [finding for finding in findings if finding is not None]


def _with_window(lab: LabFolder, options: Examination) -> list[Finding]:
    findings: list[Finding] = []

    def look() -> Finding:
        if options.virtual:
            own_virtual_display()
        require_display()
        whole = not options.virtual and has_window_manager()
        window = WindowSettings(BACKGROUND, full_screen=whole)
        with display_taken("doctor"), open_stage(window) as stage:
            findings.extend(of_stage(stage))
            findings.append(desktop.covers(desktop.desktop_here()))
            findings.extend(_in_use(stage, lab, options))
        return DISPLAY.passed("virtual" if options.virtual else "opened")

    return [DISPLAY.attempted(look), *findings]


def _in_use(stage: Stage, lab: LabFolder, options: Examination) -> list[Finding]:
    """Return the findings on presses, if somebody is there to press, and on frames."""
    text = load_checklist(lab.settings.language, lab.texts)
    look = Look(stage.window.size_px, BACKGROUND, text.language)
    pressed = [presses.keys(None), presses.mouse(None)]
    if options.virtual or options.interactive:
        with _injector(stage, virtual=options.virtual) as injector:
            tried = try_key(stage, request_layers(look, text.words["try_key"]), injector)
            pressed = [presses.keys(tried), _tried_mouse(stage, look, text, injector)]
    rig = read_rig(profile_path(lab.rigs, lab.settings.rig))
    layers = request_layers(look, text.words["try_pad"]) if options.interactive else None
    pressed.append(_tried_pad(stage, rig, layers))
    waiting = stage.picture(request_layers(look, text.words["measuring"]))
    return [*pressed, frames.jitter(stage, options.flips, waiting)]


def _tried_mouse(
    stage: Stage, look: Look, text: ChecklistText, injector: InputInjector | None
) -> Finding:
    try:
        buttons = open_mouse(stage.keyboard.clock)
    except UserError as error:
        return presses.no_mouse(str(error).partition("; ")[0])
    layers = request_layers(look, text.words["try_mouse"])
    return presses.mouse(try_press(stage, buttons, layers, injector, BUTTON))


def _tried_pad(stage: Stage, rig: RigProfile, layers: Layers | None) -> Finding:
    """Return the finding on the rig's pad; without layers nobody is asked to press a button."""
    if rig.pad is None:
        return presses.no_pad()
    try:
        with open_pad(rig.pad.line) as pad:
            return presses.pad(None if layers is None else try_press(stage, pad, layers, None))
    except UserError as error:
        return presses.no_pad(str(error).removeprefix("pad: ").partition("; ")[0])


@contextmanager
def _injector(stage: Stage, *, virtual: bool) -> Iterator[InputInjector | None]:
    if not virtual:
        yield None
        return
    with robot_injector(stage.window.system_id) as injector:
        yield injector


def try_key(stage: Stage, layers: Layers, injector: InputInjector | None) -> PressResult:
    """Try a key that is pressed, held and released.

    Parameters
    ----------
    stage
        The open window.
    layers
        Layers with the request.
    injector
        Presses the key; None for a person.
    """
    stage.presses()
    _have_pressed(injector, KEY, "keyboard")
    first: Press | None = None
    held = False
    picture = stage.picture(layers)
    for _ in _frames(stage, picture, injector):
        # Polled in every frame: otherwise the release isn't noticed.
        pressed = _first(stage.presses(), KEY)
        first = first or pressed
        if first is None:
            continue
        if stage.keyboard.is_down(KEY):
            held = True
        else:
            picture.free()
            return PressResult(True, held, True, _error_s(first, injector))
    picture.free()
    return PressResult(first is not None, held, False)


def try_press(
    stage: Stage,
    device: ResponseDevice,
    layers: Layers,
    injector: InputInjector | None,
    key: str | None = None,
) -> PressResult:
    """Try a press of a mouse's button, or of any button of a pad (key None); see `try_key`."""
    device.poll()
    if key is not None:
        _have_pressed(injector, key, "mouse")
    picture = stage.picture(layers)
    pressed = any(
        key in (None, press.key)
        for _ in _frames(stage, picture, injector)
        for press in device.poll()
    )
    picture.free()
    return PressResult(pressed)


def request_layers(look: Look, markdown: str) -> Layers:
    """Return the layers of a screen that asks for a press."""
    (sheet, *_) = sheets_of(look, markdown)
    return page_layers(look, sheet, Footer())


def _frames(stage: Stage, picture: Picture, injector: InputInjector | None) -> Iterator[float]:
    patience_s = PATIENCE_S if injector is None else ROBOT_PATIENCE_S
    until_s = time.perf_counter() + patience_s
    while time.perf_counter() < until_s:
        yield stage.frame(picture)


def _have_pressed(injector: InputInjector | None, key: str, device: DeviceName) -> None:
    if injector is not None:
        injector.reports()
        at_s = time.perf_counter() + ROBOT_AFTER_S
        injector.press(Stroke(key, at_s, hold_s=ROBOT_HOLD_S, device=device))


def _first(presses: tuple[Press, ...], key: str) -> Press | None:
    return next((press for press in presses if press.key == key), None)


def _error_s(press: Press, injector: InputInjector | None) -> float | None:
    sent = [
        report for report in (injector.reports() if injector else []) if isinstance(report, Sent)
    ]
    return press.t_s - sent[0].before_s if sent else None
