"""The caps of the D-15 on the screen: dragged or clicked into a row, until it is confirmed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from PIL import Image, ImageDraw

from experiments.engine.input import Press
from experiments.engine.picture import Cursor, Layer, Picture, Pixels
from experiments.engine.window import Rgb
from experiments.engine.window_events import Pointer, PointerEvent, pointer_shown
from experiments.pages.context import SessionContext
from experiments.pages.waiting import Waiting
from experiments.screens.look import Look
from experiments.screens.parts import Area, Footer, Hint, draw_footer, hint_area, key_at
from participants.journal import Recorder
from participants.screening.events import CAP_MOVED
from participants.screening.stages import D15Task
from participants.screening.trials import Arrangement
from participants.texts import Words
from stimuli.screening.d15 import CAPS

Place = tuple[float, float]
Spot = tuple[str, int]
"""``row`` and a place from 0 (the fixed cap) to 15, or ``tray`` and one from 0 to 14."""

WIDTH: Final = 0.90
"""Width of the row, as a share of the screen's width."""
CAP: Final = 0.86
"""Diameter of a cap, as a share of the distance between caps."""
TRAY_ROW, ROW = 0.36, 0.60
"""Vertical positions of the tray and of the row, as shares of the screen's height."""
TITLE, HINT = 0.13, 0.20
SUPERSAMPLING: Final = 4
RING: Final = 0.98
"""Diameter of the ring around a chosen cap, as a share of the distance between caps."""


@dataclass(frozen=True, slots=True)
class CapsBoard:
    """Layout of the board; lengths in pixels from the screen's top left corner.

    Attributes
    ----------
    look
        Look of the screens.
    tray
        The caps in the order of their places in the tray.
    """

    look: Look
    tray: tuple[int, ...]

    @property
    def pitch_px(self) -> float:
        """Distance between the middles of neighbouring caps."""
        return WIDTH * self.look.size_px[0] / (CAPS + 1)

    @property
    def cap_px(self) -> int:
        """Diameter of a cap."""
        return 2 * round(CAP * self.pitch_px / 2)

    def middle(self, spot: Spot) -> Place:
        """Return the middle of a spot."""
        where, place = spot
        width, height = self.look.size_px
        first = (width - WIDTH * width) / 2 + self.pitch_px / 2
        column = place if where == "row" else place + 1
        return first + column * self.pitch_px, height * (ROW if where == "row" else TRAY_ROW)

    def spot_at(self, place_px: Place) -> Spot | None:
        """Return the spot nearest to a position on the screen, if it is near enough."""
        spots: list[Spot] = [("row", place) for place in range(CAPS + 1)]
        spots += [("tray", place) for place in range(CAPS)]
        away, spot = min((_distance(self.middle(spot), place_px), spot) for spot in spots)
        return spot if away <= self.pitch_px else None

    def cap_at(self, spot: Spot, arrangement: Arrangement) -> int | None:
        """Return the cap on a spot, if there is one; the fixed cap doesn't count."""
        where, place = spot
        if where == "row":
            return arrangement.row[place - 1] if 1 <= place <= len(arrangement.row) else None
        cap = self.tray[place]
        return None if cap in arrangement.row else cap

    def spot_of(self, cap: int, arrangement: Arrangement) -> Spot:
        """Return where a cap lies."""
        if cap in arrangement.row:
            return "row", 1 + arrangement.row.index(cap)
        return "tray", self.tray.index(cap)

    def board_layers(self, title: str, hint: str, start: str) -> tuple[Layer, ...]:
        """Return the parts that never change: the title, the instructions and the row's places."""
        look, canvas = self.look, self.look.canvas()
        draw = ImageDraw.Draw(canvas)
        width, height = look.size_px
        at = (width / 2, TITLE * height)
        font = look.font(look.subheading_px, "bold")
        draw.text(at, title, fill=look.strong, font=font, anchor="mm")
        under, small = (width / 2, HINT * height), look.font(look.hint_px)
        draw.text(under, hint, fill=look.quiet, font=small, anchor="mm")
        x, y = self.middle(("row", 0))
        below = (x, y + self.cap_px / 2 + look.px(0.035))
        draw.text(below, start, fill=look.quiet, font=small, anchor="mm")
        empty = disc(self.cap_px, look.background, look.background, look.line)
        layers = [self._layer(empty, ("row", place)) for place in range(1, CAPS + 1)]
        return (*look.layers(canvas), *layers)

    def cap_layers(
        self, colours: Sequence[Rgb], arrangement: Arrangement, held: int | None, chosen: int | None
    ) -> tuple[Layer, ...]:
        """Return the caps in their places, except the cap that is held.

        Parameters
        ----------
        colours
            Colours of the fixed cap and of caps 1 to 15.
        arrangement
            The caps in the row.
        held, chosen
            The cap that moves with the pointer, and the cap with a ring around it.
        """
        ground = self.look.background
        layers = [self._layer(disc(self.cap_px, colours[0], ground), ("row", 0))]
        for cap in range(1, CAPS + 1):
            if cap == held:
                continue
            spot = self.spot_of(cap, arrangement)
            pixels = disc(self.cap_px, colours[cap], ground)
            if cap == chosen:
                pixels = _ringed(pixels, round(RING * self.pitch_px), ground, self.look.strong)
            layers.append(self._layer(pixels, spot))
        return tuple(layers)

    def done_area(self, hint: Area) -> Area:
        """Return the area in which a click confirms the row: around the hint for it."""
        room = self.look.px(0.015)
        left, top, right, bottom = hint
        return left - room, top - room, right + room, bottom + room

    def _layer(self, pixels: Pixels, spot: Spot) -> Layer:
        x, y = self.middle(spot)
        side = len(pixels)
        return Layer(pixels, round(x - side / 2), round(y - side / 2))


