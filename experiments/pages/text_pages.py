"""The screens of words that all sessions share, and the comparison of clocks beside them."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NoReturn

from experiments.engine.clock import Moment
from experiments.engine.picture import Pixels
from experiments.pages.context import SessionContext
from experiments.pages.pages import Pages
from experiments.pages.pausing import PauseSettings
from experiments.pages.settings import Painter, ScreenSettings
from experiments.pages.sides import left_first
from experiments.pages.stopping import STOP_KEY
from experiments.pages.unsaved import Unsaved
from experiments.pages.waiting import Waiting
from experiments.robot_input.actor import AGREE, DECLINE
from experiments.screens.library import PAUSE_TEXTS, UNSAVED, Library
from participants.session import (
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


def no_figure(stimulus: Any) -> NoReturn:
    """Refuse a figure: the study declares none."""
    raise ValueError(f"this study's pages have no figures, but a page shows {stimulus!r}")


@dataclass(frozen=True, slots=True)
class PageStimuli:
    """What draws a study's stimuli on pages of words; by default there are none.

    Attributes
    ----------
    figure
        Draws a stimulus beside a text, uint8 (height, width, 3).
    caption
        Returns what stands above a question about a stimulus and below the heading of an example
        of it, Markdown; empty for nothing.
    words
        Returns values of texts in words, from the plan's own.
    """

    figure: Callable[[Any], Pixels] = no_figure
    caption: Callable[[Any], str] = lambda stimulus: ""
    words: Callable[[Mapping[str, str]], Mapping[str, str]] = lambda values: {}


class TextPages:
    """A `participants.session.PagePresenter` with a real window; nothing here is timed to a frame.

    Parameters
    ----------
    context
        The open window, and who answers and keeps what happens.
    settings
        What screens are made with.
    plan
        The session.
    library
        The study's texts.
    stimuli
        Draws the study's stimuli on pages.

    Attributes
    ----------
    waiting
        Waits for their keys; it answers the chords that pause and end the session.
    unsaved
        Asks what to do where the disk refuses the journal.
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
        """Show a page until its reader goes on."""
        text = self._library.text(page.text, self._values(page.values))
        markdown, figure = left_first(self._settings, text.markdown, self._device), None
        if page.figure is not None:
            figure = self._stimuli.figure(page.figure)
            markdown = _below_heading(markdown, self._stimuli.caption(page.figure))
        result = self._pages.read(page, markdown, figure)
        self.check_clock("page")
        return result

    def close(self, text: str) -> None:
        """Show a text until the experimenter's chord; the session is over."""
        # Holding it may have brought this about; only a new press is a chord.
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
        """Ask the check's questions and return the choice of each, by the question's step."""
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
        """Show a break, at least for its minimum."""
        self.check_clock("block")
        text = self._library.text(pause.text, self._values({}))
        caption = self._settings.words.filled(
            pause.progress, done=str(pause.done), total=str(pause.total), **pause.values
        )
        share = pause.done / pause.total if pause.total else 1.0
        shown = (pause.text, text.markdown, pause.minimum_s, share, caption)
        if pause.may_leave:
            shown_s, then = self._pages.rest_or_leave(*shown)
            answers = {THEN: then}
        else:
            shown_s, answers = self._pages.rest(*shown), {}
        self.check_clock("block")
        return PageResult(shown_s, answers)

    def check_clock(self, at: Moment) -> None:
        """Compare the clocks and record their offsets; a step of either is flagged."""
        self.waiting.check_clock(at)

    def _values(self, values: Mapping[str, str]) -> dict[str, str]:
        """Return a text's values in words: keys by their names, and the study's own."""
        spoken = {
            name: self._settings.words.key(value, self._device)
            for name, value in values.items()
            if name.endswith("_key")
        }
        return {**self._settings.lab_values, **values, **spoken, **self._stimuli.words(values)}


def _below_heading(markdown: str, caption: str) -> str:
    """Return a text with a caption as the lesser heading below its own."""
    heading, _, rest = markdown.partition("\n\n")
    return f"{heading}\n\n## {caption}\n\n{rest}" if caption else markdown
