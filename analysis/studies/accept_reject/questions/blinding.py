"""What leads noticed and guessed of who gave the solutions."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from analysis.questions.question import Lacking, Promise, Question, Within
from analysis.report.about import about
from analysis.report.declared import ReportTable, some, spelled
from analysis.report.parts import Column, Paragraph, limits
from analysis.report.wording import bare_percent, count, grouped, interval, number, percent
from analysis.studies.accept_reject.blinding import (
    ANSWER_WORDS,
    LeadAnswers,
    SourceGuesses,
    answers_at_the_end,
    answers_table,
    guess_sources,
    split_by_suspicion,
)
from analysis.studies.accept_reject.data import LeadData
from analysis.studies.accept_reject.questions.participants import PARTICIPANTS
from analysis.studies.accept_reject.repeated import Repeated, repeated_table
from analysis.studies.accept_reject.words import solver_words
from stimuli.maps.origin import RESPONSE_MODEL


@dataclass(frozen=True, slots=True)
class Blinding:
    """What leads answered at the end, guesses of sources, and results by suspicion."""

    answers: Annotated[tuple[LeadAnswers, ...], about("Answers, by question.")]
    guesses: Annotated[SourceGuesses | None, about("Guesses; null where nobody guessed.")]
    split: Annotated[tuple[Repeated, ...], about("The main results by suspicion and notice.")]


Here = Within[Blinding]


def compute(data: LeadData) -> Blinding:
    """Return what leads noticed and guessed."""
    frame = data.judged.frame
    return Blinding(
        answers_at_the_end(frame),
        guess_sources(frame, data.plan),
        split_by_suspicion(data.judged, data.repeat),
    )


def _how_well(here: Here) -> Paragraph | None:
    """Return how well leads guessed the source; None if nobody guessed."""
    guesses = here.answer.guesses
    if guesses is None:
        return None
    right = guesses.accuracy
    text = (
        f"At the end {count(guesses.leads, 'lead')} saw "
        f"{count(guesses.n, 'explained solution')} of S and E again and guessed who gave each. "
    )
    if right.n:
        text += (
            f"Of the {count(right.n, 'guess', 'guesses')}, {percent(right.estimate, 1)} "
            f"were right {interval(right.ci_low, right.ci_high, bare_percent)}; by chance it "
            "would be half. "
        )
    else:
        text += "Everybody said “can’t say”. "
    return Paragraph(text + _verdict(guesses, solver_words(here.found.of(PARTICIPANTS))))


def _verdict(guesses: SourceGuesses, words: Mapping[str, str]) -> str:
    """Say whether guesses are better than chance, or only prefer one answer.

    A lead who always says "machine" is right on every solution of S and wrong on every one of E.
    So an index above zero for one source shows knowledge only if guesses are right over both.
    """
    above = [row.solver for row in guesses.bang if (row.ci_low or 0) > 0]
    names = " and ".join(words[name] for name in above)
    if not above:
        return (
            "The guesses don’t show that leads could distinguish the sources; the intervals say "
            "how well they might have."
        )
    if (guesses.accuracy.ci_low or 0) > 0.5:
        return f"The guesses are better than chance for {names}: blinding failed there."
    return (
        f"The index lies above zero for {names}, but over both sources the guesses are no better "
        "than chance: leads prefer one answer, which is no knowledge of the source."
    )


def _by_source(here: Here) -> list[dict[str, Any]] | None:
    """Return the guesses by source with Bang's index; None if nobody guessed."""
    guesses = here.answer.guesses
    if guesses is None:
        return None
    return [
        {**asdict(counts), "bang": row.estimate, "ci_low": row.ci_low, "ci_high": row.ci_high}
        for counts, row in zip(guesses.counts, guesses.bang, strict=True)
    ]


def _with_james(here: Here) -> list[dict[str, Any]]:
    """Return the page's rows: those by source, and James's index over both."""
    rows, guesses = _by_source(here), here.answer.guesses
    if rows is None or guesses is None:
        return []
    unknown = dict.fromkeys(("machine", "person", "cannot_say"))
    james = {"bang": guesses.james.estimate, **asdict(guesses.james)}
    return [*rows, {"solver": "both", **unknown, **james}]


def _reading(here: Here) -> str:
    guesses = here.answer.guesses
    assert guesses is not None
    said = (
        "limits by the two-way bootstrap, at least as wide as those of independent guesses"
        if guesses.resampled
        else "limits take one lead’s guesses as independent; James’s index has none then"
    )
    return f"{guesses.reading}; {said}."


GUESSES = ReportTable(
    "source_guesses",
    _by_source,
    "Guesses of the source, and blinding indices.",
    lambda here: (
        Column(
            "Solutions of",
            spelled(
                "solver",
                {**solver_words(here.found.of(PARTICIPANTS)), "both": "both (James’s index)"},
            ),
        ),
        Column("“Machine”", "machine", grouped, "n"),
        Column("“Person”", "person", grouped, "n"),
        Column("“Can’t say”", "cannot_say", grouped, "n"),
        Column("Index", "bang", number),
        limits(),
    ),
    _reading,
    shown=_with_james,
    strong=lambda _: (2,),
)


def _truth(here: Here) -> str:
    simulated = here.found.of(PARTICIPANTS).expert_origins == [RESPONSE_MODEL]
    gave = "all_machine" if simulated else "some_machine"
    return f"What is true: {ANSWER_WORDS[gave]}."


ANSWERS = answers_table(some("answer.answers"), _truth)
BY_SUSPICION = repeated_table(
    "usefulness_by_suspicion",
    "answer.split",
    "Leads",
    "Usefulness, raw, split by suspicion and notice.",
    strong=lambda _: (2,),
)


def _caution(here: Here) -> Paragraph | None:
    if not here.answer.split:
        return None
    return Paragraph(
        "Suspicion and notice were asked after the runs; the question itself names a machine, so "
        "its answers overstate what was suspected before. Leads weren’t assigned to suspicion: a "
        "difference between the groups may have other causes.",
        "quiet",
    )


def _lacking(data: LeadData, found: Blinding | None) -> list[Lacking]:
    assert found is not None
    if "guessed_source" in data.dataset.absent or found.guesses is not None:
        return []
    reason = "no lead was asked at the end who gave single solutions"
    return [Lacking("the blinding indices", reason)]


BLINDING = Question(
    id="blinding",
    title="Blinding",
    answer=Blinding,
    compute=compute,
    step="repeating under other choices",
    parts=(_how_well, GUESSES, ANSWERS, BY_SUSPICION, _caution),
    view=Within,
    needs={
        "guessed_source": "guesses of single solutions’ sources, and the blinding indices",
        "source_guess": "what leads suspected, and results by suspicion",
    },
    lacking=_lacking,
    registered=lambda _: Promise(
        "secondary", "How often leads guess rightly who gave a solution, against chance."
    ),
)
"""What leads thought about the source, if they were asked."""