def disc(side_px: int, colour: Rgb, ground: Rgb, outline: Rgb | None = None) -> Pixels:
    """Return a disc on a background, uint8 (side, side, 3), with a smoothed edge."""
    fine = side_px * SUPERSAMPLING
    picture = Image.new("RGB", (fine, fine), ground)
    width = 2 * SUPERSAMPLING if outline is not None else 0
    ImageDraw.Draw(picture).ellipse(
        (0, 0, fine - 1, fine - 1), fill=colour, outline=outline, width=width
    )
    return np.asarray(picture.resize((side_px, side_px), Image.Resampling.LANCZOS))


def _ringed(cap: Pixels, side_px: int, ground: Rgb, colour: Rgb) -> Pixels:
    """Return a cap within a ring of a wider diameter."""
    ring = disc(side_px, ground, ground, colour).copy()
    margin = (side_px - len(cap)) // 2
    rows, columns = np.ogrid[: len(cap), : len(cap)]
    middle = (len(cap) - 1) / 2
    inside = (rows - middle) ** 2 + (columns - middle) ** 2 <= (len(cap) / 2 + 1) ** 2
    within = ring[margin : margin + len(cap), margin : margin + len(cap)]
    within[inside] = cap[inside]
    return ring


def held_cap(side_px: int, colour: Rgb) -> Pixels:
    """Return a cap that moves with the pointer, uint8 (side, side, 4), transparent around it."""
    cover = disc(side_px, (255, 255, 255), (0, 0, 0))[..., :1]
    flat = np.broadcast_to(np.array(colour, dtype=np.uint8), (side_px, side_px, 3))
    return np.ascontiguousarray(np.concatenate([flat, cover], axis=2))


def _distance(first: Place, second: Place) -> float:
    return float(np.hypot(first[0] - second[0], first[1] - second[1]))


DONE_KEY: Final = "return"

DRAGGED: Final = 0.25
"""A press that moves further than this share of a cap is a drag, else a click."""

Moved = Callable[[int, int | None], None]


