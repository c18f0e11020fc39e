"""The screens of text that all sessions share, and the comparison of clocks between them.

`Pages` shows text to read, questions with choices, and breaks. `TextPages` uses it to show a
study's texts.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from experiments.engine.clock import Moment
from experiments.engine.picture import Pixels
from experiments.pages.context import SessionContext
from experiments.pages.interruptions import CONFIRM, STOP_KEY, Awaited, PauseSettings, Unsaved
from experiments.pages.settings import Painter, ScreenSettings
from experiments.pages.timed_choice import left_first
from experiments.pages.waiting import Tell, Waiting, go_on, tell_nobody
from experiments.robot_input.actor import AGREE, DECLINE, Actor
from experiments.screens.library import PAUSE_TEXTS, UNSAVED, Library
from experiments.screens.look import Look
from experiments.screens.page import Sheet, click_areas, page_layers, rest_layers, sheets_of
from experiments.screens.parts import Area, Footer, Hint, Option
from participants.session import BACK as GO_BACK
from participants.session import (
    GO_ON,
    THEN,
    Break,
    Check,
    Consent,
    ConsentResult,
    Page,
    PageResult,
    Question,
    SessionAborted,
    SessionPlan,
)
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
        Waits for keys; it handles the chords that pause and end the session.
    actor
        Answers: a person or a robot.
    look, words
        Look of the pages, and the short words in the session's language.
    """

    def __init__(self, waiting: Waiting, actor: Actor, look: Look, words: Words) -> None:
        self._waiting, self._actor = waiting, actor
        self._look, self._words = look, words

    def read(self, page: Page, markdown: str, figure: Pixels | None = None) -> PageResult:
        """Show a page's text until the reader leaves it forwards or backwards.

        Parameters
        ----------
        page
            The page: it says who leaves it, by which key, which keys are tried before that, and
            whether the reader can go back.
        markdown
            The page's text.
        figure
            Picture beside the text, uint8 (height, width, 3).
        """
        sheets = sheets_of(self._look, markdown, figure=figure is not None)
        began_s = self._waiting.now_s()
        at = len(sheets) - 1 if page.from_end else 0
        untried, since_s = list(page.keys), None
        experimenter = page.reader == "experimenter"
        modifiers = CHORD if experimenter else ()
        while 0 <= at < len(sheets):
            last = at == len(sheets) - 1
            key = "return" if experimenter or (page.confirmed and last) else NEXT
            wanted = (last and untried) or [key]
            footer = Footer(
                on=self._trying(untried) if wanted is untried else self._on(key, page),
                back=self._back(at or page.may_return),
                place=self._place(at, len(sheets)),
            )
            layers = page_layers(self._look, sheets[at], footer, figure=figure)
            press = self._waiting.for_key(
                f"{page.text}-{at + 1}" if len(sheets) > 1 else page.text,
                layers,
                Awaited(
                    frozenset(wanted) | (BACK if at or page.may_return else frozenset()),
                    chord=experimenter,
                    since_s=since_s,
                ),
                lambda from_s, key=wanted[0]: self._actor.turn(key, from_s, modifiers),
            )
            since_s = None
            if press.key in untried:
                # The next key may come while this one's hint is being taken away.
                untried.remove(press.key)
                since_s = press.t_s
            else:
                at += -1 if press.key in BACK else 1
        if experimenter:
            # The terminal may come next, and a held key would type into it.
            self._waiting.until_up("return")
        answers = {THEN: GO_BACK} if at < 0 else {}
        return PageResult(self._waiting.now_s() - began_s, answers)

    def choose(
        self,
        name: str,
        markdown: str,
        question: Question,
        options: Mapping[str, str],
        figure: Pixels | None = None,
    ) -> str:
        """Show a text with answers at its end; return the confirmed choice.

        A click on an answer chooses it, like its number key; a click on the hint below confirms.

        Parameters
        ----------
        name
            The screen's name.
        markdown
            The text, or the question itself.
        question
            The question with the choices.
        options
            Words of the choices, by choice, in order; at most nine.
        figure
            Picture beside the text, uint8 (height, width, 3).
        """
        answers = [Option(str(number), words) for number, words in enumerate(options.values(), 1)]
        sheets = sheets_of(self._look, markdown, answers, figure=figure is not None)
        chosen: int | None = None
        at = 0
        actor_knows = False
        since_s: float | None = None
        while True:
            last = at == len(sheets) - 1
            footer = self._choice_footer(at, len(sheets), chosen if last else None, question.place)
            layers = page_layers(
                self._look, sheets[at], footer, chosen=chosen if last else None, figure=figure
            )
            keys = self._choice_keys(at, len(sheets), len(answers), chosen)
            tell = self._teller(question, list(options), actor_knows) if last else self._turner()
            actor_knows = actor_knows or last
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
            elif key == CONFIRM:
                return list(options)[chosen or 0]
            else:
                # Presses while the chosen answer is being drawn count too.
                chosen, since_s = int(key) - 1, press.t_s

    def rest(self, name: str, markdown: str, minimum_s: float, share: float, caption: str) -> float:
        """Show a break for at least a minimum; return its duration."""
        began_s = self._waiting.now_s()
        self._wait_out(name, markdown, minimum_s, share, caption)
        footer = Footer(on=go_on(self._words, NEXT))
        layers = rest_layers(self._look, markdown, footer, share=share, caption=caption)
        self._waiting.for_key(name, layers, Awaited(frozenset({NEXT})), self._turner())
        return self._waiting.now_s() - began_s

    def rest_or_leave(
        self, name: str, markdown: str, minimum_s: float, share: float, caption: str
    ) -> tuple[float, str]:
        """Show a break that offers to stop here; return its duration and the answer."""
        began_s = self._waiting.now_s()
        self._wait_out(name, markdown, minimum_s, share, caption)
        leave = Hint((self._words.cap(LEAVE_KEY),), self._words["leave"])
        footer = Footer(on=go_on(self._words, NEXT), back=leave)
        layers = rest_layers(self._look, markdown, footer, share=share, caption=caption)
        then = ""
        while then in ("", GO_ON):
            awaited = Awaited(frozenset({NEXT, LEAVE_KEY}))
            press = self._waiting.for_key(name, layers, awaited, self._parter())
            if press.key == NEXT:
                return self._waiting.now_s() - began_s, GO_ON
            then = self._waiting.ask_whether_to_stop(
                "leave", lambda from_s: self._actor.hold(STOP_KEY, from_s)
            )
        return self._waiting.now_s() - began_s, then

    def _wait_out(
        self, name: str, markdown: str, minimum_s: float, share: float, caption: str
    ) -> None:
        """Show a break that can't be left yet."""
        until_s = self._waiting.now_s() + minimum_s
        left_s = minimum_s
        while left_s > 0:
            wait = self._words.filled("wait", seconds=str(int(left_s) + 1))
            layers = rest_layers(
                self._look, markdown, Footer(note=wait), share=share, caption=caption
            )
            self._waiting.notice(f"{name}-wait", layers, min(1.0, left_s))
            left_s = until_s - self._waiting.now_s()

    def _on(self, key: str, page: Page) -> Hint:
        if page.reader == "participant":
            word = "continue" if key == NEXT else "begin"
            return Hint((self._words.cap(key),), self._words[word])
        caps = tuple(self._words.cap(name) for name in (*CHORD, key))
        return Hint(caps, self._words["experimenter_continue"])

    def _trying(self, keys: Sequence[str]) -> Hint:
        return Hint(tuple(map(self._words.cap, keys)), self._words["try_keys"])

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
        """Return the areas in which a click stands for a key, by the key."""
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
        return back | digits | ({CONFIRM} if chosen is not None else set())

    def _turner(self) -> Tell:
        return lambda from_s: self._actor.turn(NEXT, from_s)

    def _parter(self) -> Tell:
        return lambda from_s: self._actor.go_on_or_leave(NEXT, LEAVE_KEY, from_s)

    def _teller(self, question: Question, choices: Sequence[str], actor_knows: bool) -> Tell:
        if actor_knows:
            return tell_nobody
        keys = {choice: str(number) for number, choice in enumerate(choices, 1)}
        return lambda from_s: self._actor.choose(question, keys, "return")


