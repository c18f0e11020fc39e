"""What each kind of help changes, by means and by the mixed model: what trust builds on."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from analysis.report.about import about
from analysis.report.estimates import MODEL, Unvarying, used
from analysis.studies.human_ai_team.alone import PACK
from analysis.studies.human_ai_team.data import TeamData
from analysis.studies.human_ai_team.differences import PairEffect, mean_pairs, weighted_pairs
from analysis.studies.human_ai_team.model import Effects, effects_of
from analysis.studies.human_ai_team.strata import OCCURRING, Base
from analysis.studies.human_ai_team.trials import ALL, NATURAL
from analysis.studies.human_ai_team.verdicts import (
    VERDICTS,
    AgainstMargin,
    Rule,
    Verdict,
    against_margin,
    verdict_rows,
)
from analysis.studies.human_ai_team.words import against


@dataclass(frozen=True, slots=True)
class Primary:
    """The analysis that decides about arms on a base."""

    base: Annotated[str, about("Images: all that were shown, natural, or occurring.")]
    asked: Annotated[str, about("The analysis that the protocol names: model or means.")]
    used: Annotated[str, about("The analysis that decides: the means if no model is sound.")]
    mix: Annotated[float, about("Share of right labels of the base, 0 to 1.")]


@dataclass(frozen=True, slots=True)
class HelpEffects:
    """What each kind of help changes."""

    reference: Annotated[str | None, about("The arm that others are compared with, if any.")]
    effects: Annotated[
        dict[str, Effects],
        about("What the mixed model says, by images: all, natural, adversarial, occurring."),
    ]
    verdicts: Annotated[tuple[Verdict, ...], about("What each kind of help does, by base.")]
    verdict_words: Annotated[dict[str, str], about("What each verdict says.")]
    margin: Annotated[float | None, about("The equivalence margin, a difference of shares.")]
    primary: Annotated[tuple[Primary, ...], about("Which analysis decides, by base.")]
    means: Annotated[
        dict[str, tuple[PairEffect, ...]],
        about("Differences of arms by means over participants and images, by images."),
    ]
    against_margin: Annotated[
        tuple[AgainstMargin, ...], about("Right answers of each pair of arms against the margin.")
    ]
    unvarying: Annotated[
        Unvarying | None, about("Participants and images that hardly vary; null if not counted.")
    ]


def help_effects(data: TeamData) -> dict[str, Any]:
    """Return the values of `HelpEffects` by their names."""
    answers, fits = data.answers, data.fits
    effects = {part: effects_of(answers.part(part), fit) for part, fit in fits.items()}
    means = {part: mean_pairs(answers, data.rates, part) for part in answers.parts}
    weights = data.weights.get(PACK)
    base = Base.occurring(answers, weights) if weights else None
    if base is not None:
        part = NATURAL if NATURAL in fits else ALL
        effects[OCCURRING] = effects_of(answers.part(part), fits[part], base)
        means[OCCURRING] = weighted_pairs(answers, base, data.plan)
    frame = answers.frame
    columns = (frame[name].to_numpy() for name in ("correct", "participant", "item"))
    return {
        "reference": answers.reference,
        "effects": effects,
        "verdict_words": dict(VERDICTS),
        "margin": data.protocol.analysis.margin,
        "means": means,
        "unvarying": Unvarying.count(*columns),
        **_conclusions(data, effects, means),
    }


def _conclusions(
    data: TeamData, effects: Mapping[str, Effects], means: Mapping[str, tuple[PairEffect, ...]]
) -> dict[str, Any]:
    """Return which analysis decides on each base, and what follows from it."""
    answers, rules = data.answers, data.protocol.analysis
    primary, rows, shown = [], [], []
    for name in (base for base in (ALL, NATURAL, OCCURRING) if base in effects):
        own = answers.part(NATURAL) if NATURAL in answers.parts and name != ALL else answers
        by = used(rules.primary_test, bool(effects[name].pairs))
        decided = effects[name].pairs if by == MODEL else means[name]
        rule = Rule.of(own, rules.margin)
        primary.append(Primary(name, rules.primary_test, by, effects[name].mix))
        rows += verdict_rows(decided, rule, name, by)
        shown += against_margin(decided, rule, name)
    return {
        "primary": tuple(primary),
        "verdicts": tuple(rows),
        "against_margin": tuple(shown),
    }


@dataclass(frozen=True, slots=True)
class BothWays:
    """A difference by means and by the model; ``p_family`` is of the analysis that decides."""

    base: str
    means: PairEffect | None
    model: PairEffect | None
    by: str

    @property
    def first(self) -> PairEffect:
        """The means' difference; the model's where there are none."""
        found = self.means or self.model
        assert found is not None
        return found

    @property
    def decided(self) -> PairEffect:
        """The difference of the analysis that decides."""
        return (self.model if self.by == MODEL else None) or self.first


def both_ways(found: HelpEffects, base: str = ALL) -> list[BothWays]:
    """Return the differences to the reference on a base, or all without one, both ways."""
    by = next((row.used for row in found.primary if row.base == base), MODEL)
    rows: dict[tuple[str, str, str], list[PairEffect | None]] = {}
    effects = found.effects[base].pairs if base in found.effects else ()
    for place, pairs in enumerate((found.means.get(base, ()), effects)):
        for row in against(found.reference, pairs):
            rows.setdefault((row.quantity, row.first, row.second), [None, None])[place] = row
    return [BothWays(base, *own, by) for own in rows.values()]
