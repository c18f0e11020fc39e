"""What leads noticed and guessed of who gave the solutions."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from analysis.questions.estimates import Estimates
from analysis.questions.pivot import level_of, limits_of, pivot, value_of
from analysis.questions.question import Lacking, Promise, Question, Within
from analysis.report.about import about
from analysis.report.parts import Paragraph
from analysis.report.wording import bare_percent, count, interval
from analysis.studies.accept_reject.blinding import (
    ANSWER_WORDS,
    ANSWERS,
    BANG,
    GIVEN,
    GUESSED,
    RIGHT,
    SourceGuesses,
    answers_at_the_end,
    answers_table,
    guess_sources,
)
from analysis.studies.accept_reject.data import LeadData
from analysis.studies.accept_reject.questions.participants import PARTICIPANTS
from analysis.studies.accept_reject.words import solver_words
from stimuli.maps.origin import RESPONSE_MODEL


@dataclass(frozen=True, slots=True)
class Blinding(Estimates):
    """What leads answered at the end, and guesses of sources."""

    guesses: Annotated[SourceGuesses | None, about("Guesses; null where nobody guessed.")]


Here = Within[Blinding]


def compute(data: LeadData) -> Blinding:
    """Return what leads noticed and guessed."""
    frame = data.judged.frame
    guesses, rows = guess_sources(frame, data.plan)
    return Blinding((*answers_at_the_end(frame), *rows), guesses)


def _how_well(here: Here) -> Paragraph | None:
    """Return how well leads guessed the source; None if nobody guessed."""
    guesses = here.answer.guesses
    if guesses is None:
        return None
    right = here.answer.row(RIGHT)
    text = (
        f"At the end {count(guesses.leads, 'lead')} saw "
        f"{count(guesses.n, 'explained solution')} of S and E again and guessed who gave each. "
    )
    if right.n:
        text += (
            f"Of the {count(right.n, 'guess', 'guesses')}, {RIGHT.write(right.estimate)} "
            f"were right {interval(right.ci_low, right.ci_high, bare_percent)}; by chance it "
            "would be half. "
        )
    else:
        text += "Everybody said “can’t say”. "
    return Paragraph(text + _verdict(here.answer, solver_words(here.whole.of(PARTICIPANTS))))


def _verdict(answer: Blinding, words: Mapping[str, str]) -> str:
    """Say whether guesses are better than chance, or only prefer one answer.

    A lead who always says "machine" is right on every solution of S and wrong on every one of E.
    So an index above zero for one source shows knowledge only if guesses are right over both.
    """
    above = [row.of["solver"] for row in answer.rows(BANG) if (row.ci_low or 0) > 0]
    names = " and ".join(words[name] for name in above)
    if not above:
        return (
            "The guesses don’t show that leads could distinguish the sources; the intervals say "
            "how well they might have."
        )
    if (answer.row(RIGHT).ci_low or 0) > 0.5:
        return f"The guesses are better than chance for {names}: blinding failed there."
    return (
        f"The index lies above zero for {names}, but over both sources the guesses are no better "
        "than chance: leads prefer one answer, which is no knowledge of the source."
    )


def _reading(here: Here) -> str:
    guesses = here.answer.guesses
    assert guesses is not None
    text = (
        "limits by the two-way bootstrap, at least as wide as those of independent guesses"
        if guesses.resampled
        else "limits take one lead’s guesses as independent"
    )
    return f"{guesses.reading}; {text}."


GUESSES = pivot(
    "Guesses of the source, and the blinding index.",
    lambda here: (
        level_of("solver", "Solutions of", solver_words(here.whole.of(PARTICIPANTS)).__getitem__),
        *(
            value_of(GUESSED, answer, f"“{words}”")
            for answer, words in zip(ANSWERS, ("Machine", "Person", "Can’t say"), strict=True)
        ),
        value_of(BANG),
        limits_of(BANG),
    ),
    by=("solver",),
    over="guess",
    of=lambda here: here.answer.rows(GUESSED, BANG),
    note=_reading,
)


def _truth(here: Here) -> str:
    simulated = here.whole.of(PARTICIPANTS).expert_origins == [RESPONSE_MODEL]
    gave = "all_machine" if simulated else "some_machine"
    return f"What is true: {ANSWER_WORDS[gave]}."


AT_THE_END = answers_table(_truth)


def _lacking(data: LeadData, answer: Blinding | None) -> list[Lacking]:
    assert answer is not None
    if "guessed_source" in data.dataset.absent or answer.guesses is not None:
        return []
    reason = "no lead was asked at the end who gave single solutions"
    return [Lacking("the blinding indices", reason)]


BLINDING = Question(
    id="blinding",
    title="Blinding",
    answer=Blinding,
    quantities=(GIVEN, GUESSED, BANG, RIGHT),
    compute=compute,
    parts=(_how_well, GUESSES, AT_THE_END),
    view=Within,
    needs={
        "guessed_source": "guesses of single solutions’ sources, and the blinding indices",
        "source_guess": "what leads suspected",
    },
    lacking=_lacking,
    registered=lambda _: Promise(
        "How often leads guess rightly who gave a solution, against chance."
    ),
)
"""What leads thought about the source, if they were asked."""