class CapsWork:
    """Handles the pointer's events, and keeps the places of the caps.

    Parameters
    ----------
    board
        The board's layout.
    arrangement
        The caps that are in the row already.
    done_area
        Area in which a click confirms a full row.
    moved
        Called with every move: the cap, and its place in the row from 1, None for the tray.

    Attributes
    ----------
    arrangement
        The current arrangement.
    held, held_at
        The cap that moves with the pointer, and the position of its middle.
    chosen
        The cap that a click on a place will move.
    done
        Whether the full row was confirmed.
    changed
        Whether the caps must be redrawn; the code that draws them resets it.
    """

    def __init__(
        self, board: CapsBoard, arrangement: Arrangement, done_area: Area, moved: Moved
    ) -> None:
        self.arrangement = arrangement
        self.held: int | None = None
        self.held_at: Place = (0.0, 0.0)
        self.chosen: int | None = None
        self.done = False
        self.changed = True
        self._board, self._moved, self._done_area = board, moved, done_area
        self._down: tuple[Place, Spot | None] | None = None

    def press(self, press: Press) -> None:
        """Handle a key."""
        if not press.chord and press.key == DONE_KEY and self.arrangement.full:
            self.done = True

    def pointer(self, event: PointerEvent) -> None:
        """Handle an event of the pointer."""
        at = (event.x_px, event.y_px)
        if event.kind == "down" and event.button == "left":
            self._press_down(at)
        elif event.kind == "move" and self._down is not None:
            self._drag(at)
        elif event.kind == "up" and event.button == "left" and self._down is not None:
            self._let_go(at)

    def drop(self) -> None:
        """Put a held cap back, because the board is removed."""
        self._down, self.held, self.changed = None, None, True

    def _press_down(self, at: Place) -> None:
        if self.arrangement.full and key_at({"done": self._done_area}, at):
            self.done = True
            return
        self._down = (at, self._board.spot_at(at))

    def _drag(self, at: Place) -> None:
        assert self._down is not None
        (x, y), spot = self._down
        if self.held is None and spot is not None:
            way = max(abs(at[0] - x), abs(at[1] - y))
            cap = self._board.cap_at(spot, self.arrangement)
            if cap is not None and way > DRAGGED * self._board.cap_px:
                self.held, self.chosen, self.changed = cap, None, True
        self.held_at = at

    def _let_go(self, at: Place) -> None:
        assert self._down is not None
        (_, spot), held = self._down, self.held
        self._down, self.held, self.changed = None, None, True
        if held is not None:
            self._put(held, self._board.spot_at(at))
        elif spot is not None:
            self._click(spot)

    def _click(self, spot: Spot) -> None:
        cap = self._board.cap_at(spot, self.arrangement)
        chosen, self.chosen = self.chosen, None
        if chosen is None or (spot[0] == "tray" and cap not in (None, chosen)):
            self.chosen = cap
        elif cap != chosen:
            self._put(chosen, spot)

    def _put(self, cap: int, spot: Spot | None) -> None:
        """Move a cap to a spot, unless it is there already or the spot is the fixed cap's."""
        if spot is None or spot == ("row", 0):
            return
        place = spot[1] if spot[0] == "row" else None
        moved = self.arrangement.moved(cap, place)
        if moved != self.arrangement:
            self.arrangement = moved
            self._moved(cap, place)


@dataclass(frozen=True, slots=True)
class _Frame:
    """The board, the caps, and the cap that moves with the pointer."""

    pictures: tuple[Picture, ...]
    cursor: Cursor | None
    work: CapsWork

    def draw(self) -> None:
        """Draw into the back buffer."""
        for picture in self.pictures:
            picture.draw()
        if self.cursor is not None:
            self.cursor.draw(*self.work.held_at)


@dataclass(frozen=True, slots=True)
class _Desk:
    """The parts that stay on the screen for the whole task, and the pointer."""

    board: CapsBoard
    colours: Sequence[Rgb]
    picture: Picture
    cursors: Sequence[Cursor]
    pointer: Pointer


