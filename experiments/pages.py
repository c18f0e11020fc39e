"""Pages on the screen: reading, choosing, resting; pausing and ending by chords."""

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from experiments.engine.input import MODIFIERS, Press
from experiments.engine.picture import Layers, Picture, Pixels
from experiments.scene import Scene
from experiments.screens.look import Look
from experiments.screens.notices import question_layers
from experiments.screens.page import page_layers, rest_layers, sheets_of
from experiments.screens.parts import Footer, Hint, Option
from participants.session import Question, SessionAborted
from participants.texts import Words

NEXT: Final = "space"
BACK: Final = frozenset({"left", "backspace"})
CONFIRM: Final = frozenset({"return", "num_enter"})
PAUSE_KEY, ABORT_KEY = "p", "q"
LEAVE_KEY: Final = "escape"
CHORD: Final = ("lctrl", "lshift")
HOLD_S = 1.0
POLL_S = 0.004
REFLIP_S = 0.25
CONFIRMED_BY_KEY: Final = "confirmed by key"


@dataclass(frozen=True, slots=True)
class Turned:
    """How a page was left: by which key, and how long it had stood."""

    press: Press
    shown_s: float


class Pages:
    """Shows pages on a stage and waits for their keys; nothing here is timed to a frame.

    Parameters
    ----------
    scene
        Where it is shown, and who answers and keeps it.
    look, words
        How it looks, and the short words in the language.
    pause_text
        The text of the pause page, Markdown.
    """

    def __init__(self, scene: Scene, look: Look, words: Words, pause_text: str) -> None:
        self._stage, self._actor = scene.stage, scene.actor
        self._album, self._recorder = scene.album, scene.recorder
        self._look = look
        self._words = words
        self._pause_text = pause_text
        self._pause_asked = self._end_asked = False
        self._inbox: deque[Press] = deque()

    def read(
        self, name: str, markdown: str, *, figure: Pixels | None = None, experimenter: bool = False
    ) -> float:
        """Show a text until its last screenful was left; return how long that took."""
        sheets = sheets_of(self._look, markdown, figure=figure is not None)
        began_s = time.perf_counter()
        at = 0
        key, modifiers = ("return", CHORD) if experimenter else (NEXT, ())
        while at < len(sheets):
            footer = Footer(
                on=self._on(key, experimenter=experimenter),
                back=self._back(at),
                place=self._place(at, len(sheets)),
            )
            layers = page_layers(self._look, sheets[at], footer, figure=figure)
            keys = frozenset({key}) | (BACK if at else frozenset())
            turned = self._await(
                f"{name}-{at + 1}" if len(sheets) > 1 else name,
                layers,
                keys,
                lambda from_s: self._actor.turn(key, from_s, modifiers),
                chord=experimenter,
            )
            at += -1 if turned.press.key in BACK else 1
        return time.perf_counter() - began_s

    def choose(
        self,
        name: str,
        markdown: str,
        question: Question,
        options: Mapping[str, str],
        figure: Pixels | None = None,
    ) -> str:
        """Show a text with answers at its end; return the choice that was confirmed.

        Parameters
        ----------
        name
            Of the screen.
        markdown
            The text, or the question itself.
        question
            Whose choices they are.
        options
            Words of the choices, by choice, in order; at most nine.
        figure
            uint8 (height, width, 3), to stand beside the text.
        """
        shown = [Option(str(number), words) for number, words in enumerate(options.values(), 1)]
        sheets = sheets_of(self._look, markdown, shown, figure=figure is not None)
        chosen: int | None = None
        at = 0
        told = False
        since_s: float | None = None
        while True:
            last = at == len(sheets) - 1
            layers = page_layers(
                self._look,
                sheets[at],
                self._choice_footer(at, len(sheets), chosen if last else None),
                chosen=chosen if last else None,
                figure=figure,
            )
            keys = self._choice_keys(at, len(sheets), len(shown), chosen)
            tell = self._teller(question, list(options), told) if last else self._turner()
            told = told or last
            name_here = f"{name}-{at + 1}" if len(sheets) > 1 else name
            suffix = "" if not last or chosen is None else "-chosen"
            press = self._await(name_here + suffix, layers, keys, tell, since_s=since_s).press
            key, since_s = press.key, None
            if key in BACK:
                at -= 1
            elif key == NEXT:
                at += 1
            elif key in CONFIRM:
                return list(options)[chosen or 0]
            else:
                # What is pressed while the chosen answer is being drawn counts too.
                chosen, since_s = int(key.removeprefix("num_")) - 1, press.t_s

    def rest(self, name: str, markdown: str, minimum_s: float, share: float, caption: str) -> float:
        """Show a break, at least for a minimum; return how long it took."""
        began_s = time.perf_counter()
        self._wait_out(name, markdown, minimum_s, share, caption)
        footer = Footer(on=self._on(NEXT))
        layers = rest_layers(self._look, markdown, footer, share=share, caption=caption)
        self._await(name, layers, frozenset({NEXT}), self._turner())
        return time.perf_counter() - began_s

    def rest_or_leave(
        self, name: str, markdown: str, minimum_s: float, share: float, caption: str
    ) -> tuple[float, bool]:
        """Show a break that offers to stop here; return how long it took, and whether to stop."""
        began_s = time.perf_counter()
        self._wait_out(name, markdown, minimum_s, share, caption)
        leave = Hint((self._words.cap(LEAVE_KEY),), self._words["leave"])
        footer = Footer(on=self._on(NEXT), back=leave)
        layers = rest_layers(self._look, markdown, footer, share=share, caption=caption)
        leaves = False
        while not leaves:
            press = self._await(name, layers, frozenset({NEXT, LEAVE_KEY}), self._parter()).press
            if press.key == NEXT:
                break
            leaves = self._confirmed("leave", lambda from_s: self._actor.hold("return", from_s))
        return time.perf_counter() - began_s, leaves

    def _wait_out(
        self, name: str, markdown: str, minimum_s: float, share: float, caption: str
    ) -> None:
        """Show a break that can't be left yet."""
        until_s = time.perf_counter() + minimum_s
        left_s = minimum_s
        while left_s > 0:
            wait = self._words.filled("wait", seconds=str(int(left_s) + 1))
            layers = rest_layers(
                self._look, markdown, Footer(note=wait), share=share, caption=caption
            )
            self._show_for(f"{name}-wait", layers, min(1.0, left_s))
            left_s = until_s - time.perf_counter()

    def notice(self, name: str, layers: Layers, shown_s: float) -> None:
        """Show something for a while."""
        self._show_for(name, layers, shown_s)

    def keep_up(self, name: str, picture: Picture, shown_s: float) -> None:
        """Show a picture for a while."""
        self._album.keep(name, self._stage, picture)
        until_s = self._stage.frame(picture) + shown_s
        while time.perf_counter() < until_s:
            time.sleep(min(POLL_S, max(0.0, until_s - time.perf_counter())))
            self._heed_chords()

    def note(self, press: Press) -> bool:
        """Take note of a pause's chord; return whether a press is the chord that ends."""
        self._pause_asked = self._pause_asked or _is_chord(press, PAUSE_KEY)
        return _is_chord(press, ABORT_KEY)

    def ask_to_end_next(self) -> None:
        """Ask whether to end as soon as what goes on now is over: the chord met an answer."""
        self._end_asked = True

    def between(self) -> None:
        """Heed chords pressed since the last page or trial."""
        self._heed_chords()
        self._pause_if_asked()

    def confirm_abort(self) -> None:
        """Ask whether to end the session; return if not.

        Raises
        ------
        SessionAborted
            If it was confirmed by holding a key.
        """
        self._actor.broken_off()
        if self._confirmed("abort"):
            raise SessionAborted(CONFIRMED_BY_KEY)

    def _confirmed(self, name: str, tell: Callable[[float], None] = lambda from_s: None) -> bool:
        """Ask something that is confirmed by holding a key; any other key answers no."""
        question = self._words.filled(f"{name}_question", key=self._words.key("return"))
        layers = question_layers(self._look, _sentences(question))
        picture = self._stage.picture(layers)
        self._album.keep(name, self._stage, picture)
        shown_s = self._stage.frame(picture)
        picture.free()
        tell(shown_s)
        held_since_s: float | None = None
        while True:
            time.sleep(POLL_S)
            for press in self._pressed():
                if press.t_s <= shown_s or press.chord or press.key in MODIFIERS:
                    continue
                if press.key not in CONFIRM:
                    return False
                held_since_s = press.t_s
            down = any(self._stage.keyboard.is_down(key) for key in CONFIRM)
            if not down:
                held_since_s = None
            elif held_since_s is not None and time.perf_counter() - held_since_s >= HOLD_S:
                return True

    def _pause_if_asked(self) -> bool:
        """Ask what was put off, or pause; return whether something came between."""
        if self._end_asked:
            self._end_asked = False
            self.confirm_abort()
            return True
        if not self._pause_asked:
            return False
        self._pause_asked = False
        self._actor.broken_off()
        self._recorder.append("pause", reason="by key")
        footer = Footer(on=self._on("return"))
        layers = rest_layers(self._look, self._pause_text, footer)
        self._await("pause", layers, CONFIRM, lambda from_s: self._actor.turn("return", from_s))
        self._recorder.append("continue")
        return True

    def _await(
        self,
        name: str,
        layers: Layers,
        keys: frozenset[str],
        tell: Callable[[float], None],
        *,
        chord: bool = False,
        since_s: float | None = None,
    ) -> Turned:
        """Show layers until one of the keys goes down after they came, or after a moment."""
        picture = self._stage.picture(layers)
        try:
            self._album.keep(name, self._stage, picture)
            began_s = self._stage.frame(picture)
            tell(began_s)
            while True:
                after_s = began_s if since_s is None else since_s
                press = self._next_press(picture, keys, after_s, tell, chord=chord)
                if press is not None:
                    return Turned(press, press.t_s - began_s)
                self._check_patience(name, began_s)
        finally:
            picture.free()

    def _next_press(
        self,
        picture: Picture,
        keys: frozenset[str],
        after_s: float,
        tell: Callable[[float], None],
        *,
        chord: bool,
    ) -> Press | None:
        until_s = time.perf_counter() + REFLIP_S
        while time.perf_counter() < until_s:
            time.sleep(POLL_S)
            for press in self._pressed():
                if self.note(press):
                    self.confirm_abort()
                    tell(self._stage.frame(picture))
                elif press.key in keys and press.chord == chord and press.t_s > after_s:
                    return press
            if self._pause_if_asked():
                tell(self._stage.frame(picture))
        self._stage.frame(picture)
        return None

    def _pressed(self) -> Iterator[Press]:
        """Yield the keys' presses one by one; what isn't taken now is there the next time."""
        presses = self._stage.presses()
        self._inbox.extend(press for press in presses if press.device == "keyboard")
        while self._inbox:
            yield self._inbox.popleft()

    def _heed_chords(self) -> None:
        for press in self._pressed():
            if self.note(press):
                self.confirm_abort()

    def _check_patience(self, name: str, began_s: float) -> None:
        patience_s = self._actor.patience_s
        if patience_s is not None and time.perf_counter() - began_s > patience_s:
            raise RuntimeError(f"the robot's key never came on page {name!r}")

    def _show_for(self, name: str, layers: Layers, shown_s: float) -> None:
        picture = self._stage.picture(layers)
        self.keep_up(name, picture, shown_s)
        picture.free()

    def _on(self, key: str, *, experimenter: bool = False) -> Hint:
        keys = (*CHORD, key) if experimenter else (key,)
        words = self._words["experimenter_continue" if experimenter else "continue"]
        return Hint(tuple(self._words.cap(name) for name in keys), words)

    def _back(self, at: int) -> Hint | None:
        return Hint((self._words.cap("left"),), self._words["back"]) if at else None

    def _place(self, at: int, count: int) -> str:
        if count == 1:
            return ""
        return self._words.filled("page_of", page=str(at + 1), pages=str(count))

    def _choice_footer(self, at: int, count: int, chosen: int | None) -> Footer:
        place, back = self._place(at, count), self._back(at)
        if at < count - 1:
            return Footer(on=self._on(NEXT), back=back, place=place)
        if chosen is None:
            return Footer(note=self._words["choose"], back=back, place=place)
        return Footer(on=self._on("return"), back=back, place=place)

    @staticmethod
    def _choice_keys(at: int, count: int, options: int, chosen: int | None) -> frozenset[str]:
        back = BACK if at else frozenset()
        if at < count - 1:
            return back | {NEXT}
        digits = {str(number) for number in range(1, options + 1)}
        confirm = CONFIRM if chosen is not None else frozenset()
        return back | digits | {f"num_{digit}" for digit in digits} | confirm

    def _turner(self) -> Callable[[float], None]:
        return lambda from_s: self._actor.turn(NEXT, from_s)

    def _parter(self) -> Callable[[float], None]:
        return lambda from_s: self._actor.go_on_or_leave(NEXT, LEAVE_KEY, from_s)

    def _teller(
        self, question: Question, choices: Sequence[str], told: bool
    ) -> Callable[[float], None]:
        if told:
            return lambda from_s: None
        keys = {choice: str(number) for number, choice in enumerate(choices, 1)}
        return lambda from_s: self._actor.choose(question, keys, "return")


def _is_chord(press: Press, key: str) -> bool:
    return press.chord and press.key == key


def _sentences(text: str) -> list[str]:
    sentences, start = [], 0
    for at, sign in enumerate(text):
        if sign in ".?!" and text[at + 1 : at + 2] in (" ", ""):
            sentences.append(text[start : at + 1].strip())
            start = at + 1
    rest = text[start:].strip()
    return [*sentences, rest] if rest else sentences
