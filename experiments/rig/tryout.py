"""Presses that the doctor asks for: by a person before the screen, or by a robot's hand."""

import time
from collections.abc import Iterator
from typing import Final

from experiments.engine.input import Device, Press
from experiments.engine.mouse import MouseButtons
from experiments.engine.picture import Layers, Picture
from experiments.engine.stage import Stage
from experiments.rig.checks.presses import Tried
from experiments.robot_input.inject import InputInjector, Sent
from experiments.robot_input.input_events import Stroke
from experiments.screens.look import Look
from experiments.screens.page import page_layers, sheets_of
from experiments.screens.parts import Footer

KEY: Final = "f"
BUTTON: Final = "left"
PATIENCE_S: Final = 25.0
ROBOT_PATIENCE_S: Final = 6.0
ROBOT_AFTER_S, ROBOT_HOLD_S = 0.2, 0.3


def try_key(stage: Stage, layers: Layers, injector: InputInjector | None) -> Tried:
    """Return what comes of a key that is pressed, held and released.

    Parameters
    ----------
    stage
        The open window.
    layers
        What is shown meanwhile: the request.
    injector
        Presses by itself; None for a person.
    """
    stage.presses()
    _have_pressed(injector, KEY, "keyboard")
    first: Press | None = None
    held = False
    picture = stage.picture(layers)
    for _ in _frames(stage, picture, injector):
        # Polled in every frame: else the release isn't noticed.
        pressed = _first(stage.presses(), KEY)
        first = first or pressed
        if first is None:
            continue
        if stage.keyboard.is_down(KEY):
            held = True
        else:
            picture.free()
            return Tried(True, held, True, _error_s(first, injector))
    picture.free()
    return Tried(first is not None, held, False)


def try_button(
    stage: Stage, buttons: MouseButtons, layers: Layers, injector: InputInjector | None
) -> Tried:
    """Return what comes of a mouse button that is pressed; as `try_key`."""
    buttons.poll()
    _have_pressed(injector, BUTTON, "mouse")
    picture = stage.picture(layers)
    pressed = any(_first(buttons.poll(), BUTTON) for _ in _frames(stage, picture, injector))
    picture.free()
    return Tried(pressed)


def request_layers(look: Look, markdown: str) -> Layers:
    """Return a screen that asks for something."""
    (sheet, *_) = sheets_of(look, markdown)
    return page_layers(look, sheet, Footer())


def _frames(stage: Stage, picture: Picture, injector: InputInjector | None) -> Iterator[float]:
    patience_s = PATIENCE_S if injector is None else ROBOT_PATIENCE_S
    until_s = time.perf_counter() + patience_s
    while time.perf_counter() < until_s:
        yield stage.frame(picture)


def _have_pressed(injector: InputInjector | None, key: str, device: Device) -> None:
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
