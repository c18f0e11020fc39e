"""Presses that the doctor asks for: by a person before the screen, or by a robot's hand."""

import time
from collections.abc import Iterator
from typing import Final

from experiments.engine.input import Device, Press
from experiments.engine.mouse import MouseButtons
from experiments.engine.picture import Layers, Picture
from experiments.engine.stage import Stage
from experiments.rig.checks.presses import Tried
from experiments.robot_input.acts import Stroke
from experiments.robot_input.inject import Hand, Sent
from experiments.screens.look import Look
from experiments.screens.page import page_layers, sheets_of
from experiments.screens.parts import Footer

KEY: Final = "f"
BUTTON: Final = "left"
PATIENCE_S: Final = 25.0
HAND_PATIENCE_S: Final = 6.0
ROBOT_AFTER_S, ROBOT_HOLD_S = 0.2, 0.3


def try_key(stage: Stage, layers: Layers, hand: Hand | None) -> Tried:
    """Return what comes of a key that is pressed, held and released.

    Parameters
    ----------
    stage
        The open window.
    layers
        What is shown meanwhile: the request.
    hand
        Presses by itself; None for a person.
    """
    stage.presses()
    _have_pressed(hand, KEY, "keyboard")
    first: Press | None = None
    held = False
    picture = stage.picture(layers)
    for _ in _frames(stage, picture, hand):
        # Polled in every frame: else the release isn't noticed.
        pressed = _first(stage.presses(), KEY)
        first = first or pressed
        if first is None:
            continue
        if stage.keyboard.is_down(KEY):
            held = True
        else:
            picture.free()
            return Tried(True, held, True, _error_s(first, hand))
    picture.free()
    return Tried(first is not None, held, False)


def try_button(stage: Stage, buttons: MouseButtons, layers: Layers, hand: Hand | None) -> Tried:
    """Return what comes of a mouse button that is pressed; as `try_key`."""
    buttons.poll()
    _have_pressed(hand, BUTTON, "mouse")
    picture = stage.picture(layers)
    pressed = any(_first(buttons.poll(), BUTTON) for _ in _frames(stage, picture, hand))
    picture.free()
    return Tried(pressed)


def request_layers(look: Look, markdown: str) -> Layers:
    """Return a screen that asks for something."""
    (sheet, *_) = sheets_of(look, markdown)
    return page_layers(look, sheet, Footer())


def _frames(stage: Stage, picture: Picture, hand: Hand | None) -> Iterator[float]:
    patience_s = PATIENCE_S if hand is None else HAND_PATIENCE_S
    until_s = time.perf_counter() + patience_s
    while time.perf_counter() < until_s:
        yield stage.frame(picture)


def _have_pressed(hand: Hand | None, key: str, device: Device) -> None:
    if hand is not None:
        hand.reports()
        at_s = time.perf_counter() + ROBOT_AFTER_S
        hand.press(Stroke(key, at_s, hold_s=ROBOT_HOLD_S, device=device))


def _first(presses: tuple[Press, ...], key: str) -> Press | None:
    return next((press for press in presses if press.key == key), None)


def _error_s(press: Press, hand: Hand | None) -> float | None:
    sent = [report for report in (hand.reports() if hand else []) if isinstance(report, Sent)]
    return press.t_s - sent[0].before_s if sent else None
