"""The caps of the D-15 on the screen: from frame to frame, until the full row is confirmed."""

from collections.abc import Sequence
from dataclasses import dataclass

from PIL import ImageDraw

from experiments.engine.picture import Picture
from experiments.engine.pointer import Pointer, pointer_shown
from experiments.engine.window import Rgb
from experiments.pages.context import SessionContext
from experiments.pages.waiting import Waiting
from experiments.screening.caps_board import WIDTH, CapsBoard, held_cap
from experiments.screening.caps_work import CapsWork
from experiments.screens.look import Look
from experiments.screens.parts import Footer, Hint, draw_footer, hint_area
from experiments.strokes.easel import Cursor
from participants.journal import Recorder
from participants.screening.arrangement import Arrangement
from participants.screening.events import CAP_MOVED
from participants.screening.stages import D15Task
from participants.texts import Words
from stimuli.screening.d15 import CAPS


@dataclass(frozen=True, slots=True)
class _Frame:
    """What is drawn: the board, the caps, and the one that goes with the pointer."""

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
    """What lies on the screen for the whole task, and the pointer over it."""

    board: CapsBoard
    colours: Sequence[Rgb]
    picture: Picture
    cursors: Sequence[Cursor]
    pointer: Pointer


class CapsScreen:
    """Has the caps put in order.

    Parameters
    ----------
    context
        The open window, and who answers.
    waiting
        Answers the chords that pause and end the session.
    look, words
        How screens look, and the short words in the language.
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
            Knows how the caps lie in the tray.
        colours
            Codes of the fixed cap and of caps 1 to 15.
        arrangement
            What lies in the row already.
        recorder
            Keeps the moves.
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
        cursors = [Cursor(self._stage.window, held_cap(board.cap_px, colour)) for colour in colours]
        desk = _Desk(board, colours, picture, cursors, Pointer(self._stage.window))
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
        """Show the board until it is done, or a chord or another window takes it away."""
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
        """Keep pictures of the board: at the beginning, with a cap held or chosen, and full."""
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