class CapsScreen:
    """Lets a person put the caps in order.

    Parameters
    ----------
    context
        The open window and the actor.
    waiting
        Handles the chords that pause and end the session.
    look, words
        Look of the screens, and the short words in the session's language.
    """

    def __init__(self, context: SessionContext, waiting: Waiting, look: Look, words: Words) -> None:
        self._context, self._stage, self._waiting = context, context.stage, waiting
        self._look, self._words = look, words

    def run(
        self,
        task: D15Task,
        colours: Sequence[Rgb],
        arrangement: Arrangement,
        recorder: Recorder,
    ) -> Arrangement:
        """Show the board until the full row is confirmed; every move is recorded at once.

        Parameters
        ----------
        task
            The task, with the caps' order in the tray.
        colours
            Codes of the fixed cap and of caps 1 to 15.
        arrangement
            The caps that are in the row already.
        recorder
            Records the moves.
        """
        board = CapsBoard(self._look, task.tray)
        done = board.done_area(hint_area(self._look, self._done_hint(), *self._foot(), first=False))

        def moved(cap: int, place: int | None) -> None:
            recorder.append(CAP_MOVED, durable=True, cap=cap, place=place)

        work = CapsWork(board, arrangement, done, moved)
        picture = self._stage.picture(
            board.board_layers(
                *(self._words[f"caps_{name}"] for name in ("title", "hint", "start"))
            )
        )
        cursors = [self._stage.cursor(held_cap(board.cap_px, colour)) for colour in colours]
        desk = _Desk(board, colours, picture, cursors, self._stage.pointer())
        try:
            while not work.done:
                self._waiting.between()
                self._context.actor.expect(task, (board, done, work.arrangement))
                self._stay(desk, work)
                work.drop()
        finally:
            picture.free()
        return work.arrangement

    def _stay(self, desk: _Desk, work: CapsWork) -> None:
        """Show the board until it is confirmed, or a chord or another window interrupts."""
        desk.pointer.poll()
        caps: Picture | None = None
        began_s, kept = None, False
        with pointer_shown(self._stage.window):
            while not work.done:
                if caps is None or work.changed:
                    if caps is not None:
                        caps.free()
                    caps = self._caps(desk.board, desk.colours, work)
                    work.changed = False
                cursor = None if work.held is None else desk.cursors[work.held]
                frame = _Frame((desk.picture, caps), cursor, work)
                kept = self._keep(frame, work) or kept
                flip_s = self._stage.frame(frame)
                if began_s is None:
                    began_s = flip_s
                    self._context.actor.onset(flip_s)
                presses = self._stage.presses()
                if self._waiting.note_all(presses) or self._waiting.disturbed():
                    break
                for event in desk.pointer.poll():
                    work.pointer(event)
                for press in presses:
                    if press.t_s > began_s:
                        work.press(press)
        if caps is not None:
            caps.free()

    def _caps(self, board: CapsBoard, colours: Sequence[Rgb], work: CapsWork) -> Picture:
        layers = board.cap_layers(colours, work.arrangement, work.held, work.chosen)
        canvas = self._look.canvas()
        draw_footer(
            self._look, ImageDraw.Draw(canvas), self._footer(work.arrangement), *self._foot()
        )
        return self._stage.picture((*layers, *self._look.layers(canvas)))

    def _keep(self, frame: _Frame, work: CapsWork) -> bool:
        """Save pictures of the board: at the beginning, with a cap held or chosen, and full."""
        state = "held" if work.held else "chosen" if work.chosen else ""
        count = len(work.arrangement.row)
        state = state or ("full" if work.arrangement.full else "empty" if not count else "")
        if state:
            self._context.album.keep(f"caps-{state}", self._stage, frame)
        return bool(state)

    def _footer(self, arrangement: Arrangement) -> Footer:
        if arrangement.full:
            return Footer(on=self._done_hint())
        left = self._words.filled("caps_left", count=str(CAPS - len(arrangement.row)))
        return Footer(note=left)

    def _done_hint(self) -> Hint:
        return Hint((self._words.cap("return"),), self._words["done"])

    def _foot(self) -> tuple[int, int]:
        margin = round((1 - WIDTH) / 2 * self._look.size_px[0])
        return margin, self._look.size_px[0] - 2 * margin
