"""Pages of words on the screen: reading, choosing, resting."""

import time
from collections.abc import Mapping, Sequence
from typing import Final

from experiments.engine.picture import Pixels
from experiments.pages.awaited import Awaited
from experiments.pages.pausing import CONFIRM
from experiments.pages.stopping import STOP_KEY
from experiments.pages.waiting import Tell, Waiting, go_on, tell_nobody
from experiments.robot_input.actor import Actor
from experiments.screens.look import Look
from experiments.screens.page import Sheet, click_areas, page_layers, rest_layers, sheets_of
from experiments.screens.parts import Area, Footer, Hint, Option
from participants.session import BACK as GO_BACK
from participants.session import GO_ON, THEN, Page, PageResult, Question
from participants.texts import Words

NEXT: Final = "space"
BACK: Final = frozenset({"left", "backspace"})
LEAVE_KEY: Final = "escape"
CHORD: Final = ("lctrl", "lshift")


class Pages:
    """Shows pages and waits for their keys.

    Parameters
    ----------
    waiting
        Waits; it answers the chords that pause and end the session.
    actor
        Who answers.
    look, words
        How pages look, and the short words in the language.
    """

    def __init__(self, waiting: Waiting, actor: Actor, look: Look, words: Words) -> None:
        self._waiting, self._actor = waiting, actor
        self._look, self._words = look, words

    def read(self, page: Page, markdown: str, figure: Pixels | None = None) -> PageResult:
        """Show a page's text until its first or its last screenful was left.

        Parameters
        ----------
        page
            Says who leaves it, by which key, and whether the page before it can be gone back to.
        markdown
            Its text.
        figure
            uint8 (height, width, 3), to stand beside the text.
        """
        sheets = sheets_of(self._look, markdown, figure=figure is not None)
        began_s = time.perf_counter()
        at = len(sheets) - 1 if page.from_end else 0
        experimenter = page.reader == "experimenter"
        modifiers = CHORD if experimenter else ()
        while 0 <= at < len(sheets):
            last = at == len(sheets) - 1
            key = "return" if experimenter or (page.confirmed and last) else NEXT
            footer = Footer(
                on=self._on(key, page),
                back=self._back(at or page.may_return),
                place=self._place(at, len(sheets)),
            )
            layers = page_layers(self._look, sheets[at], footer, figure=figure)
            press = self._waiting.for_key(
                f"{page.text}-{at + 1}" if len(sheets) > 1 else page.text,
                layers,
                Awaited(
                    frozenset({key}) | (BACK if at or page.may_return else frozenset()),
                    chord=experimenter,
                ),
                lambda from_s, key=key: self._actor.turn(key, from_s, modifiers),
            )
            at += -1 if press.key in BACK else 1
        if experimenter:
            # What follows may be the terminal, which a held key would type into.
            self._waiting.until_up("return")
        answers = {THEN: GO_BACK} if at < 0 else {}
        return PageResult(time.perf_counter() - began_s, answers)

    def choose(
        self,
        name: str,
        markdown: str,
        question: Question,
        options: Mapping[str, str],
        figure: Pixels | None = None,
    ) -> str:
        """Show a text with answers at its end; return the choice that was confirmed.

        A click on an answer chooses it as its number does, and one on the hint below confirms.

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
            footer = self._choice_footer(at, len(sheets), chosen if last else None, question.place)
            layers = page_layers(
                self._look, sheets[at], footer, chosen=chosen if last else None, figure=figure
            )
            keys = self._choice_keys(at, len(sheets), len(shown), chosen)
            tell = self._teller(question, list(options), told) if last else self._turner()
            told = told or last
            name_here = f"{name}-{at + 1}" if len(sheets) > 1 else name
            suffix = "" if not last or chosen is None else "-chosen"
            areas = self._click_areas(sheets[at], footer, figure) if last else {}
            awaited = Awaited(keys, since_s=since_s, areas=areas)
            press = self._waiting.for_key(name_here + suffix, layers, awaited, tell)
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
        footer = Footer(on=go_on(self._words, NEXT))
        layers = rest_layers(self._look, markdown, footer, share=share, caption=caption)
        self._waiting.for_key(name, layers, Awaited(frozenset({NEXT})), self._turner())
        return time.perf_counter() - began_s

    def rest_or_leave(
        self, name: str, markdown: str, minimum_s: float, share: float, caption: str
    ) -> tuple[float, str]:
        """Show a break that offers to stop here; return how long it took, and what follows."""
        began_s = time.perf_counter()
        self._wait_out(name, markdown, minimum_s, share, caption)
        leave = Hint((self._words.cap(LEAVE_KEY),), self._words["leave"])
        footer = Footer(on=go_on(self._words, NEXT), back=leave)
        layers = rest_layers(self._look, markdown, footer, share=share, caption=caption)
        then = ""
        while then in ("", GO_ON):
            awaited = Awaited(frozenset({NEXT, LEAVE_KEY}))
            press = self._waiting.for_key(name, layers, awaited, self._parter())
            if press.key == NEXT:
                return time.perf_counter() - began_s, GO_ON
            then = self._waiting.ask_whether_to_stop(
                "leave", lambda from_s: self._actor.hold(STOP_KEY, from_s)
            )
        return time.perf_counter() - began_s, then

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
            self._waiting.notice(f"{name}-wait", layers, min(1.0, left_s))
            left_s = until_s - time.perf_counter()

    def _on(self, key: str, page: Page) -> Hint:
        if page.reader == "participant":
            word = "continue" if key == NEXT else "begin"
            return Hint((self._words.cap(key),), self._words[word])
        caps = tuple(self._words.cap(name) for name in (*CHORD, key))
        return Hint(caps, self._words["experimenter_continue"])

    def _back(self, possible: int | bool) -> Hint | None:
        return Hint((self._words.cap("left"),), self._words["back"]) if possible else None

    def _place(self, at: int, count: int) -> str:
        if count == 1:
            return ""
        return self._words.filled("page_of", page=str(at + 1), pages=str(count))

    def _choice_footer(
        self, at: int, count: int, chosen: int | None, number: tuple[int, int] | None
    ) -> Footer:
        place, back = self._place(at, count), self._back(at)
        if number is not None:
            of_all = {"number": str(number[0]), "total": str(number[1])}
            place = f"{self._words.filled('question_of', **of_all)} {place}".strip()
        if at < count - 1:
            return Footer(on=go_on(self._words, NEXT), back=back, place=place)
        if chosen is None:
            return Footer(note=self._words["choose"], back=back, place=place)
        return Footer(on=go_on(self._words, "return"), back=back, place=place)

    def _click_areas(self, sheet: Sheet, footer: Footer, figure: Pixels | None) -> dict[str, Area]:
        """Return where a click stands for a key, by the key."""
        answers, on, back = click_areas(self._look, sheet, footer, figure=figure)
        areas = {option.cap: area for option, area in zip(sheet.options, answers, strict=True)}
        hints = {"return": on, "left": back}
        return areas | {key: area for key, area in hints.items() if area is not None}

    @staticmethod
    def _choice_keys(at: int, count: int, options: int, chosen: int | None) -> frozenset[str]:
        back = BACK if at else frozenset()
        if at < count - 1:
            return back | {NEXT}
        digits = {str(number) for number in range(1, options + 1)}
        confirm = CONFIRM if chosen is not None else frozenset()
        return back | digits | {f"num_{digit}" for digit in digits} | confirm

    def _turner(self) -> Tell:
        return lambda from_s: self._actor.turn(NEXT, from_s)

    def _parter(self) -> Tell:
        return lambda from_s: self._actor.go_on_or_leave(NEXT, LEAVE_KEY, from_s)

    def _teller(self, question: Question, choices: Sequence[str], told: bool) -> Tell:
        if told:
            return tell_nobody
        keys = {choice: str(number) for number, choice in enumerate(choices, 1)}
        return lambda from_s: self._actor.choose(question, keys, "return")