def no_figure(stimulus: Any) -> NoReturn:
    """Raise an error: the study declares no figure."""
    raise ValueError(f"this study's pages have no figures, but a page shows {stimulus!r}")


@dataclass(frozen=True, slots=True)
class PageStimuli:
    """Functions that draw a study's stimuli on text pages; by default there are none.

    Attributes
    ----------
    figure
        Draws a stimulus beside a text, uint8 (height, width, 3).
    caption
        Returns the text above a question about a stimulus and below the heading of an example,
        Markdown; empty for no text.
    words
        Converts values of the plan to words for the texts.
    """

    figure: Callable[[Any], Pixels] = no_figure
    caption: Callable[[Any], str] = lambda stimulus: ""
    words: Callable[[Mapping[str, str]], Mapping[str, str]] = lambda values: {}


class TextPages:
    """A `participants.session.PagePresenter` with a real window; nothing is frame-timed.

    Parameters
    ----------
    context
        The open window, the actor and the recorder.
    settings
        Settings of the screens.
    plan
        The session's plan.
    library
        The study's texts.
    stimuli
        Draws the study's stimuli on pages.

    Attributes
    ----------
    waiting
        Waits for keys; it handles the chords that pause and end the session.
    unsaved
        Asks what to do if the journal can't be written.
    """

    def __init__(
        self,
        context: SessionContext,
        settings: ScreenSettings[Painter],
        plan: SessionPlan,
        library: Library,
        stimuli: PageStimuli,
    ) -> None:
        self._settings = settings
        self._device = plan.device
        self._library = library
        self._stimuli = stimuli
        pauses = (library.text(name, self._values({})).markdown for name in PAUSE_TEXTS)
        self.waiting = Waiting(
            context, settings.look, settings.words, PauseSettings(*pauses, settings.countdown_s)
        )
        unsaved = library.text(UNSAVED, self._values({})).markdown
        self.unsaved = Unsaved(self.waiting, context, settings.look, settings.words, unsaved)
        self._pages = Pages(self.waiting, context.actor, settings.look, settings.words)

    def page(self, page: Page) -> PageResult:
        """Show a page until its reader leaves it."""
        text = self._library.text(page.text, self._values(page.values))
        markdown, figure = left_first(self._settings, text.markdown, self._device), None
        if page.figure is not None:
            figure = self._stimuli.figure(page.figure)
            markdown = _below_heading(markdown, self._stimuli.caption(page.figure))
        result = self._pages.read(page, markdown, figure)
        self.check_clock("page")
        return result

    def close(self, text: str) -> None:
        """Show a last text until the experimenter presses the chord."""
        # The chord may still be held from ending the session; only a new press counts.
        self.waiting.until_up(STOP_KEY)
        with suppress(SessionAborted):
            markdown = self._library.text(text, self._values({})).markdown
            self._pages.read(Page(text, text, reader="experimenter"), markdown)

    def consent(self, consent: Consent) -> ConsentResult:
        """Ask for consent."""
        words = self._settings.words
        text = self._library.text(consent.text, self._values(consent.values))
        question = Question(consent.step, consent.text, (AGREE, DECLINE))
        options = {AGREE: words["agree"], DECLINE: words["decline"]}
        choice = self._pages.choose(consent.text, text.markdown, question, options)
        return ConsentResult(choice == AGREE, text.version, text.sha256)

    def check(self, check: Check, attempt: int) -> Mapping[str, str]:
        """Ask the check's questions; return the choices by the questions' steps."""
        return {question.step: self.question(question) for question in check.questions}

    def question(self, question: Question) -> str:
        """Ask a question and return the choice."""
        asked = self._library.question(question.question)
        options = {choice: asked.choices[choice] for choice in question.choices}
        text, figure = f"## {asked.text}", None
        if question.about is not None:
            text = f"{self._stimuli.caption(question.about)}\n\n{text}"
            figure = self._stimuli.figure(question.about)
        return self._pages.choose(question.question, text, question, options, figure)

    def rest(self, pause: Break) -> PageResult:
        """Show a break for at least its minimum."""
        self.check_clock("block")
        text = self._library.text(pause.text, self._values({}))
        caption = self._settings.words.filled(
            pause.progress, done=str(pause.done), total=str(pause.total), **pause.values
        )
        share = pause.done / pause.total if pause.total else 1.0
        page = (pause.text, text.markdown, pause.minimum_s, share, caption)
        if pause.may_leave:
            shown_s, then = self._pages.rest_or_leave(*page)
            answers = {THEN: then}
        else:
            shown_s, answers = self._pages.rest(*page), {}
        self.check_clock("block")
        return PageResult(shown_s, answers)

    def check_clock(self, at: Moment) -> None:
        """Compare the clocks, record their offsets and flag a step of either clock."""
        self.waiting.check_clock(at)

    def _values(self, values: Mapping[str, str]) -> dict[str, str]:
        """Return a text's values in words: names of keys, and the study's values."""
        spoken = {
            name: self._settings.words.key(value, self._device)
            for name, value in values.items()
            if name.endswith("_key")
        }
        return {**self._settings.lab_values, **values, **spoken, **self._stimuli.words(values)}


def _below_heading(markdown: str, caption: str) -> str:
    """Return a text with a caption inserted as a subheading below its heading."""
    heading, _, rest = markdown.partition("\n\n")
    return f"{heading}\n\n## {caption}\n\n{rest}" if caption else markdown
