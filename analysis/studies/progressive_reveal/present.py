"""The report of progressive_reveal."""

from analysis.report.declared import ReportFigure, ReportModel, Results
from analysis.report.missing import MISSING
from analysis.report.parts import Bullets, Fact, Paragraph
from analysis.report.plan import ReportPlan, SectionPlan
from analysis.report.published import PUBLISHED
from analysis.report.who import counted, plural
from analysis.report.wording import bare_percent, count, grouped, interval, number, percent
from analysis.studies.progressive_reveal import (
    exclusions,
    image_figures,
    page_tables,
    sections,
    survival_tables,
)
from analysis.studies.progressive_reveal.methods import methods_paragraphs
from analysis.studies.progressive_reveal.second import SECOND
from analysis.studies.progressive_reveal.seen_figures import SEEN
from analysis.studies.progressive_reveal.sentences import group_sentences, suits_sentences
from analysis.studies.progressive_reveal.survey import SURVEY, sample_sentence
from analysis.studies.progressive_reveal.words import method_name


def _facts(results: Results) -> tuple[Fact, ...]:
    data = results["data"]
    facts = [
        Fact(grouped(data["participants"]), plural(data, "participant")),
        Fact(grouped(data["rounds"]), f"rounds on {count(data['items'], 'image')}"),
    ]
    for row in results["survival"]["restricted"]["methods"]:
        if row["estimate"] is not None:
            limits = interval(row["ci_low"], row["ci_high"], bare_percent)
            label = f"of the image, {method_name(row['method'], data)} {limits}"
            facts.append(Fact(percent(row["estimate"], 1), label))
    return tuple(facts[:6])


def _people(results: Results) -> str:
    data = results["data"]
    return (
        f"{counted(data, 'participant')} with "
        f"{number(data['rounds_a_person'], 1)} rounds on average; "
        f"{grouped(data['recognised_rounds'])} of {grouped(data['rounds'])} rounds were "
        f"recognised, {grouped(data['left_rounds'])} left midway."
    )


def _shrunken(results: Results) -> Paragraph | None:
    if not results["models"]["suits"]:
        return None
    return Paragraph(
        "Shrunken effects of participants and images with few rounds lie nearer the average: they "
        "are the model’s best guess for each of them, not their raw averages."
    )


def _bullets(sentences: list[str]) -> Bullets | None:
    return Bullets(tuple(sentences)) if sentences else None


def _fits(results: Results) -> Paragraph | None:
    fits = results["fits"]
    if not fits["units"]:
        return None
    return Paragraph(
        f"As published, each participant and each image with {fits['least_rounds']} recognised "
        f"rounds or more has its own fit; {grouped(fits['skipped'])} had fewer, "
        f"{count(fits['unfit'], 'fit')} ran away to parameters without meaning, "
        f"{grouped(fits['beyond'])} were beyond the number that is fitted.",
        "quiet",
    )


def _groups(results: Results) -> Bullets | None:
    return _bullets(group_sentences(results)) if results["fits"]["units"] else None


_SUITS = SectionPlan(
    "Which method suits whom",
    (
        _shrunken,
        ReportFigure(
            "suits",
            "What each method adds to the reference for each participant (left) and image (right) "
            "beyond what it adds for the average one. To the right: recognised sooner.",
            "Strips of points, one for each method",
            image_figures.suits_figure,
            "models.suits",
        ),
        lambda results: _bullets(suits_sentences(results)),
        page_tables.LAWS,
        _fits,
        ReportFigure(
            "fits",
            "Each participant and each image: shapes of the two fitted distributions (location 0, "
            "logarithmic axes), and the mean and the standard deviation of the log share, in which "
            "groups are looked for.",
            "Three scatter plots",
            image_figures.fits_figure,
            "fits.units",
        ),
        _groups,
    ),
)


def _typing(results: Results) -> Paragraph | None:
    typing = results["models"]["typing"]
    if typing is None or not typing["fitted"]:
        return None
    row = typing["typing"]
    return Paragraph(
        "Typing time (seconds a letter, from the copied words) in the hazard of recognition: "
        f"{number(row['estimate'])} log odds a second {interval(row['ci_low'], row['ci_high'])}, "
        f"over {count(typing['people'], 'participant')}."
    )


def _resampling(results: Results) -> str:
    boot = results["bootstrap"]
    return (
        f"Intervals of averages: {results['intervals']}; of curves and restricted means: "
        f"percentile, {grouped(boot['replicates'])} replicates unless stated, seed {boot['seed']}."
    )


REPORT = ReportPlan(
    title="progressive_reveal: how much of an image must an explanation uncover?",
    facts=_facts,
    methods=methods_paragraphs,
    people=_people,
    after_flow=(exclusions.rules_sentence, exclusions.PEOPLE, sample_sentence, SURVEY),
    sections=(
        SEEN,
        sections.AVERAGES,
        sections.NEEDED,
        sections.STEPS,
        sections.PAIRS,
        SectionPlan("First answers", (page_tables.FIRST_ATTEMPTS,)),
        sections.IMAGES,
        sections.LIKENESS,
        _SUITS,
        SectionPlan(
            "The same result under other choices",
            (SECOND, survival_tables.SENSITIVITY, _typing, survival_tables.TYPING),
        ),
        SectionPlan(
            "Mixed models",
            (
                ReportModel("hazard", "models.hazard", "Discrete-time model of recognition."),
                ReportModel(
                    "per_pixel",
                    "models.per_pixel",
                    "The same with the pixels uncovered at each step: quality per pixel.",
                ),
                ReportModel("tries", "models.tries", "Wrong tries.", ("fixed",)),
                ReportModel("times", "models.times", "Times to recognition.", ("fixed",)),
            ),
        ),
    ),
    resampling=_resampling,
    files=(
        PUBLISHED,
        MISSING,
        survival_tables.DIFFERENCES,
        survival_tables.CONTRASTS,
        *page_tables.FILES,
    ),
)
"""What the report holds."""
